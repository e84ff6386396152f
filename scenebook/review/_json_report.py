"""Write a review as JSON, for programs."""

import dataclasses
import json
import math
from typing import Any

from scenebook.review import _word_diff as word_diff
from scenebook.review import _wording as wording
from scenebook.review._differences import ChangedSentence, ClaimChange, Review


def render(review: Review) -> str:
    """Return the report as strict JSON."""
    content = {"headline": wording.headline(review), **_json_data(review)}
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _json_data(value: Any) -> Any:
    """Convert dataclasses to objects, sentences to runs of words, and numbers as in facts.json."""
    if isinstance(value, ChangedSentence):
        runs = [{"kind": kind, "text": word_diff.joined(tokens)} for kind, tokens in word_diff.runs(value.sentence)]
        return {"place": value.place, "field": value.field, "sentence": runs}
    if dataclasses.is_dataclass(value):
        fields = {item.name: _json_data(getattr(value, item.name)) for item in dataclasses.fields(value) if item.repr}
        return {"kind": value.kind, **fields} if isinstance(value, ClaimChange) else fields
    if isinstance(value, tuple | list):
        return [_json_data(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return {key: _json_data(item) for key, item in value.items()} if isinstance(value, dict) else value
