"""Games played on the page by clicking, in a real browser against a real server."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_browser import (
    address_of,
    cell,
    end_server,
    expect,
    needs_chromium,
    ready,
    serious_findings,
    server_address,
    start_server,
    visiting,
)

pytestmark = needs_chromium

END = re.compile(r"won|Drawn")
LONGEST = 80  # clicks of one game
VISITS = 8
PAINT = "performance.getEntriesByName('first-contentful-paint')"


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    with visiting(browser) as visit:
        yield visit.page


def begin(page: Any, game: str, first: str = "human", second: str = "random", **query: str) -> None:
    more = "".join(f"&{key}={value}" for key, value in query.items())
    page.goto(f"{server_address()}/play?game={game}&first={first}&second={second}{more}")
    expect(page.locator(".status")).to_have_text(re.compile("turn|move|won|Drawn"))
    ready(page)


def moves_of(page: Any) -> list[str]:
    return list(page.locator(".moves button").all_inner_texts())


def play_one_move(page: Any) -> None:
    """Whatever is first: a pass, a removal, or a cell; then, where a man was chosen, where it goes.

    It is a person's turn, so that nothing changes by itself.
    """
    pass_button = page.get_by_role("button", name="Pass", exact=True)
    if pass_button.count():
        pass_button.click()
        return
    usable = page.locator('.cells button[aria-disabled="false"]')
    expect(usable.first).to_be_attached()
    removal = page.locator('.cells button[aria-label*="can be removed"]')
    if removal.count():
        removal.first.click()
        return
    chooses_a_man = "can move" in usable.first.get_attribute("aria-label")
    usable.first.click()
    if chooses_a_man:
        page.locator('.cells button[aria-label*=" here"]').first.click()


@pytest.mark.parametrize(
    "game", ["tictactoe", "connect4:rows=4,columns=5", "othello:size=4", "gomoku:size=5", "latrunculi:size=4,quiet=8"]
)
def test_whole_game_is_played_by_clicking(page: Any, game: str) -> None:
    begin(page, game)
    status = page.locator(".status")
    for _ in range(LONGEST):
        expect(status).to_have_text(re.compile("Your turn|cannot move|won|Drawn"))
        if END.search(status.inner_text()):
            break
        before = len(moves_of(page))
        play_one_move(page)
        expect(page.locator(".moves button")).not_to_have_count(before)
    expect(status).to_have_text(END)
    assert len(moves_of(page)) >= 5


def test_undo_takes_back_both_moves_and_redo_brings_them_again(page: Any) -> None:
    begin(page, "connect4")
    cell(page, 3).click()
    expect(page.locator(".moves button")).to_have_count(2)
    cell(page, 2).click()
    expect(page.locator(".moves button")).to_have_count(4)
    played = moves_of(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".moves button")).to_have_count(2)
    page.get_by_role("button", name="Redo").click()
    expect(page.locator(".moves button").nth(2)).to_have_text(played[2])


def test_reload_in_the_middle_goes_on_with_the_game(page: Any) -> None:
    begin(page, "othello:size=6")
    page.locator('.cells button[aria-disabled="false"]').first.click()
    expect(page.locator(".moves button")).to_have_count(2)
    played = moves_of(page)
    page.reload()
    ready(page)
    expect(page.locator(".moves button")).to_have_text(played)
    page.locator('.cells button[aria-disabled="false"]').first.click()
    expect(page.locator(".moves button")).to_have_count(4)


def test_address_holds_the_position_even_where_the_game_is_not_known(browser: Any) -> None:
    with visiting(browser, forgiven="404") as visit:
        page = visit.page
        begin(page, "connect4", second="human", moves="4453")
        expect(page.locator(".moves button")).to_have_count(4)
        cell(page, 6).click()
        expect(page).to_have_url(re.compile(r"/play/\w+\?game=connect4&moves=44537"))
        page.goto(re.sub(r"/play/\w+", "/play/abcdef", page.url))
        ready(page)
        expect(page.locator(".moves button")).to_have_count(5)


def test_two_people_in_two_browsers_share_one_game(browser: Any, page: Any) -> None:
    begin(page, "connect4", second="human")
    page.get_by_role("button", name="Share").click()
    link = page.get_by_label("Link: A friend plays Yellow").input_value()
    page.get_by_role("button", name="Copy").first.click()
    expect(page.locator(".status")).to_have_text("Your turn, Red")
    with visiting(browser) as friend:
        friend.page.goto(link)
        ready(friend.page)
        expect(friend.page.locator(".status")).to_have_text("Red to move")
        expect(cell(friend.page, 3)).to_have_attribute("aria-disabled", "true")
        cell(page, 3).click()
        expect(friend.page.locator(".status")).to_have_text("Your turn, Yellow")
        cell(friend.page, 4).click()
        expect(page.locator(".moves button")).to_have_text(["4", "5"])


def test_keyboard_alone_plays(page: Any) -> None:
    begin(page, "gomoku:size=9")
    cell(page, 0).focus()
    expect(cell(page, 0)).to_be_focused()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".moves button").first).to_have_text("c8")
    expect(cell(page, 11)).to_have_attribute("aria-label", re.compile("^c8, black stone"))


def test_latrunculi_man_is_chosen_and_let_go_again(page: Any) -> None:
    begin(page, "latrunculi:size=6,start=rows", second="human")
    man = page.locator('.cells button[aria-label*="can move"]').first
    place = int(man.get_attribute("data-place"))
    man.click()
    expect(cell(page, place)).to_have_attribute("aria-label", re.compile("chosen$"))
    page.keyboard.press("Escape")
    expect(cell(page, place)).to_have_attribute("aria-label", re.compile("can move$"))
    cell(page, place).click()
    page.locator('.cells button[aria-label*=" here"]').first.click()
    expect(page.locator(".moves button")).to_have_count(1)


def test_latrunculi_man_is_dragged_with_the_mouse(page: Any) -> None:
    begin(page, "latrunculi:size=6,start=rows", second="human")
    man = page.locator('.cells button[aria-label*="can move"]').first
    place = int(man.get_attribute("data-place"))
    man.drag_to(cell(page, place - 6))
    expect(page.locator(".moves button")).to_have_count(1)


def test_othello_pass_is_told(page: Any) -> None:
    begin(page, "othello:size=4", start="OX../..../..../.... X")
    expect(page.locator(".status")).to_have_text("Black cannot move")
    page.get_by_role("button", name="Pass", exact=True).click()
    expect(page.locator(".moves button").first).to_have_text("pass")


def test_new_game_is_chosen_in_the_window(page: Any) -> None:
    begin(page, "connect4")
    page.get_by_role("button", name="New game").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_role("radio", name="Tic-tac-toe").check(force=True)
    page.get_by_label("X begins").select_option("human")
    page.get_by_label("O is second").select_option("=perfect")
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(page.locator(".player-bar").first).to_contain_text("Perfect")
    expect(page.locator(".title")).to_contain_text("Tic-tac-toe")


def test_earlier_positions_can_be_looked_at_without_taking_back(page: Any) -> None:
    begin(page, "connect4", second="human", moves="445")
    page.get_by_role("button", name="Move 1, 4").click()
    expect(page.locator(".status")).to_have_text("After move 1 of 3")
    expect(page.locator(".pieces .piece")).to_have_count(1)
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator(".pieces .piece")).to_have_count(3)


@pytest.mark.parametrize("kind", ["=mcts", "=minimax"])
def test_new_game_begins_with_the_usual_strength_of_any_player(page: Any, kind: str) -> None:
    begin(page, "tictactoe")
    page.get_by_role("button", name="New game").click()
    page.get_by_label("O is second").select_option(kind)
    expect(page.get_by_label("Second: strength")).to_be_visible()
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".player-bar").first).to_contain_text({"=mcts": "MCTS", "=minimax": "Minimax"}[kind])


def test_strength_has_the_limits_of_the_server_and_only_where_it_is_seen(page: Any) -> None:
    begin(page, "tictactoe")
    page.get_by_role("button", name="New game").click()
    second, strength = page.get_by_label("O is second"), page.get_by_label("Second: strength")
    begin_button = page.get_by_role("button", name="Begin", exact=True)
    for kind, most in (("=mcts", "1000000"), ("=heuristic", "20000"), ("=minimax", "20")):
        second.select_option(kind)
        expect(strength).to_have_attribute("max", most)
    page.get_by_label("Second: measure of strength").select_option("seconds")
    expect(strength).to_have_attribute("max", "30")
    strength.fill("31")
    begin_button.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    second.select_option("human")  # what was wrong is not seen any more
    begin_button.click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".player-bar .remark")).to_have_text(["Human", "Human"])


def test_board_of_any_size_is_chosen_and_impossible_ones_are_refused(browser: Any) -> None:
    with visiting(browser, forgiven="400") as visit:
        page = visit.page
        begin(page, "connect4")
        page.get_by_role("button", name="New game").click()
        page.get_by_role("combobox", name="Board").select_option("Other…")
        columns = page.get_by_role("spinbutton", name="columns")
        columns.fill("40")
        columns.press("Tab")
        expect(page.locator("#notice")).to_contain_text("35")
        begin_button = page.get_by_role("button", name="Begin", exact=True)
        expect(begin_button).to_be_disabled()
        columns.fill("4")
        columns.press("Tab")
        expect(begin_button).to_be_enabled()
        begin_button.click()
        expect(page.locator(".cells button")).to_have_count(4)
        expect(page).to_have_url(re.compile("game=connect4%3Acolumns%3D4"))


def drag(page: Any, source: Any, target: Any) -> None:
    source.hover()
    page.mouse.down()
    target.hover(force=True)
    page.mouse.up()


def test_slip_of_the_mouse_makes_no_move(page: Any) -> None:
    begin(page, "connect4", second="human")
    drag(page, cell(page, 3), cell(page, 5))
    cell(page, 0).click()
    expect(page.locator(".moves button")).to_have_text(["1"])


def test_man_that_was_let_go_beside_the_board_can_be_chosen_again(page: Any) -> None:
    begin(page, "latrunculi:size=6,start=rows", second="human")
    man = page.locator('.cells button[aria-label*="can move"]').first
    place = int(man.get_attribute("data-place"))
    drag(page, man, page.locator(".status"))
    expect(cell(page, place)).to_have_attribute("aria-label", re.compile("chosen$"))
    cell(page, place - 6).dispatch_event("pointerup")  # of another pointer
    cell(page, place).press("Enter")
    expect(cell(page, place)).to_have_attribute("aria-label", re.compile("can move$"))
    expect(page.locator(".moves button")).to_have_count(0)


def test_two_lines_that_win_are_two_strokes(page: Any) -> None:
    begin(page, "tictactoe", second="human", moves="a3 a2 b3 b2 c2 a1 c1 b1 c3")
    expect(page.locator(".status")).to_have_text("X won")
    expect(page.locator(".winning-line")).to_have_count(2)
    expect(page.locator(".winning")).to_have_count(5)


def test_phone_plays_by_touch_without_scrolling_sideways(browser: Any) -> None:
    phone: dict[str, Any] = {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
        "device_scale_factor": 2,
    }
    with visiting(browser, **phone) as visit:
        page = visit.page
        begin(page, "latrunculi:size=6,start=rows", second="human")
        man = page.locator('.cells button[aria-label*="can move"]').first
        place = int(man.get_attribute("data-place"))
        man.tap()
        expect(cell(page, place)).to_have_attribute("aria-label", re.compile("chosen$"))
        page.locator('.cells button[aria-label*=" here"]').first.tap()
        expect(page.locator(".moves button")).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        begin(page, "connect4", second="human")
        cell(page, 3).tap()
        expect(page.locator(".moves button")).to_have_text(["4"])
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_friend_without_the_token_gets_in_by_the_link(browser: Any, tmp_path: Path) -> None:
    server = start_server(tmp_path, 0, "--token", "a-token-for-tests")
    try:
        address = address_of(server)
        with visiting(browser) as host, visiting(browser, forgiven="403") as friend:
            page = host.open("/play?token=a-token-for-tests&game=connect4&first=human&second=human", address)
            expect(page.locator(".status")).to_have_text(re.compile("Red"))
            page.get_by_role("button", name="Share").click()
            link = page.get_by_label("Link: A friend plays Yellow").input_value()
            assert "a-token-for-tests" not in link
            page.get_by_role("button", name="Close").click()
            friend.page.goto(link)
            expect(friend.page.locator(".status")).to_have_text("Red to move")
            expect(friend.page).not_to_have_url(re.compile("invite"))
            cell(page, 3).click()
            expect(friend.page.locator(".status")).to_have_text("Your turn, Yellow")
            cell(friend.page, 4).click()
            expect(page.locator(".moves button")).to_have_text(["4", "5"])
    finally:
        end_server(server)


def test_first_paint_takes_less_than_a_second_and_nothing_jumps(browser: Any) -> None:
    paints: list[float] = []
    while len(paints) < VISITS and min(paints, default=1000) >= 1000:  # a busy machine may paint late now and then
        with visiting(browser) as visit:
            visit.page.add_init_script(
                "window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach((entry) => {"
                " if (!entry.hadRecentInput) window.shift += entry.value; })).observe({type: 'layout-shift', buffered: true});"
            )
            page = visit.open("/")
            ready(page)
            expect(page.locator(".status")).to_have_text("Your turn, Red")
            page.wait_for_function(f"{PAINT}.length")
            paints.append(page.evaluate(f"{PAINT}[0].startTime"))
            assert page.evaluate("window.shift") < 0.05
    assert min(paints) < 1000 * crowd()


def crowd() -> float:
    """How many programs want each core, at least one: so much longer may anything take."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("game", ["connect4", "latrunculi:size=6,start=rows", "othello", "gomoku:size=9", "tictactoe"])
def test_play_has_no_serious_accessibility_findings(browser: Any, colours: str, game: str) -> None:
    with visiting(browser, color_scheme=colours) as visit:
        page = visit.open(f"/play?game={game}&first=human&second=random")
        ready(page)
        expect(page.locator(".status")).to_have_text(re.compile("Your turn"))
        assert serious_findings(page) == []
        page.get_by_role("button", name="New game").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert serious_findings(page) == []


@pytest.mark.slow
def test_game_goes_on_after_the_server_was_restarted(browser: Any, tmp_path: Path) -> None:
    first = start_server(tmp_path, 0)
    address = address_of(first)
    with visiting(browser, forgiven="ERR_") as visit:
        page = visit.open("/play?game=connect4&first=human&second=random", address)
        ready(page)
        cell(page, 3).click()
        expect(page.locator(".moves button")).to_have_count(2)
        first.kill()
        first.wait()
        second = start_server(tmp_path, int(address.rpartition(":")[2]))
        try:
            assert address_of(second) == address
            cell(page, 3).click()
            expect(page.locator(".moves button")).to_have_count(4)
        finally:
            end_server(second)
