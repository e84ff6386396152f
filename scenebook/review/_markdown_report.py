"""Write a review as Markdown, for a comment on a pull request.

The Markdown begins with the headline and always fits into one GitHub comment: the most important changes come first,
and those that do not fit are counted. Texts of the site are escaped, so they cannot format, link or notify anything.
"""

import re
from collections.abc import Iterable, Iterator

from scenebook.review import _word_diff as word_diff
from scenebook.review import _wording as wording
from scenebook.review._differences import (
    ChangedSentence,
    ClaimChange,
    CodeChange,
    Differences,
    PageChange,
    Review,
    SceneChange,
)

LIMIT = 65_536
"""The longest comment that GitHub accepts, in characters."""
RESERVE = 600
"""Bytes reserved for the last lines, and for what is added when the report is posted."""

MAX_ROWS, MAX_ITEMS, MAX_LINES = 24, 8, 40
"""The most rows of a table, items of a list and lines of a diff that are shown."""
MAX_WORDS, MAX_WORD_LENGTH = 24, 80
"""The most words shown of a title, and the longest word."""
CONTEXT = 12
"""Unchanged words shown on each side of a change in a sentence."""

MARKER = "<!-- scenebook-review -->"
"""The last line. It identifies an earlier comment, which is then updated."""

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~$&]|:(?=//|\w)|(?<=www)\.")
_REFERENCE = re.compile(r"([@#])(?=\w)")


def render(review: Review) -> str:
    """Return the report for a pull request, at most `LIMIT` bytes long."""
    head = "\n\n".join([text(wording.headline(review)), *_head(review)])
    blocks, left = _fitting(_blocks(review), LIMIT - RESERVE - len(head.encode()))
    more = [f"and {left} more, in {_link(review)}"] if left else []
    return "\n\n".join([head, *blocks, *more, MARKER]) + "\n"


def _head(review: Review) -> Iterator[str]:
    full = f" · {_link(review)}" if review.link else ""
    yield f"{code(review.before.name)} → {code(review.after.name)}{full}"
    if quiet := wording.quiet(review.differences.quiet):
        yield f"Not counted as changes: {quiet}."
    if review.packages:
        changes = (f"{text(p.name)} {text(p.before or 'none')} → {text(p.after or 'none')}" for p in review.packages)
        yield f"Packages: {_listed(changes, MAX_ROWS)}"
    for side in (review.before, review.after):
        if side.problems:
            lines = (f"- {code(wording.clip(problem, 300))}" for problem in side.problems)
            yield f"Building {code(side.name)}:\n\n{_lines(lines, MAX_ITEMS)}"


def _link(review: Review) -> str:
    return f"[the full report](<{review.link}>)" if review.link else "the full report, index.html"


def _fitting(blocks: Iterable[str], room: int) -> tuple[list[str], int]:
    """Return the first blocks that fit, and the number of the others."""
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
    """Return a block for each changed scene and page: the most important first, then in page order."""
    differences = review.differences
    ranked: list[tuple[int, str]] = []
    for page in differences.pages:
        ranked += [(_rank(page), _page(page))] if page.own else []
        ranked += [(_rank(scene), _scene(scene)) for scene in page.scenes]
    ranked += [(6, _section(code(change.file), _code(change))) for change in differences.code]
    if differences.texts:
        ranked.append((4, _section("The site", _sentences(differences.texts))))
    ranked += [(4, block) for block in _published(differences)]
    if looks := wording.looks(review.pictures):
        ranked.append((4, _section("Pages that styles, scripts or markup change", text(looks))))
    if differences.margins:
        lines = (f"{_claim(change)}, in {code(change.place)}" for change in differences.margins)
        ranked.append((7, _section(text(wording.only_margins(differences)).capitalize(), _lines(lines, MAX_ITEMS))))
    return [block for _, block in sorted(ranked, key=lambda entry: entry[0])]


def _published(differences: Differences) -> Iterator[str]:
    """Yield a block for each kind of difference of the published files."""
    if differences.words:
        lines = (f"- {_pages(change.pages)}: {_sentence(change.sentence)}" for change in differences.words)
        yield _section("Other words of pages", _lines(lines, MAX_ITEMS))
    for markup in differences.markup:
        yield _section(f"Markup of {_pages(markup.pages)}", _diff(markup.lines))
    for file in differences.files:
        kind = "" if file.kind == "changed" else f"**{file.kind}**"
        yield _section(code(file.path), kind, text(wording.reach(file)), _diff(file.lines))


def _pages(paths: tuple[str, ...]) -> str:
    return text(wording.pages(paths))


def _rank(part: SceneChange | PageChange) -> int:
    """Return how important a change is; 0 is the most important."""
    claims = {claim.kind for claim in part.claims}
    failed, computed, quoted = False, False, False
    if isinstance(part, SceneChange):
        failed, computed = bool(part.failed), bool(part.values or part.picture or part.settings)
    else:
        quoted = bool(part.quoted)
    ranks = (failed, "fails" in claims, claims & {"removed", "weakened"}, computed, claims or quoted, part.texts)
    return next((rank for rank, found in enumerate(ranks) if found), len(ranks))


def _scene(scene: SceneChange) -> str:
    title = f"{_title(scene.title)} · " if scene.title else ""
    return _section(
        f"{title}{code(scene.name)}",
        _kind(scene.kind, scene.was),
        *(f"**It fails {side} the change**, so its results cannot be compared." for side in scene.failed),
        _claims(scene.claims),
        text(wording.cause(scene)),
        _values(scene),
        _settings(scene),
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
        _lines(quoted, MAX_ITEMS),
        weight,
    )


def _title(markup: str) -> str:
    """Return a title, cut off if it is long."""
    tokens = word_diff.tokens(markup)
    if any(len(token.text) > MAX_WORD_LENGTH for token in tokens):
        return text(wording.clip(word_diff.joined(tokens), MAX_WORD_LENGTH))
    return _words(tokens[:MAX_WORDS]) + (" …" if len(tokens) > MAX_WORDS else "")


def _section(title: str, *parts: str) -> str:
    return "\n\n".join([f"### {title}", *filter(None, parts)])


def _kind(kind: str, was: str, noun: str = "") -> str:
    return "" if kind == "changed" else f"**{noun}{kind}**" + (f", was {code(was)}" if was else "")


def _settings(scene: SceneChange) -> str:
    """Return what differs at the settings of the controls."""
    change = scene.settings
    if change is None:
        return ""
    pictures = (
        f"- panel {code(each.panel)}: {text(wording.setting_picture(each, change.common))}" for each in change.pictures
    )
    moved = text(wording.points(change))
    parts = (f"Controls: {moved}" if moved else "", _table(wording.settings_rows(change)), _lines(pictures, MAX_ITEMS))
    return "\n\n".join(filter(None, parts))


def _values(scene: SceneChange) -> str:
    return _table(wording.rows(scene))


def _table(rows: tuple[wording.Row, ...]) -> str:
    if not rows:
        return ""
    cells = ((_name(row), row.before, row.after, row.change, row.relative) for row in rows)
    table = (" | ".join(["", first, *(text(cell) for cell in rest), ""]).strip() for first, *rest in cells)
    more = f"\n\nand {len(rows) - MAX_ROWS} more values" if len(rows) > MAX_ROWS else ""
    head = "| value | before | after | change | |\n|---|---|---|---|---|\n"
    return head + "\n".join(list(table)[:MAX_ROWS]) + more


def _name(row: wording.Row) -> str:
    return code(row.name).replace("|", "\\|") + (f" {text(row.note)}" if row.note else "")


def _claims(claims: tuple[ClaimChange, ...]) -> str:
    return _lines((_claim(claim) for claim in wording.by_importance(claims)), MAX_ITEMS)


def _claim(change: ClaimChange) -> str:
    claim = change.after or change.before
    assert claim
    was = change.before.check if change.before and change.before.check != claim.check else ""
    checks = " → ".join(code(wording.clip(check)) for check in (was, claim.check) if check)
    margins = " → ".join(map(text, filter(None, wording.margins(change))))
    statement = f"{text(wording.clip(claim.text).rstrip('.'))}: {checks}" + (f", margin {margins}" if margins else "")
    return f"- claim, **{wording.CLAIM[change.kind]}**: {statement}"


def _sentences(changed: tuple[ChangedSentence, ...], home: str = "") -> str:
    """Return a line for each sentence, with its place if that is not `home`."""
    return _lines((f"- {_place(entry, home)}: {_sentence(entry.sentence)}" for entry in changed), MAX_ITEMS)


def _place(entry: ChangedSentence, home: str) -> str:
    place = text(entry.field) if entry.place == home else f"{text(entry.field)} of {code(entry.place)}"
    return f"{place}, {text(wording.also(entry))}" if entry.also else place


def _sentence(sentence: word_diff.Sentence) -> str:
    runs = list(word_diff.runs(sentence))
    markdown = ""
    for index, (kind, tokens) in enumerate(runs):
        if kind == "same":
            part = _words(_context(tokens, first=index == 0, last=index == len(runs) - 1))
        else:
            part = _emphasis({"gone": "~~", "new": "**"}[kind], _words(tokens))
        markdown += f"{_space_emphasis(markdown, part, tokens[0].space)}{part}"
    return markdown


def _words(tokens: Iterable[word_diff.Token]) -> str:
    """Return tokens as Markdown, with formulas as code."""
    parts = ((token.space, code(token.text) if token.markup else text(token.text)) for token in tokens)
    return "".join(f"{' ' if space else ''}{part}" for space, part in parts).strip()


def _space_emphasis(before: str, after: str, space: bool) -> str:
    """Return a space if the text has one there, or if Markdown needs one next to an emphasis mark."""
    marked = before[-1:] in ("*", "~") and after[:1] != "," and (after[:1].isalnum() or after[:1] in ("*", "~", "`"))
    return " " if before and (space or marked) else ""


def _context(tokens: tuple[word_diff.Token, ...], first: bool, last: bool) -> tuple[word_diff.Token, ...]:
    """Return the words of an unchanged run that are close to a changed one."""
    if len(tokens) <= 2 * CONTEXT:
        return tokens
    head, tail = () if first else tokens[:CONTEXT], () if last else tokens[-CONTEXT:]
    return (*head, word_diff.Token("", "…"), *tail)


def _marked(texts: Iterable[str], mark: str) -> str:
    return _emphasis(mark, text(wording.clip(" ".join(texts))))


def _emphasis(mark: str, content: str) -> str:
    return f"{mark}{content}{mark}" if content else ""


def _code(change: CodeChange) -> str:
    return _diff(change.lines)


def _diff(all_lines: tuple[str, ...]) -> str:
    if not all_lines:
        return ""
    lines = [line[:200] for line in all_lines[:MAX_LINES]]
    more = f"\n\nand {len(all_lines) - MAX_LINES} more lines" if len(all_lines) > MAX_LINES else ""
    fence = "`" * max(3, 1 + max((len(run) for line in lines for run in re.findall("`+", line)), default=0))
    return "\n".join([f"{fence}diff", *lines, fence]) + more


def _lines(lines: Iterable[str], limit: int) -> str:
    items = list(lines)
    more = [f"- and {len(items) - limit} more"] if len(items) > limit else []
    return "\n".join([*items[:limit], *more])


def _listed(entries: Iterable[str], limit: int) -> str:
    items = list(entries)
    return ", ".join(items[:limit]) + (f", and {len(items) - limit} more" if len(items) > limit else "")


def text(raw: str) -> str:
    """Escape a text as Markdown, on one line, without any markup, link, mention or reference."""
    line = _SPECIAL.sub(lambda match: f"\\{match[0]}", " ".join(raw.split()))
    return _REFERENCE.sub("\\1\N{ZERO WIDTH SPACE}", line)


def code(raw: str) -> str:
    """Return a text as a code span."""
    line = " ".join(raw.split()) or " "
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"
