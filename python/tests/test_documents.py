"""What the documents show is what happens."""

import doctest
import json
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def test_the_readme():
    result = doctest.testfile(str(ROOT / "python/README.md"), module_relative=False)
    assert result.attempted and not result.failed


NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook(path):
    """Every cell runs. What is kept has no outputs."""
    stored = json.loads(path.read_text())
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in stored["cells"])
    try:
        import ipykernel  # noqa: F401
        import nbclient
        import nbformat
    except ImportError:
        assert "HEDDLE_TEST_ALL" not in os.environ
        pytest.skip("python3-nbclient, python3-nbformat or python3-ipykernel is missing")
    if "Launch(" in path.read_text() and not os.environ.get("HEDDLE_PROGRAM"):
        pytest.skip("no program heddle")
    notebook = nbformat.read(path, 4)
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()


def test_there_are_three_notebooks():
    assert len(NOTEBOOKS) == 3
