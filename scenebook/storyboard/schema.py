"""The JSON schemas that let editors complete and check storyboards and page files."""

from __future__ import annotations

import json
from typing import Any

from scenebook.storyboard._model_fields import documentation
from scenebook.storyboard._validation import MODELS, adapter


def schemas() -> dict[str, str]:
    """Return the text of each schema by file name."""
    return {f"{kind}.schema.json": schema(kind) for kind in MODELS}


def schema(kind: str) -> str:
    """Return the schema of a `storyboard` or a `page` file. Like the loader, it accepts any scalar as text."""
    generator = _generator()
    tree = adapter(kind).json_schema(schema_generator=generator)
    tree["$schema"] = generator.schema_dialect
    if kind == "storyboard":
        path = {"type": "string", "description": "The path of a page file, relative to the root."}
        tree["properties"]["pages"]["items"] = {"anyOf": [path, {"$ref": "#/$defs/Page"}]}
    for name, docstrings in documentation().items():
        described = tree if name == MODELS[kind].__name__ else tree["$defs"].get(name, {})
        for key in docstrings.keys() & described.get("properties", {}).keys():
            described["properties"][key]["description"] = docstrings[key]
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
