from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import whybench.fits

MODULES = [
    "whybench.fits",
    *(f"whybench.fits.{module.name}" for module in pkgutil.iter_modules(whybench.fits.__path__)),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_numpy_alone():
    code = (
        "import sys\n"
        "from whybench.fits import *\n"
        "from whybench.scm import Graph\n"
        "table = TaskTable(Graph(('A',), ()), (TaskQuestion('q', 'A'),))\n"
        "scheme = Scheme('coin', {'A': ('p',)})\n"
        "data = Judgments.from_rows(table, [0.2, 0.4, 0.6], ['q'] * 3)\n"
        "assert abs(fit(table, scheme, data).parameters[0, 0] - 0.4) < 1e-7\n"
        "cross_validate(table, scheme, data)\n"
        "heavy = {'scipy', 'networkx', 'pandas', 'pyarrow', 'yaml'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
