#include "bench/gpu/gpu.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

namespace heddle::bench {
namespace {

float as_float(std::uint16_t bits, bool bf16) {
  if (bf16) return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  return static_cast<float>(std::bit_cast<_Float16>(bits));
}

std::uint16_t as_bits(float x, bool bf16) {
  if (!bf16) return std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
  const auto word = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

}  // namespace

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
  uniform_ = uniform;
  a_ = random(host_a_, static_cast<std::size_t>(product.m * product.k), uniform);
  b_ = random(host_b_, static_cast<std::size_t>(product.k * product.n), uniform);
  const std::size_t bytes = static_cast<std::size_t>(product.m * product.n) * result_bytes();
  check(cuda_.allocate(&d_, bytes), "cuMemAlloc");
  check(cuda_.allocate(&reference_, bytes), "cuMemAlloc");
  multiply_by_cublas();
  expected_.resize(bytes);
  check(cuda_.to_host(expected_.data(), reference_, bytes), "cuMemcpyDtoH");
}

Address Gpu::random(std::vector<std::uint16_t>& host, std::size_t count, bool uniform) {
  host.resize(count);
  const unsigned seed = seed_++;
  in_parallel([&](std::size_t worker) {
    std::mt19937 bits(1000003u * seed + static_cast<unsigned>(worker));
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> even(-1, 1);
    for (std::size_t i = count * worker / workers_; i < count * (worker + 1) / workers_; ++i)
      host[i] = as_bits(uniform ? even(bits) : normal(bits), bf16());
  });
  Address address = 0;
  check(cuda_.allocate(&address, 2 * count), "cuMemAlloc");
  check(cuda_.to_device(address, host.data(), 2 * count), "cuMemcpyHtoD");
  return address;
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
  const int in = bf16() ? 14 : 2;                     // CUDA_R_16BF, CUDA_R_16F
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

double Gpu::element(const std::vector<unsigned char>& bytes, std::size_t at) const {
  if (product_.result == "f32") {
    float x = 0;
    std::memcpy(&x, bytes.data() + 4 * at, 4);
    return x;
  }
  std::uint16_t x = 0;
  std::memcpy(&x, bytes.data() + 2 * at, 2);
  return as_float(x, bf16());
}

// A sum of k products of numbers of variance v is of the size of v sqrt(k).
double Gpu::judged(double x, double y) const {
  const double variance = uniform_ ? 1.0 / 3 : 1;
  const double rounding = product_.result == "f32" ? 1e-5 : bf16() ? 1.0 / 128 : 1.0 / 1024;
  const double limit =
      rounding * std::abs(y) + 5e-5 * variance * std::sqrt(static_cast<double>(product_.k));
  const double error = std::abs(x - y) / limit;
  return std::isnan(error) ? 1e9 : error;
}

double Gpu::sum(long row, long column) const {
  double total = 0;
  for (long k = 0; k < product_.k; ++k)
    total += static_cast<double>(
                 as_float(host_a_[static_cast<std::size_t>(row * product_.k + k)], bf16())) *
             as_float(host_b_[static_cast<std::size_t>(k * product_.n + column)], bf16());
  return total;
}

double Gpu::compare_all(const std::vector<unsigned char>& got) const {
  const auto count = static_cast<std::size_t>(product_.m * product_.n);
  std::vector<double> worst_of(workers_, 0);
  in_parallel([&](std::size_t worker) {
    double worst = 0;
    for (std::size_t i = count * worker / workers_; i < count * (worker + 1) / workers_; ++i)
      worst = std::max(worst, judged(element(got, i), element(expected_, i)));
    worst_of[worker] = worst;
  });
  return *std::ranges::max_element(worst_of);
}

double Gpu::check_loaded() {
  Loaded& loaded = loaded_.back();
  std::vector<unsigned char> got(expected_.size());
  check(cuda_.fill(d_, 0xff, got.size()), "cuMemsetD8");
  timed(0, [&] { launch(loaded); });
  check(cuda_.to_host(got.data(), d_, got.size()), "cuMemcpyDtoH");
  double worst = compare_all(got);
  std::mt19937_64 bits(7);
  for (int i = 0; i < 200; ++i) {
    const auto row = static_cast<long>(bits() % static_cast<std::uint64_t>(product_.m));
    const auto column = static_cast<long>(bits() % static_cast<std::uint64_t>(product_.n));
    const auto at = static_cast<std::size_t>(row * product_.n + column);
    worst = std::max(worst, judged(element(got, at), sum(row, column)));
  }
  return worst;
}

}  // namespace heddle::bench
