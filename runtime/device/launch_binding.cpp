#include "runtime/device/launch_binding.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "library/text/formatted.h"
#include "runtime/device/demangled_name.h"
#include "runtime/launch/reader.h"

namespace heddle::runtime {
namespace {

std::vector<const emulator::KernelArgument*> visible_arguments(const emulator::Kernel& kernel) {
  std::vector<const emulator::KernelArgument*> visible;
  for (const emulator::KernelArgument& argument : kernel.arguments)
    if (!argument.hidden()) visible.push_back(&argument);
  return visible;
}

bool is_pointer(const emulator::KernelArgument& argument) {
  return argument.value_kind == "global_buffer" || argument.value_kind == "dynamic_shared_pointer";
}

std::string shown(const emulator::KernelArgument& argument) {
  const std::string kind =
      is_pointer(argument) ? "a pointer" : formatted("a value of {} bytes", argument.size);
  // Compilers name arguments only with -fno-discard-value-names. If clang converts a pointer to a
  // global one, it calls the argument NAME.coerce.
  const std::string name = argument.name.substr(0, argument.name.find('.'));
  return name.empty() ? kind : formatted("{} ({})", name, kind);
}

/// "takes 3 arguments: a (a pointer), …".
std::string signature(const std::vector<const emulator::KernelArgument*>& arguments) {
  std::string text =
      formatted("takes {} argument{}", arguments.size(), arguments.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < arguments.size(); ++i)
    text += (i == 0 ? ": " : ", ") + shown(*arguments[i]);
  return text;
}

/// A number as the bytes of `type`. Nothing if an integer does not fit.
std::optional<emulator::Value> bytes_of(NumberType type, const WrittenNumber& number) {
  const NumberRow& format = row(type);
  emulator::Value bytes(static_cast<std::size_t>(format.bytes));
  if (is_float(type)) {
    store_number(type, bytes.data(), number.value);
    return bytes;
  }
  if (!number.is_integer) return {};
  const int bits = 8 * format.bytes;
  const std::int64_t most = bits == 64 ? INT64_MAX : (std::int64_t{1} << bits) - 1;
  const std::int64_t least = bits == 64 ? INT64_MIN : -(std::int64_t{1} << (bits - 1));
  if (number.integer > most || number.integer < least) return {};
  std::memcpy(bytes.data(), &number.integer, bytes.size());
  return bytes;
}

/// The parameter types of a C++ kernel, read from its symbol: "float const*", "int". Empty for
/// kernels that are not C++, and for templates whose parameters contain functions.
std::vector<std::string> parameter_types(const std::string& symbol) {
  NameBudget budget;
  const std::string whole = demangled(symbol, budget);
  const std::size_t open = whole.find('(');
  if (whole == symbol || open == std::string::npos || !whole.ends_with(')')) return {};
  std::vector<std::string> types;
  int depth = 0;
  for (std::size_t i = open; i < whole.size(); ++i) {
    const char c = whole[i];
    depth += (c == '(' || c == '<' || c == '[') - (c == ')' || c == '>' || c == ']');
    if (c == '(' && depth == 1)
      types.emplace_back();
    else if (c == ',' && depth == 1)
      types.emplace_back();
    else if (depth > 0 && !(c == ' ' && types.back().empty()))
      types.back() += c;
  }
  if (types.size() == 1 && types[0].empty()) types.clear();
  return types;
}

bool is_float_name(const std::string& parameter) {
  return parameter == "float" || parameter == "double" || parameter == "_Float16";
}

/// The type of a bare number for a parameter of `bytes` bytes. If the symbol of the kernel has the
/// parameter's type, it is this type. Otherwise it is a float if the number has a point or
/// exponent, else an integer.
std::optional<NumberType> literal_type(const WrittenNumber& number, std::uint32_t bytes,
                                       const std::string& parameter) {
  constexpr std::array integers{NumberType::i8, NumberType::i16, NumberType::i32, NumberType::i64};
  constexpr std::array floats{NumberType::f16, NumberType::f32, NumberType::f64};
  if (is_float_name(parameter) || (parameter.empty() && !number.is_integer)) {
    for (const NumberType type : floats)
      if (row(type).bytes == static_cast<int>(bytes)) return type;
  } else if (number.is_integer) {
    for (const NumberType type : integers)
      if (row(type).bytes == static_cast<int>(bytes)) return type;
  }
  return {};
}

/// The address of element `element` of an array, or of a window into an array.
emulator::BufferAddress address_in(const Tensor& tensor, std::int64_t element) {
  return {tensor.inside.empty() ? tensor.name : tensor.inside,
          static_cast<std::uint64_t>((tensor.first + element) * row(tensor.type).bytes)};
}

/// The type of a tensor map's elements. For fp8 it is u8, since only the size matters.
instruction::ElementType map_element(NumberType type) {
  using instruction::ElementType;
  switch (type) {
    case NumberType::f16:
      return ElementType::f16;
    case NumberType::bf16:
      return ElementType::bf16;
    case NumberType::f32:
      return ElementType::f32;
    case NumberType::f64:
      return ElementType::f64;
    case NumberType::i32:
      return ElementType::i32;
    case NumberType::i64:
      return ElementType::i64;
    case NumberType::u32:
      return ElementType::b32;
    default:
      return row(type).bytes == 1   ? ElementType::u8
             : row(type).bytes == 2 ? ElementType::b16
                                    : ElementType::i64;
  }
}

class Binder {
 public:
  Binder(const LaunchText& launch, const KernelCall& call) : launch_(launch), call_(call) {}

