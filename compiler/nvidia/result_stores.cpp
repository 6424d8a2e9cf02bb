#include "compiler/nvidia/result_stores.h"

#include <bit>

#include "compiler/kernel/index_code.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// Stores the sums of one thread, with stores of up to 16 bytes. A lane holds fewer sums that are
// adjacent along n than fill 16 bytes. So lanes exchange sums first: afterwards each lane has
// longer runs of adjacent sums, but of fewer atoms.
class Stores {
 public:
  Stores(const GlobalContext& context, const HeldSums& sums, const BlockTile& tile,
         const MatmulRequest& request, const GlobalMatrices& all)
      : context_(context),
        held_(sums),
        all_(all),
        sum_bits_(instruction::bits(request.sum_result)),
        elements_(context, request, all, sums.rows, sums.columns) {
    const layout::LinearLayout& held = held_.layout;
    while (vector_bits_ < held.inputs().bits_of("register") && is_next("register", vector_bits_) &&
           all.d.fits(vector_bits_ + 1) && all.c.fits(vector_bits_ + 1))
      ++vector_bits_;
    const int bits = (1 << vector_bits_) * sum_bits_;
    while (bits % 32 == 0 && (sums.atoms_n >> lane_bits_) % 2 == 0 &&
           lane_bits_ < held.inputs().bits_of("atom_n") && is_next("lane", lane_bits_) &&
           all.d.fits(vector_bits_ + lane_bits_ + 1))
      ++lane_bits_;
    held_at_ = place(tile, held);
    stored_ = exchanged(held);
    stored_at_ = place(tile, stored_);
  }

  /// Stores the sums of D's atoms from (atom_m, atom_n) on.
  void store_atoms(std::uint64_t atom_m, std::uint64_t atom_n,
                   const std::vector<Value>& sums) const {
    const layout::LinearLayout& held = held_.layout;
    const auto registers = held.input_size("register");
    const auto in_row = static_cast<std::uint64_t>(held_.atoms_n);
    for (std::uint64_t first = 0; first < registers; first += width()) {
      std::vector<std::vector<Value>> pieces;
      for (std::uint64_t atom = atom_n; atom < atom_n + atoms(); ++atom) {
        const std::size_t at = (atom_m * in_row + atom) * registers + first;
        pieces.push_back(elements_.rounded(llvm::ArrayRef(sums).slice(at, width()),
                                           coordinates(held, held_at_, atom_m, atom, first)));
      }
      exchange(pieces);
      std::vector<Value> values;
      for (const std::vector<Value>& piece : pieces)
        values.insert(values.end(), piece.begin(), piece.end());
      store(values, coordinates(stored_, stored_at_, atom_m, atom_n, first));
    }
  }
  /// How many atoms along n one call of store_atoms stores.
  std::uint64_t atoms() const { return std::uint64_t{1} << lane_bits_; }

 private:
  std::size_t width() const { return std::size_t{1} << vector_bits_; }

  MatrixPlace place(const BlockTile& tile, const layout::LinearLayout& map) const {
    return {context_.add(tile.m, thread_coordinate(context_, map, "m")),
            context_.add(tile.n, thread_coordinate(context_, map, "n"))};
  }
  static MatrixPlace coordinates(const layout::LinearLayout& map, MatrixPlace thread,
                                 std::uint64_t atom_m, std::uint64_t atom_n, std::uint64_t first) {
    const layout::Coordinates at =
        map.apply({{"register", first}, {"atom_m", atom_m}, {"atom_n", atom_n}}).value();
    thread.down = static_cast<std::int64_t>(at.at("m"));
    thread.right = static_cast<std::int64_t>(at.at("n"));
    return thread;
  }

  // True if a sum that differs in bit `bit` of `axis` lies just behind the columns that one thread
  // stores so far. So with this bit the thread would store twice as many adjacent columns.
  bool is_next(const layout::AxisName& axis, int bit) const {
    const layout::LinearLayout& held = held_.layout;
    return held.basis(axis, bit, "n") == std::uint64_t{1} << (vector_bits_ + lane_bits_) &&
           held.basis(axis, bit, "m") == 0;
  }

  // The layout of the sums after the exchange among lanes, in which the lowest lane_bits_ bits of
  // the axes lane and atom_n have changed places.
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

