// tcgen05.mma: one thread starts the product of A and B, which is added to the sum in tensor
// memory. B is in shared memory, A in shared or in tensor memory. The catalogue gives the places of
// elements in tensor memory, and a matrix descriptor those in shared memory. The instruction
// descriptor gives the shape and the types. Source: PTX ISA 9.0, "tcgen05.mma".
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "emulator/ptx/float_format.h"
#include "emulator/ptx/matrix_table.h"
#include "emulator/ptx/races.h"
#include "emulator/ptx/scaled_products.h"
#include "emulator/ptx/sum_products.h"
#include "emulator/ptx/tensor_instructions.h"
#include "emulator/ptx/tensor_product.h"
#include "emulator/ptx/warpgroup.h"
#include "emulator/record/operand_trial.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

using instruction::ElementType;
using instruction::Major;

// --- operands ------------------------------------------------------------------------------------

// How an operand is stored. Elements of fewer than 8 bits are either packed, or 16 of them take a
// unit of 16 bytes.
struct Packing {
  ElementType type{};
  bool packed = false;  // two of 4 bits in a byte
};

// The offset of an element along the contiguous axis: the byte, and the first bit in it.
struct Offset {
  uint32_t byte = 0, bit = 0;
};
Offset offset_of(const Packing& packing, uint32_t element) {
  const auto bits = static_cast<uint32_t>(instruction::bits(packing.type));
  if (packing.packed || bits >= 8) return {element * bits / 8, element * bits % 8};
  return {element / 16 * 16 + element % 16 * bits / 8, element % 16 * bits % 8};
}

// Reads an operand from a block's shared memory, `count` rows or columns times `depth`, into
// values[mn * depth + k]. `what` is "A" or "B", for messages. Returns false after a fault.
bool gather(Warp& w, const Record& in, unsigned lane, const Block& block, uint64_t word,
            Major major, const Packing& packing, uint32_t count, uint32_t depth, const char* what,
            uint32_t* values) {
  const auto descriptor = instruction::decode(word, instruction::DescriptorForm::sm_100);
  if (!descriptor || descriptor->leading_is_address) {
    raise(w, in, FaultKind::unsupported, static_cast<int>(lane),
          formatted("{:#x} is no matrix descriptor of {} that is simulated (unknown bits, or an "
                    "address as leading offset)",
                    word, what));
    return false;
  }
  const int bits = instruction::bits(packing.type);
  const uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  const bool k_major = major == Major::k;
  const uint32_t along_count = k_major ? depth : count, across_count = k_major ? count : depth;
  OperandReader reader(*descriptor, major, block.shared);
  for (uint32_t across = 0; across < across_count; ++across)
    for (uint32_t along = 0; along < along_count; ++along) {
      const Offset offset = offset_of(packing, along);
      // A 6-bit element may cross into the next byte of its 16-byte unit.
      const uint32_t bytes = bits >= 8 ? static_cast<uint32_t>(bits) / 8
                                       : (offset.bit + static_cast<uint32_t>(bits) + 7) / 8;
      uint32_t value = 0;
      if (!reader.read(offset.byte, across, bytes, value)) {
        const uint32_t address = operand_address(*descriptor, major, offset.byte, across);
        raise(w, in, FaultKind::lds_out_of_bounds, static_cast<int>(lane),
              formatted(
                  "{} reaches to address {:#x} of shared memory, which the block has from {:#x} "
                  "to {:#x}",
                  what, address, shared_begin, block.shared.size()),
              address);
        return false;
      }
      const uint32_t mn = k_major ? across : along, k = k_major ? along : across;
      values[mn * depth + k] = value >> offset.bit & mask;
    }
  return true;
}

uint64_t checksum(uint64_t start, const std::vector<uint32_t>& values) {
  for (const uint32_t value : values) start = (start ^ value) * 0x100000001b3u;
  return start;
}

struct Operands {
  std::vector<uint32_t> a, b;  // bits: m x k that A stores, n x k
};

