// Checks and times compiled kernels on a GPU against cuBLAS and torch.matmul, in one run.
//
//   build/bench/gpu [--kernels FOLDER] [--rounds N] [--operands normal|uniform|both] [--json FILE]
//                   [--torch torch_peer.py]
//
// FOLDER is as write_kernels wrote it (default: the planned kernels of the build). For every
// product in it and every condition, N rounds (default 15): each contestant once, in an order drawn
// anew, one call that is not timed and then several that are. Rates are medians of rounds, ratios
// medians of the rounds' ratios. The conditions:
//
//   rested     100 ms of idling before each contestant, then calls for about 2 ms
//   sustained  no pause, calls for about 40 ms each, so that the GPU is as warm as it gets
//
// each with operands of normal random numbers and with numbers uniform in [-1, 1). torch.matmul is
// measured where python3 has PyTorch, with each of the two libraries it may prefer. Prints the rows
// of a table in Markdown. Exit status: 0; 1 a wrong result or a kernel that fails; 2 wrong
// arguments; 77 nothing was measured, because there is no GPU or no cuBLAS here.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/gpu/gpu.h"
#include "bench/gpu/torch_peer.h"
#include "runtime/files.h"

namespace {

using namespace heddle::bench;

constexpr int skipped = 77;

struct Condition {
  const char* name;
  std::chrono::milliseconds pause;
  double seconds;  // of timed calls, at 650 TFLOP/s
};
constexpr Condition conditions[]{{"rested", std::chrono::milliseconds(100), 2e-3},
                                 {"sustained", std::chrono::milliseconds(0), 40e-3}};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.size() % 2 == 1 ? values[values.size() / 2]
                                : (values[values.size() / 2 - 1] + values[values.size() / 2]) / 2;
}

/// Whether an error that Gpu::check_loaded returns is right. At the limit it is: an exact sum half
/// way between two bf16 is rounded by just that half.
bool is_right(double error) { return error <= 1; }

struct Contestant {
  std::string name;
  std::function<double(int calls)> time;  // milliseconds of the calls
  std::size_t kernel = 0;                 // of those compared, where it is one
  bool is_kernel = false;
  std::vector<double> times{};   // of a call, in ms, one a round
  std::vector<double> clocks{};  // MHz
};

class Measurement {
 public:
  Measurement(Gpu& gpu, TorchPeer& torch, std::string folder, int rounds, std::string operands)
      : gpu_(gpu),
        torch_(torch),
        folder_(std::move(folder)),
        rounds_(rounds),
        operands_(std::move(operands)) {}

  bool all_right() const { return all_right_; }
  const std::string& json() const { return json_; }

