// Every matrix instruction of gfx11 and gfx12 in both wave sizes, dense and sparse: operands laid
// out by the recorded tables of AMD's matrix instruction calculator, the product computed on the
// host. Nothing here reads the catalogue's maps.
#include <algorithm>
#include <map>

#include "elements.h"
#include "tests/data/golden.h"

namespace heddle::emulator::testing {
namespace matrix_golden_test {

// Where the calculator puts the elements of one operand.
struct Table {
  int rows = 0, cols = 0, bits = 0;
  std::vector<int> reg, lane, bit, copies;

  int registers() const { return *std::max_element(reg.begin(), reg.end()) + 1; }
  std::size_t at(int row, int col) const { return static_cast<std::size_t>(row * cols + col); }
};

Table read_table(const llvm::json::Object& object) {
  const auto list = [&](const char* key, std::vector<int> absent) {
    const llvm::json::Array* array = object.getArray(key);
    return array ? test::numbers(*array) : absent;
  };
  Table t;
  t.rows = static_cast<int>(*object.getInteger("rows"));
  t.cols = static_cast<int>(*object.getInteger("cols"));
  t.bits = static_cast<int>(*object.getInteger("nbits"));
  t.reg = list("reg", {});
  t.lane = list("lane", {});
  t.bit = list("bit", std::vector<int>(t.reg.size()));
  t.copies = list("lane_copies", {0});
  return t;
}

// The registers of an operand: [register][lane].
using Registers = std::vector<std::vector<uint32_t>>;

class Operand {
 public:
  Operand(const Table& table, int wave)
      : table_(table),
        words_(static_cast<std::size_t>(table.registers()),
               std::vector<uint32_t>(static_cast<std::size_t>(wave))) {}

  // `shift`: from where the table has the element's bits.
  void put(int row, int col, uint32_t value, int shift = 0) {
    const std::size_t i = table_.at(row, col);
    for (int copy : table_.copies)
      words_[static_cast<std::size_t>(table_.reg[i])]
            [static_cast<std::size_t>(table_.lane[i] + copy)] |= value << (table_.bit[i] + shift);
  }
  uint32_t get(int row, int col, int width) const {
    const std::size_t i = table_.at(row, col);
    const uint32_t word =
        words_[static_cast<std::size_t>(table_.reg[i])][static_cast<std::size_t>(table_.lane[i])];
    return word >> table_.bit[i] & (width == 32 ? ~0u : (1u << width) - 1);
  }
  const Registers& words() const { return words_; }
  Registers& words() { return words_; }

 private:
  const Table& table_;
  Registers words_;
};

struct Instruction {
  std::string target, name;
  int wave;
  std::map<std::string, Table> tables;
  std::map<int, Table> index_tables;  // by index key, beyond 0
  Element a, b, d;
  int k;
  bool sparse;
};

Element element_of(const std::string& name, bool is_signed) {
  using enum Element;
  static const std::map<std::string, Element> all = {{"f32", f32}, {"f16", f16}, {"bf16", bf16},
                                                     {"i32", i32}, {"fp8", fp8}, {"bf8", bf8}};
  if (name == "iu8") return is_signed ? i8 : u8;
  if (name == "iu4") return is_signed ? i4 : u4;
  return all.at(name);
}

// "v_swmmac_f32_16x16x32_fp8_bf8": D f32, A fp8, B bf8.
void read_name(Instruction& i) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= i.name.size();) {
    const std::size_t end = std::min(i.name.find('_', begin), i.name.size());
    parts.push_back(i.name.substr(begin, end - begin));
    begin = end + 1;
  }
  i.sparse = parts[1] == "swmmac";
  i.d = element_of(parts[2], true);
  i.k = std::stoi(parts[3].substr(parts[3].rfind('x') + 1));
  i.a = element_of(parts[4], true);
  i.b = element_of(parts.back(), false);
}

std::vector<Instruction> all_instructions(const std::string& file, const std::string& target) {
  const llvm::json::Value golden = test::read_golden(file);
  const llvm::json::Object& root = *golden.getAsObject();
  std::vector<Instruction> all;
  for (const llvm::json::Value& entry : *root.getArray("instructions"))
    for (const auto& [wave, operands] : *entry.getAsObject()->getObject("wave")) {
      Instruction i{target,
                    entry.getAsObject()->getString("name")->str(),
                    std::stoi(wave.str()),
                    {},
                    {},
                    {},
                    {},
                    {},
                    0,
                    false};
      for (const char* operand : {"A", "B", "D", "K"})
        if (const auto* table = operands.getAsObject()->getObject(operand))
          i.tables[operand] = read_table(*table);
      read_name(i);
      for (const llvm::json::Value& modifier : *root.getArray("modifiers")) {
        const llvm::json::Object& m = *modifier.getAsObject();
        if (*m.getString("name") == i.name && *m.getInteger("wave") == i.wave &&
            *m.getString("matrix") == "K")
          i.index_tables[static_cast<int>(*m.getInteger("opsel"))] =
              read_table(*m.getObject("layout"));
      }
      all.push_back(std::move(i));
    }
  return all;
}

