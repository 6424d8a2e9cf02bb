// Functions that are built into libheddle_run.so so that it does not depend on libraries that a
// user may lack: functions of fmt, which Debian has only as a shared library, and a function that
// LLVM needs from a C library of 2022 or later.
#include <fmt/format-inl.h>
#include <sys/random.h>

#include <cstdint>

FMT_BEGIN_NAMESPACE
namespace detail {
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char*, const char*);
}  // namespace detail
FMT_END_NAMESPACE

extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}
