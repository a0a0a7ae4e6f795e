"""Shorter wins: for every rule set they win, are no longer, and repeat no position."""

from random import Random

import numpy as np
import pytest
from boards import draw, small_rules

from solver.checking.samples import small_position
from solver.engine.general import position_search as general
from solver.engine.general.polish import polish, shortest_nearby
from solver.engine.general.state import FOUNDED, SPACE, pack
from solver.engine.result import WON
from solver.notation import parse_moves
from solver.position import Move, Position
from solver.referee import replay
from solver.rules import Rules, rules_of
from solver.solving import deal


def wander(position: Position, rules: Rules, random: Random, moves: int) -> tuple[Position, tuple[Move, ...]]:
    """Moves made without a thought, and where they lead."""
    made: list[Move] = []
    while len(made) < moves and (legal := list(position.legal_moves(rules))):
        made.append(random.choice(legal))
        position = position.apply(made[-1], rules)
    return position, tuple(made)


def test_a_detour_is_cut() -> None:
    """2S has gone to the other pile and come back, for nothing; 3S needs to move only once."""
    rules = small_rules(3)
    position = draw("Foundations: H-3 C-3 D-3\nAS 2S 3S\n", rules, ranks=3)
    moves = tuple(parse_moves("3S 1 2\n2S 1 3\n2S 3 2\n2S 2 3\nAS 1 F\n2S 3 F\n3S 2 F"))
    assert replay(position, rules, moves).wins
    assert len(polish(position, rules, moves)) == 5


def test_the_cut_alone_leaves_out_loops() -> None:
    rules = small_rules(3)
    root = pack(draw("Foundations: H-3 C-3 D-3\nAS 2S 3S\n:\n:\n", rules, ranks=3), rules)
    ace, two, three = 3, 7, 11
    line = [(three, SPACE), (two, SPACE), (two, three), (two, SPACE), (ace, FOUNDED), (two, FOUNDED), (three, FOUNDED)]
    shorter = shortest_nearby(root, np.array(line, np.int64), 0)
    assert [tuple(step) for step in shorter.tolist()] == [line[0], line[1], *line[4:]]


@pytest.mark.parametrize("block", range(4))
def test_small_wins_of_every_rule_set(block: int) -> None:
    wins = 0
    for seed in range(50 * block, 50 * block + 50):
        random = Random(seed)
        start, rules = small_position(random)
        position, astray = wander(start, rules, random, 12)
        result = general.search(position, rules, max_nodes=10**5, max_memory=1 << 26)
        if result.status == WON:
            moves = (*astray, *result.moves)
            shorter = polish(start, rules, moves)
            assert len(shorter) <= len(moves)
            game = replay(start, rules, shorter)
            assert game.wins
            arrangements = [at.arrangement() for at in game.positions]
            assert len(set(arrangements)) == len(arrangements)
            wins += 1
    assert wins > 10


@pytest.mark.parametrize(
    "switches", [{}, {"unit": "sequence"}, {"withdrawal": "yes"}, {"auto-found": "uncovered"}, {"spaces": "kings"}]
)
def test_wins_of_deals(switches: dict[str, str]) -> None:
    rules = rules_of("citadel", switches)
    position = deal("ms:24", rules)
    result = general.search(position, rules, max_nodes=10**6, max_memory=1 << 28)
    assert result.status == WON
    shorter = polish(position, rules, result.moves)
    assert len(shorter) < len(result.moves)
    assert replay(position, rules, shorter).wins


def test_same_every_time_and_after_an_abort_as_it_was() -> None:
    rules = rules_of("citadel")
    position = deal("ms:24", rules)
    moves = general.search(position, rules, max_nodes=10**6, max_memory=1 << 28).moves
    assert polish(position, rules, moves) == polish(position, rules, moves)
    assert polish(position, rules, moves, np.ones(1, np.uint8)) == moves


def test_case_11_no_endless_wins() -> None:
    """With withdrawals the search wins this deal after a line many times as long as what is printed."""
    rules = rules_of("penelopes-web", {"withdrawal": "yes"})
    position = deal("ms:38", rules)
    result = general.search(position, rules, max_nodes=10**7, max_memory=1 << 28)
    assert result.trace["winning line"] > 5 * len(result.moves)
    assert result.trace["winning line"] - result.trace["moves saved"] == len(result.moves)
    assert replay(position, rules, result.moves).wins
