#include "emulator/ptx/instruction_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/machine/fused_sum.h"
#include "emulator/ptx/float_format.h"
#include "emulator/ptx/sum_products.h"
#include "heddle/instruction/numerics.h"
#include "heddle/instruction/tensor_sums.h"

namespace heddle::emulator {
namespace {

using instruction::ElementType;
using instruction::Summation;

ptx::FloatFormat format_of(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return ptx::format_f16;
    case ElementType::bf16:
      return ptx::format_bf16;
    case ElementType::xf32:
      return ptx::format_tf32;
    case ElementType::fp8:
      return ptx::format_e4m3;
    case ElementType::bf8:
      return ptx::format_e5m2;
    case ElementType::f64:
      return ptx::format_f64;
    default:
      return ptx::format_f32;
  }
}

uint64_t bits_of(ElementType type, double x) {
  const uint64_t bits = ptx::encode(format_of(type), x, ptx::Rounding::nearest_even);
  return type == ElementType::xf32 ? bits << 13 : bits;
}

// sum_products() calculates eight columns at a time. Only the first one is used here.
template <class Word>
double tensor_sum(const ptx::ProductForm& form, std::span<const double> a,
                  std::span<const double> b) {
  std::array<Word, 8> sums{};
  std::vector<Word> of_a(form.k), of_b(std::size_t{form.k} * 8);
  for (std::size_t first = 0; first < a.size(); first += form.k) {
    for (std::size_t k = 0; k < form.k; ++k) {
      const bool is_there = first + k < a.size();
      of_a[k] = static_cast<Word>(is_there ? bits_of(form.a_type, a[first + k]) : 0);
      const auto y = static_cast<Word>(is_there ? bits_of(form.b_type, b[first + k]) : 0);
      std::fill_n(of_b.data() + k * 8, 8, y);
    }
    ptx::sum_products(form, of_a.data(), of_b.data(), sums.data(), sums.data());
  }
  return ptx::decode(format_of(form.d_type), sums[0]);
}

double tensor_sum(const instruction::Instruction& row, instruction::Family family,
                  std::span<const double> a, std::span<const double> b) {
  ptx::ProductForm form;
  form.rule = instruction::tensor_sum_rule(row, family);
  form.a_type = row.a_type;
  form.b_type = row.b_type;
  form.c_type = form.d_type = row.d_type;
  form.m = 1;
  form.n = 8;
  form.k = static_cast<uint32_t>(row.is_sparse() ? row.k / 2 : row.k);
  return row.d_type == ElementType::f64 ? tensor_sum<uint64_t>(form, a, b)
                                        : tensor_sum<uint32_t>(form, a, b);
}

double chain(ElementType d_type, std::span<const double> a, std::span<const double> b) {
  double wide = 0;
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    wide = std::fma(a[k], b[k], wide);
    sum = std::fma(static_cast<float>(a[k]), static_cast<float>(b[k]), sum);
  }
  return d_type == ElementType::f64 ? wide : double{sum};
}

float tree(std::span<const float> products) {
  const std::size_t half = products.size() / 2;
  return half == 0 ? products[0] : tree(products.first(half)) + tree(products.subspan(half));
}

// Of CDNA's.
double grouped_sum(const instruction::SumRule& rule, const instruction::Instruction& row,
                   std::span<const double> a, std::span<const double> b) {
  const auto group = static_cast<std::size_t>(rule.group);
  const instruction::FloatShape a_shape = instruction::float_shape(row.a_type);
  const instruction::FloatShape b_shape = instruction::float_shape(row.b_type);
  float sum = 0;
  std::vector<float> x(group), y(group), products(group);
  for (std::size_t first = 0; first < a.size(); first += group) {
    for (std::size_t k = 0; k < group; ++k) {
      const bool is_there = first + k < a.size();
      x[k] = is_there ? static_cast<float>(a[first + k]) : 0;
      y[k] = is_there ? static_cast<float>(b[first + k]) : 0;
      products[k] = x[k] * y[k];
    }
    sum = rule.summation == Summation::pairs
              ? sum + tree(products)
              : fused_sum(x.data(), a_shape, y.data(), b_shape, rule.group, sum, rule.splits);
  }
  return double{sum};
}

}  // namespace

double instruction_sum(const instruction::Instruction& row, instruction::Family family,
                       std::span<const double> a, std::span<const double> b) {
  if (instruction::is_nvidia(family)) return tensor_sum(row, family, a, b);
  if (!instruction::is_cdna(family)) return chain(row.d_type, a, b);
  const instruction::SumRule rule = instruction::sum_rule(row);
  const bool is_grouped = rule.summation == Summation::pairs || rule.summation == Summation::fused;
  return is_grouped ? grouped_sum(rule, row, a, b) : chain(row.d_type, a, b);
}

}  // namespace heddle::emulator
