"""Small boards on which likely mistakes in the quota search give a wrong verdict, each mistake by name.

Each was tried: a search with that mistake in it gets the board wrong. They are the traps of docs/search.md.
"""

from boards import draw, small_rules
from desk import Desk
from naive_classes import graph_of

from solver.checking.naive import naive_verdict
from solver.engine.quota.class_search import search
from solver.engine.result import LOST, WON
from solver.referee import replay

MOST = 100_000


def check(board: str, ranks: int, piles: int, spaces: str, winnable: bool) -> None:
    """The search's verdict is the naive one's, and steps lead to the classes of the positions that can be reached."""
    rules = small_rules(piles, spaces=spaces)
    position = draw(board, rules, ranks=ranks)
    assert naive_verdict(position, rules, MOST) == winnable
    found = search(position, rules, max_nodes=MOST, max_memory=1 << 26)
    assert found.status == (WON if winnable else LOST)
    assert replay(position, rules, found.moves).wins == winnable
    graph = graph_of(position, rules, 5000)
    if graph is not None:
        desk = Desk(position, rules)
        assert set(desk.reached(settling=False)) == {key for key, _card in desk.classes(map(desk.key, graph))}


def test_who_is_covered_for_good_is_chosen_on_every_level_above_too() -> None:
    """A level stops being fluid; its cards choose their hosts, and so must those of the levels above. False "lost"."""
    board = """
        Foundations: H-3 C-5 D-2 S-4
        6C 5D 4D
        5S 6D 5H
        3D 6H
        6S 4H
        """
    check(board, 6, 4, "none", winnable=True)


def test_a_host_that_the_step_uncovers_comes_too_late_for_a_choice() -> None:
    """What is chosen must be in its place before the step; the card that the step uncovers takes none. False "won"."""
    board = """
        2D 4C 2C 2S 3H
        4D 5H 4S 5S 4H
        AC 3C AD 5C AH
        3S 5D 3D 2H AS
        """
    check(board, 5, 4, "any", winnable=False)


def test_nothing_is_parked_on_a_space_for_kings() -> None:
    """A space that takes only Kings lets no other cards change places. False "won"."""
    board = """
        Foundations: D-A
        :
        AH AS 3S 2H
        3C 4D 4S 2S AC 4H 3H 2D
        4C 3D 2C
        """
    check(board, 4, 4, "kings", winnable=False)


def test_whether_a_space_is_left_differs_between_the_results_of_one_step() -> None:
    """Some of the choices at a step use the last space and others do not: both kinds count. False "lost"."""
    board = """
        5H 4H 3C AC
        4C AS AH 6H 6D
        3H 5C 6C 5S 2S
        2C AD 3D 2D 4D
        2H 3S 6S 5D 4S
        """
    check(board, 6, 5, "any", winnable=True)


def test_a_king_at_the_bottom_is_not_released_while_bad_bonds_lie_above_it() -> None:
    """3D is no King that needs a pile of its own: it has one. False "lost"."""
    board = """
        Foundations: H-A C-2 D-A S-2
        3D 2D 3C 3S 2H 3H
        :
        """
    check(board, 3, 2, "kings", winnable=True)
