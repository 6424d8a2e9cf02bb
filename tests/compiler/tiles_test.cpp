// Products in loops over tiles, drawn at random: scf.for and scf.forall over m, n and k in any
// order, some of them twice, with tiles that are cut out of A, B and C. D is the whole product,
// whatever the loops are.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "product_run.h"

namespace heddle::compiler {
namespace tiles_test {

using instruction::Target;

/// A loop over one of m, n and k, in steps of a tile.
struct Level {
  int dimension = 0;
  std::int64_t step = 1;
  bool is_forall = false;
  bool cuts = false;  // C is cut before the loops inside, which know the tile alone
};

struct TiledText {
  std::array<std::int64_t, 3> sizes{};  // of m, n and k
  std::vector<Level> levels;
  bool copies = false;  // A goes through linalg.copy

  std::string mlir() const { return Writer(*this).text(); }

 private:
  using Tile = std::array<std::int64_t, 3>;

  // Writes the loops from the outermost to the innermost.
  class Writer {
   public:
    explicit Writer(const TiledText& text) : text_(text) {}

    std::string text() {
      const auto [m, n, k] = text_.sizes;
      const std::string d = type({m, n}, "f32");
      lines_ = "#sum = affine_map<(x, y) -> (x + y)>\nfunc.func @f(%a: " + type({m, k}, "f16") +
               ", %b: " + type({k, n}, "f16") + ", %c: " + d + ") -> " + d +
               " {\n%zero = arith.constant 0 : index\n";
      const std::string result = level(0, "%c", text_.sizes);
      return lines_ + "return " + result + " : " + d + "\n}\n";
    }

   private:
    static std::string type(std::array<std::int64_t, 2> shape, const std::string& element) {
      return "tensor<" + std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "x" + element +
             ">";
    }
    std::string name() { return "%v" + std::to_string(names_++); }
    std::string define(const std::string& operation) {
      const std::string result = name();
      lines_ += result + " = " + operation + "\n";
      return result;
    }
    std::string number(std::int64_t value) {
      return define("arith.constant " + std::to_string(value) + " : index");
    }
    std::string sum(const std::string& x, const std::string& y) {
      if (x == "%zero") return y;
      return define(names_ % 2 == 0 ? "affine.apply #sum(" + x + ", " + y + ")"
                                    : "arith.addi " + x + ", " + y + " : index");
    }
    static std::string place(const std::string& row, const std::string& column,
                             std::array<std::int64_t, 2> shape) {
      return "[" + row + ", " + column + "] [" + std::to_string(shape[0]) + ", " +
             std::to_string(shape[1]) + "] [1, 1]";
    }
    std::string cut(const std::string& from, std::array<std::int64_t, 2> whole,
                    const std::string& row, const std::string& column,
                    std::array<std::int64_t, 2> shape, const std::string& element) {
      return define("tensor.extract_slice " + from + place(row, column, shape) + " : " +
                    type(whole, element) + " to " + type(shape, element));
    }

    // The loops from `number` on, over tiles of `c`, whose sizes are those of `tile` where it was
    // cut last. Gives the new c.
    std::string level(std::size_t number, const std::string& c, Tile tile) {
      if (number == text_.levels.size()) return product(c, tile);
      const Level& own = text_.levels[number];
      const auto at = static_cast<std::size_t>(own.dimension);
      const std::array whole{carried_[0] == 0 ? text_.sizes[0] : carried_[0],
                             carried_[1] == 0 ? text_.sizes[1] : carried_[1]};
      const std::string type_of_c = type(whole, "f32");
      const std::string end = this->number(tile[at]), step = this->number(own.step);
      const std::string counter = name(), inside = name(), result = name();
      lines_ += result + " = " + (own.is_forall ? "scf.forall (" : "scf.for ") + counter +
                (own.is_forall ? ") = (" : " = ") + "%zero" + (own.is_forall ? ") to (" : " to ") +
                end + (own.is_forall ? ") step (" : " step ") + step +
                (own.is_forall ? ") shared_outs(" : " iter_args(") + inside + " = " + c + ") -> (" +
                type_of_c + ") {\n";
      const auto saved = std::tuple(offsets_, local_, carried_);
      offsets_[at] = sum(offsets_[at], counter);
      if (at < 2) local_[at] = sum(local_[at], counter);
      tile[at] = own.step;
      if (!own.cuts) {
        const std::string inner = level(number + 1, inside, tile);
        lines_ += "scf.yield " + inner + " : " + type_of_c + "\n}\n";
      } else {
        const std::array shape{tile[0], tile[1]};
        const std::string row = local_[0], column = local_[1];
        const std::string piece = cut(inside, whole, row, column, shape, "f32");
        carried_ = shape;
        local_ = {"%zero", "%zero"};
        const std::string inner = level(number + 1, piece, tile);
        const std::string into = inner + " into " + inside + place(row, column, shape) + " : " +
                                 type(shape, "f32") + " into " + type_of_c + "\n";
        if (own.is_forall)
          lines_ += "scf.forall.in_parallel {\ntensor.parallel_insert_slice " + into + "}\n}\n";
        else
          lines_ += "%w" + std::to_string(number) + " = tensor.insert_slice " + into +
                    "scf.yield %w" + std::to_string(number) + " : " + type_of_c + "\n}\n";
      }
      std::tie(offsets_, local_, carried_) = saved;
      return result;
    }