// False, with a fault, if the operand may not be transposed. It is assumed that elements of 4 and 6
// bits in 16-byte units are transposed by whole units, as 8-bit elements are. Packed elements
// (kind::mxf4 and mxf4nvf4) may not be transposed.
bool major_fits(Warp& w, const Record& in, unsigned lane, const instruction::Instruction& row,
                instruction::Operand operand, bool packed, Major major, uint64_t word) {
  if (major == Major::k) return true;
  const auto descriptor = instruction::decode(word, instruction::DescriptorForm::sm_100);
  const bool fits =
      descriptor && !packed && instruction::may_be_mn_major(row, operand, descriptor->swizzle);
  if (!fits)
    raise(w, in, FaultKind::unsupported, static_cast<int>(lane),
          formatted("{} may not be transposed with this type and swizzle",
                    operand == instruction::Operand::a ? "A" : "B"));
  return fits;
}

bool read_shared(Warp& w, const Record& in, unsigned lane, const MultiplyForm& form,
                 const Shape& shape, const instruction::Instruction& row, uint64_t a_word,
                 uint64_t b_word, Operands& operands) {
  const auto depth = static_cast<uint32_t>(row.k), stored = form.sparse ? depth / 2 : depth;
  const bool packed = form.k == 64;
  using instruction::Operand;
  if (!major_fits(w, in, lane, row, Operand::b, packed, shape.b_major, b_word) ||
      (!form.a_in_memory &&
       !major_fits(w, in, lane, row, Operand::a, packed, shape.a_major, a_word)))
    return false;
  operands.b.resize(std::size_t{shape.n} * depth);
  if (!form.a_in_memory) operands.a.resize(std::size_t{shape.m} * stored);
  const uint32_t rows = shape.m / form.blocks, columns = shape.n / form.blocks;
  for (uint32_t i = 0; i < form.blocks; ++i) {
    // In a pair of blocks, the block with the even rank has the first half of B.
    const Block* block = w.block;
    if (form.blocks == 2) {
      if (tensor_peer(w, in, lane) == nullptr) return false;
      block = &w.block->cluster->blocks[(w.block->rank & ~1u) + i];
    }
    if (!gather(w, in, lane, *block, b_word, shape.b_major, {shape.b_type, packed}, columns, depth,
                "B", operands.b.data() + std::size_t{i} * columns * depth))
      return false;
    if (!form.a_in_memory &&
        !gather(w, in, lane, *block, a_word, shape.a_major, {shape.a_type, packed}, rows, stored,
                "A", operands.a.data() + std::size_t{i} * rows * stored))
      return false;
  }
  return true;
}

// --- one multiply --------------------------------------------------------------------------------

// The request of one thread.
struct Multiply {
  Warp& w;
  const Record& in;
  unsigned lane;
  const MultiplyForm& form;
  Shape shape;
  std::shared_ptr<const ProductTable> table;
  std::array<Block*, 2> blocks{};  // the even one first; of one block alone twice that
  uint64_t a_word = 0, b_word = 0;
  Operands operands;
  std::vector<TensorAccess> reads;  // of tensor memory

  Block& block_of(const TensorPlace& at) const { return *blocks[at.lane / TensorMemory::lanes]; }
  uint32_t word(const TensorPlace& at, uint32_t column) const {
    TensorMemory& tensor = block_of(at).tensor;
    const uint32_t lane_there = at.lane % TensorMemory::lanes;
    // Words that a pending tcgen05.st writes are undefined.
    if (tensor.is_marked(TensorMemory::Mark::store, lane_there, column + at.column))
      return TensorMemory::undefined;
    return tensor.at(lane_there, column + at.column);
  }
  uint32_t bits(const TensorPlace& at, uint32_t column, int width) const {
    const uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
    return word(at, column) >> at.bit & mask;
  }
  // In a checked launch, records a read of tensor memory. lanes_of(block) returns the groups of
  // lanes that are read.
  void note_read(uint32_t column, uint32_t columns, auto lanes_of) {
    if (w.block->cluster->watch == nullptr) return;
    for (std::size_t i = 0; i < form.blocks; ++i)
      reads.push_back({blocks[i],
                       {static_cast<uint16_t>(column), static_cast<uint16_t>(columns), lanes_of(i)},
                       false});
  }
  void note_read(uint32_t column, uint32_t columns, const std::vector<TensorPlace>& places) {
    note_read(column, columns, [&](std::size_t block) {
      uint8_t groups = 0;
      for (const TensorPlace& at : places)
        if (form.blocks == 1 || at.lane / TensorMemory::lanes == block)
          groups |=
              static_cast<uint8_t>(1u << at.lane % TensorMemory::lanes / TensorMemory::group_lanes);
      return groups;
    });
  }
  void fault(FaultKind kind, std::string message) const {
    raise(w, in, kind, static_cast<int>(lane), std::move(message));
  }
};

