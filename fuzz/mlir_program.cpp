#include "mlir_program.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace heddle::fuzz {
namespace {

/// Numbers at which arithmetic in 32 or 64 bits, or a limit of ours, ends.
constexpr std::string_view extreme_sizes[] = {
    "0",          "65535",      "65536",      "1073741824",          "2147483647",
    "2147483648", "4294967295", "4294967296", "4611686018427387904", "9223372036854775807"};
constexpr std::string_view usual_sizes[] = {"1", "2", "3", "7", "8", "16", "17", "32", "64", "100"};
constexpr std::string_view types[] = {"f16", "bf16", "f32", "f64",      "i1",     "i4",       "i8",
                                      "i16", "i32",  "i64", "f8E4M3FN", "f8E5M2", "f8E8M0FNU"};

class Writer {
 public:
  explicit Writer(std::minstd_rand& random) : random_(random) {}

  std::string program() {
    has_batch_ = one_in(4);
    is_memref_ = one_in(3);
    std::string common = std::string(pick(types));
    for (Matrix* matrix : {&a_, &b_, &c_}) {
      matrix->type = one_in(5) ? std::string(pick(types)) : common;
      matrix->dims = dims(matrix == &a_ ? "mk" : matrix == &b_ ? "kn" : "mn");
    }
    if (!one_in(4)) c_.type = common[0] == 'i' ? "i32" : "f32";
    for (const char loop : {'b', 'm', 'n', 'k'}) sizes_.push_back({loop, one_in(6) ? "?" : size()});
    return one_in(3) ? named() : generic();
  }

  std::string plan() {
    constexpr std::string_view fields[] = {
        "block",   "warps",   "waves",     "stages",  "lds_buffers", "group",      "blocks",
        "split_k", "cluster", "consumers", "problem", "kernel",      "instruction"};
    std::string text;
    for (int count = below(5) + 1; count > 0; --count) {
      const std::string_view field = pick(fields);
      text += (text.empty() ? "" : ", ") + ("\"" + std::string(field) + "\": ");
      if (field == "instruction") {
        text += one_in(2) ? "\"\"" : "\"v_wmma_f32_16x16x16_f16\"";
        continue;
      }
      const int numbers = field == "block"                                             ? 3
                          : field == "warps" || field == "waves" || field == "cluster" ? 2
                                                                                       : 1;
      std::string list;
      for (int i = one_in(12) ? 0 : numbers; i > 0; --i)
        list += (list.empty() ? "" : ", ") + number();
      text += numbers == 1 && !one_in(8) && !list.empty() ? list : "[" + list + "]";
    }
    return "{" + text + "}";
  }

