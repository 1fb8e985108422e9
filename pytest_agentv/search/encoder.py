"""Texts as vectors, by a small model whose files come with the package `wordllama`.

A text is the mean of what the model knows of its pieces, so any text takes microseconds. The
package is not imported, only its two files are read: it would ask the network for one of them, and
loads what we do not need. Needs the extra ``semantic``.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentv.errors import Location, SearchError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

NEEDED = ("numpy", "tokenizers", "wordllama")
HOW_TO_INSTALL = "pip install 'pytest-agentv[semantic]'"

# Characters of a text: the mean of many words says little.
LONGEST = 2_000

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_DIMENSIONS = 256
# Pieces of texts that are looked up at once: 2 MB.
_PORTION = 2_048
# Words whose pieces are remembered; most of a text are words that came before.
_MOST_WORDS = 50_000
_LONGEST_WORD = 40
_THREADS = "OPENBLAS_NUM_THREADS"


def name_of(precision: str) -> str:
    """What an index calls the model that its vectors are of."""
    return f"wordllama-l2-supercat-{_DIMENSIONS}-{precision}"


def is_installed() -> bool:
    """Whether the extra is there."""
    return all(find_spec(name) is not None for name in NEEDED)


class Encoder:
    """The model, loaded; vectors have a length of 1, so that their product is their likeness."""

    dimensions = _DIMENSIONS

    def __init__(self, precision: str = "f16", *, folder: Path | None = None) -> None:
        with _without_threads():
            import numpy as np  # noqa: F401, PLC0415 (heavy, and of an extra)
            from tokenizers import Tokenizer  # noqa: PLC0415 (heavy, and of an extra)

        folder = _folder() if folder is None else folder
        self.name = name_of(precision)
        self._type = "<f4" if precision == "f32" else "<f2"
        self.item_size = 4 if precision == "f32" else 2
        self._weights = _weights(folder / _WEIGHTS)
        self._tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        self._pieces: dict[str, list[int]] = {}

    def encode(self, texts: Iterable[str]) -> Iterator[bytes]:
        """The vectors of texts as they are stored."""
        for vectors in self._portions(texts):
            for vector in vectors.astype(self._type):
                yield vector.tobytes()

    def vector(self, text: str) -> NDArray[np.float32]:
        """The vector of one text; all zeros if there is no word in it."""
        (vectors,) = self._portions([text])
        found: NDArray[np.float32] = vectors[0]
        return found

    def stored(self, blobs: Sequence[bytes]) -> NDArray[np.float32]:
        """Vectors that were stored, one below the other."""
        import numpy as np  # noqa: PLC0415 (heavy, and of an extra)

        found = np.frombuffer(b"".join(blobs), self._type).reshape(-1, _DIMENSIONS)
        return found.astype(np.float32)

    def _portions(self, texts: Iterable[str]) -> Iterator[NDArray[np.float32]]:
        ends: list[int] = []
        pieces: list[int] = []
        for text in texts:
            for word in text[:LONGEST].split():
                pieces += self._pieces.get(word) or self._taken_apart(word)
            ends.append(len(pieces))
            if len(pieces) >= _PORTION:
                yield self._means(pieces, ends)
                pieces, ends = [], []
        if ends:
            yield self._means(pieces, ends)

    def _taken_apart(self, word: str) -> list[int]:
        pieces: list[int] = self._tokenizer.encode(word, add_special_tokens=False).ids
        if len(word) <= _LONGEST_WORD and len(self._pieces) < _MOST_WORDS:
            self._pieces[word] = pieces
        return pieces

    def _means(self, pieces: list[int], ends: list[int]) -> NDArray[np.float32]:
        """The mean of the pieces up to each end, with a length of 1."""
        import numpy as np  # noqa: PLC0415 (heavy, and of an extra)

        rows = self._weights[pieces].astype(np.float32)
        starts = np.array([0, *ends[:-1]])
        filled = starts < np.array(ends)
        means = np.zeros((len(ends), _DIMENSIONS), np.float32)
        if filled.any():
            means[filled] = np.add.reduceat(rows, starts[filled], axis=0)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        means /= np.where(lengths > 0, lengths, 1)
        return means


@contextmanager
def _without_threads() -> Iterator[None]:
    """Around the first import of NumPy: nothing here is so large that its threads would pay.

    To start them takes as much CPU time as all the rest of an import.
    """
    known = os.environ.get(_THREADS)
    os.environ.setdefault(_THREADS, "1")
    try:
        yield
    finally:
        if known is None:
            del os.environ[_THREADS]


def _folder() -> Path:
    spec = find_spec("wordllama")
    places = None if spec is None else spec.submodule_search_locations
    if not places:
        raise SearchError(f"the model is not installed: {HOW_TO_INSTALL}")
    return Path(next(iter(places)))


def _weights(path: Path) -> Any:
    """The table of a safetensors file: 8 bytes with the size of its header, header, numbers."""
    import numpy as np  # noqa: PLC0415 (heavy, and of an extra)

    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            (about,) = json.loads(file.read(size)).values()
        rows, columns = about["shape"]
        is_known = (about["dtype"], columns) == ("F16", _DIMENSIONS)
        weights = np.memmap(path, "<f2", "r", 8 + size, (rows, columns)) if is_known else None
    except (OSError, ValueError, KeyError):
        weights = None
    if weights is None:
        message = f"is not the model that we know; install ours: {HOW_TO_INSTALL}"
        raise SearchError(message, at=Location(path))
    return weights