// The column of an address in tensor memory; nothing after a fault. The address's lane must be one
// at which the operand may begin: 0, and also 16 if the row of the catalogue has a selector for the
// operand.
std::optional<uint32_t> column_of(const Multiply& at, const AddressWord& word, uint32_t columns,
                                  uint32_t selectors, const char* what) {
  const uint32_t address = address_of(at.w, at.in, word, at.lane);
  const uint32_t lane = tensor_lane(address);
  if (lane % TensorMemory::group_lanes != 0 || lane / TensorMemory::group_lanes >= selectors) {
    at.fault(FaultKind::unsupported,
             formatted("{} is at address {:#x} of tensor memory, which begins at lane {}: {} is "
                       "wanted here",
                       what, address, lane, selectors > 1 ? "0 or 16" : "0"));
    return {};
  }
  for (uint32_t i = 0; i < at.form.blocks; ++i)
    if (!tensor_access(at.w, at.in, at.lane, *at.blocks[i], tensor_column(address), columns))
      return {};
  return tensor_column(address);
}

// The places of A in tensor memory if A is sparse or scaled or the instruction has .ws. It is
// assumed that each lane holds a row, and that the elements of a row are contiguous. Sources state
// this only for a dense, unscaled A.
std::vector<TensorPlace> assumed_places(const Multiply& at, uint32_t& columns) {
  const auto bits = static_cast<uint32_t>(instruction::bits(at.shape.a_type));
  const uint32_t stored = static_cast<uint32_t>(at.table->row.k) / (at.form.sparse ? 2 : 1);
  std::vector<TensorPlace> places;
  for (uint32_t m = 0; m < at.shape.m; ++m)
    for (uint32_t bit = 0; bit < stored * bits; bit += bits)
      places.push_back({static_cast<uint16_t>(bit / 32), static_cast<uint8_t>(m),
                        static_cast<uint8_t>(bit % 32)});
  columns = stored * bits / 32;
  return places;
}

bool read_a_of_tensor_memory(Multiply& at) {
  const auto& map = at.table->row.a;
  const int bits = instruction::bits(at.shape.a_type);
  if (bits < 8 && at.form.k != 64) {
    at.fault(FaultKind::unsupported,
             "A of 4 or 6 bits in bytes of tensor memory is not simulated, as which bits of a byte "
             "they are is in figures of the ISA alone");
    return false;
  }
  const bool is_known = bits >= 8 && map.registers > 0;
  if (!is_known && at.shape.m != TensorMemory::lanes * at.form.blocks) {
    at.fault(FaultKind::unsupported,
             "A in tensor memory in this shape is not simulated, as no source says where its "
             "elements lie");
    return false;
  }
  const uint32_t address = address_of(at.w, at.in, at.form.a, at.lane);
  const uint32_t selectors = !is_known || at.table->a[1].empty() ? 1 : 2;
  uint32_t columns = is_known ? static_cast<uint32_t>(map.registers) : 0;
  std::vector<TensorPlace> assumed;
  if (!is_known) assumed = assumed_places(at, columns);
  const auto& places =
      is_known ? at.table->a[selectors > 1 ? tensor_lane(address) / 16 % 2 : 0] : assumed;
  const auto column = column_of(at, at.form.a, columns, selectors, "A");
  if (!column) return false;
  at.note_read(*column, columns, places);
  at.operands.a.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    at.operands.a[i] = at.bits(places[i], *column, bits);
  return true;
}

