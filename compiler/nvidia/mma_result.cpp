#include "compiler/nvidia/mma_result.h"

#include <algorithm>

#include "compiler/kernel/expression_code.h"
#include "compiler/kernel/index_code.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using mlir::Value;

bool is_integer(mlir::Type type) { return mlir::isa<mlir::IntegerType>(type); }

Value sum_of(const MmaContext& context, Value x, Value y) {
  if (is_integer(x.getType())) return mlir::arith::AddIOp::create(context.builder, x, y);
  return mlir::arith::AddFOp::create(context.builder, x, y);
}

// Stores the sums of one thread, as many neighbours along n at once as fill 16 bytes. A register
// holds fewer of them: lanes that hold the next ones exchange them for those of the next atoms.
class Stores {
 public:
  Stores(const MmaContext& context, const BlockTile& tile, const MmaResult& result)
      : context_(context), all_(result), addend_(result.c), result_(result.d) {
    const layout::LinearLayout& held = context.plan.result;
    while (vector_bits_ < held.inputs().bits_of("register") && is_next("register", vector_bits_) &&
           fits(result_, vector_bits_ + 1) && fits(addend_, vector_bits_ + 1))
      ++vector_bits_;
    const int bits = width() * instruction::bits(result.request.sum_result);
    while (bits % 32 == 0 && lane_bits_ < held.inputs().bits_of("atom_n") &&
           is_next("lane", lane_bits_) && fits(result_, vector_bits_ + lane_bits_ + 1))
      ++lane_bits_;
    held_at_ = place(tile, held);
    stored_ = exchanged(held);
    stored_at_ = place(tile, stored_);
  }

  /// Of D's atoms from (atom_m, atom_n) on.
  void store_atoms(std::uint64_t atom_m, std::uint64_t atom_n, const Sums& sums) const {
    const layout::LinearLayout& held = context_.plan.result;
    const auto registers = held.input_size("register");
    const auto in_row = static_cast<std::uint64_t>(context_.plan.atoms_n());
    for (std::uint64_t first = 0; first < registers; first += width()) {
      std::vector<std::vector<Value>> pieces;
      for (std::uint64_t atom = atom_n; atom < atom_n + atoms(); ++atom) {
        const std::size_t at = (atom_m * in_row + atom) * registers + first;
        pieces.push_back(rounded(llvm::ArrayRef(sums).slice(at, width()),
                                 coordinates(held, held_at_, atom_m, atom, first)));
      }
      exchange(pieces);
      std::vector<Value> values;
      for (const std::vector<Value>& piece : pieces)
        values.insert(values.end(), piece.begin(), piece.end());
      store(values, coordinates(stored_, stored_at_, atom_m, atom_n, first));
    }
  }
  /// How many atoms along n are stored at a time.
  std::uint64_t atoms() const { return std::uint64_t{1} << lane_bits_; }

 private:
  std::size_t width() const { return std::size_t{1} << vector_bits_; }

  // A place in D: of the thread (i32), and further by constants.
  struct Place {
    Value m, n;
    std::int64_t down = 0, right = 0;
  };

  Place place(const BlockTile& tile, const layout::LinearLayout& map) const {
    return {context_.add(tile.m, thread_coordinate(context_, map, "m")),
            context_.add(tile.n, thread_coordinate(context_, map, "n"))};
  }
  static Place coordinates(const layout::LinearLayout& map, Place thread, std::uint64_t atom_m,
                           std::uint64_t atom_n, std::uint64_t first) {
    const layout::Coordinates at =
        map.apply({{"register", first}, {"atom_m", atom_m}, {"atom_n", atom_n}}).value();
    thread.down = static_cast<std::int64_t>(at.at("m"));
    thread.right = static_cast<std::int64_t>(at.at("n"));
    return thread;
  }

  // Whether bit `bit` of the axis moves by as many columns as one thread stores without it.
  bool is_next(const layout::AxisName& axis, int bit) const {
    const layout::LinearLayout& held = context_.plan.result;
    return held.basis(axis, bit, "n") == std::uint64_t{1} << (vector_bits_ + lane_bits_) &&
           held.basis(axis, bit, "m") == 0;
  }

  // Every row begins at a multiple of 1 << `bits` elements, and none ends within so many.
  static bool fits(const GlobalMatrix& matrix, int bits) {
    const std::int64_t count = std::int64_t{1} << bits;
    const std::int64_t bytes = count * matrix.element_bytes();
    const auto divides = [](std::int64_t divisor, const Extent& number) {
      return number.is_known() && number.known % divisor == 0;
    };
    const auto all = [&](const AxisExtent& axis, bool with_step) {
      return (!with_step || divides(bytes, axis.step)) &&
             std::ranges::all_of(axis.jumps, [&](const AxisExtent::Jump& jump) {
               return divides(bytes, jump.elements);
             });
    };
    const Extent& step = matrix.column.step;
    return !matrix.pointer ||
           (step.is_known() && step.known == matrix.element_bytes() &&
            divides(count, matrix.columns) && matrix.column.is_linear_in(count) &&
            all(matrix.column, false) && all(matrix.row, true) && all(matrix.batch, true) &&
            matrix.offset_bytes % bytes == 0 && bytes <= 16);
  }

