#include "ptx_trials.h"

#include <llvm/Support/Base64.h>
#include <sys/mman.h>

#include <cstring>
#include <deque>
#include <random>

#include "../../compiler/product_text.h"
#include "compiler/compile.h"
#include "compiler/launch.h"
#include "tests/data/golden.h"

namespace heddle::emulator::testing {
namespace {

using Bytes = std::vector<std::byte>;

Bytes decoded(llvm::StringRef text) {
  std::vector<char> bytes;
  if (llvm::decodeBase64(text, bytes)) bytes.clear();
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

// Memory at the addresses that it had when a launch was recorded.
class Pages {
 public:
  Pages() = default;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    for (const auto& [at, size] : all_) munmap(at, size);
  }
  std::span<std::byte> take(std::uint64_t address, std::size_t size) {
    constexpr std::uint64_t page = 4096;
    const std::uint64_t begin = address / page * page,
                        end = (address + size + page - 1) / page * page;
    void* const at = mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED) return {};
    all_.emplace_back(at, end - begin);
    return {reinterpret_cast<std::byte*>(address), size};
  }

 private:
  std::vector<std::pair<void*, std::size_t>> all_;
};

struct Memory {
  std::deque<Bytes> buffers;
  Bytes arguments;
  Pages pages;
};

void read_arguments(const llvm::json::Object& row, PtxTrial& trial, Memory& memory) {
  for (const llvm::json::Value& value : *row.getArray("arguments")) {
    const llvm::json::Object& argument = *value.getAsObject();
    if (const auto bytes = argument.getString("value")) {
      trial.launch.arguments.emplace_back(decoded(*bytes));
      continue;
    }
    if (const auto size = argument.getInteger("zeros"))
      memory.buffers.emplace_back(static_cast<std::size_t>(*size));
    else
      memory.buffers.push_back(decoded(*argument.getString("buffer")));
    Bytes& bytes = memory.buffers.back();
    trial.buffers.emplace_back(bytes);
    trial.launch.arguments.emplace_back(
        Buffer{bytes, "argument " + std::to_string(memory.buffers.size())});
  }
}

// Arguments as the kernel has them, with pointers into memory at the addresses of the recording.
void read_image(const llvm::json::Object& row, PtxTrial& trial, Memory& memory) {
  memory.arguments = decoded(*row.getString("image"));
  trial.launch.argument_bytes = std::span<const std::byte>(memory.arguments);
  for (const llvm::json::Value& value : *row.getArray("memory")) {
    const llvm::json::Object& part = *value.getAsObject();
    const Bytes bytes = decoded(*part.getString("bytes"));
    const auto at =
        memory.pages.take(static_cast<std::uint64_t>(*part.getInteger("address")), bytes.size());
    if (at.empty()) {
      trial.text.clear();  // which is no kernel, and the trial says so
      return;
    }
    std::memcpy(at.data(), bytes.data(), bytes.size());
    trial.buffers.push_back(at);
    trial.launch.memory.push_back(Buffer{at, part.getString("name")->str()});
  }
}

void read_file(const char* name, std::vector<PtxTrial>& trials) {
  const llvm::json::Value file = test::read_golden(name);
  for (const llvm::json::Value& value : *file.getAsObject()->getArray("kernels")) {
    const llvm::json::Object& row = *value.getAsObject();
    auto memory = std::make_shared<Memory>();
    PtxTrial trial;
    trial.name = row.getString("name")->str();
    trial.text = row.getString("ptx")->str();
    for (std::size_t i = 0; i < 3; ++i)
      trial.launch.grid[i] = static_cast<uint32_t>(*(*row.getArray("grid"))[i].getAsInteger());
    trial.launch.workgroup = {static_cast<uint32_t>(*row.getInteger("threads")), 1, 1};
    trial.launch.dynamic_lds_bytes = static_cast<uint32_t>(*row.getInteger("shared"));
    if (row.getArray("arguments") != nullptr)
      read_arguments(row, trial, *memory);
    else
      read_image(row, trial, *memory);
    trial.memory = memory;
    trials.push_back(std::move(trial));
  }
}

// --- what the compiler makes ---------------------------------------------------------------------

PtxTrial compiled(const std::string& name, const compiler::ProductText& product,
                  const compiler::PlanFields& plan = {}) {
  const compiler::Options options{.target = instruction::Target::sm_90a, .plan = plan};
  const auto kernel =
      compiler::compile(product.mlir(), "trial.mlir", options, compiler::Stage::object);
  PtxTrial trial;
  trial.name = "heddle compile " + name + " sm_90a";
  if (!kernel) return trial;
  trial.text.assign(kernel->object.begin(), kernel->object.end());
  struct Matrices {
    std::vector<Bytes> buffers;
  };
  auto memory = std::make_shared<Matrices>();
  std::mt19937 random(7);
  for (const compiler::Parameter& parameter : kernel->parameters) {
    Bytes& bytes = memory->buffers.emplace_back(parameter.bytes);
    if (!parameter.read) continue;
    // Small integers: sums are exact in any order.
    for (std::size_t i = 0; i < bytes.size();) {
      const auto number = static_cast<int>(random() % 5) - 2;
      if (parameter.element == instruction::ElementType::f16) {
        const auto x = static_cast<_Float16>(number);
        std::memcpy(bytes.data() + i, &x, 2);
        i += 2;
      } else if (parameter.element == instruction::ElementType::f32) {
        const auto x = static_cast<float>(number);
        std::memcpy(bytes.data() + i, &x, 4);
        i += 4;
      } else {
        bytes[i++] = static_cast<std::byte>(number);
      }
    }
  }
  compiler::bind_launch(*kernel, kernel->problem, memory->buffers, trial.launch);
  for (Bytes& bytes : memory->buffers) trial.buffers.emplace_back(bytes);
  trial.memory = memory;
  return trial;
}

}  // namespace

std::vector<PtxTrial> recorded_ptx_trials() {
  std::vector<PtxTrial> trials;
  read_file("blackwell_kernels.json.gz", trials);
  read_file("hopper_kernels.json.gz", trials);
  return trials;
}

std::vector<PtxTrial> compiled_ptx_trials() {
  using compiler::Epilogue;
  std::vector<PtxTrial> trials;
  compiler::ProductText product{.m = 128, .n = 128, .k = 128};
  trials.push_back(compiled("one tile", product));
  product.accumulates = true;
  trials.push_back(compiled("accumulating", product));
  product = {.m = 128, .n = 256, .k = 192};
  product.b_transposed = true;
  product.epilogue = Epilogue::relu;
  trials.push_back(compiled("transposed", product));
  product = {.m = 192, .n = 128, .k = 320};
  product.epilogue = Epilogue::bias_relu;
  trials.push_back(compiled("bias and relu", product));
  product = {.m = 128, .n = 64, .k = 256};
  product.epilogue = Epilogue::narrowed;
  trials.push_back(compiled("narrowed", product));
  product = {.m = 128, .n = 128, .k = 512};
  trials.push_back(compiled("split k", product, {.split_k = 2}));
  return trials;
}

}  // namespace heddle::emulator::testing
