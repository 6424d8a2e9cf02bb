// The instructions for which one row of the catalogue stands: those with another n, or with other
// formats of A and B.
//
//     with_n(wgmma, 96)                 m64n96k16: D has 48 registers a lane of 64 x 96 sums
//     with_n(wgmma, 100)                nothing: n is a multiple of 8, up to 256
//     with_formats(f8f6f4, 4, 4)        A and B of the fifth format in row.formats
//
// A variant is a row like any other: fragment(), places() and the emulators accept it.
#pragma once

#include <cstddef>
#include <optional>

#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

/// Whether the row is for this n.
constexpr bool takes_n(const Instruction& row, int n) {
  if (n == row.n) return true;
  return n > 0 && n <= 256 && n % 8 == 0 && (row.n_sizes >> (n / 8 - 1) & 1) != 0;
}

/// The instruction with this n, made from a row that stands for several n (n_sizes). Nothing if the
/// row does not have this n. A row with one n has only that one.
constexpr std::optional<Instruction> with_n(const Instruction& row, int n) {
  if (!takes_n(row, n)) return std::nullopt;
  Instruction narrower = row;
  narrower.n = n;
  narrower.n_sizes = 0;
  narrower.d.registers = row.d.registers * n / row.n;
  narrower.scale_b.registers = (row.scale_b.registers * n + row.n - 1) / row.n;
  return narrower;
}

/// The instruction in which A has the format with index `a` in row.formats, and B that with index
/// `b`. Nothing if there are no such formats. For a row without formats, only 0 is accepted.
constexpr std::optional<Instruction> with_formats(const Instruction& row, int a, int b) {
  const int formats = static_cast<int>(row.formats.size());
  if (a == 0 && b == 0) return row;
  if (a < 0 || a >= formats || b < 0 || b >= formats) return std::nullopt;
  const FormatRow& of_a = row.formats[static_cast<std::size_t>(a)];
  const FormatRow& of_b = row.formats[static_cast<std::size_t>(b)];
  Instruction chosen = row;
  chosen.a_type = of_a.type;
  chosen.a = of_a.a;
  chosen.b_type = of_b.type;
  chosen.b = of_b.b;
  return chosen;
}

}  // namespace heddle::instruction
