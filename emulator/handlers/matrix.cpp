// Executes matrix instructions of RDNA. No layout is written here: every row of the catalogue
// becomes a row of this table, and the position of each element is read from the catalogue's maps
// at compile time. Dense instructions of wave32 have separate, unrolled handlers; all other
// instructions share one handler (matrix_general.h).
//
// How a product of 16 x 16 x k is computed: the columns n are the lanes of vectors of 16 numbers.
// Row k of B is one such vector, and so is row m of C and of D. Element (m, k) of A is read from a
// table of A in memory and broadcast to a vector. D[m] = C[m] + the sum of A[m][k] * B[k] for
// ascending k, rounded in f32 after each step. How the hardware rounds in between is not
// documented.
#include "emulator/handlers/matrix_elements.h"
#include "emulator/handlers/matrix_general.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

// The number of rows of D that are computed at the same time. It is enough to hide the latency of a
// multiply-add, but small enough that the sums fit in the host's registers.
#if defined(__AVX512F__)
constexpr int rows_at_once = 16;
#else
constexpr int rows_at_once = 6;
#endif

inline void stop_constant_evaluation() {}  // not constexpr: calling it does not compile

template <int count>
struct Slices {
  Slice at[count];
};

// The slice (16 lanes of a register, see matrix_form.h) for each coordinate of an operand along
// `axis`. If a row of the catalogue cannot be divided into slices, it does not compile.
template <std::size_t row, Operand operand, int count>
consteval Slices<count> slices_along(const char* axis, const char* lane_axis) {
  Slices<count> slices{};
  const auto map = catalogue::isa_fragment(catalogue::rdna_instructions[row], operand);
  if (!find_slices(slices.at, count, map, axis, lane_axis)) stop_constant_evaluation();
  return slices;
}

// --- the product -------------------------------------------------------------------------------

template <std::size_t index>
struct Wmma {
  static constexpr const catalogue::Instruction& row = catalogue::rdna_instructions[index];
  static constexpr int k_size = row.k;
  static constexpr auto a_slices = slices_along<index, Operand::a, row.k>("k", "m");
  static constexpr auto b_slices = slices_along<index, Operand::b, row.k>("k", "n");
  static constexpr auto d_slices = slices_along<index, Operand::d, 16>("m", "n");
  static constexpr bool integer = is_integer(row.a_type);
  static constexpr bool half_result =
      row.d_type == ElementType::f16 || row.d_type == ElementType::bf16;
  // True if results have 16 bits and each register holds only one of them: in the half that OPSEL
  // selects.
  static constexpr bool half_unpacked = half_result && row.d.registers == 8;

  // True if elements k and k + 1, for every even k, are the lower and the upper half of one
  // register. The fast way for f16 needs this.
  static constexpr bool halves_share(const Slice* slices) {
    for (int k = 0; k < row.k; k += 2)
      if (slices[k].reg != slices[k + 1].reg || slices[k].half != slices[k + 1].half ||
          slices[k].position != 0 || slices[k + 1].position != 1)
        return false;
    return true;
  }
  static constexpr bool halves = row.a_type == ElementType::f16 && row.b_type == ElementType::f16;
  static_assert(!halves || (halves_share(a_slices.at) && halves_share(b_slices.at)));
  // The index of element (m, k) in the table of A. For f16, the elements of two k that share a
  // register are neighbours in the table too.
  static constexpr int place_of_a(int k, int m) {
    return halves ? (k / 2 * 16 + m) * 2 + k % 2 : 16 * k + m;
  }

  using Value = std::conditional_t<integer, Word16, Float16>;
  using Element = std::conditional_t<integer, uint32_t, float>;

  HEDDLE_INLINE static Word16 slice_of(const Wavefront& w, const Source& s, const Slice& at) {
    return register_half(w, s.index + at.reg, at.half);
  }

  // The number of one row of C.
  HEDDLE_INLINE static Value accumulator(const Wavefront& w, const Source& c, int m) {
    const Slice at = d_slices.at[m];
    const bool constant = c.kind != SourceKind::vgpr;
    const Word16 reg = constant ? Word16(read_scalar(w, c)) : slice_of(w, c, at);
    if constexpr (integer) {
      return reg;
    } else {
      int position = at.position;
      if constexpr (half_unpacked) position = c.flags & source_high ? 1 : 0;
      // A constant is the same for all elements; the decoder stores it in the low bits.
      if (constant) position = 0;
      return floats_of<row.d_type>(reg, position);
    }
  }

  // For integers neg_lo means signed.
  template <ElementType type>
  HEDDLE_INLINE static Value operand(const Wavefront& w, const Source& s, const Slice& at) {
    if constexpr (integer)
      return integers_of<type>(slice_of(w, s, at), at.position, s.flags & source_negate);
    else
      return floats_of<type>(slice_of(w, s, at), at.position);
  }

