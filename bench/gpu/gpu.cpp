#include "bench/gpu/gpu.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "runtime/rounding_limit.h"

namespace heddle::bench {
std::vector<Kernel> read_kernels(const std::string& folder) {
  std::vector<Kernel> kernels;
  std::ifstream file(folder + "/kernels.txt");
  while (true) {
    Kernel k;
    std::size_t arguments = 0;
    file >> k.name >> k.plan >> k.m >> k.n >> k.k >> k.input >> k.result >> k.entry >> k.blocks >>
        k.batch >> k.threads >> k.shared >> arguments;
    if (!file) return kernels;
    for (std::size_t i = 0; i < arguments; ++i) {
      KernelArgument argument;
      std::string kind;
      file >> argument.matrix >> kind;
      argument.is_map = kind == "map";
      if (argument.is_map)
        file >> argument.element >> argument.columns >> argument.rows >> argument.stride >>
            argument.line >> argument.lines;
      k.arguments.push_back(argument);
    }
    kernels.push_back(k);
  }
}

Gpu::Gpu(Cuda& cuda) : cuda_(cuda), workers_(std::max(1u, std::thread::hardware_concurrency())) {
  int device = 0, driver = 0, version = 0;
  check(cuda_.device_get(&device, 0), "cuDeviceGet");
  void* context = nullptr;
  check(cuda_.retain_context(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuda_.set_context(context), "cuCtxSetCurrent");
  char name[100] = "", driver_text[100] = "";
  cuda_.device_name(name, sizeof name, device);
  cuda_.driver_version(&driver);
  check(cuda_.create(&cublas_), "cublasCreate");
  cuda_.version(cublas_, &version);
  unsigned milliwatts = 0;
  if (cuda_.nvml_init != nullptr && cuda_.nvml_init() == 0 && cuda_.nvml_device(0, &nvml_) == 0) {
    cuda_.nvml_driver_version(driver_text, sizeof driver_text);
    cuda_.nvml_power_limit(nvml_, &milliwatts);
  }
  std::ostringstream text;
  text << "\"gpu\": \"" << name << "\", \"driver\": \"" << driver_text << "\", \"cuda\": \""
       << driver / 1000 << '.' << driver % 1000 / 10 << "\", \"cublas\": " << version
       << ", \"power_limit_watt\": " << milliwatts / 1000;
  description_ = text.str();
  // The size that PyTorch gives cuBLAS on Hopper: its choice of kernels depends on it.
  constexpr std::size_t workspace_bytes = 32u << 20;
  Address workspace = 0;
  check(cuda_.allocate(&workspace, workspace_bytes), "cuMemAlloc");
  check(cuda_.set_workspace(cublas_, reinterpret_cast<void*>(workspace), workspace_bytes),
        "cublasSetWorkspace");
  for (void*& event : events_) check(cuda_.create_event(&event, 0), "cuEventCreate");
}

void Gpu::check(int code, const char* what) {
  if (code == 0) return;
  const char* name = "";
  if (cuda_.error_name != nullptr) cuda_.error_name(code, &name);
  std::printf("%s: error %d %s\n", what, code, name == nullptr ? "" : name);
  std::fflush(stdout);
  _exit(1);
}

void Gpu::prepare(const Kernel& product, bool uniform) {
  unload();
  for (const Address matrix : {a_, b_, d_, reference_})
    if (matrix != 0) cuda_.release(matrix);
  product_ = product;
  const auto allocated = [&](std::int64_t elements, std::size_t bytes) {
    Address address = 0;
    check(cuda_.allocate(&address, static_cast<std::size_t>(elements) * bytes), "cuMemAlloc");
    return address;
  };
  a_ = allocated(product.m * product.k, 2);
  b_ = allocated(product.k * product.n, 2);
  d_ = allocated(product.m * product.n, result_bytes());
  reference_ = allocated(product.m * product.n, result_bytes());
  exact_ = drawn([](std::mt19937& bits) { return static_cast<double>(bits() % 17) / 8 - 1; });
  // Products are multiples of 2^-6, and no sum of their magnitudes is more than k.
  exact_.exact = product.k <= 1L << 18;
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> even(-1, 1);
  drawn_ = drawn([=](std::mt19937& bits) mutable { return uniform ? even(bits) : normal(bits); });
}

Gpu::Operands Gpu::drawn(auto&& number) {
  Operands operands;
  const auto fill = [&](std::vector<std::uint16_t>& matrix, std::int64_t count) {
    matrix.resize(static_cast<std::size_t>(count));
    const unsigned seed = seed_++;
    in_parallel([&](std::size_t worker) {
      std::mt19937 bits(1000003u * seed + static_cast<unsigned>(worker));
      auto own = number;
      const std::size_t size = matrix.size(), end = size * (worker + 1) / workers_;
      for (std::size_t i = size * worker / workers_; i < end; ++i)
        runtime::store_number(input(), reinterpret_cast<std::byte*>(&matrix[i]), own(bits));
    });
  };
  fill(operands.a, product_.m * product_.k);
  fill(operands.b, product_.k * product_.n);
  const std::vector<double> a = doubles(operands.a), b = doubles(operands.b);
  operands.row_norms = runtime::norms(a, product_.m, product_.k, product_.k, 1);
  operands.column_norms = runtime::norms(b, product_.n, product_.k, 1, product_.n);
  multiply_in_float64(operands, a, b);
  check_float64(operands);
  return operands;
}

std::vector<double> Gpu::doubles(const std::vector<std::uint16_t>& numbers) const {
  std::vector<double> all(numbers.size());
  in_parallel([&](std::size_t worker) {
    const std::size_t size = all.size(), end = size * (worker + 1) / workers_;
    for (std::size_t i = size * worker / workers_; i < end; ++i)
      all[i] = runtime::load_number(input(), reinterpret_cast<const std::byte*>(&numbers[i]));
  });
  return all;
}

// Row-major D = A B is column-major D' = B' A'.
void Gpu::multiply_in_float64(Operands& operands, const std::vector<double>& a,
                              const std::vector<double>& b) {
  operands.product.resize(static_cast<std::size_t>(product_.m * product_.n));
  Address matrices[3]{};
  const std::size_t bytes[3]{8 * a.size(), 8 * b.size(), 8 * operands.product.size()};
  for (int i = 0; i < 3; ++i) check(cuda_.allocate(&matrices[i], bytes[i]), "cuMemAlloc");
  check(cuda_.to_device(matrices[0], a.data(), bytes[0]), "cuMemcpyHtoD");
  check(cuda_.to_device(matrices[1], b.data(), bytes[1]), "cuMemcpyHtoD");
  const double one = 1, zero = 0;
  const int m = static_cast<int>(product_.m), n = static_cast<int>(product_.n),
            k = static_cast<int>(product_.k);
  check(cuda_.multiply_double(cublas_, 0, 0, n, m, k, &one, reinterpret_cast<void*>(matrices[1]), n,
                              reinterpret_cast<void*>(matrices[0]), k, &zero,
                              reinterpret_cast<void*>(matrices[2]), n),
        "cublasDgemm");
  check(cuda_.to_host(operands.product.data(), matrices[2], bytes[2]), "cuMemcpyDtoH");
  for (const Address matrix : matrices) check(cuda_.release(matrix), "cuMemFree");
}

// The judge is judged: some elements by sums on the host.
void Gpu::check_float64(const Operands& operands) {
  const auto number = [&](const std::vector<std::uint16_t>& matrix, std::int64_t at) {
    return runtime::load_number(
        input(), reinterpret_cast<const std::byte*>(&matrix[static_cast<std::size_t>(at)]));
  };
  std::mt19937_64 bits(7);
  for (int i = 0; i < 200; ++i) {
    const auto row = static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(product_.m));
    const auto column = static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(product_.n));
    double sum = 0;
    for (std::int64_t k = 0; k < product_.k; ++k)
      sum += number(operands.a, row * product_.k + k) * number(operands.b, k * product_.n + column);
    const double found = operands.product[static_cast<std::size_t>(row * product_.n + column)];
    const double magnitude = operands.row_norms[static_cast<std::size_t>(row)] *
                             operands.column_norms[static_cast<std::size_t>(column)];
    if (std::abs(found - sum) <= static_cast<double>(product_.k) * 0x1p-52 * magnitude) continue;
    std::printf("cublasDgemm: element %ld, %ld is %.17g, and %.17g by sums on the host\n",
                static_cast<long>(row), static_cast<long>(column), found, sum);
    std::fflush(stdout);
    _exit(1);
  }
}

