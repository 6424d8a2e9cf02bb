// MLIR texts of products in every form, with what each must compute, said in plain C++: the witness
// that does not share a line with the compiler.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::compiler {

enum class Style { named, generic };
/// What is done to each element x of A or B: x / 2; x + 1 of an i8 or an f32 argument; max(x, 3).
enum class Producer { none, halved, from_bytes, from_floats, at_least_three };
enum class Epilogue { none, relu, bias_relu, scale_residual, narrowed, row_bias_transposed };

/// One product; the element of D at (batch, m, n) is
///   epilogue(initial + sum over k of producer(A[batch, m, k]) * b_producer(B[batch, k, n]))
struct ProductText {
  std::int64_t m = 42, n = 64, k = 32;
  std::int64_t batch = 0;  // 0: none
  std::string a_type = "f16", b_type = "f16", sum_type = "f32";
  bool a_transposed = false, b_transposed = false, c_transposed = false;
  bool is_unsigned = false;
  bool accumulates = false;
  Style style = Style::generic;
  Producer producer = Producer::none, b_producer = Producer::none;
  Epilogue epilogue = Epilogue::none;
  unsigned dynamic = 0;                       // bits: m, n, k, batch
  std::array<int, 4> loop_order{0, 1, 2, 3};  // of batch, m, n, k

  bool is_integer() const { return sum_type == "i32"; }
  static std::string stored(Producer producer, const std::string& type) {
    return producer == Producer::from_bytes    ? "i8"
           : producer == Producer::from_floats ? "f32"
                                               : type;
  }
  std::string stored_a() const { return stored(producer, a_type); }
  std::string stored_b() const { return stored(b_producer, b_type); }
  std::string result_type() const { return epilogue == Epilogue::narrowed ? "f16" : sum_type; }

  std::string size(char loop) const {
    const std::string names = "mnkb";
    const std::array<std::int64_t, 4> sizes{m, n, k, batch};
    const std::size_t at = names.find(loop);
    return (dynamic >> at & 1u) != 0 ? "?" : std::to_string(sizes[at]);
  }
  std::string tensor(const std::string& dims, const std::string& element) const {
    std::string text = "tensor<";
    for (const char dim : dims) text += size(dim) + "x";
    return text + element + ">";
  }
  std::string with_batch(const std::string& dims) const { return (batch != 0 ? "b" : "") + dims; }
  std::string a_dims() const { return with_batch(a_transposed ? "km" : "mk"); }
  std::string b_dims() const { return with_batch(b_transposed ? "nk" : "kn"); }
  std::string c_dims() const { return with_batch(c_transposed ? "nm" : "mn"); }
  std::string d_dims() const {
    return epilogue == Epilogue::row_bias_transposed ? with_batch(c_transposed ? "mn" : "nm")
                                                     : c_dims();
  }
  /// Of the epilogue's matrix, if it has one.
  std::string extra_dims() const {
    return epilogue == Epilogue::bias_relu             ? "n"
           : epilogue == Epilogue::row_bias_transposed ? "m"
           : epilogue == Epilogue::scale_residual      ? c_dims()
                                                       : "";
  }

  /// affine_map of `dims` over `loops`.
  static std::string map(const std::string& loops, const std::string& dims) {
    const auto list = [](const std::string& names) {
      std::string text;
      for (const char name : names) text += (text.empty() ? "" : ", ") + std::string("d_") + name;
      return text;
    };
    return "affine_map<(" + list(loops) + ") -> (" + list(dims) + ")>";
  }

  static std::string iterators(const std::string& loops, bool sums) {
    std::string text;
    for (const char loop : loops)
      text += std::string(text.empty() ? "" : ", ") +
              (loop == 'k' && sums ? "\"reduction\"" : "\"parallel\"");
    return "[" + text + "]";
  }

  std::string empty(const std::string& name, const std::string& dims,
                    const std::string& element) const {
    std::string text, sizes;
    for (const char dim : dims) {
      if (size(dim) != "?") continue;
      const bool in_a = a_dims().find(dim) != std::string::npos;
      const std::size_t at = in_a ? a_dims().find(dim) : b_dims().find(dim);
      const std::string value = name + "_" + dim;
      text += "  " + value + "_i = arith.constant " + std::to_string(at) + " : index\n  " + value +
              " = tensor.dim " + (in_a ? "%a, " : "%b, ") + value +
              "_i : " + (in_a ? tensor(a_dims(), stored_a()) : tensor(b_dims(), stored_b())) + "\n";
      sizes += (sizes.empty() ? "" : ", ") + value;
    }
    return text + "  " + name + " = tensor.empty(" + sizes + ") : " + tensor(dims, element) + "\n";
  }

  std::string loops() const {
    const std::string names = "bmnk";
    std::string text;
    for (const int loop : loop_order)
      if (loop != 0 || batch != 0) text += names[static_cast<std::size_t>(loop)];
    return text;
  }

