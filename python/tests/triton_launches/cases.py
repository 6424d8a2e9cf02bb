"""The launches that tests of heddle.triton make: their arguments, and what must come out, by numpy.

The kernels of the same names are in kernels.py, which needs Triton; their recorded code is in
tests/data/triton_recorded.xz, which record.py writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

import heddle.triton
from heddle.triton import Array

AMD = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
NVIDIA = ("sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a")
HOPPER = ("sm_90a", "sm_100a", "sm_120a")
ALL = (*AMD, *NVIDIA)


@dataclass(frozen=True)
class Case:
    """One launch of a kernel."""

    kernel: str
    make: Callable[[np.random.Generator], Sequence[Any]]  #: its arguments
    check: Callable[..., None]  #: of the same arguments behind the launch; raises AssertionError
    grid: tuple[int, ...] = (1,)
    constants: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    targets: tuple[str, ...] = ALL
    fails: str = ""  #: the exception that the launch must raise
    prints: str = ""  #: a line that it must print
    gluon: bool = False


CASES: dict[str, Case] = {}


def case(name: str, kernel: str, make: Any, check: Any, **more: Any) -> None:
    assert name not in CASES, name
    CASES[name] = Case(kernel, make, check, **more)


def bf16(values: Any) -> np.ndarray[Any, Any]:
    """The bits of numbers as bf16, rounded to nearest even."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def of_bf16(bits: Any) -> np.ndarray[Any, Any]:
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)


def of_fp8(bits: Any, exponent_bits: int) -> np.ndarray[Any, Any]:
    """The numbers of fp8: E5M2, or E4M3 without infinities."""
    mantissa = 7 - exponent_bits
    bits = np.asarray(bits, np.uint8).astype(np.int64)
    exponent, fraction = bits >> mantissa & (1 << exponent_bits) - 1, bits & (1 << mantissa) - 1
    bias = (1 << exponent_bits - 1) - 1
    value = np.where(
        exponent > 0,
        (1 + fraction / 2.0**mantissa) * 2.0 ** (exponent - bias),
        fraction / 2.0**mantissa * 2.0 ** (1 - bias),
    )
    return np.where(bits >> 7, -value, value).astype(np.float32)


def floats(random: Any, *shape: int) -> Array:
    return Array(random.uniform(-1, 1, shape).astype(np.float32))


def zeros(*shape: int, dtype: Any = np.float32) -> Array:
    return Array(np.zeros(shape, dtype))


def close(found: Any, expected: Any, tolerance: float = 1e-5) -> None:
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    error = np.abs(found - expected) / (1 + np.abs(expected))
    assert found.shape == expected.shape and not np.isnan(found).any() and error.max() <= tolerance, error.max()


def equal(found: Any, expected: Any) -> None:
    assert np.array_equal(found, expected), (found, expected)


# Elementwise, masks, and arguments of every kind.
case(
    "add",
    "add",
    lambda r: [floats(r, 1000), floats(r, 1000), zeros(1000), 1000],
    lambda x, y, z, n: close(z.numpy, x.numpy + y.numpy),
    grid=(4,),
    constants={"BLOCK": 256},
)
case(
    "add_none_and_one",
    "add_optional",
    lambda r: [floats(r, 256), None, zeros(256), 1],
    lambda x, y, z, step: close(z.numpy, 2 * x.numpy),
    grid=(2,),
    constants={"BLOCK": 128},
)
case(
    "add_optional",
    "add_optional",
    lambda r: [floats(r, 512), floats(r, 512), zeros(512), 2],
    lambda x, y, z, step: close(z.numpy[:512:2], (x.numpy + y.numpy)[::2]),
    grid=(2,),
    constants={"BLOCK": 128},
)
case(
    "scalars",
    "scalars",
    lambda r: [zeros(8, dtype=np.float64), True, -3, 1 << 40, (1 << 63) + 2048, 0.15625, 7],
    lambda out, *numbers: close(out.numpy[:7], [1, -3, 2.0**40, 2.0**63 + 2048, 0.15625, 7, 0]),
)
case(
    "tuples",
    "tuples",
    lambda r: [(floats(r, 128), floats(r, 128)), (zeros(128), 3, (0.5, None))],
    lambda xs, rest: close(rest[0].numpy, 3 * xs[0].numpy + 0.5 * xs[1].numpy),
    constants={"BLOCK": 128},
)
case(
    "pointer_table",
    "pointer_table",
    lambda r: _pointer_table(r),
    lambda table, out, *xs: close(out.numpy, sum(x.numpy for x in xs)),
    constants={"BLOCK": 64},
)


