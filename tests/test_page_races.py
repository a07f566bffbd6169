"""What the page does while answers are under way, when they come in another order, and when somebody presses twice."""

import re
from typing import Any

from page_browser import Held, cell, expect, needs_chromium, ready, visiting

pytestmark = needs_chromium

TABLE = "/play?game=connect4&first=human&second=human"
MOVES = re.compile(r"/api/games/\w+/moves$")
POSITION = re.compile(r"/api/position\?")


def test_two_presses_while_a_move_is_under_way_are_one_move(visit: Any) -> None:
    page = visit.open(TABLE)
    ready(page)
    held = Held(page, MOVES)
    cell(page, 3).click()
    held.wait_for(1)
    cell(page, 4).click(force=True)
    expect(cell(page, 4)).to_have_attribute("aria-disabled", "true")
    held.answer(0)
    expect(page.locator(".moves button")).to_have_text(["4"])
    expect(cell(page, 4)).to_have_attribute("aria-disabled", "false")
    assert len(held.routes) == 1


def test_a_refused_move_leaves_the_board_to_be_played_on(browser: Any) -> None:
    with visiting(browser, forgiven="503") as visit:
        page = visit.open(TABLE)
        ready(page)
        page.route(MOVES, lambda route: route.fulfill(status=503, json={"error": "Too many games."}), times=1)
        cell(page, 3).click()
        expect(page.locator("#notice")).to_have_text("Too many games.")
        cell(page, 3).click()
        expect(page.locator(".moves button")).to_have_text(["4"])


def test_a_server_that_hangs_is_told_of_and_the_board_can_be_played_on(visit: Any) -> None:
    visit.page.clock.install()
    page = visit.open(TABLE)
    ready(page)
    held = Held(page, MOVES)
    cell(page, 3).click()
    held.wait_for(1)
    page.clock.fast_forward(61_000)
    expect(page.locator("#notice")).to_have_text("The server has not answered for 60 seconds. Try again.")
    page.unroute(MOVES)
    cell(page, 3).click()
    expect(page.locator(".moves button")).to_have_text(["4"])


def test_taking_back_twice_at_once_takes_back_twice(visit: Any) -> None:
    page = visit.open(f"{TABLE}&moves=4453")
    ready(page)
    page.get_by_role("button", name="Undo").dblclick()
    expect(page.locator(".moves button")).to_have_text(["4", "4"])


def test_a_view_that_was_left_before_its_game_came_does_not_come_back(visit: Any) -> None:
    held = Held(visit.page, re.compile(r"/api/games$"), "POST")
    page = visit.open(TABLE)
    held.wait_for(1)
    page.get_by_role("link", name="Study").click()
    ready(page, "study")
    held.answer(0)
    expect(page.locator(".opinions tbody tr").first).to_be_visible()
    expect(page).to_have_url(re.compile("/study"))


def test_news_of_a_game_do_not_lead_away_from_an_earlier_position(browser: Any, visit: Any) -> None:
    page = visit.open(f"{TABLE}&moves=445")
    ready(page)
    page.get_by_role("button", name="Move 1, 4").click()
    expect(page.locator(".status")).to_have_text("After move 1 of 3")
    with visiting(browser) as friend:
        friend.page.goto(page.url)
        ready(friend.page)
        expect(page.locator(".title")).to_contain_text("2 people here")
        expect(page.locator(".status")).to_have_text("After move 1 of 3")
        expect(page.locator(".pieces .piece")).to_have_count(1)
        cell(friend.page, 0).click()
        expect(page.locator(".pieces .piece")).to_have_count(4)


def test_a_button_that_is_held_down_stays_while_moves_are_made(visit: Any) -> None:
    page = visit.open("/play?game=gomoku:size=15&first=random&second=random")
    ready(page)
    pause = page.get_by_role("button", name="Pause")
    pause.hover()
    page.mouse.down()
    before = page.locator(".moves button").count()
    expect(page.locator(".moves button")).not_to_have_count(before)
    page.mouse.up()
    expect(page.locator(".status")).to_have_text("Paused")


