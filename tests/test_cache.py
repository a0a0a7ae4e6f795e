"""Where the compiled kernels are kept."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from solver.engine import code_cache, jit

PACKAGE = Path(code_cache.__file__).parent.parent


@pytest.fixture(name="install", autouse=True)
def install_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package with a home, a temporary folder, and nothing compiled."""
    package = tmp_path / "install" / "solver"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("home", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(code_cache, "_ENGINE", package / "engine")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    code_cache.cache_folder.cache_clear()
    yield package
    code_cache.cache_folder.cache_clear()


def folder_now() -> Path | None:
    """The folder that a new process would choose."""
    code_cache.cache_folder.cache_clear()
    return code_cache.cache_folder()


def make_read_only(package: Path) -> None:
    """Let nothing be written beside the kernels' sources, not even by root."""
    shutil.rmtree(package / "engine" / "__pycache__", ignore_errors=True)
    (package / "engine" / "__pycache__").write_text("in the way")


def test_the_kernels_are_kept_beside_their_sources(install: Path) -> None:
    folder = folder_now()
    assert folder is not None
    assert folder.parent == install / "engine" / "__pycache__"
    assert folder.is_dir()
    assert folder_now() == folder


def test_the_users_own_choice_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
    folder = folder_now()
    assert folder is not None
    assert folder.parent == tmp_path / "chosen"


def test_case_25_a_read_only_install_uses_the_home(
    install: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_read_only(install)
    folder = folder_now()
    assert folder is not None
    assert folder.parent == tmp_path / "home" / ".cache" / "citadel-solver"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    folder = folder_now()
    assert folder is not None
    assert folder.parent == tmp_path / "xdg" / "citadel-solver"


def no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nothing").write_text("no folder")
    monkeypatch.setenv("HOME", str(tmp_path / "nothing"))


def test_case_25_a_read_only_install_and_no_home_use_a_private_temporary_folder(
    install: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_read_only(install)
    no_home(tmp_path, monkeypatch)
    folder = folder_now()
    assert folder is not None
    assert folder.parent.parent == tmp_path / "temporary"
    assert folder.parent.stat().st_mode & 0o777 == 0o700


def test_machine_code_is_not_taken_from_a_folder_open_to_others(
    install: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_read_only(install)
    no_home(tmp_path, monkeypatch)
    trap = tmp_path / "temporary" / f"citadel-solver-{os.getuid()}"
    trap.mkdir()
    trap.chmod(0o777)
    assert folder_now() is None
    trap.rmdir()
    trap.symlink_to(tmp_path / "home")
    assert folder_now() is None


def test_without_any_folder_kernels_still_compile(
    install: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_read_only(install)
    no_home(tmp_path, monkeypatch)
    (tmp_path / "temporary").rmdir()
    assert folder_now() is None
    assert jit.kernel(_double)(21) == 42
    assert code_cache.needs_compiling("solver.engine.general.position_search") != bool(numba.config.DISABLE_JIT)


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_kernels_that_call_a_kernel_share_one_version_of_it() -> None:
    @jit.kernel
    def plus(a, b):  # type: ignore[no-untyped-def]
        return a + b

    @jit.kernel
    def total(n, small, is_more):  # type: ignore[no-untyped-def]
        return plus(n, 1) + plus(small[0], is_more) + plus(True, -1)

    assert total(5, np.array([7], np.int8), True) == 14
    assert plus.signatures == [(numba.int64, numba.int64)]


def test_kernels_leave_other_numba_code_alone() -> None:
    usual = numba.config.CACHE_DIR
    jit.kernel(_double)
    assert usual == numba.config.CACHE_DIR


@pytest.mark.parametrize("edited", ["engine/line/trim.py", "engine/bits.py", "cards.py", "position.py"])
def test_case_25_an_edited_source_is_never_served_from_a_stale_cache(install: Path, edited: str) -> None:
    """Also where the kernel that is called stands in another file, which numba does not look at."""
    before = folder_now()
    with (install / edited).open("a") as source:
        source.write("\n# edited\n")
    assert folder_now() != before


def test_needs_compiling_until_there_is_machine_code() -> None:
    folder = folder_now()
    assert folder is not None
    assert code_cache.needs_compiling("solver.engine.general.position_search") != bool(numba.config.DISABLE_JIT)
    (folder / "quota_0").mkdir()
    (folder / "quota_0" / "position_search._run-76.py311.1.nbc").touch()
    assert code_cache.needs_compiling("solver.engine.general.position_search") != bool(numba.config.DISABLE_JIT)
    (folder / "general_0").mkdir()
    (folder / "general_0" / "position_search._run-76.py311.1.nbc").touch()
    assert not code_cache.needs_compiling("solver.engine.general.position_search")
    assert code_cache.needs_compiling("solver.engine.quota.class_search") != bool(numba.config.DISABLE_JIT)


def test_old_folders_are_removed(install: Path) -> None:
    kept = install / "engine" / "__pycache__"
    for version in range(10):
        (kept / f"kernels-{version}").mkdir(parents=True)
        os.utime(kept / f"kernels-{version}", (version, version))
    folder = folder_now()
    assert folder is not None
    assert sorted(path.name for path in kept.iterdir()) == sorted(
        ["kernels-6", "kernels-7", "kernels-8", "kernels-9", folder.name]
    )


DOUBLE = """
from solver.engine.jit import kernel

@kernel
def double(number):
    return 2 * number
"""

FOUR_TIMES = """
from solver.engine.jit import kernel
from solver.engine.double import double

@kernel
def four_times(number):
    return double(double(number))

print(*(four_times(number) for number in (3, 0.5, 1 + 0j)))
print(four_times.stats.cache_hits or "compiled")
"""
"""Two kernels in two files, each compiled for several kinds of numbers: seconds instead of minutes."""

FOURFOLD = "12 2.0 (4+0j)\n"
"""What they print, before how often the cache had a version of the second one."""


@pytest.fixture(name="kernels")
def two_small_kernels(install: Path) -> Path:
    """The folder of the two kernels, in the copy."""
    (install / "engine" / "double.py").write_text(DOUBLE)
    (install / "engine" / "four_times.py").write_text(FOUR_TIMES)
    return install / "engine"


def begin(install: Path, tmp_path: Path, *command: str, **variables: str) -> "subprocess.Popen[str]":
    """Start Python with the copy, in an environment without settings of numba.

    It keeps no bytecode: Python takes that for fresh while a file's size and second of change are the same, and a test
    edits a file within a second.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "PYTHON"))}
    environment |= {
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(tmp_path / "nothing"),
        "TMPDIR": str(tmp_path / "temporary"),
    } | variables
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, *command], cwd=install.parent, env=environment, **pipes)  # type: ignore[call-overload]


def printed(process: "subprocess.Popen[str]") -> str:
    """What a process prints; it has nothing to complain about."""
    output, errors = process.communicate(timeout=1200)
    assert (process.returncode, errors) == (0, "")
    return output


SMALL = ["-c", "import solver.engine.four_times"]


@pytest.mark.parametrize("processes", [3, pytest.param(16, marks=pytest.mark.slow)])
def test_case_25_small_kernels_in_many_processes_at_once(kernels: Path, tmp_path: Path, processes: int) -> None:
    begun = [begin(kernels.parent, tmp_path, *SMALL) for _ in range(processes)]
    for process in begun:
        assert printed(process).startswith(FOURFOLD)
    assert printed(begin(kernels.parent, tmp_path, *SMALL)).splitlines()[1].count(": 1") == 3


def test_case_25_small_kernels_on_a_read_only_install_without_home(
    kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_read_only(kernels.parent)
    no_home(tmp_path, monkeypatch)
    assert printed(begin(kernels.parent, tmp_path, *SMALL)) == FOURFOLD + "compiled\n"
    assert "compiled" not in printed(begin(kernels.parent, tmp_path, *SMALL))
    (tmp_path / "temporary" / f"citadel-solver-{os.getuid()}").chmod(0o777)  # not ours alone any more
    assert printed(begin(kernels.parent, tmp_path, *SMALL)) == FOURFOLD + "compiled\n"


def test_case_25_an_edited_kernel_in_another_file_is_compiled_anew(kernels: Path, tmp_path: Path) -> None:
    assert printed(begin(kernels.parent, tmp_path, *SMALL)).startswith(FOURFOLD)
    (kernels / "double.py").write_text(DOUBLE.replace("2", "3"))
    assert printed(begin(kernels.parent, tmp_path, *SMALL)) == "27 4.5 (9+0j)\ncompiled\n"
    (kernels / "double.py").write_text(DOUBLE)
    assert printed(begin(kernels.parent, tmp_path, *SMALL)).startswith(FOURFOLD)


def test_case_25_the_number_of_threads_may_change_on_one_cache(kernels: Path, tmp_path: Path) -> None:
    for threads in ("1", "2", "1"):
        last = printed(begin(kernels.parent, tmp_path, *SMALL, NUMBA_NUM_THREADS=threads))
        assert last.startswith(FOURFOLD)
    assert "compiled" not in last


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"nonsense", b"half"])
def test_damaged_machine_code_is_compiled_anew(kernels: Path, tmp_path: Path, kind: str, content: bytes) -> None:
    """As a power cut leaves it."""
    printed(begin(kernels.parent, tmp_path, *SMALL))
    files = list(kernels.glob(f"__pycache__/kernels-*/*/*.{kind}"))
    assert len(files) >= 2
    for file in files:
        file.write_bytes(content if content != b"half" else file.read_bytes()[: file.stat().st_size // 2])
    assert printed(begin(kernels.parent, tmp_path, *SMALL)).startswith(FOURFOLD)
    assert "compiled" not in printed(begin(kernels.parent, tmp_path, *SMALL))


def test_machine_code_is_not_kept_on_a_full_disk(kernels: Path, tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)); import solver.engine.four_times"
    for _ in range(2):
        assert printed(begin(kernels.parent, tmp_path, "-B", "-c", limit)) == FOURFOLD + "compiled\n"
    assert printed(begin(kernels.parent, tmp_path, *SMALL)).startswith(FOURFOLD)


def test_case_25_two_versions_written_at_once_are_both_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba alone gives both one number, and then runs one version's machine code for the other's."""
    compiled: Any = jit.kernel(_double)
    if numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    versions = [(numba.types.int64,), (numba.types.float64,), (numba.types.complex128,)]
    for version in versions:
        compiled.compile(version)
    compiled._cache._cache_file.flush()
    write = IndexDataCacheFile._save_index

    def write_slowly(index: Any, overloads: Any) -> None:
        time.sleep(0.2)
        write(index, overloads)

    monkeypatch.setattr(IndexDataCacheFile, "_save_index", write_slowly)
    with ThreadPoolExecutor(3) as pool:
        for version in versions:
            pool.submit(jit.kernel(_double)._cache.save_overload, version, compiled.overloads[version])  # type: ignore[attr-defined]
    again: Any = jit.kernel(_double)
    for version in versions:
        assert again._cache.load_overload(version, again.targetctx).signature.args == version


SOLVE = ["-m", "solver", "solve", "ms:25"]


@pytest.mark.slow
@pytest.mark.parametrize("processes", [2, 16])
def test_case_25_processes_at_once_on_an_empty_cache(install: Path, tmp_path: Path, processes: int) -> None:
    """All kernels of the quota engine; sixteen take many minutes on two cores."""
    begun = [begin(install, tmp_path, *SOLVE) for _ in range(processes)]
    for process in begun:
        output, _ = process.communicate(timeout=3000)
        assert process.returncode == 1
        assert "ms:25: lost" in output
    with begin(install, tmp_path, *SOLVE) as warm:
        assert warm.communicate(timeout=600)[1] == ""
        assert warm.returncode == 1


@pytest.mark.slow
def test_case_25_solving_on_a_read_only_install_without_home(
    install: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_read_only(install)
    no_home(tmp_path, monkeypatch)
    for message in ("citadel: compiling", ""):
        with begin(install, tmp_path, *SOLVE) as process:
            output, errors = process.communicate(timeout=600)
            assert process.returncode == 1
            assert "ms:25: lost" in output
            assert errors.startswith(message)
            assert bool(errors) == bool(message)


def _double(number: int) -> int:
    return 2 * number
