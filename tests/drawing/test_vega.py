"""The theme of charts, and the script by which a page draws them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("vl_convert")

from whybench.drawing import vega
from whybench.drawing.charts import theme
from whybench.drawing.style import COLOURS

if TYPE_CHECKING:
    from pathlib import Path


def brightness(shade: str) -> float:
    red, green, blue = (int(shade[place : place + 2], 16) for place in (1, 3, 5))
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


def inks(**where: bool) -> dict[str, str]:
    return {param["name"]: param["value"] for param in theme(**where)["params"]}


def test_all_themes_have_the_same_names_and_roles() -> None:
    paper, light, dark = (theme(paper=True), theme(), theme(dark=True))
    assert {*inks(paper=True)} == {*inks()} == {*inks(dark=True)} > {*COLOURS}
    assert {*paper["style"]} == {*light["style"]} == {*dark["style"]}
    json.dumps([paper, light, dark])  # a page has them as data


def test_what_is_written_stands_out_from_what_it_is_written_on() -> None:
    for where in ({}, {"dark": True}, {"paper": True}):
        found = inks(**where)
        ground = brightness(found["white"])
        assert abs(brightness(found["black"]) - ground) > 0.8
        for name in ("blue", "orange", "green", "vermilion", "purple", "sky", "grey"):
            assert abs(brightness(found[name]) - ground) > 0.25, (where, name)
        for name in COLOURS:
            assert abs(brightness(found[name]) - brightness(found[f"on_{name}"])) > 0.4, name


class Engine:
    """Counts how often the script is made."""

    __version__ = "9.9"
    made = 0

    def javascript_bundle(self) -> str:
        self.made += 1
        return "window.vegaEmbed = 1; // ü"


def test_the_script_is_made_once_for_each_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine()
    monkeypatch.setenv("WHYBENCH_DATA_CACHE", str(tmp_path))
    monkeypatch.setattr(vega, "_engine", lambda: engine)
    assert vega.bundle() == vega.bundle() == "(() => {window.vegaEmbed = 1; // ü\n})();"
    assert engine.made == 1
    engine.__version__ = "10.0"
    vega.bundle()
    assert engine.made == 2
    assert len(list((tmp_path / "vega").iterdir())) == 2


@pytest.mark.slow
def test_the_script_has_what_a_page_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYBENCH_DATA_CACHE", str(tmp_path))
    script = vega.bundle()
    assert "vegaEmbed" in script
    assert "</script" not in script.lower()
