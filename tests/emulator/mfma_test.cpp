// Every MFMA and SMFMAC of gfx90a, gfx942 and gfx950, assembled by LLVM and executed: operands lie
// where AMD's matrix instruction calculator put them (gfx90a, gfx942) or where the formulas of the
// CDNA4 document do (gfx950), and the product is computed here. Nothing here reads the catalogue's
// maps; it gives the names, shapes and types.
#include <cmath>
#include <map>
#include <memory>

#include "heddle/instruction/cdna_table.h"
#include "heddle/instruction/modifiers.h"
#include "heddle/instruction/numerics.h"
#include "kernels.h"
#include "tests/data/golden.h"

namespace heddle::emulator::testing {
namespace mfma_test {

using instruction::ElementType;
using instruction::Family;
using Row = instruction::Instruction;

// --- numbers -----------------------------------------------------------------------------------

struct FloatFormat {
  int exponent_bits, fraction_bits, bias;
};
FloatFormat format_of(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return {5, 10, 15};
    case ElementType::bf16:
      return {8, 7, 127};
    case ElementType::fp8:
      return {4, 3, 7};
    case ElementType::bf8:
      return {5, 2, 15};
    case ElementType::fp8_fnuz:
      return {4, 3, 8};
    case ElementType::bf8_fnuz:
      return {5, 2, 16};
    case ElementType::fp6:
      return {2, 3, 1};
    case ElementType::bf6:
      return {3, 2, 3};
    case ElementType::fp4:
      return {2, 1, 1};
    case ElementType::f64:
      return {11, 52, 1023};
    default:
      return {8, 23, 127};
  }
}

double number(ElementType type, uint64_t bits) {
  if (type == ElementType::i32) return static_cast<int32_t>(bits);
  if (type == ElementType::i8) return static_cast<int8_t>(bits);
  const FloatFormat f = format_of(type);
  const auto fraction = static_cast<double>(bits & ((uint64_t{1} << f.fraction_bits) - 1));
  const int exponent =
      static_cast<int>(bits >> f.fraction_bits & ((uint64_t{1} << f.exponent_bits) - 1));
  const double x = exponent == 0 ? std::ldexp(fraction, 1 - f.bias - f.fraction_bits)
                                 : std::ldexp(fraction + std::ldexp(1.0, f.fraction_bits),
                                              exponent - f.bias - f.fraction_bits);
  return bits >> (f.exponent_bits + f.fraction_bits) & 1 ? -x : x;
}

// The pattern of a number that the type has: at most 24 quarters.
uint64_t pattern(ElementType type, double x) {
  if (type == ElementType::f64) return __builtin_bit_cast(uint64_t, x);
  if (type == ElementType::f32 || type == ElementType::xf32)
    return __builtin_bit_cast(uint32_t, static_cast<float>(x));
  if (type == ElementType::bf16) return __builtin_bit_cast(uint32_t, static_cast<float>(x)) >> 16;
  if (type == ElementType::f16) return __builtin_bit_cast(uint16_t, static_cast<_Float16>(x));
  for (uint64_t bits = 0; bits < uint64_t{1} << instruction::bits(type); ++bits)
    if (number(type, bits) == x) return bits;
  ADD_FAILURE() << "no " << instruction::name(type) << " is " << x;
  return 0;
}

uint64_t small_element(ElementType type, Random& random) {
  if (type == ElementType::i8) return random.bits() & 255;
  if (type == ElementType::i32) return random.bits();
  constexpr double of_fp4[] = {0, 0.5, 1, 1.5, 2, 3, -0.5, -1, -1.5, -2, -3, 4};
  return pattern(type, of_fp4[random.bits() % std::size(of_fp4)]);
}

// --- places ------------------------------------------------------------------------------------

struct Place {
  int reg = 0, bit = 0, lane = 0;
};

// Where the calculator puts an operand's elements.
struct Recorded {
  int rows = 0, cols = 0;
  std::vector<int> reg, lane, bit;

