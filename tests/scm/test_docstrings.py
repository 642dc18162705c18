import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import whybench.scm

MODULES = [
    "whybench.scm",
    *(f"whybench.scm.{m.name}" for m in pkgutil.iter_modules(whybench.scm.__path__)),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_package_imports_neither_networkx_nor_the_rest_of_ours():
    code = (
        "import sys, whybench.scm;"
        "assert 'networkx' not in sys.modules and 'scipy' not in sys.modules;"
        "ours = {m for m in sys.modules if m.startswith('whybench.')} - {'whybench.version'};"
        "assert all(m.startswith('whybench.scm') for m in ours), ours"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
