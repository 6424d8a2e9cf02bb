"""Three kernels of Triton with a mistake each: a race, a missing mask, and bank conflicts (docs/triton.md).

    HEDDLE_TRITON=gfx942,check,collect,report=report.html python3 examples/triton/three_mistakes.py
"""

import numpy
import triton
import triton.language as tl
from heddle.triton import Array


@triton.jit
def total(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x + i), 0)
    tl.store(out, tl.load(out) + part)  # programs add at the same time


@triton.jit
def twice(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(y + i, 2 * value)  # without the mask


@triton.jit
def transpose(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(y + i[:, None] * N + i[None, :], value.T)  # rows become columns through shared memory


def main():
    x = Array.aligned(numpy.ones(1000, numpy.float32))
    y = Array.aligned(numpy.zeros(1000, numpy.float32))
    square = Array.aligned(numpy.ones((64, 64), numpy.float32))
    total[(3,)](x, Array(numpy.zeros(1, numpy.float32)), BLOCK=256)
    transpose[(1,)](square, square.clone(), N=64)
    try:
        twice[(4,)](x, y, 1000, BLOCK=256)
    except RuntimeError as fault:
        print(fault)


if __name__ == "__main__":
    main()