def _pointer_table(random: Any) -> list[Any]:
    xs = [floats(random, 64) for _ in range(3)]
    return [Array(np.array([x.data_ptr() for x in xs], np.int64)), zeros(64), *xs]


for _name, _type in (("i8", np.int8), ("i16", np.int16), ("i32", np.int32), ("i64", np.int64)):
    case(
        f"integers_{_name}",
        "integers",
        lambda r, t=_type: [
            Array(r.integers(-100, 100, 256).astype(t)),
            Array(r.integers(1, 20, 256).astype(t)),
            zeros(4, 256, dtype=t),
        ],
        lambda x, y, out: _integers(x.numpy, y.numpy, out.numpy),
        constants={"BLOCK": 256},
        targets=ALL if _name in ("i32", "i64") else ("gfx942", "gfx1201", "sm_80", "sm_90a"),
    )


def _integers(x: Any, y: Any, out: Any) -> None:
    quotient = np.trunc(x.astype(np.float64) / y).astype(x.dtype)
    equal(out[0], quotient)
    equal(out[1], x - quotient * y)
    equal(out[2], x * y)
    equal(out[3], (x >> 1) ^ y)


case(
    "conversions",
    "conversions",
    lambda r: [floats(r, 256), zeros(256, dtype=np.float16), Array(np.zeros(256, np.uint16), "bfloat16"),
               zeros(256, dtype=np.int32)],
    lambda x, h, b, i: (
        equal(h.numpy, x.numpy.astype(np.float16)),
        equal(b.numpy, bf16(x.numpy)),
        equal(i.numpy, np.trunc(x.numpy * 100).astype(np.int32)),
    ),
    constants={"BLOCK": 256},
)
case(
    "fp8",
    "widen",
    lambda r: [Array(r.integers(0, 0x78, 256).astype(np.uint8), "float8_e5m2"), zeros(256)],
    lambda x, y: equal(y.numpy, of_fp8(x.numpy, 5)),
    constants={"BLOCK": 256},
)
case(
    "functions",
    "functions",
    lambda r: [floats(r, 256), zeros(6, 256)],
    lambda x, out: close(
        out.numpy,
        [np.exp(x.numpy), np.log(np.abs(x.numpy) + 1), np.sin(x.numpy), np.sqrt(np.abs(x.numpy)),
         np.floor(3 * x.numpy), _erf(x.numpy)],
        1e-5,
    ),
    constants={"BLOCK": 256},
)


def _erf(x: Any) -> np.ndarray[Any, Any]:
    import math

    return np.array([math.erf(each) for each in x], np.float32)


