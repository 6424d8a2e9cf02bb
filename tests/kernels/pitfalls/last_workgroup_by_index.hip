// The workgroup with the highest number adds the parts, whoever else has not come so far.
#include "last_workgroup.h"

extern "C" __global__ void __launch_bounds__(64)
    sum_rows(const int* x, int* parts, int* tickets, int* y, int workgroups) {
  sum_by_the_last(x, parts, y, workgroups, [&](int thread) {
    if (MISTAKE) return block_index_x() == workgroups - 1;
    return has_last_ticket(thread, workgroups, [&] { return add_ordered(tickets, 1); });
  });
}
