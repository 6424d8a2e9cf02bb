// The wave instructions that products execute on an emulator, whoever made the kernel: the
// compiler, kernels/rdna, Triton.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/gemm_figures.h"

namespace heddle::kernels {

/// D = A B: A and B of `element`, row-major as they are (n) or transposed (t), D in f32, or i32 of
/// i8.
struct Contract {
  NumberType element = NumberType::f16;
  std::string_view operands = "nn";

  bool a_transposed() const { return operands[0] == 't'; }
  bool b_transposed() const { return operands[1] == 't'; }
};

/// "f16 nt".
std::string name(const Contract& contract);

struct Sizes {
  std::uint32_t m = 0, n = 0, k = 0;
};

/// What is counted, or why it cannot be.
using Count = std::expected<std::uint64_t, std::string>;

/// The library's code objects for one target, on its emulator.
class Modules {
 public:
  explicit Modules(const std::string& target)
      : target_(target), device_(runtime::Device::open("emulator:" + target).value()) {}

  const std::string& target() const { return target_; }
  runtime::Device& device() { return *device_; }
  runtime::Module& of(NumberType element);

 private:
  std::string target_;
  std::unique_ptr<runtime::Device> device_;
  std::map<NumberType, std::unique_ptr<runtime::Module>> modules_;
};

/// How the compiler is asked for a kernel.
struct Made {
  bool any_size = false;  // or just those of the launch
  int split_k = 0;  // blocks that share the k of a tile of D; 0: as many as the planner decides
};

/// What the compiler's kernel executes.
Count compiled_executed(Modules& modules, const Contract& contract, const Made& made,
                        const Sizes& sizes);

/// A product as Triton compiled it (tests/kernels/triton/cases.py, `plain`).
struct TritonProduct {
  std::string contract;   // as name() has it
  bool any_size = false;  // or sizes that are whole tiles
  std::uint32_t m = 0, n = 0, k = 0, waves = 0, lds_bytes = 0;
  std::vector<std::byte> object;
};

/// Those recorded for a target.
std::vector<TritonProduct> triton_products(const std::string& target);

/// What the one of `products` executes that needs least.
Count triton_executed(Modules& modules, const std::vector<TritonProduct>& products,
                      const Contract& contract, const Sizes& sizes);

}  // namespace heddle::kernels