  Place at(int block, int row, int col) const {
    const auto i = static_cast<std::size_t>((block * rows + row) * cols + col);
    return {reg[i], bit.empty() ? 0 : bit[i], lane[i]};
  }
};
using RecordedInstruction = std::map<std::string, Recorded>;  // by operand
using RecordedFile = std::map<std::string, RecordedInstruction>;

RecordedFile read_recorded(const std::string& file) {
  RecordedFile all;
  const llvm::json::Value golden = test::read_golden(file);
  for (const llvm::json::Value& entry : *golden.getAsObject()->getArray("instructions")) {
    RecordedInstruction& to = all[entry.getAsObject()->getString("name")->str()];
    const auto& operands = *entry.getAsObject()->getObject("wave")->getObject("64");
    for (const char* operand : {"A", "B", "D", "K"}) {
      const auto* table = operands.getObject(operand);
      if (table == nullptr) continue;
      Recorded& r = to[operand];
      r.rows = static_cast<int>(*table->getInteger("rows"));
      r.cols = static_cast<int>(*table->getInteger("cols"));
      r.reg = test::numbers(*table->getArray("reg"));
      r.lane = test::numbers(*table->getArray("lane"));
      if (const auto* bits = table->getArray("bit")) r.bit = test::numbers(*bits);
    }
  }
  return all;
}

// Item `item` of a lane: 64-bit ones are pairs of registers, smaller ones are packed.
Place packed(int item, int width, int lane) {
  const int bit = item * width;
  return {bit / 32, bit % 32, lane};
}

// AMD Instinct CDNA4 Instruction Set Architecture, sections 7.1.4.1, 7.1.5.1 and 7.5.1: element (i,
// k) of A, or (k, i) of B, in `runs` runs of k a lane.
Place document_input(int size, int depth, int blocks, int width, int runs, int block, int i,
                     int k) {
  const int lanes = 64 / (size * blocks), run = depth / lanes / runs;
  const int item = k / (run * lanes) * run + k % run;
  return packed(item, width, i + size * (block + blocks * (k / run % lanes)));
}

// Section 7.1.4.2; of 4 x 4 of f64 the calculator and IREE, with the blocks before m.
Place document_output(const Row& row, int block, int i, int j) {
  if (row.d_type == ElementType::f64 && row.blocks > 1) return {0, 0, j + 4 * block + 16 * i};
  const int h = row.d_type == ElementType::f64 ? 1 : 4, tiles = row.n * row.m / h;
  const int in_lanes = (64 + tiles - 1) / tiles, m_lanes = 64 / in_lanes / row.n;
  const int groups = row.m / (h * m_lanes);
  const int item = i % h + h * (i / (h * m_lanes) + groups * (block / in_lanes));
  return packed(item, row.d.bits, j + row.n * (i / h % m_lanes + m_lanes * (block % in_lanes)));
}

class Places {
 public:
  Places(const Row& row, const RecordedInstruction* recorded) : row_(row), recorded_(recorded) {}

  // Element k of row i of a dense A, or survivor `which` of its group of a sparse one.
  Place a(int block, int i, int k, int which) const {
    if (!row_.is_sparse()) {
      if (recorded_) return recorded_->at("A").at(block, i, k);
      const bool two_runs = !row_.formats.empty() && row_.a.bits == 8;
      return document_input(row_.m, row_.k, row_.blocks, row_.a.bits, two_runs ? 2 : 1, block, i,
                            k);
    }
    const int width = instruction::bits(row_.a_type);
    if (recorded_) {
      Place place = recorded_->at("A").at(0, i, k);
      place.bit += which * width;
      return place;
    }
    return document_input(row_.m, row_.k / 2, 1, width, 1, 0, i, k / 4 * 2 + which);
  }
  Place b(int block, int k, int j) const {
    if (recorded_) return recorded_->at("B").at(block, k, j);
    const bool two_runs =
        row_.b.registers == 8 && (row_.is_sparse() || (!row_.formats.empty() && row_.b.bits == 8));
    return document_input(row_.n, row_.k, row_.blocks, instruction::bits(row_.b_type),
                          two_runs ? 2 : 1, block, j, k);
  }
  Place d(int block, int i, int j) const {
    return recorded_ ? recorded_->at("D").at(block, i, j) : document_output(row_, block, i, j);
  }
  // The two bits that say which k survivor `which` of a group is.
  Place index(int i, int k, int which) const {
    if (!recorded_) return document_input(row_.m, row_.k / 2, 1, 2, 1, 0, i, k / 4 * 2 + which);
    Place place = recorded_->at("K").at(0, i, k);
    place.bit += 2 * which;
    return place;
  }

