"""Texts as vectors: as the model means them, without the network, and stored without harm."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentv.config.keys import BY_NAME
from pytest_agentv.errors import SearchError
from pytest_agentv.search import encoder as model
from pytest_agentv.search.encoder import LONGEST, Encoder

if TYPE_CHECKING:
    from pathlib import Path

np = pytest.importorskip("numpy")
if not model.is_installed():
    pytest.skip("the extra semantic is not installed", allow_module_level=True)

ENCODERS = {one: Encoder(one) for one in BY_NAME["index.vector_precision"].choices}
ENCODER = ENCODERS["f16"]

_WITHOUT_NETWORK = """
import socket, sys
def refused(*_, **__): raise AssertionError("asked the network")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refused
from pytest_agentv.search.encoder import Encoder
assert Encoder().vector("a token").any()
loaded = {"wordllama", "requests", "huggingface_hub", "pydantic"} & set(sys.modules)
assert not loaded, loaded
"""


def test_the_model_is_loaded_without_the_network_and_without_its_package() -> None:
    subprocess.run([sys.executable, "-c", _WITHOUT_NETWORK], check=True)


def test_like_meanings_have_like_vectors() -> None:
    asked = ENCODER.vector("users are logged out too early")
    near = ENCODER.vector("people must sign in again after ten minutes")
    far = ENCODER.vector("the recipe wants two eggs and some flour")

    assert asked @ near > asked @ far + 0.1


@pytest.mark.parametrize("precision", ENCODERS)
@settings(max_examples=30)
@given(texts=st.lists(st.text(max_size=80), max_size=20))
def test_what_is_stored_is_what_was_encoded(precision: str, texts: list[str]) -> None:
    encoder = ENCODERS[precision]

    blobs = list(encoder.encode(texts))

    assert {len(blob) for blob in blobs} <= {encoder.dimensions * encoder.item_size}
    stored = encoder.stored(blobs)
    assert stored.shape == (len(texts), encoder.dimensions)
    for text, vector in zip(texts, stored, strict=True):
        expected = encoder.vector(text)
        assert np.abs(vector - expected).max() <= (2**-11 if precision == "f16" else 1e-6)
        length = np.linalg.norm(vector)
        assert abs(length - 1) < 0.01 if text.split() else length == 0


def test_many_texts_are_encoded_as_each_alone() -> None:
    texts = [f"word {number} " * (number % 90) for number in range(400)]

    together = ENCODER.stored(list(ENCODER.encode(texts)))

    alone = ENCODER.stored([blob for text in texts for blob in ENCODER.encode([text])])
    assert np.abs(together - alone).max() < 0.001


def test_what_comes_late_in_a_long_text_changes_nothing() -> None:
    begin = "token " * (LONGEST // 6 + 1)

    assert (ENCODER.vector(f"{begin} eggs and flour") == ENCODER.vector(begin)).all()


def test_files_of_another_model_are_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()
    weights = tmp_path / "weights" / "l2_supercat_256.safetensors"
    weights.write_bytes((2).to_bytes(8, "little") + b"{}")

    with pytest.raises(
        SearchError, match="is not the model that we know; install ours: pip install"
    ):
        Encoder(folder=tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted elsewhere")
def test_numpy_starts_no_threads_for_us_and_the_environment_stays(tmp_path: Path) -> None:
    code = """
import os
from pytest_agentv.search.encoder import Encoder
Encoder()
assert "OPENBLAS_NUM_THREADS" not in os.environ
print(len(os.listdir("/proc/self/task")))
"""
    environ = {**os.environ, "RAYON_NUM_THREADS": "1"}
    environ.pop("OPENBLAS_NUM_THREADS", None)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environ, capture_output=True, check=True
    )

    assert int(done.stdout) == 1
