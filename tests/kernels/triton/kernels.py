"""Kernels in Triton for record.py: the usual ones, and those that synchronise between blocks."""
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def softmax_kernel(x, z, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(z + row * cols + at, (e / tl.sum(e, axis=0)).to(z.dtype.element_ty), mask=at < cols)


@triton.jit
def layer_norm_kernel(x, z, w, b, mean, rstd, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * cols
    z += row * cols
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, cols, BLOCK):
        at = off + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < cols, other=0.0).to(tl.float32)
    m = tl.sum(total, axis=0) / cols
    square = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, cols, BLOCK):
        at = off + tl.arange(0, BLOCK)
        d = tl.load(x + at, mask=at < cols, other=0.0).to(tl.float32)
        d = tl.where(at < cols, d - m, 0.0)
        square += d * d
    r = 1 / tl.sqrt(tl.sum(square, axis=0) / cols + eps)
    tl.store(mean + row, m)
    tl.store(rstd + row, r)
    for off in range(0, cols, BLOCK):
        at = off + tl.arange(0, BLOCK)
        mask = at < cols
        d = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
        y = (d - m) * r * tl.load(w + at, mask=mask) + tl.load(b + at, mask=mask)
        tl.store(z + at, y.to(z.dtype.element_ty), mask=mask)


