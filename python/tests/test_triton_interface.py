"""The stand-in for Triton has what the real one has. Runs where Triton is installed."""

import ast
import importlib
import inspect
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "triton_launches"))

import launched  # noqa: E402

import heddle.triton  # noqa: E402

STAND_IN = pathlib.Path(launched.__file__).parent / "stand_in"
needs_triton = pytest.mark.skipif(not launched.HAS_TRITON, reason="no Triton")


def definitions():
    """Every class and function of the stand-in: its module, and its node."""
    for path in sorted(STAND_IN.rglob("*.py")):
        module = ".".join(path.relative_to(STAND_IN).with_suffix("").parts).replace(".__init__", "")
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                yield module, node


def parameters(node):
    return [each.arg for each in node.args.args]


def real_of(module, name):
    if name == "CUDABackend":
        module = "triton.backends.nvidia.compiler"
    return getattr(importlib.import_module(module), name)


@needs_triton
@pytest.mark.parametrize("module, node", list(definitions()), ids=lambda each: getattr(each, "name", each))
def test_the_stand_in_has_the_methods_of_the_real_one(module, node):
    real = real_of(module, node.name)
    pairs = [(real, node)] if isinstance(node, ast.FunctionDef) else [
        (inspect.getattr_static(real, each.name), each)
        for each in node.body
        if isinstance(each, ast.FunctionDef) and each.name != "__init__"
    ]
    for function, own in pairs:
        function = getattr(function, "func", getattr(function, "fget", getattr(function, "__func__", function)))
        names = list(inspect.signature(function).parameters)
        assert names[: len(parameters(own))] == parameters(own) or own.name in ("add_stages", "supports_target"), own.name


@needs_triton
def test_the_driver_has_what_triton_asks_of_one():
    from triton.backends.driver import DriverBase, GPUDriver

    from heddle.triton._driver import HeddleDriver

    for base in (DriverBase, GPUDriver):
        for name in vars(base):
            assert name.startswith("_") or hasattr(HeddleDriver, name), name
    heddle.triton.activate("gfx942")
    for name in ("get_device_capability", "get_current_stream", "get_current_device", "set_current_device", "utils",
                 "launcher_cls"):
        assert hasattr(HeddleDriver(), name), name
    heddle.triton.deactivate()