  /// All kernels of one product.
  void measure(const std::vector<Kernel>& kernels) {
    for (const bool uniform : {false, true}) {
      if (operands_ == (uniform ? "normal" : "uniform")) continue;
      gpu_.prepare(kernels.front(), uniform);
      errors_.clear();
      std::vector<Contestant> contestants = peers(kernels.front(), uniform);
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        gpu_.load(folder_, kernels[i]);
        errors_.push_back(gpu_.check_loaded());
        all_right_ = all_right_ && is_right(errors_.back());
        contestants.push_back({.name = kernels[i].name,
                               .time = [this, i](int calls) { return gpu_.time_loaded(i, calls); },
                               .kernel = i,
                               .is_kernel = true});
      }
      for (const Condition& condition : conditions) {
        for (Contestant& contestant : contestants)
          contestant.times.clear(), contestant.clocks.clear();
        run(condition, kernels.front(), contestants);
        for (const Contestant& contestant : contestants) {
          if (contestant.is_kernel)
            report(kernels[contestant.kernel], condition, uniform, contestant, contestants);
        }
      }
    }
  }

 private:
  std::vector<Contestant> peers(const Kernel& product, bool uniform) {
    std::vector<Contestant> made;
    made.push_back(
        {.name = "cublasGemmEx", .time = [this](int calls) { return gpu_.time_cublas(calls); }});
    if (torch_.version().empty() || product.result != product.input) return made;
    std::ostringstream matrices;
    matrices << "matrices " << product.m << ' ' << product.n << ' ' << product.k << ' '
             << product.input << ' ' << (uniform ? "uniform" : "normal");
    if (torch_.ask(matrices.str()) != "ready") return made;
    for (const char* library : {"cublas", "cublaslt"}) {
      made.push_back(
          {.name = std::string("torch.matmul ") + library, .time = [this, library](int calls) {
             return std::atof(
                 torch_.ask(std::string("time ") + library + " " + std::to_string(calls)).c_str());
           }});
    }
    return made;
  }

  void run(const Condition& condition, const Kernel& product,
           std::vector<Contestant>& contestants) {
    const double seconds_of_call = 2.0 * static_cast<double>(product.m) *
                                   static_cast<double>(product.n) * static_cast<double>(product.k) /
                                   650e12;
    const int calls = std::max(2, static_cast<int>(condition.seconds / seconds_of_call));
    std::vector<std::size_t> order(contestants.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (int round = -1; round < rounds_; ++round) {  // the first one warms up
      std::ranges::shuffle(order, random_);
      for (const std::size_t i : order) {
        std::this_thread::sleep_for(condition.pause);
        const double time = contestants[i].time(calls) / calls;
        if (round < 0) continue;
        contestants[i].times.push_back(time);
        contestants[i].clocks.push_back(gpu_.clock());
      }
    }
  }

  void report(const Kernel& kernel, const Condition& condition, bool uniform,
              const Contestant& ours, const std::vector<Contestant>& contestants) {
    const double tera = 2.0 * static_cast<double>(kernel.m) * static_cast<double>(kernel.n) *
                        static_cast<double>(kernel.k) / 1e9;
    const char* operands = uniform ? "uniform" : "normal";
    std::ostringstream row;
    char text[400];
    std::snprintf(text, sizeof text,
                  "{\"kernel\": \"%s\", \"plan\": \"%s\", \"size\": [%ld, %ld, %ld], \"input\": "
                  "\"%s\", \"result\": \"%s\", \"operands\": \"%s\", \"condition\": \"%s\", ",
                  kernel.name.c_str(), kernel.plan.c_str(), kernel.m, kernel.n, kernel.k,
                  kernel.input.c_str(), kernel.result.c_str(), operands, condition.name);
    row << text;
    std::snprintf(text, sizeof text,
                  "\"error_of_limit\": %.2f, \"tflops\": %.1f, \"clock_mhz\": %.0f, \"peers\": {",
                  errors_[ours.kernel], tera / median(ours.times), median(ours.clocks));
    row << text;
    const bool is_cube = kernel.m == kernel.n && kernel.n == kernel.k;
    std::snprintf(text, sizeof text, is_cube ? "%ld" : "%ldx%ldx%ld", kernel.m, kernel.n, kernel.k);
    std::printf("| %s | %s, %s | %s | %s | %s | %.0f |", text, kernel.input.c_str(),
                kernel.result.c_str(), kernel.plan.substr(0, kernel.plan.find(':')).c_str(),
                operands, condition.name, tera / median(ours.times));
    const char* comma = "";
    for (const Contestant& peer : contestants) {
      if (peer.is_kernel) continue;
      std::vector<double> ratios;
      for (std::size_t i = 0; i < ours.times.size(); ++i)
        ratios.push_back(peer.times[i] / ours.times[i]);
      const auto [least, most] = std::ranges::minmax_element(ratios);
      std::snprintf(text, sizeof text,
                    "%s\"%s\": {\"tflops\": %.1f, \"clock_mhz\": %.0f, \"ratio\": %.3f, "
                    "\"ratio_least\": %.3f, \"ratio_most\": %.3f}",
                    comma, peer.name.c_str(), tera / median(peer.times),
                    peer.name == "cublasGemmEx" ? median(peer.clocks) : 0.0, median(ratios), *least,
                    *most);
      row << text;
      comma = ", ";
      std::printf(" %.0f, **%.3f** |", tera / median(peer.times), median(ratios));
    }
    std::printf("%s\n", is_right(errors_[ours.kernel]) ? "" : " WRONG");
    std::fflush(stdout);
    json_ += (json_.empty() ? "  " : ",\n  ") + row.str() + "}}";
  }

  Gpu& gpu_;
  TorchPeer& torch_;
  std::string folder_;
  int rounds_;
  std::string operands_;        // "normal", "uniform", or both
  std::vector<double> errors_;  // of the kernels
  std::mt19937 random_{1};
  bool all_right_ = true;
  std::string json_;
};

