// Flash attention with the kernels of kernels/rdna/attention.hip: chooses the kernels and prepares
// their launches. docs/attention.md says what they compute.
//
//   AttentionProblem problem{.element = NumberType::f16, .depth = 128, .kv_heads = 8, …};
//   auto module = device->load(code object of attention_file("gfx1151"));   // device/device.h
//   const auto launches = attention_launches(problem, buffers).value();
//   for (const emulator::Launch& launch : launches) module->launch(launch);   // in this order
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/record/launch.h"
#include "kernels/rdna/attention_arguments.h"
#include "runtime/numbers/number.h"

namespace heddle::kernels {

using runtime::NumberType;

struct AttentionProblem {
  NumberType element = NumberType::f16;  // f16 or bf16
  std::int32_t depth = 128;              // 64, 128 or 256
  std::int32_t kv_heads = 1;             // heads of K and V
  std::int32_t group = 1;                // query heads for each of them
  std::int32_t sequences = 1;
  /// The maximum of query_length, which only the GPU sees. Rows of O for queries beyond it are not
  /// computed and do not change, and no error is reported.
  std::int32_t longest_query = 1;
  /// Strides in elements: multiples of 8, at least the depth, below 2^24. 0 means the stride of a
  /// contiguous tensor of tokens x heads x depth: head_stride is the depth, and row_stride is the
  /// depth times all heads. The rows of O must not overlap: all heads of a token lie within
  /// row_stride, or all tokens within head_stride.
  TensorStrides q{}, k{}, v{}, o{};
  float scale = 0;  // of the scores, above 0; 0 itself: 1 / sqrt(depth)
  std::int32_t window_left = unlimited, window_right = unlimited;  // 0 … unlimited
  /// 0: one thread block handles all keys of its rows, for prefill. Otherwise the keys are divided
  /// into this number of parts, for decode, and a thread block handles one part. Choose `parts` so
  /// that the GPU has enough thread blocks: parts * kv_heads * sequences.
  std::int32_t parts = 0;
};

/// Buffers of the launches. The starts and lengths are int32, one for each sequence. The workspaces
/// are needed if the problem has parts; their contents before the launch do not matter.
struct AttentionBuffers {
  emulator::Argument q, k, v, o;
  emulator::Argument query_start, query_length, key_start, key_length;
  std::optional<emulator::Argument> workspace_o, workspace_softmax;
};

/// Bytes of the workspaces; 0 without parts.
struct AttentionWorkspaceBytes {
  std::uint64_t o = 0, softmax = 0;
};
/// The sizes of the workspaces. Error: a sentence that names the part of the problem that the
/// kernels cannot do, and a correct choice.
std::expected<AttentionWorkspaceBytes, std::string> attention_workspace(
    const AttentionProblem& problem);

/// One launch, or two if the problem has parts. Errors: a part of the problem that the kernels
/// cannot do, with a correct choice; a missing workspace; a buffer that is too small for its known
/// contents: longest_query tokens of Q and O, the starts and lengths, the workspaces.
std::expected<std::vector<emulator::Launch>, std::string> attention_launches(
    const AttentionProblem& problem, const AttentionBuffers& buffers);

/// The name of the file with the attention kernels for a target, in the folder of code objects:
/// "attention.gfx1151.co".
std::string attention_file(std::string_view target);

}  // namespace heddle::kernels