  HEDDLE_INLINE static void read_a(const Wavefront& w, const Source& s, Value* a) {
    HEDDLE_UNROLL
    for (int k = 0; k < k_size; k += halves ? 2 : 1) {
      if constexpr (halves) {
        const auto numbers =
            __builtin_convertvector(__builtin_bit_cast(F16, slice_of(w, s, a_slices.at[k])), F32);
        __builtin_memcpy(a + k, &numbers, sizeof numbers);
      } else {
        a[k] = operand<row.a_type>(w, s, a_slices.at[k]);
      }
    }
  }

  HEDDLE_INLINE static void read_b(const Wavefront& w, const Source& s, Value* b) {
    HEDDLE_UNROLL
    for (int k = 0; k < k_size; k += halves ? 2 : 1) {
      if constexpr (halves) {
        const auto pairs = __builtin_bit_cast(F16, slice_of(w, s, b_slices.at[k]));
        b[k] = __builtin_convertvector(__builtin_shufflevector(pairs, pairs, 0, 2, 4, 6, 8, 10, 12,
                                                               14, 16, 18, 20, 22, 24, 26, 28, 30),
                                       Float16);
        b[k + 1] =
            __builtin_convertvector(__builtin_shufflevector(pairs, pairs, 1, 3, 5, 7, 9, 11, 13, 15,
                                                            17, 19, 21, 23, 25, 27, 29, 31),
                                    Float16);
      } else {
        b[k] = operand<row.b_type>(w, s, b_slices.at[k]);
      }
    }
  }

  HEDDLE_INLINE static void store_result(Wavefront& w, const Instruction* in, int m, auto x) {
    const Slice at = d_slices.at[m];
    auto* place = reinterpret_cast<Word16*>(w.vgpr[in->destination + at.reg] + 16 * at.half);
    if constexpr (!half_result) {
      *place = __builtin_bit_cast(Word16, x);
    } else {
      const Word16 bits = rounded_bits<row.d_type>(x);
      const bool high = half_unpacked ? (in->source[2].flags & source_high) != 0 : at.position == 1;
      *place = high ? (*place & 0xffffu) | bits << 16 : (*place & 0xffff0000u) | bits;
    }
  }

  HEDDLE_INLINE static auto step(auto a, auto b, auto sum) {
    if constexpr (integer)
      return sum + a * b;
    else
      return __builtin_elementwise_fma(a, b, sum);
  }

  // True in rare cases, in which the general handler must compute: floats have modifiers, A or B is
  // not in vector registers, or D overlaps C without being the same registers.
  HEDDLE_INLINE static bool is_rare(const Instruction* in) {
    const Source &a = in->source[0], &b = in->source[1], &c = in->source[2];
    if (a.kind != SourceKind::vgpr || b.kind != SourceKind::vgpr) return true;
    if (!integer && (a.flags | b.flags | c.flags) & (source_negate | source_negate_high))
      return true;
    const int distance = int{c.index} - int{in->destination};
    return c.kind == SourceKind::vgpr && distance != 0 && distance > -row.d.registers &&
           distance < row.d.registers;
  }

  // Identifies the source of an operand's numbers.
  static uint32_t identity(const Source& s) {
    const uint32_t sign = s.flags & source_negate ? 1 : 0;
    return static_cast<uint32_t>(index) << 16 | sign << 15 | s.index;
  }
  // True if this instruction's D may overlap the operand with this identity. The operand may have
  // been kept by an instruction of another row, so the largest number of registers is assumed.
  static bool is_written(const Instruction* in, uint32_t identity) {
    constexpr int most_registers = 8;
    const int distance = static_cast<int>(identity & 0x7fffu) - int{in->destination};
    return distance > -most_registers && distance < most_registers;
  }
  // Operand `s` converted to numbers. The numbers of the last few operands are kept in `kept`; if
  // `s` is not among these, `read` converts it from its registers.
  HEDDLE_INLINE static Value* numbers_of(Wavefront& w, MatrixNumbers::Operand& kept,
                                         const Source& s,
                                         void (*read)(const Wavefront&, const Source&, Value*)) {
    const uint32_t wanted = identity(s);
    unsigned at = 0;
    while (at < MatrixNumbers::kept && kept.is[at] != wanted) ++at;
    if (at == MatrixNumbers::kept) {
      at = kept.oldest++ % MatrixNumbers::kept;
      kept.is[at] = wanted;
      read(w, s, reinterpret_cast<Value*>(kept.numbers[at]));
    }
    return reinterpret_cast<Value*>(kept.numbers[at]);
  }
  HEDDLE_INLINE static void forget(MatrixNumbers::Operand& kept) {
    for (uint32_t& each : kept.is) each = MatrixNumbers::nothing;
  }
  HEDDLE_INLINE static void forget_written(MatrixNumbers::Operand& kept, const Instruction* in) {
    for (uint32_t& each : kept.is)
      if (is_written(in, each)) each = MatrixNumbers::nothing;
  }

