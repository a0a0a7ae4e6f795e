"""The general engine and its kernels: packed play, exact keys, budgets, threads, and the dominances."""

import csv
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random

import numba
import numpy as np
import pytest
from boards import DATA, LONG_DEAL, draw, sketch, small_rules
from command import check_plain_python

from solver.checking.naive import naive_verdict
from solver.checking.samples import small_position, turned
from solver.deals import DealId, deal_position, parse_deal
from solver.engine.general import play as moves
from solver.engine.general import position_search as general
from solver.engine.general import state as packing
from solver.engine.general.position_search import search
from solver.engine.result import ABORTED, LOST, OUT_OF_MEMORY, OUT_OF_NODES, WON
from solver.notation import parse_board
from solver.position import FOUNDATION, Position
from solver.referee import replay
from solver.rules import VARIANTS, Rules, rules_of

ENOUGH = {"max_nodes": 10**7, "max_memory": 1 << 28}
CITADEL = rules_of("citadel")


def ms(number: int, variant: str) -> tuple[Position, Rules]:
    rules = rules_of(variant)
    return deal_position(DealId("ms", number), rules), rules


def settled_small(seed: int) -> tuple[Position, Rules]:
    """A small position in which no card is due to go up by itself: what the kernels take."""
    position, rules = small_position(Random(seed))
    while position.uncovered is not None:
        position = position.apply(next(position.legal_moves(rules)), rules)
    return position, rules


# Packed play


def arrangement_of(state: np.ndarray) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """What a packed position says lies where, read from its hosts and riders."""
    piles: list[tuple[int, ...]] = [()] * int(state[packing.SPACES])
    for card in range(4 * (int(state[packing.KING]) + 1)):
        if state[packing.HOST + card] == packing.SPACE:
            pile = [card]
            while state[packing.RIDER + pile[-1]] != packing.NONE:
                pile.append(int(state[packing.RIDER + pile[-1]]))
            piles.append(tuple(pile))
    return tuple(map(int, state[packing.FOUND : packing.FOUND + 4])), tuple(sorted(piles))


def listed(state: np.ndarray) -> list[tuple[int, int]]:
    """The moves of a packed position, as pairs of card and place."""
    codes, values = np.zeros(moves.MOST_MOVES, np.int64), np.zeros(moves.MOST_MOVES, np.int64)
    count = moves.list_moves(state, packing.NONE, codes, values)
    assert list(values[:count]) == sorted(values[:count], reverse=True)
    return [(int(code & 63), int(code >> 6)) for code in codes[:count]]


