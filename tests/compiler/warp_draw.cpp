#include "warp_draw.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

#include "runtime/numbers/random_stream.h"

namespace heddle::compiler {
namespace {

using instruction::Target;

/// A kind of contraction that the target has an instruction for, with that instruction's tile.
struct Kind {
  std::string_view input, accumulator;
  int m, n, k;
  bool tf32 = false;
};

/// Shapes: PTX ISA, "Matrix multiply-accumulate operation using mma instruction"; RDNA3 and RDNA4
/// ISA, WMMA; AMD Instinct MI200, MI300 and CDNA4 ISA, MFMA; LLVM's AMDGPUUsage, gfx1250. Every
/// tile of a function is a multiple of these.
std::vector<Kind> kinds_of_cdna(instruction::Family family) {
  using instruction::Family;
  std::vector<Kind> kinds{
      {"f16", "f32", 16, 16, 16},  {"f16", "f32", 32, 32, 8},  {"f16", "f16", 16, 16, 16},
      {"bf16", "f32", 16, 16, 16}, {"bf16", "f32", 32, 32, 4}, {"bf16", "bf16", 32, 32, 8},
      {"i8", "i32", 16, 16, 16},   {"i8", "i32", 32, 32, 8},   {"f32", "f32", 16, 16, 4},
      {"f32", "f32", 32, 32, 2},   {"f64", "f64", 16, 16, 4}};
  if (family == Family::gfx90a) return kinds;
  const bool is_cdna3 = family == Family::gfx942;
  for (const std::string_view type :
       is_cdna3 ? std::array{"f8E4M3FNUZ", "f8E5M2FNUZ"} : std::array{"f8E4M3FN", "f8E5M2"}) {
    kinds.push_back({type, "f32", 16, 16, 32});
    kinds.push_back({type, "f32", 32, 32, 16});
  }
  if (is_cdna3) {
    kinds.push_back({"f32", "f32", 16, 16, 8, true});
    kinds.push_back({"f32", "f32", 32, 32, 4, true});
  }
  return kinds;
}

std::vector<Kind> kinds_of(Target target) {
  using instruction::Family;
  const Family family = instruction::processor(target).family;
  if (instruction::is_nvidia(family)) {
    std::vector<Kind> kinds{
        {"f16", "f16", 16, 8, 16},      {"f16", "f32", 16, 8, 16},     {"bf16", "f32", 16, 8, 16},
        {"f32", "f32", 16, 8, 8, true}, {"f64", "f64", 8, 8, 4},       {"i8", "i32", 16, 8, 32},
        {"f16", "f16", 16, 8, 8},       {"f16", "f32", 16, 8, 8},      {"bf16", "f32", 16, 8, 8},
        {"i8", "i32", 16, 8, 16},       {"f32", "f32", 16, 8, 4, true}};
    if (family >= Family::sm89) {
      kinds.push_back({"f8E4M3FN", "f32", 16, 8, 32});
      kinds.push_back({"f8E5M2", "f32", 16, 8, 32});
    }
    return kinds;
  }
  if (instruction::is_cdna(family)) return kinds_of_cdna(family);
  if (family == Family::gfx1250)
    return {{"f16", "f32", 16, 16, 32},    {"f16", "f16", 16, 16, 32},
            {"bf16", "f32", 16, 16, 32},   {"bf16", "bf16", 16, 16, 32},
            {"i8", "i32", 16, 16, 64},     {"f8E4M3FN", "f32", 16, 16, 64},
            {"f8E5M2", "f32", 16, 16, 64}, {"f32", "f32", 16, 16, 4}};
  std::vector<Kind> kinds{{"f16", "f32", 16, 16, 16},
                          {"f16", "f16", 16, 16, 16},
                          {"bf16", "f32", 16, 16, 16},
                          {"bf16", "bf16", 16, 16, 16},
                          {"i8", "i32", 16, 16, 16}};
  if (family == Family::gfx12) {
    kinds.push_back({"f8E4M3FN", "f32", 16, 16, 16});
    kinds.push_back({"f8E5M2", "f32", 16, 16, 16});
  }
  return kinds;
}

/// Choices in the order in which they are asked for.
class Chooser {
 public:
  explicit Chooser(std::uint64_t seed) : stream_(seed) {}
  int below(int count) {
    return static_cast<int>(stream_.word(asked_++) % static_cast<std::uint64_t>(count));
  }
  bool one_in(int count) { return below(count) == 0; }
  template <class Options>
  auto of(const Options& options) {
    return options[static_cast<std::size_t>(below(static_cast<int>(std::size(options))))];
  }

