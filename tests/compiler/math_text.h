// Products with a function of their sums, as MLIR: what math_test.cpp runs and GPUs ran.
#pragma once

#include <string>

#include "runtime/numbers/math_functions.h"

namespace heddle::compiler {

// D[m, 48] of `type`, of a body that makes %r of the sum %x, of %s[n] and %t[m, n].
inline std::string math_text(const std::string& body, const std::string& type = "f32",
                             const std::string& sum = "f32", const std::string& m = "32") {
  const bool is_integer = sum.starts_with("i");
  const std::string input = is_integer ? "i8" : "f16";
  const auto tensor = [](const std::string& size, const std::string& element) {
    return "tensor<" + size + "x" + element + ">";
  };
  const std::string p = tensor(m + "x48", sum), d = tensor(m + "x48", type);
  const std::string all = "affine_map<(m, n) -> (m, n)>";
  return "func.func @f(%a: " + tensor(m + "x64", input) + ", %b: " + tensor("64x48", input) +
         ", %scales: " + tensor("48", "f32") + ", %more: " + tensor(m + "x48", "f32") + ") -> " +
         d + " {\n  %z = arith.constant " + (is_integer ? "0" : "0.0") + " : " + sum +
         "\n  %e = tensor.empty() : " + p + "\n  %o = tensor.empty() : " + d +
         "\n  %c = linalg.fill ins(%z : " + sum + ") outs(%e : " + p + ") -> " + p +
         "\n  %p = linalg.matmul ins(%a, %b : " + tensor(m + "x64", input) + ", " +
         tensor("64x48", input) + ") outs(%c : " + p + ") -> " + p +
         "\n  %d = linalg.generic {indexing_maps = [" + all + ", affine_map<(m, n) -> (n)>, " +
         all + ", " + all +
         "], iterator_types = [\"parallel\", \"parallel\"]} ins(%p, %scales, %more : " + p + ", " +
         tensor("48", "f32") + ", " + tensor(m + "x48", "f32") + ") outs(%o : " + d +
         ") {\n  ^bb0(%x: " + sum + ", %s: f32, %t: f32, %u: " + type + "):\n" + body +
         "    linalg.yield %r : " + type + "\n  } -> " + d + "\n  return %d : " + d + "\n}\n";
}

// The body that applies one row, to sums or to what is in their domain; of f32 or i32, or of 64
// bits.
inline std::string body_of(const runtime::MathFunction& function, const std::string& bits = "32") {
  const std::string name(function.name);
  const bool is_float = function.reading == runtime::Reading::floats;
  if (!is_float) {
    const std::string second = function.operands == 2 ? ", %y" : "";
    return "    %y = arith.constant 5 : i" + bits + "\n    %r = " + name + " %x" + second + " : i" +
           bits + "\n";
  }
  const bool is_positive = name.contains("log") || name.contains("sqrt");
  std::string operands = is_positive ? "%v" : "%x";
  const bool is_wide = bits == "64";
  const std::string t = is_wide ? "%tw" : "%t", s = is_wide ? "%sw" : "%s", type = " : f" + bits;
  if (function.operands == 2) operands += ", " + t;
  if (name == "math.fma") operands += ", " + t + ", " + s;
  if (name == "math.clampf") operands += " to [%low, " + t + "]";
  const std::string widened =
      is_wide ? "    %tw = arith.extf %t : f32 to f64\n    %sw = arith.extf %s : f32 to f64\n" : "";
  return widened + "    %low = arith.constant -2.0" + type + "\n    %v = arith.mulf %x, %x" + type +
         "\n    %r = " + name + " " + operands + type + "\n";
}

}  // namespace heddle::compiler