 private:
  const Row& row_;
  const RecordedInstruction* recorded_;
};

// --- registers ---------------------------------------------------------------------------------

class Registers {
 public:
  explicit Registers(int count) : words_(static_cast<std::size_t>(count) * 64) {}

  void put(Place at, int width, uint64_t value) {
    for (int done = 0; done < width;) {
      const int bit = at.bit + done, part = std::min(width - done, 32 - bit % 32);
      word(at.reg + bit / 32, at.lane) |= static_cast<uint32_t>(value >> done) << bit % 32;
      done += part;
    }
  }
  uint64_t get(Place at, int width) const {
    const auto at_reg = [&](int reg) {
      return uint64_t{words_[static_cast<std::size_t>(reg * 64 + at.lane)]};
    };
    uint64_t both = at_reg(at.reg);
    if (at.bit + width > 32) both |= at_reg(at.reg + 1) << 32;
    return both >> at.bit & (width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1);
  }
  uint32_t& word(int reg, int lane) { return words_[static_cast<std::size_t>(reg * 64 + lane)]; }
  std::vector<uint32_t>& words() { return words_; }

 private:
  std::vector<uint32_t> words_;
};

// --- cases -------------------------------------------------------------------------------------

struct Case {
  Row row;  // with the formats that are meant
  std::string kernel{}, modifiers{};
  int cbsz = 0, abid = 0, blgp = 0;  // broadcasts, permutations and parts of the index
  int scale_a = 0, scale_b = 0;
  bool accumulates_in_agprs = false;
  bool negates[3] = {};
};

std::string range(char letter, int first, int count) {
  const std::string begin = std::to_string(first);
  return count == 1 ? letter + begin
                    : letter + ("[" + begin + ":" + std::to_string(first + count - 1) + "]");
}

constexpr int first_a = 16, first_b = 24, first_extra = 32, first_d = 64;

std::string body(const Case& c) {
  const Row& row = c.row;
  std::string text =
      "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
      "v_lshlrev_b32 v1, 2, v0\n";
  const auto load = [&](int first, int count) {
    for (int r = 0; r < count; ++r)
      text += "global_load_dword v" + std::to_string(first + r) +
              ", v1, s[4:5]\nv_add_u32 v1, 0x100, v1\n";
  };
  load(first_a, row.a.registers);
  load(first_b, row.b.registers);
  load(first_extra, 2);
  text += "v_mov_b32 v2, v1\n";
  load(first_d, row.d.registers);
  text += "s_waitcnt vmcnt(0)\n";
  const bool agprs = c.accumulates_in_agprs;
  for (int r = 0; agprs && r < row.d.registers; ++r)
    text +=
        "v_accvgpr_write_b32 a" + std::to_string(r) + ", v" + std::to_string(first_d + r) + "\n";
  const std::string d = range(agprs ? 'a' : 'v', agprs ? 0 : first_d, row.d.registers);
  text += "s_nop 7\n" + std::string(row.name) + " " + d + ", " +
          range('v', first_a, row.a.registers) + ", " + range('v', first_b, row.b.registers) +
          ", " + (row.is_sparse() ? "v" + std::to_string(first_extra) : d);
  if (row.has(instruction::Operand::scale_a))
    text += ", v" + std::to_string(first_extra) + ", v" + std::to_string(first_extra + 1);
  text += c.modifiers + "\ns_nop 15\ns_nop 15\n";
  for (int r = 0; agprs && r < row.d.registers; ++r)
    text += "v_accvgpr_read_b32 v" + std::to_string(first_d + r) + ", a" + std::to_string(r) + "\n";
  for (int r = 0; r < row.d.registers; ++r)
    text += "global_store_dword v2, v" + std::to_string(first_d + r) +
            ", s[4:5]\nv_add_u32 v2, 0x100, v2\n";
  return text + "s_endpgm";
}

// Operands as matrices of bit patterns: a[block][m][k], b[block][k][n], c[block][m][n].
struct Matrices {
  const Row& row;
  std::vector<uint64_t> a, b, c;
  std::vector<int> survivor[2];       // [m][k / 4]: which of its four k
  std::vector<int> scale_a, scale_b;  // [m or n][k / 32]

