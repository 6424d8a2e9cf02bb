// MLIR texts of products in every form, with what each must compute, said in plain C++: the witness
// that does not share a line with the compiler.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace heddle::compiler {

enum class Style { named, generic };
/// What is done to each element x of A or B: x / 2; x + 1 of an i8, an f32 or an f8E4M3FN argument;
/// max(x, 3).
/// With elements of further matrices: ((x >> 6) - z) * s of an i8 argument, or ((x >> 2) - z) * s
/// of an i4 one, z and s for each row of A or column of B, or for each of them and each group of k;
/// x * s[k]; x * y of a matrix y that lies transposed; x where a mask holds, else 1/2; max(x, z) of
/// integers, z as above.
enum class Producer {
  none,
  halved,
  from_bytes,
  from_floats,
  from_small_floats,
  at_least_three,
  dequantised,
  dequantised_in_groups,
  scaled_along_k,
  times_matrix,
  masked,
  at_least
};
enum class Epilogue { none, relu, bias_relu, scale_residual, narrowed, row_bias_transposed };

/// One product; the element of D at (batch, m, n) is
///   epilogue(initial + sum over k of producer(A[batch, m, k]) * b_producer(B[batch, k, n]))
struct ProductText {
  std::int64_t m = 42, n = 64, k = 32;
  std::int64_t batch = 0;  // 0: none
  std::string a_type = "f16", b_type = "f16", sum_type = "f32";
  std::string narrow_type = "f16";  // of Epilogue::narrowed
  bool a_transposed = false, b_transposed = false, c_transposed = false;
  bool is_unsigned = false;
  bool accumulates = false;
  Style style = Style::generic;
  Producer producer = Producer::none, b_producer = Producer::none;
  std::int64_t group = 1;    // of k, where one has z and s of its own; divides k
  bool has_nibbles = false;  // dequantised elements are i4, not i8
  Epilogue epilogue = Epilogue::none;
  unsigned dynamic = 0;                       // bits: m, n, k, batch
  std::array<int, 4> loop_order{0, 1, 2, 3};  // of batch, m, n, k

  bool is_integer() const { return sum_type.starts_with("i"); }
  std::string quantised() const { return has_nibbles ? "i4" : "i8"; }
  std::string stored(Producer from, const std::string& type) const {
    if (from == Producer::dequantised || from == Producer::dequantised_in_groups)
      return quantised();
    if (from == Producer::from_bytes) return "i8";
    if (from == Producer::from_small_floats) return "f8E4M3FN";
    return from == Producer::from_floats ? "f32" : type;
  }
  std::string stored_a() const { return stored(producer, a_type); }
  std::string stored_b() const { return stored(b_producer, b_type); }
  std::string result_type() const {
    return epilogue == Epilogue::narrowed ? narrow_type : sum_type;
  }