 private:
  struct Matrix {
    std::string type, dims;
  };
  struct Loop {
    char name;
    std::string size;
  };

  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool one_in(int count) { return below(count) == 0; }
  template <class List>
  std::string_view pick(const List& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(std::size(list))))];
  }
  std::string size() { return std::string(one_in(10) ? pick(extreme_sizes) : pick(usual_sizes)); }
  std::string number() {
    constexpr std::string_view odd[] = {"0", "-1", "1.5", "1e9", "null", "true", "\"4\"", "{}"};
    if (one_in(15)) return std::string(pick(odd));
    return one_in(8) ? size() : std::to_string(1 << below(9));
  }

  /// Loops in any order; now and then one is left out or comes twice.
  std::string dims(std::string loops) {
    if (has_batch_ && !one_in(4)) loops += 'b';
    std::shuffle(loops.begin(), loops.end(), random_);
    if (one_in(30)) loops.pop_back();
    if (one_in(40)) loops += loops.empty() ? 'm' : loops[0];
    return loops;
  }

  std::string size_of(char loop) {
    if (one_in(60)) return size();  // that does not agree
    return std::ranges::find(sizes_, loop, &Loop::name)->size;
  }

  std::string shaped(const Matrix& matrix) {
    std::string text;
    for (const char dim : matrix.dims) text += size_of(dim) + "x";
    text += matrix.type;
    if (is_memref_ && one_in(4)) {
      text += ", strided<[";
      for (std::size_t i = 0; i < matrix.dims.size(); ++i)
        text += (i == 0 ? "" : ", ") + (one_in(3) ? "1" : one_in(8) ? "?" : size());
      text += one_in(2) ? "]>" : "], offset: " + (one_in(8) ? "?" : size()) + ">";
    }
    return (is_memref_ ? "memref<" : "tensor<") + text + ">";
  }

  static std::string list(const std::string& names) {
    std::string text;
    for (const char name : names) text += (text.empty() ? "" : ", ") + std::string(1, name);
    return text;
  }

  /// The value `from` of type `type` as one of type `to`.
  std::string cast(const std::string& from, const std::string& type, const std::string& to,
                   std::string& body) {
    if (type == to) return from;
    const bool float_from = type[0] != 'i', float_to = to[0] != 'i';
    const auto bits = [](const std::string& name) {
      const std::size_t digit = name.find_first_of("0123456789");
      return name.starts_with("f8") ? 8 : std::stoi(name.substr(digit));
    };
    const bool wider = bits(to) > bits(type), is_unsigned = one_in(2);
    const std::string name = float_from && float_to ? (wider ? "extf" : "truncf")
                             : !float_from && !float_to
                                 ? (wider ? (is_unsigned ? "extui" : "extsi") : "trunci")
                             : float_to ? (is_unsigned ? "uitofp" : "sitofp")
                                        : (is_unsigned ? "fptoui" : "fptosi");
    const std::string result = next();
    body += "    " + result + " = arith." + name + " " + from + " : " + type + " to " + to + "\n";
    return result;
  }

  std::string binary(const std::string& name, const std::string& x, const std::string& y,
                     const std::string& type, std::string& body) {
    const std::string result = next();
    body += "    " + result + " = arith." + name + (type[0] == 'i' ? "i " : "f ") + x + ", " + y +
            " : " + type + "\n";
    return result;
  }

  std::string arguments() {
    return "(%a: " + a_text_ + ", %b: " + b_text_ + ", %c: " + c_text_ + extra_ + ")" +
           (is_memref_ ? "" : " -> " + c_text_);
  }

  void shapes() { a_text_ = shaped(a_), b_text_ = shaped(b_), c_text_ = shaped(c_); }

  std::string finish(const std::string& contraction) {
    const std::string to = is_memref_ ? "" : "%d = ", type = is_memref_ ? "" : " -> " + c_text_;
    std::string text = "  " + to + contraction + type + "\n";
    std::string last = is_memref_ ? "%c" : "%d";
    if (one_in(2)) text += epilogue(last);
    return "func.func @f" + arguments() + " {\n" + text + "  return" +
           (is_memref_ ? "" : " " + last + " : " + c_text_) + "\n}\n";
  }

  /// An elementwise operation on the result, and perhaps on another matrix.
  std::string epilogue(std::string& last) {
    const std::string names = c_.dims, map = "affine_map<(" + list(names) + ") -> (";
    const bool reads = one_in(2);
    Matrix extra{one_in(2) ? "i1" : std::string(pick(types)), c_.dims};
    if (one_in(3) && !extra.dims.empty()) extra.dims.pop_back();
    std::string body, value = "%s";
    std::string extra_text;
    if (reads) {
      extra_text = shaped(extra);
      extra_ = ", %e: " + extra_text;
      if (extra.type == "i1" && one_in(2)) {
        const std::string chosen = next();
        body += "    " + chosen + " = arith.select %v, %s, %o : " + c_.type + "\n";
        value = chosen;
      } else {
        value = binary(one_in(2) ? "add" : "mul", cast("%v", extra.type, c_.type, body), value,
                       c_.type, body);
      }
    }
    std::string parallel;
    for (std::size_t i = 0; i < names.size(); ++i)
      parallel += i == 0 ? "\"parallel\"" : ", \"parallel\"";
    const std::string maps = (reads ? map + list(extra.dims) + ")>, " : "") + map + list(names) +
                             ")>, " + map + list(names) + ")>";
    const std::string from = last;
    last = is_memref_ ? "%c" : "%r";
    return "  " + std::string(is_memref_ ? "" : "%r = ") + "linalg.generic {indexing_maps = [" +
           maps + "], iterator_types = [" + parallel + "]} ins(" + (reads ? "%e, " : "") + from +
           " : " + (reads ? extra_text + ", " : "") + c_text_ + ") outs(%c : " + c_text_ +
           ") {\n  ^bb0(" + (reads ? "%v: " + extra.type + ", " : "") + "%s: " + c_.type +
           ", %o: " + c_.type + "):\n" + body + "    linalg.yield " + value + " : " + c_.type +
           "\n  }" + (is_memref_ ? "" : " -> " + c_text_) + "\n";
  }

  std::string named() {
    if (!one_in(4)) a_.dims = "mk", b_.dims = "kn", c_.dims = "mn";
    shapes();
    return finish("linalg.matmul ins(%a, %b : " + a_text_ + ", " + b_text_ +
                  ") outs(%c : " + c_text_ + ")");
  }

  std::string generic() {
    shapes();
    std::string loops = has_batch_ ? "bmnk" : "mnk";
    std::shuffle(loops.begin(), loops.end(), random_);
    const std::string map = "affine_map<(" + list(loops) + ") -> (";
    std::string kinds, body;
    for (const char loop : loops)
      kinds +=
          std::string(kinds.empty() ? "" : ", ") + (loop == 'k' ? "\"reduction\"" : "\"parallel\"");
    const std::string product = binary("mul", cast("%x", a_.type, c_.type, body),
                                       cast("%y", b_.type, c_.type, body), c_.type, body);
    const std::string sum = binary("add", "%s", product, c_.type, body);
    return finish("linalg.generic {indexing_maps = [" + map + list(a_.dims) + ")>, " + map +
                  list(b_.dims) + ")>, " + map + list(c_.dims) + ")>], iterator_types = [" + kinds +
                  "]} ins(%a, %b : " + a_text_ + ", " + b_text_ + ") outs(%c : " + c_text_ +
                  ") {\n  ^bb0(%x: " + a_.type + ", %y: " + b_.type + ", %s: " + c_.type + "):\n" +
                  body + "    linalg.yield " + sum + " : " + c_.type + "\n  }");
  }

  std::string next() { return "%t" + std::to_string(count_++); }

  std::minstd_rand& random_;
  bool has_batch_ = false, is_memref_ = false;
  Matrix a_, b_, c_;
  std::string a_text_, b_text_, c_text_, extra_;
  std::vector<Loop> sizes_;
  int count_ = 0;
};

}  // namespace

std::string any_program(std::minstd_rand& random) { return Writer(random).program(); }

std::string any_plan(std::minstd_rand& random) { return Writer(random).plan(); }

}  // namespace heddle::fuzz
