#include "emulator/dispatch/host_calls.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "library/text/formatted.h"

namespace heddle::emulator {
namespace {

// The buffer consists of this prefix, which waves read first; then the signal that waves increment;
// then the headers and the payloads of the packets.
struct Prefix {
  uint64_t headers, payloads, doorbell, free_stack, ready_stack, index_mask;
};
constexpr uint64_t signal_offset = 64;  // amd_signal_t, of 64 bytes: nobody listens to it
constexpr uint64_t headers_offset = 128;
constexpr uint64_t payload_words = uint64_t{64} * 8;  // eight for each lane
constexpr uint64_t most_packets = 4096;
// The limit on the words of all messages that have begun but are not complete.
constexpr uint64_t most_words = uint64_t{1} << 17;

enum Service : uint32_t { function_call = 1, print = 2, memory = 3, sanitizer = 4 };

std::string refusal(uint32_t service) {
  const std::string_view what = service == function_call ? "to call a function of its own"
                                : service == memory      ? "for memory, as malloc does"
                                : service == sanitizer   ? "to report a sanitizer's finding"
                                                         : "for something unknown";
  return formatted(
      "the kernel asks the host {} (service {} of hidden_hostcall_buffer); the emulator serves "
      "printf alone",
      std::string(what), service);
}

}  // namespace

struct HostCalls::Header {
  uint64_t next, active;
  uint32_t service, control;
};

void HostCalls::Free::operator()(void* memory) const { std::free(memory); }

uint64_t HostCalls::bytes(uint64_t waves) {
  const uint64_t packets = std::bit_ceil(std::clamp<uint64_t>(waves, 2, most_packets));
  return headers_offset + packets * (sizeof(Header) + payload_words * sizeof(uint64_t));
}

// The memory is allocated by calloc, so that the host only provides the pages that waves use.
HostCalls::HostCalls(uint64_t waves)
    : packets_(std::bit_ceil(std::clamp<uint64_t>(waves, 2, most_packets))), bytes_(bytes(waves)) {
  memory_.reset(static_cast<std::byte*>(std::calloc(bytes_, 1)));
  if (!memory_) throw std::bad_alloc();
  // A packet is named by its number plus a tag. 0 means none, so packet 0 needs a tag other than 0.
  const auto pointer = [&](uint64_t number) { return number == 0 ? packets_ : number; };
  auto* const headers = at<Header>(headers_offset);
  for (uint64_t i = 0; i + 1 < packets_; ++i) headers[i].next = pointer(i + 1);
  *at<Prefix>(0) = {.headers = address() + headers_offset,
                    .payloads = address() + headers_offset + packets_ * sizeof(Header),
                    .doorbell = address() + signal_offset,
                    .free_stack = pointer(0),
                    .ready_stack = 0,
                    .index_mask = packets_ - 1};
}

void HostCalls::clear() {
  const std::lock_guard lock(mutex_);
  messages_.clear();
  words_ = 0;
}

bool HostCalls::is_asked() const {
  return std::atomic_ref(at<Prefix>(0)->ready_stack).load(std::memory_order_relaxed) != 0;
}

std::optional<std::string> HostCalls::serve(uint64_t workgroup, PrintedText& printed) {
  const std::lock_guard lock(mutex_);
  // The list begins with the packet that was added last, so it is reversed.
  std::vector<uint64_t> numbers;
  auto* const headers = at<Header>(headers_offset);
  uint64_t pointer = std::atomic_ref(at<Prefix>(0)->ready_stack).exchange(0);
  for (; pointer != 0 && numbers.size() < packets_; pointer = headers[numbers.back()].next)
    numbers.push_back(pointer & (packets_ - 1));
  std::ranges::reverse(numbers);
  for (const uint64_t number : numbers) {
    std::byte* const payload = memory_.get() + headers_offset + packets_ * sizeof(Header) +
                               number * payload_words * sizeof(uint64_t);
    if (auto problem = serve(headers[number], payload, workgroup, printed)) return problem;
  }
  return {};
}

std::optional<std::string> HostCalls::serve(Header& header, std::byte* payload, uint64_t workgroup,
                                            PrintedText& printed) {
  if (header.service != print) return refusal(header.service);
  for (uint64_t lanes = header.active; lanes != 0; lanes &= lanes - 1) {
    auto* const slots = reinterpret_cast<uint64_t*>(payload) + std::countr_zero(lanes) * 8;
    if (auto problem = take(slots, workgroup, printed)) return problem;
  }
  std::atomic_ref(header.control).fetch_and(~1u, std::memory_order_release);
  return {};
}

// Takes one part of a message. The bits of its first word: bit 0 marks the first part of a message,
// bit 1 the last part; bits 7 to 5 are the number of words in this part; bits from 8 on are the
// number of the message, which the host assigns when the message begins.
std::optional<std::string> HostCalls::take(uint64_t* slots, uint64_t workgroup,
                                           PrintedText& printed) {
  const uint64_t descriptor = slots[0];
  const bool begins = descriptor & 1, ends = descriptor & 2;
  const uint64_t number = begins ? ++last_message_ : descriptor >> 8;
  const auto words = static_cast<std::size_t>(descriptor >> 5 & 7);
  if (!begins && !messages_.contains(number))
    return formatted("a part of message {} comes to the host, which has not begun", number);
  words_ += words + 1;
  if (words_ > most_words)
    return formatted("more than {} words of messages that have not ended come to the host",
                     most_words);
  std::vector<uint64_t>& message = messages_[number];
  message.insert(message.end(), slots + 1, slots + 1 + words);
  if (!ends) {
    slots[0] = number << 8;
    return {};
  }
  // The first word of a message says whether the text goes to stdout or stderr. Then come the
  // format string and the values. Each text ends with a zero and is padded to whole words.
  words_ -= std::min<uint64_t>(words_, message.size() + 1);
  std::size_t next = 1;
  const auto text = [&]() -> std::string {
    if (next >= message.size()) return {};
    const auto* first = reinterpret_cast<const char*>(message.data() + next);
    const std::size_t length = ::strnlen(first, (message.size() - next) * sizeof(uint64_t));
    next += length / sizeof(uint64_t) + 1;
    return {first, length};
  };
  const auto value = [&](unsigned) { return next < message.size() ? message[next++] : 0; };
  const std::string format = text();
  const std::string all = printf_text(format, {.number = value, .text = text});
  printed.add(workgroup, all);
  slots[0] = all.size();
  messages_.erase(number);
  return {};
}

}  // namespace heddle::emulator
