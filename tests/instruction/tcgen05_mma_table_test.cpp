// The rows of tcgen05.mma against CuTe's and Triton's layouts of tensor memory, for every n of
// every row; against the tables of the PTX ISA; and against LLVM 22, which compiles a call of every
// row's intrinsic into its mnemonic.
#include "heddle/instruction/tcgen05_mma_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/places.h"
#include "heddle/instruction/shared_operand.h"
#include "tests/instruction/cute_layout.h"
#include "tests/instruction/llvm_witness.h"

namespace heddle::instruction {
namespace tcgen05_mma_table_test {

using layout::LinearLayout;

bool is_of_pair(const Instruction& row) { return row.wave == 256; }
bool is_ws(const Instruction& row) { return row.name.starts_with("tcgen05.mma.ws"); }

/// The letter of "Data Path Layout Organization", from its table.
char layout_letter(const Instruction& row) {
  if (is_of_pair(row)) return row.m == 256 ? 'A' : row.is_sparse() ? 'C' : 'B';
  if (row.m == 128) return 'D';
  if (row.m == 64) return is_ws(row) ? 'E' : 'F';
  return 'G';
}

/// Calls `check` with every row for every n it takes.
template <typename Check>
void for_each_size(Check check) {
  int count = 0;
  for (const Instruction& row : tensor_instructions) {
    for (int n = 8; n <= 256; n += 8) {
      const auto sized = with_n(row, n);
      if (!sized) continue;
      SCOPED_TRACE(std::string(row.name) + " n = " + std::to_string(n));
      check(*sized);
      ++count;
    }
  }
  EXPECT_GT(count, 1000);
}

// PTX ISA 9.0, "Various combinations of .kind and shapes".
TEST(TensorMultiply, TakesTheSizesOfTheDocument) {
  std::map<std::string, std::set<int>> sizes;
  for (int n = 8; n <= 256; n += 8) sizes["by 8"].insert(n);
  for (int n = 16; n <= 256; n += 16) sizes["by 16"].insert(n);
  for (int n = 32; n <= 256; n += 32) sizes["by 32"].insert(n);
  sizes["integers"] = {8, 16, 24, 32};
  for (int n = 48; n <= 256; n += 16) sizes["integers"].insert(n);
  for (const Instruction& row : tensor_instructions) {
    const bool integers = row.d_type == ElementType::i32;
    std::set<int> wanted = integers ? sizes["integers"] : sizes["by 8"];
    if (is_of_pair(row)) wanted = integers ? sizes["by 32"] : sizes["by 16"];
    if (is_ws(row)) wanted = row.is_sparse() ? std::set{64, 128} : std::set{64, 128, 256};
    std::set<int> taken;
    for (int n = -8; n <= 512; ++n)
      if (takes_n(row, n)) taken.insert(n);
    EXPECT_EQ(taken, wanted) << row.name;
    EXPECT_EQ(row.k * bits(row.a_type), row.is_sparse() ? 512 : 256) << row.name;
  }
}

// CuTe's atoms (m of one CTA, n) -> lane + 128 * column, mma_traits_sm100_frag.hpp: tmem_frg of one
// CTA, of two, and tmem_frg_ws.
std::string cute_atom(const Instruction& row) {
  const std::string n = std::to_string(row.n), half = std::to_string(row.n / 2);
  switch (layout_letter(row)) {
    case 'A':
    case 'D':
      return "(128," + n + "):(1,128)";
    case 'B':
    case 'E':
      return "(64,(" + half + ",2)):(1,(128,64))";
    case 'F':
      return "((16,4)," + n + "):((1,32),128)";
    default:
      return "(32,(" + std::to_string(row.n / 4) + ",4)):(1,(128,32))";
  }
}

TEST(TensorMultiply, TheAccumulatorIsCutesForEveryN) {
  for_each_size([](const Instruction& row) {
    if (!row.has(Witness::cutlass)) return;
    const test::CuteLayout atom(cute_atom(row));
    const int rows = row.m / (row.wave / 128);  // of one CTA
    ASSERT_EQ(atom.size(0), rows);
    ASSERT_EQ(atom.size(1), row.n);
    const Places result = places(row, Operand::d);
    ASSERT_EQ(result.rows, row.m);
    ASSERT_EQ(result.cols, row.n);
    for (int m = 0; m < row.m; ++m)
      for (int n = 0; n < row.n; ++n) {
        const auto at = static_cast<std::size_t>(m * row.n + n);
        const int cell = atom(m % rows, n);
        ASSERT_EQ(result.lane[at], cell % 128 + m / rows * 128) << m << " " << n;
        ASSERT_EQ(result.reg[at], cell / 128) << m << " " << n;
        ASSERT_LT(result.reg[at], row.d.registers);
        ASSERT_EQ(result.bit[at], 0);  // "in its lower 16 bits"
      }
  });
}

// Layout C is F in either CTA: "4x1 (1/2 datapath utilized)", lane alignment 0 or 16.
TEST(TensorMultiply, LayoutCIsFInEitherCta) {
  int count = 0;
  for (const Instruction& row : tensor_instructions) {
    if (layout_letter(row) != 'C') continue;
    const Instruction& f =
        *find("tcgen05.mma.sp.cta_group::1.kind::f16.m64nNk32.f32", Target::sm_100);
    const LinearLayout whole = fragment(row, Operand::d), half = fragment(f, Operand::d);
    ASSERT_EQ(whole.input_bits(), half.input_bits() + 1);
    for (int bit = 0; bit < half.input_bits(); ++bit)
      for (const layout::AxisName axis :
           {layout::AxisName("m"), layout::AxisName("n"), layout::AxisName("selector")}) {
        EXPECT_EQ(whole.outputs().unpack(whole.basis(bit)).at(axis),
                  half.outputs().unpack(half.basis(bit)).at(axis));
      }
    EXPECT_EQ(whole.basis("lane", 7, "m"), 64u);
    ++count;
  }
  EXPECT_EQ(count, 6);
}

// With the address of D on lane 16, the other half of every 32 lanes.
TEST(TensorMultiply, TheSelectorIsTheUpperHalfOfEvery32Lanes) {
  const Instruction& row = *find("tcgen05.mma.cta_group::1.kind::f16.m64nNk16.f32", Target::sm_100);
  const Places lower = places(row, Operand::d), upper = places(row, Operand::d, KOrder::isa, 1);
  for (std::size_t i = 0; i < lower.lane.size(); ++i) {
    EXPECT_EQ(upper.lane[i], lower.lane[i] + 16);
    EXPECT_EQ(upper.reg[i], lower.reg[i]);
  }
}

/// Bases of rows and columns, as (dim0, dim1).
struct TritonLayout {
  std::vector<std::pair<int, int>> rows, columns;
};

// Triton's tensorMemoryToLinearLayout (triton-lang/triton, LinearLayoutConversions.cpp) for one
// tile of 32-bit elements in one CTA; row 16 of the 64-row one is not defined there, and left out
// here.
TritonLayout triton_layout(char letter, int n, bool is_accumulator) {
  const auto counted = [](int count, bool along_rows) {
    std::vector<std::pair<int, int>> bases;
    for (int value = 1; value < count; value *= 2)
      bases.push_back(along_rows ? std::pair{value, 0} : std::pair{0, value});
    return bases;
  };
  TritonLayout result{counted(letter == 'B' ? 64 : 128, true), counted(n, false)};
  if (letter == 'F') result.rows = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {-1, -1}, {16, 0}, {32, 0}};
  if (letter != 'B') return result;
  if (is_accumulator) {  // TwoCTA_RHS
    result.columns = counted(n / 2, false);
    result.rows.push_back({0, n / 2});
  } else {  // TwoCTA_LHS
    result.rows.push_back({0, 0});
  }
  return result;
}

/// One basis as the elements of the matrix that it moves by.
std::pair<int, int> moved(const Instruction& row, const LinearLayout& map, const char* axis,
                          int bit) {
  const bool reg = *axis == 'r';
  const int flat = (reg ? map.inputs().offset(map.inputs().find("register"))
                        : map.inputs().offset(map.inputs().find("lane"))) +
                   bit;
  const auto to = map.outputs().unpack(map.basis(flat));
  const int part =
      static_cast<int>(to.at_or("part", 0)) * row.n / static_cast<int>(map.output_size("part"));
  return {static_cast<int>(to[0].value), static_cast<int>(to[1].value) + part};
}

TEST(TensorMultiply, PlacesAreTritons) {
  int compared = 0;
  const auto compare = [&](const Instruction& row, Operand operand, const TritonLayout& triton) {
    const LinearLayout map = fragment(row, operand);
    const int packed = static_cast<int>(map.input_size("element"));
    for (std::size_t bit = 0; bit < triton.rows.size(); ++bit)
      if (triton.rows[bit].first >= 0)
        EXPECT_EQ(moved(row, map, "lane", static_cast<int>(bit)), triton.rows[bit]) << bit;
    for (std::size_t bit = 0; bit < triton.columns.size(); ++bit)
      EXPECT_EQ(moved(row, map, "register", static_cast<int>(bit)),
                (std::pair{0, triton.columns[bit].second * packed}))
          << bit;
    EXPECT_EQ(map.inputs().bits_of("register"), static_cast<int>(triton.columns.size()));
    ++compared;
  };
  for (const Instruction& row : tensor_instructions) {
    if (!row.has(Witness::triton)) continue;
    SCOPED_TRACE(row.name);
    const char letter = layout_letter(row);
    for (const int n : {64, 128, 256})
      compare(*with_n(row, n), Operand::d, triton_layout(letter, n, true));
    if (!row.a.text.empty()) compare(row, Operand::a, triton_layout(letter, 8, false));
  }
  EXPECT_EQ(compared, (7 * 6 + 5 * 5) * 3 + 4 * 6);
}

// CuTe's tmem_frg of A: (m of one CTA, k) -> lane + 128 * (place among the elements of a lane). Two
// CTAs with 64 rows each have them twice.
TEST(TensorMultiply, AInTensorMemoryIsCutes) {
  int count = 0;
  for (const Instruction& row : tensor_instructions) {
    if (row.a.text.empty()) continue;
    SCOPED_TRACE(row.name);
    const std::string k = std::to_string(row.k);
    const test::CuteLayout atom(layout_letter(row) == 'F' ? "((16,4)," + k + "):((1,32),128)"
                                                          : "(128," + k + "):(1,128)");
    const int rows = row.m / (row.wave / 128);
    const LinearLayout map = fragment(row, Operand::a);
    const int packed = 32 / row.a.bits;
    for (int cta = 0; cta < row.wave / 128; ++cta)
      for (int i = 0; i < atom.size(0); ++i)
        for (int j = 0; j < row.k; ++j) {
          const int cell = atom(i, j);
          const auto input =
              static_cast<std::uint64_t>(cell / 128 + packed * 8 * (cell % 128 + cta * 128));
          const auto to = map.outputs().unpack(map.apply(input));
          ASSERT_EQ(static_cast<int>(to.at("m")), cta * rows + i % rows);
          ASSERT_EQ(static_cast<int>(to.at("k")), j);
          ASSERT_EQ(to.at_or("selector", 0), 0u);
        }
    EXPECT_EQ(lane_copies(map).size(), layout_letter(row) == 'B' ? 2u : 1u);
    ++count;
  }
  EXPECT_EQ(count, 4 * 6);
}

// CuTe's tmem_e_frg and tmem_e_frg_ws: (m, k) -> lane + 128 * unit of a column, a unit being 2 bits
// for 32-bit elements, half a bit for those of 4 bits and 1 else; all units of a k are those of its
// group.
TEST(TensorMultiply, TheIndexIsCutesMetadata) {
  int count = 0;
  for (const Instruction& row : tensor_instructions) {
    if (row.index.text.empty()) continue;
    SCOPED_TRACE(row.name);
    const int width = bits(row.a_type), half_bits = width == 32 ? 4 : width == 4 ? 1 : 2;
    const int rows = row.m / (row.wave / 128);
    const std::string more = std::to_string(rows / 16);
    const test::CuteLayout atom(width == 32   ? "((8,2," + more + "),(8,2)):((1,1024,16),(128,8))"
                                : width == 16 ? "((8,2," + more + "),(16,2)):((1,2048,16),(128,8))"
                                              : "(" + std::to_string(rows) + "," +
                                                    std::to_string(row.k) + "):(1,128)");
    ASSERT_EQ(atom.size(0), rows);
    ASSERT_EQ(atom.size(1), row.k);
    const LinearLayout map = fragment(row, Operand::index);
    const int per_group = k_per_group(row, map);
    EXPECT_EQ(per_group * half_bits, 2 * row.index.bits);
    const int per_lane = 8 * row.index.registers;
    for (int m = 0; m < row.m; ++m)
      for (int k = 0; k < row.k; ++k) {
        const int cell = atom(m % rows, k), lane = cell % 128 + m / rows * 128;
        const int position = cell / 128 * half_bits / (2 * row.index.bits);
        const auto to =
            map.outputs().unpack(map.apply(static_cast<std::uint64_t>(position + per_lane * lane)));
        ASSERT_EQ(static_cast<int>(to.at("m")), m);
        ASSERT_EQ(static_cast<int>(to.at("group")), k / per_group);
      }
    EXPECT_EQ(static_cast<int>(lane_copies(map).size()), is_ws(row) ? 128 / row.m : 1);
    ++count;
  }
  EXPECT_EQ(count, 5 * 6 + 2 * 5);
}

// CuTe's tmem_sf_frg, which Triton's tensorMemoryScalesToLinearLayout agrees with: (32 rows, rest
// of the rows, copies; k of one scale, scales) -> lane + 128 * byte of the columns. "Need to be
// duplicated to all 32 lane partitions". SFA of a CTA has its rows, SFB has all n in both.
TEST(TensorMultiply, ScalesAreCutes) {
  int count = 0;
  for_each_size([&](const Instruction& row) {
    for (const Operand operand : {Operand::scale_a, Operand::scale_b}) {
      if (row.map(operand).text.empty()) continue;
      const bool of_a = operand == Operand::scale_a;
      const LinearLayout map = fragment(row, operand);
      const int scales = static_cast<int>(map.output_size("group"));
      const int rows = of_a ? 128 : (row.n + 31) / 32 * 32;
      const test::CuteLayout atom("((32," + std::to_string(rows / 32) + ",4),(" +
                                  std::to_string(row.k / scales) + "," + std::to_string(scales) +
                                  ")):((1,512,32),(0,128))");
      ASSERT_EQ(row.map(operand).registers, rows / 32);
      const int per_lane = 4 * static_cast<int>(map.input_size("register"));
      for (int cta = 0; cta < row.wave / 128; ++cta)
        for (int i = 0; i < atom.size(0); ++i)
          for (int k = 0; k < row.k; k += row.k / scales) {
            const int cell = atom(i, k), lane = cell % 128 + 128 * cta;
            const auto to = map.outputs().unpack(
                map.apply(static_cast<std::uint64_t>(cell / 128 + per_lane * lane)));
            ASSERT_EQ(static_cast<int>(to.at(of_a ? layout::AxisName("m") : layout::AxisName("n"))),
                      i % rows + (of_a ? cta * 128 : 0));
            ASSERT_EQ(static_cast<int>(to.at("group")), k / (row.k / scales));
            ASSERT_EQ(to.at_or("selector", 0), 0u);
          }
      const Places view = places(row, operand);
      EXPECT_EQ(view.rows, of_a ? row.m : row.k);
      EXPECT_EQ(view.cols, of_a ? row.k : row.n);
      ++count;
    }
  });
  EXPECT_EQ(count, 5 * 2 * (2 * 32 + 2 * 16));
}

// The scales that an instruction does not read, SFA_ID says: further bytes of the same words.
TEST(TensorMultiply, SelectorsOfScalesAreTheNextBytes) {
  const Instruction& row =
      *find("tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32.m128nNk32.f32.ue8m0",
            Target::sm_100);
  const Places first = places(row, Operand::scale_a);
  for (int selector = 1; selector < 4; ++selector) {
    const Places other = places(row, Operand::scale_a, KOrder::isa, selector);
    for (std::size_t i = 0; i < first.bit.size(); ++i)
      ASSERT_EQ(other.bit[i], first.bit[i] + 8 * selector);
  }
}

// B, and A where no other place is known, come from shared memory; of a pair half in either CTA.
TEST(TensorMultiply, SharedOperandsAreHalvedInAPair) {
  for (const Instruction& row : tensor_instructions) {
    EXPECT_TRUE(may_be_shared(row, Operand::a) && may_be_shared(row, Operand::b)) << row.name;
    const SharedTile a = shared_tile(row, Operand::a, Major::k, Swizzle::bytes128);
    const SharedTile b = shared_tile(row, Operand::b, Major::k, Swizzle::bytes128);
    EXPECT_EQ(a.mn, row.m / (is_of_pair(row) ? 2 : 1)) << row.name;
    EXPECT_EQ(b.mn, row.n / (is_of_pair(row) ? 2 : 1)) << row.name;
    EXPECT_EQ(a.k * a.bits, 256);
    EXPECT_EQ(b.k * b.bits, row.is_sparse() ? 512 : 256);
    const int width = bits(row.a_type);
    EXPECT_EQ(may_be_mn_major(row, Operand::b, Swizzle::bytes128), width == 8 || width == 16);
    EXPECT_EQ(may_be_mn_major(row, Operand::b, Swizzle::bytes128_atom32), width == 32);
  }
}

// PTX ISA 9.0, "Various combinations of .kind and shapes" and "Valid combinations of
// scale_vectorsize with types and MMA-Kind". Every format has the places of the first.
TEST(TensorMultiply, FormatsAreThoseOfTheDocument) {
  using enum ElementType;
  const std::map<std::string, std::set<ElementType>> of_kind{
      {"f16", {f16, bf16}},
      {"tf32", {xf32}},
      {"f8f6f4", {fp8, bf8, fp6, bf6, fp4}},
      {"i8", {i8, u8}},
      {"mxf8f6f4", {fp8, bf8, fp6, bf6, fp4}},
      {"mxf4", {fp4}},
      {"mxf4nvf4", {fp4}}};
  for (const Instruction& row : tensor_instructions) {
    SCOPED_TRACE(row.name);
    std::string kind(row.name.substr(row.name.find("kind::") + 6));
    kind.resize(kind.find('.'));
    std::set<ElementType> types{row.a_type};
    for (int i = 0; i < static_cast<int>(row.formats.size()); ++i) {
      const Instruction chosen = *with_formats(row, i, 0);
      types.insert(chosen.a_type);
      EXPECT_EQ(chosen.a.text, row.a.text);
      EXPECT_EQ(chosen.a.bits, row.a.bits);
      EXPECT_EQ(shared_tile(chosen, Operand::a, Major::k, Swizzle::none).bits, row.b.bits);
    }
    EXPECT_EQ(types, row.d_type == f16 && kind == "f16" ? std::set{f16} : of_kind.at(kind));
  }
}

// What has no map stands in doubt, and says why.
TEST(TensorMultiply, OperandsWithoutASourceAreInDoubt) {
  int in_doubt = 0;
  for (const Instruction& row : tensor_instructions) {
    bool missing = false;
    for (const Operand operand :
         {Operand::a, Operand::d, Operand::index, Operand::scale_a, Operand::scale_b})
      missing |=
          row.map(operand).storage == Storage::tensor_memory && row.map(operand).text.empty();
    EXPECT_EQ(missing, !row.doubt.empty()) << row.name;
    in_doubt += missing;
  }
  EXPECT_EQ(in_doubt, 6 + 6 + 5);
}

// A call of the row's intrinsic, by kind and CTAs where these are arguments, becomes the row's name
// up to its shape.
TEST(TensorMultiply, LlvmHasTheMnemonic) {
  const std::vector<std::string> kinds{"f16", "tf32", "f8f6f4", "i8"};
  std::set<std::string> intrinsics;
  for (const Instruction& row : tensor_instructions) {
    SCOPED_TRACE(row.name);
    const std::string name(row.name.substr(0, row.name.rfind(".m")));
    const std::string kind = name.substr(name.rfind(':') + 1);
    const auto number = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
    const bool scaled = row.has(Operand::scale_a);
    std::string types, arguments;
    const auto add = [&](const std::string& type, const std::string& value) {
      types += (types.empty() ? "" : ", ") + type;
      arguments += (arguments.empty() ? "" : ", ") + type + " " + value;
    };
    const std::string memory = "ptr addrspace(6)";
    add(memory, "%d");
    add("i64", "%a");
    add("i64", "%b");
    add("i32", "%i");
    add("i1", "true");
    if (row.is_sparse()) add(memory, "%d");
    if (scaled) add(memory, "%d");
    if (scaled) add(memory, "%d");
    if (!scaled) add("i32", std::to_string(number));
    add("i32", is_ws(row) ? "0" : is_of_pair(row) ? "2" : "1");
    add("i32", "0");
    const std::string signature = "void @" + std::string(row.intrinsic);
    const auto ptx = test::compile_ir(Target::sm_100, 32,
                                      "declare " + signature + "(" + types + ")\ndefine void @f(" +
                                          memory + " %d, i64 %a, i64 %b, i32 %i) {\n  call " +
                                          signature + "(" + arguments + ")\n  ret void\n}\n");
    ASSERT_EQ(ptx.error, "");
    EXPECT_NE(ptx.value.find("\t" + name + ".collector::"), std::string::npos) << ptx.value;
    intrinsics.insert(std::string(row.intrinsic));
  }
  EXPECT_EQ(intrinsics.size(), 4u + 2 * 4u);
}

}  // namespace tcgen05_mma_table_test
}  // namespace heddle::instruction