  std::expected<emulator::Launch, LaunchError> bind(std::span<const emulator::Kernel> kernels,
                                                    LaunchMemory& memory) {
    const auto kernel = find_kernel(kernels, call_.kernel);
    if (!kernel) return std::unexpected(LaunchError{call_.place, kernel.error()});
    kernel_ = source_name((*kernel)->name);
    const auto wanted = visible_arguments(**kernel);
    if (wanted.size() != call_.arguments.size())
      return std::unexpected(LaunchError{
          call_.arguments.empty()                  ? call_.arguments_place
          : call_.arguments.size() > wanted.size() ? call_.arguments[wanted.size()].place
                                                   : call_.arguments.back().place,
          formatted("kernel {} {}; {} {} given", kernel_, signature(wanted), call_.arguments.size(),
                    call_.arguments.size() == 1 ? "is" : "are")});
    emulator::Launch bound;
    bound.kernel = (*kernel)->name;
    bound.grid = call_.grid;
    bound.workgroup = call_.block;
    bound.dynamic_lds_bytes = call_.lds_bytes;
    for (const Tensor& tensor : launch_.tensors)
      if (tensor.inside.empty()) {
        const bool is_initialised = tensor.initial != InitialValue::none;
        bound.buffers.push_back({memory.bytes(tensor.name), tensor.name, is_initialised,
                                 launch_.launches.size() > 1 && !is_initialised
                                     ? memory.written(tensor.name)
                                     : nullptr});
      }
    std::vector<std::string> types = parameter_types((*kernel)->name);
    if (types.size() != wanted.size()) types.assign(wanted.size(), "");
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      auto argument = argument_of(*wanted[i], call_.arguments[i], types[i]);
      if (!argument)
        return std::unexpected(LaunchError{call_.arguments[i].place, argument.error()});
      bound.arguments.push_back(*std::move(argument));
    }
    return bound;
  }

 private:
  std::expected<emulator::Argument, std::string> argument_of(const emulator::KernelArgument& wanted,
                                                             const WrittenArgument& written,
                                                             const std::string& type) const {
    if (written.name.empty()) return number_of(wanted, written.number, type);
    if (const Tensor* tensor = launch_.find_tensor(written.name)) {
      if (!is_pointer(wanted) && wanted.size != 8)
        return std::unexpected(formatted("kernel {} wants {} here, and '{}' is an array", kernel_,
                                         shown(wanted), written.name));
      if (is_float_name(type))
        return std::unexpected(
            formatted("kernel {} wants {} here, of type {}, and '{}' is an array", kernel_,
                      shown(wanted), type, written.name));
      return address_in(*tensor, 0);
    }
    if (const ArrayMap* map = launch_.find_map(written.name)) return map_of(wanted, *map);
    return scalar_of(wanted, *launch_.find_scalar(written.name));
  }

  std::expected<emulator::Argument, std::string> number_of(const emulator::KernelArgument& wanted,
                                                           const WrittenNumber& number,
                                                           const std::string& parameter) const {
    if (is_pointer(wanted) && !(number.is_integer && number.integer == 0))
      return std::unexpected(
          formatted("kernel {} wants {} here: the name of an array (or 0, the null pointer)",
                    kernel_, shown(wanted)));
    const auto type = literal_type(number, wanted.size, parameter);
    if (!type && !parameter.empty() && !number.is_integer)
      return std::unexpected(
          formatted("kernel {} wants {} here, of type {}, and this is no integer", kernel_,
                    shown(wanted), parameter));
    if (!type)
      return std::unexpected(
          formatted("kernel {} wants {} here, which a bare number cannot be: declare it, as in "
                    "'x = i32 1 2 3'",
                    kernel_, shown(wanted)));
    if (const auto bytes = bytes_of(*type, number)) return *bytes;
    return std::unexpected(
        formatted("{} does not fit {} of kernel {}", number.integer, shown(wanted), kernel_));
  }

