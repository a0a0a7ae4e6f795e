"""Many deals at a time, against one at a time; and the compiled referee against the plain one."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import solver
from solver import InputError, Move
from solver.batch import moves_of, packed_line
from solver.checking.samples import RULE_SETS, small_position
from solver.deals import DealId, deal_position
from solver.engine.dealing.compiled_deals import EMPTY
from solver.engine.replaying.compiled_replay import game_of, is_won, new_table, play_line
from solver.position import FOUNDATION, Position
from solver.referee import replay
from solver.rules import Rules, rules_of
from solver.shuffles import shuffled_deck


@pytest.mark.parametrize("variant", ["citadel", "exiled-kings", "streets-and-alleys", "bakers-dozen"])
def test_many_deals_come_to_the_same_as_one_by_one(variant: str) -> None:
    solved = solver.solve_many("ms:1-40", variant, max_nodes=3000, solutions=True)
    for index, number in enumerate(range(1, 41)):
        position = solver.deal(f"ms:{number}", variant)
        alone = solver.solve(position, variant, max_nodes=3000)
        assert solved.deal[index] == f"ms:{number}"
        assert (solved.verdict[index], solved.nodes[index]) == (alone.verdict, alone.nodes)
        assert solved.why_unknown[index] == (alone.why_unknown or "")
        assert solved.skeletons[index] == alone.trace["skeletons"]
        assert solved.solution(index) == alone.moves
        assert solved.moves[index] == len(alone.moves or ())


def test_rule_sets_of_the_general_engine_are_searched_too() -> None:
    rules = rules_of("citadel", {"withdrawal": "yes", "auto-found": "uncovered"})
    solved = solver.solve_many("ms:1-10", rules, max_nodes=20_000, solutions=True)
    assert solved.node_unit == "position"
    for index, number in enumerate(range(1, 11)):
        alone = solver.solve(solver.deal(f"ms:{number}", rules), rules, max_nodes=20_000)
        assert (solved.verdict[index], solved.nodes[index]) == (alone.verdict, alone.nodes)
        assert solved.solution(index) == alone.moves


def test_threads_change_nothing() -> None:
    one = solver.solve_many("ms:1-150", "exiled-kings", max_nodes=1000, solutions=True)
    four = solver.solve_many("ms:1-150", "exiled-kings", max_nodes=1000, solutions=True, threads=4)
    for name, column in one.columns().items():
        if name != "seconds":
            assert (column == four.columns()[name]).all(), name
    assert [one.solution(index) for index in range(150)] == [four.solution(index) for index in range(150)]


def test_decks_are_dealt_as_the_shuffles_are() -> None:
    decks = np.array([shuffled_deck("ms", number) for number in range(1, 101)])
    by_deck = solver.solve_many(decks, "citadel")
    by_name = solver.solve_many("ms:1-100", "citadel")
    assert (by_deck.verdict == by_name.verdict).all()
    assert (by_deck.nodes == by_name.nodes).all()
    assert (by_deck.skimmed == by_name.skimmed).all()
    assert by_deck.deal[0] == "1"


@pytest.mark.parametrize(
    ("decks", "problem"),
    [
        (np.zeros((3, 51), int), "deals must be an array of integers (n, 52), not int64 (3, 51)"),
        (np.zeros((3, 52)), "deals must be an array of integers (n, 52), not float64 (3, 52)"),
        (
            np.array([range(52), [*range(51), 5]]),
            "deck 2 must have every card from 0 to 51 once; 51 is missing",
        ),
        (5, "deals must be a range, a list of deals or an array of decks, not int"),
        ("ms:0", None),
        (["ms:1", "nonsense"], None),
    ],
)
def test_what_names_no_deals_is_refused(decks: object, problem: str | None) -> None:
    with pytest.raises(InputError) as refused:
        solver.solve_many(decks, "citadel")  # type: ignore[arg-type]
    if problem is not None:
        assert str(refused.value) == problem


def test_a_list_of_deals_keeps_its_order() -> None:
    solved = solver.solve_many(["ms:26", "ms:24", 24], "citadel")
    assert solved.deal.tolist() == ["ms:26", "ms:24", "pysol:24"]
    assert solved.verdict.tolist() == ["lost", "won", "won"]


def test_no_deals_come_to_empty_columns() -> None:
    solved = solver.solve_many([], "citadel", solutions=True)
    assert len(solved) == 0
    assert all(len(column) == 0 for column in solved.columns().values())


def test_solutions_are_kept_only_when_asked_for() -> None:
    solved = solver.solve_many("ms:24", "citadel")
    with pytest.raises(InputError, match="solutions=True"):
        solved.solution(0)


def test_arrow_has_nulls_where_there_is_nothing() -> None:
    rows = solver.solve_many("ms:24-25", "citadel").to_arrow().to_pylist()
    assert [(row["verdict"], row["moves"] is None, row["why_unknown"]) for row in rows] == [
        ("won", False, None),
        ("lost", True, None),
    ]


def test_progress_is_told_and_an_abort_leaves_the_rest_interrupted() -> None:
    told: list[tuple[int, int]] = []
    solver.solve_many("ms:1-100", "citadel", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (100, 100)
    aborted = solver.solve_many("ms:1-100", "citadel", abort=np.ones(1, np.uint8))
    assert set(aborted.why_unknown) == {"interrupted"}


def compiled_replay(position: Position, rules: Rules, moves: list[Move]) -> tuple[int, bool]:
    """How many moves the compiled referee plays, and whether they win."""
    piles, heights = np.full((13, 52), EMPTY, np.int8), np.zeros(13, np.int8)
    for number, pile in enumerate(position.piles):
        piles[number, : len(pile)] = pile
        heights[number] = len(pile)
    game, table = game_of(rules, position.ranks), new_table()
    line = packed_line(moves)
    founded = np.array(position.foundations, np.int8)
    played = play_line(piles, heights, founded, game, line, 0, len(line), table)
    return int(played), played == len(moves) and bool(is_won(game, table))


def agree(position: Position, rules: Rules, moves: list[Move]) -> bool:
    """Both referees come to the same; whether the line wins."""
    plain = replay(position, rules, moves)
    assert compiled_replay(position, rules, moves) == (plain.played, plain.wins), (position, rules, moves)
    return plain.wins


def broken(random: Random, moves: list[Move], cards: int, piles: int) -> list[Move]:
    """A line with one thing wrong with it: a move less, another card, another place, two moves exchanged."""
    moves = list(moves)
    at = random.randrange(len(moves))
    card, source, target = moves[at]
    match random.randrange(5):
        case 0:
            del moves[at]
        case 1:
            moves[at] = Move(random.randrange(cards), source, target)
        case 2:
            moves[at] = Move(card, source, random.randrange(-1, piles))
        case 3:
            moves[at] = Move(card, random.randrange(-1, piles), target)
        case 4:
            other = random.randrange(len(moves))
            moves[at], moves[other] = moves[other], moves[at]
    return moves


def walk(random: Random, position: Position, rules: Rules, most: int) -> list[Move]:
    """Legal moves at random."""
    moves: list[Move] = []
    while len(moves) < most:
        legal = list(position.legal_moves(rules))
        if not legal:
            break
        moves.append(random.choice(legal))
        position = position.apply(moves[-1], rules)
    return moves


@pytest.mark.parametrize("count", [3000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_the_compiled_referee_agrees_with_the_plain_one_on_walks(count: int) -> None:
    """Of every rule set, on small boards: walks at random, and each once more with one thing wrong."""
    random = Random(7)
    for _ in range(count):
        position, rules = small_position(random)
        position = replace(position, uncovered=None)  # as a deal or a board that is read begins
        moves = walk(random, position, rules, 30)
        agree(position, rules, moves)
        if moves:
            agree(position, rules, broken(random, moves, 4 * position.ranks, rules.piles + 1))


@pytest.mark.parametrize("last", [150, pytest.param(100_000, marks=pytest.mark.slow)])
def test_the_compiled_referee_agrees_with_the_plain_one_on_wins(last: int) -> None:
    random = Random(8)
    rules = rules_of("citadel")
    won = 0
    for first in range(1, last + 1, 1000):
        deals = f"ms:{first}-{min(first + 999, last)}"
        solved = solver.solve_many(deals, rules, solutions=True)
        for index, name in enumerate(solved.deal):
            moves = list(solved.solution(index) or ())
            if moves:
                position = deal_position(DealId("ms", int(name[3:])), rules)
                assert agree(position, rules, moves)
                assert not agree(position, rules, moves[:-1])
                agree(position, rules, broken(random, moves, 52, 9))
                won += 1
    assert won > last // 2


def test_every_rule_set_is_walked() -> None:
    random = Random(7)
    assert {(rules.spaces, rules.unit) for _, rules in (small_position(random) for _ in range(200))} == {
        (rules["spaces"], rules["unit"]) for rules in RULE_SETS
    }


def test_packed_moves_are_what_they_were() -> None:
    moves = (Move(51, 12, FOUNDATION), Move(0, FOUNDATION, 3), Move(7, 0, 12))
    assert moves_of(packed_line(moves)) == moves
