// D = activation(alpha * A * B + beta * C + bias): chooses the kernel and prepares its launch.
//
//   GemmProblem problem{.element = NumberType::f16, .m = 300, .n = 200, .k = 128};
//   const GemmKernel kernel = choose_gemm(problem, "gfx1151").value();
//   const auto object = code_object(kernel, folder, "gfx1151").value();
//   auto module = device->load(object);                         // runtime/device/device.h
//   module->launch(gemm_launch(kernel, problem, {a, b, {}, {}, d}).value());
//
// The contracts:
//
//   ordinary   A m x k and B k x n row-major, each plain or transposed, rows any number of
//              elements apart, any m, n and k from 1. The compiler makes the kernel, for this
//              problem and any AMD processor that it knows.
//   packed     both operands packed once by pack_launch, any m, n and k from 1, each operand
//              less than 4 GiB when packed. Kernels of kernels/rdna, for gfx11 and gfx12.
//   paired     sums in the type of the operands, rounded after every 16 k. They take half the
//              registers on gfx11, which allows larger blocks; results are less exact. Operands
//              are packed, or A is plain and B transposed; k then fills whole 128 bytes, and rows
//              begin at multiples of 16 bytes. Kernels of kernels/rdna.
//
// Limits of kernels/rdna: a grid has at most 65535 blocks of rows and fewer than 2^32 columns,
// those of the last block included. The rows of one block (64 to 320) of an operand, of C and of D
// have at most 4 GiB. choose_gemm refuses problems beyond these limits.
//
// C and D are m x n, row-major, in f32 or in the type of the operands (i32 where these are i8 or
// u8). Sums are f32 or i32, unless they are paired.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/record/launch.h"
#include "kernels/rdna/gemm_arguments.h"
#include "runtime/numbers/number.h"

namespace heddle::kernels {

using runtime::NumberType;

struct GemmProblem {
  NumberType element = NumberType::f16;  // f16, bf16, i8 or u8
  NumberType result = NumberType::f32;   // f32, or the element; of i8 and u8: f32 or i32
  std::uint32_t m = 0, n = 0, k = 0;     // m and n at least 1
  bool a_transposed = false;             // A is stored k x m
  bool b_transposed = false;             // B is stored n x k
  bool packed = false;                   // both are; the two above have no meaning then
  bool paired_sums = false;              // of f16 and bf16: packed or nt only
  // Elements from one stored row to the next; 0: as many as a row has.
  std::uint32_t a_stride = 0, b_stride = 0, c_stride = 0, d_stride = 0;
  float alpha = 1, beta = 0;
  Activation activation = Activation::none;
  bool has_bias = false;  // one element of the result's type for each column

  friend bool operator==(const GemmProblem&, const GemmProblem&) = default;
};

struct CompiledGemm;  // row_major_gemm.h

/// A kernel. A kernel for ordinary operands was compiled for one problem and is valid for that
/// problem alone.
struct GemmKernel {
  std::string name;  // "gemm_f16_packed"
  NumberType element;
  std::string operands;  // "packed"; of others "nn", "nt", "tn" or "tt"
  bool paired_sums;
  std::uint32_t block_m, block_n, threads;
  std::shared_ptr<const CompiledGemm> compiled = nullptr;  // null: the kernel is one of gemm_file()
};

/// The kernels of kernels/rdna, grouped by element type.
std::span<const GemmKernel> gemm_kernels();

/// Null when no kernel of kernels/rdna has this name.
const GemmKernel* find_gemm(std::string_view name);

/// The name of the kernel for ordinary operands: "gemm_f16_nt".
std::string name_of_gemm(const GemmProblem& problem);

/// The kernel for a problem. Error: a sentence that names the part of the problem that no kernel
/// can do, and a correct choice. If the operands are ordinary, this function compiles the kernel,
/// which takes some 150 ms: keep the kernel for further launches.
std::expected<GemmKernel, std::string> choose_gemm(const GemmProblem& problem,
                                                   std::string_view target);

/// The code object of a kernel; `folder` has those of kernels/rdna.
std::expected<std::vector<std::byte>, std::string> code_object(const GemmKernel& kernel,
                                                               const std::string& folder,
                                                               std::string_view target);

/// Buffers of a launch. C is needed where beta is not 0, the bias where the problem has one.
struct GemmBuffers {
  emulator::Argument a, b;
  std::optional<emulator::Argument> c, bias;
  emulator::Argument d;
};

/// The launch of a kernel: the chosen one, or another that can do the problem. The launch refers to
/// the buffers, which must outlive it, but not to the kernel. Errors: a part of the problem that
/// the kernel cannot do, a buffer that is missing or ends before its matrix does.
std::expected<emulator::Launch, std::string> gemm_launch(const GemmKernel& kernel,
                                                         const GemmProblem& problem,
                                                         const GemmBuffers& buffers);

/// A packed operand: A with m rows, or B with n columns, which are called rows here. Each row has k
/// elements.
struct PackedOperand {
  NumberType element;
  std::uint32_t rows = 0, k = 0;

  std::uint64_t padded_k() const;     // whole 128 bytes
  std::uint64_t padded_rows() const;  // whole groups of 32
  std::uint64_t bytes() const;        // 2^64 - 1 where they are more
};

/// The launch that packs an operand. In `from`, k is contiguous and rows are `stride` elements
/// apart; if `k_is_outer`, rows are contiguous and the k are `stride` elements apart. The kernel is
/// in pack.TARGET.co. A stride of 0 is the length of a row. Errors: types that are not packed,
/// sizes of 0, 4 GiB or more when packed, a stride shorter than a row, buffers that end before the
/// operand does.
std::expected<emulator::Launch, std::string> pack_launch(const PackedOperand& operand,
                                                         bool k_is_outer, std::uint32_t stride,
                                                         const emulator::Argument& from,
                                                         const emulator::Argument& packed);

/// The file in the folder of code objects that has the kernels of an element type:
/// "gemm_f16.gfx1151.co".
std::string gemm_file(NumberType element, std::string_view target);
std::string pack_file(std::string_view target);

}  // namespace heddle::kernels
