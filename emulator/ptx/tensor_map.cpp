// Tensor maps, and the instructions with which kernels change them: tensormap.replace and
// tensormap.cp_fenceproxy.
#include "emulator/ptx/tensor_map.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "emulator/ptx/asynchronous.h"
#include "emulator/ptx/decoder.h"
#include "emulator/ptx/races.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {

uint32_t swizzled(uint32_t address, uint32_t swizzle_bytes) {
  for (const instruction::SwizzleRow& row : instruction::swizzle_rows) {
    if (row.bits == 0 || row.first_bit != 4 || row.line_bytes != static_cast<int>(swizzle_bytes))
      continue;
    const uint32_t mask = ((1u << row.bits) - 1) << row.first_bit;
    return address ^ (address >> row.shift & mask);
  }
  return address;
}

std::expected<BoxMap, std::string> decode_map(const std::byte* bytes) {
  EncodedMap from;
  std::memcpy(&from, bytes, sizeof from);
  if (from.check != from.sum())
    return std::unexpected(
        "there is no tensor map at this address: it is an argument of the launch, or made by "
        "tensormap.replace from zeros, and nothing else writes it");
  const auto bad = [](std::string_view text) {
    return std::unexpected(formatted("the tensor map {}", text));
  };
  BoxMap map;
  map.dimensions = from.last_dimension + 1u;
  if (map.dimensions > 5)
    return bad(formatted("has {} dimensions: 1 to 5 are possible", map.dimensions));
  if (from.element >= map_elements.size())
    return bad(formatted("has elements of type {}: 0 to 15 are possible", int{from.element}));
  const ElementRow& element = map_elements[from.element];
  map.element = from.element;
  map.element_bytes = element.bytes;
  map.unit_elements = element.elements;
  map.unit_padding = element.padding;
  if (from.interleave != 0) return bad("is interleaved, which is not simulated");
  if (from.swizzle > 3 || from.atomicity != 0)
    return bad(formatted("has swizzle {} with atoms {}, which is not simulated", int{from.swizzle},
                         int{from.atomicity}));
  map.swizzle_bytes = from.swizzle == 0 ? 0 : 16u << from.swizzle;
  map.fills_nan = from.fill != 0;
  if (from.fill > 1 || (map.fills_nan && !element.is_float))
    return bad(formatted("has fill mode {}: 0 is possible, and 1 for floats", int{from.fill}));
  if (from.address % 16 != 0)
    return bad(formatted("begins at address {:#x}: a tensor begins at a multiple of 16 bytes",
                         from.address));
  map.address = from.address;
  for (std::size_t i = 0; i < map.dimensions; ++i) {
    if (from.sizes[i] == 0 || from.sizes[i] > uint64_t{1} << 32)
      return bad(
          formatted("has size {} of dimension {}: 1 to 2^32 are possible", from.sizes[i], i));
    if (from.box[i] == 0 || from.box[i] > 256)
      return bad(
          formatted("has box size {} of dimension {}: 1 to 256 are possible", int{from.box[i]}, i));
    if (from.element_strides[i] != 1)
      return bad(formatted("has element stride {} of dimension {}: 1 alone is simulated",
                           int{from.element_strides[i]}, i));
    map.sizes[i] = from.sizes[i];
    map.box[i] = from.box[i];
    if (i == 0) continue;
    if (from.strides[i] % 16 != 0 || from.strides[i] >= uint64_t{1} << 40)
      return bad(formatted("has stride {} of dimension {}: a multiple of 16 below 2^40 is wanted",
                           from.strides[i], i));
    map.strides[i] = from.strides[i];
  }
  if (const std::string problem =
          unit_problem(element, map.address, map.sizes,
                       std::span(map.strides).subspan(1, map.dimensions - 1), map.box[0]);
      !problem.empty())
    return bad("has " + problem);
  map.sizes[0] /= map.unit_elements;
  map.box[0] /= map.unit_elements;
  const uint32_t row = map.box[0] * (map.element_bytes + map.unit_padding);
  if (row % 16 != 0)
    return bad(formatted("has rows of {} bytes in its box: a multiple of 16 is wanted", row));
  // On an H200, rows narrower than the swizzle are followed by a gap. This is not simulated.
  if (map.swizzle_bytes != 0 && row != map.swizzle_bytes)
    return bad(formatted("has rows of {} bytes in its box: with this swizzle {} are simulated", row,
                         map.swizzle_bytes));
  return map;
}

