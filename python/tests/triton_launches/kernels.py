"""The kernels of cases.py in Triton and Gluon."""

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.language.extra import libdevice


@triton.jit
def add(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(z + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def add_optional(x, y, z, step, BLOCK: tl.constexpr):
    i = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) * step
    value = tl.load(x + i)
    if y is None:
        value += value
    else:
        value += tl.load(y + i)
    tl.store(z + i, value)


@triton.jit
def scalars(out, flag, small, large, unsigned, number, last):
    tl.store(out + 0, flag.to(tl.float64))
    tl.store(out + 1, small.to(tl.float64))
    tl.store(out + 2, large.to(tl.float64))
    tl.store(out + 3, unsigned.to(tl.float64))
    tl.store(out + 4, number.to(tl.float64))
    tl.store(out + 5, last.to(tl.float64))


@triton.jit
def tuples(xs, rest, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.static_assert(rest[2][1] is None)
    tl.store(rest[0] + i, rest[1] * tl.load(xs[0] + i) + rest[2][0] * tl.load(xs[1] + i))


@triton.jit
def pointer_table(table, out, first, second, third, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for number in range(3):
        x = tl.load(table + number).to(tl.pointer_type(tl.float32))
        total += tl.load(x + i)
    tl.store(out + i, total)


@triton.jit
def integers(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a // b)
    tl.store(out + BLOCK + i, a % b)
    tl.store(out + 2 * BLOCK + i, a * b)
    tl.store(out + 3 * BLOCK + i, (a >> 1) ^ b)


@triton.jit
def conversions(x, half, brain, whole, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.store(half + i, value.to(tl.float16))
    tl.store(brain + i, value.to(tl.bfloat16))
    tl.store(whole + i, (value * 100).to(tl.int32))


@triton.jit
def widen(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i).to(tl.float32))


@triton.jit
def functions(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.store(out + i, tl.exp(value))
    tl.store(out + BLOCK + i, tl.log(tl.abs(value) + 1))
    tl.store(out + 2 * BLOCK + i, tl.sin(value))
    tl.store(out + 3 * BLOCK + i, tl.sqrt(tl.abs(value)))
    tl.store(out + 4 * BLOCK + i, tl.floor(3 * value))
    tl.store(out + 5 * BLOCK + i, libdevice.erf(value))


@triton.jit
def _product_of(a, b):
    return a * b


@triton.jit
def reductions(x, rows, columns, at, all_, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    value = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(rows + i, tl.sum(value, 1))
    tl.store(columns + j, tl.max(value, 0))
    tl.store(at + i, tl.argmin(value, 1))
    tl.store(all_, tl.sum(tl.reduce(value, 1, _product_of)))


@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def scans(x, sums, most, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    value = tl.load(x + at)
    tl.store(sums + at, tl.cumsum(value, 1))
    tl.store(most + at, tl.associative_scan(value, 1, _larger, reverse=True))


@triton.jit
def softmax(x, y, n, BLOCK: tl.constexpr):
    j = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    value = tl.load(x + row + j, mask=j < n, other=-float("inf"))
    power = tl.exp(value - tl.max(value, 0))
    tl.store(y + row + j, power / tl.sum(power, 0), mask=j < n)


@triton.jit
def layer_norm(x, weight, bias, y, means, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * n + j, mask=j < n, other=0.0)
        total += value
        squares += value * value
    mean = tl.sum(total, 0) / n
    scale = tl.rsqrt(tl.sum(squares, 0) / n - mean * mean + eps)
    tl.store(means + row, mean)
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * n + j, mask=j < n, other=0.0)
        w = tl.load(weight + j, mask=j < n)
        b = tl.load(bias + j, mask=j < n)
        tl.store(y + row * n + j, (value - mean) * scale * w + b, mask=j < n)


@triton.jit
def sort(x, y, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + at, tl.sort(tl.load(x + at)))


@triton.jit
def histogram(x, y, N: tl.constexpr, BINS: tl.constexpr):
    value = tl.load(x + tl.arange(0, N))
    tl.store(y + tl.arange(0, BINS), tl.histogram(value, BINS))


@triton.jit
def gather(x, index, y, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + at, tl.gather(tl.load(x + at), tl.load(index + at), 0))


@triton.jit
def transpose(x, y, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    value = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(y + j[:, None] * M + i[None, :], value.T)


@triton.jit
def join_and_split(x, y, both, sums, N: tl.constexpr):
    i = tl.arange(0, N)
    pairs = tl.join(tl.load(x + i), tl.load(y + i))
    tl.store(both + tl.arange(0, 2 * N), tl.reshape(pairs, (2 * N,)))
    first, second = tl.split(pairs)
    tl.store(sums + i, first + second)


@triton.jit
def random(y, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.rand(seed, i))


@triton.jit
def atomics(x, bins, total, most, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.atomic_add(bins + i % 16, value)
    tl.atomic_add(total, BLOCK * 0.5)
    tl.atomic_max(most, tl.max(value, 0))


@triton.jit
def spin_lock(x, y, lock, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + tl.program_id(0) * BLOCK + i)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(y + i, tl.load(y + i) + value)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def cooperative(x, y, count, sums, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    value = tl.load(x + row * BLOCK + i)
    tl.atomic_xchg(sums + row, tl.sum(value, 0))
    tl.atomic_add(count, 1)
    while tl.atomic_add(count, 0) < tl.num_programs(0):
        pass
    total = 0.0
    for each in range(tl.num_programs(0)):
        total += tl.atomic_add(sums + each, 0.0)
    tl.store(y + row * BLOCK + i, value / total)


@triton.jit
def _tile(a, b, c, m, n, k, tile_m, tile_n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
          PRECISION: tl.constexpr):
    i = tile_m * BM + tl.arange(0, BM)
    j = tile_n * BN + tl.arange(0, BN)
    kind: tl.constexpr = tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32
    total = tl.zeros((BM, BN), kind)
    for start in range(0, k, BK):
        l = start + tl.arange(0, BK)
        left = tl.load(a + i[:, None] * k + l[None, :], mask=(i[:, None] < m) & (l[None, :] < k), other=0.0)
        right = tl.load(b + l[:, None] * n + j[None, :], mask=(l[:, None] < k) & (j[None, :] < n), other=0.0)
        total = tl.dot(left, right, total, input_precision=PRECISION, out_dtype=kind)
    tl.store(c + i[:, None] * n + j[None, :], total, mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr = None):
    _tile(a, b, c, m, n, k, tl.program_id(0), tl.program_id(1), BM, BN, BK, PRECISION)


@triton.jit
def matmul_persistent(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                      PROGRAMS: tl.constexpr):
    columns = tl.cdiv(n, BN)
    for tile in range(tl.program_id(0), tl.cdiv(m, BM) * columns, PROGRAMS):
        _tile(a, b, c, m, n, k, tile // columns, tile % columns, BM, BN, BK, None)


@triton.jit
def matmul_device_descriptors(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [k, n], [n, 1], [BK, BN])
    out = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        total = tl.dot(left.load([i, start]), right.load([start, j]), total)
    out.store([i, j], total)


@triton.jit
def attention(q, k, v, o, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, BM)
    d = tl.arange(0, D)
    queries = tl.load(q + i[:, None] * D + d[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    for start in range(0, n, BN):
        j = start + tl.arange(0, BN)
        keys = tl.load(k + j[None, :] * D + d[:, None])
        values = tl.load(v + j[:, None] * D + d[None, :])
        scores = tl.dot(queries, keys) * 0.125
        larger = tl.maximum(most, tl.max(scores, 1))
        weight = tl.exp(scores - larger[:, None])
        scale = tl.exp(most - larger)
        total = total * scale + tl.sum(weight, 1)
        out = tl.dot(weight.to(tl.float16), values, out * scale[:, None])
        most = larger
    tl.store(o + i[:, None] * D + d[None, :], out / total[:, None])


@triton.jit
def scaled_product(a, a_scale, b, b_scale, c):
    i = tl.arange(0, 64)
    k = tl.arange(0, 64)
    s = tl.arange(0, 4)
    left = tl.load(a + i[:, None] * 64 + k[None, :])
    right = tl.load(b + i[None, :] * 64 + k[:, None])
    left_scale = tl.load(a_scale + i[:, None] * 4 + s[None, :])
    right_scale = tl.load(b_scale + i[:, None] * 4 + s[None, :])
    total = tl.dot_scaled(left, left_scale, "e2m1", right, right_scale, "e2m1")
    tl.store(c + i[:, None] * 64 + i[None, :], total)


@triton.jit
def copy_by_descriptors(x, y):
    i = tl.program_id(0) * 32
    j = tl.program_id(1) * 32
    y.store([i, j], x.load([i, j]))


@triton.jit
def load_by_descriptor(x, y):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    j = tl.program_id(1) * 32 + tl.arange(0, 32)
    tl.store(y + i[:, None] * 96 + j[None, :], x.load([tl.program_id(0) * 32, tl.program_id(1) * 32]))


@triton.jit
def descriptor_padding(x, y):
    i = tl.arange(0, 32)
    tl.store(y + i[:, None] * 32 + i[None, :], x.load([0, 0]))


@triton.jit
def device_descriptors(x, y, m, n, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [m, n], [n, 1], [BM, BN])
    target = tl.make_tensor_descriptor(y, [m, n], [n, 1], [BM, BN])
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    target.store([i, j], source.load([i, j]) * 2)


@triton.jit
def prints(x):
    tl.device_print("value", tl.load(x + tl.arange(0, 32)))


@triton.jit
def asserts(x, most):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    tl.device_assert(value < most, "a value is too large")
    tl.store(x + i, value + 1)


@triton.jit
def missing_mask(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < 1000))


@triton.jit
def race(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.sum(tl.load(x + i), 0)
    tl.store(out, tl.load(out) + total)


@gluon.jit
def gluon_copy(x, y, n, BLOCK: gl.constexpr, LANES: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [LANES], [4], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(y + i, gl.load(x + i, mask=i < n), mask=i < n)


@gluon.jit
def gluon_shared(x, y, M: gl.constexpr, N: gl.constexpr, LANES: gl.constexpr):
    rows: gl.constexpr = gl.BlockedLayout([1, 1], [1, LANES], [4, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([1, 1], [LANES, 1], [1, 4], [0, 1])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    i = gl.arange(0, M, layout=gl.SliceLayout(1, rows))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, rows))
    value = gl.load(x + i[:, None] * N + j[None, :])
    buffer = gl.allocate_shared_memory(gl.float32, [M, N], shared)
    buffer.store(value)
    again = buffer.load(columns)
    m = gl.arange(0, M, layout=gl.SliceLayout(1, columns))
    n = gl.arange(0, N, layout=gl.SliceLayout(0, columns))
    gl.store(y + n[None, :] * M + m[:, None], again)


@triton.jit
def matmul_specialised(a, b, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    total = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, k, BK, warp_specialize=True):
        total = tl.dot(a.load([0, start]), b.load([0, start]).T, total)
    i = tl.arange(0, BM)
    j = tl.arange(0, BN)
    tl.store(c + i[:, None] * BN + j[None, :], total)


@triton.jit
def matmul_specialised_in_kernel(x, y, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [BM, k], [k, 1], [BM, BK])
    b = tl.make_tensor_descriptor(y, [BN, k], [k, 1], [BN, BK])
    total = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, k, BK, warp_specialize=True):
        total = tl.dot(a.load([0, start]), b.load([0, start]).T, total)
    i = tl.arange(0, BM)
    j = tl.arange(0, BN)
    tl.store(c + i[:, None] * BN + j[None, :], total)
