// Any plan file with any product for any target is either planned and compiled or refused at a
// place; no number of it costs more than the kernel that it asks for.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "compiler/compile.h"
#include "mlir_program.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace heddle;

void require(bool holds, const char* promise, std::string_view detail) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s: %.*s\n", promise, static_cast<int>(detail.size()),
               detail.data());
  std::abort();
}

std::string product(std::string_view m, std::string_view n, std::string_view k,
                    std::string_view input, std::string_view sum) {
  const auto tensor = [](std::string_view x, std::string_view y, std::string_view type) {
    return "tensor<" + std::string(x) + "x" + std::string(y) + "x" + std::string(type) + ">";
  };
  const std::string a = tensor(m, k, input), b = tensor(k, n, input), c = tensor(m, n, sum);
  return "func.func @f(%a: " + a + ", %b: " + b + ", %c: " + c + ") -> " + c +
         " {\n  %d = linalg.matmul ins(%a, %b : " + a + ", " + b + ") outs(%c : " + c + ") -> " +
         c + "\n  return %d : " + c + "\n}\n";
}

const std::array<std::string, 6>& products() {
  static const std::array<std::string, 6> all{
      product("128", "256", "64", "f16", "f32"),  product("1", "1", "1", "f32", "f32"),
      product("32", "32", "8192", "bf16", "f32"), product("?", "?", "?", "f16", "f32"),
      product("100", "72", "40", "i8", "i32"),    product("20000", "20000", "16", "f16", "f16")};
  return all;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  std::string text = fuzz::any_plan(random);
  text.resize(std::min(text.size(), most));
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = compiler::read_plan_file(text, "plan.json");
  if (!file) {
    require(file.error().find(": error: ") != std::string::npos, "a refusal is an error",
            file.error());
    return 0;
  }
  const std::size_t choice = std::hash<std::string_view>{}(text);
  const std::string& mlir = products()[choice % products().size()];
  compiler::Options options;
  const std::size_t targets = instruction::processor_rows.size();
  options.target = instruction::processor_rows[choice / products().size() % targets].target;
  options.plan = file->fields;
  options.plan_places = file->places;
  const bool whole = choice / products().size() / targets % 8 == 0;
  const auto made = compiler::compile(mlir, "fuzz", options,
                                      whole ? compiler::Stage::object : compiler::Stage::plan);
  if (made) return 0;
  require(made.error().find("internal error") == std::string::npos, "no stage fails", made.error());
  require(made.error().find("error: ") != std::string::npos, "a refusal is an error",
          made.error());
  require(made.error().find("accepted") != std::string::npos, "a refusal says what is accepted",
          made.error());
  return 0;
}
