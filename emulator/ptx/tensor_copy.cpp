// tcgen05.cp: copies rows from shared memory to lanes of tensor memory.
//
// Source: PTX ISA 9.0, "tcgen05.cp" and "Data Movement Shape". A row of 128 bits is a line of 16
// bytes in the layout of the matrix descriptor. A row of 256 bits is two such lines along k, as in
// CuTe's and Triton's copies of scales.
#include <algorithm>
#include <array>
#include <span>

#include "emulator/ptx/races.h"
#include "emulator/ptx/tensor_instructions.h"
#include "emulator/ptx/warpgroup.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

struct CopyRow {
  std::string_view shape, multicast;
  uint32_t rows, bytes;
  // The 128 lanes of tensor memory are four quarters of 32. For each quarter, the row of shared
  // memory that goes to the first lane of the quarter.
  std::array<uint32_t, 4> first;
};
constexpr CopyRow copy_rows[] = {
    {"128x256b", "", 128, 32, {0, 32, 64, 96}},
    {"128x128b", "", 128, 16, {0, 32, 64, 96}},
    {"64x128b", "warpx2::02_13", 64, 16, {0, 32, 0, 32}},
    {"64x128b", "warpx2::01_23", 64, 16, {0, 0, 32, 32}},
    {"32x128b", "warpx4", 32, 16, {0, 0, 0, 0}},
};

struct CopyForm {
  const CopyRow* row = nullptr;
  AddressWord to;
  uint32_t from = 0;  // the operand with the descriptor
  uint32_t blocks = 1;
};

// Reads the rows of a block's shared memory. Returns false after a fault.
bool read_rows(Warp& w, const Record& in, unsigned lane, const CopyRow& row, const Block& block,
               uint64_t word, std::vector<uint32_t>& words) {
  const auto descriptor = instruction::decode(word, instruction::DescriptorForm::sm_100);
  if (!descriptor || descriptor->leading_is_address) {
    raise(w, in, FaultKind::unsupported, static_cast<int>(lane),
          formatted("{:#x} is no matrix descriptor that is simulated (unknown bits, or an address "
                    "as leading offset)",
                    word));
    return false;
  }
  for (uint32_t i = 0; i < row.rows; ++i)
    for (uint32_t at = 0; at < row.bytes; at += 4) {
      const uint32_t address = operand_address(*descriptor, instruction::Major::k, at, i);
      if (address < shared_begin || address + uint64_t{4} > block.shared.size()) {
        raise(w, in, FaultKind::lds_out_of_bounds, static_cast<int>(lane),
              formatted("tcgen05.cp reaches to address {:#x} of shared memory, which the block has "
                        "from {:#x} to {:#x}",
                        address, shared_begin, block.shared.size()),
              address);
        return false;
      }
      std::memcpy(&words.emplace_back(), block.shared.data() + address, 4);
    }
  return true;
}

uint64_t checksum_of(const std::vector<uint32_t>& words) {
  uint64_t sum = 0;
  for (const uint32_t word : words) sum = (sum ^ word) * 0x100000001b3u;
  return sum;
}

// The blocks in which rows are copied: first this block; then, with .cta_group::2, the other block
// of its pair, otherwise null.
std::array<Block*, 2> blocks_of(Warp& w, const Record& in, unsigned lane, const CopyForm& form) {
  return {w.block, form.blocks == 2 ? tensor_peer(w, in, lane) : nullptr};
}

void copy_rows_of_lane(Warp& w, const Record& in, unsigned lane) {
  const auto& form = *static_cast<const CopyForm*>(in.extra);
  const CopyRow& row = *form.row;
  const uint32_t address = address_of(w, in, form.to, lane), column = tensor_column(address);
  const uint64_t word = w.at(in.operand[form.from])[lane];
  if (tensor_lane(address) != 0)
    return raise(w, in, FaultKind::unsupported, static_cast<int>(lane),
                 formatted("tcgen05.cp to address {:#x} of tensor memory, which does not begin at "
                           "lane 0",
                           address));
  PendingTensorOperation operation;
  operation.lane = lane;
  operation.descriptors[0] = word;
  std::vector<uint32_t> words;
  const uint32_t columns = row.bytes / 4;
  for (Block* block : blocks_of(w, in, lane, form)) {
    if (w.event != Event::none) return;
    if (block == nullptr) continue;
    const std::size_t begin = words.size();
    if (!tensor_access(w, in, lane, *block, column, columns) ||
        !read_rows(w, in, lane, row, *block, word, words))
      return;
    for (uint32_t at = 0; at < TensorMemory::lanes; ++at)
      std::copy_n(words.begin() +
                      static_cast<std::ptrdiff_t>(begin + (row.first[at / 32] + at % 32) * columns),
                  columns, &block->tensor.at(at, column));
    operation.written[block == w.block ? 0 : 1] = {static_cast<uint16_t>(column),
                                                   static_cast<uint16_t>(columns), 0xff};
  }
  if (RaceWatch* watch = w.block->cluster->watch) {
    const auto begun = watch->issue(
        {Engine::tensor, w, lane, static_cast<uint32_t>(w.tensor_issues)}, in, 1u << lane);
    for (const Block* block : blocks_of(w, in, lane, form))
      if (block != nullptr)
        watch->reads(begun, *block,
                     {*instruction::decode(word, instruction::DescriptorForm::sm_100),
                      instruction::Major::k,
                      {0, row.bytes},
                      {0, row.rows},
                      "the source"});
  }
  operation.checksum = checksum_of(words);
  w.block->cluster->extra_work += words.size() / 16;
  w.block->cluster->counts.shared_read += words.size() * 4;
  begin_tensor_operation(w, in, operation, {}, form.blocks);
}

void copy_to_tensor_memory(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    if (w.event == Event::none) copy_rows_of_lane(w, in, l);
  });
  ++w.block->cluster->changes;
}

}  // namespace

uint64_t read_copy_again(Warp& w, const PendingTensorOperation& operation) {
  const Record& in = *operation.record;
  const auto& form = *static_cast<const CopyForm*>(in.extra);
  std::vector<uint32_t> words;
  for (const Block* block : blocks_of(w, in, operation.lane, form))
    if (block != nullptr &&
        !read_rows(w, in, operation.lane, *form.row, *block, operation.descriptors[0], words))
      return 0;
  return checksum_of(words);
}

bool decode_tensor_copy(Decoder& d) {
  if (d.has("shift"))
    return refuse(
        d,
        "tcgen05.shift is not simulated: no source says in words whether rows move to the "
        "lane above or below");
  if (d.has("4x256b"))
    return refuse(d,
                  "tcgen05.cp.4x256b is not simulated: no source says in words which lanes its "
                  "four rows are");
  if (d.has("b8x16"))
    return refuse(d,
                  "tcgen05.cp that unpacks 4 or 6 bits is not simulated: which bits of a byte they "
                  "become is in figures of the ISA alone");
  CopyForm form;
  for (const CopyRow& row : copy_rows)
    if (d.has(row.shape) && (row.multicast.empty() || d.has(row.multicast))) form.row = &row;
  if (form.row == nullptr) return false;
  form.blocks = d.has("cta_group::2") ? 2 : 1;
  std::vector<uint32_t> words;
  form.to = address_word(d, d.operand(0), words);
  form.from = static_cast<uint32_t>(words.size());
  words.push_back(d.source(1, Type::b64));
  d.record().detail = tensor_copy_detail;
  d.record().handler = copy_to_tensor_memory;
  d.record().extra = d.keep(form);
  d.set_operands(std::move(words));
  return true;
}

}  // namespace heddle::emulator::ptx