  std::size_t a_at(int block, int m, int k) const {
    return static_cast<std::size_t>((block * row.m + m) * row.k + k);
  }
  std::size_t b_at(int block, int k, int n) const {
    return static_cast<std::size_t>((block * row.k + k) * row.n + n);
  }
  std::size_t c_at(int block, int m, int n) const {
    return static_cast<std::size_t>((block * row.m + m) * row.n + n);
  }
  std::size_t group_at(int m, int k) const {
    return static_cast<std::size_t>(m * row.k / 4 + k / 4);
  }

  explicit Matrices(const Row& of) : row(of) {
    const auto size = [&](int rows, int cols) {
      return static_cast<std::size_t>(row.blocks * rows * cols);
    };
    a.resize(size(row.m, row.k));
    b.resize(size(row.k, row.n));
    c.resize(size(row.m, row.n));
    for (auto& places : survivor) places.resize(size(row.m, row.k) / 4 + 1);
    scale_a.assign(a.size() / 32 + 1, 127);
    scale_b.assign(b.size() / 32 + 1, 127);
  }
  void draw(Random& random) {
    for (uint64_t& x : a) x = small_element(row.a_type, random);
    for (uint64_t& x : b) x = small_element(row.b_type, random);
    for (uint64_t& x : c) x = small_element(row.d_type, random);
    for (std::size_t i = 0; i < survivor[0].size(); ++i) {
      survivor[0][i] = static_cast<int>(random.bits() % 3);
      survivor[1][i] = survivor[0][i] + 1 +
                       static_cast<int>(random.bits() % static_cast<unsigned>(3 - survivor[0][i]));
    }
    for (auto* scales : {&scale_a, &scale_b})
      for (int& x : *scales) x = 125 + static_cast<int>(random.bits() % 4);
  }
  // Which survivor k is, or -1.
  int which(int m, int k) const {
    if (!row.is_sparse()) return 0;
    const std::size_t group = group_at(m, k);
    return survivor[0][group] == k % 4 ? 0 : survivor[1][group] == k % 4 ? 1 : -1;
  }
};

// MI300 ISA, "BLGP": which lane of B lane l reads.
int lane_read(int lane, int blgp) {
  switch (blgp) {
    case 0:
      return lane;
    case 1:
      return lane % 32;
    case 2:
      return 32 + lane % 32;
    case 3:
      return (lane + 16) % 64;
    default:
      return 16 * (blgp - 4) + lane % 16;
  }
}

struct Operands {
  Registers a, b, extra, d;
};

// Registers that hold the matrices. Where lanes share what they read, the matrix takes over what
// its places then hold.
Operands lay_out(const Case& c, const Places& places, Matrices& x) {
  const Row& row = c.row;
  const int a_bits = instruction::bits(row.a_type), b_bits = instruction::bits(row.b_type);
  Operands to{Registers(row.a.registers), Registers(row.b.registers), Registers(2),
              Registers(row.d.registers)};
  for (int block = 0; block < row.blocks; ++block) {
    for (int m = 0; m < row.m; ++m)
      for (int k = 0; k < row.k; ++k)
        if (const int which = x.which(m, k); which >= 0)
          to.a.put(places.a(block, m, k, which), a_bits, x.a[x.a_at(block, m, k)]);
    for (int k = 0; k < row.k; ++k)
      for (int n = 0; n < row.n; ++n)
        to.b.put(places.b(block, k, n), b_bits, x.b[x.b_at(block, k, n)]);
    for (int m = 0; m < row.m; ++m)
      for (int n = 0; n < row.n; ++n)
        to.d.put(places.d(block, m, n), row.d.bits, x.c[x.c_at(block, m, n)]);
  }
  for (int m = 0; row.is_sparse() && m < row.m; ++m)
    for (int k = 0; k < row.k; ++k)
      if (const int which = x.which(m, k); which >= 0) {
        Place place = places.index(m, k, which);
        place.bit += 8 * c.abid * (instruction::bits(row.a_type) == 8 ? 2 : 1) *
                     (row.a.registers == 4 ? 2 : 1);
        to.extra.put(place, 2, static_cast<uint64_t>(k % 4));
      }
  if (row.has(instruction::Operand::scale_a))
    for (int lane = 0; lane < 64; ++lane) {
      const int groups = row.k / 32;
      to.extra.put({0, 8 * c.scale_a, lane}, 8,
                   static_cast<uint64_t>(
                       x.scale_a[static_cast<std::size_t>(lane % row.m * groups + lane / row.m)]));
      to.extra.put({1, 8 * c.scale_b, lane}, 8,
                   static_cast<uint64_t>(
                       x.scale_b[static_cast<std::size_t>(lane % row.n * groups + lane / row.n)]));
    }
  if (!row.formats.empty() || row.is_sparse()) return to;
  for (int block = 0; block < row.blocks; ++block) {
    const int read = (block & ~((1 << c.cbsz) - 1)) | c.abid;
    for (int m = 0; m < row.m; ++m)
      for (int k = 0; k < row.k; ++k)
        x.a[x.a_at(block, m, k)] = to.a.get(places.a(read, m, k, 0), a_bits);
    for (int k = 0; k < row.k; ++k)
      for (int n = 0; n < row.n; ++n) {
        Place place = places.b(block, k, n);
        place.lane = lane_read(place.lane, c.blgp);
        x.b[x.b_at(block, k, n)] = to.b.get(place, b_bits);
      }
  }
  return to;
}

double expected(const Case& c, const Matrices& x, int block, int m, int n) {
  const Row& row = c.row;
  const auto sign = [&](int operand) { return c.negates[operand] ? -1.0 : 1.0; };
  double sum = sign(2) * number(row.d_type, x.c[x.c_at(block, m, n)]);
  for (int k = 0; k < row.k; ++k) {
    if (x.which(m, k) < 0) continue;
    double product = sign(0) * number(row.a_type, x.a[x.a_at(block, m, k)]) * sign(1) *
                     number(row.b_type, x.b[x.b_at(block, k, n)]);
    if (row.has(instruction::Operand::scale_a)) {
      const int groups = row.k / 32;
      product =
          std::ldexp(product, x.scale_a[static_cast<std::size_t>(m * groups + k / 32)] +
                                  x.scale_b[static_cast<std::size_t>(n * groups + k / 32)] - 254);
    }
    sum += product;
  }
  if (row.d_type == ElementType::i32)
    sum = static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(sum)));
  return sum;
}

