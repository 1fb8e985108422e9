"""The JSON Schema of eval files, for editors: what the loader and the graders accept.

It is made of the same models that the loader uses. What a schema cannot say well, such as unique
ids or variables that exist, only the loader checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.evalfile.entries import BESIDE, MEMBERS, MEMBERS_BESIDE, NOT
from pytest_agentv.evalfile.foreign import ASSERTION_IGNORED
from pytest_agentv.evalfile.tables import COMMON, DEFAULTS, EXECUTION, FILE, TEST

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from pytest_agentv.evalfile.tables import KeyTable

    Schema: TypeAlias = dict[str, Any]
    # The keys of a grader: "properties", "required", and "$defs" that these refer to.
    GraderSchema: TypeAlias = Mapping[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_PATH: Schema = {"type": "string", "minLength": 1}
_REFERENCE: Schema = {"type": "string", "pattern": "^(file|ref)://"}
# A template or the content of a file may stand for a value of any type.
_STAND_IN: Schema = {"type": "string", "pattern": r"\{\{|^file://"}
_IMPORTS: Schema = {
    "type": "object",
    "properties": {
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"path": _PATH, "run": {"type": "object"}},
                "required": ["path"],
                "additionalProperties": False,
            },
        }
    },
    "additionalProperties": False,
}
_VARIABLES: Schema = {
    "type": "object",
    "propertyNames": {"not": {"enum": ["env", "vars"]}},
    "description": "Values for templates: {{ name }}.",
}


def eval_schema(graders: Mapping[str, GraderSchema]) -> Schema:
    """The schema of an eval file, given the keys of each type of assertion.

    The forms with ``not-`` are added to them here.
    """
    types = {name: schema for name, schema in graders.items() if not name.startswith(NOT)}
    definitions: Schema = {
        "assertion": _assertion(types),
        "assertions": {"type": "array", "items": _ref("assertion")},
        "execution": {
            **_keys(EXECUTION, **_assertion_lists(EXECUTION)),
            "additionalProperties": True,
        },
        "default_test": _keys(DEFAULTS, vars=_VARIABLES, **_assertion_lists(DEFAULTS)),
        "test": _keys(TEST, vars=_VARIABLES, **_assertion_lists(TEST)),
    }
    for name, schema in types.items():
        definitions |= _definitions(name, schema)
    tests = {"type": "array", "minItems": 1, "items": {"anyOf": [_ref("test"), _PATH]}}
    file = _keys(
        FILE,
        vars=_VARIABLES,
        default_test={"anyOf": [_ref("default_test"), _REFERENCE]},
        tests={"anyOf": [tests, _PATH]},
        imports=_IMPORTS,
        scenarios={"type": "array", "items": {"type": ["object", "string"]}},
        **_assertion_lists(FILE),
    )
    holders = [*_names(FILE, "tests"), "imports", "scenarios"]
    some_tests = [{"required": [name]} for name in holders]
    return {
        "$schema": DIALECT,
        "title": "Eval file",
        **file,
        "anyOf": some_tests,
        "$defs": definitions,
    }


def _keys(table: KeyTable, **known: Schema) -> Schema:
    """A mapping with the keys of a table, under all of their names."""
    model = table.model.model_json_schema(by_alias=True)
    inner = model.get("$defs", {})
    properties: Schema = {
        key: _or_stand_in(_tidy(_inlined(schema, inner)))
        for key, schema in model["properties"].items()
    }
    properties |= known
    if "execution" in properties:
        properties["execution"] = _ref("execution")
    aliases = {alias: properties[name] for alias, name in table.aliases.items()}
    ignored = dict.fromkeys(sorted(table.ignored), True)
    return {
        "type": "object",
        "properties": {**properties, **aliases, **ignored},
        "additionalProperties": False,
    }


def _assertion_lists(table: KeyTable) -> Schema:
    return dict.fromkeys(_names(table, "assert"), _ref("assertions"))


def _names(table: KeyTable, key: str) -> list[str]:
    return [key, *(alias for alias, name in table.aliases.items() if name == key)]


def _assertion(types: Mapping[str, GraderSchema]) -> Schema:
    rubric = {"type": "string", "minLength": 1, "description": "A rubric for an LLM judge."}
    include = {
        "type": "object",
        "properties": {"include": {"type": "string", "minLength": 1}},
        "required": ["include"],
        "additionalProperties": False,
    }
    return {"anyOf": [rubric, include, _long(types), _short(types)]}


def _long(types: Mapping[str, GraderSchema]) -> Schema:
    """An assertion with ``type``: which other keys it has depends on that."""
    names = [form for name in types for form in _long_forms(name)]
    rules = [
        {
            "if": {"properties": {"type": {"enum": _long_forms(name)}}, "required": ["type"]},
            "then": _ref(f"type.{name}"),
        }
        for name in types
    ]
    return {
        "type": "object",
        "properties": {"type": {"enum": names}},
        "required": ["type"],
        "allOf": rules,
    }


def _short(types: Mapping[str, GraderSchema]) -> Schema:
    """An assertion whose only key of its own is its type."""
    beside = {**_common(), **dict.fromkeys(BESIDE, True)}
    forms = {form: _ref(f"short.{name}") for name in types for form in _forms(name)}
    return {
        "type": "object",
        "properties": {**beside, **forms},
        "additionalProperties": False,
        "oneOf": [{"required": [form]} for form in forms],
    }


def _forms(name: str) -> list[str]:
    return [name, f"{NOT}{name}"]


def _long_forms(name: str) -> list[str]:
    """The names as values of ``type``: there AgentV 4 writes underscores, too."""
    other = name.replace("-", "_")
    return [*_forms(name), *(_forms(other) if other != name else [])]


def _definitions(name: str, grader: GraderSchema) -> Schema:
    """The keys of one type, in its long form and in its short one."""
    defined = grader.get("$defs", {})
    own = {
        key: _or_stand_in(_tidy(_inlined(schema, defined)))
        for key, schema in grader.get("properties", {}).items()
    }
    required = list(grader.get("required", []))
    members = dict.fromkeys((*MEMBERS, *MEMBERS_BESIDE.get(name, ())), _ref("assertions"))
    calling = dict.fromkeys(sorted(ASSERTION_IGNORED), True)
    # A grader may pass on what it does not know.
    others = grader.get("additionalProperties", False)
    long = {
        "properties": {"type": True, **_common(), **calling, **members, **own},
        "required": required,
        "additionalProperties": others,
    }
    keys = {
        "type": "object",
        "properties": own,
        "required": required,
        "additionalProperties": others,
    }
    alone = set(required) <= {"value"}
    value = [own["value"]] if "value" in own and alone else []
    return {f"type.{name}": long, f"short.{name}": {"anyOf": [*value, keys]}}


def _common() -> Schema:
    properties: Schema = _keys(COMMON)["properties"]
    return properties


def _inlined(schema: Any, defined: Mapping[str, Any]) -> Any:
    """A schema of pydantic's with its definitions put in where they are used."""
    if isinstance(schema, list):
        return [_inlined(one, defined) for one in schema]
    if not isinstance(schema, dict):
        return schema
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name in defined:
        inner = {other: one for other, one in defined.items() if other != name}
        return _inlined(defined[name], inner)
    # What contains itself is not described any deeper.
    return {key: _inlined(one, defined) for key, one in schema.items() if key != "$ref"}


def _tidy(schema: Any) -> Any:
    """A schema without titles, defaults and null: a key without a value is left out."""
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in ("title", "default")}
    choices = [_tidy(one) for one in kept.pop("anyOf", []) if one != {"type": "null"}]
    if len(choices) == 1:
        return {**kept, **choices[0]}
    return {**kept, "anyOf": choices} if choices else kept


def _or_stand_in(schema: Any) -> Any:
    return {"anyOf": [schema, _STAND_IN]} if schema else schema


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}