  std::expected<emulator::Argument, std::string> map_of(const emulator::KernelArgument& wanted,
                                                        const ArrayMap& map) const {
    if (wanted.size != 128)
      return std::unexpected(
          formatted("kernel {} wants {} here, and '{}' is a tensor map, which has 128 bytes",
                    kernel_, shown(wanted), map.name));
    const Tensor& tensor = *launch_.find_tensor(map.tensor);
    const auto bytes = static_cast<std::uint64_t>(row(tensor.type).bytes);
    emulator::TensorMap made;
    const emulator::BufferAddress first = address_in(tensor, 0);
    made.buffer = first.buffer;
    made.offset = first.offset;
    made.element = map_element(tensor.type);
    std::uint64_t stride = static_cast<std::uint64_t>(tensor.pitch) * bytes;
    for (std::size_t i = tensor.sizes.size(); i-- > 0;) {
      const auto size = static_cast<std::uint64_t>(tensor.sizes[i]);
      made.sizes.push_back(size);
      made.box.push_back(static_cast<std::uint32_t>(map.box[i]));
      if (i + 1 < tensor.sizes.size()) {
        made.strides.push_back(stride);
        stride *= size;
      }
    }
    made.swizzle_bytes = map.swizzle_bytes;
    made.fills_nan = map.fills_nan;
    return made;
  }

  std::expected<emulator::Argument, std::string> scalar_of(const emulator::KernelArgument& wanted,
                                                           const Scalar& scalar) const {
    emulator::Value all;
    for (const WrittenNumber& number : scalar.values) {
      const auto bytes = bytes_of(scalar.type, number);
      if (!bytes)
        return std::unexpected(formatted("'{}' holds {}, which is no {}", scalar.name, number.value,
                                         name(scalar.type)));
      all.insert(all.end(), bytes->begin(), bytes->end());
    }
    if (all.size() == wanted.size) return all;
    return std::unexpected(formatted("kernel {} wants {} here, and '{}' has {} bytes", kernel_,
                                     shown(wanted), scalar.name, all.size()));
  }

  const LaunchText& launch_;
  const KernelCall& call_;
  std::string kernel_;
};

}  // namespace

std::vector<StoredAddress> stored_addresses(const LaunchText& launch) {
  std::vector<StoredAddress> all;
  for (const Tensor& tensor : launch.tensors)
    for (std::size_t i = 0; i < tensor.addresses.size(); ++i) {
      const WrittenAddress& address = tensor.addresses[i];
      StoredAddress& stored = all.emplace_back(StoredAddress{{tensor.name, 8 * i}, {}});
      if (const Tensor* to = launch.find_tensor(address.tensor))
        stored.to = address_in(*to, address.first);
    }
  return all;
}

KernelCall call_of(const KernelLaunch& launch) {
  return {
      launch.kernel,          launch.kernel.empty() ? launch.arguments_place : launch.kernel_place,
      launch.arguments_place, launch.grid,
      launch.block,           launch.lds_bytes,
      launch.arguments};
}

KernelCall call_of(const KernelLaunch& launch, const ReferenceKernel& reference) {
  return {reference.kernel,
          reference.place,
          reference.arguments.empty() ? launch.arguments_place : reference.place,
          reference.grid[0] == 0 ? launch.grid : reference.grid,
          reference.block[0] == 0 ? launch.block : reference.block,
          launch.lds_bytes,
          reference.arguments.empty() ? launch.arguments : reference.arguments};
}

namespace {

/// The names of a kernel, taken from its demangled symbol: `source` without template arguments,
/// `full` with them, and the whole text.
struct KernelNames {
  std::string source, full, whole;

  KernelNames(const std::string& symbol, NameBudget& budget) : whole(demangled(symbol, budget)) {
    source = whole.substr(0, whole.find_first_of("(<"));
    const std::size_t space = source.rfind(' ');  // "void gemm<…>": templates show what they return
    if (space != std::string::npos) source.erase(0, space + 1);
    int depth = 0;
    for (const char c : whole) {
      depth += (c == '<') - (c == '>');
      if (c == '(' && depth == 0) break;
      if (c == ' ' && depth == 0)
        full.clear();  // that was the type of what it returns
      else if (c != ' ')
        full += c;
    }
  }
};

}  // namespace