std::vector<uint32_t> memory_of(Operands& operands) {
  std::vector<uint32_t> memory;
  for (Registers* each : {&operands.a, &operands.b, &operands.extra, &operands.d})
    memory.insert(memory.end(), each->words().begin(), each->words().end());
  return memory;
}

// D after the kernel has run.
void execute(const CodeObject& object, const Case& c, Operands& operands) {
  std::vector<uint32_t> memory = memory_of(operands);
  Launch launch;
  launch.kernel = c.kernel;
  launch.workgroup = {64, 1, 1};
  launch.arguments = {buffer(std::span(memory), "registers")};
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->wmma, 1u);
  std::copy(memory.end() - static_cast<std::ptrdiff_t>(operands.d.words().size()), memory.end(),
            operands.d.words().begin());
}

void check(const CodeObject& object, const Case& c, const RecordedInstruction* recorded,
           uint64_t seed) {
  SCOPED_TRACE(std::string(c.row.name) + c.modifiers);
  const Places places(c.row, recorded);
  Random random(seed);
  Matrices x(c.row);
  x.draw(random);
  Operands operands = lay_out(c, places, x);
  execute(object, c, operands);
  for (int block = 0; block < c.row.blocks; ++block)
    for (int m = 0; m < c.row.m; ++m)
      for (int n = 0; n < c.row.n; ++n)
        ASSERT_EQ(number(c.row.d_type, operands.d.get(places.d(block, m, n), c.row.d.bits)),
                  expected(c, x, block, m, n))
            << "block " << block << " m " << m << " n " << n;
}

