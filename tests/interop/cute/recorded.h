// The recorded answers of pycute and of CuTe (tests/data/pycute.json.gz, cute.json.gz).
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heddle/interop/cute/text.h"
#include "heddle/interop/cute/tiling.h"
#include "tests/data/golden.h"

namespace heddle::test {

/// The layout of a text that is one.
inline interop::cute::Layout layout_of(llvm::StringRef text) {
  const auto layout = interop::cute::read({text.data(), text.size()});
  if (!layout) ADD_FAILURE() << text.str() << ": " << layout.error().message;
  return layout ? std::get<interop::cute::Layout>(*layout) : interop::cute::Layout();
}

/// The layout with stride 0 where the size is 1 and without tuples of one mode, in both of which
/// pycute and CuTe differ.
inline interop::cute::Layout simplified(const interop::cute::Layout& layout) {
  using interop::cute::Mode;
  if (layout.is_leaf()) return layout.leaf().shape == 1 ? Mode{1, 0} : layout.leaf();
  if (layout.rank() == 1) return simplified(layout[0]);
  std::vector<interop::cute::Layout> modes;
  for (std::size_t i = 0; i < layout.rank(); ++i) modes.push_back(simplified(layout[i]));
  return interop::cute::make_layout(std::move(modes));
}

/// One recorded call.
struct RecordedCall {
  std::string operation;
  llvm::json::Array arguments;
  llvm::json::Value answer = nullptr;

  interop::cute::Layout layout(std::size_t i) const {
    return layout_of(*arguments[i].getAsString());
  }
  bool is_by_mode(std::size_t i) const { return arguments[i].getAsArray() != nullptr; }
  /// A layout, or a list of layouts and nulls.
  interop::cute::Tiler tiler(std::size_t i) const {
    using interop::cute::Tiler;
    if (!is_by_mode(i)) return interop::cute::tiler(layout(i));
    std::vector<Tiler> modes;
    for (const auto& part : *arguments[i].getAsArray())
      modes.push_back(part.getAsString() ? interop::cute::tiler(layout_of(*part.getAsString()))
                                         : Tiler(std::optional<interop::cute::Layout>()));
    return Tiler::tuple(std::move(modes));
  }
  /// Nothing if the witness refused, or answers with a size of 0.
  std::optional<interop::cute::Layout> answer_layout() const {
    if (!answer.getAsString()) return std::nullopt;
    for (const char* zero : {"(0,", "(0)", ",0,", ",0)", "(_0", ",_0"})
      if (answer.getAsString()->split(':').first.contains(zero)) return std::nullopt;
    if (answer.getAsString()->starts_with("0:")) return std::nullopt;
    return layout_of(*answer.getAsString());
  }
  std::string described() const {
    std::string text = operation;
    llvm::raw_string_ostream out(text);
    for (const auto& argument : arguments) out << " " << argument;
    out << " gives " << answer;
    return text;
  }
};

/// Calls check(call) for the recorded calls of an operation; fails when there are none.
inline void for_each_call(const char* file, std::string_view operation, auto&& check) {
  static std::map<std::string, llvm::json::Value> files;
  if (!files.contains(file)) files.emplace(file, read_golden(file));
  int count = 0;
  for (const auto& value : *files.at(file).getAsObject()->getArray("cases")) {
    const llvm::json::Array& call = *value.getAsArray();
    if (*call[0].getAsString() != llvm::StringRef(operation.data(), operation.size())) continue;
    ++count;
    const RecordedCall recorded{call[0].getAsString()->str(), *call[1].getAsArray(), call[2]};
    SCOPED_TRACE(recorded.described());
    check(recorded);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(count, 20) << operation;
}

}  // namespace heddle::test
