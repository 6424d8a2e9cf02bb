/* Runs kernels of AMD and NVIDIA in this process, without a GPU: plain C, in libheddle_run.so.
 *
 *   heddle_device* device = heddle_open("gfx942");
 *   heddle_module* module = heddle_load(device, code, code_bytes, "add.co");
 *   heddle_kernel* kernel = heddle_find_kernel(module, "add");
 *   struct { float* x; int n; } arguments = {x, n};
 *   heddle_memory memory[] = {{x, n * sizeof(float), "x", HEDDLE_WRITABLE}};
 *   heddle_launch launch = {.size = sizeof launch, .grid = {n / 256, 1, 1}, .block = {256, 1, 1},
 *                           .arguments = &arguments, .argument_bytes = sizeof arguments,
 *                           .memory = memory, .memory_count = 1, .flags = HEDDLE_CHECK};
 *   heddle_run* run = heddle_run_kernel(kernel, &launch);
 *   if (!run) puts(heddle_error());            // refused: nothing was run
 *   else puts(heddle_run_json(run));           // docs/json.md, "A run"
 *
 * Addresses of the device are addresses of the host: nothing is copied, and pointers in structs and
 * arrays are what they are. A kernel reaches the memory that its launch names, its module's
 * variables, LDS (shared memory) and scratch (local memory), and nothing else. Any other access is
 * a finding that names the nearest array and the distance. It cannot end or hang the process: what
 * it may cost is bounded (docs/trust.md).
 *
 * A function that returns a pointer returns NULL for an error, and heddle_error() is the sentence.
 * Texts are UTF-8. They live as long as what they were asked of, unless it says otherwise. Threads
 * may call everything at the same time; launches of one module run one after the other. What is
 * freed while something made of it exists, such as a module with a run, lives until that is freed.
 *
 * What to do with each answer:
 *
 *   heddle_run_kernel returns NULL       the launch itself is wrong: a block that is too large, an
 *                                        argument that is missing. heddle_error() says which
 *   heddle_run_finished(run) == 0        a fault ended the kernel: an access outside of all memory,
 *                                        a budget, an instruction that is not there. The last
 *                                        finding has the place
 *   heddle_finding_count(run) > 0        the kernel came to its end, and HEDDLE_CHECK found
 *                                        mistakes: a race, a value that was never written
 *   neither                              results are in the caller's memory
 *
 * Link with -lheddle_run. It loads no ROCm, no CUDA and no LLVM.
 */
#ifndef HEDDLE_RUN_H
#define HEDDLE_RUN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HEDDLE_INTERFACE __attribute__((visibility("default")))
#else
#define HEDDLE_INTERFACE
#endif

/* Each is made by one function and given back to one, in any order:
 *   heddle_open, heddle_close    heddle_load, heddle_unload    heddle_run_kernel, heddle_free_run
 * A kernel belongs to its module and is not freed. NULL may be given back, too. */
typedef struct heddle_device heddle_device;
typedef struct heddle_module heddle_module;
typedef struct heddle_kernel heddle_kernel; /* a part of its module */
typedef struct heddle_run heddle_run;       /* what one launch did */

/* Heddle's version, "0.1.0". */
HEDDLE_INTERFACE const char* heddle_version(void);
/* The sentence of this thread's last error; "" if there was none. Until the thread's next call. */
HEDDLE_INTERFACE const char* heddle_error(void);

/* A device that runs code for one processor: "gfx942", "gfx1201", "sm_90a" ... (`heddle list
 * targets`). */
HEDDLE_INTERFACE heddle_device* heddle_open(const char* target);
/* Lanes of a wave (warp): 64 for AMD's gfx9, else 32. A kernel of RDNA may have 64, too. */
HEDDLE_INTERFACE uint32_t heddle_wave(const heddle_device* device);
/* Gives the device back. Its modules go on to work. */
HEDDLE_INTERFACE void heddle_close(heddle_device* device);

/* Loads a code object, an offload bundle, an object file or program with bundles inside, or the
 * text of PTX. `name` is what places in PTX are named by, "kernel.ptx" if NULL; a text with lines
 * of its source (.loc) has those. The bytes are copied. */
HEDDLE_INTERFACE heddle_module* heddle_load(heddle_device* device, const void* bytes, size_t size,
                                            const char* name);
/* Gives the module back: its kernels and variables are gone, once its runs are freed. */
HEDDLE_INTERFACE void heddle_unload(heddle_module* module);

/* Kernels, by number or by name (the symbol). */
HEDDLE_INTERFACE size_t heddle_kernel_count(const heddle_module* module);
HEDDLE_INTERFACE heddle_kernel* heddle_kernel_at(heddle_module* module, size_t number);
HEDDLE_INTERFACE heddle_kernel* heddle_find_kernel(heddle_module* module, const char* name);
HEDDLE_INTERFACE const char* heddle_kernel_name(const heddle_kernel* kernel);

/* A parameter: its place among the argument bytes. Its name may be ""; the kind is "global_buffer"
 * (a pointer), "by_value" ... as in AMD's metadata. */
