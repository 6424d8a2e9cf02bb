#include "compiler/request/uses.h"

#include <algorithm>
#include <utility>

namespace heddle::compiler {

void find_uses(ProductSequence& sequence) {
  for (SequenceBuffer& buffer : sequence.buffers) buffer.first = buffer.part = -1;
  for (std::size_t i = 0; i < sequence.parts.size(); ++i) {
    const std::vector<int>& numbers = sequence.parts[i].buffers;
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      SequenceBuffer& buffer = sequence.buffers[static_cast<std::size_t>(numbers[j])];
      const auto part = static_cast<int>(i);
      if (buffer.first < 0) {
        buffer.first = buffer.part = part;
        buffer.buffer = static_cast<int>(j);
      }
      buffer.last = part;
    }
  }
}

void drop_unused_buffers(ProductSequence& sequence) {
  find_uses(sequence);
  std::vector<SequenceBuffer> kept;
  std::vector<int> numbers;  // the new number of each buffer
  int intermediates = 0;
  for (SequenceBuffer buffer : sequence.buffers) {
    numbers.push_back(static_cast<int>(kept.size()));
    const bool is_intermediate = buffer.kind == SequenceBuffer::Kind::intermediate;
    if (is_intermediate && buffer.first < 0) continue;
    if (is_intermediate) buffer.number = intermediates++;
    kept.push_back(buffer);
  }
  sequence.buffers = std::move(kept);
  const auto renumber = [&](std::vector<int>& all) {
    for (int& number : all) number = numbers[static_cast<std::size_t>(number)];
  };
  for (SequencePart& part : sequence.parts) renumber(part.buffers);
  renumber(sequence.results);
}

void drop_unread_extras(MatmulRequest& request) {
  std::vector<MatrixRecord> read;
  std::vector<int> numbers(request.extras.size(), -1);
  for (std::size_t i = 0; i < request.extras.size(); ++i) {
    const bool is_read = std::ranges::any_of(request.epilogue.nodes, [&](const Node& node) {
      return node.step == Step::input && node.index == static_cast<int>(i) + 1;
    });
    if (!is_read) continue;
    read.push_back(request.extras[i]);
    numbers[i] = static_cast<int>(read.size());
  }
  const int dropped = static_cast<int>(request.extras.size() - read.size());
  for (Node& node : request.epilogue.nodes) {
    if (node.step != Step::input || node.index == 0) continue;
    const auto at = static_cast<std::size_t>(node.index - 1);
    node.index = at < numbers.size() ? numbers[at] : node.index - dropped;
  }
  request.extras = std::move(read);
}

}  // namespace heddle::compiler