 private:
  runtime::RandomStream stream_;
  std::uint64_t asked_ = 0;
};

/// A tile in a memref: `rows` and `columns` as they lie in memory.
struct Place {
  std::string space;      // ", 3" …
  int start[2] = {0, 0};  // index of the tile's first element
  int size[2] = {0, 0};   // of the memref
  int pitch = 0;          // elements between rows; 0: no gaps
  int offset = 0;         // of the memref's layout
  bool outside[2] = {};   // the tile leaves the memref there
  bool open_sizes = false, open_pitch = false;
};

class Writer {
 public:
  Writer(Target target, std::uint64_t seed) : chooser_(seed), kinds_(kinds_of(target)) {}

  WarpDraw write() {
    kind_ = chooser_.of(kinds_);
    is_float_ = kind_.accumulator[0] != 'i';
    m_ = kind_.m * (1 + chooser_.below(2));
    n_ = kind_.n * (1 << chooser_.below(kind_.n > 16 ? 2 : 3));  // C and D fit into LDS
    k_ = kind_.k * (1 + chooser_.below(2));
    note(fmt::format("{} {}x{}x{} into {}", kind_.input, m_, n_, k_, kind_.accumulator));
    if (kind_.tf32) note("tf32");
    const std::string sum = contraction();
    store(fused(sum), result_type_);
    WarpDraw draw;
    draw.description = description_;
    draw.kind =
        fmt::format("{} into {}{}", kind_.input, kind_.accumulator, kind_.tf32 ? " by tf32" : "");
    draw.tf32 = kind_.tf32;
    draw.text = fmt::format("// {}\n{}func.func @drawn({}) {{\n{}  return\n}}\n", description_,
                            maps_, parameters_, body_);
    return draw;
  }

 private:
  void note(const std::string& text) { description_ += (description_.empty() ? "" : ", ") + text; }
  void line(const std::string& text) { body_ += "  " + text + "\n"; }
  std::string fresh(std::string_view stem) { return fmt::format("%{}{}", stem, ++names_); }

  std::string index(int value) {
    const std::string name = fresh("i");
    line(fmt::format("{} = arith.constant {} : index", name, value));
    return name;
  }
  std::string scalar(std::string_view type, bool zero) {
    const std::string name = fresh("s");
    const bool is_float = type[0] != 'i';
    const int quarters = zero ? 0 : chooser_.below(9) - 4;
    line(fmt::format("{} = arith.constant {} : {}", name,
                     is_float ? fmt::format("{:.2f}", quarters / 4.0) : std::to_string(quarters),
                     type));
    return name;
  }

  /// A place for a tile of rows x columns; what is written may lie anywhere too.
  Place place(const std::string& who, int rows, int columns, bool may_be_open) {
    constexpr std::array<const char*, 6> spaces{"",    "",    ", 1",
                                                ", 3", ", 3", ", #gpu.address_space<workgroup>"};
    Place place;
    place.space = chooser_.of(spaces);
    const bool shared = place.space.find('3') != std::string::npos || place.space.size() > 4;
    const int tile[2] = {rows, columns};
    for (int dim = 0; dim < 2; ++dim) {
      const bool aligned = chooser_.one_in(2);
      place.start[dim] = chooser_.one_in(3) ? 0
                         : aligned          ? 8 * chooser_.below(3)
                                            : chooser_.below(7);
      place.outside[dim] = chooser_.one_in(5);
      const int margin = aligned ? 8 * chooser_.below(2) : chooser_.below(4);
      const int missing = 1 + chooser_.below(std::max(1, tile[dim] - 1));
      place.size[dim] = place.start[dim] + tile[dim] + (place.outside[dim] ? -missing : margin);
    }
    if (place.size[0] < 1) place.size[0] = 1;
    if (place.size[1] < 1) place.size[1] = 1;
    if (chooser_.one_in(3)) place.pitch = place.size[1] + chooser_.below(12);
    if (place.pitch != 0) place.offset = chooser_.one_in(2) ? chooser_.below(20) : 0;
    if (place.pitch == 0 && chooser_.one_in(3)) place.pitch = (place.size[1] + 7) / 8 * 8;
    place.open_sizes = may_be_open && !shared && chooser_.one_in(8) && !place.outside[0] &&
                       !place.outside[1] && place.size[0] <= 64 && place.size[1] <= 64 &&
                       place.pitch == 0;
    if (place.outside[0] || place.outside[1]) note(who + " padded");
    if (shared) note(who + " in shared memory");
    if (place.pitch != 0)
      note(fmt::format("{} pitch {} offset {}", who, place.pitch, place.offset));
    if (place.open_sizes) note(who + " of open sizes");
    return place;
  }

