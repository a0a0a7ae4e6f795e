"""What a player is told of a position."""

import numpy as np
import pytest
from boards import draw, small_rules
from command import use_engine

import solver
from solver.analysis import Analysis, analyze
from solver.engine.result import LOST, OUT_OF_NODES, SearchResult
from solver.errors import InputError
from solver.notation import move_text
from solver.position import Position
from solver.rules import Rules, rules_of
from solver.solving import Verdict, deal, solve

CITADEL = rules_of("citadel")
NEARLY_WON = "Foundations: H-K C-K D-K S-J\nKS QS\n"


def by_text(analysis: Analysis) -> dict[str, str]:
    """The verdict of each move by its text."""
    return {move_text(one.move): one.verdict.value for one in analysis.moves}


def test_each_move_has_the_verdict_of_what_it_leads_to() -> None:
    position = deal("ms:24", "citadel")
    analysis = analyze(position, "citadel")
    starts = [position, *(position.apply(one.move, CITADEL) for one in analysis.moves)]
    assert analysis.nodes == sum(solve(start, CITADEL).nodes for start in starts)
    assert [one.move for one in analysis.moves] == list(position.legal_moves(CITADEL))
    for one in analysis.moves:
        after = solve(position.apply(one.move, CITADEL), CITADEL, engine="general")
        assert one.verdict is after.verdict
    assert analysis.verdict is Verdict.WON
    assert analysis.hint in [one.move for one in analysis.moves if one.moves_to_win == analysis.moves_to_win]
    assert solve(position.apply(analysis.hint, CITADEL), CITADEL).verdict is Verdict.WON


def test_a_move_that_loses_a_won_position() -> None:
    """The Queen on the King of Spades shuts the Ten in for good."""
    rules = rules_of("citadel", {"spaces": "none"})
    analysis = analyze(draw("Foundations: H-K C-K D-9 S-Q\nKD JD\nTD KS\nQD\n", rules), rules)
    assert by_text(analysis) == {"JD 1 3": "won", "KS 2 F": "won", "QD 3 2": "lost"}
    assert [move_text(move) for move in analysis.losing_moves] == ["QD 3 2"]
    assert analysis.hint is not None
    assert move_text(analysis.hint) == "KS 2 F"


def test_a_hint_keeps_the_win_to_the_end() -> None:
    rules = rules_of("citadel")
    position = deal("ms:24", rules)
    moves = solve(position, rules).moves
    assert moves is not None
    for move in moves[:-12]:
        position = position.apply(move, rules)
    for left in range(12, 0, -1):
        analysis = analyze(position, rules)
        assert analysis.moves_to_win is not None
        assert analysis.moves_to_win <= left
        assert analysis.hint is not None
        position = position.apply(analysis.hint, rules)
    assert position.is_won()


def test_a_won_board_needs_no_hint() -> None:
    analysis = analyze(Position((13, 13, 13, 13), ()), CITADEL)
    assert (analysis.verdict, analysis.moves, analysis.hint, analysis.moves_to_win) == (Verdict.WON, (), None, 0)
    assert not analysis.is_stuck


def test_a_stuck_position() -> None:
    rules = small_rules(1)
    analysis = analyze(draw("Foundations: H-3 C-3 D-3\nAS 2S 3S\n", rules, ranks=3), rules)
    assert (analysis.is_dead, analysis.is_stuck, analysis.moves, analysis.hint) == (True, True, (), None)


def test_dead_but_not_stuck() -> None:
    rules = small_rules(2)
    analysis = analyze(draw("Foundations: H-3 C-3 D-3\nAS 3S 2S\n", rules, ranks=3), rules)
    assert (analysis.is_dead, analysis.is_stuck, analysis.hint) == (True, False, None)
    assert [one.verdict for one in analysis.moves] == [Verdict.LOST]


def test_plays_itself_out() -> None:
    assert analyze(draw(NEARLY_WON, CITADEL), CITADEL).plays_itself_out
    assert not analyze(draw(NEARLY_WON.replace("KS QS", "QS KS"), CITADEL), CITADEL).plays_itself_out
    assert analyze(draw("Foundations: H-K C-K D-Q S-J\nKS QS\nKD\n", CITADEL), CITADEL).plays_itself_out
    assert analyze(draw("Foundations: H-K C-K D-Q S-Q\nKS KD\n", CITADEL), CITADEL).plays_itself_out


def test_several_empty_piles_are_one_target() -> None:
    analysis = analyze(draw(NEARLY_WON, CITADEL), CITADEL)
    assert sorted(by_text(analysis)) == ["QS 1 2", "QS 1 F"]
    assert move_text(analysis.hint) == "QS 1 F"
    assert analysis.moves_to_win == 2


def test_unknown_is_kept_apart() -> None:
    analysis = analyze(deal("ms:24", "citadel"), "citadel", max_nodes=1)
    assert analysis.verdict is Verdict.UNKNOWN
    assert analysis.hint is None
    assert not analysis.is_dead
    assert {one.why_unknown for one in analysis.moves if one.verdict is Verdict.UNKNOWN} == {"nodes"}


def test_the_verdicts_of_all_moves_make_the_position_s(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search from the position has given up, but after each of its moves all is lost."""
    position = draw("Foundations: H-K C-K D-K S-T\nQS JS KS\n", CITADEL)

    def search(start: Position, *_: object, **__: object) -> SearchResult:
        return SearchResult(OUT_OF_NODES if start == position else LOST, 1)

    use_engine(monkeypatch, search)
    position = solver.position.padded(position, CITADEL)
    analysis = analyze(position, CITADEL)
    assert analysis.outcome.verdict is Verdict.UNKNOWN
    assert (analysis.verdict, analysis.is_dead) == (Verdict.LOST, True)


@pytest.mark.parametrize("switches", [{"unit": "sequence"}, {"withdrawal": "yes"}, {"auto-found": "uncovered"}])
def test_every_rule_set(switches: dict[str, str]) -> None:
    rules = rules_of("citadel", switches)
    position = deal("ms:24", rules)
    analysis = analyze(position, rules)
    assert analysis.outcome.engine == "general"
    assert analysis.verdict is Verdict.WON
    assert [one.move for one in analysis.moves] == list(position.legal_moves(rules))


def test_an_engine_can_be_chosen() -> None:
    assert analyze(draw(NEARLY_WON, CITADEL), CITADEL, engine="general").outcome.engine == "general"
    with pytest.raises(InputError):
        analyze(draw(NEARLY_WON, CITADEL), rules_of("citadel", {"unit": "sequence"}), engine="quota")


def test_abort() -> None:
    rules: Rules = rules_of("penelopes-web")
    analysis = analyze(deal("ms:38", rules), rules, abort=np.ones(1, np.uint8))
    assert analysis.outcome.why_unknown == "interrupted"
