"""The examples of README.md, run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def console_examples() -> list[tuple[str, list[str]]]:
    """The commands of the console blocks with the lines shown after each; those that show none left out."""
    examples: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                examples.append((line[2:], []))
            else:
                examples[-1][1].append(line)
    return [example for example in examples if example[1]]


def untimed(line: str) -> str:
    """A line without its seconds, and without the bytes of a file, which depend on the library that compresses it."""
    return re.sub(r"\b\d+ bytes", "BYTES", re.sub(r"\b\d+\.\d+ s\b", "SECONDS", line))


@pytest.mark.parametrize(("command", "shown"), console_examples(), ids=[command for command, _ in console_examples()])
def test_console_example(command: str, shown: list[str], tmp_path: Path) -> None:
    script = tmp_path / "citadel"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m solver "$@"\n')
    script.chmod(0o755)
    found = os.pathsep.join([str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": found}
    printed = subprocess.run(
        ["sh", "-c", command],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    waiting = re.compile(r"citadel: (compiling the kernels|\d+ of \d+ deals in )")  # said while kernels compile
    lines = [line for line in printed.stdout.splitlines() if not waiting.match(line)]
    if shown[-1] == "...":
        shown = shown[:-1]
        lines = lines[: len(shown)]
    assert len(lines) == len(shown)
    for line, expected in zip(lines, shown, strict=True):
        beginning = expected.removesuffix("...")
        assert untimed(line if beginning == expected else line[: len(beginning)]) == untimed(beginning)


def test_python_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "my.board").write_text("Foundations: H-K C-K D-K S-J\nQS\nKS\n")
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    lines = capsys.readouterr().out.splitlines()
    assert f"# {lines[0]}\n" in code
    assert len(lines) > 60
    assert lines[-3:] == ["won", "QS 1 F False False", "won True"]


FOLDERS = ("solver", "tests", "benchmarks", "docs", "results")
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_names_of_files_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    for target in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (page.parent / target).exists(), target
    for target in re.findall(rf"\b(?:{'|'.join(FOLDERS)})/(?!NAME)[\w/-]+\.\w+", text):
        assert (ROOT / target).exists(), target
    for name in re.findall(r"`(\w+\.py)`", text):
        assert any(any((ROOT / folder).rglob(name)) for folder in FOLDERS), name