std::string with(const char* name, int value) {
  return value == 0 ? "" : std::string(" ") + name + ":" + std::to_string(value);
}

// An instruction with no modifiers, and with as many kinds of them as it takes.
std::vector<Case> cases_of(const Row& row, Random& random) {
  std::vector<Case> cases;
  const auto below = [&](int end) {
    return static_cast<int>(random.bits() % static_cast<unsigned>(end));
  };
  const auto add = [&](Case c) {
    c.kernel = "k" + std::to_string(random.bits());
    c.accumulates_in_agprs = cases.size() % 2 == 1;
    cases.push_back(std::move(c));
  };
  if (!row.formats.empty()) {
    for (int a = 0; a < 5; ++a)
      for (int b = 0; b < 5; ++b) {
        Case c{.row = *instruction::with_formats(row, a, b)};
        if (row.has(instruction::Operand::scale_a)) {
          c.scale_a = below(4);
          c.scale_b = below(4);
          const auto list = [&](int bit) {
            return "[" + std::to_string(c.scale_a >> bit & 1) + "," +
                   std::to_string(c.scale_b >> bit & 1) + ",0]";
          };
          c.modifiers = " op_sel:" + list(0) + " op_sel_hi:" + list(1);
        }
        c.modifiers += with("cbsz", a) + with("blgp", b);
        add(std::move(c));
      }
    return cases;
  }
  add({.row = row});
  add({.row = row});
  const instruction::Modifiers largest = instruction::largest_modifiers(row, 0);
  for (int cbsz = 1; cbsz <= largest.cbsz && !row.is_sparse(); ++cbsz) {
    Case c{.row = row};
    c.cbsz = cbsz;
    c.abid = below(1 << cbsz);
    c.blgp = largest.blgp == 0 ? 0 : below(8);
    c.modifiers = with("cbsz", c.cbsz) + with("abid", c.abid) + with("blgp", c.blgp);
    add(std::move(c));
  }
  for (int blgp = 1; blgp <= largest.blgp; ++blgp)
    add({.row = row, .modifiers = with("blgp", blgp), .blgp = blgp});
  for (int abid = 1; abid <= largest.abid && row.is_sparse(); ++abid)
    add({.row = row, .modifiers = with("abid", abid), .abid = abid});
  if (row.d_type == ElementType::f64 && !row.is_of(Family::gfx90a))
    for (int signs = 1; signs < 8; ++signs) {
      Case c{.row = row};
      c.modifiers = " neg:[";
      for (int i = 0; i < 3; ++i) {
        c.negates[i] = signs >> i & 1;
        c.modifiers += std::string(i == 0 ? "" : ",") + (c.negates[i] ? "1" : "0");
      }
      c.modifiers += "]";
      add(std::move(c));
    }
  return cases;
}

CodeObject assembled(const std::vector<Case>& cases, const std::string& target) {
  std::vector<AssemblyKernel> kernels;
  for (const Case& c : cases) kernels.push_back({.name = c.kernel, .body = body(c), .wave = 64});
  return assemble(kernel_text(kernels, target), target, 64);
}

