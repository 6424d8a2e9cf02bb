#include "runtime/launch/text.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "heddle/instruction/target.h"
#include "library/text/formatted.h"
#include "runtime/launch/formula.h"
#include "runtime/launch/reader.h"

namespace heddle::runtime {

std::int64_t Tensor::elements() const { return rows() * columns(); }

std::int64_t Tensor::rows() const {
  std::int64_t product = 1;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) product *= sizes[i];
  return product;
}

std::int64_t Tensor::columns() const { return sizes.back(); }

std::int64_t Tensor::span() const { return (rows() - 1) * pitch + columns(); }

const Tensor* LaunchText::find_tensor(std::string_view wanted) const {
  const auto found = std::ranges::find(tensors, wanted, &Tensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

const Scalar* LaunchText::find_scalar(std::string_view wanted) const {
  const auto found = std::ranges::find(scalars, wanted, &Scalar::name);
  return found == scalars.end() ? nullptr : &*found;
}

const ArrayMap* LaunchText::find_map(std::string_view wanted) const {
  const auto found = std::ranges::find(maps, wanted, &ArrayMap::name);
  return found == maps.end() ? nullptr : &*found;
}

namespace {

constexpr std::array<std::string_view, 6> statements{"kernel", "grid",      "block",
                                                     "lds",    "arguments", "expect"};
constexpr std::array<std::string_view, 7> initial_words{"random", "exact", "zero",  "iota",
                                                        "file",   "pitch", "inside"};
constexpr std::int64_t largest_size = std::int64_t{1} << 28;
constexpr std::int64_t largest_grid = 0x7fffffff;
// The most dynamic shared memory that any processor allows a workgroup. The launch file does not
// name a target, so the device checks its own limit later.
constexpr std::int64_t largest_dynamic =
    std::ranges::max(instruction::processor_rows, {}, &instruction::ProcessorRow::shared_bytes)
        .shared_bytes;
constexpr std::ptrdiff_t most_references = 4;
constexpr std::size_t most_tensors = 64, most_scalars = 1024, most_arguments = 256,
                      most_expectations = 64, most_launches = 64;
constexpr std::int64_t most_addresses = 65536;
constexpr std::string_view pointer_type = "pointer";

class LaunchParser {
 public:
  std::expected<LaunchText, LaunchError> parse(std::string_view text) {
    if (text.size() > (std::size_t{1} << 20))
      return std::unexpected(LaunchError{{}, "a launch file has at most 1 MiB"});
    std::size_t line = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (auto error = parse_line(text.substr(0, end), ++line)) return std::unexpected(*error);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (auto error = check_whole(std::max<std::size_t>(line, 1))) return std::unexpected(*error);
    return std::move(launch_);
  }

 private:
  std::optional<LaunchError> parse_line(std::string_view text, std::size_t line) {
    LineReader in(text.substr(0, comment_begin(text)), line);
    if (in.at_end()) return {};
    const TextPlace begin = in.place();
    const std::string first(in.word());
    if (in.take("="))
      read_value(in, first, begin);
    else
      read_statement(in, first, begin);
    if (!in.failed()) in.expect_end("this");
    return in.failed() ? std::optional(in.error()) : std::nullopt;
  }

  /// The position of the # that begins a comment. A # inside quotes begins none.
  static std::size_t comment_begin(std::string_view text) {
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '"') quoted = !quoted;
      if (text[i] == '#' && !quoted) return i;
    }
    return text.size();
  }

  void read_statement(LineReader& in, const std::string& word, TextPlace begin) {
    const bool known = std::ranges::find(statements, word) != statements.end();
    if (word == "kernel" && has_seen("arguments") && !begin_next(in, begin)) return;
    if (known && word != "expect") {
      if (has_seen(word))
        return in.fail_at(begin, "a second line '" + word +
                                     "'; a launch has one of each, and the next launch begins with "
                                     "its line 'kernel'");
      seen_.push_back(word);
    }
    if (word == "kernel") {
      current().kernel_place = in.place();
      current().kernel =
          in.file_name("the name of a kernel");  // a mangled or quoted name is no word
    } else if (word == "grid") {
      current().grid = read_sizes(in, "workgroups", largest_grid);
    } else if (word == "block") {
      current().block = read_block(in);
    } else if (word == "lds") {
      current().lds_bytes =
          static_cast<std::uint32_t>(in.count("the bytes of dynamic LDS", 0, largest_dynamic));
    } else if (word == "arguments") {
      current().arguments_place = begin;
      current().arguments = read_arguments(in);
    } else if (word == "expect") {
      read_expectation(in);
    } else if (word.empty()) {
      in.fail_at(begin,
                 "a line begins with a name and '=', or with kernel, grid, block, lds, "
                 "arguments or expect");
    } else {
      in.fail_at(begin, "no statement '" + word + "'" +
                            did_you_mean(word, statements,
                                         "there are kernel, grid, block, lds, arguments, expect "
                                         "and 'NAME = TYPE…'"));
    }
  }

  KernelLaunch& current() { return launch_.launches.back(); }

  bool has_seen(std::string_view word) const {
    return std::ranges::find(seen_, word) != seen_.end();
  }

  /// Begins the next launch. This happens at a line 'kernel' that follows the arguments of a
  /// launch.
  bool begin_next(LineReader& in, TextPlace begin) {
    if (launch_.launches.size() == most_launches) {
      in.fail_at(begin, "a launch file has at most 64 launches");
      return false;
    }
    launch_.launches.emplace_back();
    seen_.clear();
    return true;
  }

  static std::array<std::uint32_t, 3> read_sizes(LineReader& in, const std::string& of,
                                                 std::int64_t most) {
    std::array<std::uint32_t, 3> sizes{1, 1, 1};
    for (std::size_t i = 0; i < 3 && (i == 0 || in.next_is_number()); ++i)
      sizes[i] = static_cast<std::uint32_t>(in.count("a number of " + of, 1, most));
    return sizes;
  }

  static std::array<std::uint32_t, 3> read_block(LineReader& in) {
    const TextPlace begin = in.place();
    const auto block = read_sizes(in, "threads", 1024);
    if (std::uint64_t{block[0]} * block[1] * block[2] > 1024)
      in.fail_at(begin, "a block has at most 1024 threads in all");
    return block;
  }

  std::vector<WrittenArgument> read_arguments(LineReader& in) {
    std::vector<WrittenArgument> arguments;
    while (!in.failed() && !in.at_end()) {
      if (arguments.size() == most_arguments) in.fail("expected no more than 256 arguments");
      WrittenArgument argument{in.place(), "", {}};
      if (in.next_is_number())
        argument.number = in.number("a number");
      else
        argument.name = in.name("the name of an array or a number");
      if (argument.name == "grid" || argument.name == "block" || argument.name == "tolerance") {
        in.fail_at(argument.place, "'" + argument.name +
                                       "' goes before the arguments, which end "
                                       "the line");
      }
      arguments.push_back(std::move(argument));
    }
    return arguments;
  }

  void read_value(LineReader& in, const std::string& name, TextPlace place) {
    if (name.empty()) return in.fail_at(place, "expected a name before '='");
    if (std::ranges::find(statements, name) != statements.end())
      return in.fail_at(place, "'" + name +
                                   "' begins a statement and is no name: write it without "
                                   "'=', or choose another name");
    if (launch_.find_tensor(name) || launch_.find_scalar(name) || launch_.find_map(name))
      return in.fail_at(place, "'" + name + "' is declared twice");
    const TextPlace type_place = in.place();
    const std::string type_name = in.name("a type, such as f16 or i32");
    if (in.failed()) return;
    if (type_name == pointer_type && in.peek() == '[')
      return read_tensor(in, name, place, NumberType::u64, true);
    if (type_name == "map") return read_map(in, name, place);
    const NumberRow* type = find_number_type(type_name);
    if (!type) return in.fail_at(type_place, no_type(type_name));
    if (in.peek() == '[') return read_tensor(in, name, place, type->type, false);
    if (launch_.scalars.size() == most_scalars)
      return in.fail_at(place, "a launch file has at most 1024 numbers with names");
    Scalar scalar{name, place, type->type, {}};
    do scalar.values.push_back(in.number("the value, or [sizes] of an array"));
    while (!in.failed() && !in.at_end() && scalar.values.size() < 64);
    launch_.scalars.push_back(std::move(scalar));
  }

  /// Reads a tensor map: "map A box 8x64 swizzle 128 fill nan".
  void read_map(LineReader& in, const std::string& name, TextPlace place) {
    ArrayMap map{.name = name, .place = place, .tensor = {}, .box = {}};
    const TextPlace begin = in.place();
    map.tensor = in.name("the array of the map");
    const Tensor* tensor = launch_.find_tensor(map.tensor);
    if (!in.failed() && !tensor)
      return in.fail_at(begin, undeclared(map.tensor, " above this line"));
    if (!in.failed() && !in.take_word("box")) return in.fail("expected 'box' and its sizes");
    do map.box.push_back(in.count("a size of the box", 1, 256));
    while (!in.failed() && (in.take("x") || in.take(",")));
    if (!in.failed() && map.box.size() != tensor->sizes.size())
      return in.fail_at(place, formatted("a box has as many sizes as its array: '{}' has {}",
                                         map.tensor, tensor->sizes.size()));
    if (in.take_word("swizzle"))
      map.swizzle_bytes = static_cast<std::uint32_t>(in.count("the bytes of the swizzle", 0, 128));
    if (in.take_word("fill")) {
      map.fills_nan = in.take_word("nan");
      if (!map.fills_nan && !in.take_word("zero")) return in.fail("expected zero or nan");
    }
    if (in.failed()) return;
    if (launch_.maps.size() == most_tensors)
      return in.fail_at(place, "a launch file has at most 64 tensor maps");
    launch_.maps.push_back(std::move(map));
  }

  /// Refuses a number that the type cannot hold: memory would have a different number.
  static void check_range(LineReader& in, NumberType type, const WrittenNumber& number,
                          TextPlace place) {
    const NumberRow& types = row(type);
    if (types.precision > 0) {
      const double largest = largest_finite(type);
      if (std::abs(number.value) <= largest) return;
      std::ostringstream text;
      text << types.name << " holds numbers from " << -largest << " to " << largest;
      return in.fail_at(place, text.str());
    }
    const int bits = 8 * types.bytes;
    if (number.is_integer || number.integer != 0) {
      const auto stored = wrapped(type, static_cast<std::uint64_t>(number.integer));
      if (static_cast<std::int64_t>(stored) == number.integer &&
          (types.is_signed ? number.is_integer : number.value >= 0))
        return;
    }
    const std::uint64_t half = std::uint64_t{1} << (bits - 1);
    const std::string least = types.is_signed ? integer_text(type, half) : "0";
    const std::string most = integer_text(type, types.is_signed ? half - 1 : half - 1 + half);
    in.fail_at(place, std::string(types.name) + " holds integers from " + least + " to " + most);
  }

  static std::string no_type(const std::string& name) {
    std::vector<std::string_view> names;
    std::string all;
    for (const NumberRow& row : number_rows) {
      names.push_back(row.name);
      all += (all.empty() ? "" : " ") + std::string(row.name);
    }
    constexpr std::array<std::array<std::string_view, 2>, 8> other_names{{{"half", "f16"},
                                                                          {"float", "f32"},
                                                                          {"double", "f64"},
                                                                          {"int", "i32"},
                                                                          {"long", "i64"},
                                                                          {"float16", "f16"},
                                                                          {"float32", "f32"},
                                                                          {"int8", "i8"}}};
    for (const auto& [other, here] : other_names)
      if (name == other) return "no type '" + name + "'; it is " + std::string(here) + " here";
    return "no type '" + name + "'" + did_you_mean(name, names, "the types are " + all);
  }

  void read_tensor(LineReader& in, const std::string& name, TextPlace place, NumberType type,
                   bool of_pointers) {
    Tensor tensor;
    tensor.name = name;
    tensor.place = place;
    tensor.type = type;
    in.expect("[", "");
    do {
      if (tensor.sizes.size() == 4) return in.fail("expected at most 4 sizes");
      tensor.sizes.push_back(in.count("a size", 1, largest_size));
    } while (!in.failed() && (in.take("x") || in.take(",")));
    in.expect("]", " behind the sizes, which an x divides, as in f16[64x128]");
    if (in.failed()) return;
    if (launch_.tensors.size() == most_tensors)
      return in.fail_at(place, "a launch file has at most 64 arrays");
    tensor.pitch = tensor.columns();
    if (of_pointers)
      read_addresses(in, tensor);
    else
      read_details(in, tensor);
    if (in.failed() || !fits(in, tensor)) return;
    launch_.tensors.push_back(std::move(tensor));
  }

  /// Reads the elements of an array of pointers. "A B at 64 0" gives an address for each. "A step
  /// 4096" gives the addresses of elements 0, 4096, 8192, … of A.
  void read_addresses(LineReader& in, Tensor& tensor) {
    tensor.initial = InitialValue::addresses;
    const std::int64_t wanted = tensor.sizes.size() == 1 ? tensor.sizes[0] : 0;
    if (wanted == 0) return in.fail_at(tensor.place, "an array of pointers has one size");
    addresses_ += wanted;
    if (addresses_ > most_addresses)
      return in.fail_at(tensor.place, "a launch file has at most 65536 pointers in arrays");
    std::int64_t step = 0;
    while (!in.failed() && !in.at_end()) {
      WrittenAddress address{in.place(), "", 0};
      if (in.next_is_number()) {
        const WrittenNumber number = in.number("0");
        if (!in.failed() && !(number.is_integer && number.integer == 0))
          in.fail_at(address.place, "a pointer is the name of an array, or 0, the null pointer");
      } else {
        address.tensor = in.name("the array that the pointer points into");
        if (in.failed()) return;
        if (in.take_word("at")) address.first = in.count("the element", 0, largest_size);
        if (tensor.addresses.empty() && in.take_word("step"))
          step = in.count("the elements from pointer to pointer", 1, largest_size);
      }
      if (!in.failed()) add_address(in, tensor, std::move(address));
    }
    if (in.failed()) return;
    for (std::int64_t i = 1; step > 0 && i < wanted && !in.failed(); ++i) {
      WrittenAddress next = tensor.addresses.front();
      next.first += i * step;
      add_address(in, tensor, std::move(next));
    }
    if (in.failed() || std::ssize(tensor.addresses) == wanted) return;
    in.fail_at(tensor.place,
               formatted("'{}' has {} pointers, and behind it stand {}: name an array for each, or "
                         "one with 'step N', the elements from each to the next",
                         tensor.name, wanted, tensor.addresses.size()));
  }

  void add_address(LineReader& in, Tensor& tensor, WrittenAddress address) {
    if (!address.tensor.empty()) {
      const Tensor* to = launch_.find_tensor(address.tensor);
      if (!to) return in.fail_at(address.place, undeclared(address.tensor, " above this line"));
      if (address.first >= to->span())
        return in.fail_at(address.place, formatted("element {} of '{}', which has {}",
                                                   address.first, to->name, to->span()));
    }
    tensor.addresses.push_back(std::move(address));
  }

  void read_details(LineReader& in, Tensor& tensor) {
    bool has_pitch = false;
    while (!in.failed() && !in.at_end()) {
      const TextPlace begin = in.place();
      if (in.next_is_number()) {
        WrittenNumber written = in.number("a value");
        if (!written.is_integer && written.integer == 0 && std::abs(written.value) < 0x1p63 &&
            written.value == std::nearbyint(written.value)) {  // 1e6
          written.is_integer = true;
          written.integer = static_cast<std::int64_t>(written.value);
        }
        if (!in.failed()) check_range(in, tensor.type, written, begin);
        tensor.number = written.value;
        tensor.integer = written.integer;
        set_initial(in, tensor, InitialValue::number, begin);
        continue;
      }
      const std::string word(in.word());
      if (word == "pitch") {
        has_pitch = true;
        tensor.pitch =
            in.count("the pitch, elements from row to row,", tensor.columns(), largest_size);
      } else if (word == "inside") {
        read_window(in, tensor);
      } else if (word == "random" || word == "exact") {
        set_initial(in, tensor, word == "random" ? InitialValue::random : InitialValue::exact,
                    begin);
        tensor.seed = launch_.tensors.size() + 1;
        if (in.take_word("seed"))
          tensor.seed = static_cast<std::uint64_t>(in.count("the seed", 0, std::int64_t{1} << 48));
      } else if (word == "zero") {
        set_initial(in, tensor, InitialValue::number, begin);
      } else if (word == "iota") {
        set_initial(in, tensor, InitialValue::iota, begin);
      } else if (word == "file") {
        set_initial(in, tensor, InitialValue::file, begin);
        tensor.file_place = in.place();
        tensor.file = in.file_name();
      } else {
        in.fail_at(begin, word.empty()
                              ? std::string("expected random, exact, zero, iota, a number, file, "
                                            "pitch or inside")
                              : "no word '" + word + "' for an array" +
                                    did_you_mean(
                                        word, initial_words,
                                        "there are random [seed N], exact [seed N], zero, iota, a "
                                        "number, file NAME, pitch N and inside NAME at N"));
      }
    }
    if (!in.failed() && !has_pitch && !tensor.inside.empty())
      if (const Tensor* whole = launch_.find_tensor(tensor.inside); whole->sizes.size() > 1)
        tensor.pitch = std::max(whole->pitch, tensor.pitch);
  }

  static void set_initial(LineReader& in, Tensor& tensor, InitialValue initial, TextPlace place) {
    if (tensor.initial != InitialValue::none)
      in.fail_at(place, "'" + tensor.name + "' has an initial value already");
    tensor.initial = initial;
  }

  /// "inside WHOLE at FIRST".
  void read_window(LineReader& in, Tensor& tensor) {
    const TextPlace begin = in.place();
    tensor.inside = in.name("the array whose memory this one is a window of");
    if (in.failed()) return;
    const Tensor* whole = launch_.find_tensor(tensor.inside);
    if (!whole) return in.fail_at(begin, undeclared(tensor.inside, " above this line"));
    if (!whole->inside.empty())
      return in.fail_at(begin, "'" + tensor.inside + "' is a window itself; give '" +
                                   whole->inside + "', whose memory it is");
    if (whole->type != tensor.type)
      return in.fail_at(begin, "'" + tensor.inside + "' has elements of " +
                                   std::string(name(whole->type)) + "; a window has the same");
    if (in.take_word("at")) tensor.first = in.count("the first element", 0, largest_size);
  }

  /// True if the array's size is possible; otherwise reports an error.
  bool fits(LineReader& in, const Tensor& tensor) {
    std::int64_t elements = 1;
    for (const std::int64_t size : tensor.sizes) {
      elements *= size;
      if (elements > largest_size) break;
    }
    const std::int64_t bytes = row(tensor.type).bytes;
    const bool countable =
        elements <= largest_size && tensor.rows() <= (most_tensor_bytes / bytes) / tensor.pitch + 1;
    if (!countable || (bytes_ + tensor.span() * bytes > most_tensor_bytes)) {
      in.fail_at(tensor.place, "the arrays have more than 1 GiB in all");
      return false;
    }
    if (tensor.inside.empty()) {
      bytes_ += tensor.span() * bytes;
      return true;
    }
    if (tensor.initial != InitialValue::none) {
      in.fail_at(tensor.place, "'" + tensor.name + "' is a window: '" + tensor.inside +
                                   "' holds the initial value");
      return false;
    }
    const Tensor& whole = *launch_.find_tensor(tensor.inside);
    if (tensor.first + tensor.span() <= whole.span()) return true;
    in.fail_at(tensor.place, formatted("'{}' ends at element {} of '{}', which has {}", tensor.name,
                                       tensor.first + tensor.span(), tensor.inside, whole.span()));
    return false;
  }

  std::string undeclared(const std::string& wanted, const std::string& where = "") const {
    return "nothing is named '" + wanted + "'" + where +
           did_you_mean(wanted, declared_names(launch_));
  }

  void read_expectation(LineReader& in) {
    Expectation expectation{in.place(), in.name("the array that is judged"), Expression{}, {}, {}};
    const Tensor* result = launch_.find_tensor(expectation.result);
    if (!in.failed() && !result)
      return in.fail_at(expectation.place, undeclared(expectation.result, " above this line"));
    in.expect("=", " between the result and what it must be");
    if (in.failed()) return;
    judged_ += result->elements();
    if (result->initial == InitialValue::addresses)
      return in.fail_at(expectation.place, "'" + result->name +
                                               "' holds pointers, which differ from "
                                               "device to device; judge what they point to");
    if (++expectations_ > most_expectations || judged_ > most_judged_elements)
      return in.fail_at(expectation.place,
                        "a launch file has at most 64 lines 'expect', which judge at most 2^26 "
                        "elements in all");
    if (in.take_word("kernel")) {
      expectation.reference = read_reference(in, expectation.tolerance);
    } else {
      const TextPlace begin = in.place();
      FormulaReader formula(in, launch_);
      expectation.reference = formula.read();
      if (in.failed()) return;
      work_ += formula.work();
      if (work_ > most_formula_work)
        return in.fail_at(begin,
                          "the formulas of a launch file take at most 2^38 multiplications in all, "
                          "and these take more; judge with a reference kernel");
      const MatrixSize size = formula.size();
      const MatrixSize wanted{result->rows(), result->columns()};
      if (size != wanted && size != MatrixSize{})
        return in.fail_at(begin, "the formula gives " + text(size) + ", and '" + result->name +
                                     "' is " + text(wanted));
      read_limits(in, expectation);
    }
    current().expectations.push_back(std::move(expectation));
  }

  static std::string text(MatrixSize size) { return formatted("{}x{}", size.rows, size.columns); }

  /// Reads the limits that may follow a formula: "sums f16", "tolerance 1e-3".
  static void read_limits(LineReader& in, Expectation& expectation) {
    while (!in.failed() && !in.at_end()) {
      const bool is_tolerance = in.take_word("tolerance");
      if (!is_tolerance && !in.take_word("sums"))
        return in.fail(
            "expected sums TYPE, tolerance NUMBER or the end of the line after the formula");
      const TextPlace begin = in.place();
      if (is_tolerance) {
        expectation.tolerance = in.number("the tolerance").value;
        if (*expectation.tolerance < 0) in.fail_at(begin, "a tolerance is not negative");
        continue;
      }
      const NumberRow* type = find_number_type(in.name("f16, bf16, f32 or f64"));
      if (in.failed()) return;
      if (!type || type->precision == 0 || type->bytes < 2)
        return in.fail_at(begin, "sums are in f16, bf16, f32 or f64");
      expectation.sums = type->type;
    }
  }

  ReferenceKernel read_reference(LineReader& in, std::optional<double>& tolerance) {
    ReferenceKernel reference;
    reference.place = in.place();
    if (++references_ > most_references)
      in.fail("a launch file has at most 4 reference kernels: each of them is a run");
    reference.kernel = in.name("the name of the reference kernel");
    while (!in.failed() && !in.at_end()) {
      const TextPlace begin = in.place();
      if (in.take_word("in"))
        reference.file = in.file_name();
      else if (in.take_word("grid"))
        reference.grid = read_sizes(in, "workgroups", largest_grid);
      else if (in.take_word("block"))
        reference.block = read_block(in);
      else if (in.take_word("tolerance"))
        tolerance = in.number("the tolerance").value;
      else if (in.take_word("arguments"))
        reference.arguments = read_arguments(in);
      else
        in.fail_at(begin, "expected in FILE, grid, block, tolerance or arguments");
    }
    return reference;
  }

  /// Makes the checks that need the whole text. Returns the first error.
  std::optional<LaunchError> check_whole(std::size_t last_line) {
    if (!has_seen("arguments"))
      return LaunchError{{last_line, 1},
                         "there is no line 'arguments'; it names what the kernel takes, in order "
                         "(nothing behind it for a kernel that takes nothing)"};
    for (const KernelLaunch& launch : launch_.launches) {
      if (auto error = check_arguments(launch.arguments)) return error;
      for (const Expectation& expectation : launch.expectations)
        if (const auto* reference = std::get_if<ReferenceKernel>(&expectation.reference))
          if (auto error = check_arguments(reference->arguments)) return error;
    }
    return {};
  }

  std::optional<LaunchError> check_arguments(const std::vector<WrittenArgument>& arguments) const {
    for (const WrittenArgument& argument : arguments)
      if (!argument.name.empty() && !launch_.find_tensor(argument.name) &&
          !launch_.find_scalar(argument.name) && !launch_.find_map(argument.name))
        return LaunchError{argument.place, undeclared(argument.name)};
    return {};
  }

  LaunchText launch_{{}, {}, {}, std::vector<KernelLaunch>(1)};
  std::vector<std::string> seen_;  // statements of the current launch
  std::size_t expectations_ = 0;
  std::ptrdiff_t references_ = 0;
  std::int64_t addresses_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t judged_ = 0;  // elements
  double work_ = 0;          // of all formulas
};

}  // namespace

std::expected<LaunchText, LaunchError> parse_launch(std::string_view text) {
  return LaunchParser().parse(text);
}

}  // namespace heddle::runtime
