"""The JSON Schema of eval files, for editors: as strict as the registered graders are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    return grader.model_json_schema(by_alias=True)
