#include "runtime/program/served_modules.h"

#include <algorithm>
#include <charconv>

#include "library/text/formatted.h"
#include "runtime/device/offload_bundle.h"

namespace heddle::program {
namespace {

/// The number behind module_mark.
std::optional<std::size_t> number_of(std::string_view digits) {
  std::size_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return number;
}

}  // namespace

emulator::Launch::Range unordered_of(std::span<const emulator::DeviceVariable> variables) {
  emulator::Launch::Range range;
  for (const emulator::DeviceVariable& variable : variables) {
    if (variable.name != printed_variable && variable.name != heap_variable) continue;
    const std::uint64_t end = variable.address + variable.size;
    if (range.bytes == 0) {
      range = {variable.address, variable.size};
    } else {
      const std::uint64_t first = std::min(range.address, variable.address);
      range = {first, std::max(range.address + range.bytes, end) - first};
    }
  }
  return range;
}

std::expected<std::uint32_t, std::string> ServedModules::load(std::string_view bytes) {
  const auto free = std::ranges::find_if(modules_, [](const Served& one) { return !one.module; });
  const auto place = static_cast<std::size_t>(free - modules_.begin());
  if (place == most_modules)
    return std::unexpected(formatted("a program has at most {} modules at a time", most_modules));
  std::vector<std::byte> object;
  const auto given = std::as_bytes(std::span(bytes));
  if (bytes.starts_with(module_mark)) {
    const auto number = number_of(bytes.substr(module_mark.size()));
    if (!number || *number >= own_.size())
      return std::unexpected("a module that heddle has not compiled");
    object = own_[*number];
  } else if (processor_.starts_with("sm_")) {
    object.assign(given.begin(), given.end());
  } else {
    auto extracted = runtime::extract_code_object(given, processor_);
    if (!extracted) return std::unexpected(extracted.error());
    object = *std::move(extracted);
  }
  auto module = device_.load(object);
  if (!module) return std::unexpected(module.error().message);
  if (place == modules_.size()) modules_.emplace_back();
  modules_[place] = {*std::move(module),
                     {reinterpret_cast<const char*>(object.data()), object.size()}};
  return static_cast<std::uint32_t>(place);
}

bool ServedModules::unload(std::string_view bytes) {
  Reader reader(bytes);
  const auto number = reader.get<std::uint32_t>();
  if (!reader.is_good() || !is_there(number)) return false;
  modules_[number] = {};
  return true;
}

std::string ServedModules::description(std::uint32_t number) const {
  const runtime::Module& module = *modules_[number].module;
  Writer writer;
  writer.put(number);
  writer.put(static_cast<std::uint32_t>(module.kernels().size()));
  for (const emulator::Kernel& kernel : module.kernels()) {
    writer.put_text(kernel.name);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> arguments;
    std::uint32_t end = 0;
    for (const emulator::KernelArgument& argument : kernel.arguments) {
      if (argument.hidden()) continue;
      arguments.emplace_back(argument.offset, argument.size);
      end = std::max(end, argument.offset + argument.size);
    }
    for (const std::uint32_t value : {kernel.lds_bytes, kernel.scratch_bytes, kernel.vgpr_count,
                                      kernel.max_workgroup_size, end})
      writer.put(value);
    writer.put(static_cast<std::uint32_t>(arguments.size()));
    for (const auto& [offset, size] : arguments) {
      writer.put(offset);
      writer.put(size);
    }
  }
  writer.put(static_cast<std::uint32_t>(module.variables().size()));
  for (const emulator::DeviceVariable& variable : module.variables()) {
    writer.put_text(variable.name);
    for (const std::uint64_t value : {variable.address, variable.offset, variable.size})
      writer.put(value);
  }
  const std::vector<std::byte> image = module.image();
  writer.put_text({reinterpret_cast<const char*>(image.data()), image.size()});
  return writer.bytes();
}

std::optional<ServedModules::Asked> ServedModules::launch_of(std::string_view bytes,
                                                             const SharedMemory& memory,
                                                             bool checked) const {
  Reader reader(bytes);
  const auto request = reader.get<LaunchRequest>();
  if (!reader.is_good() || !is_there(request.module) || request.buffers > emulator::most_buffers)
    return {};
  const runtime::Module& module = *modules_[request.module].module;
  if (request.kernel >= module.kernels().size()) return {};
  const emulator::Kernel& kernel = module.kernels()[request.kernel];
  Asked asked{request.module, {}};
  emulator::Launch& launch = asked.launch;
  launch.kernel = kernel.name;
  launch.grid = request.grid;
  launch.workgroup = request.block;
  launch.dynamic_lds_bytes = request.lds_bytes;
  launch.threads = request.is_in_order != 0 ? 1 : 0;
  launch.variables = memory.bytes(request.variables_offset, request.variables_bytes);
  if (launch.variables.size() != module.image().size()) return {};
  launch.unordered = unordered_of(module.variables());
  for (std::uint32_t i = 0; i < request.buffers; ++i) {
    const auto entry = reader.get<BufferEntry>();
    emulator::Buffer buffer;
    buffer.bytes = memory.bytes(entry.offset, entry.bytes);
    if (buffer.bytes.size() != entry.bytes) return {};
    buffer.name = formatted("{}{}{}{}", entry.number, entry.is_host != 0 ? " of the host" : "",
                            entry.device != 0 ? formatted(" of device {}, to which this device "
                                                          "has no access",
                                                          entry.device - 1)
                                              : "",
                            entry.is_freed != 0 ? ", which was freed" : "");
    buffer.initialised = entry.is_initialised != 0 || !checked || buffer.bytes.empty();
    if (!buffer.initialised) buffer.written = memory.written(entry.offset);
    launch.buffers.push_back(std::move(buffer));
  }
  const std::string_view arguments = reader.take(request.argument_bytes);
  if (!reader.is_good()) return {};
  for (const emulator::KernelArgument& argument : kernel.arguments) {
    if (argument.hidden()) continue;
    if (argument.offset > arguments.size() || argument.size > arguments.size() - argument.offset)
      return {};
    const auto part = std::as_bytes(std::span(arguments.substr(argument.offset, argument.size)));
    launch.arguments.emplace_back(emulator::Value(part.begin(), part.end()));
  }
  return asked;
}

}  // namespace heddle::program