void check_all(Family family, const std::string& target, const RecordedFile& recorded,
               std::size_t rows) {
  std::vector<Case> cases;
  Random random(3);
  std::size_t count = 0;
  for (const Row& row : instruction::cdna_instructions) {
    if (row.family() != family) continue;
    ++count;
    for (Case& c : cases_of(row, random)) cases.push_back(std::move(c));
  }
  EXPECT_EQ(count, rows);
  const CodeObject object = assembled(cases, target);
  for (const Case& c : cases) {
    const auto found = recorded.find(std::string(c.row.name));
    if (!recorded.empty()) ASSERT_NE(found, recorded.end()) << c.row.name;
    check(object, c, recorded.empty() ? nullptr : &found->second, cases.size());
  }
}

TEST(Mfma, EveryRowOfGfx90a) {
  check_all(Family::gfx90a, "gfx90a", read_recorded("amd_cdna2.json.gz"), 27);
}
TEST(Mfma, EveryRowOfGfx942) {
  check_all(Family::gfx942, "gfx942", read_recorded("amd_cdna3.json.gz"), 46);
}
TEST(Mfma, EveryRowOfGfx950) { check_all(Family::gfx950, "gfx950", {}, 68); }

// --- bits --------------------------------------------------------------------------------------

std::vector<uint64_t> patterns(llvm::StringRef text, int bits) {
  std::vector<uint64_t> all;
  const auto digits = static_cast<std::size_t>(bits / 4);
  for (std::size_t i = 0; i + digits <= text.size(); i += digits)
    all.push_back(std::stoull(text.substr(i, digits).str(), nullptr, 16));
  return all;
}

bool is_nan(ElementType type, uint64_t bits) {
  return type == ElementType::f64
             ? std::isnan(__builtin_bit_cast(double, bits))
             : std::isnan(__builtin_bit_cast(float, static_cast<uint32_t>(bits)));
}

// What MMA-Sim's rules give, to the last bit, with infinities, subnormal numbers and overflow.
TEST(Mfma, SumsAreThoseOfMmaSim) {
  const llvm::json::Value golden = test::read_golden("mma_sim_cdna.json.gz");
  std::size_t modelled = 0;
  for (const llvm::json::Value& entry : *golden.getAsObject()->getArray("cases")) {
    const llvm::json::Object& recorded = *entry.getAsObject();
    const std::string target = (*recorded.getArray("targets"))[0].getAsString()->str();
    const std::string name = recorded.getString("name")->str();
    SCOPED_TRACE(target + " " + name);
    const Family family = target == "gfx90a" ? Family::gfx90a : Family::gfx942;
    const Row* row = nullptr;
    for (const Row& each : instruction::cdna_instructions)
      if (each.name == name && each.family() == family) row = &each;
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(instruction::sum_rule(*row).evidence, instruction::Evidence::modelled);
    ++modelled;
    Matrices x(*row);
    x.a = patterns(*recorded.getString("a"), instruction::bits(row->a_type));
    x.b = patterns(*recorded.getString("b"), instruction::bits(row->b_type));
    x.c = patterns(*recorded.getString("c"), row->d.bits);
    const std::vector<uint64_t> want = patterns(*recorded.getString("d"), row->d.bits);
    Case c{.row = *row, .kernel = "sums"};
    const CodeObject object = assembled({c}, target);
    const Places places(*row, nullptr);
    Operands operands = lay_out(c, places, x);
    execute(object, c, operands);
    std::size_t different = 0;
    for (int m = 0; m < 16; ++m)
      for (int n = 0; n < 16; ++n) {
        const uint64_t got = operands.d.get(places.d(0, m, n), row->d.bits);
        const uint64_t right = want[x.c_at(0, m, n)];
        if (got == right || (is_nan(row->d_type, got) && is_nan(row->d_type, right))) continue;
        if (different++ < 5)
          ADD_FAILURE() << "m " << m << " n " << n << std::hex << ": " << got << ", not " << right;
      }
    EXPECT_EQ(different, 0u);
  }
  EXPECT_EQ(modelled, 14u);
}

}  // namespace mfma_test
}  // namespace heddle::emulator::testing
