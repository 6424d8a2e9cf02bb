"""Kernels in Gluon for record.py: padded shared memory, and copies that do not pass registers."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy_tiles(to_a, to_b, a, b, at_a, at_b):
    gl.amd.cdna4.async_copy.buffer_load_to_shared(to_a, a, at_a)
    gl.amd.cdna4.async_copy.buffer_load_to_shared(to_b, b, at_b)
    gl.amd.cdna4.async_copy.commit_group()


@gluon.jit
def gluon_matmul_kernel(a, b, c, K, sam, sbk, scm, BM: gl.constexpr, BN: gl.constexpr,
                        BK: gl.constexpr, PADDING: gl.constexpr):
    """For gfx950: two buffers in turn, rows of 64 and of 128 elements padded after each 512."""
    mfma: gl.constexpr = gl.amd.AMDMFMALayout(version=4, instr_shape=[32, 32, 16],
                                              transposed=True, warps_per_cta=[2, 2])
    dot_a: gl.constexpr = gl.DotOperandLayout(0, mfma, k_width=8)
    dot_b: gl.constexpr = gl.DotOperandLayout(1, mfma, k_width=8)
    shared_a: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[512, PADDING]], [BM, BK],
                                                                     [1, 0])
    shared_b: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[512, PADDING]], [BK, BN],
                                                                     [1, 0])
    load_a: gl.constexpr = gl.BlockedLayout([1, 8], [512 // BK, BK // 8], [4, 1], [1, 0])
    load_b: gl.constexpr = gl.BlockedLayout([1, 8], [512 // BN, BN // 8], [4, 1], [1, 0])
    tiles_a = gl.allocate_shared_memory(a.dtype.element_ty, [2, BM, BK], shared_a)
    tiles_b = gl.allocate_shared_memory(b.dtype.element_ty, [2, BK, BN], shared_b)
    row = gl.program_id(0) * BM
    column = gl.program_id(1) * BN
    at_a = (row + gl.arange(0, BM, gl.SliceLayout(1, load_a)))[:, None] * sam + gl.arange(
        0, BK, gl.SliceLayout(0, load_a))[None, :]
    at_b = gl.arange(0, BK, gl.SliceLayout(1, load_b))[:, None] * sbk + (
        column + gl.arange(0, BN, gl.SliceLayout(0, load_b)))[None, :]
    acc = gl.zeros([BM, BN], gl.float32, mfma)
    copy_tiles(tiles_a.index(0), tiles_b.index(0), a, b, at_a, at_b)
    steps = K // BK
    for i in range(1, steps):
        at_a += BK
        at_b += BK * sbk
        copy_tiles(tiles_a.index(i % 2), tiles_b.index(i % 2), a, b, at_a, at_b)
        gl.amd.cdna4.async_copy.wait_group(1)
        va = tiles_a.index((i - 1) % 2).load(dot_a)
        vb = tiles_b.index((i - 1) % 2).load(dot_b)
        acc = gl.amd.cdna4.mfma(va, vb, acc)
    gl.amd.cdna4.async_copy.wait_group(0)
    va = tiles_a.index((steps - 1) % 2).load(dot_a)
    vb = tiles_b.index((steps - 1) % 2).load(dot_b)
    acc = gl.amd.cdna4.mfma(va, vb, acc)
    at_m = row + gl.arange(0, BM, gl.SliceLayout(1, mfma))
    at_n = column + gl.arange(0, BN, gl.SliceLayout(0, mfma))
    gl.store(c + at_m[:, None] * scm + at_n[None, :], acc)


@gluon.jit
def gluon_tensor_matmul_kernel(a, b, c, M, N, K, BM: gl.constexpr, BN: gl.constexpr,
                               BK: gl.constexpr):
    """For gfx1250: the tensor data mover fills padded tiles."""
    tdm: gl.constexpr = gl.amd.gfx1250.tdm
    wmma: gl.constexpr = gl.amd.AMDWMMALayout(version=3, transposed=True,
                                              warps_per_cta=[2, 2],
                                              instr_shape=[16, 16, 32])
    shared_a: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[BK, 8]], [BM, BK], [1, 0])
    shared_b: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[BN, 8]], [BK, BN], [1, 0])
    row = gl.program_id(0) * BM
    column = gl.program_id(1) * BN
    from_a = tdm.make_tensor_descriptor(base=a, shape=(M, K), strides=(K, 1),
                                        block_shape=(BM, BK), layout=shared_a)
    from_b = tdm.make_tensor_descriptor(base=b, shape=(K, N), strides=(N, 1),
                                        block_shape=(BK, BN), layout=shared_b)
    tile_a = gl.allocate_shared_memory(from_a.dtype, from_a.block_shape, from_a.layout)
    tile_b = gl.allocate_shared_memory(from_b.dtype, from_b.block_shape, from_b.layout)
    acc = gl.zeros([BM, BN], gl.float32, wmma)
    for k in range(0, K, BK):
        tdm.async_load(from_a, [row, k], tile_a)
        tdm.async_load(from_b, [k, column], tile_b)
        tdm.async_wait(0)
        va = tile_a.load(gl.DotOperandLayout(0, wmma, k_width=8))
        vb = tile_b.load(gl.DotOperandLayout(1, wmma, k_width=8))
        acc = gl.amd.gfx1250.wmma(va, vb, acc)
    at_m = row + gl.arange(0, BM, gl.SliceLayout(1, wmma))
    at_n = column + gl.arange(0, BN, gl.SliceLayout(0, wmma))
    gl.store(c + at_m[:, None] * N + at_n[None, :], acc)