  std::string widened(const std::string& value, const std::string& from) const {
    if (from == sum_type)
      return "    " + value + "w = arith.bitcast " + value + " : " + from + " to " + from + "\n";
    const std::string cast = is_integer() ? (is_unsigned ? "extui" : "extsi") : "extf";
    return "    " + value + "w = arith." + cast + " " + value + " : " + from + " to " + sum_type +
           "\n";
  }

  std::string contraction(const std::string& a, const std::string& b) const {
    const std::string& a_element = a_type;
    const std::string c_type = tensor(c_dims(), sum_type);
    const std::string operands = " ins(" + a + ", " + b + " : " + tensor(a_dims(), a_element) +
                                 ", " + tensor(b_dims(), b_type) + ") outs(%c : " + c_type + ")";
    if (style == Style::named) {
      const std::string order = batch != 0 ? "bmnk" : "mnk";
      const bool plain = !a_transposed && !b_transposed;
      const std::string maps = plain ? ""
                                     : " indexing_maps = [" + map(order, a_dims()) + ", " +
                                           map(order, b_dims()) + ", " + map(order, c_dims()) + "]";
      const std::string cast = is_unsigned ? " {cast = #linalg.type_fn<cast_unsigned>}" : "";
      return "  %p = linalg." + std::string(batch != 0 ? "batch_matmul" : "matmul") + maps + cast +
             operands + " -> " + c_type + "\n";
    }
    const std::string f = is_integer() ? "i" : "f";
    const auto name = [&](const std::string& value, const std::string& type) {
      return type == sum_type ? value : value + "w";
    };
    return "  %p = linalg.generic {indexing_maps = [" + map(loops(), a_dims()) + ", " +
           map(loops(), b_dims()) + ", " + map(loops(), c_dims()) +
           "], iterator_types = " + iterators(loops(), true) + "}" + operands +
           " {\n  ^bb0(%x: " + a_element + ", %y: " + b_type + ", %s: " + sum_type + "):\n" +
           (a_element == sum_type ? "" : widened("%x", a_element)) +
           (b_type == sum_type ? "" : widened("%y", b_type)) + "    %q = arith.mul" + f + " " +
           name("%x", a_element) + ", " + name("%y", b_type) + " : " + sum_type +
           "\n    %t = arith.add" + f + " %s, %q : " + sum_type +
           "\n    linalg.yield %t : " + sum_type + "\n  } -> " + c_type + "\n";
  }

  // An elementwise operation on `ins` with a body that yields %r.
  std::string elementwise(const std::string& result, const std::string& loops,
                          const std::vector<std::array<std::string, 3>>& ins,
                          const std::string& out_dims, const std::string& element,
                          const std::string& body) const {
    std::string maps, names, types, arguments;
    for (const auto& [value, dims, type] : ins) {
      maps += map(loops, dims) + ", ";
      names += (names.empty() ? "" : ", ") + value;
      types += (types.empty() ? "" : ", ") + tensor(dims, type);
      arguments += "%" + std::string(1, static_cast<char>('u' + arguments.size() % 7)) +
                   std::to_string(arguments.size()) + ": " + type + ", ";
    }
    // Arguments are called %i0, %i1, …
    arguments.clear();
    for (std::size_t i = 0; i < ins.size(); ++i)
      arguments += "%i" + std::to_string(i) + ": " + ins[i][2] + ", ";
    const std::string type = tensor(out_dims, element);
    return empty(result + "_e", out_dims, element) + "  " + result +
           " = linalg.generic {indexing_maps = [" + maps + map(loops, out_dims) +
           "], iterator_types = " + iterators(loops, false) + "} ins(" + names + " : " + types +
           ") outs(" + result + "_e : " + type + ") {\n  ^bb0(" + arguments + "%o: " + element +
           "):\n" + body + "    linalg.yield %r : " + element + "\n  } -> " + type + "\n";
  }

  static std::string body_of(Producer what, const std::string& type) {
    const std::string one = "    %one = arith.constant 1.0 : " + type + "\n    %f = arith.";
    const std::string sum = " to " + type + "\n    %r = arith.addf %f, %one : " + type + "\n";
    switch (what) {
      case Producer::halved:
        return "    %half = arith.constant 0.5 : " + type +
               "\n    %r = arith.mulf %i0, %half : " + type + "\n";
      case Producer::from_bytes:
        return one + "sitofp %i0 : i8" + sum;
      case Producer::from_floats:
        return one + "truncf %i0 : f32" + sum;
      default:
        return "    %three = arith.constant 3 : i8\n    %r = arith.maxsi %i0, %three : i8\n";
    }
  }

  /// The operations on `argument` that make `result` of it, if there are any.
  std::string produced(const std::string& result, const std::string& argument,
                       const std::string& dims, Producer what, const std::string& type) const {
    if (what == Producer::none) return "";
    return elementwise(result, dims, {{argument, dims, stored(what, type)}}, dims, type,
                       body_of(what, type));
  }