  std::string size(char loop) const {
    const std::string names = "mnkb";
    const std::array<std::int64_t, 4> sizes{m, n, k, batch};
    const std::size_t at = names.find(loop);
    if (at == std::string::npos) return std::to_string(count(std::string(1, loop)));
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

  /// A matrix beside A or B; g among its dimensions counts the groups of k.
  struct Further {
    std::string name, dims, type;
  };
  std::vector<Further> further(bool is_a) const {
    const std::string& type = is_a ? a_type : b_type;
    const std::string name = is_a ? "%a" : "%b", outer = is_a ? "m" : "n";
    const std::string dims = is_a ? a_dims() : b_dims();
    const bool transposed = is_a ? a_transposed : b_transposed;
    std::string turned = dims;
    std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
    switch (is_a ? producer : b_producer) {
      case Producer::dequantised:
        return {{name + "z", outer, type}, {name + "s", with_batch(outer), type}};
      case Producer::dequantised_in_groups: {
        const std::string both = transposed ? "g" + outer : outer + "g";
        return {{name + "z", both, type}, {name + "s", both, type}};
      }
      case Producer::scaled_along_k:
        return {{name + "s", "k", type}};
      case Producer::times_matrix:
        return {{name + "y", turned, type}};
      case Producer::masked:
        return {{name + "x", dims, "i1"}};
      case Producer::at_least:
        return {{name + "z", outer, type}};
      default:
        return {};
    }
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

  // The sizes of `dims`, of which `text` computes the dynamic ones as `name`_m and so on.
  std::vector<std::string> sizes_of(const std::string& name, const std::string& dims,
                                    std::string& text) const {
    std::vector<std::string> sizes;
    for (const char dim : dims) {
      sizes.push_back(size(dim));
      if (sizes.back() != "?") continue;
      const bool in_a = a_dims().find(dim) != std::string::npos;
      const std::size_t at = in_a ? a_dims().find(dim) : b_dims().find(dim);
      const std::string value = name + "_" + dim;
      text += "  " + value + "_i = arith.constant " + std::to_string(at) + " : index\n  " + value +
              " = tensor.dim " + (in_a ? "%a, " : "%b, ") + value +
              "_i : " + (in_a ? tensor(a_dims(), stored_a()) : tensor(b_dims(), stored_b())) + "\n";
      sizes.back() = value;
    }
    return sizes;
  }

  std::string empty(const std::string& name, const std::string& dims,
                    const std::string& element) const {
    std::string text, dynamic_sizes;
    for (const std::string& one : sizes_of(name, dims, text))
      if (one.starts_with("%")) dynamic_sizes += (dynamic_sizes.empty() ? "" : ", ") + one;
    return text + "  " + name + " = tensor.empty(" + dynamic_sizes +
           ") : " + tensor(dims, element) + "\n";
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

  std::string body_of(Producer what, const std::string& type) const {
    const std::string one = "    %one = arith.constant 1.0 : " + type + "\n    %f = arith.";
    const std::string sum = " to " + type + "\n    %r = arith.addf %f, %one : " + type + "\n";
    switch (what) {
      case Producer::halved:
        return "    %half = arith.constant 0.5 : " + type +
               "\n    %r = arith.mulf %i0, %half : " + type + "\n";
      case Producer::from_bytes:
        return one + "sitofp %i0 : i8" + sum;
      case Producer::from_small_floats:
        return one + "extf %i0 : f8E4M3FN" + sum;
      case Producer::from_floats:
        return one + "truncf %i0 : f32" + sum;
      case Producer::dequantised:
      case Producer::dequantised_in_groups:
        return "    %bits = arith.constant " + std::string(has_nibbles ? "2 : " : "6 : ") +
               quantised() + "\n    %v = arith.shrsi %i0, %bits : " + quantised() +
               "\n    %f = arith.sitofp %v : " + quantised() + " to " + type +
               "\n    %w = arith.subf %f, %i1 : " + type +
               "\n    %r = arith.mulf %w, %i2 : " + type + "\n";
      case Producer::scaled_along_k:
      case Producer::times_matrix:
        return "    %r = arith.mulf %i0, %i1 : " + type + "\n";
      case Producer::masked:
        return "    %half = arith.constant 0.5 : " + type +
               "\n    %r = arith.select %i1, %i0, %half : " + type + "\n";
      case Producer::at_least:
        return "    %r = arith.maxsi %i0, %i1 : " + type + "\n";
      default:
        return "    %three = arith.constant 3 : i8\n    %r = arith.maxsi %i0, %three : i8\n";
    }
  }

  /// The operations on `argument` that make `result` of it, if there are any.
  std::string produced(const std::string& result, bool is_a) const {
    const Producer what = is_a ? producer : b_producer;
    if (what == Producer::none) return "";
    const std::string& type = is_a ? a_type : b_type;
    const std::string argument = is_a ? "%a" : "%b", dims = is_a ? a_dims() : b_dims();
    const auto of_loops = [&](const std::string& to, const std::string& from,
                              const std::string& loops) {
      std::vector<std::array<std::string, 3>> ins{{from, loops, stored(what, type)}};
      for (const Further& one : further(is_a)) ins.push_back({one.name, one.dims, one.type});
      return elementwise(to, loops, ins, loops, type, body_of(what, type));
    };
    if (what != Producer::dequantised_in_groups) return of_loops(result, argument, dims);
    // k as g groups of j: the dimensions of both, and what makes them of those of the argument.
    std::string split = dims, parts, text, shape;
    split.replace(split.find('k'), 1, "gj");
    for (std::size_t at = 0; at < split.size(); ++at)
      parts += (at == 0 ? "[" : split[at] == 'j' ? ", " : "], [") + std::to_string(at);
    for (const std::string& one : sizes_of(result + "_x", split, text))
      shape += (shape.empty() ? "" : ", ") + one;
    const std::string both = " [" + parts + "]] ";
    text += "  " + result + "_s = tensor.expand_shape " + argument + both + "output_shape [" +
            shape + "] : " + tensor(dims, quantised()) + " into " + tensor(split, quantised()) +
            "\n";
    return text + of_loops(result + "_g", result + "_s", split) + "  " + result +
           " = tensor.collapse_shape " + result + "_g" + both + ": " + tensor(split, type) +
           " into " + tensor(dims, type) + "\n";
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
        return elementwise("%d", c, {{"%p", c, t}}, c, narrow_type,
                           std::string("    %r = arith.") + (is_integer() ? "sitofp" : "truncf") +
                               " %i0 : " + t + " to " + narrow_type + "\n");
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
    for (const bool is_a : {true, false})
      for (const Further& one : further(is_a))
        text += ", " + one.name + ": " + tensor(one.dims, one.type);
    text += ") -> " + tensor(d_dims(), result_type()) + " {\n";
    if (!accumulates) {
      text += empty("%e0", c_dims(), sum_type) + "  %z = arith.constant " +
              (is_integer() ? "0" : "0.0") + " : " + sum_type +
              "\n  %c = linalg.fill ins(%z : " + sum_type + ") outs(%e0 : " + c_type + ") -> " +
              c_type + "\n";
    }
    text += produced("%h", true) + produced("%g", false) +
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
      elements *= dim == 'm'   ? m
                  : dim == 'n' ? n
                  : dim == 'k' ? k
                  : dim == 'g' ? k / group
                  : dim == 'j' ? group
                               : batch;
    return elements;
  }
  /// Where the elements of a row-major array of `dims` lie: what one step of each loop adds.
  struct Strides {
    std::int64_t b = 0, m = 0, n = 0, k = 0;
    std::int64_t group = 1, groups = 0;  // k of a group, and the step from one to the next
    std::size_t at(std::int64_t item, std::int64_t i, std::int64_t j, std::int64_t l) const {
      return static_cast<std::size_t>(item * b + i * m + j * n + l * k + l / group * groups);
    }
  };
  Strides strides(const std::string& dims) const {
    Strides result;
    result.group = group;
    std::int64_t step = 1;
    for (std::size_t at = dims.size(); at-- > 0;) {
      const char dim = dims[at];
      (dim == 'm'   ? result.m
       : dim == 'n' ? result.n
       : dim == 'k' ? result.k
       : dim == 'g' ? result.groups
                    : result.b) = step;
      step *= count(std::string(1, dim));
    }
    return result;
  }

  /// What is multiplied of an element x beside which the further matrices have `others`.
  double factor(double x, Producer what, const std::vector<double>& others) const {
    if (what == Producer::halved) x /= 2;
    if (what == Producer::from_bytes || what == Producer::from_floats ||
        what == Producer::from_small_floats)
      x += 1;
    if (what == Producer::at_least_three) x = std::max(x, 3.0);
    if (what == Producer::dequantised || what == Producer::dequantised_in_groups)
      x = (std::floor(x / (has_nibbles ? 4 : 64)) - others[0]) * others[1];
    if (what == Producer::scaled_along_k || what == Producer::times_matrix) x *= others[0];
    if (what == Producer::masked && others[0] == 0) x = 0.5;
    if (what == Producer::at_least) x = std::max(x, others[0]);
    return is_unsigned && x < 0 ? x + 256 : x;
  }

  /// D in float64, row-major by d_dims, from the arguments in float64 (A, B, C if it accumulates,
  /// the epilogue's matrix if it has one, the further ones of A and of B).
  std::vector<double> reference(const std::vector<std::vector<double>>& arguments) const;
};

// RapidCheck prints a case that fails by it.
inline void showValue(const ProductText& text, std::ostream& out) { out << text.mlir(); }

}  // namespace heddle::compiler