  std::string type_of(const Place& place, std::string_view element) {
    const std::string size =
        place.open_sizes ? "?x?" : fmt::format("{}x{}", place.size[0], place.size[1]);
    std::string layout;
    if (place.pitch != 0)
      layout = fmt::format(", strided<[{}, 1], offset: {}>", place.pitch, place.offset);
    return fmt::format("memref<{}x{}{}{}>", size, element, layout, place.space);
  }

  std::string parameter(const std::string& type) {
    const std::string name = fresh("arg");
    parameters_ += (parameters_.empty() ? "" : ", ") + name + ": " + type;
    return name;
  }

  static std::string bounds(bool outside0, bool outside1) {
    return fmt::format("in_bounds = [{}, {}]", outside0 ? "false" : "true",
                       outside1 ? "false" : "true");
  }

  /// Reads a tile of rows x columns into a vector; memory may hold it transposed.
  std::string read(const std::string& who, std::string_view element, int rows, int columns) {
    const bool swapped = chooser_.one_in(2);
    const bool separate = swapped && chooser_.one_in(3);
    Place at = place(who, swapped ? columns : rows, swapped ? rows : columns, true);
    if (swapped) note(who + (separate ? " transposed apart" : " transposed in its read"));
    const std::string type = type_of(at, element);
    const std::string memref = parameter(type);
    const std::string row = index(at.start[0]), column = index(at.start[1]);
    const std::string padding = scalar(element, chooser_.one_in(2));
    const bool map = swapped && !separate;
    const std::string loaded = fresh("v");
    line(fmt::format(
        "{} = vector.transfer_read {}[{}, {}], {} {{{}{}}} : {}, vector<{}x{}x{}>", loaded, memref,
        row, column, padding, map ? "permutation_map = affine_map<(d0, d1) -> (d1, d0)>, " : "",
        map ? bounds(at.outside[1], at.outside[0]) : bounds(at.outside[0], at.outside[1]), type,
        separate ? columns : rows, separate ? rows : columns, element));
    if (!separate) return loaded;
    const std::string turned = fresh("v");
    line(fmt::format("{} = vector.transpose {}, [1, 0] : vector<{}x{}x{}> to vector<{}x{}x{}>",
                     turned, loaded, columns, rows, element, rows, columns, element));
    return turned;
  }

  /// An operand of the contraction: rows x columns, or its transpose with a map that says so.
  struct Operand {
    std::string value, type, map;
  };

  Operand operand(const std::string& who, int rows, int columns, const char* row,
                  const char* column, std::string_view wide) {
    const bool turned = chooser_.one_in(2);
    if (turned) note(who + " by columns");
    const int first = turned ? columns : rows, second = turned ? rows : columns;
    Operand made;
    made.value = read(who, kind_.input, first, second);
    made.map = fmt::format("affine_map<(m, n, k) -> ({}, {})>", turned ? column : row,
                           turned ? row : column);
    made.type = fmt::format("vector<{}x{}x{}>", first, second, kind_.input);
    if (wide.empty()) return made;
    const std::string value = fresh("v");
    const std::string type = fmt::format("vector<{}x{}x{}>", first, second, wide);
    line(fmt::format("{} = arith.{} {} : {} to {}", value, is_float_ ? "extf" : extension_,
                     made.value, made.type, type));
    made.value = value;
    made.type = type;
    return made;
  }

  /// Writes one contraction; the name of its result, which is `result_type_`.
  std::string contraction() {
    const bool widened = kind_.input != kind_.accumulator && chooser_.one_in(3);
    extension_ = "extsi";
    if (widened) note("operands extended before");
    const std::string_view wide = widened ? kind_.accumulator : std::string_view();
    const Operand a = operand("A", m_, k_, "m", "k", wide);
    const Operand b = operand("B", k_, n_, "k", "n", wide);
    turned_ = chooser_.one_in(3);
    if (turned_) note("C by columns");
    const int first = turned_ ? n_ : m_, second = turned_ ? m_ : n_;
    result_type_ = fmt::format("vector<{}x{}x{}>", first, second, kind_.accumulator);
    rows_ = first;
    columns_ = second;
    std::string c;
    if (chooser_.one_in(3)) {
      const std::string value = scalar(kind_.accumulator, chooser_.one_in(2));
      c = fresh("v");
      line(fmt::format("{} = vector.broadcast {} : {} to {}", c, value, kind_.accumulator,
                       result_type_));
      note("C constant");
    } else {
      c = read("C", kind_.accumulator, first, second);
    }
    const std::string sum = fresh("v");
    line(fmt::format(
        "{} = vector.contract {{indexing_maps = [{}, {}, affine_map<(m, n, k) -> ({})>], "
        "iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = "
        "#vector.kind<add>}} {}, {}, {} : {}, {} into {}",
        sum, a.map, b.map, turned_ ? "n, m" : "m, n", a.value, b.value, c, a.type, b.type,
        result_type_));
    element_ = kind_.accumulator;
    return sum;
  }

