"""A real browser without a window, for the pages that the package writes.

A page is shown untouched, in a frame of a page of ours, so that it may forbid scripts and have any width, and a check
still sees all of it. Tests that need a browser are marked ``needs_browser`` and skipped where there is none.
"""

import html
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")

QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-quic",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--allow-file-access-from-files",
]
"""No window, no network of its own; and our page may look into the frame."""

PATIENCE = 120
"""Seconds until a browser counts as hung."""

FRAME = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<style>body {{ margin: 0 }} iframe {{ display: block; border: 0 }}</style>
<iframe id="frame" src="{page}" width="{width}" height="{height}"></iframe><pre id="result" hidden></pre>
<script>
    onload = async () => {{
        const window = document.getElementById("frame").contentWindow;
        let result;
        try {{
            result = {{value: await (async (window, document) => {{ {script} }})(window, window.document)}};
        }} catch (error) {{
            result = {{error: String(error.stack || error)}};
        }}
        document.getElementById("result").textContent = JSON.stringify(result);
    }};
</script></html>
"""


def evaluate(page: Path, script: str, *, width: int = 1200, height: int = 900, dark: bool = False) -> Any:
    """What a script returns in a page: the body of an async function that sees the page's ``window`` and ``document``.

    The value comes back through JSON. A script that throws fails the test with its error.
    """
    dom = _browse(page, ["--dump-dom", "--virtual-time-budget=10000"], script, width, height, dark)
    found = re.search(r'<pre id="result" hidden="">(.+?)</pre>', dom, re.DOTALL)
    assert found, f"the check of {page} did not end; the browser shows {dom[-2000:]}"
    result = json.loads(html.unescape(found[1]))
    assert "error" not in result, result["error"]
    return result.get("value")


def screenshot(page: Path, image: Path, *, width: int = 1200, height: int | None = None, dark: bool = False) -> None:
    """Take a PNG picture of a page, as high as the page is unless told otherwise."""
    if height is None:
        height = evaluate(page, "return document.documentElement.scrollHeight;", width=width, dark=dark)
    _browse(page, [f"--screenshot={image}"], "", width, height, dark)


def print_pdf(page: Path, pdf: Path) -> None:
    """Print a page to a PDF, on the browser's default paper."""
    _start(["--no-pdf-header-footer", f"--print-to-pdf={pdf}", page.resolve().as_uri()])


def _browse(page: Path, flags: list[str], script: str, width: int, height: int, dark: bool) -> str:
    with tempfile.TemporaryDirectory() as folder:
        frame = Path(folder) / "frame.html"
        frame.write_text(FRAME.format(page=page.resolve().as_uri(), width=width, height=height, script=script))
        scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
        return _start([*flags, scheme, f"--window-size={width},{height}", frame.as_uri()])


def _start(arguments: list[str]) -> str:
    assert CHROMIUM is not None
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [CHROMIUM, *QUIET, f"--user-data-dir={profile}", *arguments],
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
        )
    assert done.returncode == 0, done.stderr
    return done.stdout
