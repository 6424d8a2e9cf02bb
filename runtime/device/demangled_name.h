// Reads C++ names from symbols that may come from anybody.
//
// A symbol of a few hundred bytes may stand for a name of terabytes, because each part may repeat
// all parts before it. LLVM's llvm::demangle and the C++ library's abi::__cxa_demangle write such a
// name until memory ends. A deeply nested symbol also overflows their stack.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::runtime {

/// The budget for reading names. The names of one file share it.
class NameBudget {
 public:
  /// The limits for one name: the length of its symbol, the length of the name itself, and the
  /// nesting of its parts.
  static constexpr std::size_t longest_symbol = 16384, longest_name = 65536;
  static constexpr int deepest_nesting = 1024;

  /// Uses up `steps` steps; a step is a part of a symbol or of a name. Returns false if too few are
  /// left.
  bool take(std::uint64_t steps = 1) {
    const bool enough = steps <= left_;
    left_ = enough ? left_ - steps : 0;
    return enough;
  }

 private:
  std::uint64_t left_ = std::uint64_t{1} << 22;  // a fraction of a second
};

/// The name that a symbol of C++ stands for ("_Z1fi": "f(int)"). Other symbols are returned
/// unchanged. So is a symbol if the symbol or its name exceeds the limits or the budget.
std::string demangled(const std::string& symbol, NameBudget& budget);

}  // namespace heddle::runtime
