// Neither are the parts released before the ticket is taken, nor are those of others acquired.
#include "last_workgroup.h"

extern "C" __global__ void __launch_bounds__(64)
    sum_rows(const int* x, int* parts, int* tickets, int* y, int workgroups) {
  sum_by_the_last(x, parts, y, workgroups, [&](int thread) {
    return has_last_ticket(thread, workgroups, [&] {
      return MISTAKE ? add_relaxed(tickets, 1) : add_ordered(tickets, 1);
    });
  });
}
