// Launches compiled products on a GPU by what `heddle compile` prints of their launch
// (docs/json.md).
//
//   heddle compile dynamic.mlir --target sm_90a -o dynamic.ptx
//   heddle compile dynamic.mlir --target sm_90a --emit plan --format json -o dynamic.json
//   g++ -std=c++20 examples/launch/launch.cpp -o launch -lcuda
//   launch dynamic.json dynamic.ptx m=70 n=80 k=512 A=a.bin B=b.bin C=c.bin D=d.bin
//
// and the same with an AMD target's .co and hipcc. Needs nlohmann/json. NAME=FILE gives an array
// its bytes, row-major; what a kernel writes goes to its file after the launch. Arrays without a
// file are zeros. Dynamic sizes are named m, n, k, batch. Of several products, arrays have their
// names in the text without the percent sign, and a size that does not follow from another
// kernel's has the kernel's number behind it: m0.
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

using Sizes = std::map<std::string, std::uint64_t>;  // the dynamic ones of a kernel, by name

std::uint64_t number_of(const Words& words, const std::string& name) {
  if (!words.contains(name)) stop("the size " + name + " is dynamic: add " + name + "=NUMBER");
  return std::stoull(words.at(name));
}

std::uint64_t size_of(const json& size, const Sizes& sizes) {
  return size.is_number() ? size.get<std::uint64_t>() : sizes.at(size);
}

// A number that the launch decides: `times` times the product of all `sizes`, each divided by
// `over` and rounded up, of which no more than `at_most` count.
std::uint64_t value(const json& number, const Sizes& sizes) {
  if (number.is_number()) return number.get<std::uint64_t>();
  std::uint64_t product = 1;
  for (const json& part : number["sizes"]) {
    const std::uint64_t over = part["over"];
    product *= (size_of(part["size"], sizes) + over - 1) / over;
  }
  if (number.contains("at_most"))
    product = std::min(product, number["at_most"].get<std::uint64_t>());
  return number["times"].get<std::uint64_t>() * product;
}

int bits_of(const std::string& element) {
  // The first number of i8, bf16, f64 or f8E4M3FN.
  return std::stoi(element.substr(element.find_first_of("0123456789")));
}

// From the first byte to behind the last element.
std::uint64_t bytes_of(const json& buffer, const Sizes& sizes) {
  if (buffer.contains("bytes") && !buffer["bytes"].is_null()) return buffer["bytes"];
  std::uint64_t last = buffer.value("offset", 0), step = 1;
  for (std::size_t i = buffer["sizes"].size(); i-- > 0;) {
    const std::uint64_t size = value(buffer["sizes"][i], sizes);
    const json stride = buffer.contains("strides") ? buffer["strides"][i] : json();
    last += (size - 1) * (stride.is_null() ? step : value(stride, sizes));
    step *= size;
  }
  return ((last + 1) * static_cast<std::uint64_t>(bits_of(buffer["element"])) + 7) / 8;
}

struct Array {
  std::string name;
  bool is_read, is_written;
  Address address;
  std::uint64_t bytes;
};

void launch_kernel(Gpu& gpu, const json& launch, const std::string& code, const Sizes& sizes,
                   const std::vector<Address>& addresses) {
  // The kernel's parameters, each where it stays until the launch.
  std::vector<std::uint32_t> numbers(launch["arguments"].size());
  std::vector<TensorMap> maps(launch["arguments"].size());
  std::vector<void*> parameters;
  std::vector<Address> pointers = addresses;
  for (const json& argument : launch["arguments"]) {
    const std::size_t i = parameters.size();
    if (argument["kind"] == "pointer") {
      parameters.push_back(&pointers[argument["buffer"]]);
    } else if (argument["kind"] == "size") {
      numbers[i] = static_cast<std::uint32_t>(size_of(argument["size"], sizes));
      if (numbers[i] % argument["multiple_of"].get<std::uint32_t>() != 0)
        stop(argument["size"].dump() + " is no multiple of " + argument["multiple_of"].dump());
      parameters.push_back(&numbers[i]);
    } else {
      const json& map = argument["map"];
      MapForm form{map["element"], addresses[argument["buffer"]], {}, {},
                   map["box"],     map["swizzle_bytes"]};
      form.first = at(form.first, map["offset_bytes"]);
      for (const json& size : map["sizes"]) form.sizes.push_back(value(size, sizes));
      for (const json& stride : map["stride_bytes"]) form.strides.push_back(value(stride, sizes));
      maps[i] = tensor_map(form);
      parameters.push_back(&maps[i]);
    }
  }
  std::array<unsigned, 3> grid{}, block{};
  for (std::size_t i = 0; i < 3; ++i) {
    grid[i] = static_cast<unsigned>(value(launch["grid"][i], sizes));
    block[i] = launch["block"][i];
  }
  gpu.launch(contents(code), launch["kernel"], grid, block, launch["dynamic_shared_bytes"],
             parameters);
}