def test_moves_of_the_list_stay_while_others_are_made(browser: Any, visit: Any) -> None:
    page = visit.open(f"{TABLE}&moves=44")
    ready(page)
    page.get_by_role("button", name="Move 2, 4").focus()
    expect(page.get_by_role("button", name="Move 2, 4")).to_be_focused()
    with visiting(browser) as friend:
        friend.page.goto(page.url)
        ready(friend.page)
        cell(friend.page, 0).click()
        expect(page.locator(".moves button")).to_have_text(["4", "4", "1"])
    expect(page.get_by_role("button", name="Move 2, 4")).to_be_focused()


def test_a_stream_that_is_refused_for_good_is_told_and_not_asked_for_again(browser: Any) -> None:
    with visiting(browser, forgiven="404") as visit:
        page = visit.page
        asked: list[str] = []
        events = re.compile(r"/api/games/\w+/events$")

        def refuse(route: Any) -> None:
            asked.append(route.request.url)
            route.fulfill(status=404, json={"error": "There is no such game."})

        page.route(events, refuse)
        page.clock.install()
        visit.open(TABLE)
        ready(page)
        expect(page.locator("#notice")).to_have_text("There is no such game.")
        page.clock.fast_forward("10:00")
        page.get_by_role("button", name="Flip").click()  # the page has heard of that time
        assert len(asked) == 2  # the stream, and why it was refused


def test_two_steps_at_once_are_two_steps(visit: Any) -> None:
    page = visit.open("/study?game=connect4&moves=4453")
    ready(page)
    held = Held(page, POSITION)
    back = page.get_by_role("button", name="Back", exact=True)
    back.click()
    back.click()
    held.wait_for(2)
    held.answer(1)
    expect(page.locator(".pieces .piece")).to_have_count(2)


def test_an_answer_that_comes_late_does_not_replace_a_newer_one(visit: Any) -> None:
    page = visit.open("/study?game=connect4&moves=4453")
    ready(page)
    held = Held(page, POSITION)
    page.get_by_role("button", name="Move 1, 4").click()
    page.get_by_role("button", name="Move 3, 5").click()
    held.wait_for(2)
    held.answer(1)
    expect(page.locator(".pieces .piece")).to_have_count(3)
    held.answer(0)
    page.wait_for_timeout(200)  # for whatever should not happen
    expect(page.locator(".pieces .piece")).to_have_count(3)
    expect(page).to_have_url(re.compile("ply=3"))


def test_a_game_is_saved_once_however_often_it_is_asked_for(visit: Any) -> None:
    page = visit.open("/study?game=tictactoe&moves=a1 b2 c3")
    ready(page)
    page.get_by_role("tab", name="Position").click()
    held = Held(page, re.compile(r"/api/log$"), "POST")
    save = page.get_by_role("button", name="Save to log")
    save.click()
    held.wait_for(1)
    save.click(force=True)
    held.answer(0)
    expect(page.locator("#notice")).to_contain_text("saved")
    assert len(held.routes) == 1


def test_nothing_begins_before_its_players_are_known(visit: Any) -> None:
    page = visit.open(TABLE)
    ready(page)
    page.get_by_role("button", name="New game").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    held = Held(page, re.compile(r"/api/board\?"))
    page.get_by_role("radio", name="Othello").check(force=True)
    held.wait_for(1)
    begin = page.get_by_role("button", name="Begin", exact=True)
    expect(begin).to_be_disabled()
    held.answer(0)
    begin.click()
    expect(page.locator(".title")).to_contain_text("Othello")


def test_a_review_that_was_left_can_be_begun_again(visit: Any) -> None:
    page = visit.open("/study?game=connect4&moves=4453")
    ready(page)
    held = Held(page, re.compile(r"/api/review\?"))
    page.get_by_role("tab", name="Review").click()
    page.get_by_role("button", name="Review this game").click()
    held.wait_for(1)
    page.get_by_role("link", name="Play", exact=True).click()
    ready(page, "play")
    page.get_by_role("link", name="Study").click()
    ready(page, "study")
    expect(page.get_by_role("button", name="Review this game")).to_be_visible()
