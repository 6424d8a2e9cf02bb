// Which bits of a result are undefined if bits of its sources are. This is exact enough for code of
// compilers that keep two halves in one register or mask bits away. A row of the opcode table names
// the function that fits its operation (Row::undefined in handlers/row.h).
#pragma once

#include <cstdint>

namespace heddle::emulator {

// Values and undefined bits of up to three sources, in the width of their type; the sources of a
// condition are one bit. For an instruction that carries its truth table (bitop), value[3] is that
// table. Returns the undefined bits of the result.
using UndefinedBits = uint64_t (*)(const uint64_t* value, const uint64_t* undefined);

// Functions of the sources a, b and c. They ignore the type of the result: bits above it mean
// nothing.
namespace undefined {

using Bits = const uint64_t*;

// Every bit of the result is that bit of a source, or a function of that bit of all sources.
uint64_t copied(Bits value, Bits undefined);  // a, or its complement
uint64_t either(Bits value, Bits undefined);  // exclusive or
uint64_t conjunction(Bits value, Bits undefined);
uint64_t disjunction(Bits value, Bits undefined);
uint64_t conjunction_with_complement(Bits value, Bits undefined);  // a & ~b
uint64_t disjunction_with_complement(Bits value, Bits undefined);  // a | ~b
uint64_t disjunction_of_three(Bits value, Bits undefined);         // a | b | c
uint64_t conjunction_or(Bits value, Bits undefined);               // (a & b) | c
uint64_t chosen_by_bit(Bits value, Bits undefined);                // (a & b) | (~a & c)
uint64_t by_table(Bits value, Bits undefined);                     // bit 4a + 2b + c of value[3]
uint64_t chosen(Bits value, Bits undefined);                       // c ? b : a

// A sum, a difference or the low bits of a product: a bit depends on those below it.
uint64_t sum(Bits value, Bits undefined);

// Shifts within `bits` bits. `by_first`: b is shifted by a, as in the vector instructions whose
// names end in "rev".
template <unsigned bits, bool by_first = false>
uint64_t shifted_left(Bits value, Bits undefined);
template <unsigned bits, bool by_first = false>
uint64_t shifted_right(Bits value, Bits undefined);
template <unsigned bits, bool by_first = false>
uint64_t shifted_right_signed(Bits value, Bits undefined);
uint64_t shifted_left_or(Bits value, Bits undefined);        // (a << b) | c
uint64_t shifted_left_add(Bits value, Bits undefined);       // (a << b) + c
uint64_t shifted_left_add_wide(Bits value, Bits undefined);  // the same in 64 bits, b below 8
uint64_t added_shifted_left(Bits value, Bits undefined);     // (a + b) << c

// Parts of registers.
uint64_t field(Bits value, Bits undefined);  // c bits of a from bit b on
uint64_t signed_field(Bits value, Bits undefined);
uint64_t permuted_bytes(Bits value, Bits undefined);  // v_perm_b32
uint64_t aligned_bits(Bits value, Bits undefined);    // 32 bits of a:b from bit c on
uint64_t aligned_bytes(Bits value, Bits undefined);   // from byte c on
template <bool a_high, bool b_high>
uint64_t halves(Bits value, Bits undefined);  // one of a below one of b
uint64_t converted_halves(Bits value, Bits undefined);
uint64_t words(Bits value, Bits undefined);  // the lower word of a below that of b
template <unsigned number>
uint64_t converted_byte(Bits value, Bits undefined);  // of a
uint64_t replaced_byte(Bits value, Bits undefined);   // c, of which byte b becomes a
template <unsigned bits>
uint64_t reversed(Bits value, Bits undefined);
template <unsigned bits>
uint64_t sign_extended(Bits value, Bits undefined);  // the low bits of a

// The scalar unit takes a field out of a: the low bits of b say where it begins, and bits 22..16 of
// b how long it is.
template <unsigned bits, bool is_signed>
uint64_t scalar_field(Bits value, Bits undefined);
// A bit for four of a: whether one of them is set.
uint64_t any_of_four(Bits value, Bits undefined);

uint64_t count_added(Bits value, Bits undefined);  // how many bits of a are set, and b

}  // namespace undefined
}  // namespace heddle::emulator
