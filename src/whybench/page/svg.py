"""An SVG file of matplotlib as an element of a page: smaller, and in nobody's way.

What names something inside the file is named after its figure, so that no two figures of a page
share a name, and names that nothing refers to go, as do groups that are then bare. Coordinates keep
two decimals, a hundredth of a point. Only tags are changed: what is written in a figure stays as it
is. Circles, which matplotlib writes as eight curves each, become
arcs: a hatch of dots is hundreds of them. Styles, which it writes out at every mark, become classes
that all figures of a page share.
"""

from __future__ import annotations

import re

from markupsafe import Markup

_DROPPED = re.compile(
    r"<!--.*?-->|<metadata>.*?</metadata>"
    # The one rule of matplotlib's style sheet would hold for the whole page; it is in page.css.
    r"|<defs>\s*<style[^>]*>.*?</style>\s*</defs>",
    re.DOTALL,
)
_NUMBER = r"(-?[\d.]+)"
_CIRCLE = re.compile(
    rf"M {_NUMBER} {_NUMBER}\s+" + r"C" + rf" {_NUMBER}" * 6 + rf"(?:\s+C{f' {_NUMBER}' * 6}){{7}}"
)


class Styles(dict[str, str]):
    """The styles that the figures of a page use, and the classes they are called by."""

    def __missing__(self, style: str) -> str:
        self[style] = f"w{len(self)}"
        return self[style]

    def sheet(self) -> str:
        """Return the style sheet that gives the classes their meaning."""
        return "\n".join(f".{name}{{{style}}}" for style, name in self.items())


def inline_svg(text: str, key: str, styles: Styles) -> Markup:
    """Return an SVG file as an element of a page.

    Args:
        text: The file, as matplotlib writes it.
        key: The figure's name. Its caption has the id `key-caption`.
        styles: The styles of the page, to which those of the file are added.
    """
    body = _DROPPED.sub("", text[text.index("<svg") :])
    parts = _TAG.split(body)  # words and tags in turn
    parts[1::2] = (_compact_tag(tag, key) for tag in parts[1::2])
    parts[::2] = ("\n" if words.isspace() and "\n" in words else words for words in parts[::2])
    used = {name for tag in parts[1::2] for name in _REFERENCE.findall(tag)}
    parts[1::2] = (_finish_tag(tag, used, styles) for tag in parts[1::2])
    body = _without_bare_groups("".join(parts))
    return Markup(  # matplotlib has escaped what it wrote
        re.sub(
            r'<svg[^>]*?(viewBox="[^"]+")[^>]*>',
            rf'<svg class="figure" \1 role="img" aria-labelledby="{key}-caption">',
            body,
            count=1,
        ).strip()
    )


_TAG = re.compile(r"(<[^>]*>)")
_REFERENCE = re.compile(r'(?:href="#|url\(#)([^")]+)')
_GEOMETRY = re.compile(
    r'\b(x|y|x1|y1|x2|y2|cx|cy|r|width|height|points|transform|viewBox|style)="([^"]*)"'
)


def _compact_tag(tag: str, key: str) -> str:
    """Return a tag with short numbers, and with names after the figure."""
    tag = re.sub(r"\s*\n\s*", "\n", tag)
    tag = re.sub(r"\s+(/?>)", r"\1", tag)
    tag = tag.replace('<g id="haloed">', '<g class="haloed">')
    tag = re.sub(r'\bd="([^"]+)"', lambda found: f'd="{compact_path(found[1])}"', tag)
    tag = _GEOMETRY.sub(lambda found: f'{found[1]}="{_shorten(found[2])}"', tag)
    tag = re.sub(r'\bid="([^"]+)"', rf'id="{key}-\1"', tag)
    tag = re.sub(r'(?:xlink:)?href="#([^"]+)"', rf'href="#{key}-\1"', tag)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{key}-\1)", tag)


def _finish_tag(tag: str, used: set[str], styles: Styles) -> str:
    """Return a tag without a name that nothing refers to, and with a class for its style."""
    tag = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in used else "", tag)
    return re.sub(
        r'style="([^"]+)"', lambda found: f'class="{styles[_compact_style(found[1])]}"', tag
    )


def _shorten(numbers: str) -> str:
    return re.sub(r"(\d+\.\d\d)\d+", r"\1", numbers)


def _without_bare_groups(body: str) -> str:
    """Drop groups that say nothing of what is in them."""
    kept: list[str] = []
    bare: list[bool] = []
    for part in re.split(r"(</?g\b[^>]*>)", body):
        opens = part.startswith("<g") and not part.endswith("/>")
        if opens:
            bare.append(part == "<g>")
        idle = (opens and bare[-1]) or (part == "</g>" and bare.pop())
        kept.append("" if idle else part)
    return re.sub(r"\n+", "\n", "".join(kept))


def compact_path(path: str) -> str:
    """Return the commands of a path with circles as arcs and without idle characters.

    >>> compact_path("M 64.00 67.034 L 64.50 0.204 z")
    'M64 67.03L64.5 .2z'
    """
    path = _circles_as_arcs(path)
    path = _shorten(path)
    path = re.sub(r"(\.\d*?)0+(?!\d)", r"\1", path)
    path = re.sub(r"\.(?!\d)", "", path)
    path = re.sub(r"(?<![\d.])0\.", ".", path)
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(path.split()))


def _circles_as_arcs(path: str) -> str:
    return _CIRCLE.sub(_as_arc, path)


_CURVES = re.compile(rf"C{f' {_NUMBER}' * 6}")


def _as_arc(found: re.Match[str]) -> str:
    """Return eight curves as two arcs if they make up a circle, and else as they are."""
    x, y = float(found[1]), float(found[2])
    ends = [tuple(map(float, curve[4:])) for curve in _CURVES.findall(found[0])]
    middle = [(x + ends[3][0]) / 2, (y + ends[3][1]) / 2]
    radii = [((a - middle[0]) ** 2 + (b - middle[1]) ** 2) ** 0.5 for a, b in ends]
    if max(radii) - min(radii) > 0.05 * max(radii) or ends[7] != (x, y):
        return found[0]
    across, down = ends[3][0] - x, ends[3][1] - y
    r = f"{max(radii):.2f} {max(radii):.2f} 0 1 0"
    return f"M {x:.2f} {y:.2f} a {r} {across:.2f} {down:.2f} a {r} {-across:.2f} {-down:.2f}"


def _compact_style(style: str) -> str:
    """Return a style without idle spaces, in letters that every machine has something like."""
    style = re.sub(r"\s*([:;])\s*", r"\1", style.strip().rstrip(";"))
    return style.replace("'DejaVu Sans'", "'DejaVu Sans',Verdana,sans-serif")
