"""What changes in a figure, and in the data beside it, from one setting of the controls to the next.

The keys of the regions lack the anchor of the scene: `P` is the drawing of the panel P, `P-head` and `P-data` are the
head and the body of its table, and `P-summary` is what stands for a table that would be too large.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape

from scenebook.core.problems import Problem
from scenebook.core.text import Text
from scenebook.core.tracks import CONTENT, ITSELF, TEXT, Track
from scenebook.figure import svg_tracks
from scenebook.figure.data_table import Table
from scenebook.figure.drawing import Drawing, DrawnPanel

FIXED = "would change with the controls, and only what is drawn can; leave out `shared: false`"


def together(drawings: Sequence[Drawing], start: int, place: Text, where: str) -> Drawing:
    """The drawing at the start, with what differs at the other settings.

    A figure whose legends or colour bars differ gets a problem at `place` among its warnings.
    """
    first = drawings[start]
    columns = list(zip(*(drawing.panels for drawing in drawings), strict=True))
    panels, regions = [], dict[str, tuple[Track, ...]]()
    for every in columns:
        panel = every[start] if all(each.table for each in every) else replace(every[start], table=None)
        panels.append(panel)
        regions |= {key: tracks for key, tracks in _regions(panel, every, start) if tracks}
    problems = tuple(Problem(place.file, place.line, where, message) for message in _fixed_parts(columns))
    texts = tuple(dict.fromkeys(text for drawing in drawings for text in drawing.texts))
    warnings = (*first.warnings, *problems)
    return replace(first, panels=tuple(panels), regions=regions, warnings=warnings, texts=texts)


def _fixed_parts(columns: Sequence[Sequence[DrawnPanel]]) -> Iterator[str]:
    """What is wrong with parts beside the drawings that differ between settings."""
    parts: dict[str, Callable[[DrawnPanel], object]] = {
        "the legend": lambda panel: panel.legend,
        "the colour bar": lambda panel: panel.scale,
    }
    for name, part in parts.items():
        if any(len(set(map(part, every))) > 1 for every in columns):
            yield f"{name} {FIXED}"


def _regions(panel: DrawnPanel, every: Sequence[DrawnPanel], start: int) -> Iterator[tuple[str, tuple[Track, ...]]]:
    """The regions of one panel: `panel` is what the page shows, `every` what it would show at each setting."""
    yield panel.name, svg_tracks.tracks([each.svg for each in every], start)
    tables = [each.table for each in every if each.table]
    if panel.table:
        yield f"{panel.name}-head", _content([_head(table) for table in tables])
        yield f"{panel.name}-data", tuple(_table_tracks(tables))
    else:
        yield f"{panel.name}-summary", _text([summary(each.summary) for each in every])
    yield f"{panel.name}-bad", _text([", ".join(each.bad) for each in every])


def summary(pairs: Sequence[tuple[str, str]]) -> str:
    """A summary of data on one line."""
    return ", ".join(f"{name} {text}" for name, text in pairs)


def _table_tracks(tables: Sequence[Table]) -> Iterator[Track]:
    """The cells that differ; all rows at once if there are not the same number at each setting."""
    if len({(len(table.rows), len(table.columns)) for table in tables}) > 1:
        yield from _content([_body(table) for table in tables])
        return
    width = len(tables[0].columns) + 2
    for row in range(len(tables[0].rows)):
        yield from _text([table.rows[row] for table in tables], row * width + 1)
        for column in range(len(tables[0].columns)):
            cell = row * width + 2 + column
            yield from _text([table.texts[row][column] for table in tables], cell)
            spreads = tuple(table.spreads[row][column] if table.spreads else None for table in tables)
            yield from (Track(cell, "data-spread", spreads),) if len(set(spreads)) > 1 else ()


def _text(values: Sequence[str], node: int = ITSELF) -> tuple[Track, ...]:
    return (Track(node, TEXT, tuple(values)),) if len(set(values)) > 1 else ()


def _content(values: Sequence[str]) -> tuple[Track, ...]:
    return (Track(ITSELF, CONTENT, tuple(values)),) if len(set(values)) > 1 else ()


def _head(table: Table) -> str:
    """The row of column labels as the template writes it."""
    cells = "".join(f'<th scope="col">{escape(column, quote=False)}</th>' for column in table.columns)
    return f"<tr><td></td>{cells}</tr>"


def _body(table: Table) -> str:
    """The rows of data as the template writes them."""
    width, height = len(table.columns), len(table.rows)
    return "".join(
        f'<tr><th scope="row">{escape(row, quote=False)}</th>{"".join(map(_cell, texts, spreads))}</tr>'
        for row, texts, spreads in zip(table.rows, table.texts, table.spreads or [[""] * width] * height, strict=True)
    )


def _cell(text: str, spread: str) -> str:
    return f'<td data-spread="{spread}">{text}</td>' if spread else f"<td>{text}</td>"


def with_anchor(regions: Mapping[str, tuple[Track, ...]], anchor: str) -> dict[str, tuple[Track, ...]]:
    """The regions by their full keys."""
    return {f"{anchor}--{key}": tracks for key, tracks in regions.items()}
