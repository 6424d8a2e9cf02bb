/* A program in C99 that runs a kernel of each machine by include/heddle/run.h:
 * interface TARGET FILE, where FILE has a kernel `add` of z = x + y. */
#include <heddle/run.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 1000 };

struct arguments {
  const float *x, *y;
  float* z;
  int n;
};

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, heddle_error());
  return 1;
}

int main(int argument_count, char** words) {
  static float x[count], y[count], z[count];
  static char code[1 << 20];
  struct arguments arguments = {x, y, z, count};
  const heddle_memory memory[] = {
      {x, sizeof x, "x", 0}, {y, sizeof y, "y", 0}, {z, sizeof z, "z", HEDDLE_WRITABLE}};
  heddle_device* device;
  heddle_module* module;
  heddle_kernel* kernel;
  heddle_run* run;
  heddle_launch launch;
  heddle_counts counts;
  size_t size;
  int i;
  FILE* file = argument_count == 3 ? fopen(words[2], "rb") : NULL;
  if (!file) return failed("interface TARGET FILE");
  size = fread(code, 1, sizeof code, file);
  fclose(file);
  for (i = 0; i < count; ++i) {
    x[i] = (float)i;
    y[i] = 0.5f;
  }

  device = heddle_open(words[1]);
  if (!device) return failed("open");
  module = heddle_load(device, code, size, NULL);
  if (!module) return failed("load");
  kernel = heddle_find_kernel(module, "add");
  if (!kernel) return failed("find");
  if (heddle_parameter_count(kernel) != 4) return failed("parameters");

  memset(&launch, 0, sizeof launch);
  launch.size = sizeof launch;
  launch.grid[0] = (count + 255) / 256;
  launch.grid[1] = launch.grid[2] = 1;
  launch.block[0] = 256;
  launch.block[1] = launch.block[2] = 1;
  launch.flags = HEDDLE_CHECK;
  launch.arguments = &arguments;
  launch.argument_bytes = offsetof(struct arguments, n) + sizeof arguments.n;
  launch.memory = memory;
  launch.memory_count = sizeof memory / sizeof memory[0];
  run = heddle_run_kernel(kernel, &launch);
  if (!run) return failed("run");
  for (i = 0; i < count; ++i)
    if (z[i] != x[i] + y[i]) return failed("result");
  if (!heddle_run_finished(run) || heddle_finding_count(run) != 0) return failed("findings");
  heddle_run_counts(run, &counts);
  if (counts.global_bytes_written != sizeof z) return failed("counts");
  if (!strstr(heddle_run_json(run), "\"kernel\": \"add\"") &&
      !strstr(heddle_run_json(run), "\"kernel\":\"add\""))
    return failed("json");
  heddle_free_run(run);

  /* One element too few. */
  launch.flags = 0;
  launch.memory_count = 2;
  run = heddle_run_kernel(kernel, &launch);
  if (!run || heddle_run_finished(run) || heddle_finding_count(run) != 1) return failed("fault");
  if (!strstr(heddle_finding_text(run, 0), "array ")) return failed("nearest");
  puts(heddle_finding_text(run, 0));
  heddle_free_run(run);

  heddle_unload(module);
  heddle_close(device);
  return 0;
}
