// Which bits of a result are undefined when bits of its sources are: as exact as compilers need
// that keep two halves in one register or mask bits away.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::emulator::check {

// Values and undefined bits of up to three sources, in the width of their type; the sources of a
// condition are one bit. Behind the sources of an instruction that carries its truth table (bitop)
// stands that table, as value[3]. Gives the undefined bits of the result.
using UndefinedBits = uint64_t (*)(const uint64_t* value, const uint64_t* undefined);

// Null for instructions of which every result bit depends on every source bit.
UndefinedBits undefined_bits_of(std::string_view mnemonic);

}  // namespace heddle::emulator::check
