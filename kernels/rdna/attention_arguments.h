// The arguments of the attention kernels besides their pointers: a record, passed by value, that
// host and device read in the same way. docs/attention.md says what the kernels compute.
#pragma once

#include <cstdint>

namespace heddle::kernels {

/// A window that is not limited on that side.
inline constexpr std::int32_t unlimited = 1 << 30;

/// Element (token, head, d) of a tensor is at token * row_stride + head * head_stride + d elements.
/// The strides of Q, K, V and O are multiples of 8 and at least the depth, their pointers multiples
/// of 16 bytes. The kernels need actual strides; only kernels/attention.h gives 0 a meaning.
struct TensorStrides {
  std::int32_t row_stride = 0;
  std::int32_t head_stride = 0;
};

struct AttentionArguments {
  TensorStrides q, k, v, o;
  std::int32_t kv_heads = 1;  // heads of K and V; the grid's y
  std::int32_t group = 1;     // query heads for each of them
  /// scale * log2(e). The kernels compute softmax(scale * q . k), with scale > 0, by powers of two.
  float scale_log2 = 1;
  /// Query i of n sees the keys j of m with p - window_left <= j <= p + window_right, where
  /// p = i + m - n: the last query is aligned with the last key. 0 <= window <= unlimited. Causal
  /// is window_right = 0.
  std::int32_t window_left = unlimited;
  std::int32_t window_right = unlimited;
  /// For kernels that divide the keys into parts: the number of parts, and the number of rows
  /// (queries times group, rounded up to a multiple of 16) that the workspace has for each sequence
  /// and head of K.
  std::int32_t parts = 1;
  std::int32_t workspace_rows = 0;
};

}  // namespace heddle::kernels