// What a launch with these sizes takes: of the kernel and its variants, which are faster, the first
// whose sizes are such multiples, and at most so much, as it names. Arrays here begin where GPU
// memory does, so that each is `aligned` as a variant may ask.
const json& launch_for(const json& kernel, const Sizes& sizes) {
  const auto takes = [&](const json& launch) {
    return std::ranges::all_of(launch["arguments"], [&](const json& argument) {
      if (argument["kind"] != "size") return true;
      const std::uint64_t size = size_of(argument["size"], sizes);
      return size % argument["multiple_of"].get<std::uint64_t>() == 0 &&
             size <= argument.value("at_most", size);
    });
  };
  if (kernel.contains("variants"))
    for (const json& variant : kernel["variants"])
      if (takes(variant["launch"])) return variant["launch"];
  return kernel["launch"];
}

// The dynamic sizes of one product, which are all on the command line.
Sizes sizes_of(const json& launch, const Words& words) {
  Sizes sizes;
  for (const json& argument : launch["arguments"])
    if (argument["kind"] == "size") sizes[argument["size"]] = number_of(words, argument["size"]);
  return sizes;
}

// The dynamic sizes of each kernel of a sequence: from an array whose sizes are those of a kernel
// before, or else from the command line.
std::vector<Sizes> sizes_of_all(const json& description, const Words& words) {
  std::vector<Sizes> all;
  for (const json& kernel : description["kernels"]) {
    Sizes sizes;
    for (const json& from : kernel["sizes"]) {
      if (from.contains("product")) {
        sizes[from["size"]] = value(from["product"], sizes);
        continue;
      }
      if (from.contains("stride_of_dimension")) {
        const std::string name = from["size"];
        sizes[name] = number_of(words, name + std::to_string(all.size()));
        continue;
      }
      const json& buffer = description["buffers"][from["buffer"].get<std::size_t>()];
      const std::size_t known_by = buffer["kernel"];
      const std::string name = from["size"];
      sizes[name] =
          known_by < all.size()
              ? value(buffer["sizes"][from["dimension"].get<std::size_t>()], all[known_by]) /
                    from["over"].get<std::uint64_t>() * from["times"].get<std::uint64_t>()
              : number_of(words, name + std::to_string(all.size()));
    }
    all.push_back(sizes);
  }
  return all;
}

}  // namespace

Bytes from_hex(const std::string& text) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

int main(int count, char** arguments) {
  if (count < 3) stop("usage: launch LAUNCH.json KERNEL [SIZE=NUMBER | ARRAY=FILE]…");
  const json description = json::parse(contents(arguments[1]), nullptr, /*allow_exceptions=*/false);
  const bool several = description.contains("kernels");
  if (!several && !description.contains("launch"))
    stop("no launch in it; accepted: what `heddle compile --emit plan --format json` prints");
  Words words;
  for (int i = 3; i < count; ++i) {
    const std::string word = arguments[i];
    words[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  }
  const json kernels = several ? description["kernels"] : json::array({description});
  const std::vector<Sizes> sizes = several ? sizes_of_all(description, words)
                                           : std::vector{sizes_of(description["launch"], words)};

  Gpu gpu;
  std::vector<Array> arrays;
  for (const json& buffer : several ? description["buffers"] : description["launch"]["buffers"]) {
    // Each kernel's launch has its own.
    if (!several && buffer["role"] == "workspace") continue;
    std::string name = buffer["name"];
    if (name.starts_with("%")) name.erase(0, 1);
    // An argument of which a part is written has the rest from before.
    const bool is_argument = several ? buffer["kind"] == "argument"
                                     : !buffer.value("function_argument", json()).is_null();
    Array array{name,
                is_argument,
                buffer["written"].get<bool>(),
                {},
                bytes_of(buffer, sizes[several ? buffer["kernel"].get<std::size_t>() : 0])};
    array.address = gpu.zeros(array.bytes);
    if (buffer.contains("constant")) gpu.write(array.address, from_hex(buffer["constant"]));
    if (array.is_read && words.contains(name)) {
      const Bytes given = contents(words[name]);
      if (given.size() != array.bytes)
        stop(name + " has " + std::to_string(array.bytes) + " bytes, '" + words[name] + "' " +
             std::to_string(given.size()));
      gpu.write(array.address, given);
    }
    arrays.push_back(array);
  }

  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
    const json& launch = launch_for(kernels[kernel], sizes[kernel]);
    std::vector<Address> addresses;
    std::size_t next = 0;
    for (const json& buffer : launch["buffers"]) {
      if (buffer["role"] == "workspace") {
        addresses.push_back(gpu.zeros(bytes_of(buffer, sizes[kernel])));
        continue;
      }
      const std::size_t number =
          several ? kernels[kernel]["buffers"][next].get<std::size_t>() : next;
      addresses.push_back(arrays[number].address);
      ++next;
    }
    launch_kernel(gpu, launch, arguments[2], sizes[kernel], addresses);
  }

  for (const Array& array : arrays) {
    if (!array.is_written || !words.contains(array.name)) continue;
    const std::string& path = words[array.name];
    const Bytes result = gpu.read(array.address, array.bytes);
    std::ofstream(path, std::ios::binary)
        .write(result.data(), static_cast<std::streamsize>(result.size()));
    std::printf("%s: %zu bytes in %s\n", array.name.c_str(), result.size(), path.c_str());
  }
}
