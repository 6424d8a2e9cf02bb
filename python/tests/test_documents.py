"""What the documents show is what happens."""

import doctest
import importlib
import json
import os
import pathlib

import pytest

import heddle

ROOT = pathlib.Path(__file__).parents[2]


def test_the_readme():
    result = doctest.testfile(str(ROOT / "python/README.md"), module_relative=False)
    assert result.attempted and not result.failed


def test_the_readme_says_how_to_install_it_on_debian_and_offline():
    text = (ROOT / "python/README.md").read_text()
    for words in ("python3 -m venv", "externally-managed-environment", "--no-build-isolation"):
        assert words in text


def test_the_docstrings():
    """Examples in docstrings print what they say."""
    for name in ("_ask", "_instruction", "_launch", "_layout", "_questions"):
        module = importlib.import_module(f"heddle.{name}")
        result = doctest.testmod(module)
        assert result.attempted and not result.failed, name


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


def test_the_answers_of_the_documents(monkeypatch):
    """A call in Python gives what the documents show of the command."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    text = "\n".join(page.read_text() for page in pages)
    monkeypatch.chdir(ROOT)

    def printed(answer):
        assert answer in text
        return answer

    d = heddle.instruction("v_wmma_f32_16x16x16_f16", target="RDNA4").operand("D")
    (place,) = d.at(9, 3)
    assert printed(f"D[9][3]: lane {place.lane}, v{place.register}")
    for of_b in {each.lane for each in d.sources(9, 3) if each.operand == "B"}:
        assert printed(f"[3]: lane {of_b}, v0-3")
    ptx = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.A"
    found = heddle.banks("(64,16):(1,64)", ptx, target="sm_86", move="ldmatrix.trans", tile=(64, 16))
    assert printed(f"total     {found.extra_passes} extra passes")
    assert printed(found.reasons[0].who)
    cutlass = heddle.instruction("SM80_16x8x16_F32F16F16F32_TN", target="sm_80").operand("A")
    assert cutlass.layout.to("cute") == "((4,8),(2,2,2)):((32,1),(16,8,128))"
    assert heddle.layout("tests/data/triton_matmul_gfx1201.ttgir:mma").kind == "linear"
    assert printed(heddle.layout("zipped_divide((8,64):(64,1), (4,16))").to("cute"))
    for row in heddle.instructions(target="gfx950", type="fp4"):
        assert printed(f"{row.name},gfx950,{row.wave},{row.m}x{row.n}x{row.k},{row.a}")