std::string source_name(const std::string& symbol) {
  NameBudget budget;
  return KernelNames(symbol, budget).source;
}

std::string full_name(const std::string& symbol) {
  NameBudget budget;
  return KernelNames(symbol, budget).full;
}

namespace {

/// Spells a name from a source file as a demangled symbol spells it: without spaces, and with
/// __half for HIP's half.
std::string as_demangled(std::string name) {
  std::erase(name, ' ');
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  constexpr std::string_view half = "half";
  for (std::size_t at = name.find(half, name.find('<')); at != std::string::npos;
       at = name.find(half, at + 1)) {
    const std::size_t end = at + half.size();
    if (at == 0 || is_part(name[at - 1]) || (end < name.size() && is_part(name[end]))) continue;
    name.insert(at, "__");
    at += 2;
  }
  return name;
}

/// Chooses for each kernel the shortest name that no other kernel has: the plain name, the name
/// with template arguments, or the symbol.
class ShortestNames {
 public:
  explicit ShortestNames(std::span<const KernelNames> names) {
    for (const KernelNames& name : names) {
      ++sources_[name.source];
      ++full_[name.full];
    }
  }
  const std::string& of(const emulator::Kernel& kernel, const KernelNames& names) const {
    if (sources_.at(names.source) == 1) return names.source;
    return full_.at(names.full) == 1 ? names.full : kernel.name;
  }

 private:
  std::unordered_map<std::string_view, std::size_t> sources_, full_;
};

/// The most names that a message lists.
constexpr std::size_t most_listed = 32;

}  // namespace

std::vector<SpelledArgument> spelled_arguments(const KernelCall& call,
                                               const emulator::Kernel& kernel) {
  std::vector<SpelledArgument> spelled;
  const auto wanted = visible_arguments(kernel);
  const bool is_told = !parameter_types(kernel.name).empty();
  for (std::size_t i = 0; !is_told && i < std::min(wanted.size(), call.arguments.size()); ++i) {
    const WrittenArgument& written = call.arguments[i];
    if (!written.name.empty() || is_pointer(*wanted[i])) continue;
    const auto type = literal_type(written.number, wanted[i]->size, "");
    if (type)
      spelled.push_back({written.place, formatted("{} is passed as {} for {}", written.number.value,
                                                  name(*type), shown(*wanted[i]))});
  }
  return spelled;
}

std::expected<const emulator::Kernel*, std::string> find_kernel(
    std::span<const emulator::Kernel> kernels, const std::string& name) {
  if (kernels.empty()) return std::unexpected("the code object has no kernel");
  if (name.empty() && kernels.size() == 1) return &kernels.front();
  for (const emulator::Kernel& kernel : kernels)
    if (kernel.name == name) return &kernel;
  const std::string wanted = as_demangled(name);
  NameBudget budget;
  std::vector<KernelNames> names;
  std::vector<std::size_t> fitting, all;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelNames& own = names.emplace_back(kernels[i].name, budget);
    all.push_back(i);
    if (own.source == name || own.full == wanted || own.whole == name) fitting.push_back(i);
  }
  if (fitting.size() == 1) return &kernels[fitting.front()];
  const ShortestNames shortest(names);
  const std::vector<std::size_t>& listed = fitting.empty() ? all : fitting;
  std::string list;
  for (std::size_t i = 0; i < std::min(listed.size(), most_listed); ++i)
    list += (i == 0 ? "" : ", ") + shortest.of(kernels[listed[i]], names[listed[i]]);
  if (listed.size() > most_listed) list += formatted(" and {} more", listed.size() - most_listed);
  if (fitting.size() > 1)
    return std::unexpected(formatted("several kernels are named '{}'; give one of {}", name, list));
  if (name.empty())
    return std::unexpected(formatted(
        "the code object has several kernels, {}: name one with a line 'kernel NAME'", list));
  std::vector<std::string_view> sources;
  for (const KernelNames& own : names) sources.emplace_back(own.source);
  return std::unexpected(
      formatted("no kernel '{}'{}", name,
                did_you_mean(name, sources,
                             formatted("there {} {}", names.size() == 1 ? "is" : "are", list))));
}

std::expected<emulator::Launch, LaunchError> bind(const LaunchText& launch, const KernelCall& call,
                                                  std::span<const emulator::Kernel> kernels,
                                                  LaunchMemory& memory) {
  return Binder(launch, call).bind(kernels, memory);
}

}  // namespace heddle::runtime
