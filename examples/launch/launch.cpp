// Launches a compiled product on a GPU by what `heddle compile` prints of its launch
// (docs/json.md).
//
//   heddle compile examples/matmul/dynamic.mlir --target sm_90a -o dynamic.ptx
//   heddle compile examples/matmul/dynamic.mlir --target sm_90a --emit plan --format json -o
//   dynamic.json g++ -std=c++20 examples/launch/launch.cpp -o launch -lcuda        (hipcc, with an
//   AMD target's .co) launch dynamic.json dynamic.ptx m=70 n=80 k=512 A=a.bin B=b.bin C=c.bin
//   D=d.bin
//
// Needs nlohmann/json. NAME=FILE gives an array its bytes, row-major; what the kernel writes goes
// to its file after the launch. Arrays without a file are zeros. Dynamic sizes are named m, n, k,
// batch.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpu.h"

namespace {

using nlohmann::json;
using Bytes = std::vector<char>;
using Words = std::map<std::string, std::string>;  // NAME=VALUE of the command line

Bytes contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) stop("cannot read '" + path + "'");
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

// A number, or one of the sizes on the command line.
std::uint64_t size_of(const json& size, const Words& words) {
  if (size.is_number()) return size.get<std::uint64_t>();
  const std::string name = size;
  if (!words.contains(name)) stop("the size " + name + " is dynamic: add " + name + "=NUMBER");
  return std::stoull(words.at(name));
}

// A size that the launch decides: `times` times the product of all `sizes`, each divided by `over`
// and rounded up, of which no more than `at_most` count.
std::uint64_t value(const json& number, const Words& words) {
  if (number.is_number()) return number.get<std::uint64_t>();
  std::uint64_t product = 1;
  for (const json& part : number["sizes"]) {
    const std::uint64_t over = part["over"];
    product *= (size_of(part["size"], words) + over - 1) / over;
  }
  if (number.contains("at_most"))
    product = std::min(product, number["at_most"].get<std::uint64_t>());
  return number["times"].get<std::uint64_t>() * product;
}

int bits_of(const std::string& element) {
  if (element.starts_with("i") || element.starts_with("u")) return std::stoi(element.substr(1));
  if (element == "f32") return 32;
  return element == "f16" || element == "bf16" ? 16 : 8;
}

// From the first byte to behind the last element.
std::uint64_t bytes_of(const json& buffer, const Words& words) {
  if (buffer.contains("bytes")) return buffer["bytes"];
  std::uint64_t last = buffer["offset"], step = 1;
  for (std::size_t i = buffer["sizes"].size(); i-- > 0;) {
    const std::uint64_t size = value(buffer["sizes"][i], words);
    const json& stride = buffer["strides"][i];
    last += (size - 1) * (stride.is_null() ? step : stride.get<std::uint64_t>());
    step *= size;
  }
  return ((last + 1) * static_cast<std::uint64_t>(bits_of(buffer["element"])) + 7) / 8;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) stop("usage: launch LAUNCH.json KERNEL [SIZE=NUMBER | ARRAY=FILE]…");
  json description = json::parse(contents(arguments[1]), nullptr, /*allow_exceptions=*/false);
  if (!description.contains("launch"))
    stop("no launch in it; accepted: `heddle compile --emit plan --format json` of one product");
  const json launch = description["launch"];
  Words words;
  for (int i = 3; i < count; ++i) {
    const std::string word = arguments[i];
    words[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  }

  Gpu gpu;
  std::vector<Address> addresses;
  std::vector<std::uint64_t> bytes;
  for (const json& buffer : launch["buffers"]) {
    const std::string name = buffer["name"];
    bytes.push_back(bytes_of(buffer, words));
    addresses.push_back(gpu.zeros(bytes.back()));
    if (!words.contains(name) || !buffer["read"].get<bool>()) continue;
    const Bytes given = contents(words[name]);
    if (given.size() != bytes.back())
      stop(name + " has " + std::to_string(bytes.back()) + " bytes, '" + words[name] + "' " +
           std::to_string(given.size()));
    gpu.write(addresses.back(), given);
  }

  // The kernel's parameters, each where it stays until the launch.
  std::vector<std::uint32_t> sizes(launch["arguments"].size());
  std::vector<TensorMap> maps(launch["arguments"].size());
  std::vector<void*> parameters;
  for (const json& argument : launch["arguments"]) {
    const std::size_t i = parameters.size();
    if (argument["kind"] == "pointer") {
      parameters.push_back(&addresses[argument["buffer"]]);
    } else if (argument["kind"] == "size") {
      sizes[i] = static_cast<std::uint32_t>(size_of(argument["size"], words));
      if (sizes[i] % argument["multiple_of"].get<std::uint32_t>() != 0)
        stop(argument["size"].dump() + " is no multiple of " + argument["multiple_of"].dump());
      parameters.push_back(&sizes[i]);
    } else {
      const json& map = argument["map"];
      MapForm form{map["element"], addresses[argument["buffer"]], {}, {},
                   map["box"],     map["swizzle_bytes"]};
      form.first = at(form.first, map["offset_bytes"]);
      for (const json& size : map["sizes"]) form.sizes.push_back(value(size, words));
      for (const json& stride : map["stride_bytes"]) form.strides.push_back(value(stride, words));
      maps[i] = tensor_map(form);
      parameters.push_back(&maps[i]);
    }
  }

  std::array<unsigned, 3> grid{}, block{};
  for (std::size_t i = 0; i < 3; ++i) {
    grid[i] = static_cast<unsigned>(value(launch["grid"][i], words));
    block[i] = launch["block"][i];
  }
  gpu.launch(contents(arguments[2]), launch["kernel"], grid, block, launch["dynamic_shared_bytes"],
             parameters);

  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const json& buffer = launch["buffers"][i];
    const std::string name = buffer["name"];
    if (!buffer["written"].get<bool>() || !words.contains(name)) continue;
    const Bytes result = gpu.read(addresses[i], bytes[i]);
    std::ofstream(words[name], std::ios::binary)
        .write(result.data(), static_cast<std::streamsize>(result.size()));
    std::printf("%s: %zu bytes in %s\n", name.c_str(), result.size(), words[name].c_str());
  }
}
