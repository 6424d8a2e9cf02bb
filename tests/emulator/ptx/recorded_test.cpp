// Kernels of single instructions on random operands: the simulator against what an H200 answered
// (tests/data/nvidia_ptx.json.gz, by tests/emulator/ptx/record.py).
//
// What PTX defines to the bit is compared so, NaN with NaN, and so are products of matrices, whose
// sums PTX leaves open. Approximate functions may differ by the places or the bound that the row
// says.
#include <llvm/ADT/StringExtras.h>

#include <bit>
#include <cmath>
#include <map>

#include "emulator/ptx/float_format.h"
#include "tests/data/golden.h"
#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace recorded_test {

std::vector<std::byte> decoded(llvm::StringRef text) {
  const std::string bytes = llvm::fromHex(text);
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

/// How a result is compared.
struct Rule {
  std::string type;
  double ulps = 0, bound = 0;
};

const FloatFormat* format_named(const std::string& type) {
  if (type.starts_with("bf16")) return &format_bf16;
  if (type.starts_with("f16")) return &format_f16;
  if (type == "f32") return &format_f32;
  if (type == "f64") return &format_f64;
  return nullptr;
}

double number(const FloatFormat& format, std::uint64_t bits) {
  return format.precision == 53 ? std::bit_cast<double>(bits) : decode(format, bits);
}

bool agree_as_floats(const FloatFormat& format, const Rule& rule, std::uint64_t expected,
                     std::uint64_t got) {
  const double x = number(format, expected), y = number(format, got);
  if (x != x || y != y) return x != x && y != y;
  if (rule.ulps > 0)
    return std::abs(static_cast<double>(static_cast<std::int64_t>(expected - got))) <= rule.ulps;
  return rule.bound > 0 && std::abs(x - y) <= rule.bound * std::max(1.0, std::abs(x));
}

bool agree(const Rule& rule, std::uint64_t expected, std::uint64_t got) {
  if (expected == got) return true;
  const FloatFormat* format = format_named(rule.type);
  if (format == nullptr) return false;
  if (!rule.type.ends_with("x2")) return agree_as_floats(*format, rule, expected, got);
  for (const int shift : {0, 16}) {
    const std::uint64_t x = expected >> shift & 0xffff, y = got >> shift & 0xffff;
    if (x != y && !agree_as_floats(*format, rule, x, y)) return false;
  }
  return true;
}

/// Bytes of a result in its word.
std::uint64_t mask_of(const std::string& type, std::size_t word_bytes) {
  std::size_t bytes = word_bytes;
  // Registers have 16 bits at least.
  if (type == "u8" || type == "s8" || type == "u16" || type == "s16" || type == "b16" ||
      type == "f16" || type == "bf16" || type == "e4m3x2" || type == "e5m2x2")
    bytes = 2;
  if (type == "u32" || type == "s32" || type == "b32" || type == "f32" || type == "tf32" ||
      type == "f16x2" || type == "bf16x2")
    bytes = 4;
  return ~std::uint64_t{0} >> (64 - 8 * bytes);
}

class Recorded {
 public:
  explicit Recorded(const char* file) : file_(test::read_golden(file)) {
    for (const llvm::json::Value& input : *file_.getAsObject()->getArray("inputs"))
      inputs_.push_back(decoded(*input.getAsString()));
  }
  const llvm::json::Array& cases() const { return *file_.getAsObject()->getArray("cases"); }

  /// Empty, or what differs.
  std::string difference(const llvm::json::Object& row) const {
    std::vector<std::byte> in = inputs_[static_cast<std::size_t>(*row.getInteger("input"))];
    const std::vector<std::byte> expected = decoded(*row.getString("output"));
    std::vector<std::byte> out(expected.size(), std::byte{0xff});
    auto module = Module::parse(row.getString("ptx")->str());
    if (!module) return module.error();
    Launch launch;
    launch.arguments = {Buffer{in, "in"}, Buffer{out, "out"}};
    launch.workgroup = {static_cast<uint32_t>(*row.getInteger("threads")), 1, 1};
    launch.dynamic_lds_bytes = static_cast<uint32_t>(row.getInteger("dynamic").value_or(0));
    launch.threads = 1;
    if (const auto* map = row.getObject("map")) launch.arguments.push_back(map_of(*map));
    auto report = run(*module, launch);
    if (!report) return report.error().text();
    return compared(row, expected, out);
  }

 private:
  static TensorMap map_of(const llvm::json::Object& row) {
    TensorMap map;
    map.buffer = row.getString("buffer")->str();
    for (const auto& x : *row.getArray("sizes"))
      map.sizes.push_back(static_cast<uint64_t>(*x.getAsInteger()));
    for (const auto& x : *row.getArray("strides"))
      map.strides.push_back(static_cast<uint64_t>(*x.getAsInteger()));
    for (const auto& x : *row.getArray("box"))
      map.box.push_back(static_cast<uint32_t>(*x.getAsInteger()));
    map.swizzle_bytes = static_cast<uint32_t>(*row.getInteger("swizzle"));
    map.element = row.getString("type") == "tf32"  ? instruction::ElementType::xf32
                  : row.getString("type") == "f32" ? instruction::ElementType::f32
                                                   : instruction::ElementType::f16;
    return map;
  }

  static std::string compared(const llvm::json::Object& row, const std::vector<std::byte>& expected,
                              const std::vector<std::byte>& got) {
    const auto word = static_cast<std::size_t>(*row.getInteger("words"));
    const llvm::json::Array& types = *row.getArray("types");
    const std::size_t count = expected.size() / word;
    for (std::size_t i = 0; i < count; ++i) {
      const auto type = types[i * types.size() / count].getAsString()->str();
      const bool is_approximate = row.getString("family") == "approximate";
      const Rule rule{type, row.getNumber("ulps").value_or(0),
                      is_approximate ? row.getNumber("bound").value_or(0) : 0};
      std::uint64_t x = 0, y = 0;
      std::memcpy(&x, expected.data() + i * word, word);
      std::memcpy(&y, got.data() + i * word, word);
      const std::uint64_t mask = mask_of(type, word);
      if (agree(rule, x & mask, y & mask)) continue;
      char text[160];
      std::snprintf(text, sizeof text, "result %zu of %zu (%s): %llx on the GPU, %llx simulated", i,
                    count, type.c_str(), static_cast<unsigned long long>(x & mask),
                    static_cast<unsigned long long>(y & mask));
      return text;
    }
    return "";
  }

  llvm::json::Value file_;
  std::vector<std::vector<std::byte>> inputs_;
};

// Compares every case, and gives how many there are of each family.
std::map<std::string, int> compare_all(const Recorded& recorded) {
  std::map<std::string, int> families;
  for (const llvm::json::Value& value : recorded.cases()) {
    const llvm::json::Object& row = *value.getAsObject();
    ++families[row.getString("family")->str()];
    const std::string difference = recorded.difference(row);
    EXPECT_EQ(difference, "") << row.getString("family")->str() << ": "
                              << row.getString("name")->str();
  }
  return families;
}

TEST(Recorded, TheSimulatorAnswersAsAnH200) {
  std::map<std::string, int> families = compare_all(Recorded("nvidia_ptx.json.gz"));
  for (const char* family :
       {"integer", "bits", "compare", "float", "approximate", "convert", "exchange", "control",
        "atomic", "mma", "matrix", "copy", "bulk", "wgmma"})
    EXPECT_GT(families[family], 0) << family;
}

TEST(Recorded, CopiesRoundToTf32AsThoseOfAnH100) {
  EXPECT_EQ(compare_all(Recorded("nvidia_rounded_boxes_h100.json.gz"))["bulk"], 4);
}

}  // namespace recorded_test
}  // namespace heddle::emulator::ptx::testing