void Gpu::upload(const Operands& operands) {
  check(cuda_.to_device(a_, operands.a.data(), 2 * operands.a.size()), "cuMemcpyHtoD");
  check(cuda_.to_device(b_, operands.b.data(), 2 * operands.b.size()), "cuMemcpyHtoD");
}

void Gpu::in_parallel(auto&& work) const {
  std::vector<std::thread> threads;
  for (std::size_t worker = 0; worker < workers_; ++worker)
    threads.emplace_back([&work, worker] { work(worker); });
  for (std::thread& thread : threads) thread.join();
}

void Gpu::load(const std::string& folder, const Kernel& kernel) {
  std::ostringstream text;
  text << std::ifstream(folder + "/" + kernel.name + ".ptx", std::ios::binary).rdbuf();
  Loaded loaded;
  loaded.kernel = kernel;
  check(cuda_.load_module(&loaded.module, text.str().c_str(), 0, nullptr, nullptr),
        "cuModuleLoadDataEx");
  check(cuda_.get_function(&loaded.function, loaded.module, kernel.entry.c_str()),
        "cuModuleGetFunction");
  constexpr int max_dynamic_shared = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  check(cuda_.set_attribute(loaded.function, max_dynamic_shared, static_cast<int>(kernel.shared)),
        "cuFuncSetAttribute");
  for (const KernelArgument& argument : kernel.arguments)
    loaded.maps.push_back(argument.is_map ? tensor_map(argument) : TensorMap{});
  loaded_.push_back(std::move(loaded));
}

