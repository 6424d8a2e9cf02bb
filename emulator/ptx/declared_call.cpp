#include "emulator/ptx/declared_call.h"

#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "emulator/ptx/dispatch.h"
#include "emulator/ptx/races.h"
#include "emulator/record/printed.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

// A string that does not end within this number of bytes is a fault.
constexpr std::size_t longest_text = 65536;
// Printing this number of bytes costs as much as one instruction.
constexpr std::size_t bytes_per_instruction = 16;

const DeclaredCall& call_of(const Record& in) {
  return *static_cast<const DeclaredCall*>(in.extra);
}

uint64_t parameter(const Warp& w, const Record& in, unsigned lane, std::size_t number) {
  const DeclaredCall::Place& place = call_of(in).parameters[number];
  uint64_t value = 0;
  std::memcpy(&value, w.local + std::size_t{lane} * w.local_bytes + place.address, place.bytes);
  return value;
}

void set_result(Warp& w, const Record& in, unsigned lane, uint64_t value) {
  for (const DeclaredCall::Place& place : call_of(in).results) {
    std::memcpy(w.local + std::size_t{lane} * w.local_bytes + place.address, &value, place.bytes);
    if (RaceWatch* watch = w.block->cluster->watch) {
      std::array<uint64_t, 32> addresses{};
      addresses[lane] = place.address;
      watch->defined().write(w, Space::local, 1u << lane, addresses.data(), place.bytes);
    }
  }
}

// The null-terminated string at a generic address; nothing after a fault.
std::optional<std::string> text_at(Warp& w, const Record& in, unsigned lane, uint64_t address) {
  std::string text;
  while (text.size() < longest_text) {
    const std::byte* at = access(w, in, lane, address + text.size(), 1, Space::generic, false);
    if (at == nullptr) return {};
    if (*at == std::byte{0}) return text;
    text += static_cast<char>(*at);
  }
  raise(w, in, FaultKind::global_out_of_bounds, static_cast<int>(lane),
        formatted("the text at {:#x} does not end within {} bytes", address, longest_text),
        address);
  return {};
}

// vprintf. Parameters: the format, and a buffer with the values, in which each value is aligned to
// its size.
void print(Warp& w, const Record& in, uint32_t lanes) {
  Cluster& cluster = *w.block->cluster;
  for_lanes(lanes, [&](unsigned lane) {
    if (w.event != Event::none) return;
    const auto format = text_at(w, in, lane, parameter(w, in, lane, 0));
    if (!format) return;
    uint64_t at = parameter(w, in, lane, 1);
    const auto number = [&](unsigned bytes) {
      at = (at + bytes - 1) / bytes * bytes;
      uint64_t value = 0;
      if (w.event != Event::none) return value;
      if (const std::byte* from = access(w, in, lane, at, bytes, Space::generic, false))
        std::memcpy(&value, from, bytes);
      at += bytes;
      return value;
    };
    const auto text = [&]() -> std::string {
      const uint64_t address = number(8);
      if (w.event != Event::none) return {};
      if (address == 0) return "(null)";
      return text_at(w, in, lane, address).value_or("");
    };
    unsigned count = 0;
    const std::string printed = printf_text(*format, {.number = number, .text = text}, &count);
    if (w.event != Event::none) return;
    cluster.extra_work += (format->size() + printed.size()) / bytes_per_instruction;
    cluster.dispatch->printed().add(cluster.dispatch->number_of(w.block->index), printed);
    set_result(w, in, lane, count);
  });
}

// __assertfail. Parameters: the message, the file, the line, the function, and the size of a
// character in bytes.
void fail_assertion(Warp& w, const Record& in, uint32_t lanes) {
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  std::array<std::string, 3> texts;
  for (std::size_t i = 0; const std::size_t number : {0u, 1u, 3u}) {
    const uint64_t address = parameter(w, in, lane, number);
    const auto text = address == 0 ? std::string() : text_at(w, in, lane, address);
    if (!text) return;
    texts[i++] = quoted_text(*text);
  }
  const auto line = static_cast<uint32_t>(parameter(w, in, lane, 2));
  const Dispatch& dispatch = *w.block->cluster->dispatch;
  const auto thread = [&](Special axis) { return dispatch.value(axis, w, lane); };
  raise(w, in, FaultKind::trap, static_cast<int>(lane),
        formatted("assertion failed: {} ({}:{}, in {}), block ({}, {}, {}), thread ({}, {}, {})",
                  texts[0], texts[1], line, texts[2].empty() ? "a function without name" : texts[2],
                  w.block->index[0], w.block->index[1], w.block->index[2], thread(Special::tid_x),
                  thread(Special::tid_y), thread(Special::tid_z)));
}

void take_memory(Warp& w, const Record& in, uint32_t lanes) {
  Heap& heap = *w.block->cluster->dispatch->heap();
  for_lanes(lanes,
            [&](unsigned lane) { set_result(w, in, lane, heap.take(parameter(w, in, lane, 0))); });
}

void give_memory_back(Warp& w, const Record& in, uint32_t lanes) {
  Heap& heap = *w.block->cluster->dispatch->heap();
  for_lanes(lanes, [&](unsigned lane) {
    const uint64_t address = parameter(w, in, lane, 0);
    if (w.event != Event::none || address == 0 || heap.give_back(address)) return;
    raise(w, in, FaultKind::global_out_of_bounds, static_cast<int>(lane),
          formatted("free of address {:#x}, which malloc has not given or which is free already",
                    address),
          address);
  });
}

const std::vector<DeclaredFunction>& functions() {
  static const std::vector<DeclaredFunction> all = {
      {"__assertfail", {8, 8, 4, 8, 8}, {}, fail_assertion},
      {"free", {8}, {}, give_memory_back, true},
      {"malloc", {8}, {8}, take_memory, true},
      {"vprintf", {8, 8}, {4}, print},
  };
  return all;
}

}  // namespace

const DeclaredFunction* find_declared_function(std::string_view name) {
  for (const DeclaredFunction& function : functions())
    if (function.name == name) return &function;
  return nullptr;
}

std::string declared_function_names() {
  std::string names;
  for (const DeclaredFunction& function : functions())
    names += (names.empty() ? "" : ", ") + std::string(function.name);
  return names;
}

}  // namespace heddle::emulator::ptx
