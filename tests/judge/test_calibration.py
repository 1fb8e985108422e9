"""Agreement of a judge with people, checked against scikit-learn."""

from __future__ import annotations

import math
import os
import warnings
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, cohen_kappa_score

from pytest_agentv.errors import SettingsError
from pytest_agentv.judge.calibration import agreement, read_labelled

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


@settings(deadline=None, max_examples=60)
@given(PAIRS)
def test_accuracy_and_kappa_are_those_of_scikit_learn(pairs: list[tuple[bool, bool]]) -> None:
    people, judge = zip(*pairs, strict=True)
    found = agreement(pairs)
    assert found.count == len(pairs)
    assert found.accuracy == pytest.approx(accuracy_score(people, judge))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where kappa is not defined
        expected = cohen_kappa_score(people, judge, labels=[False, True])
    if found.kappa is None:
        assert math.isnan(expected)
    else:
        assert found.kappa == pytest.approx(expected)


def test_of_nothing_there_is_no_agreement() -> None:
    assert (agreement([]).accuracy, agreement([]).kappa) == (None, None)


def test_rows_of_csv_and_jsonl_say_the_same(tmp_path: Path) -> None:
    table = tmp_path / "labels.csv"
    table.write_text(
        'label,criteria,output,input,id\npass,It is polite,"Thanks,\nplease",Do it,1\n'
        "0,It is long,No,,2\n",
        encoding="utf-8",
    )
    lines = tmp_path / "labels.jsonl"
    lines.write_text(
        '{"label": true, "criteria": "It is polite", "output": "Thanks,\\nplease", '
        '"input": "Do it", "id": "1"}\n\n'
        '{"human": "FAIL", "rubric": "It is long", "answer": "No", "id": "2"}\n',
        encoding="utf-8",
    )
    found = [
        [(one.label, one.criteria, one.output, one.task, one.id) for one in read_labelled(path)]
        for path in (table, lines)
    ]
    assert found[0] == found[1]
    assert found[0][0] == (True, "It is polite", "Thanks,\nplease", "Do it", "1")


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("x.jsonl", "", "x.jsonl: holds no row"),
        ("x.jsonl", "{", "x.jsonl:1: is no JSON: "),
        ("x.jsonl", "[]", "x.jsonl:1: must be an object"),
        ("x.jsonl", '\n{"label": "maybe"}', "x.jsonl:2: `label` must be pass or fail, not 'maybe'"),
        ("x.jsonl", '{"label": 1}', "x.jsonl:1: needs `criteria` and `output` to be judged"),
        ("x.jsonl", '{"judge": 1}', "x.jsonl:1: needs a `label`: pass or fail"),
        ("x.jsonl", '{"label": 1, "jugde": 1}', "x.jsonl:1: unknown column 'jugde'; known: "),
        ("x.csv", "label,judge\n1,1,1\n", "x.csv:2: has more values than columns"),
        ("x.csv", 'label\n"1" 2,3', "x.csv:2: is no CSV: "),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, name: str, content: str, problem: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        read_labelled(path)
    assert problem in str(caught.value)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read: no such file"):
        read_labelled(tmp_path / "x.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.csv")
    (tmp_path / "y.csv").symlink_to("/dev/zero")
    for name, kind in [("x.csv", "a named pipe"), ("y.csv", "a device"), ("", "a directory")]:
        with pytest.raises(SettingsError, match=f"cannot be read: is {kind}, not a regular file"):
            read_labelled(tmp_path / name)


def test_a_file_that_is_far_too_large_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "x.jsonl").open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(SettingsError, match="is larger than 64 MiB"):
        read_labelled(tmp_path / "x.jsonl")
