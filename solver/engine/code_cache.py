"""Where the machine code of the kernels is kept between runs. The decorators that compile them are in ``jit``.

Numba by itself keeps a function's machine code beside its source or in the user's cache folder, and looks at
that one source file to see whether it is stale. That is not enough here: a kernel holds the code of kernels
in other files, and constants of other modules; and where neither folder can be written, on a read-only
install with no home, numba refuses to run at all. So the kernels have a folder whose name is a fingerprint
of all sources that they are made of, in the first place that can be written. Processes that compile at the same time
take turns in writing there, and what cannot be read or written there is compiled anew.

Knows nothing of what the kernels do.
"""

import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache

if sys.platform != "win32":
    import fcntl

_ENGINE = Path(__file__).parent
_CONSTANTS = ("cards.py", "position.py", "rules.py", "shuffles.py")
"""The modules beside ``engine`` whose constants kernels are compiled with."""

_KEPT = 4
"""Folders of other fingerprints that are kept: other versions may run from the same place."""

_config: Any = numba.config  # its attributes are made at run time


class SafeCache(FunctionCache):
    """Numba's cache of a function, for several processes at a time and files that may be damaged.

    Numba numbers the versions of a function in an index file that it reads, extends and writes. When two processes do
    that at the same time for two versions, both get one number, and from then on one version's machine code is run
    for the other's.
    """

    def load_overload(self, signature: Any, context: Any) -> Any:
        """A version's machine code; None if there is none, or none that can be read."""
        try:
            return super().load_overload(signature, context)
        except Exception:  # whatever is wrong with a file that was being written when the power went
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Write a version's machine code; on a full disk it is not kept."""
        with suppress(OSError), _turn(Path(self.cache_path)):
            self._drop_damaged_index()
            super().save_overload(signature, compiled)

    def _drop_damaged_index(self) -> None:
        try:
            self._cache_file._load_index()
        except Exception:
            Path(self._cache_file._index_path).unlink(missing_ok=True)


@contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """While the block runs, no other process is in such a block with the folder; a process that ends leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "turn").open("w") as file:
        if sys.platform != "win32":
            with suppress(OSError):  # a disk without locks
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def needs_compiling(module: str) -> bool:
    """Whether an engine module, named in full, has no machine code yet."""
    folder = cache_folder()
    room, _, name = module.rpartition(".")
    room = room.rpartition(".")[2]
    return not _config.DISABLE_JIT and (folder is None or not any(folder.glob(f"{room}_*/{name}.*.nbc")))


@cache
def cache_folder() -> Path | None:
    """The folder of the compiled kernels, made where needed; None where no folder can be written."""
    return next(filter(_usable, _places(f"kernels-{_fingerprint()}")), None)


def _places(name: str) -> Iterator[Path]:
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"]) / name
    yield _ENGINE / "__pycache__" / name
    with suppress(RuntimeError):  # no home
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "citadel-solver" / name
    if hasattr(os, "getuid"):
        private = Path(tempfile.gettempdir()) / f"citadel-solver-{os.getuid()}"
        if _is_private(private):
            yield private / name


def _is_private(folder: Path) -> bool:
    """Make a folder where everyone may write, and say whether it is ours: machine code is loaded from it."""
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022
    return False


def _usable(folder: Path) -> bool:
    """Make a folder if need be, and say whether it can be written."""
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    if is_new:
        _remove_old(folder)
    return True


def _remove_old(folder: Path) -> None:
    others = [other for other in folder.parent.glob("kernels-*") if other != folder]
    with suppress(OSError):
        others.sort(key=lambda other: other.stat().st_mtime, reverse=True)
        for other in others[_KEPT:]:
            shutil.rmtree(other, ignore_errors=True)


def _fingerprint() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {sys.version} {_config.BOUNDSCHECK}".encode())
    for source in [*sorted(_ENGINE.rglob("*.py")), *(_ENGINE.parent / name for name in _CONSTANTS)]:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]
