#include "emulator/budget.h"

#include "emulator/formatted.h"

namespace heddle::emulator {
namespace {

// In the order of Resource.
constexpr ResourceRow rows[] = {
    {Resource::instructions_per_workgroup, &Budget::instructions_per_workgroup,
     "instructions_per_workgroup", "instructions of one workgroup", "--limit"},
    {Resource::instructions, &Budget::instructions, "instructions", "instructions of the whole run",
     "--limit-run"},
    {Resource::bulk_bytes, &Budget::bulk_bytes, "bulk_bytes", "bytes moved by bulk copies",
     "--limit-bulk-bytes"},
    {Resource::pending_copies, &Budget::pending_copies, "pending_copies",
     "operations issued and not waited for", "--limit-pending"},
    {Resource::memory_bytes, &Budget::memory_bytes, "memory_bytes", "bytes of memory",
     "--limit-memory"},
};

}  // namespace

std::span<const ResourceRow> resource_rows() { return rows; }

const ResourceRow& row(Resource resource) { return rows[static_cast<std::size_t>(resource)]; }

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
