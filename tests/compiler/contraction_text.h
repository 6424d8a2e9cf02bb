// MLIR texts of contractions over any loops, with what each must compute: the formula itself, loop
// by loop, over the indices that the text gives each operand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::compiler {

/// One dimension of an operand: constant + the sum of factor * loop.
struct TextIndex {
  struct Term {
    std::size_t loop = 0;
    std::int64_t factor = 1;
  };
  std::vector<Term> terms;
  std::int64_t constant = 0;
  std::int64_t before = 0, after = 0;  // zeros around what memory has of the dimension
};

struct TextOperand {
  std::vector<TextIndex> dims;
  std::string type = "f16";
};

/// d[…] = c[…] + sum over the summed loops of a[…] * b[…].
struct ContractionText {
  struct Loop {
    std::int64_t size = 1;
    bool is_summed = false;
    bool is_dynamic = false;
  };
  std::vector<Loop> loops;
  TextOperand a, b, d;
  bool accumulates = true;
  /// A named operation that means the same, with its attributes; empty: linalg.generic.
  std::string operation;

  std::int64_t size(const TextIndex& index) const {
    std::int64_t last = index.constant;
    for (const TextIndex::Term& term : index.terms)
      last += term.factor * (loops[term.loop].size - 1);
    return last + 1;
  }
  bool is_dynamic(const TextIndex& index) const {
    return std::ranges::any_of(
        index.terms, [&](const TextIndex::Term& term) { return loops[term.loop].is_dynamic; });
  }
  /// The type with its padding, or without.
  std::string tensor(const TextOperand& operand, bool padded = true) const {
    std::string text = "tensor<";
    for (const TextIndex& index : operand.dims) {
      const std::int64_t around = padded ? 0 : index.before + index.after;
      text += (is_dynamic(index) ? "?" : std::to_string(size(index) - around)) + "x";
    }
    return text + operand.type + ">";
  }
  /// The operation that pads an argument, if it has padding.
  std::string pad(const TextOperand& operand, const std::string& argument,
                  const std::string& result) const {
    std::string low, high, places;
    for (const TextIndex& index : operand.dims) {
      const std::string comma = low.empty() ? "" : ", ";
      low += comma + std::to_string(index.before);
      high += comma + std::to_string(index.after);
      places += comma + "%p" + std::to_string(places.size()) + ": index";
    }
    const std::string zero = operand.type[0] == 'i' ? "0" : "0.0";
    return "  " + result + " = tensor.pad " + argument + " low[" + low + "] high[" + high +
           "] {\n  ^bb0(" + places + "):\n    %o = arith.constant " + zero + " : " + operand.type +
           "\n    tensor.yield %o : " + operand.type + "\n  } : " + tensor(operand, false) +
           " to " + tensor(operand) + "\n";
  }
  static bool is_padded(const TextOperand& operand) {
    for (const TextIndex& index : operand.dims)
      if (index.before + index.after != 0) return true;
    return false;
  }
  std::string map(const TextOperand& operand) const {
    std::string dims, results;
    for (std::size_t i = 0; i < loops.size(); ++i)
      dims += (i == 0 ? "d" : ", d") + std::to_string(i);
    for (const TextIndex& index : operand.dims) {
      std::string sum;
      for (const TextIndex::Term& term : index.terms) {
        sum += (sum.empty() ? "d" : " + d") + std::to_string(term.loop);
        if (term.factor != 1) sum += " * " + std::to_string(term.factor);
      }
      if (sum.empty() || index.constant != 0)
        sum += (sum.empty() ? "" : " + ") + std::to_string(index.constant);
      results += (results.empty() ? "" : ", ") + sum;
    }
    return "affine_map<(" + dims + ") -> (" + results + ")>";
  }

