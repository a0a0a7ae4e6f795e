"""The pages: the examples of README.md and of the others, run; their links; their pictures."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


Example = list[tuple[str, list[str]]]

FOLDERS = ("solver", "tests", "benchmarks", "docs", "results")
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))]


def console_examples() -> dict[str, Example]:
    """The console blocks of all pages: for each the commands, with the lines shown after each."""
    examples: dict[str, Example] = {}
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL):
            example: Example = []
            for line in block.splitlines():
                if line.startswith("$ "):
                    example.append((line[2:], []))
                else:
                    example[-1][1].append(line)
            examples[f"{page.relative_to(ROOT)}: {example[0][0]}"] = example
    return examples


def untimed(line: str) -> str:
    """A line without its seconds, and without the bytes of a file, which depend on the library that compresses it."""
    return re.sub(r"\b\d+ bytes", "BYTES", re.sub(r"\b\d+\.\d+ s\b", "SECONDS", line))


@pytest.mark.parametrize("example", console_examples().values(), ids=console_examples())
def test_console_example(example: Example, tmp_path: Path) -> None:
    """Each block runs in a folder of its own, its commands one after the other."""
    script = tmp_path / "citadel"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m solver "$@"\n')
    script.chmod(0o755)
    found = os.pathsep.join([str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": found}
    for command, shown in example:
        printed = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        check_shown(printed.stdout.splitlines(), shown)


def check_shown(printed: list[str], shown: list[str]) -> None:
    """The lines that a command printed are those that the page shows; ``...`` stands for what the page leaves out."""
    waiting = re.compile(r"citadel: (compiling the kernels|\d+ of \d+ deals in )")  # said while kernels compile
    lines = [line for line in printed if not waiting.match(line)]
    if shown and shown[-1] == "...":
        shown = shown[:-1]
        lines = lines[: len(shown)]
    assert len(lines) == len(shown)
    for line, expected in zip(lines, shown, strict=True):
        beginning = expected.removesuffix("...").rstrip()
        assert untimed(line if beginning == expected else line[: len(beginning)]) == untimed(beginning)


def test_the_pictures_are_current(monkeypatch: pytest.MonkeyPatch) -> None:
    """If this fails: python docs/pictures/rates.py"""
    pytest.importorskip("vl_convert")
    monkeypatch.syspath_prepend(ROOT / "docs/pictures")
    rates = importlib.import_module("rates")
    assert rates.PICTURE.read_text() == rates.rates_picture()


def test_python_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "my.board").write_text("Foundations: H-K C-K D-K S-J\nQS\nKS\n")
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    lines = capsys.readouterr().out.splitlines()
    assert f"# {lines[0]}\n" in code
    assert len(lines) > 60
    assert lines[-3:] == ["won", "QS 1 F False False", "won True"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_names_of_files_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    for target in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (page.parent / target).exists(), target
    for target in re.findall(rf"\b(?:{'|'.join(FOLDERS)})/(?!NAME)[\w/-]+\.\w+", text):
        assert (ROOT / target).exists(), target
    for name in re.findall(r"`(\w+\.py)`", text):
        assert any(any((ROOT / folder).rglob(name)) for folder in FOLDERS), name