namespace {

enum class Field : uint8_t {
  global_address,
  rank,
  box_dim,
  global_dim,
  global_stride,
  element_stride,
  elemtype,
  interleave_layout,
  swizzle_mode,
  swizzle_atomicity,
  fill_mode,
};
struct FieldRow {
  std::string_view name;
  Field field;
  bool has_dimension = false;
};
constexpr FieldRow field_rows[] = {
    {"global_address", Field::global_address},
    {"rank", Field::rank},
    {"box_dim", Field::box_dim, true},
    {"global_dim", Field::global_dim, true},
    {"global_stride", Field::global_stride, true},
    {"element_stride", Field::element_stride, true},
    {"elemtype", Field::elemtype},
    {"interleave_layout", Field::interleave_layout},
    {"swizzle_mode", Field::swizzle_mode},
    {"swizzle_atomicity", Field::swizzle_atomicity},
    {"fill_mode", Field::fill_mode},
};

// The host's pointer to the 128 bytes of a map, or null after a fault.
std::byte* map_bytes(Warp& w, const Record& in, unsigned lane, uint64_t address, Space space,
                     bool writes) {
  if (address % 64 != 0) {
    raise(w, in, FaultKind::misaligned, static_cast<int>(lane),
          formatted("a tensor map at address {:#x}, which is no multiple of 64", address), address);
    return nullptr;
  }
  std::byte* place = access(w, in, lane, address, 64, space, writes);
  if (place == nullptr || access(w, in, lane, address + 64, 64, space, writes) == nullptr)
    return nullptr;
  return place;
}

void note_write(Warp& w, const Record& in, unsigned lane, uint64_t address, Space space,
                const std::byte* place) {
  RaceWatch* watch = w.block->cluster->watch;
  if (watch == nullptr) return;
  for (uint32_t at = 0; at < sizeof(EncodedMap); at += 32) {
    std::array<uint64_t, 32> addresses{};
    addresses[lane] = address + at;
    std::array<std::byte, 1024> data;
    std::copy_n(place + at, 32, data.data() + std::size_t{32} * lane);
    watch->store(w, in, space, 1u << lane, addresses.data(), 32, data.data());
    watch->defined().write(w, space, 1u << lane, addresses.data(), 32);
  }
}

void set_field(EncodedMap& map, Field field, std::size_t dimension, uint64_t value) {
  switch (field) {
    case Field::global_address:
      map.address = value;
      break;
    case Field::rank:
      map.last_dimension = static_cast<uint8_t>(std::min<uint64_t>(value, 0xff));
      break;
    case Field::box_dim:
      map.box[dimension] = static_cast<uint16_t>(std::min<uint64_t>(value, 0xffff));
      break;
    case Field::global_dim:
      map.sizes[dimension] = value;
      break;
    case Field::global_stride:
      map.strides[dimension] = value;
      break;
    case Field::element_stride:
      map.element_strides[dimension] = static_cast<uint8_t>(std::min<uint64_t>(value, 0xff));
      break;
    case Field::elemtype:
      map.element = static_cast<uint8_t>(std::min<uint64_t>(value, 0xff));
      break;
    case Field::interleave_layout:
      map.interleave = static_cast<uint8_t>(std::min<uint64_t>(value, 0xff));
      break;
    case Field::swizzle_mode:
      map.swizzle = static_cast<uint8_t>(std::min<uint64_t>(value, 0xff));
      break;
    case Field::swizzle_atomicity:
      map.atomicity = static_cast<uint8_t>(std::min<uint64_t>(value, 0xff));
      break;
    case Field::fill_mode:
      map.fill = static_cast<uint8_t>(std::min<uint64_t>(value, 0xff));
      break;
  }
}

// tensormap.replace. Operands: the map, the new value. `detail`: the field. `target`: the
// dimension.
void replace(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    const uint64_t address = w.at(in.operand[0])[l] + static_cast<uint64_t>(in.immediate);
    std::byte* place = map_bytes(w, in, l, address, in.space, true);
    if (place == nullptr) return;
    const bool is_new = std::all_of(place, place + sizeof(EncodedMap),
                                    [](std::byte byte) { return byte == std::byte{0}; });
    EncodedMap map;
    std::memcpy(&map, place, sizeof map);
    if (!is_new && map.check != map.sum())
      return raise(w, in, FaultKind::unsupported, static_cast<int>(l),
                   "there is neither a tensor map at this address nor 128 zeros to make one of",
                   address);
    const uint64_t value = w.at(in.operand[1])[l];
    set_field(map, static_cast<Field>(in.detail), in.target,
              in.bytes == 4 ? static_cast<uint32_t>(value) : value);
    map.seal();
    std::memcpy(place, &map, sizeof map);
    note_write(w, in, l, address, in.space, place);
  });
  ++w.block->cluster->changes;
}

