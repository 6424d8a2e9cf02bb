// Executes v_cmp and v_cmpx. The table has a row for each combination of a relation (such as "less
// than") and a type. Meanings: RDNA3 and RDNA4 ISA, "VOPC instructions".
#include "emulator/handlers/float_operations.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

// v_cmpx: writes the result of a comparison to EXEC, not to another scalar register. On gfx11 and
// gfx12, v_cmpx writes nothing else.
template <auto relation>
const Instruction* compare_into_exec(Wavefront& w, const Instruction* in) {
  const Lanes result = called<relation>(Read<true>{w, in});
  w.scalar[register_exec] &= to_bits(result);
  return in + 1;
}

struct Name {
  char text[name_capacity] = {};
  constexpr void append(const char* part) {
    int end = 0;
    while (text[end]) ++end;
    for (; *part; ++part) text[end++] = *part;
  }
};

constexpr Name compare_name(const char* prefix, const char* relation, const char* type) {
  Name name;
  name.append(prefix);
  name.append(relation);
  name.append("_");
  name.append(type);
  return name;
}

template <auto relation>
constexpr Row compare(const char* relation_name, const char* type, bool hot) {
  const Name name = compare_name("v_cmp_", relation_name, type);
  return hot ? vector<relation>(name.text, Form::vector_compare)
             : vector_rare<relation>(name.text, Form::vector_compare);
}

template <auto relation>
constexpr Row compare_exec(const char* relation_name, const char* type) {
  Row row = vector_rare<relation>(compare_name("v_cmpx_", relation_name, type).text,
                                  Form::vector_compare_exec);
  row.plain = row.general = &compare_into_exec<relation>;
  return row;
}

template <class T>
constexpr auto less = [](T a, T b) { return to_lanes_of(a < b); };
template <class T>
constexpr auto equal = [](T a, T b) { return to_lanes_of(a == b); };
template <class T>
constexpr auto less_equal = [](T a, T b) { return to_lanes_of(a <= b); };
template <class T>
constexpr auto greater = [](T a, T b) { return to_lanes_of(a > b); };
template <class T>
constexpr auto not_equal = [](T a, T b) { return to_lanes_of(a != b); };
template <class T>
constexpr auto greater_equal = [](T a, T b) { return to_lanes_of(a >= b); };
template <class T>
constexpr auto less_or_greater = [](T a, T b) { return to_lanes_of(a < b) | to_lanes_of(a > b); };
template <class T>
constexpr auto ordered = [](T a, T b) { return ~(is_nan(a) | is_nan(b)); };
template <class T>
constexpr auto unordered = [](T a, T b) { return is_nan(a) | is_nan(b); };
template <auto relation, class T>
constexpr auto negated = [](T a, T b) { return ~relation(a, b); };
template <class T>
constexpr auto always = [](T, T) { return to_lanes(0xffffffffu); };
template <class T>
constexpr auto never = [](T, T) { return to_lanes(0); };

// v_cmp_class: true if x is in one of the classes whose bits are set in the mask. Bits from 0 on:
// signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
template <class F>
HEDDLE_INLINE Lanes in_class(F x, U32 mask) {
  constexpr auto infinity = BitsOf<F>::infinity;
  constexpr auto quiet = BitsOf<F>::quiet;
  constexpr auto smallest_normal = infinity & static_cast<decltype(infinity)>(~infinity + 1);
  uint32_t result = 0;
  for (int l = 0; l < lanes; ++l) {
    const auto bits = bits_as<UnsignedOf<F>>(x)[l];
    const bool negative = bits & BitsOf<F>::sign;
    const auto magnitude = bits & static_cast<decltype(bits)>(~BitsOf<F>::sign);
    int which;
    if (magnitude > infinity)
      which = magnitude & quiet ? 1 : 0;
    else if (magnitude == infinity)
      which = negative ? 2 : 9;
    else if (magnitude == 0)
      which = negative ? 5 : 6;
    else if (magnitude < smallest_normal)
      which = negative ? 4 : 7;
    else
      which = negative ? 3 : 8;
    result |= (mask[l] >> which & 1u) << l;
  }
  return to_lanes(result);
}
// The mask is a 32-bit number. On RDNA, in the f16 instruction it has 16 bits, and inline constants
// have their f16 value.
template <class F>
constexpr auto class_test = [](F x, U32 mask) { return in_class(x, mask); };
template <>
inline constexpr auto class_test<F16> =
    [](F16 x, F16 mask) { return in_class(x, convert<U32>(bits_as<U16>(mask))); };

struct TableOfRows {
  Row rows[264];
  unsigned count = 0;

  template <auto relation>
  constexpr void add(const char* name, const char* type, bool hot) {
    rows[count++] = compare<relation>(name, type, hot);
    rows[count++] = compare_exec<relation>(name, type);
  }

  template <class T>
  constexpr void add_integer(const char* type, bool hot) {
    add<less<T>>("lt", type, hot);
    add<equal<T>>("eq", type, hot);
    add<less_equal<T>>("le", type, hot);
    add<greater<T>>("gt", type, hot);
    add<not_equal<T>>("ne", type, hot);
    add<greater_equal<T>>("ge", type, hot);
    add<always<T>>("t", type, false);
    add<never<T>>("f", type, false);
  }

  template <class T>
  constexpr void add_float(const char* type, bool hot) {
    add<less<T>>("lt", type, hot);
    add<equal<T>>("eq", type, hot);
    add<less_equal<T>>("le", type, hot);
    add<greater<T>>("gt", type, hot);
    add<less_or_greater<T>>("lg", type, hot);
    add<greater_equal<T>>("ge", type, hot);
    add<ordered<T>>("o", type, hot);
    add<unordered<T>>("u", type, hot);
    add<negated<greater_equal<T>, T>>("nge", type, hot);
    add<negated<less_or_greater<T>, T>>("nlg", type, hot);
    add<negated<greater<T>, T>>("ngt", type, hot);
    add<negated<less_equal<T>, T>>("nle", type, hot);
    add<not_equal<T>>("neq", type, hot);
    add<negated<less<T>, T>>("nlt", type, hot);
    add<always<T>>("t", type, false);
    add<never<T>>("f", type, false);
    add<class_test<T>>("class", type, false);
  }
  template <auto relation>
  constexpr void add_of_cdna(const char* name, const char* type) {
    const unsigned first = count;
    add<relation>(name, type, false);
    for (unsigned i = first; i < count; ++i) rows[i].families = isa::gfx9;
  }

  constexpr TableOfRows() : rows{} {
    add_integer<U32>("u32", true);
    add_integer<I32>("i32", true);
    add_integer<U16>("u16", false);
    add_integer<I16>("i16", false);
    add_integer<U64>("u64", false);
    add_integer<I64>("i64", false);
    add_float<F32>("f32", true);
    add_float<F16>("f16", false);
    add_float<F64>("f64", false);
    add_of_cdna<[](F16 x, U32 mask) { return in_class(x, mask); }>("class", "f16");
  }
};

constexpr TableOfRows table;

}  // namespace

Rows vector_compare_rows() { return {table.rows, table.count}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