// Reads the scales of A (m x scales) or B (n x scales). The copies of a scale in different lanes
// must be equal.
bool read_scales(Multiply& at, bool of_a, std::vector<uint32_t>& scales) {
  const auto& row = at.table->row;
  const auto& all = of_a ? at.table->scale_a : at.table->scale_b;
  const auto& map = of_a ? row.scale_a : row.scale_b;
  const uint32_t count = of_a ? at.shape.m : at.shape.n;
  const ScaleOperand tried =
      tried_scales(at.w, {.is_b = !of_a,
                          .rows = count,
                          .blocks = at.form.scales,
                          .number = of_a ? at.shape.scale_a : at.shape.scale_b,
                          .is_in_tensor_memory = true,
                          .order = {}});
  const uint32_t id = tried.number;
  const uint32_t selector = at.form.scales == 1 ? id : at.form.scales == 2 ? id / 2 : 0;
  if (map.registers == 0 || (at.form.scales == 2 && id % 2 != 0) ||
      (at.form.scales == 4 && id != 0) || all[selector].empty()) {
    at.fault(FaultKind::unsupported,
             formatted("scales with number {} in the instruction descriptor, of {} in a row, are "
                       "not simulated",
                       id, at.form.scales));
    return false;
  }
  const auto& places = all[selector];
  uint32_t columns = 0;
  const auto depth = static_cast<std::size_t>(row.k), each = depth / at.form.scales;
  const auto place_of = [&](std::size_t i, std::size_t scale) {
    // The places are in row-major order: m x k for A, k x n for B.
    return places[of_a ? i * depth + scale * each : scale * each * count + i];
  };
  for (std::size_t i = 0; i < count; ++i)
    columns = std::max<uint32_t>(columns, place_of(i, 0).column + 1u);
  AddressWord address = of_a ? at.form.scale_a : at.form.scale_b;
  address.offset += tried.columns;
  const auto column =
      column_of(at, address, columns, 1, of_a ? "the scale of A" : "the scale of B");
  if (!column) return false;
  at.note_read(*column, columns, [](std::size_t) { return uint8_t{0xff}; });
  scales.resize(std::size_t{count} * at.form.scales);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t scale = 0; scale < at.form.scales; ++scale) {
      const std::size_t from = source_of(tried, i * at.form.scales + scale);
      TensorPlace place = place_of(from / at.form.scales, from % at.form.scales);
      const uint32_t found = at.bits(place, *column, 8);
      for (int copy = 0; copy < 4; ++copy) {
        TensorPlace other = place;
        other.lane = static_cast<uint8_t>(place.lane + 32 * copy);
        if (at.bits(other, *column, 8) == found) continue;
        at.fault(
            FaultKind::wmma_unequal_copies,
            formatted("the scale of {} {} {} is {:#x} in lane {} of tensor memory and {:#x} in "
                      "lane {}: all four quarters must have it",
                      of_a ? "A, row" : "B, column", i, scale, found, place.lane,
                      at.bits(other, *column, 8), other.lane));
        return false;
      }
      scales[i * at.form.scales + scale] = found;
    }
  return true;
}

// For each element of a sparse A, the k of the elements of B with which it is multiplied: m x k / 2
// numbers. (PTX ISA 9.0, "Sparse matrix storage"; matrix.cpp)
bool read_index(Multiply& at, std::vector<uint32_t>& kept) {
  const auto& row = at.table->row;
  if (row.index.registers == 0) {
    at.fault(FaultKind::unsupported,
             "a sparse A of this shape is not simulated, as no source says "
             "where its index lies");
    return false;
  }
  const auto column =
      column_of(at, at.form.index, static_cast<uint32_t>(row.index.registers), 1, "the index");
  if (!column) return false;
  at.note_read(*column, static_cast<uint32_t>(row.index.registers), at.table->index);
  const auto depth = static_cast<std::size_t>(row.k);
  const std::size_t step = at.form.kind == "tf32" ? 2 : at.form.k == 64 ? 8 : 4;
  const std::size_t run = std::max<std::size_t>(step / 4, 1);
  kept.clear();
  for (std::size_t m = 0; m < at.shape.m; ++m)
    for (std::size_t first = 0; first < depth; first += step) {
      const uint32_t places = at.bits(at.table->index[m * depth + first], *column, 4);
      for (std::size_t i = 0; i < step / 2; ++i) {
        const std::size_t number = places >> (2 * (i / run)) & 3;
        kept.push_back(
            static_cast<uint32_t>(first + (step == 2 ? number / 2 : number * run + i % run)));
      }
    }
  return true;
}

