"""The packed board of the quota search: the example in its docstring, value by value, and the records that hold it."""

import importlib
import pkgutil
import re

import numpy as np
import pytest
from boards import card, cards, draw, small_rules
from desk import members

import solver.engine
from solver.cards import card_text
from solver.engine.classes import board as packed
from solver.engine.classes.board import BOARD, FOUNDED, SPACE, STATE, decode, load_board, new_record, pack

HEAD = packed.__doc__ or ""
RULES = small_rules(3)
RANKS = 3
CARDS = range(4 * RANKS)
PLACES = {"-": FOUNDED, ".": SPACE}


def row(name: str) -> list[str]:
    """The words after a name in one of the docstring's tables."""
    (line,) = re.findall(rf"^    {name} {{2,}}(.*)$", HEAD, re.MULTILINE)
    return str(line).split()


def set_of(text: str) -> frozenset[int]:
    """A set of cards as the docstring writes it."""
    return frozenset() if text.strip() == "-" else frozenset(cards(text))


def drawn_board() -> str:
    """The lines of the board, stars and all."""
    (lines,) = re.findall(r"(^    Foundations:.*\n(?:    .*\n)+)", HEAD, re.MULTILINE)
    return str(lines)


def loaded() -> tuple[np.record, np.ndarray]:
    """The example as BOARD, and its root: three words of the key and the skeleton."""
    position = draw(drawn_board().replace("*", ""), RULES, RANKS)
    board, root = new_record(BOARD), np.zeros(4, np.int64)
    load_board(pack(position, RULES), board, root)
    return board, root


def test_hosts_and_piles_of_the_example() -> None:
    board, _root = loaded()
    assert row("card") == [card_text(code) for code in CARDS]
    hosts = [PLACES[word] if word in PLACES else card(word) for word in row("host")]
    assert board.host[: len(CARDS)].tolist() == hosts
    assert board.pile[: len(CARDS)].tolist() == [int(word) for word in row("pile")]
    assert {*board.host[len(CARDS) :].tolist()} == {FOUNDED}, "a card that this deck lacks"


def test_key_of_the_example() -> None:
    _board, root = loaded()
    words = [int(word, 8) for word in row("key")]
    assert root[:3].tolist() == words
    codes = [int(word) for word in row("code")]
    assert [words[0] >> 3 * code & 7 for code in CARDS] == codes
    assert f"{words[0]:o}" == "".join(map(str, reversed(codes)))


def test_stumps_of_the_example() -> None:
    board, _root = loaded()
    table = re.findall(r"^    (\d) (\d)    (..)      (.{15})(.*)$", HEAD, re.MULTILINE)
    assert [(p, k) for p, k, *_ in table] == [*map(tuple, ("00", "01", "10", "11", "12", "20"))]
    for p, k, stump, below, above in table:
        place = int(p), int(k)
        assert members(int(board.below[place])) == set_of(below), place
        assert members(int(board.above[place])) == set_of(above), place
        if stump.strip():
            assert board.stump[place] == card(stump), place


def test_skeleton_of_the_example() -> None:
    board, root = loaded()
    assert board.suit_step.tolist() == [int(word) for word in row("suit_step")]
    steps = [int(word) for word in row("pile_step")]
    assert board.pile_step[: RULES.piles].tolist() == steps
    number, sum_ = " ".join(row("skeleton")).split(" = ")
    terms = [tuple(map(int, term.split("*"))) for term in sum_.split(" + ")]
    assert root[3] == int(number) == sum(count * step for count, step in terms)
    assert [step for _count, step in terms] == [*board.suit_step.tolist(), *steps]


def test_sets_of_the_example() -> None:
    board, root = loaded()
    state = new_record(STATE)
    decode(int(root[0]), int(root[1]), int(root[2]), board, state)
    for field in ("live", "bad", "bottom", "ridden", "buried", "blocked"):
        assert members(int(state[field])) == set_of(" ".join(row(field))), field
    assert {word for word in drawn_board().split() if word.endswith("*")} == {
        card_text(code) + "*" for code in set_of(" ".join(row("bad")))
    }
    assert state.founded.tolist() == [1, 0, 0, 1]
    assert state.host[: len(CARDS)].tolist() == board.host[: len(CARDS)].tolist()


def test_a_field_named_like_an_attribute_of_records_is_refused() -> None:
    with pytest.raises(AssertionError, match="cannot be named round: a NumPy record has an attribute"):
        new_record(np.dtype([("rounds", np.int64), ("round", np.int64)]))


def test_no_layout_of_the_engine_has_a_field_named_like_an_attribute_of_records() -> None:
    """Those that are made otherwise than by ``new_record`` too."""
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(solver.engine.__path__, "solver.engine.")
    ]
    layouts = {
        f"{module.__name__}.{name}": set(value.names)
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, np.dtype) and value.names
    }
    assert {"solver.engine.classes.board.STATE", "solver.engine.replaying.compiled_replay.GAME"} <= layouts.keys()
    clashes = {name: found for name, fields in layouts.items() if (found := fields.intersection(dir(np.record)))}
    assert clashes == {}