std::string range(int first, std::size_t count) {
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" +
                          std::to_string(first + static_cast<int>(count) - 1) + "]";
}

// Where the two survivors of every group of four stand, for each row of A.
struct Sparsity {
  std::vector<int> first, second;  // [row * groups + group]
};

struct Data {
  std::vector<uint32_t> a, b, c;
  Sparsity places;
};

Data random_data(const Instruction& i, Random& random) {
  Data data;
  data.a.resize(static_cast<std::size_t>(16 * i.k));
  data.b.resize(data.a.size());
  data.c.resize(256);
  for (uint32_t& x : data.a) x = random_element(i.a, random);
  for (uint32_t& x : data.b) x = random_element(i.b, random);
  for (uint32_t& x : data.c) x = random_element(i.d, random);
  for (int group = 0; i.sparse && group < 16 * i.k / 4; ++group) {
    const int first = static_cast<int>(random.bits() % 3);
    data.places.first.push_back(first);
    data.places.second.push_back(first + 1 + static_cast<int>(random.bits()) % (3 - first));
  }
  return data;
}

bool survives(const Instruction& i, const Data& data, int m, int k, int& which) {
  if (!i.sparse) return true;
  const auto group = static_cast<std::size_t>(m * i.k / 4 + k / 4);
  if (data.places.first[group] != k % 4 && data.places.second[group] != k % 4) return false;
  which = data.places.second[group] == k % 4;
  return true;
}

double expected(const Instruction& i, const Data& data, int m, int n) {
  double sum = decode(i.d, data.c[static_cast<std::size_t>(m * 16 + n)]);
  int which;
  for (int k = 0; k < i.k; ++k)
    if (survives(i, data, m, k, which))
      sum += decode(i.a, data.a[static_cast<std::size_t>(m * i.k + k)]) *
             decode(i.b, data.b[static_cast<std::size_t>(k * 16 + n)]);
  return sum;
}

double tolerance(const Instruction& i, double value) {
  switch (i.d) {
    case Element::i32:
      return 0;
    case Element::f16:
      return std::abs(value) * 0x1p-10 + 2e-3;
    case Element::bf16:
      return std::abs(value) * 0x1p-7 + 2e-2;
    default:
      return std::abs(value) * 1e-6 + (bits_of(i.a) == 8 ? 2.0 : 2e-5);
  }
}

