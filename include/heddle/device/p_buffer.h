// Converts P of attention from the accumulators of S^T = K * Q^T to operand B of O^T = V^T * P^T.
// It has the interface of Mojo's PRegisterBufferRDNA, which goes through shared memory; here there
// is also a way that stays in registers. docs/attention.md compares the members.
//
//   p.reg_tile[n * num_m_mmas + m]            16 keys x 16 queries, accumulators
//   p.template register_mma_tile<n>()         the same 16 keys as operand B, without memory
//   p.template copy_to_shared<chunk>()        Mojo's way: BK keys x BM queries to shared memory,
//   p.template get_mma_tile<chunk, step>()    and from there to operand B
//
// WHY SHARED MEMORY IS NOT NEEDED
//
// A lane of the accumulator has one query, and so has a lane of operand B: only the keys differ.
//
//             accumulator (S^T: m is key, n is query)   operand B (k is key, n is query)
//   gfx12     lane l, element e: key 8 * (l / 16) + e    lane l, element e: key 8 * (l / 16) + e
//   gfx11     lane l, element e: key 2 * e + l / 16      lane l, element e: key e, in both halves
//
// On gfx12 both maps are equal, so no data move. On gfx11 one half of the wave has the even keys
// and the other half has the odd keys, but both halves need all keys. Element e of operand B is
// element e / 2 of lane l % 16 + 16 * (e % 2) of the accumulator: one exchange between lanes l and
// l ^ 16. source_of_p says from which element of the accumulator each element of operand B comes;
// it is derived from the maps of the catalogue. static_asserts below check what is said here about
// gfx12 and gfx11.
#pragma once

#include "heddle/device/v_buffer.h"

namespace heddle::device {

namespace detail {

/// For each (position, lane) of operand B, the (position, lane) of the accumulator that has the
/// same element.
template <class T, class AccumType, Family family>
inline constexpr layout::LinearLayout source_of_p =
    layout::invert_and_compose(operand_map<Operand::b, T, family>("query", "key"),
                               operand_map<Operand::d, AccumType, family>("query", "key"))
        .value();

/// True if want(position, lane, source position, source lane) holds for each element of operand B.
constexpr bool comes_from(const layout::LinearLayout& source, auto want) {
  const int positions = source.inputs()[0].bits;
  for (std::uint64_t at = 0; at >> source.input_bits() == 0; ++at) {
    const std::uint64_t position = at & layout::low_bits(positions);
    const layout::Coordinates from = source.outputs().unpack(source.apply(at));
    if (!want(position, at >> positions, from.at("position"), from.at("lane"))) return false;
  }
  return true;
}

static_assert(comes_from(source_of_p<half_t, float, Family::gfx12>,
                         [](auto position, auto lane, auto from, auto from_lane) {
                           return from == position && from_lane == lane;
                         }),
              "on gfx12 the accumulator is operand B");
static_assert(comes_from(source_of_p<half_t, float, Family::gfx11>,
                         [](auto position, auto lane, auto from, auto from_lane) {
                           return from == position / 2 &&
                                  from_lane == lane % 16 + 16 * (position % 2);
                         }),
              "on gfx11 operand B takes turns between the halves of the wave");

}  // namespace detail

#if defined(__HIP__)

/// The value of this variable in lane l ^ 16.
HEDDLE_DEVICE inline unsigned of_other_half(unsigned value) {
  // Each lane reads from the other row of 16 lanes. Four bits of the selectors for each lane say
  // from which of these 16 lanes: lane i of a row reads lane i of the other row.
  return __builtin_amdgcn_permlanex16(value, value, 0x76543210u, 0xfedcba98u, false, false);
}
HEDDLE_DEVICE inline float of_other_half(float value) {
  return __builtin_bit_cast(float, of_other_half(__builtin_bit_cast(unsigned, value)));
}

/// A 16x16 accumulator, rounded to T, as operand B of the next product (see the top of this file).
template <class T, class AccumType>
HEDDLE_DEVICE FragmentB<T> accumulator_as_b(const Accumulator<AccumType>& accumulator) {
  static_assert(sizeof(T) == 2, "P is f16 or bf16");
  Vector<T, 8> own;
#pragma unroll
  for (int i = 0; i < 8; ++i) own[i] = static_cast<T>(accumulator[i]);
  FragmentB<T> fragment;
#if defined(__GFX12__)
  fragment.registers = own;
#else
  using Words = Vector<unsigned, 4>;
  const Words words = __builtin_bit_cast(Words, own);
  // Selectors of bytes: 0 to 3 are bytes of this lane's word, 4 to 7 of the other lane's. The lower
  // half of the wave has the even keys.
  const bool is_upper = lane_index() >= 16;
  const unsigned low = is_upper ? 0x01000504u : 0x05040100u;
  const unsigned high = is_upper ? 0x03020706u : 0x07060302u;
  Vector<unsigned, 8> all;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned other = of_other_half(words[i]);
    all[2 * i] = __builtin_amdgcn_perm(other, words[i], low);
    all[2 * i + 1] = __builtin_amdgcn_perm(other, words[i], high);
  }
  fragment.registers = __builtin_bit_cast(typename FragmentB<T>::Registers, all);
#endif
  return fragment;
}

#endif  // __HIP__

/// P of a tile. BM and BN: queries and keys of the tile. BK: keys of a chunk; shared memory holds
/// one chunk at a time. WM and WN: queries and keys of a warp.
template <class AccumType, class T, class Core, int BM, int BN, int BK, int WM, int WN,
          Family family = family_here>