  // Exchanges pieces of sums among lanes. A lane has one piece for each atom. Afterwards bit b of
  // the piece's number and bit b of the lane's number have changed places.
  void exchange(std::vector<std::vector<Value>>& pieces) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    if (lane_bits_ == 0) return;
    const auto bits = static_cast<int>(width()) * sum_bits_;
    const auto words = mlir::VectorType::get({bits / 32}, builder.getI32Type());
    const auto elements = mlir::VectorType::get({static_cast<std::int64_t>(width())},
                                                pieces.front().front().getType());
    for (std::vector<Value>& piece : pieces) piece = context_.elements_of(cast(words, piece));
    for (int bit = 0; bit < lane_bits_; ++bit) {
      const std::size_t step = std::size_t{1} << bit;
      const Value masked = mlir::arith::AndIOp::create(
          builder, context_.lane, context_.constant(static_cast<std::int64_t>(step)));
      const Value upper = context_.differs(masked, 0);
      for (std::size_t low = 0; low < pieces.size(); ++low) {
        if ((low & step) != 0) continue;
        for (std::size_t word = 0; word < pieces[low].size(); ++word)
          exchange(upper, pieces[low][word], pieces[low | step][word], step);
      }
    }
    for (std::vector<Value>& piece : pieces) piece = context_.elements_of(cast(elements, piece));
  }
  // Two lanes, whose numbers differ by `lanes`, exchange words. Each of them has two words, `low`
  // and `high`; it keeps one of them, and replaces the other one by a word of the other lane.
  void exchange(Value upper, Value& low, Value& high, std::size_t lanes) const {
    const Value sent = context_.select(upper, low, high);
    const Value received = mlir::NVVM::ShflOp::create(
        context_.builder, context_.builder.getI32Type(), context_.constant(-1), sent,
        context_.constant(static_cast<std::int64_t>(lanes)), context_.constant(31),
        mlir::NVVM::ShflKind::bfly, mlir::UnitAttr());
    low = context_.select(upper, received, low);
    high = context_.select(upper, high, received);
  }

  Value cast(mlir::Type to, llvm::ArrayRef<Value> values) const {
    return mlir::LLVM::BitcastOp::create(context_.builder, to, context_.vector_of(values));
  }

  void store(llvm::ArrayRef<Value> values, const MatrixPlace& at) const {
    const Value valid = elements_.is_inside(at);
    if (!valid) return store_inside(values, at);
    run_if(context_, valid, [&] { store_inside(values, at); });
  }

  void store_inside(llvm::ArrayRef<Value> values, const MatrixPlace& at) const {
    const auto results = elements_.finished(values, at, /*everywhere=*/false);
    store_elements(results[0], all_.d, at);
    const int bits = static_cast<int>(std::bit_width(values.size())) - 1;
    for (std::size_t i = 0; i < all_.further.size(); ++i) {
      const GlobalMatrix& further = all_.further[i];
      if (further.fits(bits)) {
        store_elements(results[i + 1], further, at);
        continue;
      }
      MatrixPlace one = at;
      for (const Value& value : results[i + 1]) {
        store_elements(value, further, one);
        ++one.right;
      }
    }
  }

  // Stores values that are contiguous in a row.
  void store_elements(llvm::ArrayRef<Value> values, const GlobalMatrix& matrix,
                      const MatrixPlace& at) const {
    const auto count = static_cast<std::int64_t>(values.size());
    const Value stored = count == 1 ? values[0] : context_.vector_of(values);
    const auto align = static_cast<unsigned>(count * matrix.element_bytes());
    mlir::LLVM::StoreOp::create(context_.builder, stored, context_.pointer(matrix, at), align);
  }

  const GlobalContext& context_;
  const HeldSums& held_;
  const GlobalMatrices& all_;
  const int sum_bits_;
  const ResultElements elements_;
  int vector_bits_ = 0;              // of a register's neighbours along n
  int lane_bits_ = 0;                // that are exchanged for those of atoms
  layout::LinearLayout stored_;      // the result after the exchange
  MatrixPlace held_at_, stored_at_;  // of the thread before and after
};

}  // namespace

void store_sums(const GlobalContext& context, const HeldSums& held, const std::vector<Value>& sums,
                const BlockTile& tile, const MatmulRequest& request,
                const GlobalMatrices& matrices) {
  const Stores stores(context, held, tile, request, matrices);
  for (int m = 0; m < held.atoms_m; ++m)
    for (std::uint64_t n = 0; n < static_cast<std::uint64_t>(held.atoms_n); n += stores.atoms())
      stores.store_atoms(static_cast<std::uint64_t>(m), n, sums);
}

}  // namespace heddle::compiler
