#include "compiler/request/size_map.h"

namespace heddle::compiler {
namespace {

plan::Loop moved_size(plan::Loop size, const SizeMap& map) {
  return static_cast<plan::Loop>(map[static_cast<std::size_t>(size)]);
}

}  // namespace

unsigned renamed(unsigned sizes, const SizeMap& map) {
  unsigned all = 0;
  for (unsigned size = 0; size < plan::size_count; ++size)
    if ((sizes >> size & 1u) != 0) all |= 1u << map[size];
  return all;
}

void rename_sizes(Axis& axis, const SizeMap& map) {
  axis.step.sizes = renamed(axis.step.sizes, map);
  for (Jump& jump : axis.jumps)
    for (unsigned* sizes : {&jump.sizes, &jump.forward.sizes, &jump.back.sizes})
      *sizes = renamed(*sizes, map);
}

void rename_sizes(MatrixRecord& matrix, const SizeMap& map) {
  for (Axis* axis : {&matrix.batch, &matrix.row, &matrix.column}) rename_sizes(*axis, map);
  for (PaddedDimension& padded : matrix.padding) {
    for (Axis* axis : {&padded.batch, &padded.row, &padded.column}) rename_sizes(*axis, map);
    padded.size.sizes = renamed(padded.size.sizes, map);
  }
}

void rename_sizes(BufferRecord& buffer, const SizeMap& map) {
  for (DynamicSize& size : buffer.dynamic_sizes) size.loop = moved_size(size.loop, map);
  for (plan::Loop& size : buffer.told_strides) size = moved_size(size, map);
}

}  // namespace heddle::compiler