int64_t saturated(int64_t sum, bool saturates) {
  return saturates ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum;
}

// D = A x B + C. A is m x k (for a sparse A, the stored half), B is n x k, C and D are m x n.
// `kept` is the result of read_index() for a sparse A.
void multiply(Multiply& at, const std::vector<uint32_t>& kept, const std::vector<uint32_t>& scale_a,
              const std::vector<uint32_t>& scale_b, std::vector<uint32_t>& sums) {
  const Shape& shape = at.shape;
  const uint32_t depth = static_cast<uint32_t>(at.table->row.k);
  const uint32_t stored = at.form.sparse ? depth / 2 : depth;
  std::vector<uint32_t>& a = at.operands.a;
  const uint32_t columns = shape.n;
  thread_local std::vector<uint32_t> b;
  b.resize(std::size_t{depth} * columns);
  const auto prepare = [](ElementType type, bool negates, uint32_t bits) {
    if (negates) bits ^= 1u << (instruction::bits(type) - 1);
    return summed_element(type, bits);
  };
  for (uint32_t& bits : a) bits = prepare(shape.a_type, shape.negates_a, bits);
  for (uint32_t n = 0; n < columns; ++n)
    for (uint32_t k = 0; k < depth; ++k)
      b[std::size_t{k} * columns + n] =
          prepare(shape.b_type, shape.negates_b, at.operands.b[std::size_t{n} * depth + k]);
  if (shape.d_type == ElementType::i32) {
    for (uint32_t m = 0; m < shape.m; ++m)
      for (uint32_t n = 0; n < columns; ++n) {
        int64_t sum = static_cast<int32_t>(sums[std::size_t{m} * columns + n]);
        for (uint32_t k = 0; k < stored; ++k) {
          const uint32_t of_b = at.form.sparse ? kept[std::size_t{m} * stored + k] : k;
          sum += integer_element(shape.a_type, a[std::size_t{m} * stored + k]) *
                 integer_element(shape.b_type, b[std::size_t{of_b} * columns + n]);
        }
        sums[std::size_t{m} * columns + n] = static_cast<uint32_t>(saturated(sum, shape.saturates));
      }
    return;
  }
  ProductForm form;
  form.a_type = summed_type(shape.a_type);
  form.b_type = summed_type(shape.b_type);
  form.c_type = form.d_type = shape.d_type;
  form.rule = instruction::tensor_sum_rule(
      {instruction::Family::sm100, instruction::TensorUnit::tcgen05, shape.a_type, shape.b_type,
       static_cast<int>(stored), at.form.sparse, is_scaled(at.form)});
  form.m = shape.m;
  form.n = columns;
  form.k = stored;
  if (!at.form.sparse && !is_scaled(at.form))
    return sum_products(form, a.data(), b.data(), sums.data(), sums.data());
  std::vector<uint32_t> rows_of_b(std::size_t{stored} * columns);
  form.m = 1;
  for (uint32_t m = 0; m < shape.m; ++m) {
    const uint32_t* rows = b.data();
    if (at.form.sparse) {
      for (uint32_t k = 0; k < stored; ++k)
        std::copy_n(b.data() + std::size_t{kept[std::size_t{m} * stored + k]} * columns, columns,
                    rows_of_b.data() + std::size_t{k} * columns);
      rows = rows_of_b.data();
    }
    uint32_t* const sum = sums.data() + std::size_t{m} * columns;
    if (is_scaled(at.form))
      sum_scaled_products(form, {shape.scale_type, at.form.scales},
                          a.data() + std::size_t{m} * stored, rows,
                          scale_a.data() + std::size_t{m} * at.form.scales, scale_b.data(), sum);
    else
      sum_products(form, a.data() + std::size_t{m} * stored, rows, sum, sum);
  }
}

// D times 2^-exponent.
uint32_t scaled_input(ElementType type, uint32_t bits, uint32_t exponent) {
  if (exponent == 0) return bits;
  const FloatFormat format = type == ElementType::f16 ? format_f16 : format_f32;
  return static_cast<uint32_t>(encode(format,
                                      std::ldexp(decode(format, bits), -static_cast<int>(exponent)),
                                      Rounding::nearest_even));
}

