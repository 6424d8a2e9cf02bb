#include "compiler/warp/contraction.h"

#include <bit>

#include "compiler/warp/layouts.h"
#include "compiler/warp/refusal.h"
#include "heddle/instruction/catalogue.h"

namespace heddle::compiler {

using instruction::ElementType;
using instruction::Instruction;
using instruction::Operand;
using layout::LinearLayout;

mlir::LogicalResult refuse(mlir::Operation* operation, const llvm::Twine& found,
                           const llvm::Twine& accepted) {
  // Not operation->emitError(), which adds a note with the whole operation.
  return mlir::emitError(operation->getLoc()) << found << "; accepted: " << accepted;
}

namespace {

constexpr llvm::StringLiteral accepted_contraction =
    "a product of two matrices: vectors of two dimensions, three iterators, maps that are "
    "projections such as (d0, d1, d2) -> (d0, d2)";

// The only iterator of the contraction that occurs in both maps. Null if none does, or if several
// do.
std::optional<unsigned> shared_iterator(mlir::AffineMap x, mlir::AffineMap y) {
  std::optional<unsigned> shared;
  for (const mlir::AffineExpr expression : x.getResults()) {
    const unsigned iterator = mlir::cast<mlir::AffineDimExpr>(expression).getPosition();
    if (!y.isFunctionOfDim(iterator)) continue;
    if (shared) return std::nullopt;
    shared = iterator;
  }
  return shared;
}

// `map` has two results, one of which is the iterator. Returns which one: 0 or 1.
int place_of(mlir::AffineMap map, unsigned iterator) {
  return mlir::cast<mlir::AffineDimExpr>(map.getResult(0)).getPosition() == iterator ? 0 : 1;
}

}  // namespace

mlir::FailureOr<Contraction> read_contraction(mlir::vector::ContractionOp contract) {
  if (contract.getKind() != mlir::vector::CombiningKind::ADD)
    return refuse(contract,
                  "a contraction that combines by " +
                      mlir::vector::stringifyCombiningKind(contract.getKind()),
                  "kind = #vector.kind<add>");
  const auto is_matrix = [](mlir::Type type) {
    const auto vector = mlir::dyn_cast<mlir::VectorType>(type);
    return is_warp_vector(type) && vector.getRank() == 2;
  };
  if (!is_matrix(contract.getLhsType()) || !is_matrix(contract.getRhsType()) ||
      !is_matrix(contract.getAccType()))
    return refuse(contract,
                  "a contraction of " + printed(contract.getLhsType()) + " and " +
                      printed(contract.getRhsType()) + " into " + printed(contract.getAccType()),
                  accepted_contraction);
  const llvm::SmallVector<mlir::AffineMap> maps = contract.getIndexingMapsArray();
  for (const mlir::AffineMap map : maps)
    if (map.getNumDims() != 3 || !map.isProjectedPermutation())
      return refuse(contract, "a contraction with other indexing maps", accepted_contraction);
  const auto m = shared_iterator(maps[0], maps[2]);
  const auto n = shared_iterator(maps[1], maps[2]);
  const auto k = shared_iterator(maps[0], maps[1]);
  const auto types = contract.getIteratorTypesArray();
  const auto has = [&](unsigned iterator, mlir::vector::IteratorType type) {
    return types[iterator] == type;
  };
  if (!m || !n || !k || !has(*m, mlir::vector::IteratorType::parallel) ||
      !has(*n, mlir::vector::IteratorType::parallel) ||
      !has(*k, mlir::vector::IteratorType::reduction))
    return refuse(contract, "a contraction with other indexing maps", accepted_contraction);
  Contraction result;
  result.a_m = place_of(maps[0], *m);
  result.b_n = place_of(maps[1], *n);
  result.c_m = place_of(maps[2], *m);
  const auto a = contract.getLhsType(), b = contract.getRhsType();
  result.m = dimension_size(a, result.a_m);
  result.k = dimension_size(a, 1 - result.a_m);
  result.n = dimension_size(b, result.b_n);
  return result;
}

namespace {

instruction::Family family_of(const WarpOptions& options) {
  return instruction::processor(options.target).family;
}

bool is_amd(const WarpOptions& options) { return !instruction::is_nvidia(family_of(options)); }

// The element type that the target's instructions use for an MLIR type: for f32, for example, xf32
// if the option tf32 is set. Null if there is none.
std::optional<ElementType> element_type(mlir::Type type, bool is_unsigned,
                                        const WarpOptions& options) {
  if (type.isF16()) return ElementType::f16;
  if (type.isBF16()) return ElementType::bf16;
  if (type.isF32()) return options.tf32 ? ElementType::xf32 : ElementType::f32;
  if (type.isF64()) return ElementType::f64;
  if (mlir::isa<mlir::Float8E4M3FNType>(type)) return ElementType::fp8;
  if (mlir::isa<mlir::Float8E5M2Type>(type)) return ElementType::bf8;
  if (mlir::isa<mlir::Float8E4M3FNUZType>(type)) return ElementType::fp8_fnuz;
  if (mlir::isa<mlir::Float8E5M2FNUZType>(type)) return ElementType::bf8_fnuz;
  if (type.isInteger(8)) {
    if (is_amd(options) && !instruction::is_cdna(family_of(options))) return ElementType::iu8;
    return is_unsigned ? ElementType::u8 : ElementType::i8;
  }
  return std::nullopt;
}

std::optional<ElementType> accumulator(mlir::Type type) {
  if (type.isF16()) return ElementType::f16;
  if (type.isBF16()) return ElementType::bf16;
  if (type.isF32()) return ElementType::f32;
  if (type.isF64()) return ElementType::f64;
  if (type.isInteger(32)) return ElementType::i32;
  return std::nullopt;
}

// True for instructions on 8-bit floats with k = 16. They came with PTX 8.7 (PTX ISA 9.0, mma, "PTX
// ISA Notes"), which drivers before CUDA 12.8 do not accept. Instructions with k = 32 are used
// instead: with operands padded by zeros they give the same result.
bool is_too_new(const Instruction& row) {
  const bool is_fp8 = row.a_type == ElementType::fp8 || row.a_type == ElementType::bf8;
  return instruction::is_nvidia(row.family()) && is_fp8 && row.k == 16;
}

bool is_usable(const Instruction& row, const WarpOptions& options) {
  return !is_too_new(row) && row.kind == instruction::Kind::multiply &&
         row.wave == options.lanes() && row.blocks == 1 && !row.is_sparse() &&
         !row.has(Operand::scale_a) && row.formats.empty() && !row.intrinsic.empty() &&
         row.is_of(family_of(options)) && row.a.storage == instruction::Storage::registers &&
         row.b.storage == instruction::Storage::registers && row.type(Operand::c) == row.d_type;
}

std::int64_t padded(std::int64_t size, int step) { return (size + step - 1) / step * step; }

const Instruction* best_row(ElementType a, ElementType b, ElementType d,
                            const Contraction& contraction, const WarpOptions& options) {
  const Instruction* best = nullptr;
  const auto volume = [&](const Instruction& row) {
    return padded(contraction.m, row.m) * padded(contraction.n, row.n) *
           padded(contraction.k, row.k);
  };
  const auto size = [](const Instruction& row) { return row.m * row.n * row.k; };
  for (const Instruction& row : instruction::all_instructions()) {
    if (row.a_type != a || row.b_type != b || row.d_type != d || !is_usable(row, options)) continue;
    if (best == nullptr || volume(row) < volume(*best) ||
        (volume(row) == volume(*best) && size(row) > size(*best)))
      best = &row;
  }
  return best;
}

// The element types that the target multiplies, for messages: "f16, bf16, ...".
std::string accepted_types(const WarpOptions& options) {
  std::string text;
  for (const Instruction& row : instruction::all_instructions()) {
    if (!is_usable(row, options) || bits(row.a_type) < 8 || row.a_type != row.b_type) continue;
    std::string name(instruction::name(row.a_type));
    if (row.a_type == ElementType::xf32) name = "f32 with the option tf32";
    if (row.a_type == ElementType::f32 && options.tf32) name = "f32 without the option tf32";
    if (row.a_type == ElementType::fp8) name = "f8E4M3FN";
    if (row.a_type == ElementType::bf8) name = "f8E5M2";
    if (row.a_type == ElementType::fp8_fnuz) name = "f8E4M3FNUZ";
    if (row.a_type == ElementType::bf8_fnuz) name = "f8E5M2FNUZ";
    if (row.a_type == ElementType::iu8) name = "i8";
    if (row.a_type == ElementType::i8 && is_amd(options)) name = "signed i8";
    if (row.a_type == ElementType::u8) continue;
    name += " into " + std::string(instruction::name(row.d_type));
    if ((", " + text + ",").find(", " + name + ",") != std::string::npos) continue;
    text += (text.empty() ? "" : ", ") + name;
  }
  return "on " + std::string(instruction::name(options.target)) + " " + text;
}

std::array<bool, 2> unsigned_operands(mlir::vector::ContractionOp contract) {
  const auto marks = contract->getAttrOfType<mlir::DenseBoolArrayAttr>(unsigned_attribute);
  if (!marks || marks.size() != 2) return {false, false};
  return {marks[0], marks[1]};
}

// The layout of a whole operand, a vector of `sizes`. In its registers come the fragment of one
// instruction, then its repetitions along the axis `inner`, then those along the other axis.
// `names` are the names of the two axes.
LinearLayout operand_layout(const Instruction& row, Operand operand,
                            std::array<layout::AxisName, 2> names,
                            std::array<std::int64_t, 2> sizes, const layout::AxisName& inner) {
  // A and B may number their k in any order if it is the same for both. NVIDIA's ldmatrix requires
  // the documented order.
  const auto order = instruction::is_nvidia(row.family()) ? instruction::KOrder::isa
                                                          : instruction::KOrder::contiguous;
  const LinearLayout fragment = instruction::fragment(row, operand, order);
  llvm::SmallVector<Basis> registers, lanes;
  for (const layout::AxisName in :
       {layout::AxisName("element"), layout::AxisName("register"), layout::AxisName("lane")}) {
    for (int bit = 0; bit < fragment.inputs().bits_of(in); ++bit) {
      const Basis basis{fragment.basis(in, bit, names[0]), fragment.basis(in, bit, names[1])};
      (in == "lane" ? lanes : registers).push_back(basis);
    }
  }
  std::array<std::uint64_t, 2> whole{};
  for (std::size_t i = 0; i < 2; ++i) {
    whole[i] = std::max(std::bit_ceil(static_cast<std::uint64_t>(sizes[i])),
                        fragment.output_size(names[i]));
  }
  const std::size_t first = names[0] == inner ? 0 : 1;
  for (const std::size_t i : {first, 1 - first}) {
    for (std::uint64_t step = fragment.output_size(names[i]); step < whole[i]; step *= 2) {
      Basis basis(2, 0);
      basis[i] = step;
      registers.push_back(basis);
    }
  }
  return layout_of(registers, lanes, whole);
}

Multiplication with_layouts(const Instruction& row, const Contraction& contraction) {
  Multiplication result;
  result.instruction = &row;
  result.contraction = contraction;
  const auto layout = [&](Operand operand, int place, const char* at_place, std::int64_t size,
                          const char* other, std::int64_t other_size, const char* inner) {
    std::array<layout::AxisName, 2> names{layout::AxisName(at_place), layout::AxisName(other)};
    std::array<std::int64_t, 2> sizes{size, other_size};
    if (place == 1) {
      std::swap(names[0], names[1]);
      std::swap(sizes[0], sizes[1]);
    }
    return operand_layout(row, operand, names, sizes, layout::AxisName(inner));
  };
  const auto& [m, n, k, a_m, b_n, c_m] = contraction;
  result.a = layout(Operand::a, a_m, "m", m, "k", k, "k");
  result.b = layout(Operand::b, b_n, "n", n, "k", k, "k");
  result.d = layout(Operand::d, c_m, "m", m, "n", n, "n");
  return result;
}

}  // namespace

mlir::FailureOr<Multiplication> choose_multiplication(mlir::vector::ContractionOp contract,
                                                      const WarpOptions& options) {
  const mlir::FailureOr<Contraction> contraction = read_contraction(contract);
  if (mlir::failed(contraction)) return mlir::failure();
  const mlir::Type a = contract.getLhsType().getElementType();
  const mlir::Type b = contract.getRhsType().getElementType();
  const mlir::Type c = mlir::cast<mlir::VectorType>(contract.getAccType()).getElementType();
  const auto [a_unsigned, b_unsigned] = unsigned_operands(contract);
  const auto a_type = element_type(a, a_unsigned, options);
  const auto b_type = element_type(b, b_unsigned, options);
  const auto d_type = accumulator(c);
  const Instruction* row = nullptr;
  if (a_type && b_type && d_type) {
    // AMD's f16 and bf16 accumulators round at every step, and on gfx11 half of each accumulator
    // register is unused. So sums of 16-bit floats are in f32 on AMD.
    const bool in_f32 = is_amd(options) && bits(*d_type) == 16;
    if (!in_f32) row = best_row(*a_type, *b_type, *d_type, *contraction, options);
    if (row == nullptr && bits(*d_type) == 16)
      row = best_row(*a_type, *b_type, ElementType::f32, *contraction, options);
  }
  if (row == nullptr)
    return refuse(contract,
                  "a product of " + printed(a) + " and " + printed(b) + " into " + printed(c),
                  accepted_types(options));
  return with_layouts(*row, *contraction);
}

mlir::FailureOr<Multiplication> chosen_multiplication(mlir::vector::ContractionOp contract,
                                                      const WarpOptions& options) {
  const auto name = contract->getAttrOfType<mlir::StringAttr>(instruction_attribute);
  if (!name) return choose_multiplication(contract, options);
  const mlir::FailureOr<Contraction> contraction = read_contraction(contract);
  if (mlir::failed(contraction)) return mlir::failure();
  const Instruction* row =
      instruction::find(std::string_view(name.getValue().data(), name.getValue().size()),
                        options.target, options.lanes());
  if (row == nullptr || !is_usable(*row, options))
    return refuse(contract, "the instruction " + name.getValue(),
                  "one that " + std::string(instruction::name(options.target)) + " has");
  return with_layouts(*row, *contraction);
}

mlir::Type accumulator_type(mlir::MLIRContext* context, const Instruction& row) {
  switch (row.d_type) {
    case ElementType::f16:
      return mlir::Float16Type::get(context);
    case ElementType::f64:
      return mlir::Float64Type::get(context);
    case ElementType::i32:
      return mlir::IntegerType::get(context, 32);
    default:
      return mlir::Float32Type::get(context);
  }
}

}  // namespace heddle::compiler