void Gpu::unload() {
  for (const Loaded& loaded : loaded_) check(cuda_.unload_module(loaded.module), "cuModuleUnload");
  loaded_.clear();
}

Address Gpu::address(const std::string& matrix) const {
  return matrix == "A" ? a_ : matrix == "B" ? b_ : d_;
}

TensorMap Gpu::tensor_map(const KernelArgument& argument) {
  TensorMap made{};
  // CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, _FLOAT32 and _FLOAT16.
  const int type = argument.element == "bf16" ? 9 : argument.element == "f32" ? 7 : 6;
  const std::uint64_t sizes[]{argument.columns, argument.rows};
  const std::uint32_t box[]{argument.line, argument.lines}, steps[]{1, 1};
  // No interleaving, swizzle of 128 bytes, promotion of L2 sectors to 256 bytes, zero fill.
  check(cuda_.encode_tiled(&made, type, 2, reinterpret_cast<void*>(address(argument.matrix)), sizes,
                           &argument.stride, box, steps, 0, 3, 3, 0),
        "cuTensorMapEncodeTiled");
  return made;
}

void Gpu::launch(Loaded& loaded) {
  const Kernel& kernel = loaded.kernel;
  std::vector<Address> pointers(kernel.arguments.size());
  std::vector<void*> arguments;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    pointers[i] = address(kernel.arguments[i].matrix);
    arguments.push_back(kernel.arguments[i].is_map ? static_cast<void*>(&loaded.maps[i])
                                                   : &pointers[i]);
  }
  check(cuda_.launch(loaded.function, kernel.blocks, kernel.batch, 1, kernel.threads, 1, 1,
                     kernel.shared, nullptr, arguments.data(), nullptr),
        "cuLaunchKernel");
}

