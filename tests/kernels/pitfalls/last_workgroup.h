// A sum by the workgroup that comes last: each stores its part, takes a ticket, and the one with the
// last ticket adds the parts. How the ticket is taken is given to it.
#pragma once

#include "between_workgroups.h"

static __shared__ int is_last;

template <class Last>
__device__ inline void sum_by_the_last(const int* x, int* parts, int* y, int workgroups,
                                       Last last) {
  const int i = thread_index();
  parts[64 * block_index_x() + i] = 3 * x[64 * block_index_x() + i];
  if (!last(i)) return;
  int sum = 0;
  for (int w = 0; w < workgroups; ++w) sum += parts[64 * w + i];
  y[i] = sum;
}

// The parts of the workgroup are in memory, then one lane takes the ticket, then all know.
template <class Ticket>
__device__ inline bool has_last_ticket(int thread, int workgroups, Ticket ticket) {
  synchronize_block();
  if (thread == 0) is_last = ticket() == workgroups - 1;
  synchronize_block();
  return is_last;
}
