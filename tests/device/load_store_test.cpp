// Loads and stores lane by lane on the host, where a test can be exhaustive: every operand, family,
// order and type, with and without bounds, against the places that the catalogue gives. The same
// functions run on the emulator in multiply_accumulate_test.cpp.
#include "heddle/device/load_store.h"

#include "heddle/instruction/catalogue.h"
#include "kernels.h"

// libgcc before 13 lacks the conversion that clang calls on the host (round to nearest even).
extern "C" __attribute__((weak)) __bf16 __truncsfbf2(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<__bf16>(
      static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
}

namespace heddle::device::testing {
namespace load_store_test {

// Where the catalogue says that the lane's element lies, by its own evaluation of the map.
template <class F>
std::pair<int, int> place(int element, unsigned lane) {
  const layout::LinearLayout map =
      instruction::fragment(F::Traits::row, F::operand, instruction::KOrder::contiguous);
  const int elements = static_cast<int>(map.input_size("element"));
  const auto at = map.apply({{"element", static_cast<std::uint64_t>(element % elements)},
                             {"register", static_cast<std::uint64_t>(element / elements)},
                             {"lane", lane}})
                      .value();
  return {static_cast<int>(at[0].value), static_cast<int>(at[1].value)};
}

template <class F>
std::uint32_t bits_of(const F& fragment, int i) {
  const typename F::Element element = fragment[i];
  if constexpr (sizeof(element) == 4)
    return std::bit_cast<std::uint32_t>(element);
  else if constexpr (sizeof(element) == 2)
    return std::bit_cast<std::uint16_t>(element);
  else
    return static_cast<std::uint8_t>(element) & ((1u << F::bits) - 1);
}

// Every element of a matrix is another random number; what lies outside must not be touched, which
// the address sanitizer would see, and is 0 in the fragment.
template <class F, class Memory, Order order>
void check_loads() {
  constexpr bool columns = order == Order::column_major;
  Random random(3);
  for (const auto& [rows, cols] :
       {std::pair{F::rows, F::columns}, {F::rows - 1, 3}, {1, 1}, {5, 0}}) {
    const int stride = (columns ? F::rows : F::columns) + 2;
    Matrix matrix(element_kind<typename F::Element>.type, rows, cols, columns, stride);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j)
        matrix.set_bits(i, j, random.bits() & static_cast<std::uint32_t>((1ull << F::bits) - 1));
    const auto* memory = reinterpret_cast<const Memory*>(matrix.data());
    const bool whole = rows == F::rows && cols == F::columns;
    for (unsigned lane = 0; lane < wave_size; ++lane) {
      F bounded, free;
      load_matrix_sync_bounded<order>(bounded, memory, static_cast<unsigned>(stride), rows, cols,
                                      lane);
      if (whole) load_matrix_sync<order>(free, memory, static_cast<unsigned>(stride), lane);
      for (int i = 0; i < F::size; ++i) {
        const auto [row, column] = place<F>(i, lane);
        const bool inside = row < rows && column < cols;
        const std::uint32_t expected = inside ? matrix.get_bits(row, column) : 0;
        ASSERT_EQ(bits_of(bounded, i), expected) << "lane " << lane << ", element " << i;
        if (whole) {
          ASSERT_EQ(bits_of(free, i), expected) << "lane " << lane << ", element " << i;
        }
      }
    }
  }
}

template <class T, Family family, int k = 16, class Memory = T>
void check_operands() {
  SCOPED_TRACE(std::string(instruction::name(element_kind<T>.type)) + " " +
               std::string(instruction::name(family)));
  check_loads<Fragment<Operand::a, T, family, k>, Memory, Order::row_major>();
  check_loads<Fragment<Operand::a, T, family, k>, Memory, Order::column_major>();
  check_loads<Fragment<Operand::b, T, family, k>, Memory, Order::row_major>();
  check_loads<Fragment<Operand::b, T, family, k>, Memory, Order::column_major>();
}

TEST(LoadMatrix, GivesEachLaneItsElements) {
  check_operands<half_t, Family::gfx11>();
  check_operands<half_t, Family::gfx12>();
  check_operands<bhalf_t, Family::gfx11>();
  check_operands<bhalf_t, Family::gfx12>();
  check_operands<std::int8_t, Family::gfx11>();
  check_operands<std::uint8_t, Family::gfx12>();
  check_operands<int4_t, Family::gfx11, 16, std::uint8_t>();
  check_operands<uint4_t, Family::gfx12, 16, std::uint8_t>();
  check_operands<int4_t, Family::gfx12, 32, std::uint8_t>();
  check_operands<fp8_t, Family::gfx12>();
  check_operands<bf8_t, Family::gfx12, 16, std::uint8_t>();
  // Memory may have another name for the bits, as HIP's __half has.
  check_operands<half_t, Family::gfx11, 16, std::uint16_t>();
}

template <class T, Family family>
void check_accumulator() {
  using F = Accumulator<T, family>;
  SCOPED_TRACE(std::string(instruction::name(element_kind<T>.type)) + " " +
               std::string(instruction::name(family)));
  check_loads<F, T, Order::row_major>();
  check_loads<F, T, Order::column_major>();
}

TEST(LoadMatrix, GivesEachLaneItsPartOfC) {
  check_accumulator<float, Family::gfx11>();
  check_accumulator<float, Family::gfx12>();
  check_accumulator<half_t, Family::gfx11>();
  check_accumulator<half_t, Family::gfx12>();
  check_accumulator<bhalf_t, Family::gfx11>();
  check_accumulator<bhalf_t, Family::gfx12>();
  check_accumulator<std::int32_t, Family::gfx11>();
}

// D of any type to memory of any other, all lanes, with bounds and without.
template <class T, Family family, class Memory, Order order>
void check_stores() {
  using F = Accumulator<T, family>;
  constexpr bool columns = order == Order::column_major;
  const auto value = [](int row, int column) { return row * 16 + column - 100; };
  for (const auto& [rows, cols] : {std::pair{16, 16}, {15, 7}, {1, 1}, {0, 4}}) {
    constexpr int stride = 19;
    std::vector<Memory> memory(16 * stride, static_cast<Memory>(77));
    std::vector<Memory> whole = memory;
    for (unsigned lane = 0; lane < wave_size; ++lane) {
      F fragment{};
      for (int i = 0; i < F::size; ++i) {
        const auto [row, column] = place<F>(i, lane);
        fragment.set(i, static_cast<T>(value(row, column)));
      }
      store_matrix_sync_bounded<order>(memory.data(), fragment, stride, rows, cols, lane);
      store_matrix_sync<order>(whole.data(), fragment, stride, lane);
    }
    for (int row = 0; row < 16; ++row)
      for (int column = 0; column < 16; ++column) {
        const auto at =
            static_cast<std::size_t>(columns ? column * stride + row : row * stride + column);
        const bool inside = row < rows && column < cols;
        ASSERT_EQ(memory[at], static_cast<Memory>(inside ? value(row, column) : 77));
        ASSERT_EQ(whole[at], static_cast<Memory>(value(row, column)));
      }
    for (std::size_t line = 0; line < 16; ++line)
      for (std::size_t behind = 16; behind < stride; ++behind)
        ASSERT_EQ(whole[line * stride + behind], static_cast<Memory>(77));
  }
}

template <class T, Family family, class Memory>
void check_both_orders() {
  check_stores<T, family, Memory, Order::row_major>();
  check_stores<T, family, Memory, Order::column_major>();
}

TEST(StoreMatrix, PutsEveryElementInItsPlace) {
  check_both_orders<float, Family::gfx11, float>();
  check_both_orders<float, Family::gfx12, float>();
  check_both_orders<float, Family::gfx11, half_t>();
  check_both_orders<float, Family::gfx12, half_t>();
  check_both_orders<float, Family::gfx12, bhalf_t>();
  check_both_orders<half_t, Family::gfx11, half_t>();
  check_both_orders<half_t, Family::gfx12, float>();
  check_both_orders<bhalf_t, Family::gfx11, bhalf_t>();
  check_both_orders<std::int32_t, Family::gfx11, std::int32_t>();
  check_both_orders<std::int32_t, Family::gfx12, float>();
}

// As wide as the map allows: a row of A is one piece of 16 bytes a lane on gfx12, two on gfx11.
static_assert(detail::piece_size<FragmentA<half_t, Family::gfx11>, Order::row_major, half_t>() ==
              8);
static_assert(detail::piece_size<FragmentA<half_t, Family::gfx12>, Order::row_major, half_t>() ==
              8);
static_assert(
    detail::piece_size<FragmentA<std::int8_t, Family::gfx11>, Order::row_major, std::int8_t>() ==
    16);
static_assert(detail::piece_size<FragmentB<half_t, Family::gfx11>, Order::row_major, half_t>() ==
              1);
static_assert(detail::piece_size<Accumulator<float, Family::gfx12>, Order::column_major, float>() ==
              4);
static_assert(detail::piece_size<Accumulator<float, Family::gfx11>, Order::column_major, float>() ==
              1);

}  // namespace load_store_test
}  // namespace heddle::device::testing
