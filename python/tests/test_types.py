"""The stub of the compiled part says what is there, and public names are documented."""

import ast
import inspect
import pathlib

import pytest

import heddle
from heddle import _core

STUB = pathlib.Path(heddle.__file__).with_name("_core.pyi")


def stub_functions():
    tree = ast.parse(STUB.read_text())
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_stub_names_what_the_module_has():
    module = {name for name in vars(_core) if not name.startswith("_")}
    assert module == set(stub_functions()) | {"Error", "version"}


@pytest.mark.parametrize("name, node", stub_functions().items())
def test_the_stub_has_the_arguments(name, node):
    assert not node.args.args, "all arguments are positional: end them with /"
    too_many = [None] * (len(node.args.posonlyargs) + 1)
    with pytest.raises(TypeError, match=f"takes {len(node.args.posonlyargs)} arguments"):
        getattr(_core, name)(*too_many)


def test_arguments_of_another_type_are_refused():
    for call in (lambda: _core.canonical(1), lambda: _core.sublayout("", None, []),
                 lambda: _core.sublayout("", [1], []), lambda: _core.canonical(b""),
                 lambda: _core.ask("banks", []), lambda: _core.ask("banks", {"memory": "x"}),
                 lambda: _core.ask("banks", {"memories": 1}), lambda: _core.ask(1, {})):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(OverflowError):
        _core.resize_output("-> m: 2", "m", 1 << 40)
    with pytest.raises(OverflowError):
        _core.ask("place", {"most_bytes": 1 << 70})
    with pytest.raises(heddle.Error, match="no question 'bank'"):
        _core.ask("bank", {})


def test_public_names_are_documented():
    assert heddle.__version__.count(".") == 2
    for name in set(heddle.__all__) - {"__version__"}:
        thing = getattr(heddle, name)
        assert inspect.getdoc(thing), name
        if not inspect.isclass(thing):
            continue
        for member, value in vars(thing).items():
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                assert inspect.getdoc(value), f"{name}.{member}"
