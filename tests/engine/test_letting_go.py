"""What an eval file takes in memory while it is read is let go when it was."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from pytest_agentv.engine.compiling import Compiler
from pytest_agentv.evalfile.loader import load_eval_file
from pytest_agentv.evalfile.placed import PlacedDict, PlacedList
from pytest_agentv.plugins import assertion_types, plugin_manager

if TYPE_CHECKING:
    from pathlib import Path


def placed() -> int:
    return sum(isinstance(one, (PlacedDict, PlacedList)) for one in gc.get_objects())


def test_the_tree_of_a_file_is_let_go_while_the_garbage_collector_rests(tmp_path: Path) -> None:
    path = tmp_path / "a.eval.yaml"
    path.write_text("tests: [{id: a, assert: [contains: x, {regex: z+}]}]\n", encoding="utf-8")
    compiler = Compiler(assertion_types(plugin_manager()))
    gc.collect()
    before = placed()
    gc.disable()
    try:
        cases = compiler.cases(load_eval_file(path, root=tmp_path, check=compiler.problems))
        del compiler
        assert [len(one.assertions) for one in cases] == [2]
        assert placed() == before
    finally:
        gc.enable()
