"""The JSON Schema of eval files, for editors: as strict as the registered graders are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from pydantic import AliasChoices, BaseModel

from pytest_agentv.evalfile.schema import eval_schema
from pytest_agentv.graders.functions import FunctionGrader

if TYPE_CHECKING:
    from pytest_agentv.assertion_types import AnyGrader, AssertionTypes


def eval_file_schema(types: AssertionTypes) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of an eval file that uses these assertion types."""
    graders = {name: types.get(name) for name in types}
    return eval_schema({name: _keys(one) for name, one in graders.items() if one is not None})


def _keys(grader: AnyGrader) -> dict[str, Any]:
    if isinstance(grader, FunctionGrader):
        return {"properties": {name: {} for name in grader.takes}, "required": []}
    schema = grader.model_json_schema(by_alias=True)
    defined = schema.get("$defs", {})
    inner = {model.__name__: model for model in models_in(grader)}
    definitions = {
        name: _with_all_names(one, inner[name]) if name in inner else one
        for name, one in defined.items()
    }
    return {**_with_all_names(schema, grader), "$defs": definitions}


def _with_all_names(schema: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a model: pydantic describes only the first name of a key, and requires it."""
    if "anyOf" in schema:  # a model that may also be written in another way
        ways = [
            _with_all_names(one, model) if "properties" in one else one for one in schema["anyOf"]
        ]
        return {**schema, "anyOf": ways}
    properties, required = dict(schema.get("properties", {})), schema.get("required", [])
    for field in model.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            first, *others = map(str, field.validation_alias.choices)
            properties |= dict.fromkeys(others, properties[first])
            required = [name for name in required if name != first]
    return {**schema, "properties": properties, "required": required}


def models_in(model: type[BaseModel]) -> set[type[BaseModel]]:
    """The models that stand in the fields of a model, at any depth."""
    found: set[type[BaseModel]] = set()
    left: list[Any] = [field.annotation for field in model.model_fields.values()]
    while left:
        one = left.pop()
        left += get_args(one)
        if isinstance(one, type) and issubclass(one, BaseModel) and one not in found:
            found.add(one)
            left += [field.annotation for field in one.model_fields.values()]
    return found
