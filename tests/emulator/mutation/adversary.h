// Executes a kernel as badly as the hardware's rules allow: the witness of the checker's rules that
// shares none of its code.
//
// The emulator carries out every memory operation at once. Here an operation is only noted, with
// the registers it was issued with, and carried out later: at the latest when a wait says that it
// must have ended, in the order in which operations of one kind must end. Until then its registers
// hold what they held. Waves take turns as a random number says. A correct kernel gives the same
// result in all these executions; a kernel that lacks a wait or a barrier gives another in some of
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/launch.h"

namespace heddle::emulator::testing {

struct Schedule {
  uint64_t seed = 0;
  // How many operations are carried out as soon as they are issued, in 256ths.
  unsigned early = 0;
  // Instructions until another wave may get its turn; 0: not before it waits.
  unsigned turn = 0;
  bool reverse = false;  // of the waves' order, where `turn` is 0
};

// A few that differ in kind: all late, all early, mixed; waves in order, in reverse, at random.
std::vector<Schedule> schedules();

struct Execution {
  std::optional<std::string> fault;  // what ended it early
  std::vector<bool> executed;        // by instruction index
};

// Runs all workgroups, one after the other, on the buffers of the launch.
Execution execute(const CodeObject& object, const Launch& launch, const Schedule& schedule);

}  // namespace heddle::emulator::testing