  // Where elements are after the exchange: the lowest bits of lane and atom_n have changed places.
  layout::LinearLayout exchanged(const layout::LinearLayout& held) const {
    const layout::AxisList& in = held.inputs();
    layout::LinearLayout::Bases bases{};
    for (int bit = 0; bit < held.input_bits(); ++bit)
      bases[static_cast<std::size_t>(bit)] = held.basis(bit);
    for (int bit = 0; bit < lane_bits_; ++bit)
      std::swap(bases[static_cast<std::size_t>(in.offset(in.find("lane")) + bit)],
                bases[static_cast<std::size_t>(in.offset(in.find("atom_n")) + bit)]);
    return layout::LinearLayout::from_words(in, held.outputs(), bases).value();
  }

  // The pieces of as many atoms: bit b of the piece's number and bit b of the lane change places.
  void exchange(std::vector<std::vector<Value>>& pieces) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    if (lane_bits_ == 0) return;
    const auto bits = static_cast<int>(width()) * instruction::bits(all_.request.sum_result);
    const auto words = mlir::VectorType::get({bits / 32}, builder.getI32Type());
    const auto elements = mlir::VectorType::get({static_cast<std::int64_t>(width())},
                                                pieces.front().front().getType());
    for (std::vector<Value>& piece : pieces)
      piece = elements_of(bits / 32, cast(words, elements, piece));
    for (int bit = 0; bit < lane_bits_; ++bit) {
      const std::size_t step = std::size_t{1} << bit;
      const Value masked = mlir::arith::AndIOp::create(
          builder, context_.lane, context_.constant(static_cast<std::int64_t>(step)));
      const Value upper = mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::ne,
                                                      masked, context_.constant(0));
      for (std::size_t low = 0; low < pieces.size(); ++low) {
        if ((low & step) != 0) continue;
        for (std::size_t word = 0; word < pieces[low].size(); ++word)
          exchange(upper, pieces[low][word], pieces[low | step][word], step);
      }
    }
    for (std::vector<Value>& piece : pieces)
      piece = elements_of(static_cast<int>(width()), cast(elements, words, piece));
  }
  // A lane keeps one of both words and gets the other lane's for the other.
  void exchange(Value upper, Value& low, Value& high, std::size_t lanes) const {
    const Value sent = context_.select(upper, low, high);
    const Value received = mlir::NVVM::ShflOp::create(
        context_.builder, context_.builder.getI32Type(), context_.constant(-1), sent,
        context_.constant(static_cast<std::int64_t>(lanes)), context_.constant(31),
        mlir::NVVM::ShflKind::bfly, mlir::UnitAttr());
    low = context_.select(upper, received, low);
    high = context_.select(upper, high, received);
  }

  std::vector<Value> elements_of(int count, Value vector) const {
    std::vector<Value> all;
    for (int i = 0; i < count; ++i)
      all.push_back(
          mlir::LLVM::ExtractElementOp::create(context_.builder, vector, context_.constant(i)));
    return all;
  }
  Value vector_of(mlir::Type type, llvm::ArrayRef<Value> values) const {
    Value all = mlir::LLVM::PoisonOp::create(context_.builder, type);
    for (std::size_t i = 0; i < values.size(); ++i)
      all = mlir::LLVM::InsertElementOp::create(context_.builder, all, values[i],
                                                context_.constant(static_cast<std::int64_t>(i)));
    return all;
  }
  Value cast(mlir::Type to, mlir::Type from, llvm::ArrayRef<Value> values) const {
    return mlir::LLVM::BitcastOp::create(context_.builder, to, vector_of(from, values));
  }

  // i1: inside D; null: always.
  Value is_inside(const Place& at) const {
    Value valid;
    if (has_edge(result_.rows, context_.plan.tiles.m))
      valid = context_.less(context_.add(at.m, at.down), result_.rows);
    if (has_edge(result_.columns, context_.plan.tiles.n))
      valid = context_.both(valid, context_.less(context_.add(at.n, at.right), result_.columns));
    return valid;
  }

  static bool has_edge(const Extent& size, int tile) {
    return !size.is_known() || size.known % tile != 0;
  }

  Value pointer(const GlobalMatrix& matrix, const Place& at, std::int64_t further = 0) const {
    const bool linear = matrix.row.is_linear() && matrix.column.is_linear();
    const Value m = linear ? at.m : context_.add(at.m, at.down);
    const Value n = linear ? at.n : context_.add(at.n, at.right + further);
    const Value row = context_.further(matrix.pointer, context_.place(matrix.row, m));
    const Value first = context_.further(row, context_.place(matrix.column, n));
    if (!linear) return first;
    return context_.further(first,
                            context_.plus(context_.times(matrix.row.step, at.down),
                                          context_.times(matrix.column.step, at.right + further)));
  }

  mlir::Type number(ElementType type) const {
    return number_type(context_.builder.getContext(), type);
  }

  // Sums at `at`, C added, as the product's type.
  std::vector<Value> rounded(llvm::ArrayRef<Value> sums, const Place& at) const {
    std::vector<Value> values(sums.begin(), sums.end());
    if (addend_.pointer) add_elements(at, values);
    for (Value& value : values)
      value = converted(context_.builder, value, number(all_.request.sum_result));
    return values;
  }

  void add_elements(const Place& at, std::vector<Value>& values) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const mlir::Type element = number(addend_.element);
    Value from = pointer(addend_, at);
    // What is added outside the matrix is not stored.
    if (const Value valid = is_inside(at)) from = context_.select(valid, from, addend_.pointer);
    const mlir::Type type =
        values.size() == 1
            ? element
            : mlir::VectorType::get({static_cast<std::int64_t>(values.size())}, element);
    const auto align = static_cast<unsigned>(static_cast<int>(values.size()) *
                                             instruction::bits(addend_.element) / 8);
    const Value loaded = mlir::LLVM::LoadOp::create(builder, type, from, align);
    const std::vector<Value> parts = values.size() == 1
                                         ? std::vector<Value>{loaded}
                                         : elements_of(static_cast<int>(values.size()), loaded);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = sum_of(context_, values[i], converted(builder, parts[i], values[i].getType()));
  }

  void store(llvm::ArrayRef<Value> values, const Place& at) const {
    const Value valid = is_inside(at);
    if (!valid) {
      store_inside(values, at);
      return;
    }
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    auto inside = mlir::scf::IfOp::create(builder, valid, /*withElseRegion=*/false);
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&inside.getThenRegion().front());
    store_inside(values, at);
  }

  void store_inside(llvm::ArrayRef<Value> values, const Place& at) const {
    std::vector<Value> results;
    for (std::size_t i = 0; i < values.size(); ++i)
      results.push_back(finished(values[i], at, static_cast<std::int64_t>(i)));
    const mlir::Type element = number(result_.element);
    const auto count = static_cast<std::int64_t>(values.size());
    const Value stored =
        count == 1 ? results[0] : vector_of(mlir::VectorType::get({count}, element), results);
    const auto align = static_cast<unsigned>(count * instruction::bits(result_.element) / 8);
    mlir::LLVM::StoreOp::create(context_.builder, stored, pointer(result_, at), align);
  }

  // What the epilogue makes of a number.
  Value finished(Value value, const Place& at, std::int64_t further) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    std::vector<Value> inputs{value};
    for (const GlobalMatrix& extra : all_.extras) {
      const auto align = static_cast<unsigned>(instruction::bits(extra.element) / 8);
      inputs.push_back(mlir::LLVM::LoadOp::create(builder, number(extra.element),
                                                  pointer(extra, at, further), align));
    }
    const Value result = emit(builder, all_.request.epilogue, inputs);
    return converted(builder, result, number(result_.element));
  }

  const MmaContext& context_;
  const MmaResult& all_;
  const GlobalMatrix& addend_;
  const GlobalMatrix& result_;
  int vector_bits_ = 0;          // of a register's neighbours along n
  int lane_bits_ = 0;            // that are exchanged for those of atoms
  layout::LinearLayout stored_;  // the result after the exchange
  Place held_at_, stored_at_;    // of the thread before and after
};

}  // namespace