  std::string after() const {
    const std::string t = sum_type;
    const std::string f = is_integer() ? "i" : "f";
    const std::string zero = is_integer() ? "0" : "0.0";
    const std::string maximum = is_integer() ? "maxsi" : "maximumf";
    const std::string c = c_dims();
    switch (epilogue) {
      case Epilogue::none:
        return "";
      case Epilogue::relu:
        return elementwise("%d", c, {{"%p", c, t}}, c, t,
                           "    %zero = arith.constant " + zero + " : " + t + "\n    %r = arith." +
                               maximum + " %i0, %zero : " + t + "\n");
      case Epilogue::bias_relu:
        return elementwise("%d", c, {{"%p", c, t}, {"%e", "n", t}}, c, t,
                           "    %zero = arith.constant " + zero + " : " + t +
                               "\n    %v = arith.add" + f + " %i0, %i1 : " + t +
                               "\n    %r = arith." + maximum + " %v, %zero : " + t + "\n");
      case Epilogue::scale_residual:
        return elementwise("%d", c, {{"%p", c, t}, {"%e", c, t}}, c, t,
                           "    %two = arith.constant " + std::string(is_integer() ? "2" : "2.0") +
                               " : " + t + "\n    %v = arith.mul" + f + " %i0, %two : " + t +
                               "\n    %r = arith.add" + f + " %v, %i1 : " + t + "\n");
      case Epilogue::narrowed:
        return elementwise("%d", c, {{"%p", c, t}}, c, "f16",
                           std::string("    %r = arith.") + (is_integer() ? "sitofp" : "truncf") +
                               " %i0 : " + t + " to f16\n");
      case Epilogue::row_bias_transposed:
        return elementwise("%d", d_dims(), {{"%p", c, t}, {"%e", "m", t}}, d_dims(), t,
                           "    %r = arith.add" + f + " %i0, %i1 : " + t + "\n");
    }
    return "";
  }

  std::string mlir() const {
    const std::string c_type = tensor(c_dims(), sum_type);
    std::string text = "func.func @product(%a: " + tensor(a_dims(), stored_a()) +
                       ", %b: " + tensor(b_dims(), stored_b());
    if (accumulates) text += ", %c: " + c_type;
    if (!extra_dims().empty()) text += ", %e: " + tensor(extra_dims(), sum_type);
    text += ") -> " + tensor(d_dims(), result_type()) + " {\n";
    if (!accumulates) {
      text += empty("%e0", c_dims(), sum_type) + "  %z = arith.constant " +
              (is_integer() ? "0" : "0.0") + " : " + sum_type +
              "\n  %c = linalg.fill ins(%z : " + sum_type + ") outs(%e0 : " + c_type + ") -> " +
              c_type + "\n";
    }
    text += produced("%h", "%a", a_dims(), producer, a_type) +
            produced("%g", "%b", b_dims(), b_producer, b_type) +
            contraction(producer == Producer::none ? "%a" : "%h",
                        b_producer == Producer::none ? "%b" : "%g") +
            after();
    const std::string result = epilogue == Epilogue::none ? "%p" : "%d";
    return text + "  return " + result + " : " + tensor(d_dims(), result_type()) + "\n}\n";
  }

  /// Elements of each argument in the function's order, and of the result.
  std::int64_t count(const std::string& dims) const {
    std::int64_t elements = 1;
    for (const char dim : dims)
      elements *= dim == 'm' ? m : dim == 'n' ? n : dim == 'k' ? k : batch;
    return elements;
  }
  /// Where the elements of a row-major array of `dims` lie: what one step of each loop adds.
  struct Strides {
    std::int64_t b = 0, m = 0, n = 0, k = 0;
    std::size_t at(std::int64_t batch, std::int64_t i, std::int64_t j, std::int64_t l) const {
      return static_cast<std::size_t>(batch * b + i * m + j * n + l * k);
    }
  };
  Strides strides(const std::string& dims) const {
    Strides result;
    std::int64_t step = 1;
    for (std::size_t at = dims.size(); at-- > 0;) {
      const char dim = dims[at];
      (dim == 'm' ? result.m : dim == 'n' ? result.n : dim == 'k' ? result.k : result.b) = step;
      step *= count(std::string(1, dim));
    }
    return result;
  }

  /// What is multiplied of an element x.
  double factor(double x, Producer what) const {
    if (what == Producer::halved) x /= 2;
    if (what == Producer::from_bytes || what == Producer::from_floats) x += 1;
    if (what == Producer::at_least_three) x = std::max(x, 3.0);
    return is_unsigned && x < 0 ? x + 256 : x;
  }

  /// D in float64, row-major by d_dims, from the arguments in float64 (A, B, C if it accumulates,
  /// the epilogue's matrix if it has one).
  std::vector<double> reference(const std::vector<std::vector<double>>& arguments) const;
};

}  // namespace heddle::compiler
