// Packs an operand once: brings it into the order of GEMM's cells in LDS, so that staging it only
// copies consecutive bytes. Reads every element once and writes every piece once:
//
//     read      rows * k elements
//     written   ceil(rows / 32) * 32 * padded_k elements; the padding is zeros
//
// Order: tiles of 16 rows; in a tile slabs of 32 bytes of k; in a slab the cell of slab.h. In each
// group of 32 rows, the even rows are the first tile and the odd rows the second. So the packed
// form does not depend on how many rows a workgroup of a kernel has, and is the same for A and B.
#pragma once

#include "kernels/rdna/gemm_arguments.h"
#include "kernels/rdna/slab.h"

namespace heddle::kernels::rdna {

#if defined(__HIP__)

/// Packs one piece for each thread. There are as many threads as pieces.
template <class T>
HEDDLE_DEVICE inline void pack(const T* from, Piece* packed, const PackArguments& arguments,
                               unsigned thread) {
  constexpr unsigned count = piece_elements<T>;
  using Elements = device::Vector<T, static_cast<int>(count)>;

  const unsigned slabs = arguments.padded_k / slab_depth<T>;
  const unsigned number = thread / cell_pieces;  // of the cell
  const auto [row_of_tile, piece] = layout::map_index<cell.map>(thread % cell_pieces);
  const unsigned row = block_row<packed_interleave>(number / slabs, row_of_tile);
  const unsigned k = number % slabs * slab_depth<T> + piece * count;

  Elements elements{};
  if (row < arguments.rows && k < arguments.k) {
    const T* at =
        from + std::uint64_t{row} * arguments.row_stride + std::uint64_t{k} * arguments.k_stride;
    if (arguments.k_stride == 1 && k + count <= arguments.k) {
      elements = *reinterpret_cast<const device::Unaligned<Elements, T>*>(at);
    } else {
#pragma unroll
      for (unsigned e = 0; e < count; ++e)
        if (k + e < arguments.k) elements[e] = at[std::uint64_t{e} * arguments.k_stride];
    }
  }
  packed[thread] = __builtin_bit_cast(Piece, elements);
}

#endif  // __HIP__

}  // namespace heddle::kernels::rdna
