// One instruction at a time: what every lane has before, and what the host computes it must have
// after.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::emulator::testing {

// v1..v8 of a lane hold random or chosen bits, v10..v13 hold `old`; s20, s[22:23] and VCC are the
// same for every lane; EXEC is all ones.
struct Input {
  uint32_t v[9];
  uint32_t old[4];
  uint32_t lane;
  uint32_t vcc, s20, s22, s23;

  uint64_t v64(int i) const { return v[i] | uint64_t{v[i + 1]} << 32; }
  float f(int i) const { return __builtin_bit_cast(float, v[i]); }
  double d(int i) const { return __builtin_bit_cast(double, v64(i)); }
  int32_t i(int n) const { return static_cast<int32_t>(v[n]); }
  uint16_t low(int i) const { return static_cast<uint16_t>(v[i]); }
  uint16_t high(int i) const { return static_cast<uint16_t>(v[i] >> 16); }
  bool vcc_bit() const { return vcc >> lane & 1; }
};

struct Output {
  uint32_t v[4];  // v10..v13
  bool mask;      // the lane's bit of s24
};

// Which bits the sources hold.
enum class Fill { integers, floats, halves, doubles };

struct Case {
  std::string text;  // writes v10.. or s24
  Fill fill;
  // Fills in what the instruction writes; the rest is as before.
  std::function<void(const std::vector<Input>& all, const Input& in, Output& out)> expect;
  int ulps = 0;        // allowed in v10 (f32), 0: bits
  std::string target;  // only there; empty: all
};

std::vector<Case> integer_cases();
std::vector<Case> float_cases();
std::vector<Case> lane_cases();
std::vector<Case> scalar_cases();
std::vector<Case> byte_cases();
std::vector<Case> half_cases();
std::vector<Case> scalar_float_cases();

}  // namespace heddle::emulator::testing
