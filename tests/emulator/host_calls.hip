// Kernels that call the host through AMD's device library, for host_calls_test.cpp.
#define GLOBAL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))

extern "C" DEVICE int printf(const char*, ...);
extern "C" DEVICE unsigned long __ockl_devmem_request(unsigned long, unsigned long);

DEVICE int thread() { return static_cast<int>(__builtin_amdgcn_workitem_id_x()); }
DEVICE int block() { return static_cast<int>(__builtin_amdgcn_workgroup_id_x()); }

// Every third thread prints more than a packet of the host holds.
GLOBAL void says(int* results) {
  const int number = 100 * block() + thread();
  if (thread() % 3 == 0)
    results[number] = printf("%d %s %5.2f %lx%%, and a text of more than fifty-six bytes\n", number,
                             number % 2 == 0 ? "even" : "odd, which is longer", 0.5 * number,
                             0x123456789abcul);
}

GLOBAL void fails(const int* values) {
  const int number = 100 * block() + thread();
  if (values[number] < 3) return;
  printf("a.py:%d: value %d of thread %d is too large\n", 21, values[number], thread());
  __builtin_trap();
}

GLOBAL void traps(const int* values) {
  if (values[thread()] == 3) __builtin_trap();
}

GLOBAL void asks(unsigned long* result) { *result = __ockl_devmem_request(0, 4096); }

// The packet that is ready is its own successor, and asks for what the argument says.
GLOBAL void forges(unsigned long service, unsigned long descriptor, unsigned long mask) {
  auto* const buffer = *reinterpret_cast<unsigned long**>(
      reinterpret_cast<char*>(__builtin_amdgcn_implicitarg_ptr()) + 80);
  auto* const header = reinterpret_cast<volatile unsigned long*>(buffer[0]);
  auto* const payload = reinterpret_cast<volatile unsigned long*>(buffer[1]);
  header[3] = 1ul;
  header[4] = mask;
  header[5] = service | 1ul << 32;
  for (int i = 0; i < 512; ++i) payload[512 + i] = descriptor;
  header[3] = 0xffffffffffff0001ul;
  __atomic_store_n(buffer + 4, 0xffffffffffff0001ul, __ATOMIC_SEQ_CST);
  __builtin_amdgcn_s_sendmsg(1, 0);
  for (int i = 0; i < 20; ++i) __builtin_amdgcn_s_sleep(1);
}
