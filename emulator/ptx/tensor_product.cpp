#include "emulator/ptx/tensor_product.h"

#include <mutex>
#include <unordered_map>

#include "emulator/ptx/tensor_memory.h"
#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/places.h"
#include "heddle/instruction/ptx_name.h"
#include "heddle/instruction/tcgen05_mma_table.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {

using instruction::ElementType;
using instruction::Major;

namespace {

std::optional<ElementType> type_of(std::string_view kind, uint32_t code) {
  using enum ElementType;
  if (kind == "f16")
    return code == 0 ? std::optional(f16) : code == 1 ? std::optional(bf16) : std::nullopt;
  if (kind == "tf32") return code == 2 ? std::optional(xf32) : std::nullopt;
  if (kind == "i8")
    return code == 0 ? std::optional(u8) : code == 1 ? std::optional(i8) : std::nullopt;
  if (kind == "mxf4" || kind == "mxf4nvf4") return code == 1 ? std::optional(fp4) : std::nullopt;
  constexpr std::array types{std::optional(fp8), std::optional(bf8), std::optional<ElementType>(),
                             std::optional(fp6), std::optional(bf6), std::optional(fp4)};
  return code < types.size() ? types[code] : std::nullopt;
}

std::vector<TensorPlace> tensor_places_of(const instruction::Instruction& row,
                                          instruction::Operand operand, int selector) {
  const instruction::Places places =
      instruction::places(row, operand, instruction::KOrder::isa, selector);
  std::vector<TensorPlace> all(places.reg.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {static_cast<uint16_t>(places.reg[i]), static_cast<uint8_t>(places.lane[i]),
              static_cast<uint8_t>(places.bit[i])};
  return all;
}

std::shared_ptr<const ProductTable> table_named(const std::string& name) {
  using instruction::Operand;
  auto table = std::make_shared<ProductTable>();
  bool found = false;
  for (const instruction::Instruction& row : instruction::all_instructions()) {
    if (row.family() != instruction::Family::sm100 || !row.name.starts_with("tcgen05.mma"))
      continue;
    const auto chosen = instruction::match_ptx_name(row, name);
    if (!chosen) continue;
    table->row = *chosen;
    found = true;
    break;
  }
  if (!found) return nullptr;
  const auto fill = [&](std::array<std::vector<TensorPlace>, 4>& all, Operand operand) {
    if (table->row.map(operand).registers == 0) return 0u;
    const auto selectors =
        static_cast<uint32_t>(instruction::fragment(table->row, operand).output_size("selector"));
    for (uint32_t i = 0; i < selectors && i < all.size(); ++i)
      all[i] = tensor_places_of(table->row, operand, static_cast<int>(i));
    return selectors;
  };
  table->selectors = fill(table->d, Operand::d);
  fill(table->a, Operand::a);
  if (table->row.index.registers > 0)
    table->index = tensor_places_of(table->row, Operand::index, 0);
  fill(table->scale_a, Operand::scale_a);
  fill(table->scale_b, Operand::scale_b);
  for (uint32_t i = 0; i < table->selectors; ++i)
    for (const TensorPlace& at : table->d[i])
      table->groups[i][at.lane / TensorMemory::lanes] |=
          static_cast<uint8_t>(1u << at.lane % TensorMemory::lanes / TensorMemory::group_lanes);
  return table;
}

}  // namespace

std::optional<Shape> shape_of(const MultiplyForm& form, uint32_t word) {
  const auto field = [&](int first, int bits) { return word >> first & ((1u << bits) - 1); };
  Shape shape;
  const auto a_type = type_of(form.kind, field(7, 3)), b_type = type_of(form.kind, field(10, 3));
  if (!a_type || !b_type || (field(2, 1) != 0) != form.sparse) return {};
  shape.a_type = *a_type;
  shape.b_type = *b_type;
  shape.negates_a = field(13, 1) != 0;
  shape.negates_b = field(14, 1) != 0;
  if (field(15, 1) != 0) shape.a_major = Major::mn;
  if (field(16, 1) != 0) shape.b_major = Major::mn;
  shape.n = field(17, 6) * 8;
  shape.m = field(24, 5) * 16;
  if (is_scaled(form)) {
    shape.d_type = ElementType::f32;
    shape.scale_b = field(4, 2);
    shape.scale_a = field(29, 2);
    shape.scale_type = field(23, 1) != 0 ? ElementType::e8m0 : ElementType::ue4m3;
    if (field(31, 1) != 0 || field(0, 2) != 0) return {};
    return shape;
  }
  const uint32_t d_type = field(4, 2);
  shape.saturates = field(3, 1) != 0;
  shape.d_type = d_type == 0 ? ElementType::f16 : d_type == 1 ? ElementType::f32 : ElementType::i32;
  const bool is_integer = form.kind == "i8";
  if ((d_type == 2) != is_integer || d_type == 3 || field(0, 2) != 0 || field(6, 1) != 0 ||
      field(23, 1) != 0 || field(29, 1) != 0 || (shape.saturates && !is_integer) ||
      (is_integer && (shape.negates_a || shape.negates_b)))
    return {};
  return shape;
}

std::shared_ptr<const ProductTable> table_of(const MultiplyForm& form, const Shape& shape) {
  std::string name =
      formatted("{}.m{}n{}k{}.{}", form.name, shape.m, shape.n, form.k * (form.sparse ? 2 : 1),
                std::string(instruction::ptx_name(shape.d_type)));
  if (is_scaled(form)) name += "." + std::string(instruction::ptx_name(shape.scale_type));
  static std::mutex mutex;
  static std::unordered_map<std::string, std::shared_ptr<const ProductTable>> known;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(name); found != known.end()) return found->second;
  auto table = table_named(name);
  if (table != nullptr) known.emplace(name, table);
  return table;
}