# Reductions, scans and what moves elements between threads.
case(
    "reductions",
    "reductions",
    lambda r: [floats(r, 32, 64), zeros(32), zeros(64), zeros(32, dtype=np.int32), zeros(1)],
    lambda x, rows, columns, at, all_: (
        close(rows.numpy, x.numpy.sum(1)),
        close(columns.numpy, x.numpy.max(0)),
        equal(at.numpy, x.numpy.argmin(1).astype(np.int32)),
        close(all_.numpy, [x.numpy.prod(1).sum()]),
    ),
    constants={"M": 32, "N": 64},
)
case(
    "scans",
    "scans",
    lambda r: [floats(r, 8, 128), zeros(8, 128), zeros(8, 128)],
    lambda x, sums, most: (
        close(sums.numpy, np.cumsum(x.numpy, 1)),
        close(most.numpy, np.maximum.accumulate(x.numpy[:, ::-1], 1)[:, ::-1]),
    ),
    constants={"M": 8, "N": 128},
)
case(
    "softmax",
    "softmax",
    lambda r: [floats(r, 16, 200), zeros(16, 200), 200],
    lambda x, y, n: close(y.numpy, np.exp(x.numpy) / np.exp(x.numpy).sum(1, keepdims=True)),
    grid=(16,),
    constants={"BLOCK": 256},
)
case(
    "layer_norm",
    "layer_norm",
    lambda r: [floats(r, 8, 300), floats(r, 300), floats(r, 300), zeros(8, 300), zeros(8), 300, 1e-5],
    lambda x, w, b, y, means, n, eps: (
        close(means.numpy, x.numpy.mean(1)),
        close(y.numpy, (x.numpy - x.numpy.mean(1, keepdims=True)) / np.sqrt(x.numpy.var(1, keepdims=True) + eps)
              * w.numpy + b.numpy, 1e-4),
    ),
    grid=(8,),
    constants={"BLOCK": 128},
)
case(
    "sort",
    "sort",
    lambda r: [floats(r, 4, 64), zeros(4, 64)],
    lambda x, y: equal(y.numpy, np.sort(x.numpy, 1)),
    constants={"M": 4, "N": 64},
)
case(
    "histogram",
    "histogram",
    lambda r: [Array(r.integers(0, 32, 512).astype(np.int32)), zeros(32, dtype=np.int32)],
    lambda x, y: equal(y.numpy, np.bincount(x.numpy, minlength=32).astype(np.int32)),
    constants={"N": 512, "BINS": 32},
)
case(
    "gather",
    "gather",
    lambda r: [floats(r, 32, 32), Array(r.integers(0, 32, (32, 32)).astype(np.int32)), zeros(32, 32)],
    lambda x, at, y: equal(y.numpy, np.take_along_axis(x.numpy, at.numpy, 0)),
    constants={"N": 32},
)
case(
    "transpose",
    "transpose",
    lambda r: [floats(r, 64, 64), zeros(64, 64)],
    lambda x, y: equal(y.numpy, x.numpy.T),
    constants={"M": 64, "N": 64},
)
case(
    "join_and_split",
    "join_and_split",
    lambda r: [floats(r, 128), floats(r, 128), zeros(256), zeros(128)],
    lambda x, y, both, sums: (
        equal(both.numpy, np.stack([x.numpy, y.numpy], 1).ravel()),
        close(sums.numpy, (np.stack([x.numpy, y.numpy], 1).ravel()).reshape(128, 2).sum(1)),
    ),
    constants={"N": 128},
)
case(
    "random",
    "random",
    lambda r: [zeros(1024), 1234],
    lambda y, seed: _uniform(y.numpy),
    constants={"N": 1024},
)


def _uniform(y: Any) -> None:
    assert 0 <= y.min() and y.max() < 1 and abs(y.mean() - 0.5) < 0.05 and len(np.unique(y)) > 1000


# Atomic operations, and workgroups that wait for each other.
case(
    "atomics",
    "atomics",
    lambda r: [Array(r.integers(-50, 50, 512).astype(np.int32)), zeros(16, dtype=np.int32), zeros(1),
               Array(np.full(1, -1000, np.int32))],
    lambda x, bins, total, most: (
        equal(bins.numpy, np.array([x.numpy[i::16].sum() for i in range(16)], np.int32)),
        close(total.numpy, [512 * 0.5]),
        equal(most.numpy, [x.numpy.max()]),
    ),
    grid=(4,),
    constants={"BLOCK": 128},
)
case(
    "spin_lock",
    "spin_lock",
    lambda r: [floats(r, 8, 256), zeros(256), zeros(1, dtype=np.int32)],
    lambda x, y, lock: close(y.numpy, x.numpy.sum(0)),
    grid=(8,),
    constants={"BLOCK": 256},
    targets=("gfx1100", "gfx1201", *NVIDIA),
)
case(
    # On CDNA, a barrier waits for no store, and the release of one wave for that wave's stores alone.
    "spin_lock_of_cdna",
    "spin_lock",
    lambda r: [floats(r, 8, 256), zeros(256), zeros(1, dtype=np.int32)],
    lambda x, y, lock: None,
    grid=(8,),
    constants={"BLOCK": 256},
    targets=("gfx90a", "gfx942", "gfx950"),
    fails="KernelFinding",
)
case(
    "cooperative",
    "cooperative",
    lambda r: [floats(r, 3, 64), zeros(3, 64), zeros(1, dtype=np.int32), zeros(3)],
    lambda x, y, count, sums: close(y.numpy, x.numpy / x.numpy.sum(1).sum(), 1e-4),
    grid=(3,),
    constants={"BLOCK": 64},
    options={"launch_cooperative_grid": True},
    targets=("gfx942", "gfx1201", "sm_80", "sm_90a"),
)
case(
    "clusters",
    "add",
    lambda r: [floats(r, 1000), floats(r, 1000), zeros(1000), 1000],
    lambda x, y, z, n: close(z.numpy, x.numpy + y.numpy),
    grid=(2,),
    constants={"BLOCK": 512},
    options={"num_ctas": 2},
    targets=("sm_90a", "sm_100a", "gfx1250"),
)


