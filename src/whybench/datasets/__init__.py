"""Data that are downloaded, never kept with the code: answers, stimuli, data sets, a library.

Each source is pinned to a commit of a public repository or to a version, and each of its files to a
SHA-256 in a table beside this module. A file is taken from the first of these that has it:

1. the folder named by the environment variable `WHYBENCH_DATA_MIRROR`, which holds one folder a
   source (for machines without a network, and for tests);
2. the package, into which a release puts what its licence allows (`hatch_build.py`);
3. the cache, which `WHYBENCH_DATA_CACHE` may move;
4. the source's address, from where it is downloaded into the cache by pooch.

Wherever a file comes from, its checksum is verified before it is used.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from whybench.errors import DataError

__all__ = ["SOURCES", "DataFile", "Source", "cache_folder", "data_path", "file_state"]

MIRROR = "WHYBENCH_DATA_MIRROR"
CACHE = "WHYBENCH_DATA_CACHE"


@dataclass(frozen=True)
class DataFile:
    """One file of a source: its path there, its size and its checksum."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Source:
    """A public place from which data are downloaded.

    Attributes:
        name: Its name, also that of its folder in a mirror.
        title: What it holds.
        address: Where its files are; a file's path is appended.
        licence: The licence it states.
        citation: How to cite it.
    """

    name: str
    title: str
    address: str
    licence: str
    citation: str

    @property
    def files(self) -> dict[str, DataFile]:
        """The files that are pinned, by path."""
        return _files(self.name)


SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        Source(
            name="causAIign",
            title="Likelihood judgments of people and some thirty language models",
            address=(
                "https://raw.githubusercontent.com/hmd101/causAIign/"
                "c8ffdcdcb370884694a32cacdfe1441bb9677c34/"
            ),
            licence="none stated: downloaded for your use, not redistributed",
            citation=(
                "H. M. Dettki, causAIign (GitHub, 2025); people: B. Rehder and M. R. Waldmann, "
                "Failures of explaining away and screening off in described versus experienced "
                "causal learning scenarios, Memory & Cognition 45 (2017)"
            ),
        ),
        Source(
            name="CausalPitfalls",
            title="75 data sets with a trap in them, their questions, keys and rubrics",
            address=(
                "https://raw.githubusercontent.com/dudududuu/CausalPitfalls/"
                "81a4015789aaf93ca2e5fa56496f56dd21fc39c8/"
            ),
            licence="MIT",
            citation=(
                "J. Du, L. Chen, X. Xian, A. Luo, F. Tian, G. Wang, C. Doss, X. Shen and J. Ding, "
                "Ice Cream Doesn't Cause Drowning: Benchmarking LLMs Against Statistical Pitfalls "
                "in Causal Inference, arXiv:2505.13770 (2025)"
            ),
        ),
        Source(
            name="CausalLink",
            title="The prompts of an interactive evaluation by acting on shapes",
            address=(
                "https://raw.githubusercontent.com/JinyueF/CausalLink/"
                "ac290df37f2889785029f364ccf63076304f1a7f/"
            ),
            licence="MIT, as its paper states",
            citation=(
                "J. Feng and F. Rudzicz, CausalLink: An Interactive Evaluation Framework for "
                "Causal Reasoning, Findings of ACL (2025)"
            ),
        ),
        Source(
            name="rlcausal",
            title="Test files of RLCausal: distributions asked of stated worlds, with keys",
            address=(
                "https://raw.githubusercontent.com/zhichul/rlcausal/"
                "d9d613246e3b3b4f459870f476703af9b4b0426a/"
            ),
            licence="MIT",
            citation=(
                "B. Lu, H. Zhao, S. Sun, H. Peng, R. Ding and H. Mei, Generalization of RLVR Using "
                "Causal Reasoning as a Testbed, arXiv:2512.20760 (2025)"
            ),
        ),
        Source(
            name="cladder",
            title="Test files of CLadder: yes or no on three rungs, with keys",
            address=(
                "https://raw.githubusercontent.com/causalNLP/cladder/"
                "3d2d1169b4b939a09048a6a75956c8972a93cc38/"
            ),
            licence="MIT",
            citation=(
                "Z. Jin, Y. Chen, F. Leeb, L. Gresele, O. Kamal, Z. Lyu, K. Blin, F. Gonzalez, "
                "M. Kleiman-Weiner, M. Sachan and B. Schölkopf, CLadder: Assessing Causal "
                "Reasoning in Language Models, NeurIPS (2023)"
            ),
        ),
        Source(
            name="jsPsych",
            title="The library on which studies for people run in a browser",
            address="https://cdn.jsdelivr.net/npm/",
            licence="MIT",
            citation=(
                "J. R. de Leeuw, R. A. Gilbert and B. Luchterhandt, jsPsych: Enabling an "
                "open-source collaborative ecosystem of behavioral experiments, Journal of Open "
                "Source Software 8 (2023), 5351"
            ),
        ),
    )
}


