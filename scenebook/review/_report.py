"""A review as Markdown, for a pull request, and as JSON, for programs.

The Markdown begins with the headline and fits what GitHub takes as one comment, whatever the size of the change: the
most important first, the rest counted. Whatever a text holds, it formats, links and notifies nothing.
"""

import dataclasses
import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from scenebook.review import _word_diff as word_diff
from scenebook.review import _wording as wording
from scenebook.review._differences import ClaimChange, CodeChange, PageChange, Review, SceneChange, Shown

LIMIT = 65_536
RESERVE = 600
"""Bytes kept for the last line, and for what is put around the report where it is posted."""

ROWS, SENTENCES, LINES = 24, 8, 40
TITLE, LONGEST = 24, 80
"""Words shown of a title, and how long each may be."""

AROUND = 12
"""Words shown on each side of what changed in a sentence."""

MARKER = "<!-- scenebook-review -->"
"""The last line, by which an earlier comment is found and updated."""

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~$&]|:(?=//|\w)|(?<=www)\.")
_REFERENCE = re.compile(r"([@#])(?=\w)")


def markdown(review: Review) -> str:
    """The report for a pull request: at most `LIMIT` characters, and as many bytes."""
    head = "\n\n".join([text(wording.headline(review)), *_head(review)])
    blocks, left = _fitting(_blocks(review), LIMIT - RESERVE - len(head.encode()))
    more = [f"and {left} more, in {_link(review)}"] if left else []
    return "\n\n".join([head, *blocks, *more, MARKER]) + "\n"


def _head(review: Review) -> Iterator[str]:
    full = f" · {_link(review)}" if review.link else ""
    yield f"{code(review.before.name)} → {code(review.after.name)}{full}"
    if review.packages:
        changes = (f"{text(p.name)} {text(p.before or 'none')} → {text(p.after or 'none')}" for p in review.packages)
        yield f"Packages: {_listed(changes, ROWS)}"
    for side in (review.before, review.after):
        if side.problems:
            lines = (f"- {code(wording.clip(problem, 300))}" for problem in side.problems)
            yield f"Building {code(side.name)}:\n\n{_lines(lines, SENTENCES)}"


def _link(review: Review) -> str:
    return f"[the full report](<{review.link}>)" if review.link else "the full report, index.html"


def _fitting(blocks: Iterable[str], room: int) -> tuple[list[str], int]:
    """The blocks that fit, in order, and how many are left."""
    taken: list[str] = []
    left = 0
    for block in blocks:
        room -= len(block.encode()) + 2
        if room < 0 or left:
            left += 1
        else:
            taken.append(block)
    return taken, left


def _blocks(review: Review) -> list[str]:
    """A block for each scene and page that changed, the most important first, in page order among equals."""
    differences = review.differences
    ranked: list[tuple[int, str]] = []
    for page in differences.pages:
        ranked += [(_rank(page), _page(page))] if page.own else []
        ranked += [(_rank(scene), _scene(scene)) for scene in page.scenes]
    ranked += [(5, _section(code(change.file), _code(change))) for change in differences.code]
    if differences.texts:
        ranked.append((4, _section("The site", _sentences(differences.texts))))
    return [block for _, block in sorted(ranked, key=lambda entry: entry[0])]


def _rank(part: SceneChange | PageChange) -> int:
    claims = {claim.kind for claim in part.claims} - {"margin"}
    failed, computed, quoted = False, False, False
    if isinstance(part, SceneChange):
        failed, computed = bool(part.failed), bool(part.values or part.picture)
    else:
        quoted = bool(part.quoted)
    ranks = (failed, "fails" in claims, computed, claims or quoted, part.texts)
    return next((rank for rank, found in enumerate(ranks) if found), len(ranks))


def _scene(scene: SceneChange) -> str:
    title = f"{_title(scene.title)} · " if scene.title else ""
    return _section(
        f"{title}{code(scene.name)}",
        _kind(scene.kind, scene.was),
        *(f"**It fails {side} the change**, so nothing of it can be compared." for side in scene.failed),
        _claims(scene.claims),
        _values(scene),
        _sentences(scene.sentences, scene.name),
        f"Figure: {text(wording.picture(scene.picture))}" if scene.picture else "",
        _sentences(scene.texts, scene.name),
        *(_code(change) for change in scene.code),
    )


def _page(page: PageChange) -> str:
    weight = f"The page's HTML: {page.weight[0]:,} → {page.weight[1]:,} bytes" if page.weight else ""
    quoted = (
        f"- quoted from {text(change.source)}: "
        + " ".join(filter(None, (_marked(change.gone, "~~"), _marked(change.new, "**"))))
        for change in page.quoted
    )
    return _section(
        f"{_title(page.title)} · {code(page.slug)}",
        _kind(page.kind or "changed", page.was, "page "),
        _claims(page.claims),
        _sentences(page.texts, page.slug),
        _lines(quoted, SENTENCES),
        weight,
    )


def _title(markup: str) -> str:
    """A title, cut where it is long."""
    found = word_diff.tokens(markup)
    if any(len(token.text) > LONGEST for token in found):
        return text(wording.clip(word_diff.joined(found), LONGEST))
    return _words(found[:TITLE]) + (" …" if len(found) > TITLE else "")


def _section(title: str, *parts: str) -> str:
    return "\n\n".join([f"### {title}", *filter(None, parts)])


def _kind(kind: str, was: str, noun: str = "") -> str:
    return "" if kind == "changed" else f"**{noun}{kind}**" + (f", was {code(was)}" if was else "")


def _values(scene: SceneChange) -> str:
    rows = wording.rows(scene)
    if not rows:
        return ""
    cells = ((_name(row), row.before, row.after, row.change, row.relative) for row in rows)
    table = (" | ".join(["", first, *(text(cell) for cell in rest), ""]).strip() for first, *rest in cells)
    more = f"\n\nand {len(rows) - ROWS} more values" if len(rows) > ROWS else ""
    head = "| value | before | after | change | |\n|---|---|---|---|---|\n"
    return head + "\n".join(list(table)[:ROWS]) + more


def _name(row: wording.Row) -> str:
    return code(row.name).replace("|", "\\|") + (f" {text(row.note)}" if row.note else "")


def _claims(claims: tuple[ClaimChange, ...]) -> str:
    return _lines((_claim(claim) for claim in wording.by_importance(claims)), SENTENCES)


def _claim(change: ClaimChange) -> str:
    claim = change.after or change.before
    assert claim
    was = change.before.check if change.before and change.before.check != claim.check else ""
    checks = " → ".join(code(wording.clip(check)) for check in (was, claim.check) if check)
    margins = " → ".join(map(text, filter(None, wording.margins(change))))
    said = f"{text(wording.clip(claim.said).rstrip('.'))}: {checks}" + (f", margin {margins}" if margins else "")
    return f"- claim, **{wording.CLAIM[change.kind]}**: {said}"


def _sentences(shown: tuple[Shown, ...], home: str = "") -> str:
    """A line a sentence, with where it stands if that is not where it is told."""
    return _lines((f"- {_place(entry, home)}: {_sentence(entry.sentence)}" for entry in shown), SENTENCES)


def _place(shown: Shown, home: str) -> str:
    return text(shown.field) if shown.place == home else f"{text(shown.field)} of {code(shown.place)}"


def _sentence(sentence: word_diff.Sentence) -> str:
    runs = list(word_diff.runs(sentence))
    written = ""
    for place, (kind, tokens) in enumerate(runs):
        if kind == "same":
            part = _words(_near(tokens, first=place == 0, last=place == len(runs) - 1))
        else:
            part = _between({"gone": "~~", "new": "**"}[kind], _words(tokens))
        written += f"{_gap(written, part, tokens[0].space)}{part}"
    return written


def _words(tokens: Iterable[word_diff.Token]) -> str:
    """Tokens as Markdown, formulas as code."""
    parts = ((token.space, code(token.text) if token.markup else text(token.text)) for token in tokens)
    return "".join(f"{' ' if space else ''}{part}" for space, part in parts).strip()


def _gap(before: str, after: str, space: bool) -> str:
    """A space between two runs where the text has one, and where the marks of emphasis would not work without."""
    marked = before[-1:] in ("*", "~") and after[:1] != "," and (after[:1].isalnum() or after[:1] in ("*", "~", "`"))
    return " " if before and (space or marked) else ""


def _near(tokens: tuple[word_diff.Token, ...], first: bool, last: bool) -> tuple[word_diff.Token, ...]:
    """The words of an unchanged run that stand near a changed one."""
    if len(tokens) <= 2 * AROUND:
        return tokens
    head, tail = () if first else tokens[:AROUND], () if last else tokens[-AROUND:]
    return (*head, word_diff.Token("", "…"), *tail)


def _marked(texts: Iterable[str], mark: str) -> str:
    return _between(mark, text(wording.clip(" ".join(texts))))


def _between(mark: str, written: str) -> str:
    return f"{mark}{written}{mark}" if written else ""


def _code(change: CodeChange) -> str:
    lines = [line[:200] for line in change.lines[:LINES]]
    more = f"\n\nand {len(change.lines) - LINES} more lines" if len(change.lines) > LINES else ""
    fence = "`" * max(3, 1 + max((len(run) for line in lines for run in re.findall("`+", line)), default=0))
    return "\n".join([f"{fence}diff", *lines, fence]) + more


def _lines(lines: Iterable[str], most: int) -> str:
    found = list(lines)
    more = [f"- and {len(found) - most} more"] if len(found) > most else []
    return "\n".join([*found[:most], *more])


def _listed(entries: Iterable[str], most: int) -> str:
    found = list(entries)
    return ", ".join(found[:most]) + (f", and {len(found) - most} more" if len(found) > most else "")


def text(raw: str) -> str:
    """A text as Markdown that shows it and nothing else: no markup, link, mention, reference or line break."""
    line = _SPECIAL.sub(lambda match: f"\\{match[0]}", " ".join(raw.split()))
    return _REFERENCE.sub("\\1\N{ZERO WIDTH SPACE}", line)


def code(raw: str) -> str:
    """A text as a code span."""
    line = " ".join(raw.split()) or " "
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def data(review: Review) -> str:
    """The report for programs, as strict JSON."""
    content = {"headline": wording.headline(review), **_plain(review)}
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Dataclasses as objects, claims with their kind; sentences as runs of words; numbers as facts.json has them."""
    if isinstance(value, Shown):
        runs = [{"kind": kind, "text": word_diff.joined(tokens)} for kind, tokens in word_diff.runs(value.sentence)]
        return {"place": value.place, "field": value.field, "sentence": runs}
    if dataclasses.is_dataclass(value):
        found = {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value) if field.repr}
        return {"kind": value.kind, **found} if isinstance(value, ClaimChange) else found
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value
