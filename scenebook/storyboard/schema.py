"""The JSON schemas by which editors complete and check storyboards and page files."""

from __future__ import annotations

import json
from typing import Any

from scenebook.storyboard._model_fields import documentation
from scenebook.storyboard.loader import KINDS, adapter


def schemas() -> dict[str, str]:
    """The JSON schemas by which editors complete and check storyboards and page files: text by name of file."""
    return {f"{kind}.schema.json": schema(kind) for kind in KINDS}


def schema(kind: str) -> str:
    """The schema of a `storyboard` or a `page` file. Like the loader, it takes any scalar as text."""
    generator = _generator()
    tree = adapter(kind).json_schema(schema_generator=generator)
    tree["$schema"] = generator.schema_dialect
    if kind == "storyboard":
        path = {"type": "string", "description": "The path of a file that holds a page, relative to the root."}
        tree["properties"]["pages"]["items"] = {"anyOf": [path, {"$ref": "#/$defs/Page"}]}
    for name, words in documentation().items():
        described = tree if name == KINDS[kind].__name__ else tree["$defs"].get(name, {})
        for key in words.keys() & described.get("properties", {}).keys():
            described["properties"][key]["description"] = words[key]
    return json.dumps(tree, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _generator() -> Any:
    from pydantic.json_schema import GenerateJsonSchema

    class Generator(GenerateJsonSchema):
        def str_schema(self, schema: Any) -> dict[str, Any]:
            return {"type": ["string", "number", "boolean"]}

        def nullable_schema(self, schema: Any) -> dict[str, Any]:
            return self.generate_inner(schema["schema"])

        def field_title_should_be_set(self, schema: Any) -> bool:
            return False

    return Generator
