#include "emulator/record/budget.h"

#include "library/text/formatted.h"

namespace heddle::emulator {
bool Meter::charge(Resource resource, uint64_t amount) {
  const uint64_t most = limit(resource);
  std::atomic<uint64_t>& used = used_[index(resource)];
  uint64_t before = used.load(std::memory_order_relaxed);
  do {
    if (amount > most - before) return false;
  } while (!used.compare_exchange_weak(before, before + amount, std::memory_order_relaxed));
  return true;
}

std::string Meter::message(Resource resource) const {
  const ResourceRow& spent = row(resource);
  return formatted("the budget of {} {} is spent; {} raises it (Launch::budget.{})",
                   limit(resource), spent.what, spent.option, spent.name);
}

}  // namespace heddle::emulator
