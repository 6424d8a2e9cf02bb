#include "counted_products.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "compiler/compile.h"
#include "compiler/launch.h"
#include "llvm/Support/Base64.h"
#include "tests/data/golden.h"

namespace heddle::kernels {
namespace {

std::string_view word(NumberType element) {
  return element == NumberType::i8 ? "i8" : element == NumberType::bf16 ? "bf16" : "f16";
}

/// The product for the compiler.
std::string product_text(const Contract& contract, bool any_size, const Sizes& sizes) {
  const bool is_float = runtime::is_float(contract.element);
  const std::string_view out = is_float ? "f32" : "i32";
  const auto matrix = [&](std::uint32_t rows, std::uint32_t columns, std::string_view type) {
    return any_size ? fmt::format("tensor<?x?x{}>", type)
                    : fmt::format("tensor<{}x{}x{}>", rows, columns, type);
  };
  const auto operand = [&](bool transposed, std::uint32_t rows, std::uint32_t columns) {
    return transposed ? matrix(columns, rows, word(contract.element))
                      : matrix(rows, columns, word(contract.element));
  };
  const std::string a = operand(contract.a_transposed(), sizes.m, sizes.k);
  const std::string b = operand(contract.b_transposed(), sizes.k, sizes.n);
  const std::string d = matrix(sizes.m, sizes.n, out);
  std::string dims;
  if (any_size)
    dims = fmt::format(
        "  %zero = arith.constant 0 : index\n  %one = arith.constant 1 : index\n"
        "  %m = tensor.dim %a, %{} : {}\n  %n = tensor.dim %b, %{} : {}\n",
        contract.a_transposed() ? "one" : "zero", a, contract.b_transposed() ? "zero" : "one", b);
  return fmt::format(
      "func.func @product(%a: {0}, %b: {1}) -> {2} {{\n{7}"
      "  %z = arith.constant {3} : {4}\n  %e = tensor.empty({8}) : {2}\n"
      "  %f = linalg.fill ins(%z : {4}) outs(%e : {2}) -> {2}\n"
      "  %d = linalg.contract indexing_maps = [affine_map<(m, n, k) -> ({5})>, "
      "affine_map<(m, n, k) -> ({6})>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : {0}, {1}) "
      "outs(%f : {2}) -> {2}\n  return %d : {2}\n}}\n",
      a, b, d, is_float ? "0.0" : "0", out, contract.a_transposed() ? "k, m" : "m, k",
      contract.b_transposed() ? "n, k" : "k, n", dims, any_size ? "%m, %n" : "");
}

Count launched(runtime::Device& device, std::span<const std::byte> object,
               const emulator::Launch& launch) {
  const auto module = device.load(object);
  if (!module) return std::unexpected(module.error().message);
  const auto report = (*module)->launch(launch);
  if (!report) return std::unexpected(report.error().message);
  return report->emulated.value().instructions;
}

std::uint32_t tiles(std::uint32_t size, std::uint32_t tile) { return (size + tile - 1) / tile; }

}  // namespace

std::string name(const Contract& contract) {
  return fmt::format("{} {}", word(contract.element), contract.operands);
}

runtime::Module& Modules::of(NumberType element) {
  std::unique_ptr<runtime::Module>& module = modules_[element];
  if (module) return *module;
  std::ifstream file(std::string(HEDDLE_KERNEL_FOLDER) + "/" + gemm_file(element, target_),
                     std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  module = device_->load(std::as_bytes(std::span(text))).value();
  return *module;
}

Count compiled_executed(Modules& modules, const Contract& contract, const Made& made,
                        const Sizes& sizes) {
  const auto compiled =
      compiler::compile(product_text(contract, made.any_size, sizes), "product.mlir",
                        {.target = instruction::find_target(modules.target())->target,
                         .plan = {.split_k = made.split_k}},
                        compiler::Stage::object);
  if (!compiled) return std::unexpected(compiled.error());
  plan::Problem problem = compiled->problem;
  problem.size(plan::Loop::m) = sizes.m;
  problem.size(plan::Loop::n) = sizes.n;
  problem.size(plan::Loop::k) = sizes.k;
  std::vector<std::vector<std::byte>> buffers;
  for (const compiler::BufferRecord& buffer : compiled->request.buffers)
    buffers.emplace_back(compiler::byte_count(buffer, problem));
  if (buffers.size() < compiled->parameters.size())
    buffers.emplace_back(compiled->parameters.back().bytes);  // the workspace
  emulator::Launch launch;
  compiler::bind_launch(*compiled, problem, buffers, launch);
  return launched(modules.device(), std::as_bytes(std::span(compiled->object)), launch);
}

std::vector<TritonProduct> triton_products(const std::string& target) {
  std::vector<TritonProduct> products;
  const llvm::json::Value data = test::read_golden("triton_products_rdna.json.gz");
  for (const llvm::json::Value& value : *data.getAsObject()->getArray("kernels")) {
    const llvm::json::Object& entry = *value.getAsObject();
    if (*entry.getString("target") != target) continue;
    const std::string full = entry.getString("name")->str(),
                      launch = entry.getString("launch")->str();
    TritonProduct product;
    std::array<char, 8> type{}, operands{};
    if (std::sscanf(full.c_str(), "%7[^_]_%7[^_]_%ux%ux%u_w%u", type.data(), operands.data(),
                    &product.m, &product.n, &product.k, &product.waves) != 6 ||
        std::sscanf(launch.substr(launch.find("\nlds ")).c_str(), "\nlds %u", &product.lds_bytes) !=
            1)
      continue;
    product.contract = fmt::format("{} {}", type.data(), operands.data());
    product.any_size = full.ends_with("_any");
    std::vector<char> bytes;
    if (auto error = llvm::decodeBase64(*entry.getString("code"), bytes)) {
      llvm::consumeError(std::move(error));
      continue;
    }
    product.object.resize(bytes.size());
    std::memcpy(product.object.data(), bytes.data(), bytes.size());
    products.push_back(std::move(product));
  }
  return products;
}

Count triton_executed(Modules& modules, const std::vector<TritonProduct>& products,
                      const Contract& contract, const Sizes& sizes) {
  Count least = std::unexpected("none was recorded");
  const std::uint32_t a_stride = contract.a_transposed() ? sizes.m : sizes.k;
  const std::uint32_t b_stride = contract.b_transposed() ? sizes.k : sizes.n;
  const std::uint64_t bytes = static_cast<std::uint64_t>(runtime::row(contract.element).bytes);
  std::vector<std::byte> a(sizes.m * sizes.k * bytes), b(sizes.n * sizes.k * bytes),
      d(std::uint64_t{sizes.m} * sizes.n * 4), scratch(256);
  for (const TritonProduct& product : products) {
    const bool is_whole =
        sizes.m % product.m == 0 && sizes.n % product.n == 0 && sizes.k % product.k == 0;
    if (product.contract != name(contract) || (!product.any_size && !is_whole)) continue;
    emulator::Launch launch;
    launch.kernel = "plain_product_kernel";
    launch.grid = {tiles(sizes.m, product.m) * tiles(sizes.n, product.n), 1, 1};
    launch.workgroup = {32 * product.waves, 1, 1};
    launch.dynamic_lds_bytes = product.lds_bytes;
    launch.arguments = {emulator::Buffer{a, "a"}, emulator::Buffer{b, "b"},
                        emulator::Buffer{d, "d"}};
    for (const std::uint32_t number : {sizes.m, sizes.n, sizes.k, a_stride, b_stride, sizes.n})
      launch.arguments.emplace_back(emulator::value(number));
    for (const char* name : {"scratch", "more scratch"})
      launch.arguments.emplace_back(emulator::Buffer{scratch, name});
    const Count count = launched(modules.device(), product.object, launch);
    if (count && (!least || *count < *least)) least = count;
  }
  return least;
}

}  // namespace heddle::kernels