@triton.jit
def layer_norm_backward_lock(dx, dy, dw, db, x, w, mean, rstd, locks, cols,
                             GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """As Triton's tutorial: partial sums of dw and db in GROUPS rows, each behind a spin lock."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < cols
    group = row % GROUPS
    lock = locks + group
    count = locks + GROUPS + group
    v = tl.load(x + row * cols + at, mask=mask, other=0).to(tl.float32)
    g = tl.load(dy + row * cols + at, mask=mask, other=0).to(tl.float32)
    weight = tl.load(w + at, mask=mask).to(tl.float32)
    m = tl.load(mean + row)
    r = tl.load(rstd + row)
    hat = tl.where(mask, (v - m) * r, 0.0)
    wg = tl.where(mask, weight * g, 0.0)
    c1 = tl.sum(hat * wg, axis=0) / cols
    c2 = tl.sum(wg, axis=0) / cols
    tl.store(dx + row * cols + at, (wg - (hat * c1 + c2)) * r, mask=mask)
    pw = g * hat
    pb = g
    dw = dw + group * cols + at
    db = db + group * cols + at
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    first = tl.load(count)
    if first == 0:
        tl.atomic_xchg(count, 1)
    else:
        pw += tl.load(dw, mask=mask)
        pb += tl.load(db, mask=mask)
    tl.store(dw, pw, mask=mask)
    tl.store(db, pb, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, sam, sak, sbk, sbn, scm, scn,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
                  RELU: tl.constexpr):
    pid = tl.program_id(0)
    pm = tl.cdiv(M, BM)
    pn = tl.cdiv(N, BN)
    width = GROUP * pn
    group = pid // width
    first = group * GROUP
    size = min(pm - first, GROUP)
    im = first + (pid % width) % size
    jn = (pid % width) // size
    rm = (im * BM + tl.arange(0, BM)) % M
    rn = (jn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * sam + rk[None, :] * sak
    pb = b + rk[:, None] * sbk + rn[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        va = tl.load(pa, mask=rk[None, :] < K - k * BK, other=0.0)
        vb = tl.load(pb, mask=rk[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(va, vb, acc)
        pa += BK * sak
        pb += BK * sbk
    if RELU:
        acc = tl.maximum(acc, 0.0)
    om = im * BM + tl.arange(0, BM)
    on = jn * BN + tl.arange(0, BN)
    mask = (om[:, None] < M) & (on[None, :] < N)
    tl.store(c + om[:, None] * scm + on[None, :] * scn, acc.to(c.dtype.element_ty), mask=mask)


@triton.jit
def matmul_int8_kernel(a, b, c, M, N, K, sam, sbk, scm,
                       BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for k in range(0, K, BK):
        va = tl.load(a + rm[:, None] * sam + (k + rk)[None, :])
        vb = tl.load(b + (k + rk)[:, None] * sbk + rn[None, :])
        acc += tl.dot(va, vb)
    tl.store(c + rm[:, None] * scm + rn[None, :], acc)


@triton.jit
def matmul_persistent_kernel(a, b, c, M, N, K, sam, sbk, scm, programs,
                             BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pn = tl.cdiv(N, BN)
    tiles = tl.cdiv(M, BM) * pn
    for tile in range(tl.program_id(0), tiles, programs):
        rm = (tile // pn) * BM + tl.arange(0, BM)
        rn = (tile % pn) * BN + tl.arange(0, BN)
        rk = tl.arange(0, BK)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            va = tl.load(a + rm[:, None] * sam + (k + rk)[None, :])
            vb = tl.load(b + (k + rk)[:, None] * sbk + rn[None, :])
            acc = tl.dot(va, vb, acc)
        tl.store(c + rm[:, None] * scm + rn[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def matmul_split_k_kernel(a, b, c, M, N, K, sam, sbk, scm,
                          BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                          SPLIT: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.program_id(2) * BK + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK * SPLIT):
        va = tl.load(a + rm[:, None] * sam + (k + rk)[None, :])
        vb = tl.load(b + (k + rk)[:, None] * sbk + rn[None, :])
        acc = tl.dot(va, vb, acc)
    tl.atomic_add(c + rm[:, None] * scm + rn[None, :], acc)


@triton.jit
def matmul_split_k_ticket_kernel(a, b, c, partial, tickets, M, N, K, sam, sbk, scm,
                                 BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                                 SPLIT: tl.constexpr):
    """The last block of a tile, by a ticket, sums the partial products of all."""
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    part = tl.program_id(2)
    rk = part * BK + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK * SPLIT):
        va = tl.load(a + rm[:, None] * sam + (k + rk)[None, :])
        vb = tl.load(b + (k + rk)[:, None] * sbk + rn[None, :])
        acc = tl.dot(va, vb, acc)
    tile = rm[:, None] * N + rn[None, :]
    tl.store(partial + part * M * N + tile, acc)
    tl.debug_barrier()
    ticket = tl.atomic_add(tickets + tl.program_id(0) * tl.num_programs(1) + tl.program_id(1), 1)
    if ticket == SPLIT - 1:
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for i in range(SPLIT):
            total += tl.load(partial + i * M * N + tile, volatile=True)
        tl.store(c + rm[:, None] * scm + rn[None, :], total)


@triton.jit
def attention_kernel(q, k, v, o, scale, length, sh,
                     BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    start = tl.program_id(0) * BM
    head = tl.program_id(1) * sh
    rm = start + tl.arange(0, BM)
    rd = tl.arange(0, D)
    vq = tl.load(q + head + rm[:, None] * D + rd[None, :])
    high = tl.full((BM,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    end = start + BM if CAUSAL else length
    for n in range(0, end, BN):
        rn = n + tl.arange(0, BN)
        vk = tl.load(k + head + rn[None, :] * D + rd[:, None])
        s = tl.dot(vq, vk) * scale
        if CAUSAL:
            s = tl.where(rm[:, None] >= rn[None, :], s, -1.0e6)
        new = tl.maximum(high, tl.max(s, 1))
        p = tl.exp2((s - new[:, None]) * 1.44269504)
        a = tl.exp2((high - new) * 1.44269504)
        total = total * a + tl.sum(p, 1)
        vv = tl.load(v + head + rn[:, None] * D + rd[None, :])
        acc = tl.dot(p.to(vv.dtype), vv, acc * a[:, None])
        high = new
    result = (acc / total[:, None]).to(o.dtype.element_ty)
    tl.store(o + head + rm[:, None] * D + rd[None, :], result)


@triton.jit
def column_sum_kernel(x, z, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    rc = tl.program_id(0) * BC + tl.arange(0, BC)
    total = tl.zeros([BR, BC], dtype=tl.float32)
    for r in range(0, rows, BR):
        rr = r + tl.arange(0, BR)
        mask = (rr[:, None] < rows) & (rc[None, :] < cols)
        total += tl.load(x + rr[:, None] * cols + rc[None, :], mask=mask, other=0.0)
    tl.store(z + rc, tl.sum(total, axis=0), mask=rc < cols)


@triton.jit
def argmax_kernel(x, z, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at, mask=at < cols, other=-float("inf"))
    tl.store(z + row, tl.argmax(v, axis=0))


@triton.jit
def sum_atomic_kernel(x, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(z, tl.sum(tl.load(x + at, mask=at < n, other=0), axis=0))


@triton.jit
def max_atomic_kernel(x, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_max(z, tl.max(tl.load(x + at, mask=at < n, other=-1000), axis=0))


@triton.jit
def cumsum_kernel(x, z, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at, mask=at < cols, other=0)
    tl.store(z + row * cols + at, tl.cumsum(v, axis=0), mask=at < cols)


@triton.jit
def combine(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def linear_scan_kernel(a, b, z, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    va = tl.load(a + row * cols + at, mask=at < cols, other=0.0)
    vb = tl.load(b + row * cols + at, mask=at < cols, other=0.0)
    _, h = tl.associative_scan((va, vb), 0, combine)
    tl.store(z + row * cols + at, h, mask=at < cols)


@triton.jit
def look_back_scan_kernel(x, z, sums, flags, n, BLOCK: tl.constexpr):
    """A scan over blocks: each waits for the inclusive sum of the one before it."""
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0)
    scan = tl.cumsum(v, axis=0)
    before = 0
    if pid > 0:
        while tl.atomic_add(flags + pid - 1, 0) == 0:
            pass
        before = tl.load(sums + pid - 1, volatile=True)
    tl.store(sums + pid, before + tl.sum(v, axis=0))
    tl.debug_barrier()
    tl.atomic_xchg(flags + pid, 1)
    tl.store(z + at, scan + before, mask=at < n)


@triton.jit
def histogram_kernel(x, z, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0)
    h = tl.histogram(v, BINS)
    tl.atomic_add(z + tl.arange(0, BINS), h)


@triton.jit
def scatter_add_kernel(x, index, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    i = tl.load(index + at, mask=mask, other=0)
    tl.atomic_add(z + i, tl.load(x + at, mask=mask), mask=mask, sem="relaxed")


@triton.jit
def sort_kernel(x, z, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at)
    tl.store(z + row * cols + at, tl.sort(v))


@triton.jit
def gather_kernel(x, index, z, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at)
    i = tl.load(index + row * cols + at)
    tl.store(z + row * cols + at, tl.gather(v, i, 0))


@triton.jit
def cross_entropy_kernel(x, labels, loss, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    label = tl.load(labels + row)
    high = tl.max(v, axis=0)
    total = tl.sum(tl.exp(v - high), axis=0)
    tl.store(loss + row, tl.log(total) + high - tl.load(x + row * cols + label).to(tl.float32))


@triton.jit
def matmul_scaled_kernel(a, sa, b, sb, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                         BK: tl.constexpr, PACK: tl.constexpr):
    """Rows of A and columns of B with a scale, a power of two, for each 32 of k; B is n x k."""
    FORMAT: tl.constexpr = "e2m1" if PACK == 2 else "e4m3"
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK // PACK)
    rs = tl.arange(0, BK // 32)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        va = tl.load(a + rm[:, None] * (K // PACK) + (k // PACK + rk)[None, :])
        vb = tl.load(b + rn[None, :] * (K // PACK) + (k // PACK + rk)[:, None])
        scale_a = tl.load(sa + rm[:, None] * (K // 32) + (k // 32 + rs)[None, :])
        scale_b = tl.load(sb + rn[:, None] * (K // 32) + (k // 32 + rs)[None, :])
        acc = tl.dot_scaled(va, scale_a, FORMAT, vb, scale_b, FORMAT, acc)
    tl.store(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def plain_product_kernel(a, b, c, M, N, K, sam, sak, sbk, sbn, scm, BM: tl.constexpr,
                         BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
                         WHOLE: tl.constexpr, INTEGER: tl.constexpr):
    """The sums as they are; with WHOLE all sizes are whole tiles, and nothing is compared."""
    pid = tl.program_id(0)
    pm = tl.cdiv(M, BM)
    pn = tl.cdiv(N, BN)
    width = GROUP * pn
    group = pid // width
    first = group * GROUP
    size = min(pm - first, GROUP)
    im = first + (pid % width) % size
    jn = (pid % width) // size
    rm = im * BM + tl.arange(0, BM)
    rn = jn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    if WHOLE:
        am = rm
        bn = rn
    else:
        am = rm % M
        bn = rn % N
    pa = a + am[:, None] * sam + rk[None, :] * sak
    pb = b + rk[:, None] * sbk + bn[None, :] * sbn
    SUM: tl.constexpr = tl.int32 if INTEGER else tl.float32
    acc = tl.zeros((BM, BN), dtype=SUM)
    for k in range(0, tl.cdiv(K, BK)):
        if WHOLE:
            va = tl.load(pa)
            vb = tl.load(pb)
        else:
            va = tl.load(pa, mask=rk[None, :] < K - k * BK, other=0)
            vb = tl.load(pb, mask=rk[:, None] < K - k * BK, other=0)
        acc = tl.dot(va, vb, acc, out_dtype=SUM, input_precision="ieee")
        pa += BK * sak
        pb += BK * sbk
    pc = c + rm[:, None] * scm + rn[None, :]
    if WHOLE:
        tl.store(pc, acc)
    else:
        tl.store(pc, acc, mask=(rm[:, None] < M) & (rn[None, :] < N))
