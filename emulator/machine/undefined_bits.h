// Computes which bits of a result are undefined if bits of its sources are. This is exact enough
// for compiled code that keeps two halves in one register or masks bits away. A row of the opcode
// table names the function for its operation (Row::undefined in handlers/row.h).
#pragma once

#include <cstdint>

namespace heddle::emulator {

// Takes the values and the undefined bits of up to three sources, in the width of their type, and
// returns the undefined bits of the result. Sources that are conditions have one bit. For an
// instruction with a truth table (bitop), value[3] is that table.
using UndefinedBits = uint64_t (*)(const uint64_t* value, const uint64_t* undefined);

// Functions of type UndefinedBits for operations on sources a, b and c. They do not know the type
// of the result, so the caller ignores bits above the width of the result.
namespace undefined {

using Bits = const uint64_t*;

// Bitwise operations: bit i of the result depends only on bit i of the sources.
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

// A sum, a difference or the low bits of a product: bit i of the result depends on bits 0 to i of
// the sources.
uint64_t sum(Bits value, Bits undefined);

// Shifts of values of `bits` bits. With `by_first`, a is the shift amount and b the value, as in
// the vector instructions whose names end in "rev".
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

// The scalar instructions that extract a bit field of a (s_bfe): the low bits of b are the offset
// of the field, and bits 22..16 of b its width.
template <unsigned bits, bool is_signed>
uint64_t scalar_field(Bits value, Bits undefined);
// The low 16 bits of the result: bit i is 1 if any of the bits 4 * i to 4 * i + 3 of a is 1.
uint64_t any_of_four(Bits value, Bits undefined);

uint64_t count_added(Bits value, Bits undefined);  // how many bits of a are set, and b

}  // namespace undefined
}  // namespace heddle::emulator