    std::string product(const std::string& c, Tile tile) {
      const auto [m, n, k] = tile;
      const std::array whole{carried_[0] == 0 ? text_.sizes[0] : carried_[0],
                             carried_[1] == 0 ? text_.sizes[1] : carried_[1]};
      const auto [all_m, all_n, all_k] = text_.sizes;
      std::string a = cut("%a", {all_m, all_k}, offsets_[0], offsets_[2], {m, k}, "f16");
      const std::string b = cut("%b", {all_k, all_n}, offsets_[2], offsets_[1], {k, n}, "f16");
      if (text_.copies) {
        const std::string of = type({m, k}, "f16"), empty = define("tensor.empty() : " + of);
        a = define("linalg.copy ins(" + a + " : " + of + ") outs(" + empty + " : " + of + ") -> " +
                   of);
      }
      const std::string d = type({m, n}, "f32");
      const std::string piece = cut(c, whole, local_[0], local_[1], {m, n}, "f32");
      const std::string done =
          define("linalg.matmul ins(" + a + ", " + b + " : " + type({m, k}, "f16") + ", " +
                 type({k, n}, "f16") + ") outs(" + piece + " : " + d + ") -> " + d);
      return define("tensor.insert_slice " + done + " into " + c +
                    place(local_[0], local_[1], {m, n}) + " : " + d + " into " +
                    type(whole, "f32"));
    }

    const TiledText& text_;
    std::string lines_;
    int names_ = 0;
    std::array<std::string, 3> offsets_{"%zero", "%zero", "%zero"};  // in the whole of m, n and k
    std::array<std::string, 2> local_{"%zero", "%zero"};             // in what the loop carries
    std::array<std::int64_t, 2> carried_{};                          // its sizes; 0: all
  };
};

TiledText any_tiles() {
  TiledText text;
  std::array<std::int64_t, 3> tile{};
  for (std::size_t i = 0; i < 3; ++i)
    tile[i] = text.sizes[i] = *rc::gen::element<std::int64_t>(4, 6, 12, 16, 24, 32, 48);
  const int count = *rc::gen::inRange(1, 6);
  for (int i = 0; i < count; ++i) {
    Level level{.dimension = *rc::gen::inRange(0, 3)};
    std::int64_t& size = tile[static_cast<std::size_t>(level.dimension)];
    std::vector<std::int64_t> steps;
    for (std::int64_t step = 1; step <= size; ++step)
      if (size % step == 0) steps.push_back(step);
    size = level.step = *rc::gen::elementOf(steps);
    level.cuts = *rc::gen::arbitrary<bool>();
    level.is_forall = level.dimension != 2 && level.cuts && *rc::gen::arbitrary<bool>();
    text.levels.push_back(level);
  }
  text.copies = *rc::gen::arbitrary<bool>();
  return text;
}

std::string difference(const TiledText& text, Target target) {
  const Outcome done = run(text.mlir(), {.target = target}, Operands::exact, 1,
                           [](const Compilation& kernel) { return kernel.problem; });
  if (!done.error.empty()) return done.error;
  const auto inputs = arguments(done);
  const auto [m, n, k] = text.sizes;
  const auto at = [](std::int64_t row, std::int64_t columns, std::int64_t column) {
    return static_cast<std::size_t>(row * columns + column);
  };
  std::vector<double> expected = inputs[2];
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t step = 0; step < k; ++step)
      for (std::int64_t column = 0; column < n; ++column)
        expected[at(row, n, column)] +=
            inputs[0][at(row, k, step)] * inputs[1][at(step, n, column)];
  return difference(done, expected);
}

RC_GTEST_PROP(Tiles, AreTheWholeProduct, ()) {
  const TiledText text = any_tiles();
  const Target target = *rc::gen::element(Target::gfx1151, Target::sm_80);
  const std::string found = difference(text, target);
  if (!found.empty()) RC_FAIL(found + "\n" + text.mlir());
}

}  // namespace tiles_test
}  // namespace heddle::compiler
