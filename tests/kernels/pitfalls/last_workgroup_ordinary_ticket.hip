// The ticket is an ordinary ++: two workgroups may take the same one.
#include "last_workgroup.h"

extern "C" __global__ void __launch_bounds__(64)
    sum_rows(const int* x, int* parts, int* tickets, int* y, int workgroups) {
  sum_by_the_last(x, parts, y, workgroups, [&](int thread) {
    return has_last_ticket(thread, workgroups, [&] {
      fence();
      const int mine = MISTAKE ? (*tickets)++ : add_relaxed(tickets, 1);
      fence();
      return mine;
    });
  });
}