// Row-major D = A B is column-major D' = B' A'.
void Gpu::multiply_by_cublas() {
  const float one = 1, zero = 0;
  const int in = product_.input == "bf16" ? 14 : 2;   // CUDA_R_16BF, CUDA_R_16F
  const int out = product_.result == "f32" ? 0 : in;  // CUDA_R_32F
  constexpr int compute_32f = 68, algorithm = 99;     // CUBLAS_COMPUTE_32F, _DEFAULT_TENSOR_OP
  const int m = static_cast<int>(product_.m), n = static_cast<int>(product_.n),
            k = static_cast<int>(product_.k);
  check(cuda_.multiply(cublas_, 0, 0, n, m, k, &one, reinterpret_cast<void*>(b_), in, n,
                       reinterpret_cast<void*>(a_), in, k, &zero,
                       reinterpret_cast<void*>(reference_), out, n, compute_32f, algorithm),
        "cublasGemmEx");
}

double Gpu::timed(int calls, auto&& work) {
  work();
  check(cuda_.record(events_[0], nullptr), "cuEventRecord");
  for (int i = 0; i < calls; ++i) work();
  check(cuda_.record(events_[1], nullptr), "cuEventRecord");
  wait();
  float time = 0;
  check(cuda_.elapsed(&time, events_[0], events_[1]), "cuEventElapsedTime");
  return time;
}

void Gpu::wait() {
  const auto begin = std::chrono::steady_clock::now();
  constexpr int not_ready = 600;  // CUDA_ERROR_NOT_READY
  constexpr int clock_of_sm = 1;  // NVML_CLOCK_SM
  int state = not_ready;
  clock_ = 0;
  while ((state = cuda_.query(events_[1])) == not_ready) {
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (clock_ == 0 && nvml_ != nullptr && waited > std::chrono::milliseconds(20))
      cuda_.nvml_clock(nvml_, clock_of_sm, &clock_);
    if (waited < std::chrono::seconds(4)) continue;
    std::printf("a kernel does not end\n");
    std::fflush(stdout);
    _exit(1);
  }
  check(state, "cuEventQuery");
}

double Gpu::time_loaded(std::size_t number, int calls) {
  return timed(calls, [&] { launch(loaded_[number]); });
}

double Gpu::time_cublas(int calls) {
  return timed(calls, [&] { multiply_by_cublas(); });
}

// The limit of a sum of k products in f32 in any order: runtime/matmul_check.h.
double Gpu::compare(const Operands& operands, const std::vector<std::byte>& got) const {
  const double roundings = static_cast<double>(product_.k + 1) * 0x1p-24;
  const auto share = [&](std::size_t at) {
    const std::size_t row = at / static_cast<std::size_t>(product_.n);
    const std::size_t column = at % static_cast<std::size_t>(product_.n);
    const double allowed =
        operands.exact ? 0 : roundings * operands.row_norms[row] * operands.column_norms[column];
    const double value = runtime::load_number(result(), got.data() + at * result_bytes());
    return runtime::share_of_limit(result(), value, operands.product[at], allowed);
  };
  std::vector<double> worst_of(workers_, 0);
  in_parallel([&](std::size_t worker) {
    const std::size_t count = operands.product.size(), end = count * (worker + 1) / workers_;
    for (std::size_t i = count * worker / workers_; i < end; ++i)
      worst_of[worker] = std::max(worst_of[worker], share(i));
  });
  return *std::ranges::max_element(worst_of);
}

double Gpu::check_loaded() {
  double worst = 0;
  std::vector<std::byte> got(static_cast<std::size_t>(product_.m * product_.n) * result_bytes());
  for (const Operands* operands : {&exact_, &drawn_}) {  // those to be timed are the last
    upload(*operands);
    check(cuda_.fill(d_, 0xff, got.size()), "cuMemsetD8");
    timed(0, [&] { launch(loaded_.back()); });
    check(cuda_.to_host(got.data(), d_, got.size()), "cuMemcpyDtoH");
    worst = std::max(worst, compare(*operands, got));
  }
  return worst;
}

}  // namespace heddle::bench
