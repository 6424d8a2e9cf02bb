// Makes the row of a scalar instruction from a lambda that computes the instruction's result.
#pragma once

#include "emulator/handlers/lanes.h"

namespace heddle::emulator::HEDDLE_LEVEL {

template <class T>
HEDDLE_INLINE T read_as(const Wavefront& w, const Source& s) {
  if constexpr (sizeof(T) == 8)
    return __builtin_bit_cast(T, read_scalar64(w, s));
  else if constexpr (sizeof(T) == 2)
    return __builtin_bit_cast(T, static_cast<uint16_t>(read_scalar(w, s)));
  else
    return __builtin_bit_cast(T, read_scalar(w, s));
}

template <class T>
HEDDLE_INLINE void write_as(Wavefront& w, unsigned index, T value) {
  if constexpr (sizeof(T) == 8)
    write_scalar64(w, index, __builtin_bit_cast(uint64_t, value));
  else if constexpr (sizeof(T) == 2)
    w.scalar[index] = __builtin_bit_cast(uint16_t, value);
  else
    w.scalar[index] = __builtin_bit_cast(uint32_t, value);
}

HEDDLE_INLINE bool scc(const Wavefront& w) { return w.scalar[register_scc] != 0; }
HEDDLE_INLINE void set_scc(Wavefront& w, bool value) { w.scalar[register_scc] = value; }

// A result and what SCC becomes.
template <class T>
struct Flagged {
  T value;
  bool flag;
};
// SCC tells whether the result is not 0.
template <class T>
struct Nonzero : Flagged<T> {};
template <class R>
constexpr bool is_nonzero = false;
template <class T>
constexpr bool is_nonzero<Nonzero<T>> = true;
template <class R>
constexpr bool is_flagged = is_nonzero<R>;
template <class T>
constexpr bool is_flagged<Flagged<T>> = true;

template <class T>
HEDDLE_INLINE Nonzero<T> nonzero(T value) {
  return {{value, value != 0}};
}

template <auto op>
struct ScalarHandler {
  template <class... A, std::size_t... i>
  HEDDLE_INLINE static auto call(const Wavefront& w, const Instruction* in, Types<A...>,
                                 std::index_sequence<i...>) {
    return op(read_as<A>(w, in->source[i])...);
  }
  static const Instruction* execute(Wavefront& w, const Instruction* in) {
    using S = SignatureOf<op>;
    using R = typename S::Result;
    const R result =
        call(w, in, typename S::template Arguments<Types>{}, std::make_index_sequence<S::arity>{});
    if constexpr (is_flagged<R>) {
      write_as(w, in->destination, result.value);
      set_scc(w, result.flag);
    } else if constexpr (__is_same(R, bool)) {
      set_scc(w, result);
    } else {
      write_as(w, in->destination, result);
    }
    return in + 1;
  }
};

template <class R>
struct ResultType {
  static constexpr Type type = type_of<R>;
};
template <class T>
struct ResultType<Flagged<T>> {
  static constexpr Type type = type_of<T>;
};
template <class T>
struct ResultType<Nonzero<T>> : ResultType<Flagged<T>> {};

// Makes the row of a scalar instruction. `op` is a lambda that takes the sources as integers and
// returns the result, the result with the new SCC, or only the new SCC.
template <auto op>
constexpr Row scalar(const char* name, Form form = Form::scalar) {
  using S = SignatureOf<op>;
  Row row{};
  copy_name(row.name, name);
  row.form = __is_same(typename S::Result, bool) ? Form::scalar_compare : form;
  row.destination = ResultType<typename S::Result>::type;
  row.flag_is_nonzero = is_nonzero<typename S::Result>;
  fill_sources(row, typename S::template Arguments<Types>{});
  row.plain = &ScalarHandler<op>::execute;
  return row;
}

constexpr Row row(const char* name, Form form, Handler handler, uint16_t extra = 0,
                  Type destination = Type::none, Type source = Type::none) {
  Row row{};
  copy_name(row.name, name);
  row.form = form;
  row.plain = handler;
  row.extra = extra;
  row.destination = destination;
  row.sources[0] = source;
  return row;
}

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

}  // namespace heddle::emulator::HEDDLE_LEVEL