// tensormap.cp_fenceproxy. Operands: destination, source. All lanes of the warp copy the 128 bytes
// together.
void copy_map(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes, w.alive)) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  const uint64_t to = w.at(in.operand[0])[lane] + static_cast<uint64_t>(in.immediate);
  const uint64_t from = w.at(in.operand[1])[lane] + in.target;
  const std::byte* source = map_bytes(w, in, lane, from, Space::shared, false);
  std::byte* place = source ? map_bytes(w, in, lane, to, Space::global, true) : nullptr;
  if (place == nullptr) return;
  std::memcpy(place, source, sizeof(EncodedMap));
  note_write(w, in, lane, to, Space::global, place);
  ++w.block->cluster->changes;
}

bool decode_map_change(Decoder& d) {
  Record& record = d.record();
  if (d.has("cp_fenceproxy")) {
    d.read_all();
    const Operand& size = d.operand(2);
    if (size.kind != Operand::Kind::number || size.bits != sizeof(EncodedMap))
      d.bad(size, "a tensor map has 128 bytes");
    record.is_warp_wide = true;
    record.handler = copy_map;
    const uint32_t from = d.address(d.operand(1));
    record.target = static_cast<uint32_t>(record.immediate);
    record.immediate = 0;
    record.space = Space::generic;
    const uint32_t to = d.address(d.operand(0));
    d.set_operands({to, from});
    return true;
  }
  if (!d.has("replace") || !d.has("tile")) return false;
  const FieldRow* row = nullptr;
  for (const FieldRow& candidate : field_rows)
    if (d.has(candidate.name)) row = &candidate;
  if (row == nullptr) return false;
  const Type type = d.has("b64") ? Type::b64 : Type::b32;
  record.bytes = static_cast<uint8_t>(bytes_of(type));
  record.detail = static_cast<uint8_t>(row->field);
  record.space = d.space();
  std::size_t next = 1;
  if (row->has_dimension) {
    const Operand& dimension = d.operand(next++);
    if (dimension.kind != Operand::Kind::number || dimension.bits > 4)
      d.bad(dimension, "the number of a dimension, from 0 to 4, is expected here");
    // PTX counts strides from 0, beginning with the second dimension.
    record.target = static_cast<uint32_t>(dimension.bits) + (row->field == Field::global_stride);
    if (record.target > 4) d.bad(dimension, "there are strides 0 to 3");
  }
  record.handler = replace;
  const uint32_t map = d.address(d.operand(0));
  d.set_operands({map, d.source(next, type)});
  return true;
}

constexpr DecodeRow map_table[] = {{"tensormap", decode_map_change, "b1024 b32 sync aligned"}};

}  // namespace

std::span<const DecodeRow> map_rows() { return map_table; }

}  // namespace heddle::emulator::ptx
