// Executes a kernel as badly as the hardware's rules allow: the witness of the checker's rules that
// shares none of its code.
//
// The emulator carries out every memory operation at once. Here an operation is only noted, with
// the registers it was issued with, and carried out later: at the latest when a wait says that it
// must have ended, in the order in which operations of one kind must end. Until then its registers
// hold what they held, and other waves do not see what it stores. Operations of one wave on one
// address keep their order, others need not.
//
// Each wave reads global memory through a cache of its own, the waves of a workgroup share a second
// one, and scalar loads have a third (views.h). They show what memory held when they were last
// invalidated, or at the start of the launch, and what the wave itself has stored since. Atomics
// and loads with `glc` or a scope go past them as far as they say.
//
// The waves of all workgroups run at the same time and take turns as a random number says. What has
// been issued happens some day: a wave that executes very many instructions without a barrier lets
// everything that is outstanding end.
//
// A correct kernel gives the same result in all these executions; a kernel that lacks a wait, a
// barrier or a cache control gives another in some of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/run/run.h"

namespace heddle::emulator::testing {

// Probabilities are in 256ths.
struct Schedule {
  uint64_t seed = 0;
  // That an operation ends as soon as it is issued. A store or an atomic without return is carried
  // out then, and counts as outstanding all the same.
  unsigned early = 0;
  // That a load or atomic is carried out when it is issued, although its registers come later.
  unsigned captured = 0;
  // That a load finds its lines in no cache.
  unsigned fresh = 0;
  // Instructions until another wave may get its turn; 0: not before it waits or sleeps.
  unsigned turn = 0;
  bool reverse = false;  // of the waves' order, where `turn` is 0
};

// A few that differ in kind: all late, all early, mixed; old values, new values; waves in order, in
// reverse, at random.
std::vector<Schedule> schedules();

struct Execution {
  std::optional<std::string> fault;  // what ended it early
  std::vector<bool> executed;        // by instruction index
  uint64_t instructions = 0;
};

// Runs all workgroups of the launch on its buffers, all of them at the same time. Ends with a fault
// after `most_instructions`.
Execution execute(const CodeObject& object, const Launch& launch, const Schedule& schedule,
                  uint64_t most_instructions);

}  // namespace heddle::emulator::testing