@cache
def _files(name: str) -> dict[str, DataFile]:
    table = files(__package__).joinpath(f"{name}.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines())
    return {path: DataFile(path, int(size), sha256) for sha256, size, path in rows}


def file_state(source: str, path: str) -> Literal["mirror", "bundled", "cache", "not fetched"]:
    """Return where a file would be taken from now, without downloading or verifying it."""
    _find_file(source, path)
    if _find_in_mirror(source, path) is not None:
        return "mirror"
    if _find_bundled(source, path) is not None:
        return "bundled"
    return "cache" if (cache_folder() / source / path).is_file() else "not fetched"


def data_path(source: str, path: str) -> Path:
    """Return the local path of a file, downloading it if need be; its checksum is verified."""
    file = _find_file(source, path)
    mirrored = _find_in_mirror(source, path)
    found = mirrored or _find_bundled(source, path)
    if found is None:
        return _download(SOURCES[source], file)
    sha256 = hashlib.sha256(found.read_bytes()).hexdigest()
    if sha256 != file.sha256:
        todo = f"replace the file, or unset {MIRROR} to download it"
        raise DataError(
            f"{found} must have the SHA-256 {file.sha256}, got {sha256}; "
            f"{todo if mirrored else 'install the package again'}"
        )
    return found


def _find_file(source: str, path: str) -> DataFile:
    if source not in SOURCES:
        raise DataError(f"source must be one of {', '.join(SOURCES)}, got {source!r}")
    table = SOURCES[source].files
    if path not in table:
        raise DataError(f"{source} has no pinned file {path!r}; `whybench data list` shows them")
    return table[path]


def _find_in_mirror(source: str, path: str) -> Path | None:
    folder = os.environ.get(MIRROR)
    if not folder:
        return None
    candidate = Path(folder) / source / path
    return candidate if candidate.is_file() else None


def _find_bundled(source: str, path: str) -> Path | None:
    candidate = Path(__file__).parent / source / path
    return candidate if candidate.is_file() else None


def cache_folder() -> Path:
    """Return the folder in which downloaded data are kept."""
    import pooch  # noqa: PLC0415  (half of a second is not wanted at start-up)

    return Path(os.environ.get(CACHE) or pooch.os_cache("whybench"))


def _reason(error: Exception) -> str:
    """Return why a request failed, without the objects that the libraries below name."""
    inner = error.args[0] if error.args else error
    reason = str(getattr(inner, "reason", inner))
    return reason.partition("): ")[2] or reason


def _download(source: Source, file: DataFile) -> Path:
    import pooch  # noqa: PLC0415
    from requests.exceptions import RequestException  # noqa: PLC0415

    pooch.get_logger().setLevel("WARNING")
    target = cache_folder() / source.name / file.path
    try:
        return Path(
            pooch.retrieve(
                source.address + file.path,
                known_hash=f"sha256:{file.sha256}",
                path=target.parent,
                fname=target.name,
            )
        )
    except RequestException as error:
        raise DataError(
            f"{file.path} of {source.name} could not be downloaded from {source.address}: "
            f"{_reason(error)}. Without a network, set {MIRROR} to a folder that holds "
            f"{source.name}/"
        ) from error
    except ValueError as error:
        raise DataError(
            f"{file.path} of {source.name} must have the SHA-256 {file.sha256}; the download "
            f"had another and was discarded ({error}). Try again, or report it if it stays so"
        ) from error
