// Decodes two instructions that the simulator has only in part.
// - clusterlaunchcontrol: a cluster takes over the work of clusters that were not launched yet.
// Here all clusters are launched, so there is nothing to take over.
// - multimem: one address for the memory of several GPUs. The simulator has one GPU, so executing
// this instruction is a fault.
#include <array>
#include <span>

#include "emulator/ptx/asynchronous.h"

namespace heddle::emulator::ptx {
namespace {

// Operands: the handle (128 bits), the results. A request never cancels a cluster (asynchronous.h),
// so the first block of the cancelled cluster is undefined.
void is_canceled(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t& p = *w.at(in.operand[1]);
  p &= ~uint64_t{lanes};
}
void first_block(Warp& w, const Record& in, uint32_t lanes) {
  for (uint32_t i = 1; i < in.operand_count; ++i)
    for_lanes(lanes, [&](unsigned l) { put(w.at(in.operand[i]), l, ~uint32_t{0}); });
}

bool launch_control(Decoder& d) {
  if (d.has("try_cancel")) return decode_cancel_request(d);
  if (!d.has("query_cancel")) return false;
  d.read_all();
  std::vector<uint32_t> words{d.source(1, Type::b128)};
  if (d.has("is_canceled")) {
    words.push_back(d.destination(0, Type::pred));
    d.record().handler = is_canceled;
  } else {
    for (const Operand* part : d.parts(0)) words.push_back(d.destination(*part, Type::b32));
    d.record().handler = first_block;
  }
  d.set_operands(std::move(words));
  return true;
}

bool several_gpus(Decoder& d) {
  d.read_all();
  d.record().handler = [](Warp& w, const Record& in, uint32_t lanes) {
    raise(w, in, FaultKind::unsupported, std::countr_zero(lanes),
          "multimem reaches the memory of several GPUs by one address, and the simulator has one");
  };
  d.set_operands({});
  return true;
}

constexpr DecodeRow launch_control_table[] = {{"clusterlaunchcontrol", launch_control},
                                              {"multimem", several_gpus}};

}  // namespace

std::span<const DecodeRow> launch_control_rows() { return launch_control_table; }

}  // namespace heddle::emulator::ptx