  std::string mlir() const {
    const std::string da = tensor(a), db = tensor(b), dd = tensor(d);
    const std::string a_name = is_padded(a) ? "%pa" : "%a", b_name = is_padded(b) ? "%pb" : "%b";
    std::string text = "func.func @f(%a: " + tensor(a, false) + ", %b: " + tensor(b, false);
    text += accumulates ? ", %c: " + dd + ") -> " + dd + " {\n" : ") -> " + dd + " {\n";
    const bool is_integer = d.type == "i32";
    const std::string zero = is_integer ? "0" : "0.0", f = is_integer ? "i" : "f";
    if (!accumulates)
      text += "  %e = tensor.empty() : " + dd + "\n  %z = arith.constant " + zero + " : " + d.type +
              "\n  %c = linalg.fill ins(%z : " + d.type + ") outs(%e : " + dd + ") -> " + dd + "\n";
    if (is_padded(a)) text += pad(a, "%a", "%pa");
    if (is_padded(b)) text += pad(b, "%b", "%pb");
    const std::string operands =
        " ins(" + a_name + ", " + b_name + " : " + da + ", " + db + ") outs(%c : " + dd + ")";
    if (!operation.empty()) {
      text += "  %d = " + operation + operands + " -> " + dd + "\n";
    } else {
      std::string kinds;
      for (const Loop& loop : loops)
        kinds += (kinds.empty() ? "" : ", ") +
                 std::string(loop.is_summed ? "\"reduction\"" : "\"parallel\"");
      text += "  %d = linalg.generic {indexing_maps = [" + map(a) + ", " + map(b) + ", " + map(d) +
              "], iterator_types = [" + kinds + "]}" + operands + " {\n  ^bb0(%x: " + a.type +
              ", %y: " + b.type + ", %s: " + d.type + "):\n";
      const auto widened = [&](const std::string& value, const std::string& type) {
        if (type == d.type) return value;
        text += "    " + value + "w = arith.ext" + (is_integer ? "si " : "f ") + value + " : " +
                type + " to " + d.type + "\n";
        return value + "w";
      };
      const std::string x = widened("%x", a.type), y = widened("%y", b.type);
      text += "    %p = arith.mul" + f + " " + x + ", " + y + " : " + d.type +
              "\n    %t = arith.add" + f + " %s, %p : " + d.type +
              "\n    linalg.yield %t : " + d.type + "\n  } -> " + dd + "\n";
    }
    return text + "  return %d : " + dd + "\n}\n";
  }

  /// D from the arguments, all row-major.
  std::vector<double> reference(const std::vector<std::vector<double>>& arguments) const {
    const auto count = [&](const TextOperand& operand) {
      std::int64_t elements = 1;
      for (const TextIndex& index : operand.dims) elements *= size(index);
      return static_cast<std::size_t>(elements);
    };
    std::vector<std::int64_t> at(loops.size());
    // The element of an operand at these loops; nothing if it is padding.
    const auto place = [&](const TextOperand& operand) -> std::optional<std::size_t> {
      std::int64_t result = 0;
      for (const TextIndex& index : operand.dims) {
        std::int64_t coordinate = index.constant - index.before;
        for (const TextIndex::Term& term : index.terms) coordinate += term.factor * at[term.loop];
        const std::int64_t stored = size(index) - index.before - index.after;
        if (coordinate < 0 || coordinate >= stored) return std::nullopt;
        result = result * stored + coordinate;
      }
      return static_cast<std::size_t>(result);
    };
    const auto element = [&](const TextOperand& operand, const std::vector<double>& values) {
      const auto from = place(operand);
      return from ? values[*from] : 0.0;
    };
    std::vector<double> result = accumulates ? arguments[2] : std::vector<double>(count(d));
    for (bool more = true; more;) {
      result[*place(d)] += element(a, arguments[0]) * element(b, arguments[1]);
      more = false;
      for (std::size_t loop = loops.size(); loop-- > 0 && !more;) {
        more = ++at[loop] < loops[loop].size;
        if (!more) at[loop] = 0;
      }
    }
    return result;
  }
};

}  // namespace heddle::compiler
