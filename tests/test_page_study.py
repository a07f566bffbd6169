"""Positions and games studied on the page, in a real browser against a real server."""

import json
import re
from typing import Any

import pytest
from page_browser import Held, cell, expect, needs_chromium, ready, serious_findings, visiting

pytestmark = needs_chromium

UNKNOWN = {"action": 0, "visits": 10, "share": 0.1, "value": 0.0, "win_probability": 0.5, "prior": 0.1, "exact": None}


def studied(visit: Any, query: str) -> Any:
    """The page, with this game on its board."""
    page = visit.open(f"/study?{query}")
    ready(page)
    return page


def tab(page: Any, name: str) -> None:
    page.get_by_role("tab", name=name).click()
    expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")


def opinion_of(moves: str, simulations: int) -> str:
    """A stream that breaks off after one opinion; the page opens it again."""
    listed = [
        {"move": move, "column": int(move) - 1, "source": None, "target": None, "line": [move], **UNKNOWN} for move in moves
    ]
    told = {"turn": 0, "win_probability": 0.5, "simulations": simulations, "seconds": 1.0, "remarks": [], "final": False}
    return f"retry: 100\nevent: analysis\ndata: {json.dumps({**told, 'moves': listed})}\n\n"


def test_opinion_is_on_the_board_and_its_line_on_hover(visit: Any) -> None:
    page = studied(visit, "game=connect4&moves=44")
    rows = page.locator(".opinions tbody tr")
    expect(rows).to_have_count(7)
    expect(page.locator(".opinion-number").first).to_be_visible()
    expect(page.locator(".expected-line")).to_have_text(re.compile(r"^Expected: \w"))
    rows.nth(1).hover()
    expect(page.locator(".line-number").first).to_have_text("1")
    page.locator("h1").hover()
    expect(page.locator(".line-number")).to_have_count(0)


def test_row_of_a_move_stays_while_its_numbers_change(visit: Any) -> None:
    opinions = [opinion_of("435", 100)]
    streamed = {"content_type": "text/event-stream"}
    visit.page.route(re.compile("/api/analysis"), lambda route: route.fulfill(body=opinions[-1], **streamed))
    page = studied(visit, "game=connect4&moves=44")
    moves = page.locator(".opinions .move")
    expect(moves).to_have_text(["4", "3", "5"])
    moves.nth(1).focus()
    opinions.append(opinion_of("534", 2000))
    expect(page.locator(".opinion-panel .remark")).to_contain_text("2,000 simulations")
    expect(moves.nth(1)).to_be_focused()
    expect(moves).to_have_text(["4", "3", "5"])
    page.locator("h1").click()
    expect(moves).to_have_text(["5", "3", "4"])


def test_nothing_can_be_pressed_before_its_game_is_there(visit: Any) -> None:
    held = Held(visit.page, re.compile(r"/api/position\?"))
    page = visit.open("/study?game=tictactoe&moves=a1 b2 c3")
    held.wait_for(1)
    expect(page.locator(".study")).to_have_attribute("inert", "")
    held.answer(0)
    ready(page)


def test_exact_results_stand_on_the_columns(visit: Any) -> None:
    page = studied(visit, "game=connect4:rows=4,columns=5&moves=33")
    expect(page.locator(".exact-number")).to_have_count(5)
    expect(page.locator(".proven")).to_have_count(5)
    page.get_by_role("button", name="Exact").click()
    expect(page.locator(".exact-number")).to_have_count(0)


def test_raw_policy_is_a_layer_of_its_own(visit: Any) -> None:
    page = studied(visit, "game=connect4&moves=44")
    expect(page.locator(".opinion-number").first).to_be_visible()
    expect(page.locator(".heat")).to_have_count(0)
    page.get_by_role("button", name="Policy").click()
    expect(page.locator(".heat")).to_have_count(7)
    page.get_by_role("button", name="Opinion", exact=True).click()
    expect(page.locator(".opinion-number")).to_have_count(0)
    expect(page.locator(".heat-number").first).to_have_text(re.compile("%"))


def test_graph_and_list_lead_to_earlier_positions(visit: Any) -> None:
    page = studied(visit, "game=connect4&moves=4453")
    page.get_by_role("button", name="Move 2, 4").click()
    expect(page.locator(".pieces .piece")).to_have_count(2)
    expect(page).to_have_url(re.compile("moves=4453&ply=2"))
    graph = page.locator(".value-graph input")
    graph.click(position={"x": 3, "y": 20})
    expect(page.locator(".pieces .piece")).to_have_count(0)
    page.reload()
    ready(page)
    expect(page.locator(".moves button")).to_have_count(4)
    expect(page.locator(".pieces .piece")).to_have_count(0)


