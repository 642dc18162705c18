from __future__ import annotations

import pytest

from whybench.study.texts import read_study_text, render_markdown, render_prompt_html
from whybench.suites.contract import UserError


def test_markdown_becomes_html_and_html_stays_words() -> None:
    made = render_markdown(
        "# Hello\n\nA *b* <script>alert(1)</script> [link](https://a.example)\n\n- one"
    )
    assert made == (
        "<h1>Hello</h1>\n<p>A <em>b</em> &lt;script&gt;alert(1)&lt;/script&gt; "
        '<a href="https://a.example">link</a></p>\n<ul>\n<li>one</li>\n</ul>'
    )


def test_nothing_is_loaded_from_elsewhere_and_no_link_runs_a_script() -> None:
    assert "<img" not in render_markdown("![a](https://a.example/a.png)")
    assert "href" not in render_markdown("[a](javascript:alert(1))")


def test_the_words_of_prompts_are_no_markdown() -> None:
    assert render_prompt_html("A *b* <i>\n\nTwo:\n- x\n- y_z_\nThen.") == (
        "<p>A *b* &lt;i&gt;</p><p>Two:</p><ul><li>x</li><li>y_z_</li></ul><p>Then.</p>"
    )
    assert render_prompt_html("") == ""


def test_rows_of_tables_are_tables() -> None:
    assert render_prompt_html("a (share)\n| b is on | 5% |\n| <i> | ?% |\nThen.") == (
        "<p>a (share)</p><table><tr><td>b is on</td><td>5%</td></tr>"
        "<tr><td>&lt;i&gt;</td><td>?%</td></tr></table><p>Then.</p>"
    )


def test_own_texts_come_first_then_those_of_the_suite(tmp_path) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("# Mine", encoding="utf-8")
    assert read_study_text("consent", "judge", str(mine)) == "# Mine"
    assert "slider" in read_study_text("instructions", "judge", None)
    assert "slider" not in read_study_text("instructions", "somebody-elses", None)


def test_a_text_that_cannot_be_read(tmp_path) -> None:
    with pytest.raises(UserError, match="--consent must be a file of Markdown in UTF-8, got"):
        read_study_text("consent", "judge", str(tmp_path / "none.md"))
    broken = tmp_path / "latin.md"
    broken.write_bytes(b"\xe4")
    with pytest.raises(UserError, match="--consent must be a file of Markdown in UTF-8, got"):
        read_study_text("consent", "judge", str(broken))