  // Adds to `sum` row m of A times rows k and k + 1 of B. The host can load only as many vectors in
  // a cycle as it multiplies, and it must also load B. So in half of the rows, a single load
  // fetches the two numbers of A, and each of them is then broadcast in registers.
  HEDDLE_INLINE static void add_two(const Element* a, const Value* b, int k, int m, Value& sum) {
#if defined(__AVX512F__)
    if constexpr (halves) {
      if (m % 2 == 0) {
        double both;
        __builtin_memcpy(&both, a + place_of_a(k, m), sizeof both);
        using Double8 = double __attribute__((ext_vector_type(8)));
        auto two = __builtin_bit_cast(Float16, Double8(both));
        asm("" : "+v"(two));  // not two loads
        sum = step(Value(__builtin_shufflevector(two, two, 0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12,
                                                 12, 14, 14)),
                   b[k], sum);
        sum = step(Value(__builtin_shufflevector(two, two, 1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13,
                                                 13, 15, 15)),
                   b[k + 1], sum);
        return;
      }
    }
#endif
    sum = step(Value(a[place_of_a(k, m)]), b[k], sum);
    sum = step(Value(a[place_of_a(k + 1, m)]), b[k + 1], sum);
  }

  static void multiply(Wavefront& w, const Instruction* in) {
    static_assert(16 * k_size <= MatrixNumbers::most && k_size % 2 == 0);
    MatrixNumbers& kept = *w.numbers;
    if (kept.next != in) {
      forget(kept.a);
      forget(kept.b);
    }
    kept.next = in + 1;
    const auto* a = reinterpret_cast<const Element*>(numbers_of(w, kept.a, in->source[0], &read_a));
    const Value* b = numbers_of(w, kept.b, in->source[1], &read_b);
    forget_written(kept.a, in);
    forget_written(kept.b, in);
    asm volatile("" : : "r"(a), "r"(b) : "memory");  // both stay tables in memory
    HEDDLE_UNROLL
    for (int first = 0; first < 16; first += rows_at_once) {
      const int rows = first + rows_at_once < 16 ? rows_at_once : 16 - first;
      Value sum[rows_at_once];
      HEDDLE_UNROLL
      for (int i = 0; i < rows; ++i) sum[i] = accumulator(w, in->source[2], first + i);
      HEDDLE_UNROLL
      for (int k = 0; k < k_size; k += 2) {
        HEDDLE_UNROLL
        for (int i = 0; i < rows; ++i) add_two(a, b, k, first + i, sum[i]);
      }
      HEDDLE_UNROLL
      for (int i = 0; i < rows; ++i) store_result(w, in, first + i, sum[i]);
    }
  }

  static const Instruction* execute(Wavefront& w, const Instruction* in) {
    if (exec(w) != 0xffffffffu) [[unlikely]]
      return raise(w, in, FaultKind::wmma_inactive_lanes, __builtin_ctz(~exec(w)));
    if constexpr (row.has(catalogue::Constraint::equal_copies)) {
      if (w.verify_copies) [[unlikely]] {
        const int lane = unequal_copy(w, in, row.a.registers, row.b.registers, row.wave);
        if (lane >= 0) return raise(w, in, FaultKind::wmma_unequal_copies, lane);
      }
    }
    if (is_rare(in)) [[unlikely]]
      return multiply_general(w, in);
    multiply(w, in);
    return in + 1;
  }
};

constexpr Type type_of_c(ElementType d) {
  return d == ElementType::f32   ? Type::f32
         : d == ElementType::i32 ? Type::i32
         : d == ElementType::f16 ? Type::packed_f16
                                 : Type::packed_bf16;
}

// Makes a row of the opcode table from row number `index` of the catalogue. `extra` is that number,
// for the general handler.
template <std::size_t index>
constexpr Row matrix_row() {
  constexpr const catalogue::Instruction& from = catalogue::rdna_instructions[index];
  Row row{};
  for (std::size_t i = 0; i < from.name.size(); ++i) row.name[i] = from.name[i];
  row.form = Form::matrix;
  // gfx1250 decodes those of gfx12, too.
  row.families = has(from.family(), Feature::gfx12_code) ? isa::gfx12 : from.families;
  row.wave = from.wave;
  row.destination = Type::wide;
  row.sources[0] = row.sources[1] = Type::wide;
  row.sources[2] = from.is_sparse() ? Type::u32 : type_of_c(from.d_type);
  row.reads_destination = from.is_sparse();
  row.equal_copies = from.has(catalogue::Constraint::equal_copies);
  row.extra = index;
  row.plain = row.general = &multiply_general;
  if constexpr (from.wave == 32 && !from.is_sparse()) row.plain = &Wmma<index>::execute;
  return row;
}

struct Table {
  Row rows[catalogue::rdna_instructions.size()];
  unsigned count = 0;

  template <std::size_t... index>
  constexpr void add_all(std::index_sequence<index...>) {
    ((rows[count++] = matrix_row<index>()), ...);
  }
  constexpr Table() : rows{} {
    add_all(std::make_index_sequence<catalogue::rdna_instructions.size()>{});
  }
};

constexpr Table table;

}  // namespace

Rows matrix_rows() { return {table.rows, table.count}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