class PBuffer {
 public:
  static_assert(detail::BufferTypes<T, Core>::are_right, "wrong types of a buffer: see above");
  using Element = Bits<T>;
  static_assert(sizeof(T) == 2, "P is f16 or bf16");
  static_assert(Core::swap_a_b, "P is operand B: the product is computed transposed");
  static_assert(BM % WM == 0 && BN % WN == 0 && WN % BK == 0 && BK % 16 == 0 && WM % 16 == 0,
                "WM divides BM, BK divides WN, WN divides BN; all are multiples of 16");

  // Members with Mojo's names.
  static constexpr int num_m_mmas = WM / Core::M;
  static constexpr int num_n_mmas = WN / Core::N;
  static constexpr int output_frag_size = Accumulator<AccumType, family>::size;
  static constexpr int mma_frag_size = FragmentB<T, family>::size;
  static constexpr RowMajor mma_tile_layout{num_m_mmas, mma_frag_size};
  static constexpr RowMajor reg_tile_layout{num_n_mmas * num_m_mmas, output_frag_size};
  static constexpr RowMajor smem_layout{BK, BM};

 private:
  static constexpr int warps_n = BN / WN;
  static constexpr int chunks_per_warp = WN / BK;
  static constexpr int tiles_per_chunk = BK / 16;

 public:
  /// Rows of keys, as Mojo has them.
  static constexpr memory::SharedLayout shared{
      product_of(along(BM, "offset", "query"), along(BK, "offset", "key")), {}};
  static constexpr int shared_size = static_cast<int>(shared.size());
  /// The maps of a chunk of BK keys. `held`: the chunk as accumulators, in the warps that have
  /// these keys. `fragment`: the chunk as operand B, for all steps of the chunk.
  static constexpr layout::LinearLayout held = held_by_threads(
      product_of(operand_map<Operand::d, AccumType, family>("query", "key"),
                 along(num_m_mmas, "position", "query"), along(tiles_per_chunk, "position", "key"),
                 copies(warps_n, "warp", "key"), along(BM / WM, "warp", "query")));
  static constexpr layout::LinearLayout fragment = held_by_threads(
      product_of(operand_map<Operand::b, T, family>("query", "key"),
                 along(num_m_mmas, "position", "query"), copies(warps_n, "warp", "key"),
                 along(BM / WM, "warp", "query"), along(tiles_per_chunk, "position", "key")));

  using Store = SharedMove<shared, held, 16>;
  using Load = SharedMove<shared, fragment, 16>;
  struct MMATileType {
    FragmentB<T, family> tile[num_m_mmas];
    HEDDLE_DEVICE constexpr const FragmentB<T, family>& operator[](int row) const {
      return tile[row];
    }
  };

  /// `shared_ptr` points to memory for BK * BM elements; only copy_to_shared() and get_mma_tile()
  /// need this memory.
  HEDDLE_DEVICE constexpr explicit PBuffer(T* shared_ptr = nullptr, Thread thread_ = this_thread())
      : shared_memory_ptr(shared_ptr), thread(thread_) {}

  static constexpr instruction::ElementType get_dtype() { return element_kind<T>.type; }

  HEDDLE_DEVICE constexpr void zero() {
#pragma unroll
    for (int i = 0; i < reg_tile_layout.rows; ++i) reg_tile[i].registers = {};
  }

#if defined(__HIP__)
  /// Keys 16 * n_mma to 16 * n_mma + 15 of this warp as operand B, made from the accumulators
  /// without shared memory.
  template <int n_mma>
  HEDDLE_DEVICE MMATileType register_mma_tile() const {
    static_assert(n_mma < num_n_mmas, "a warp has num_n_mmas tiles of keys");
    MMATileType tile;
#pragma unroll
    for (int m = 0; m < num_m_mmas; ++m)
      tile.tile[m] = accumulator_as_b<T>(reg_tile[n_mma * num_m_mmas + m]);
    return tile;
  }
#endif

  /// Writes the values of P for the BK keys of chunk `chunk_idx` to shared memory, rounded to T.
  /// Only the warps that hold these keys do so; other warps return at once.
  template <int chunk_idx>
  HEDDLE_DEVICE constexpr void copy_to_shared() const {
    constexpr unsigned owner = chunk_idx / chunks_per_warp;
    static_assert(owner < warps_n, "a tile has BN / BK chunks");
    if (thread.warp % warps_n != owner) return;
    constexpr int first = chunk_idx % chunks_per_warp * tiles_per_chunk * num_m_mmas;
    Store::store(reinterpret_cast<Element*>(shared_memory_ptr), thread, [&](int position) {
      const T rounded = static_cast<T>(
          reg_tile[first + position / output_frag_size][position % output_frag_size]);
      return __builtin_bit_cast(Element, rounded);
    });
  }

  /// Operand B for step `k_idx` of a chunk. Precondition: chunk `tile_idx` is in shared memory.
  template <int tile_idx, int k_idx>
  HEDDLE_DEVICE constexpr MMATileType get_mma_tile() const {
    static_assert(tile_idx < BN / BK && k_idx < tiles_per_chunk, "a chunk has BK / 16 steps");
    Vector<Element, mma_frag_size> values[num_m_mmas];
    constexpr int count = Load::accesses / tiles_per_chunk;
    Load::template load<count>(reinterpret_cast<const Element*>(shared_memory_ptr), thread,
                               k_idx * count, [&](int position, Element value) {
                                 const int at = position % (Load::positions / tiles_per_chunk);
                                 values[at / mma_frag_size][at % mma_frag_size] = value;
                               });
    MMATileType tile;
#pragma unroll
    for (int m = 0; m < num_m_mmas; ++m)
      tile.tile[m].registers =
          __builtin_bit_cast(typename FragmentB<T, family>::Registers, values[m]);
    return tile;
  }

  Accumulator<AccumType, family> reg_tile[reg_tile_layout.rows];
  T* shared_memory_ptr;
  Thread thread;  // this one
};

}  // namespace heddle::device