typedef struct heddle_parameter {
  const char* name;
  const char* kind;
  uint32_t offset, size; /* bytes */
} heddle_parameter;
/* Without those that the machine itself fills in ("hidden_..."). */
HEDDLE_INTERFACE size_t heddle_parameter_count(const heddle_kernel* kernel);
/* Returns 0, or -1 if there is no parameter of that number. */
HEDDLE_INTERFACE int heddle_parameter_at(const heddle_kernel* kernel, size_t number,
                                         heddle_parameter* into);

/* A variable of the module (__device__, __constant__, .global). It keeps its value from launch to
 * launch. `data` is where the host reads and writes it, and `address` what kernels see. */
typedef struct heddle_variable {
  void* data;
  uint64_t address;
  size_t bytes;
} heddle_variable;
/* Returns 0, or -1 with an error. */
HEDDLE_INTERFACE int heddle_find_variable(heddle_module* module, const char* name,
                                          heddle_variable* into);

enum {
  HEDDLE_WRITABLE = 1, /* the kernel may write it: else a write is a fault */
  HEDDLE_NOT_INITIALISED =
      2 /* with HEDDLE_CHECK, a read of a byte that nobody wrote is a finding */
};
/* Memory of the caller's that a kernel may use. It stays as it is until the launch has returned.
 * Parts may overlap; 0 bytes are allowed. */
typedef struct heddle_memory {
  void* address;
  size_t bytes;
  const char* name; /* for messages; NULL: by its address */
  uint32_t flags;
} heddle_memory;

enum {
  HEDDLE_CHECK = 1, /* every workgroup is checked for races and undefined values: docs/checker.md */
  HEDDLE_COOPERATIVE = 2, /* workgroups wait for each other; they may do so without it, too */
  HEDDLE_PROFILE_ALL =
      4 /* LDS and global accesses are counted in all workgroups, not in the first */
};
/* Fields of 0 have their usual value. */
typedef struct heddle_launch {
  size_t size;           /* sizeof(heddle_launch); another size is refused */
  uint32_t grid[3];      /* workgroups (blocks) */
  uint32_t block[3];     /* threads of one */
  uint32_t cluster[3];   /* workgroups (blocks) of a cluster; 0: as the kernel was compiled */
  uint32_t shared_bytes; /* dynamic LDS (shared memory) of a workgroup */
  uint32_t flags;
  uint32_t threads;      /* of the host; 0: one for each core */
  const void* arguments; /* all parameters in their places */
  size_t argument_bytes;
  const heddle_memory* memory;
  size_t memory_count;
  uint64_t most_instructions_of_workgroup; /* budgets: docs/trust.md */
  uint64_t most_instructions;
  uint64_t most_memory_bytes;
  uint64_t most_bulk_bytes; /* PTX: bytes moved by bulk copies */
  uint64_t most_pending;    /* PTX: operations issued and not waited for */
} heddle_launch;

/* A tensor map of NVIDIA's, in the words of cuTensorMapEncodeTiled; the innermost dimension is the
 * first. */
typedef struct heddle_tensor_map {
  size_t size;         /* sizeof(heddle_tensor_map) */
  const void* address; /* of the first element */
  uint32_t type;       /* CUtensorMapDataType */
  uint32_t dimensions; /* 1 to 5 */
  uint64_t sizes[5];   /* elements */
  uint64_t strides[4]; /* bytes, of all dimensions but the first */
  uint32_t box[5];     /* elements */
  uint32_t element_strides[5];
  uint32_t interleave, swizzle, fill; /* the driver's numbers */
} heddle_tensor_map;
/* Writes the 128 bytes that a kernel takes by value. Returns 0, or -1 with an error. */
HEDDLE_INTERFACE int heddle_encode_tensor_map(const heddle_tensor_map* map, void* into);

/* Runs a kernel to its end, or to the fault that ends it. NULL: the launch was refused, and nothing
 * was run. */
HEDDLE_INTERFACE heddle_run* heddle_run_kernel(heddle_kernel* kernel, const heddle_launch* launch);
/* 1 if the kernel came to its end; 0 if a fault ended it, which is then the last finding. */
HEDDLE_INTERFACE int heddle_run_finished(const heddle_run* run);
/* Mistakes that were found. */
HEDDLE_INTERFACE size_t heddle_finding_count(const heddle_run* run);
/* A finding in some lines for people; NULL if there is none of that number. */
HEDDLE_INTERFACE const char* heddle_finding_text(heddle_run* run, size_t number);
/* What the kernel printed. */
HEDDLE_INTERFACE const char* heddle_run_printed(const heddle_run* run);
/* Everything: the report of `heddle run --report json` for a launch (docs/json.md). It is made when
 * it is first asked for. */
HEDDLE_INTERFACE const char* heddle_run_json(heddle_run* run);
/* Sums over all workgroups. An instruction of a wave counts once, however many lanes take part;
 * bytes count for the lanes that do. */
typedef struct heddle_counts {
  uint64_t instructions; /* of waves, in all workgroups */
  uint64_t matrix_instructions, barriers;
  uint64_t global_bytes_read, global_bytes_written;
  uint64_t shared_bytes_read, shared_bytes_written;
  double seconds; /* that the run took on the host */
} heddle_counts;
HEDDLE_INTERFACE void heddle_run_counts(const heddle_run* run, heddle_counts* into);
/* Gives the run back, with all texts that it was asked for. */
HEDDLE_INTERFACE void heddle_free_run(heddle_run* run);

#ifdef __cplusplus
}
#endif
#endif