// Tells the race detector which bytes of shared memory are read. The descriptors have been checked
// before.
void watch_operands(const Multiply& at) {
  const MultiplyForm& form = at.form;
  RaceWatch& watch = *at.w.block->cluster->watch;
  const auto operation =
      watch.issue({Engine::tensor, at.w, at.lane, static_cast<uint32_t>(at.w.tensor_issues)}, at.in,
                  1u << at.lane);
  const auto depth = static_cast<uint32_t>(at.table->row.k);
  const auto look = [&](const Block& block, uint64_t word, Major major, const Packing& packing,
                        uint32_t count, uint32_t k, const char* what) {
    const auto descriptor = instruction::decode(word, instruction::DescriptorForm::sm_100);
    const bool k_major = major == Major::k;
    const Offset last = offset_of(packing, (k_major ? k : count) - 1);
    const uint32_t end =
        last.byte + (last.bit + static_cast<uint32_t>(instruction::bits(packing.type)) + 7) / 8;
    const bool is_padded = !packing.packed && instruction::bits(packing.type) < 8;
    const auto used = is_padded ? 2 * static_cast<uint32_t>(instruction::bits(packing.type)) : 16u;
    watch.reads(operation, block,
                {*descriptor, major, {0, end}, {0, k_major ? count : k}, what, used});
  };
  for (uint32_t i = 0; i < form.blocks; ++i) {
    const Block& block = *at.blocks[i];
    look(block, at.b_word, at.shape.b_major, {at.shape.b_type, form.k == 64},
         at.shape.n / form.blocks, depth, "B");
    if (!form.a_in_memory)
      look(block, at.a_word, at.shape.a_major, {at.shape.a_type, form.k == 64},
           at.shape.m / form.blocks, form.sparse ? depth / 2 : depth, "A");
  }
}

void execute(Multiply& at) {
  const MultiplyForm& form = at.form;
  const Shape& shape = at.shape;
  const ProductTable& table = *at.table;
  const uint32_t address = address_of(at.w, at.in, form.d, at.lane);
  const auto columns = static_cast<uint32_t>(table.row.d.registers);
  const auto column = column_of(at, form.d, columns, table.selectors, "D");
  if (!column) return;
  const uint32_t selector = table.selectors > 1 ? tensor_lane(address) / 16 : 0;
  if (!read_shared(at.w, at.in, at.lane, form, shape, table.row, at.a_word, at.b_word, at.operands))
    return;
  if (at.w.block->cluster->watch != nullptr) watch_operands(at);
  PendingTensorOperation operation;
  operation.lane = at.lane;
  operation.checksum = checksum(form.a_in_memory ? 0 : checksum(0, at.operands.a), at.operands.b);
  operation.descriptors = {at.a_word, at.b_word};
  operation.shape = get<uint32_t>(at.w.at(at.in.operand[form.shape_word]), at.lane);
  if (form.a_in_memory && !read_a_of_tensor_memory(at)) return;
  std::vector<uint32_t> kept, scale_a, scale_b;
  if (form.sparse && !read_index(at, kept)) return;
  if (is_scaled(form) && (!read_scales(at, true, scale_a) || !read_scales(at, false, scale_b)))
    return;
  const std::vector<TensorPlace>& places = table.d[selector];
  const bool adds = (*at.w.at(at.in.operand[form.enable_word]) >> at.lane & 1) != 0;
  const int width = table.row.d.bits;
  std::vector<uint32_t> sums(places.size(), 0);
  for (std::size_t i = 0; adds && i < places.size(); ++i)
    sums[i] = scaled_input(shape.d_type, at.bits(places[i], *column, width), form.scale_input);
  multiply(at, kept, scale_a, scale_b, sums);
  std::array<uint32_t, 8> disabled{};
  for (uint32_t i = 0; i < form.disabled_words; ++i)
    disabled[i] = get<uint32_t>(at.w.at(at.in.operand[form.disabled_word + i]), at.lane);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if ((disabled[places[i].lane / 32] >> places[i].lane % 32 & 1) != 0) continue;
    const uint32_t lane = places[i].lane % TensorMemory::lanes;
    // An f16 sum takes a whole column; the column's upper half is not used.
    at.block_of(places[i]).tensor.at(lane, *column + places[i].column) = sums[i];
  }
  Cluster& cluster = *at.w.block->cluster;
  ++cluster.counts.matrix;
  cluster.extra_work += uint64_t{shape.m} * shape.n * static_cast<uint32_t>(table.row.k) / 64;
  for (uint32_t i = 0; i < form.blocks; ++i)
    operation.written[at.blocks[i] == at.w.block ? 0 : 1] = {
        static_cast<uint16_t>(*column), static_cast<uint16_t>(columns), table.groups[selector][i]};
  begin_tensor_operation(at.w, at.in, operation, at.reads, form.blocks);
}

