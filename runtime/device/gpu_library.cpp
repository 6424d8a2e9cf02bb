#include "runtime/device/gpu_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "library/text/formatted.h"

namespace heddle::runtime {

std::unexpected<Failure> failed(std::string message) {
  return std::unexpected(Failure{std::move(message), {}});
}

std::expected<OpenedLibrary, Failure> OpenedLibrary::open(const char* variable,
                                                          std::initializer_list<const char*> names,
                                                          std::string_view none) {
  OpenedLibrary opened;
  const auto load = [&](const char* name) {
    opened.handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return opened.handle_ != nullptr;
  };
  if (const char* chosen = std::getenv(variable); chosen != nullptr && *chosen != 0) {
    if (load(chosen)) return opened;
    return failed(formatted("{} is '{}': {}", variable, chosen, dlerror()));
  }
  if (std::ranges::any_of(names, load)) return opened;
  return failed(std::string(none));
}

void* OpenedLibrary::symbol(const char* name) {
  void* found = dlsym(handle_, name);
  if (found == nullptr) missing_ += formatted("{}{}", missing_.empty() ? "" : ", ", name);
  return found;
}

std::optional<Failure> GpuLibrary::said(GpuResult result, std::string_view doing) const {
  if (result == 0) return {};
  const char* text = error_text(result);
  return Failure{
      formatted("{}: {} ({} error {})", doing, text != nullptr ? text : "no text", name(), result),
      {}};
}

std::optional<Failure> GpuLibrary::check_number(int number, int count,
                                                std::string_view prefix) const {
  if (number < count) return {};
  const std::string there = formatted(", {}:0 to {}:{}", prefix, prefix, count - 1);
  return Failure{
      formatted("no GPU {}: {} finds {}{}", number, name(), count, count == 0 ? "" : there), {}};
}

DeviceMemory::~DeviceMemory() {
  for (const Place& place : places_) library_.release(place.address);
}

std::expected<GpuAddress, Failure> DeviceMemory::add(const emulator::Buffer& buffer) {
  GpuAddress address = 0;
  const std::size_t bytes = std::max<std::size_t>(1, buffer.bytes.size());
  if (auto error = library_.said(library_.allocate(address, bytes),
                                 formatted("allocating {} bytes for {}", bytes, buffer.name)))
    return std::unexpected(*error);
  places_.push_back({address, &buffer});
  if (auto error = copy_to_device(places_.back())) return std::unexpected(*error);
  return address;
}

std::optional<Failure> DeviceMemory::copy_to_device(const Place& place) const {
  const auto bytes = place.buffer->bytes;
  if (bytes.empty()) return {};
  return library_.said(library_.to_device(place.address, bytes.data(), bytes.size()),
                       formatted("copying {} to the GPU", place.buffer->name));
}

std::expected<std::unique_ptr<StoredAddresses>, Failure> DeviceMemory::store(
    const emulator::Launch& launch, std::span<const StoredAddress> addresses) const {
  auto stored = std::make_unique<StoredAddresses>(
      launch, addresses,
      [&](const emulator::BufferAddress& of) { return find(of.buffer, of.offset); });
  for (const Place& place : places_)
    if (std::ranges::any_of(addresses, [&](const StoredAddress& one) {
          return one.at.buffer == place.buffer->name;
        }))
      if (auto error = copy_to_device(place)) return std::unexpected(*error);
  return stored;
}

GpuAddress DeviceMemory::find(const std::string& name, std::uint64_t offset) const {
  for (const Place& place : places_)
    if (place.buffer->name == name && offset <= place.buffer->bytes.size())
      return place.address + offset;
  return 0;
}

std::optional<Failure> DeviceMemory::copy_back() const {
  for (const Place& place : places_) {
    const auto bytes = place.buffer->bytes;
    if (bytes.empty()) continue;
    if (auto error = library_.said(library_.to_host(bytes.data(), place.address, bytes.size()),
                                   formatted("copying {} from the GPU", place.buffer->name)))
      return error;
  }
  return {};
}

std::expected<std::vector<emulator::Value>, Failure> argument_values(const emulator::Launch& launch,
                                                                     DeviceMemory& memory,
                                                                     const EncodeMap& encode) {
  for (const emulator::Buffer& buffer : launch.buffers)
    if (const auto address = memory.add(buffer); !address) return std::unexpected(address.error());
  std::vector<emulator::Value> values(launch.arguments.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const auto* buffer = std::get_if<emulator::Buffer>(&launch.arguments[i])) {
      const auto address = memory.add(*buffer);
      if (!address) return std::unexpected(address.error());
      values[i] = emulator::value(*address);
    } else if (const auto* value = std::get_if<emulator::Value>(&launch.arguments[i])) {
      values[i] = *value;
    }
  }
  // Into buffers that may come later.
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const auto* inside = std::get_if<emulator::BufferAddress>(&launch.arguments[i]))
      values[i] = emulator::value(memory.find(inside->buffer, inside->offset));
    if (const auto* map = std::get_if<emulator::TensorMap>(&launch.arguments[i])) {
      auto made = encode(*map);
      if (!made) return std::unexpected(made.error());
      values[i] = *std::move(made);
    }
  }
  return values;
}

std::vector<void*> pointers_to(std::vector<emulator::Value>& values) {
  std::vector<void*> pointers;
  for (emulator::Value& value : values) pointers.push_back(value.data());
  return pointers;
}

}  // namespace heddle::runtime
