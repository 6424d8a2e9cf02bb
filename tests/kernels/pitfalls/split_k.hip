// A product whose sum over k is split over workgroups: each stores its part of a row, and the one
// that comes last adds them and makes the tickets ready for the next launch. The mistake: threads
// take part in the ticket without waiting for each other.
#include "last_workgroup.h"

extern "C" __global__ void __launch_bounds__(64)
    multiply(const int* a, const int* b, int* parts, int* tickets, int* c, int k) {
  const int i = thread_index(), row = block_index_x(), slice = block_index_y(), slices = 4;
  int sum = 0;
  for (int l = slice * (k / slices); l < (slice + 1) * (k / slices); ++l)
    sum += a[row * k + l] * b[64 * l + i];
  parts[64 * (row * slices + slice) + i] = sum;
  fence();
  if (!MISTAKE) synchronize_block();
  if (i == 0) is_last = add_relaxed(&tickets[row], 1) == slices - 1;
  synchronize_block();
  if (!is_last) return;
  fence();
  sum = 0;
  for (int s = 0; s < slices; ++s) sum += parts[64 * (row * slices + s) + i];
  c[64 * row + i] = sum;
  if (i == 0) store_relaxed(&tickets[row], 0);
}