def same_slots(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two packed positions agree in every slot that means something."""
    one, other = one.copy(), other.copy()
    for state in (one, other):
        state[packing.WEIGHT : packing.WEIGHT + packing.CARDS] = 0
        for card in range(packing.CARDS):
            if state[packing.HOST + card] == packing.FOUNDED:
                state[packing.LOWEST + card] = 0
    return bool(np.array_equal(one, other))


def test_packed_play_is_the_readable_play() -> None:
    trail = np.zeros(1000, np.int64)
    for seed in range(600):
        position, rules = settled_small(seed)
        if rules.unit == "supermove" and rules.auto_found == "never":
            rules = replace(rules, unit="card")  # the engine plays the single cards that make up a supermove
        state = packing.pack(position, rules)
        random = Random(seed)
        for _ in range(8):
            assert arrangement_of(state) == position.arrangement()[:2]
            assert same_slots(state, packing.pack(position, rules))
            if position.is_won():
                break
            expected = {}
            for move in position.legal_moves(rules):
                after = position.apply(move, rules)
                while after.uncovered is not None:
                    after = after.apply(next(after.legal_moves(rules)), rules)
                expected[after.arrangement()[:2]] = after
            reached = {}
            for card, place in listed(state):
                before = state.copy()
                # `play` adds safe foundings where none are forced, which are no part of the rules.
                played = moves.play if rules.auto_found == "uncovered" else moves.step
                length = played(state, trail, 0, card, place)
                reached[arrangement_of(state)] = (card, place)
                moves.take_back(state, trail, length, 0)
                assert same_slots(state, before)
            assert set(reached) == set(expected)
            if not reached:
                break
            arrangement = random.choice(sorted(reached))
            played(state, trail, 0, *reached[arrangement])
            position = expected[arrangement]


def perft(state: np.ndarray, depth: int, trail: np.ndarray) -> int:
    """The number of sequences of ``depth`` moves."""
    steps = listed(state)
    if depth == 1:
        return len(steps)
    count = 0
    for card, place in steps:
        moves.step(state, trail, 0, card, place)
        count += perft(state, depth - 1, trail[1:])
        moves.take_back(state, trail, 1, 0)
    return count


def test_perft() -> None:
    rows = list(csv.DictReader((DATA / "perft.csv").open()))
    assert rows
    for row in rows:
        if int(row["move_sequences"]) < 3000:
            rules = rules_of(row["variant"], {"withdrawal": "yes" if row["withdrawal"] == "1" else "no"})
            position = parse_board((DATA / "boards" / row["board"]).read_text(), rules)
            trail = np.zeros(100, np.int64)
            count = perft(packing.pack(position, rules), int(row["depth"]), trail)
            assert count == int(row["move_sequences"]), row


def test_the_worked_key() -> None:
    position = sketch("3H 2S", "2H 3S", founded="H-A C-3 D-3 S-A", ranks=3)
    state = packing.pack(position, small_rules(2))
    assert list(state[packing.KEY : packing.KEY + 3]) == [0o6666, 0o6046, 0o5466]


@numba.njit
def wander(state, rows, seed):  # type: ignore[no-untyped-def]
    """Fill rows with the places and the key of positions met on random games from one root."""
    np.random.seed(seed)
    trail = np.zeros(500, np.int64)
    codes, values = np.zeros(moves.MOST_MOVES, np.int64), np.zeros(moves.MOST_MOVES, np.int64)
    length = 0
    for row in range(rows.shape[0]):
        rows[row, : packing.CARDS] = state[packing.HOST : packing.HOST + packing.CARDS]
        rows[row, packing.CARDS :] = state[packing.KEY : packing.KEY + 3]
        count = moves.list_moves(state, packing.NONE, codes, values)
        if count == 0 or length == len(trail):
            moves.take_back(state, trail, length, 0)
            length = 0
        else:
            code = codes[np.random.randint(count)]
            length = moves.step(state, trail, length, code & 63, code >> 6)


def test_keys_are_equal_exactly_when_positions_are() -> None:
    """Case 7: a compressed key gave two different positions one code."""
    seen = 0
    for seed, (variant, deal, switches) in enumerate(
        [
            ("citadel", 12, {"withdrawal": "yes"}),
            ("penelopes-web", 12, {"unit": "sequence"}),
            ("bakers-dozen", 12, {"withdrawal": "yes"}),
            ("bakers-dozen", 617, {"withdrawal": "yes"}),
            ("portuguese-solitaire", 12, {"unit": "sequence"}),
            ("portuguese-solitaire", 617, {"unit": "sequence"}),
        ]
    ):
        rules = rules_of(variant, switches)
        state = packing.pack(deal_position(DealId("ms", deal), rules), rules)
        rows = np.zeros((400_000, packing.CARDS + 3), np.int64)
        wander(state, rows, seed)
        positions = np.ascontiguousarray(rows[:, : packing.CARDS].astype(np.int8)).view("V52").ravel()
        keys = np.ascontiguousarray(rows[:, packing.CARDS :])
        assert (keys[:, 0] != 0).all()  # marks an empty row in the table
        by_position, by_key = (
            np.unique(positions, return_inverse=True)[1],
            np.unique(keys.view("V24").ravel(), return_inverse=True)[1],
        )
        pairs = np.unique(by_position.astype(np.int64) << 32 | by_key)
        assert by_position.max() == by_key.max() == len(pairs) - 1
        seen += len(pairs)
    assert seen > 1_000_000


# Verdicts


@pytest.mark.parametrize("variant", VARIANTS)
def test_verdicts_of_another_solver(variant: str) -> None:
    rows = [row for row in csv.DictReader((DATA / "verdicts_ms_1_50.csv").open()) if row["variant"] == variant]
    check_verdicts(rows, max_nodes=50_000)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_verdicts_of_another_solver_with_a_large_budget(variant: str) -> None:
    rows = [row for row in csv.DictReader((DATA / "verdicts_ms_1_50.csv").open()) if row["variant"] == variant]
    check_verdicts(rows, max_nodes=4_000_000)


def check_verdicts(rows: list[dict[str, str]], max_nodes: int) -> None:
    for row in rows:
        rules = rules_of(row["variant"])
        position = deal_position(parse_deal(row["deal"]), rules)
        found = search(position, rules, max_nodes=max_nodes, max_memory=1 << 30)
        other = {"won": WON, "lost": LOST, "unknown": found.status}[row["verdict"]]
        assert found.status in (other, OUT_OF_NODES), row
        if found.status == WON:
            line = replay(position, rules, found.moves)
            assert line.wins, row
            assert not line.repeats, row


def test_citadel_deals_are_decided() -> None:
    statuses = [search(*ms(number, "citadel"), **ENOUGH).status for number in range(1, 101)]
    assert statuses.count(WON) + statuses.count(LOST) >= 97


def test_a_deal_that_another_solver_gives_up_can_be_won() -> None:
    assert search(*ms(67, "beleaguered-castle"), **ENOUGH).status == WON


def test_neither_pile_order_nor_suit_names_matter() -> None:
    """Case 2: a skipped move was valid only for some columns."""
    for seed in range(400):
        random = Random(seed)
        position, rules = small_position(random)
        other = search(turned(random, position), rules, **ENOUGH)
        assert other.status == search(position, rules, **ENOUGH).status, position


def test_the_same_search_gives_the_same_result() -> None:
    """Case 3: uninitialised memory."""
    deals = [ms(26, "citadel"), ms(67, "beleaguered-castle"), ms(3, "exiled-kings"), ms(24, "bakers-dozen")]
    once = [search(*deal, **ENOUGH) for deal in deals]
    for threads in (1, 4):
        with ThreadPoolExecutor(threads) as pool:
            again = list(pool.map(lambda deal: search(*deal, **ENOUGH), deals * 20))
        assert again == once * 20


def test_tiny_budgets_say_unknown() -> None:
    """Case 4: any unexpected status was reported as no solution."""
    for number, variant in ((26, "citadel"), (24, "citadel"), (5, "penelopes-web"), (24, "bakers-dozen")):
        position, rules = ms(number, variant)
        known = search(position, rules, **ENOUGH)
        for most in (0, 1, 2, 10, known.nodes - 1):
            cut = search(position, rules, max_nodes=most, max_memory=1 << 28)
            assert (cut.status, cut.nodes) == (OUT_OF_NODES, most)
        assert search(position, rules, max_nodes=known.nodes + 1, max_memory=1 << 28) == known
        for memory in (0, 1, 1000):
            assert search(position, rules, max_nodes=10**7, max_memory=memory).status == OUT_OF_MEMORY


def test_every_position_along_a_win_is_won() -> None:
    """Case 5: winnable only after the user made one move by hand."""
    games = [ms(24, "citadel"), ms(67, "beleaguered-castle"), ms(3, "exiled-kings")]
    games += [small_position(Random(seed)) for seed in range(150)]
    for position, rules in games:
        found = search(position, rules, **ENOUGH)
        for passed in replay(position, rules, found.moves).positions if found.status == WON else ():
            assert search(passed, rules, **ENOUGH).status == WON, passed


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FIRST_QUOTA", 1),  # many iterations that cut
        ("_COUNTERS", 1),  # all skeletons share one quota
        ("_FIRST_ROWS", 4),  # a table that grows all the time
        ("_FIRST_STACK", 1),  # stacks that grow all the time
        ("_SLICE", 1),  # kernels left and entered at every position
    ],
)
def test_cuts_and_growth_change_no_verdict(name: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 6: a limit together with a table of seen positions made a verdict wrong."""
    monkeypatch.setattr(general, name, value)
    for seed in range(300):
        position, rules = small_position(Random(seed))
        winnable = naive_verdict(position, rules, 500)
        if winnable is not None:
            found = search(position, rules, **ENOUGH)
            assert found.status == (WON if winnable else LOST), position
            assert replay(position, rules, found.moves).wins == winnable


def test_growth_changes_nothing_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = ms(26, "citadel")
    usual = search(*deal, **ENOUGH)
    monkeypatch.setattr(general, "_FIRST_ROWS", 4)
    monkeypatch.setattr(general, "_FIRST_STACK", 1)
    monkeypatch.setattr(general, "_SLICE", 7)
    assert search(*deal, **ENOUGH) == usual


def test_memory_budget_holds() -> None:
    position, rules = ms(12, "penelopes-web")
    search(position, rules, max_nodes=10, max_memory=1 << 24)  # compiled before it is measured
    tracemalloc.start()
    found = search(position, rules, max_nodes=10**7, max_memory=20_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.status == OUT_OF_MEMORY
    assert 10_000_000 < peak < 20_100_000


def test_abort() -> None:
    rules = rules_of("penelopes-web")
    position = deal_position(LONG_DEAL, rules)
    abort = np.ones(1, np.uint8)
    assert search(position, rules, max_nodes=10**7, max_memory=1 << 28, abort=abort).status == ABORTED
    abort[0] = 0
    timer = threading.Timer(0.2, abort.fill, [1])
    timer.start()
    found = search(position, rules, max_nodes=10**12, max_memory=1 << 33, abort=abort)
    timer.join()
    assert found.status == ABORTED
    assert found.nodes > 0


def test_won_and_stuck_boards() -> None:
    won = sketch(*[""] * 8, founded="H-K C-K D-K S-K")
    assert search(won, CITADEL, **ENOUGH).status == WON
    assert search(won, CITADEL, **ENOUGH).moves == ()
    stuck = sketch("AH 2H 2C", "AC 2D 2S", founded="D-A S-A", ranks=2)
    rules = small_rules(2)
    assert stuck.apply(next(stuck.legal_moves(rules)), rules)
    assert search(sketch("AH 2H", "AC 2C", founded="D-2 S-2", ranks=2), rules, **ENOUGH).status == LOST


def test_kernels_run_as_plain_python() -> None:
    check_plain_python("general.position_search", "small_position(Random(seed))")


# Dominances


def test_a_position_won_early_is_won() -> None:
    found = 0
    for seed in range(2000):
        position, rules = settled_small(seed)
        if moves.is_won_early(packing.pack(position, rules)) and not position.is_won():
            found += 1
            assert naive_verdict(position, rules, 10_000) in (True, None), position
    assert found > 20


def test_safe_foundings_change_no_verdict() -> None:
    found = {True: 0, False: 0}
    trail = np.zeros(200, np.int64)
    for seed in range(3000):
        position, rules = settled_small(seed)
        rules = replace(rules, auto_found="never")
        state = packing.pack(position, rules)
        length = moves.found_safe(state, trail, 0)
        before = naive_verdict(position, rules, 500)
        if length and before is not None:
            foundations, piles = arrangement_of(state)
            hearts, clubs, diamonds, spades = foundations
            after = Position((hearts, clubs, diamonds, spades), piles, position.ranks)
            assert naive_verdict(after, rules, 10_000) == before, position
            found[before] += 1
    assert min(found.values()) > 100


def test_no_founding_is_safe_where_uncovered_cards_go_up_by_themselves() -> None:
    """2C up uncovers 3C, which must follow; then nothing holds 2D. It must wait on 3S."""
    rules = small_rules(4, spaces="none", auto_found="uncovered")
    board = """
        Foundations: H-2 C-A S-2
        3D AD 2D 3S
        3H 3C 2C
        :
        :
        """
    position = draw(board, rules, ranks=3)
    assert search(position, rules, **ENOUGH).status == WON
    up = next(move for move in position.legal_moves(rules) if move.target == FOUNDATION and move.source == 1)
    assert search(position.apply(up, rules), rules, **ENOUGH).status == LOST


def test_a_founding_that_is_safe_in_freecell() -> None:
    """Both red foundations hold their 3, but 2C, of 3S's own colour, still needs 3S."""
    rules = small_rules(3, spaces="kings")
    board = """
        Foundations: H-3 D-3 S-2
        3C AC 2C
        3S
        """
    position = draw(board, rules, ranks=3)
    assert search(position, rules, **ENOUGH).status == WON
    up = next(move for move in position.legal_moves(rules) if move.target == FOUNDATION)
    assert search(position.apply(up, rules), rules, **ENOUGH).status == LOST