// Those that compute the same product, in the order of the list.
std::vector<std::vector<Kernel>> products(const std::vector<Kernel>& kernels) {
  std::vector<std::vector<Kernel>> made;
  const auto same = [](const Kernel& x, const Kernel& y) {
    return x.m == y.m && x.n == y.n && x.k == y.k && x.input == y.input && x.result == y.result;
  };
  for (const Kernel& kernel : kernels) {
    const auto found =
        std::ranges::find_if(made, [&](const auto& list) { return same(list.front(), kernel); });
    if (found == made.end()) {
      made.push_back({kernel});
    } else {
      found->push_back(kernel);
    }
  }
  return made;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[20] = "";
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  std::string folder = HEDDLE_GPU_KERNELS, json, script = HEDDLE_TORCH_PEER, operands = "both";
  int rounds = 15;
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i], value = i + 1 < count ? arguments[i + 1] : "";
    if (name == "--kernels" && !value.empty()) {
      folder = value;
    } else if (name == "--json" && !value.empty()) {
      json = value;
    } else if (name == "--torch" && !value.empty()) {
      script = value;
    } else if (name == "--rounds" && std::atoi(value.c_str()) > 0) {
      rounds = std::atoi(value.c_str());
    } else if (name == "--operands" &&
               (value == "normal" || value == "uniform" || value == "both")) {
      operands = value;
    } else {
      std::fprintf(stderr,
                   "gpu [--kernels FOLDER] [--rounds N] [--operands normal|uniform|both] "
                   "[--json FILE] [--torch FILE]\n");
      return 2;
    }
  }
  const std::vector<Kernel> kernels = read_kernels(folder);
  if (kernels.empty()) {
    std::fprintf(stderr, "no kernels in %s: write_kernels writes them\n", folder.c_str());
    return 2;
  }
  Cuda cuda;
  std::string error;
  int gpus = 0;
  if (!cuda.open(error)) {
    std::printf("nothing was measured: %s\n", error.c_str());
    return skipped;
  }
  if (cuda.init(0) != 0 || cuda.device_count(&gpus) != 0 || gpus == 0) {
    std::printf("nothing was measured: there is a CUDA driver here and no GPU\n");
    return skipped;
  }
  TorchPeer torch(script);
  Gpu gpu(cuda);
  std::printf(
      "%s, torch %s\n\n| size | inputs, result | kernel | operands | condition | TFLOP/s | "
      "cublasGemmEx, ratio |%s\n",
      gpu.description().c_str(), torch.version().empty() ? "(none here)" : torch.version().c_str(),
      torch.version().empty() ? "" : " torch.matmul cublas, ratio | cublasLt, ratio |");
  Measurement measurement(gpu, torch, folder, rounds, operands);
  for (const std::vector<Kernel>& product : products(kernels)) measurement.measure(product);
  if (!json.empty()) {
    std::ostringstream text;
    text << "{\n \"what\": \"matmuls of `heddle compile` (bench/gpu/write_kernels) "
            "against cuBLAS and torch.matmul, by build/bench/gpu; ratio: median "
            "over the rounds of the peer's time over the kernel's; clock_mhz 0: not "
            "read\",\n \"date\": \""
         << today() << "\", " << gpu.description() << ", \"torch\": \"" << torch.version()
         << "\", \"rounds\": " << rounds << ",\n \"rows\": [\n"
         << measurement.json() << "\n ]\n}\n";
    if (const auto written = heddle::runtime::write_file(json, text.str()); !written) {
      std::fprintf(stderr, "%s\n", written.error().c_str());
      return 1;
    }
  }
  return measurement.all_right() ? 0 : 1;
}