std::optional<Shape> checked_shape(Warp& w, const Record& in, unsigned lane,
                                   const MultiplyForm& form, uint32_t word) {
  const auto shape = shape_of(form, word);
  if (!shape)
    raise(w, in, FaultKind::unsupported, static_cast<int>(lane),
          formatted("{:#x} is no instruction descriptor of kind::{}{} that is simulated", word,
                    std::string(form.kind), form.sparse ? " with a sparse A" : ""));
  return shape;
}

}  // namespace

void multiply_tensors(Warp& w, const Record& in, uint32_t lanes) {
  const auto& form = *static_cast<const MultiplyForm*>(in.extra);
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    const auto word = get<uint32_t>(w.at(in.operand[form.shape_word]), l);
    const auto shape = checked_shape(w, in, l, form, word);
    if (!shape) return;
    Multiply at{.w = w,
                .in = in,
                .lane = l,
                .form = form,
                .shape = *shape,
                .table = {},
                .operands = {},
                .reads = {}};
    at.table = table_of(form, *shape);
    if (at.table == nullptr)
      return at.fault(
          FaultKind::unsupported,
          formatted("there is no {} of m {} and n {} with such D", form.name, shape->m, shape->n));
    at.blocks = {w.block, w.block};
    if (form.blocks == 2) {
      if (tensor_peer(w, in, l) == nullptr) return;
      auto& all = w.block->cluster->blocks;
      at.blocks = {&all[w.block->rank & ~1u], &all[w.block->rank | 1u]};
    }
    if (!form.a_in_memory) at.a_word = w.at(in.operand[form.a_word])[l];
    at.b_word = w.at(in.operand[form.b_word])[l];
    const uint64_t mask = form.mask_word ? w.at(in.operand[*form.mask_word])[l] : 0;
    if ((mask >> 39 & 1) != 0 || mask >> 56 != 0)
      return at.fault(FaultKind::unsupported,
                      "a zero-column mask that names columns (bit 39), or shifts them, is not "
                      "simulated: how it is made of its spans is in figures of the ISA alone");
    constexpr auto sm_100 = instruction::DescriptorForm::sm_100;
    const auto width = [](ElementType type) { return std::max(instruction::bits(type), 8); };
    if (!form.a_in_memory)
      try_operand(w, false, sm_100, width(shape->a_type), at.a_word, at.shape.a_major);
    try_operand(w, true, sm_100, width(shape->b_type), at.b_word, at.shape.b_major);
    execute(at);
  });
  ++w.block->cluster->changes;
}

uint64_t read_again(Warp& w, const PendingTensorOperation& operation) {
  const Record& in = *operation.record;
  if (in.detail == tensor_copy_detail) return read_copy_again(w, operation);
  const auto& form = *static_cast<const MultiplyForm*>(in.extra);
  const auto shape = checked_shape(w, in, operation.lane, form, operation.shape);
  if (!shape) return 0;
  const auto table = table_of(form, *shape);
  Operands operands;
  if (table == nullptr ||
      !read_shared(w, in, operation.lane, form, *shape, table->row, operation.descriptors[0],
                   operation.descriptors[1], operands))
    return 0;
  return checksum(form.a_in_memory ? 0 : checksum(0, operands.a), operands.b);
}

}  // namespace heddle::emulator::ptx
