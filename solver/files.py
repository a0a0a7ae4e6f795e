"""Files read whole, and written whole or not at all. Knows nothing of what is in them.

A file is written aside, forced to the disk and renamed into place, so that neither a full disk nor a power cut leaves
half of one. Its writer holds a lock on the file aside until it is renamed, so what nobody holds was left by a kill.
"""

import os
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from solver.errors import InputError

if sys.platform != "win32":
    import fcntl

ASIDE = ".aside-"
"""What stands in the name of a file that is not written yet."""


def read_whole(path: Path, most: int) -> str:
    """The text of a file of at most ``most`` bytes.

    Raises
    ------
    InputError
        If it cannot be read, is larger, or is not text; FileNotFoundError if it is not there.
    """
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    if len(content) > most:
        raise InputError(f"cannot read {path}: it has more than {most} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InputError(f"cannot read {path}: it is not text") from None


def is_special(path: Path) -> bool:
    """Whether a path is there and no file, such as a device or a pipe: it is written to as it is."""
    return path.exists() and not path.is_file()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file aside and rename it into place; a device or a pipe is just written to.

    Raises
    ------
    InputError
        If it cannot be written; what was there before is untouched.
    """
    try:
        if is_special(path):
            path.write_bytes(content)
            return
        with _opened_aside(path) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            _remove_abandoned(path)  # before the renaming: a kill in between leaves a file that is written again
            if sys.platform == "win32":
                file.close()  # what is open is not renamed there, and nothing is locked
            Path(file.name).rename(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def append_line(path: Path, line: str) -> None:
    """Add a line to a text file.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None


@contextmanager
def finished_is_kept() -> Iterator[None]:
    """What cannot be written in the block costs nothing that was written before, and its error says so."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{error}; what is finished is kept") from None


@contextmanager
def _opened_aside(path: Path) -> Iterator[BinaryIO]:
    """A new file aside of a path, locked; removed again if the block fails."""
    while True:
        aside = path.with_name(f"{path.name}{ASIDE}{uuid.uuid4().hex}")
        with aside.open("xb") as file:
            try:
                if not (_lock(file) and aside.exists()):
                    continue  # somebody took it for abandoned before it was locked
                yield file
                return
            except BaseException:
                with suppress(OSError):
                    aside.unlink(missing_ok=True)
                raise


def _lock(file: BinaryIO) -> bool:
    """Lock a file until it is closed, unless somebody else holds it; a disk without locks is no hindrance."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
    return True


def _remove_abandoned(path: Path) -> None:
    """Remove what killed processes have left aside of a path; nothing on a disk without locks."""
    if sys.platform == "win32":
        return
    for left in path.parent.iterdir():
        if left.name.startswith(path.name + ASIDE):
            with suppress(OSError), left.open("r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()


def _sync_folder(folder: Path) -> None:
    """Force the folder's list of names to the disk, where a system lets one."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