# Products.
def _product(a: Any, b: Any, c: Any) -> np.ndarray[Any, Any]:
    return np.asarray(a, np.float64) @ np.asarray(b, np.float64)


def _values(array: Array) -> np.ndarray[Any, Any]:
    """The numbers of an array of any type."""
    if array.dtype == "bfloat16":
        return of_bf16(array.numpy)
    if array.dtype.startswith("float8"):
        return of_fp8(array.numpy, 5 if "e5m2" in array.dtype else 4)
    return array.numpy


def matrix(random: Any, rows: int, columns: int, kind: str) -> Array:
    if kind == "bf16":
        return Array(bf16(random.uniform(-1, 1, (rows, columns))), "bfloat16")
    if kind == "e5m2":
        return Array(random.integers(0, 0x40, (rows, columns)).astype(np.uint8), "float8_e5m2")
    if kind == "e4m3":
        return Array(random.integers(0, 0x40, (rows, columns)).astype(np.uint8), "float8_e4m3fn")
    if kind == "i8":
        return Array(random.integers(-100, 100, (rows, columns)).astype(np.int8))
    return Array(random.uniform(-1, 1, (rows, columns)).astype({"f16": np.float16, "f32": np.float32}[kind]))


def product_case(name: str, kind: str, tolerance: float, kernel: str = "matmul", m: int = 128, n: int = 96,
                 k: int = 160, tiles: tuple[int, int, int] = (64, 64, 32), **more: Any) -> None:
    constants = {"BM": tiles[0], "BN": tiles[1], "BK": tiles[2], **more.pop("constants", {})}
    case(
        name,
        kernel,
        lambda r: [matrix(r, m, k, kind), matrix(r, k, n, kind),
                   zeros(m, n, dtype=np.int32 if kind == "i8" else np.float32), m, n, k],
        lambda a, b, c, *_: close(c.numpy, _product(_values(a), _values(b), c), tolerance),
        grid=more.pop("grid", (-(-m // tiles[0]), -(-n // tiles[1]))),
        constants=constants,
        **more,
    )


product_case("matmul_f16", "f16", 1e-4)
product_case("matmul_bf16", "bf16", 1e-4)
product_case("matmul_tf32", "f32", 5e-3, targets=("gfx942", *NVIDIA))
product_case("matmul_f32", "f32", 1e-4, constants={"PRECISION": "ieee"})
product_case("matmul_i8", "i8", 0)
product_case("matmul_e5m2", "e5m2", 5e-3, targets=("gfx950", "gfx1201", "gfx1250", "sm_89", "sm_90a", "sm_120a"))
product_case("matmul_e4m3", "e4m3", 5e-3, targets=("gfx950", "gfx1201", "gfx1250", "sm_89", "sm_90a", "sm_120a"))
product_case("matmul_stages", "f16", 1e-4, k=256, options={"num_stages": 4},
             targets=("gfx942", "gfx950", "sm_80", "sm_90a", "sm_100a", "sm_120a"))
product_case("matmul_8_warps", "f16", 1e-4, tiles=(128, 64, 64), k=128, options={"num_warps": 8},
             targets=("gfx942", "gfx1201", "sm_80", "sm_90a"))
product_case("matmul_persistent", "f16", 1e-4, kernel="matmul_persistent", m=256, n=256, k=64, grid=(3,),
             constants={"PROGRAMS": 3}, targets=("gfx942", "gfx1100", "sm_80", "sm_90a", "sm_120a"))
product_case("matmul_descriptors", "f16", 1e-4, kernel="matmul_device_descriptors",
             m=128, n=64, k=128, targets=("gfx942", "gfx1201", "gfx1250", *NVIDIA))
case(
    "attention",
    "attention",
    lambda r: [matrix(r, 64, 64, "f16"), matrix(r, 128, 64, "f16"), matrix(r, 128, 64, "f16"), zeros(64, 64), 128],
    lambda q, k, v, o, n: close(o.numpy, _attention(q.numpy, k.numpy, v.numpy), 4e-3),
    constants={"BM": 64, "BN": 32, "D": 64},
)


def _attention(q: Any, k: Any, v: Any) -> np.ndarray[Any, Any]:
    q, k, v = (np.asarray(each, np.float64) for each in (q, k, v))
    p = np.exp(0.125 * q @ k.T)
    return p / p.sum(1, keepdims=True) @ v


case(
    "scaled_product",
    "scaled_product",
    lambda r: [Array(r.integers(0, 256, (64, 64)).astype(np.uint8)), Array(r.integers(124, 130, (64, 4)).astype(np.uint8)),
               Array(r.integers(0, 256, (64, 64)).astype(np.uint8)), Array(r.integers(124, 130, (64, 4)).astype(np.uint8)),
               zeros(64, 64)],
    lambda a, sa, b, sb, c: close(c.numpy, _mxfp4(a.numpy, sa.numpy) @ _mxfp4(b.numpy, sb.numpy).T, 1e-2),
    targets=("gfx950", "gfx1250", "sm_80", "sm_90a", "sm_120a"),
)


def _mxfp4(bits: Any, scales: Any) -> np.ndarray[Any, Any]:
    table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    codes = np.stack([bits & 15, bits >> 4], 2).reshape(bits.shape[0], -1)
    values = table[codes & 7] * np.where(codes & 8, -1.0, 1.0)
    return values * np.repeat(2.0 ** (scales.astype(np.float64) - 127), 32, 1)


# Descriptors of tensors.
class HostDescriptor:
    """What triton.tools.tensor_descriptor.TensorDescriptor is: record.py makes Triton's own of it."""

    def __init__(self, base: Array, block_shape: Sequence[int], padding: str = "zero") -> None:
        self.base, self.padding = base, padding
        self.shape = list(base.shape)
        self.strides = list(base.stride())
        self.block_shape = list(block_shape)


case(
    "host_descriptors",
    "copy_by_descriptors",
    lambda r: [HostDescriptor(matrix(r, 60, 96, "f16"), (32, 32)),
               HostDescriptor(zeros(60, 96, dtype=np.float16), (32, 32))],
    lambda x, y: equal(y.base.numpy, x.base.numpy),
    grid=(2, 3),
    targets=(*AMD[:-1], *NVIDIA),
)
case(
    "host_descriptor",  # Triton 3.6 cannot link a kernel for gfx1250 that has two of them
    "load_by_descriptor",
    lambda r: [HostDescriptor(matrix(r, 60, 96, "f16"), (32, 32)), zeros(64, 96, dtype=np.float16)],
    lambda x, y: (equal(y.numpy[:60], x.base.numpy), equal(y.numpy[60:], np.zeros((4, 96)))),
    grid=(2, 3),
    targets=("gfx950", "gfx1250", "sm_80", "sm_90a"),
)
case(
    "host_descriptors_padded",
    "descriptor_padding",
    lambda r: [HostDescriptor(floats(r, 20, 32), (32, 32), "nan"), zeros(32, 32)],
    lambda x, y: (equal(y.numpy[:20], x.base.numpy), equal(np.isnan(y.numpy[20:]), np.ones((12, 32), bool))),
    targets=("gfx942", "gfx1201", *NVIDIA),
)
case(
    "device_descriptors",
    "device_descriptors",
    lambda r: [floats(r, 64, 48), zeros(64, 48), 64, 48],
    lambda x, y, m, n: close(y.numpy, 2 * x.numpy),
    grid=(2, 3),
    constants={"BM": 32, "BN": 16},
)
case(
    "scratch_of_descriptors",
    "device_descriptors",
    lambda r: [floats(r, 32, 32), zeros(32, 32), 32, 32],
    lambda x, y, m, n: close(y.numpy, 2 * x.numpy),
    constants={"BM": 32, "BN": 32},
    options={"num_warps": 8},
    targets=("sm_90a", "sm_100a", "sm_120a"),
)

# Printing and assertions.
case(
    "prints",
    "prints",
    lambda r: [Array(np.arange(32, dtype=np.int32) * 3)],
    lambda x: None,
    options={"num_warps": 1},
    prints="pid (0, 0, 0) idx ( 5) value: 15",
)
case(
    "assertion_holds",
    "asserts",
    lambda r: [Array(np.arange(64, dtype=np.int32)), 64],
    lambda x, most: equal(x.numpy, np.arange(64) + 1),
    options={"debug": True},
)
case(
    "assertion_fails",
    "asserts",
    lambda r: [Array(np.arange(64, dtype=np.int32)), 40],
    lambda x, most: None,
    options={"debug": True},
    fails="DeviceAssertion",
)

# What is wrong: checked launches.
case(
    "missing_mask",
    "missing_mask",
    lambda r: [floats(r, 1000), zeros(1000)],
    lambda x, y: None,
    grid=(4,),
    constants={"BLOCK": 256},
    fails="KernelFault",
)
case(
    "race",
    "race",
    lambda r: [floats(r, 1024), zeros(1)],
    lambda x, y: None,
    grid=(4,),
    constants={"BLOCK": 256},
    fails="KernelFinding",
)

# Gluon.
case(
    "gluon_copy",
    "gluon_copy",
    lambda r: [floats(r, 500), zeros(500), 500],
    lambda x, y, n: equal(y.numpy, x.numpy),
    grid=(2,),
    constants={"BLOCK": 256},
    gluon=True,
)
case(
    "gluon_shared",
    "gluon_shared",
    lambda r: [floats(r, 64, 32), zeros(32, 64)],
    lambda x, y: equal(y.numpy, x.numpy.T),
    constants={"M": 64, "N": 32},
    gluon=True,
)


def specialised(name: str, rows: int, targets: tuple[str, ...], **rest: object) -> None:
    """A product of descriptors that the host makes, in warps that load and warps that multiply."""
    case(
        name,
        "matmul_specialised",
        lambda r: [HostDescriptor(matrix(r, rows, 256, "f16"), (rows, 64)),
                   HostDescriptor(matrix(r, 128, 256, "f16"), (128, 64)), zeros(rows, 128), 256],
        lambda a, b, c, k: close(c.numpy, a.base.numpy.astype(np.float64) @ b.base.numpy.astype(np.float64).T, 1e-4),
        constants={"BM": rows, "BN": 128, "BK": 64},
        targets=targets,
        **rest,
    )


specialised("warp_specialise", 64, ("sm_90a",))
specialised("warp_specialise_rows", 128, ("sm_100a",))
# Triton 3.6 gives halves of a tile of 128 rows to two groups of warps, but not to the descriptors of the
# host (triton-lang/triton issue 11587): each copy then brings twice what its barrier expects.
specialised("warp_specialise_halves", 128, ("sm_90a",), fails="KernelFault")
case(
    "warp_specialise_in_kernel",
    "matmul_specialised_in_kernel",
    lambda r: [matrix(r, 128, 256, "f16"), matrix(r, 128, 256, "f16"), zeros(128, 128), 256],
    lambda x, y, c, k: close(c.numpy, x.numpy.astype(np.float64) @ y.numpy.astype(np.float64).T, 1e-4),
    constants={"BM": 128, "BN": 128, "BK": 64},
    targets=("sm_90a", "sm_100a"),
)

__all__ = ["ALL", "AMD", "CASES", "Case", "HostDescriptor", "NVIDIA", "heddle"]
