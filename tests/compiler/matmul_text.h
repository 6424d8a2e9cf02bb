// MLIR texts of matrix products, for tests.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::compiler {

/// How the result begins and where it goes.
enum class Form { fill, accumulate, in_place, in_place_fill };

struct MatmulText {
  std::int64_t m, n, k;
  std::string input = "f16";
  std::string result = "f32";
  Form form = Form::fill;
  std::string constant = "0.0";

  std::string mlir() const {
    const bool memref = form == Form::in_place || form == Form::in_place_fill;
    const auto shape = [&](std::int64_t rows, std::int64_t columns, const std::string& element) {
      return (memref ? "memref<" : "tensor<") + std::to_string(rows) + "x" +
             std::to_string(columns) + "x" + element + ">";
    };
    const std::string a = shape(m, k, input), b = shape(k, n, input), c = shape(m, n, result);
    const std::string ins = "ins(%a, %b : " + a + ", " + b + ") outs(";
    const std::string zero = "  %x = arith.constant " + constant + " : " + result + "\n";
    const std::string head = "func.func @product(%a: " + a + ", %b: " + b;
    if (memref) {
      const std::string fill =
          zero + "  linalg.fill ins(%x : " + result + ") outs(%c : " + c + ")\n";
      return head + ", %c: " + c + ") {\n" + (form == Form::in_place_fill ? fill : "") +
             "  linalg.matmul " + ins + "%c : " + c + ")\n  return\n}\n";
    }
    const std::string initial = zero + "  %e = tensor.empty() : " + c +
                                "\n  %c = linalg.fill ins(%x : " + result + ") outs(%e : " + c +
                                ") -> " + c + "\n";
    return head + (form == Form::fill ? "" : ", %c: " + c) + ") -> " + c + " {\n" +
           (form == Form::fill ? initial : "") + "  %d = linalg.matmul " + ins + "%c : " + c +
           ") -> " + c + "\n  return %d : " + c + "\n}\n";
  }
};

}  // namespace heddle::compiler
