// Reads numbers and texts from bytes that are not trusted. A read past the end makes the cursor
// fail: from then on it returns zeros and empty texts. So the caller needs to check failed() only
// once, at the end.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace heddle::emulator {

// The number of steps that a reader may still take. Counts in a file cannot be trusted: a few bytes
// can promise billions of empty entries. So a loop over such a count must call spend() for every
// step, and stop when it returns false.
class Effort {
 public:
  explicit Effort(uint64_t steps) : left_(steps) {}
  // False when nothing is left, then and from then on.
  bool spend() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  bool spent() const { return left_ == 0; }

 private:
  uint64_t left_;
};

class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes, uint64_t offset = 0)
      : bytes_(bytes), at_(offset <= bytes.size() ? offset : 0), failed_(offset > bytes.size()) {}

  bool failed() const { return failed_; }
  uint64_t offset() const { return at_; }
  bool at_end() const { return failed_ || at_ == bytes_.size(); }

  void skip(uint64_t count) {
    if (take(count)) at_ += count;
  }
  // Reads a little-endian number of `count` bytes, 1 to 8.
  uint64_t number(unsigned count) {
    uint64_t value = 0;
    if (!take(count)) return 0;
    std::memcpy(&value, bytes_.data() + at_, count);
    at_ += count;
    return value;
  }
  std::string_view text() {
    const std::size_t end = failed_ ? std::string_view::npos : bytes_.find('\0', at_);
    if (end == std::string_view::npos) return fail();
    const std::string_view found = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }
  // Reads a LEB128 number (DWARF 5, section 7.6 "Variable Length Data"). Bits beyond 64 are
  // dropped.
  uint64_t unsigned_leb() {
    unsigned shift = 0;
    return leb(shift);
  }
  int64_t signed_leb() {
    unsigned shift = 0;
    uint64_t value = leb(shift);
    const bool negative = !failed_ && at_ > 0 && (static_cast<uint8_t>(bytes_[at_ - 1]) & 0x40u);
    if (negative && shift < 64) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }
  // Returns the next `count` bytes, and moves the cursor behind them.
  std::string_view part(uint64_t count) {
    if (!take(count)) return {};
    const std::string_view found = bytes_.substr(at_, count);
    at_ += count;
    return found;
  }
  // All that is left.
  std::string_view rest() { return failed_ ? std::string_view() : part(bytes_.size() - at_); }

 private:
  bool take(uint64_t count) {
    if (!failed_ && count <= bytes_.size() - at_) return true;
    fail();
    return false;
  }
  std::string_view fail() {
    failed_ = true;
    return {};
  }
  uint64_t leb(unsigned& shift) {
    uint64_t value = 0;
    for (uint64_t byte = 0x80; byte & 0x80u; shift += 7) {
      byte = number(1);
      if (shift < 64) value |= (byte & 0x7fu) << shift;
      if (shift > 1000) fail();
    }
    return value;
  }

  std::string_view bytes_;
  uint64_t at_;
  bool failed_;
};

}  // namespace heddle::emulator
