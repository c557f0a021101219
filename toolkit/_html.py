"""HTML tables whose texts are escaped, for the results that a notebook shows."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable


class Markup(str):
    """HTML that is shown as it is, and not escaped again."""

    __slots__ = ()


def cell(content: object, tag: str = "td", *, style: str = "", inside: str = "") -> str:
    """Write a cell: a text is escaped, `Markup` is not; `inside` is a tag around either."""
    text = content if isinstance(content, Markup) else html.escape(str(content))
    text = f"<{inside}>{text}</{inside}>" if inside else text
    return f"<{tag} style='{style}'>{text}</{tag}>" if style else f"<{tag}>{text}</{tag}>"


def html_table(rows: Iterable[Iterable[str]], head: Iterable[str] = ()) -> str:
    """Write a table of cells, with a head of its own if that has cells."""
    written = [f"<tr>{''.join(cells)}</tr>" for cells in rows]
    if not (names := "".join(head)):
        return f"<table>{''.join(written)}</table>"
    body = "\n".join(written)
    return f"<table><thead><tr>{names}</tr></thead><tbody>\n{body}\n</tbody></table>"


HEADING = re.compile(r"<th(?=[\s>])(?![^>]*\bscope=)")


def with_scopes(text: str) -> str:
    """Say of each heading of a table on a page whether it heads a column or a row.

    An empty one heads nothing, and becomes a cell.

    >>> with_scopes("<thead><tr><th>k</th></tr></thead><tr><th>age</th><td>3</td></tr>")
    '<thead><tr><th scope=col>k</th></tr></thead><tr><th scope=row>age</th><td>3</td></tr>'
    """
    text = text.replace("<th></th>", "<td></td>")
    text = re.sub(
        r"<thead\b.*?</thead>",
        lambda found: HEADING.sub("<th scope=col", found[0]),  # without marks, as in JSON
        text,
        flags=re.DOTALL,
    )
    return HEADING.sub("<th scope=row", text)
