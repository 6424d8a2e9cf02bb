#include "product_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "counted_products.h"

namespace heddle::kernels {
namespace {

/// rocm_wmma_gemm: A row-major, B column-major and D row-major in f32, in sizes that are multiples
/// of a block of 256 x 256. Counted at commit ef1b647 by this emulator on gfx1151, for 4x2 and 2x4
/// waves of 4x4 tiles, its tuned configuration among them; exact lines over k.
struct Line {
  std::uint64_t fixed, of_16_k;
};
constexpr Line rocm_wmma_gemm[] = {{11824, 1136}, {12200, 1120}};

std::optional<std::uint64_t> rocm_wmma_gemm_executed(const std::string& target,
                                                     const Contract& contract, const Sizes& sizes) {
  if (target != "gfx1151" || name(contract) != "f16 nt" || sizes.m % 256 != 0 ||
      sizes.n % 256 != 0 || sizes.k % 16 != 0)
    return std::nullopt;
  std::uint64_t least = ~std::uint64_t{0};
  for (const Line& line : rocm_wmma_gemm)
    least = std::min(least, line.fixed + line.of_16_k * (sizes.k / 16));
  return least * (sizes.m / 256) * (sizes.n / 256);
}

/// With commas between the thousands.
std::string number(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string number(const Count& count) { return count ? number(*count) : ""; }

}  // namespace

int print_product_table(const std::string& target) {
  Modules modules(target);
  const std::vector<TritonProduct> of_triton = triton_products(target);
  fmt::print(
      "| product | m x n x k | compiled, these sizes | compiled, any sizes | Triton 3.6 "
      "| rocm_wmma_gemm | these | any |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|\n");
  bool is_complete = true;
  for (const Contract& contract :
       {Contract{NumberType::f16, "nn"}, Contract{NumberType::f16, "nt"},
        Contract{NumberType::f16, "tn"}, Contract{NumberType::f16, "tt"},
        Contract{NumberType::bf16, "nn"}, Contract{NumberType::bf16, "nt"},
        Contract{NumberType::i8, "nn"}, Contract{NumberType::i8, "nt"},
        Contract{NumberType::i8, "tn"}, Contract{NumberType::i8, "tt"}}) {
    for (const Sizes& sizes : {Sizes{256, 256, 256}, Sizes{512, 512, 512}, Sizes{1024, 1024, 1024},
                               Sizes{509, 511, 513}}) {
      const Count exact = compiled_executed(modules, contract, {}, sizes);
      const Count any = compiled_executed(modules, contract, {.any_size = true}, sizes);
      const Count triton = triton_executed(modules, of_triton, contract, sizes);
      const auto published = rocm_wmma_gemm_executed(target, contract, sizes);
      for (const Count* count : {&exact, &any}) {
        if (*count) continue;
        fmt::print(stderr, "{} {}x{}x{}: {}\n", name(contract), sizes.m, sizes.n, sizes.k,
                   count->error());
        is_complete = false;
      }
      const std::uint64_t none = ~std::uint64_t{0};
      const std::uint64_t best = std::min(triton.value_or(none), published.value_or(none));
      const auto beside_best = [&](const Count& count) {
        return best == none ? ""
                            : fmt::format("{:.2f}", static_cast<double>(count.value_or(0)) /
                                                        static_cast<double>(best));
      };
      fmt::print("| {} | {}x{}x{} | {} | {} | {} | {} | {} | {} |\n", name(contract), sizes.m,
                 sizes.n, sizes.k, number(exact), number(any), number(triton),
                 published ? number(*published) : "", beside_best(exact), beside_best(any));
      std::fflush(stdout);
    }
  }
  return is_complete ? 0 : 1;
}

}  // namespace heddle::kernels
