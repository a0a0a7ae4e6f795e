"""What can be wrong with the input: one exception type, so that callers can catch it and print one line."""

from operator import index
from typing import Any


class InputError(ValueError):
    """An argument or a piece of input is wrong. The message is one line that can be shown as it is.

    Examples
    --------
    >>> try:
    ...     solver.rules_of("citadle")
    ... except solver.InputError as error:
    ...     print(str(error)[:43])
    no variant 'citadle'; did you mean citadel?
    """


def check_kind(name: str, value: object, *kinds: type) -> None:
    """Check the kind of an argument; a bool passes for a number nowhere.

    Parameters
    ----------
    name
        What the argument is called.
    kinds
        The types that it may have; ``int`` stands for whatever counts as a whole number, NumPy's too.

    Raises
    ------
    InputError
        If it is of another kind, with the argument's name, the kinds that it may have and the one that it has.
    """
    if isinstance(value, kinds) and (not isinstance(value, bool) or bool in kinds):
        return
    if int in kinds and not isinstance(value, bool) and _is_whole(value):
        return
    named = [_NAMES.get(kind, kind.__name__) for kind in kinds]
    wanted = " or ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
    raise InputError(f"{name} must be {wanted}, not {_NAMES.get(type(value), type(value).__name__)}")


def _is_whole(value: Any) -> bool:
    try:
        index(value)
    except TypeError:
        return False
    return True


_NAMES: dict[type, str] = {type(None): "None"}


def check_callable(name: str, value: object) -> None:
    """Raise InputError unless an argument can be called or is None."""
    if value is not None and not callable(value):
        raise InputError(f"{name} must be a function or None, not {type(value).__name__}")


def check_abort(abort: Any) -> None:
    """Raise InputError unless an argument ``abort`` is None or an array of one byte, which another thread can set."""
    if abort is not None and (str(getattr(abort, "dtype", "")), getattr(abort, "shape", None)) != ("uint8", (1,)):
        raise InputError(f"abort must be a NumPy array of one uint8 or None, not {type(abort).__name__}")