Sums initial_sums(const MmaContext& context, double constant) {
  const plan::MmaPlan& plan = context.plan;
  const mlir::Type type = sum_type(context);
  const mlir::TypedAttr value = is_integer(type)
                                    ? mlir::TypedAttr(context.builder.getIntegerAttr(
                                          type, static_cast<std::int64_t>(constant)))
                                    : mlir::TypedAttr(context.builder.getFloatAttr(type, constant));
  Value filled = mlir::arith::ConstantOp::create(context.builder, value);
  if (context.part && constant != 0) {  // which one part alone begins with
    const Value zero =
        mlir::arith::ConstantOp::create(context.builder, context.builder.getZeroAttr(type));
    filled = context.select(context.less(context.part, 1), filled, zero);
  }
  const auto count = static_cast<std::size_t>(plan.atoms_m() * plan.atoms_n()) *
                     plan.result.input_size("register");
  return Sums(count, filled);
}

void store_sums(const MmaContext& context, const Sums& sums, const BlockTile& tile,
                const MmaResult& result) {
  const Stores stores(context, tile, result);
  const auto atoms_m = static_cast<std::uint64_t>(context.plan.atoms_m());
  const auto atoms_n = static_cast<std::uint64_t>(context.plan.atoms_n());
  for (std::uint64_t m = 0; m < atoms_m; ++m)
    for (std::uint64_t n = 0; n < atoms_n; n += stores.atoms()) stores.store_atoms(m, n, sums);
}

}  // namespace heddle::compiler