def test_review_judges_and_lets_one_try_again_before_the_answer_is_shown(visit: Any) -> None:
    page = studied(visit, "game=tictactoe&moves=a1 a2 b2 c1 c3")
    tab(page, "Review")
    page.get_by_role("button", name="Review this game").click()
    expect(page.locator(".review-table .accuracy td")).to_have_count(2)
    page.get_by_role("button", name="Next mistake").click()
    body = page.locator(".review-body")
    expect(body).to_contain_text("O played")
    expect(body).not_to_contain_text("Best was")
    expect(page.locator(".opinion-number")).to_have_count(0)
    expect(page.locator(".pieces .piece")).to_have_count(1)  # before its first mistake
    page.locator('.cells button[aria-disabled="false"]').last.click()
    expect(page.locator(".judged")).to_have_text(re.compile("is right|is better|is no better"))
    expect(page.locator(".pieces .piece")).to_have_count(1)
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator(".judged")).to_have_text(re.compile("Best was"))
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".review-table")).to_be_visible()


def test_review_of_a_single_move_says_nothing_of_who_did_not_move(visit: Any) -> None:
    page = studied(visit, "game=tictactoe&moves=b2")
    tab(page, "Review")
    page.get_by_role("button", name="Review this game").click()
    expect(page.locator(".review-table .accuracy td")).to_have_text([re.compile("[0-9]"), "–"])


def test_player_that_counts_no_simulations_tells_none(visit: Any) -> None:
    page = studied(visit, "game=tictactoe&moves=b2")
    page.get_by_label("Thinks").select_option("minimax")
    expect(page.get_by_label("Thinks")).to_have_value("minimax")
    expect(page.locator(".opinion-panel .remark")).to_have_text(re.compile(r"^[0-9.]+ s; depth"))


def test_moves_are_pasted_and_bad_ones_are_refused_with_a_sentence(browser: Any) -> None:
    with visiting(browser, forgiven="400") as visit:
        page = studied(visit, "game=othello")
        tab(page, "Position")
        page.get_by_role("textbox", name="Moves").fill("D3, c5 e6")
        page.get_by_role("button", name="Use moves").click()
        expect(page.locator(".moves button")).to_have_text(["d3", "c5", "e6"])
        page.get_by_role("textbox", name="Moves").fill("a1")
        page.get_by_role("button", name="Use moves").click()
        expect(page.locator("#notice")).to_contain_text("illegal")


def test_moves_are_copied(visit: Any) -> None:
    visit.page.add_init_script("navigator.clipboard.writeText = async (text) => { window.copied = text; };")
    page = studied(visit, "game=othello&moves=d3 c5")
    tab(page, "Position")
    page.get_by_role("button", name="Copy moves").click()
    expect(page.locator("#notice")).to_have_text("The moves are copied.")
    assert page.evaluate("window.copied") == "d3 c5"


def test_position_is_set_up_by_hand(visit: Any) -> None:
    page = studied(visit, "game=gomoku:size=9")
    tab(page, "Position")
    page.get_by_role("button", name="Set up").click()
    page.get_by_role("radio", name="black stone").check()
    cell(page, 40).click()
    page.get_by_role("radio", name="white stone").check()
    cell(page, 41).click()
    expect(page.locator(".pieces .piece")).to_have_count(2)
    page.get_by_role("button", name="Use it").click()
    expect(page).to_have_url(re.compile("start="))
    expect(page.locator(".pieces .piece")).to_have_count(2)


def test_game_is_saved_to_the_log_and_opened_again(visit: Any) -> None:
    page = studied(visit, "game=tictactoe&moves=a1 b2 c3")
    tab(page, "Position")
    page.get_by_role("button", name="Save to log").click()
    expect(page.locator("#notice")).to_contain_text("saved")
    page = studied(visit, "game=connect4")
    tab(page, "Position")
    page.get_by_role("button", name="Open log").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.locator(".log button", has_text="X – O").first.click()
    expect(page.locator(".moves button")).to_have_text(["a1", "b2", "c3"])


@pytest.mark.parametrize("game", ["connect4&moves=4", "othello:size=6"])
def test_search_tree_opens_branch_by_branch(visit: Any, game: str) -> None:
    page = studied(visit, f"game={game}")
    tab(page, "Tree")
    page.get_by_role("button", name="Grow a tree").click()
    branch = page.locator(".branch").first
    branch.locator("summary").first.click()
    expect(branch.locator(".branches").first).to_be_visible()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_study_has_no_serious_accessibility_findings(browser: Any, colours: str) -> None:
    with visiting(browser, color_scheme=colours) as visit:
        page = studied(visit, "game=connect4&moves=4453")
        expect(page.locator(".opinions tbody tr").first).to_be_visible()
        for name in ("Opinion", "Review", "Tree", "Position"):
            tab(page, name)
            assert serious_findings(page) == []