// --- decoding ------------------------------------------------------------------------------------

namespace {

// Appends ".block_scale.block16" or ".block_scale.block32" to the name, as the catalogue writes it.
// Without a modifier, the size of the blocks follows from the kind.
bool add_scales(Decoder& d, MultiplyForm& form) {
  const bool is_mx = form.kind.starts_with("mx");
  if (d.has("block_scale") != is_mx) return false;
  if (!is_mx) return true;
  const bool by_16 = d.has("block16") || d.has("scale_vec::4X");
  d.has("block32");
  d.has("scale_vec::1X");
  d.has("scale_vec::2X");
  form.scales = by_16 ? 4 : form.kind == "mxf8f6f4" ? 1 : 2;
  if (by_16 && form.kind != "mxf4nvf4") return false;
  form.name += by_16 ? ".block_scale.block16" : ".block_scale.block32";
  return true;
}

}  // namespace

bool decode_tensor_multiply(Decoder& d) {
  MultiplyForm form;
  if (d.has("ashift"))
    return refuse(d,
                  ".ashift is not simulated: no source says in words whether rows of A move to the "
                  "lane above or below");
  form.weight_stationary = d.has("ws");
  form.sparse = d.has("sp");
  form.blocks = d.has("cta_group::2") ? 2 : 1;
  for (const instruction::TensorKind& kind : instruction::tensor_kinds) {
    if (!d.has("kind::" + std::string(kind.name))) continue;
    form.kind = kind.name;
    form.k = static_cast<uint32_t>(kind.k);
  }
  if (form.kind.empty()) return false;
  form.name =
      formatted("tcgen05.mma{}{}.cta_group::{}.kind::{}", form.weight_stationary ? ".ws" : "",
                form.sparse ? ".sp" : "", form.blocks, std::string(form.kind));
  if (!add_scales(d, form)) return false;
  std::vector<uint32_t> words;
  std::size_t next = 0;
  const auto word = [&](Type type) {
    words.push_back(d.source(next++, type));
    return static_cast<uint32_t>(words.size() - 1);
  };
  form.d = address_word(d, d.operand(next++), words);
  form.a_in_memory = d.operand(next).kind == Operand::Kind::address;
  if (form.a_in_memory)
    form.a = address_word(d, d.operand(next++), words);
  else
    form.a_word = word(Type::b64);
  form.b_word = word(Type::b64);
  if (form.sparse) form.index = address_word(d, d.operand(next++), words);
  form.shape_word = word(Type::b32);
  if (is_scaled(form)) {
    form.scale_a = address_word(d, d.operand(next++), words);
    form.scale_b = address_word(d, d.operand(next++), words);
  }
  if (d.operand(next).kind == Operand::Kind::vector) {
    const auto masks = d.parts(next++);
    if (masks.size() != 4 * form.blocks || form.weight_stationary || is_scaled(form))
      d.bad("disable-output-lane has a register for each 32 lanes of the block or of the pair");
    form.disabled_word = static_cast<uint32_t>(words.size());
    form.disabled_words = static_cast<uint32_t>(masks.size());
    for (const Operand* mask : masks) words.push_back(d.source(*mask, Type::b32));
  }
  form.enable_word = word(Type::pred);
  if (form.weight_stationary && next < d.operands()) {
    form.mask_word = word(Type::b64);
  } else if (next < d.operands()) {
    const Operand& scale = d.operand(next);
    if (scale.kind != Operand::Kind::number || scale.bits > 15 ||
        (form.kind != "f16" && form.kind != "tf32"))
      d.bad(scale, "a number from 0 to 15, the scale of D, is all that may stand here");
    form.scale_input = static_cast<uint32_t>(scale.bits);
  }
  d.record().handler = multiply_tensors;
  d.record().extra = d.keep(form);
  d.set_operands(std::move(words));
  return true;
}

}  // namespace heddle::emulator::ptx
