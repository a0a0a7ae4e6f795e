"""The browser that other tests look at pages with."""

from pathlib import Path

import pytest
from browser import evaluate, needs_browser, print_pdf, screenshot

PAGE = """<!DOCTYPE html><html lang="en"><meta http-equiv="Content-Security-Policy" content="default-src 'none';
style-src 'unsafe-inline'"><style>:root { color-scheme: light dark } h1 { color: rgb(1, 2, 3) }
@media (prefers-color-scheme: dark) { h1 { color: rgb(4, 5, 6) } }</style><h1>A &amp; “b”</h1></html>"""


@pytest.fixture(name="page")
def small_page(tmp_path: Path) -> Path:
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    return page


@needs_browser
def test_a_script_sees_the_page(page: Path) -> None:
    assert evaluate(page, "return document.querySelector('h1').textContent;") == "A & “b”"
    assert evaluate(page, "return [window.innerWidth, window.innerHeight];", width=320, height=500) == [320, 500]
    colour = "return window.getComputedStyle(document.querySelector('h1')).color;"
    assert [evaluate(page, colour, dark=dark) for dark in (False, True)] == ["rgb(1, 2, 3)", "rgb(4, 5, 6)"]


@needs_browser
def test_a_script_may_wait(page: Path) -> None:
    assert evaluate(page, "return await new Promise(done => setTimeout(() => done(7), 3000));") == 7


@needs_browser
def test_a_script_that_throws_fails_the_test(page: Path) -> None:
    with pytest.raises(AssertionError, match="no such thing"):
        evaluate(page, "throw new Error('no such thing');")


@needs_browser
def test_pictures_and_prints(page: Path, tmp_path: Path) -> None:
    screenshot(page, tmp_path / "page.png", width=320)
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
    print_pdf(page, tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