  /// Bias, relu and a rounding of the sum.
  std::string fused(std::string value) {
    if (chooser_.one_in(4)) value = biased(value);
    if (chooser_.one_in(4)) value = rectified(value);
    if (element_ == "f32" && kind_.input != "f32" && chooser_.one_in(4)) value = narrowed(value);
    return value;
  }

  std::string biased(const std::string& value) {
    note("bias");
    const bool along_rows = chooser_.one_in(2);
    const int count = along_rows ? rows_ : columns_;
    const int start = chooser_.below(5);
    const std::string type = fmt::format("memref<{}x{}>", start + count, element_);
    const std::string memref = parameter(type);
    const std::string at = index(start);
    const std::string padding = scalar(element_, true);
    const std::string bias = fresh("v"), sum = fresh("v");
    if (along_rows) {
      // Rows differ: read as a row, spread, turn.
      const std::string row = fresh("v"), spread = fresh("v");
      line(
          fmt::format("{} = vector.transfer_read {}[{}], {} {{in_bounds = [true]}} : {}, "
                      "vector<{}x{}>",
                      row, memref, at, padding, type, count, element_));
      line(fmt::format("{} = vector.broadcast {} : vector<{}x{}> to vector<{}x{}x{}>", spread, row,
                       count, element_, columns_, rows_, element_));
      line(fmt::format("{} = vector.transpose {}, [1, 0] : vector<{}x{}x{}> to {}", bias, spread,
                       columns_, rows_, element_, result_type_));
    } else {
      line(
          fmt::format("{} = vector.transfer_read {}[{}], {} {{permutation_map = affine_map<(d0) -> "
                      "(0, d0)>, in_bounds = [true, true]}} : {}, {}",
                      bias, memref, at, padding, type, result_type_));
    }
    line(fmt::format("{} = arith.{} {}, {} : {}", sum, is_float_ ? "addf" : "addi", value, bias,
                     result_type_));
    return sum;
  }

  std::string rectified(const std::string& value) {
    note("relu");
    const std::string zero = fresh("v"), result = fresh("v");
    line(fmt::format("{} = arith.constant dense<{}> : {}", zero, is_float_ ? "0.0" : "0",
                     result_type_));
    line(fmt::format("{} = arith.{} {}, {} : {}", result, is_float_ ? "maximumf" : "maxsi", value,
                     zero, result_type_));
    return result;
  }

  std::string narrowed(const std::string& value) {
    const std::string_view narrow = kind_.input == "bf16" ? "bf16" : "f16";
    note(fmt::format("result rounded to {}", narrow));
    const std::string result = fresh("v");
    const std::string type = fmt::format("vector<{}x{}x{}>", rows_, columns_, narrow);
    line(fmt::format("{} = arith.truncf {} : {} to {}", result, value, result_type_, type));
    result_type_ = type;
    element_ = narrow;
    return result;
  }

  void store(const std::string& value, const std::string& vector) {
    const bool swapped = chooser_.one_in(4);
    const Place at = place("D", swapped ? columns_ : rows_, swapped ? rows_ : columns_, false);
    if (swapped) note("D transposed in its write");
    const std::string type = type_of(at, element_);
    const std::string memref = parameter(type);
    const std::string row = index(at.start[0]), column = index(at.start[1]);
    line(fmt::format(
        "vector.transfer_write {}, {}[{}, {}] {{{}{}}} : {}, {}", value, memref, row, column,
        swapped ? "permutation_map = affine_map<(d0, d1) -> (d1, d0)>, " : "",
        swapped ? bounds(at.outside[1], at.outside[0]) : bounds(at.outside[0], at.outside[1]),
        vector, type));
  }

  Chooser chooser_;
  std::vector<Kind> kinds_;
  Kind kind_;
  bool is_float_ = true, turned_ = false;
  int m_ = 0, n_ = 0, k_ = 0;
  int rows_ = 0, columns_ = 0;  // of the result
  const char* extension_ = "";
  std::string_view element_;  // of the result
  std::string result_type_, description_, maps_, parameters_, body_;
  int names_ = 0;
};

}  // namespace

WarpDraw draw_warp_function(instruction::Target target, std::uint64_t seed) {
  return Writer(target, seed).write();
}

}  // namespace heddle::compiler
