// Compiles products for gpu, which runs on machines without a compiler: a PTX file each, and a line
// about each in kernels.txt. What the planner chooses is what is written, as `heddle compile` does.
//
//   write_kernels FOLDER target=sm_90a,sm_90 size=4096,8192 input=f16,bf16 [result=f16] [plan=FILE]
//
// A size is that of m, n and k, or the three of them: size=4100,1024x1024x65536. Commas give
// several kernels. Without `result` it has the type of the inputs. Exit status 1: a kernel could
// not be compiled, 2: wrong arguments.
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/launch.h"
#include "runtime/files.h"

namespace {

using namespace heddle;
using Fields = std::map<std::string, std::string>;

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// m, n and k as they are written.
std::array<std::string, 3> sizes(const Fields& fields) {
  const std::string& size = fields.at("size");
  const std::size_t first = size.find('x'), second = size.find('x', first + 1);
  if (first == std::string::npos || second == std::string::npos) return {size, size, size};
  return {size.substr(0, first), size.substr(first + 1, second - first - 1),
          size.substr(second + 1)};
}

std::string product_text(const Fields& fields) {
  const auto [m, n, k] = sizes(fields);
  const std::string& input = fields.at("input");
  const std::string& element = fields.at("result");
  const std::string a = "tensor<" + m + "x" + k + "x" + input + ">";
  const std::string b = "tensor<" + k + "x" + n + "x" + input + ">";
  const std::string out = "tensor<" + m + "x" + n + "x" + element + ">";
  return "func.func @matmul(%a: " + a + ", %b: " + b + ") -> " + out +
         " {\n  %zero = arith.constant 0.0 : " + element + "\n  %empty = tensor.empty() : " + out +
         "\n  %init = linalg.fill ins(%zero : " + element + ") outs(%empty : " + out + ") -> " +
         out + "\n  %d = linalg.matmul ins(%a, %b : " + a + ", " + b + ") outs(%init : " + out +
         ") -> " + out + "\n  return %d : " + out + "\n}\n";
}

std::string plan_text(const compiler::KernelPlan& plan) {
  std::ostringstream text;
  if (const auto* warpgroup = std::get_if<plan::WarpgroupPlan>(&plan)) {
    text << "wgmma:" << warpgroup->block_m << "x" << warpgroup->block_n << "x" << warpgroup->block_k
         << ",stages=" << warpgroup->stages << ",cluster=" << warpgroup->cluster_m << "x"
         << warpgroup->cluster_n;
  } else if (const auto* mma = std::get_if<plan::MmaPlan>(&plan)) {
    text << "mma.sync:" << mma->tiles.m << "x" << mma->tiles.n << "x" << mma->tiles.k
         << ",stages=" << mma->tiles.stages;
  }
  return text.str();
}

void write_line(std::ostream& list, const std::string& name, const Fields& fields,
                const compiler::Compilation& made) {
  const auto [m, n, k] = sizes(fields);
  const auto grid = plan::blocks(made.grid, made.problem);
  list << name << ' ' << plan_text(made.plan) << ' ' << m << ' ' << n << ' ' << k << ' '
       << fields.at("input") << ' ' << fields.at("result") << ' ' << made.kernel_name << ' '
       << grid[0] << ' ' << grid[1] << ' ' << made.workgroup[0] << ' ' << made.dynamic_shared_bytes;
  auto arguments = made.arguments;
  for (int i = 0; made.arguments.empty() && i < static_cast<int>(made.parameters.size()); ++i)
    arguments.push_back({.parameter = i, .map = {}});
  list << ' ' << arguments.size();
  for (const compiler::KernelArgument& argument : arguments) {
    list << ' ' << made.parameters[static_cast<std::size_t>(argument.parameter)].name;
    if (!argument.map) {
      list << " pointer";
      continue;
    }
    const emulator::TensorMap map = compiler::tensor_map(*argument.map, {}, made.problem);
    list << " map " << instruction::name(map.element) << ' ' << map.sizes[0] << ' ' << map.sizes[1]
         << ' ' << map.strides[0] << ' ' << map.box[0] << ' ' << map.box[1];
  }
  list << '\n';
}

bool write(const std::string& folder, Fields fields) {
  for (const char* needed : {"target", "size", "input"}) {
    if (fields.contains(needed)) continue;
    std::fprintf(stderr, "write_kernels: %s=… is missing\n", needed);
    return false;
  }
  fields.emplace("result", fields.at("input"));
  const auto target = instruction::find_processor(fields.at("target"));
  if (target == nullptr) {
    std::fprintf(stderr, "write_kernels: no target '%s'\n", fields.at("target").c_str());
    return false;
  }
  compiler::Options options{.target = target->target};
  std::string name = fields.at("target") + "_" + fields.at("input") + "_" + fields.at("result") +
                     "_" + fields.at("size");
  if (fields.contains("plan")) {
    const std::string& file = fields.at("plan");
    const auto plan = compiler::read_plan_file(contents(file), file);
    if (!plan) {
      std::fprintf(stderr, "%s", plan.error().c_str());
      return false;
    }
    options.plan = plan->fields;
    const std::string base = file.substr(file.rfind('/') + 1);
    name += "_" + base.substr(0, base.find('.'));
  }
  if (options.plan.split_k == 0) options.plan.split_k = 1;  // there is no memory for parts to meet
  const auto made = compiler::compile(product_text(fields), name, options, compiler::Stage::object);
  if (!made) {
    std::fprintf(stderr, "%s", made.error().c_str());
    return false;
  }
  std::ostringstream list;
  list << contents(folder + "/kernels.txt");
  write_line(list, name, fields, *made);
  auto written = runtime::write_file(folder + "/" + name + ".ptx", made->text);
  if (written) written = runtime::write_file(folder + "/kernels.txt", list.str());
  if (!written) std::fprintf(stderr, "write_kernels: %s\n", written.error().c_str());
  return written.has_value();
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<Fields> kernels(1);
  for (int i = 2; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::size_t equal = argument.find('=');
    if (equal == std::string::npos) kernels.clear();
    const std::string name = argument.substr(0, equal);
    std::istringstream values(argument.substr(equal + 1));
    std::vector<Fields> more;
    for (std::string value; std::getline(values, value, ',');) {
      for (Fields fields : kernels) {
        fields[name] = value;
        more.push_back(std::move(fields));
      }
    }
    kernels = std::move(more);
  }
  if (count < 3 || kernels.empty()) {
    std::fprintf(stderr, "write_kernels FOLDER target=T[,T] size=N[,N] input=TYPE[,TYPE] …\n");
    return 2;
  }
  bool good = true;
  for (const Fields& fields : kernels) good &= write(arguments[1], fields);
  return good ? 0 : 1;
}
