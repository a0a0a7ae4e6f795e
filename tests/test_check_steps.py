"""The steps that the checker of certificates makes, held against plain moves, the naive twin and the engine."""

from random import Random

from boards import draw, small_rules
from desk import Desk
from naive_classes import few_games, levels_of

from solver.deals import deal_position, parse_deal
from solver.position import Position
from solver.referee.classes import ClassGame
from solver.referee.table import Board, cards_in, hosts_of
from solver.rules import VARIANTS


def results(text: str, spaces: str, piles: int, ranks: int, step: str) -> int:
    """The number of classes that a step leads to."""
    rules = small_rules(piles, spaces=spaces)
    board = draw(text, rules, ranks=ranks)
    classes = ClassGame(Board(board, rules), 0)
    (outcomes,) = (found for name, found in classes.steps(classes.levels(hosts_of(board))) if name == step)
    return len({outcome.key for outcome in outcomes})


def test_commits_spread_upwards() -> None:
    """Board D of docs/search.md: a tower of two on one of two 4s, on one of three 5s."""
    board = "Foundations: H-2 C-2 D-5\n4C 3H AS 5H\n5S 4S\n5C 4H 3S 2S\n3C\n"
    assert results(board, "kings", 4, 5, "3C founded") == 6


def test_a_host_that_the_step_uncovers_is_no_place_for_a_commit() -> None:
    """Board D with another last pile: 5D holds a 4 afterwards, not before."""
    board = "Foundations: H-2 C-2 D-4\n4C 3H AS 5H\n5S 4S\n5C 4H 3S 2S\n5D 3C\n"
    assert results(board, "kings", 4, 5, "3C founded") == 6


def test_whether_a_space_is_left_decides_what_is_committed() -> None:
    """Board E: with 3S at the bottom the 4s are committed as well."""
    board = "Foundations: H-2 C-2 D-5\n5H 4H\n5C 4C\n5S 3H AS 4S 3C\n3S 2S\n"
    assert results(board, "any", 4, 5, "3C founded") == 9


def test_steps_lead_exactly_where_moves_lead() -> None:
    """From the positions of each class, plain moves reach the same classes as the checker's steps: none is missing."""
    for game in few_games():
        if game.rules.unit == "supermove":
            continue  # one such move can be several steps
        classes = ClassGame(Board(game.position, game.rules), 0)
        founded_and_piles = {state: (state[0], state[1]) for state in game.graph}
        nodes = {
            state: classes.levels(hosts_of(Position((*founded,), piles, game.ranks)))  # type: ignore[arg-type]
            for state, (founded, piles) in founded_and_piles.items()
        }
        moves: dict[bytes, set[bytes]] = {node.key: set() for node in nodes.values()}
        for state, after in game.graph.items():
            moves[nodes[state].key] |= {nodes[other].key for other in after}
        for node in {node.key: node for node in nodes.values()}.values():
            steps = {result.key for _, results in classes.steps(node) for result in results}
            assert steps - {node.key} == moves[node.key] - {node.key}, (game, node)


def test_levels_are_those_of_the_naive_twin() -> None:
    for game in few_games()[:80]:
        for rung in (0, 2):
            classes = ClassGame(Board(game.position, game.rules), rung)
            for state in [*game.graph][:100]:
                node = classes.levels(hosts_of(Position((*state[0],), state[1], game.ranks)))  # type: ignore[arg-type]
                twin = levels_of(state, game.rules, game.ranks, rung)
                assert {*cards_in(node.accessible)} == twin.accessible
                assert {*cards_in(node.floats)} == twin.floats
                assert {*cards_in(node.holders)} == twin.hosts
                assert ({*cards_in(node.fluid)}, {*cards_in(node.free)}) == (twin.fluid, twin.free)
                assert node.spare == twin.spare


def test_steps_are_those_of_the_engine() -> None:
    """On random walks through whole deals, on all rungs: two programs, written apart, with the same results."""
    random, results = Random(3), 0
    for _ in range(60):
        rules = VARIANTS[random.choice(sorted(VARIANTS))]
        start = deal_position(parse_deal(f"ms:{random.randint(1, 10**6)}"), rules)
        rung = random.choice((0, 0, 3, 8, 9, 10, 11, 13))
        desk, classes = Desk(start, rules), ClassGame(Board(start, rules), rung)
        node = classes.levels(hosts_of(start))
        ((key, settling),) = desk.classes([desk.root_key], rung)
        for _ in range(40):
            assert any(True for _ in classes.safe_foundings(node)) == (settling >= 0)
            ours = {result.key: result for _, outcomes in classes.steps(node) for result in outcomes}
            theirs = {}
            for after, _skeleton in desk.steps(key, settling=False, rung=rung):
                founded, piles, _due = desk.state_of(after)
                theirs[bytes(hosts_of(Position((*founded,), piles)))] = after  # type: ignore[arg-type]
            assert ours.keys() == theirs.keys(), (rules.variant, start, rung)
            results += len(ours)
            if not ours:
                break
            chosen = random.choice(sorted(ours))
            node, key = ours[chosen], theirs[chosen]
            ((_, settling),) = desk.classes([key], rung)
    assert results > 3000
