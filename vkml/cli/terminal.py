"""What commands print with: headings, indented text, sizes. Bold only on a terminal with rich."""

from __future__ import annotations

import sys
import textwrap

__all__ = ["binary", "heading", "wrapped"]

WIDTH = 80
_LABEL = 11


def heading(text: str) -> str:
    """`text` in bold where standard output is a terminal and rich, which knows how, is here."""
    if not sys.stdout.isatty():
        return text
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        return text
    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(Text(text, style="bold"), end="", soft_wrap=True)
    return capture.get()


def wrapped(label: str, text: str) -> list[str]:
    """`text` behind an indented label, in lines of at most WIDTH columns; no word is broken."""
    first = f"  {label:<{_LABEL - 2}}"
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=" " * _LABEL,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def binary(nbytes: int) -> str:
    """A size in KiB, MiB or GiB."""
    size, unit = float(nbytes), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.3g} {unit}" if size < 100 else f"{size:.0f} {unit}"