std::string body(const Instruction& i, const std::vector<std::size_t>& counts,
                 const std::string& modifiers) {
  const bool gfx12 = i.target == "gfx1201";
  std::string text = "s_load_b64 s[4:5], s[0:1], 0x0\n" +
                     std::string(gfx12 ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n") +
                     "v_lshlrev_b32 v99, 2, v0\n";
  std::size_t total = 0;
  for (std::size_t count : counts) total += count;
  for (std::size_t r = 0; r < total; ++r) {
    text += "global_load_b32 v" + std::to_string(100 + r) + ", v99, s[4:5]\n";
    text += "v_add_nc_u32 v99, " + std::to_string(4 * i.wave) + ", v99\n";
  }
  // In the order of the counts: A, B, D, index.
  std::vector<std::string> at;
  int first = 100;
  for (std::size_t count : counts) {
    at.push_back(range(first, count));
    first += static_cast<int>(count);
  }
  text += i.name + " " + at[2] + ", " + at[0] + ", " + at[1] + ", " + (i.sparse ? at[3] : at[2]) +
          modifiers + "\nv_lshlrev_b32 v99, 2, v0\n";
  text += "v_add_nc_u32 v99, " +
          std::to_string((counts[0] + counts[1]) * 4 * static_cast<std::size_t>(i.wave)) +
          ", v99\n";
  for (std::size_t r = 0; r < counts[2]; ++r) {
    text +=
        "global_store_b32 v99, v" + std::to_string(100 + counts[0] + counts[1] + r) + ", s[4:5]\n";
    text += "v_add_nc_u32 v99, " + std::to_string(4 * i.wave) + ", v99\n";
  }
  return text + "s_endpgm";
}

void check(const Instruction& i, int index_key) {
  std::string modifiers;
  if (index_key) modifiers += " index_key:" + std::to_string(index_key);
  if (bits_of(i.a) <= 8 && i.d == Element::i32) modifiers += " neg_lo:[1,0,0]";  // A signed
  SCOPED_TRACE(i.target + " wave" + std::to_string(i.wave) + " " + i.name + modifiers);
  Random random(static_cast<uint64_t>(i.k + i.wave + index_key));
  const Data data = random_data(i, random);

  Operand a(i.tables.at("A"), i.wave), b(i.tables.at("B"), i.wave), d(i.tables.at("D"), i.wave);
  const Table& index_table = !i.sparse        ? i.tables.at("A")
                             : index_key == 0 ? i.tables.at("K")
                                              : i.index_tables.at(index_key);
  Operand index(index_table, i.wave);
  for (int m = 0; m < 16; ++m)
    for (int k = 0; k < i.k; ++k) {
      int which = 0;
      if (!survives(i, data, m, k, which)) continue;
      a.put(m, k, data.a[static_cast<std::size_t>(m * i.k + k)], which * bits_of(i.a));
      // Two bits for each survivor, the first one's below.
      if (i.sparse) index.put(m, k, static_cast<uint32_t>(k % 4), 2 * which);
    }
  for (int k = 0; k < i.k; ++k)
    for (int n = 0; n < 16; ++n) b.put(k, n, data.b[static_cast<std::size_t>(k * 16 + n)]);
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 16; ++n) d.put(m, n, data.c[static_cast<std::size_t>(m * 16 + n)]);

  std::vector<std::size_t> counts;
  std::vector<uint32_t> memory;
  std::vector<const Operand*> operands = {&a, &b, &d};
  if (i.sparse) operands.push_back(&index);
  for (const Operand* operand : operands) {
    counts.push_back(operand->words().size());
    for (const auto& reg : operand->words()) memory.insert(memory.end(), reg.begin(), reg.end());
  }
  const CodeObject object = assemble(
      kernel_text({{.name = "product", .body = body(i, counts, modifiers), .wave = i.wave}},
                  i.target),
      i.target, i.wave);
  Launch launch;
  launch.workgroup = {static_cast<uint32_t>(i.wave), 1, 1};
  launch.arguments = {buffer(std::span(memory), "registers")};
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->wmma, 1u);
  EXPECT_EQ(report->waves, 1u);
  const std::size_t first = (counts[0] + counts[1]) * static_cast<std::size_t>(i.wave);
  for (std::size_t r = 0; r < counts[2]; ++r)
    std::copy_n(
        memory.begin() + static_cast<std::ptrdiff_t>(first + r * static_cast<std::size_t>(i.wave)),
        i.wave, d.words()[r].begin());
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 16; ++n) {
      const double got = decode(i.d, d.get(m, n, bits_of(i.d))), want = expected(i, data, m, n);
      ASSERT_NEAR(got, want, tolerance(i, want)) << "m " << m << " n " << n;
    }
}

void check_file(const std::string& file, const std::vector<std::string>& targets,
                std::size_t least) {
  for (const std::string& target : targets) {
    const std::vector<Instruction> all = all_instructions(file, target);
    EXPECT_GE(all.size(), least);
    for (const Instruction& i : all) {
      check(i, 0);
      for (const auto& [key, table] : i.index_tables) check(i, key);
    }
  }
}

TEST(MatrixGolden, Gfx11) { check_file("amd_rdna3.json.gz", {"gfx1100", "gfx1151"}, 12); }
TEST(MatrixGolden, Gfx12) { check_file("amd_rdna4.json.gz", {"gfx1201"}, 44); }

// Integers saturate with clamp and wrap without: 2^31 - 1 plus 16 times 127 * 127.
TEST(MatrixGolden, IntegersSaturateOnRequest) {
  for (const auto& [target, registers] : {std::pair{"gfx1151", 4}, {"gfx1201", 2}})
    for (bool clamp : {false, true}) {
      std::string text = "s_load_b64 s[4:5], s[0:1], 0x0\n";
      text += std::string(target) == "gfx1201" ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n";
      for (int r = 0; r < registers; ++r)
        text += "v_mov_b32 v" + std::to_string(10 + r) + ", 0x7f7f7f7f\n";
      for (int r = 0; r < 8; ++r) text += "v_bfrev_b32 v" + std::to_string(20 + r) + ", -2\n";
      const std::string operand = range(10, static_cast<std::size_t>(registers));
      text += "v_wmma_i32_16x16x16_iu8 v[20:27], " + operand + ", " + operand +
              ", v[20:27] neg_lo:[1,1,0]" + (clamp ? " clamp" : "") +
              "\nv_lshlrev_b32 v1, 2, v0\nglobal_store_b32 v1, v23, s[4:5]\ns_endpgm";
      const CodeObject object =
          assemble(kernel_text({{.name = "saturate", .body = text}}, target), target);
      std::vector<uint32_t> out(32);
      Launch launch;
      launch.arguments = {buffer(std::span(out), "out")};
      const auto report = run(object, launch);
      ASSERT_TRUE(report) << report.error().text();
      const uint32_t wrapped = 0x7fffffffu + 16u * 127u * 127u;
      for (uint32_t x : out) EXPECT_EQ(x, clamp ? 0x7fffffffu : wrapped);
    }
}

}  // namespace matrix_golden_test
}  // namespace heddle::emulator::testing
