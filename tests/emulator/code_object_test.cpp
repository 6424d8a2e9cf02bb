// Reading code objects: what good ones say, and that bad ones are refused with a reason.
#include "emulator/decode/code_object.h"

#include <algorithm>
#include <cstring>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace code_object_test {

// Elf64_Phdr of the System V ABI, and where Elf64_Ehdr tells place and number of these headers.
struct Phdr {
  uint32_t type, flags;
  uint64_t offset, vaddr, paddr, filesz, memsz, align;
};
constexpr std::size_t place_of_phoff = 32, place_of_phnum = 56;
constexpr uint32_t type_load = 1, flag_executable = 1;

std::vector<std::byte> example_bytes() {
  return read_file(std::string(HEDDLE_EXAMPLE_FOLDER) + "/wmma_tiled.gfx1151.O3.co");
}

std::string refusal(std::span<const std::byte> bytes) {
  const auto object = CodeObject::load(bytes);
  if (object) {
    ADD_FAILURE() << "the file was accepted";
    return {};
  }
  return object.error();
}

TEST(CodeObject, TellsWhatTheKernelNeeds) {
  const CodeObject object = load_example("wmma_tiled", "gfx1151");
  EXPECT_EQ(object.target().name, "gfx1151");
  const Kernel* kernel = object.find_kernel("wmma_tiled");
  ASSERT_NE(kernel, nullptr);
  // Two slices of two tiles of 128 x 24 halves; the last row of a tile has no padding of 8 halves.
  EXPECT_EQ(kernel->lds_bytes, 24512u);
  EXPECT_EQ(kernel->scratch_bytes, 0u);
  EXPECT_EQ(kernel->vgpr_spills, 0u);
  EXPECT_EQ(kernel->max_workgroup_size, 128u);
  EXPECT_GT(kernel->vgpr_count, 128u);
  EXPECT_LE(kernel->vgpr_count, 256u);
  ASSERT_EQ(kernel->arguments.size(), 6u);
  EXPECT_EQ(kernel->arguments[2].value_kind, "global_buffer");
  EXPECT_EQ(kernel->arguments[3].offset, 24u);
  EXPECT_EQ(kernel->arguments[3].size, 4u);
}

TEST(CodeObject, EveryInstructionOfTheExamplesIsKnown) {
  for (const char* name : {"wmma_naive", "wmma_tiled", "softmax"})
    for (const std::string& target : targets())
      for (int level : {0, 3})
        EXPECT_EQ(load_example(name, target, level).unknown_instructions(),
                  std::vector<std::string>{})
            << name << " " << target << " -O" << level;
}

// Cut to 32 bits, some would say what the kernel does not: no clusters, no LDS, an argument at 0.
TEST(CodeObject, RefusesNumbersOfTheMetadataBeyond32Bits) {
  const std::string plain =
      kernel_text({{.name = "any", .body = "s_endpgm", .arguments = 1}}, "gfx1250");
  const std::string name = "  - .name: any\n";
  ASSERT_TRUE(CodeObject::load(assemble_bytes(plain, "gfx1250")));
  for (const std::string field :
       {".vgpr_count", ".sgpr_count", ".vgpr_spill_count", ".sgpr_spill_count",
        ".max_flat_workgroup_size", ".kernarg_segment_size", ".group_segment_fixed_size",
        ".private_segment_fixed_size", ".cluster_dims", ".offset", ".size"}) {
    std::string text = plain;
    const std::string number = field == ".cluster_dims" ? "[1, 4294967297, 1]" : "4294967297";
    if (const std::size_t at = text.find(field + ": ", text.find(".amdgpu_metadata"));
        at != std::string::npos)
      text.replace(at, text.find('\n', at) - at, field + ": " + number);
    else
      text.insert(text.find(name) + name.size(), "    " + field + ": " + number + "\n");
    EXPECT_EQ(
        refusal(assemble_bytes(text, "gfx1250")),
        "the metadata of kernel any says 4294967297 for " + field + "; accepted: 0 to 4294967295");
  }
}

TEST(CodeObject, RefusesWhatIsNoElfFile) {
  EXPECT_NE(refusal({}).find("no ELF file"), std::string::npos);
  std::vector<std::byte> zeros(1000);
  EXPECT_NE(refusal(zeros).find("no ELF file"), std::string::npos);
}

// The file with `count` more program headers after its own; `change` gets the executable segment's
// header and the number of its copy.
std::vector<std::byte> with_copies_of_the_code(uint64_t count, void (*change)(Phdr&, uint64_t)) {
  auto bytes = example_bytes();
  uint64_t place;
  uint16_t number;
  std::memcpy(&place, &bytes[place_of_phoff], sizeof place);
  std::memcpy(&number, &bytes[place_of_phnum], sizeof number);
  std::vector<Phdr> headers(number);
  std::memcpy(headers.data(), &bytes[place], headers.size() * sizeof(Phdr));
  const auto code = std::ranges::find_if(headers, [](const Phdr& header) {
    return header.type == type_load && header.flags & flag_executable;
  });
  EXPECT_NE(code, headers.end());
  const Phdr original = *code;
  for (uint64_t i = 1; i <= count; ++i) {
    Phdr copy = original;
    change(copy, i);
    headers.push_back(copy);
  }
  place = bytes.size();
  number = static_cast<uint16_t>(headers.size());
  std::memcpy(&bytes[place_of_phoff], &place, sizeof place);
  std::memcpy(&bytes[place_of_phnum], &number, sizeof number);
  const auto* first = reinterpret_cast<const std::byte*>(headers.data());
  bytes.insert(bytes.end(), first, first + headers.size() * sizeof(Phdr));
  return bytes;
}

// Otherwise a small file would take long to decode: its code once for every header.
TEST(CodeObject, RefusesSegmentsThatShareBytes) {
  ASSERT_TRUE(CodeObject::load(with_copies_of_the_code(0, nullptr)));
  const std::string overlap = refusal(with_copies_of_the_code(2000, [](Phdr&, uint64_t) {}));
  EXPECT_NE(overlap.find("must follow each other without overlap"), std::string::npos) << overlap;
  // Apart in memory, but the same bytes of the file.
  const std::string twice = refusal(
      with_copies_of_the_code(60, [](Phdr& header, uint64_t i) { header.vaddr += i << 20; }));
  EXPECT_NE(twice.find("each byte may be loaded once"), std::string::npos) << twice;
}

// The same for sections: each of them the debug information, of which a copy is kept.
TEST(CodeObject, RefusesSectionsThatShareBytes) {
  struct Shdr {
    uint32_t name, type;
    uint64_t flags, addr, offset, size;
    uint32_t link, info;
    uint64_t align, entry_bytes;
  };
  constexpr std::size_t place_of_shoff = 40, place_of_shnum = 60;
  constexpr uint32_t type_program = 1, flag_allocated = 2;
  auto bytes = example_bytes();
  uint64_t place;
  uint16_t number;
  std::memcpy(&place, &bytes[place_of_shoff], sizeof place);
  std::memcpy(&number, &bytes[place_of_shnum], sizeof number);
  std::vector<Shdr> headers(number);
  std::memcpy(headers.data(), &bytes[place], headers.size() * sizeof(Shdr));
  Shdr largest = {};
  for (const Shdr& header : headers)
    if (header.type == type_program && !(header.flags & flag_allocated) &&
        header.size > largest.size)
      largest = header;
  ASSERT_GT(largest.size, 1000u);
  headers.resize(60'000, largest);
  place = bytes.size();
  number = static_cast<uint16_t>(headers.size());
  const auto* first = reinterpret_cast<const std::byte*>(headers.data());
  bytes.insert(bytes.end(), first, first + headers.size() * sizeof(Shdr));
  std::memcpy(&bytes[place_of_shoff], &place, sizeof place);
  std::memcpy(&bytes[place_of_shnum], &number, sizeof number);
  const std::string message = refusal(bytes);
  EXPECT_NE(message.find("name the same bytes many times"), std::string::npos) << message;
}

TEST(CodeObject, RefusesOtherMachines) {
  auto bytes = example_bytes();
  const uint16_t x86_64 = 62;
  std::memcpy(&bytes[18], &x86_64, 2);
  EXPECT_NE(refusal(bytes).find("machine 62"), std::string::npos);
}

TEST(CodeObject, RefusesOtherProcessorsAndNamesItsOwn) {
  auto bytes = example_bytes();
  bytes[48] = std::byte{0x2f};  // gfx906
  const std::string message = refusal(bytes);
  EXPECT_NE(message.find("0x2f"), std::string::npos) << message;
  EXPECT_NE(message.find("gfx1151"), std::string::npos) << message;
}

// The section headers are the last bytes of the file, so every shorter one lacks some.
TEST(CodeObject, RefusesTruncations) {
  const auto bytes = example_bytes();
  for (std::size_t size = 0; size < bytes.size(); size += 97)
    EXPECT_FALSE(refusal(std::span(bytes).first(size)).empty()) << size;
  EXPECT_FALSE(refusal(std::span(bytes).first(bytes.size() - 1)).empty());
}

TEST(CodeObject, SurvivesWrongHeaderBytes) {
  const auto bytes = example_bytes();
  Random random(1);
  int refused = 0;
  for (std::size_t i = 0; i < 1000; i += 7) {
    auto changed = bytes;
    changed[i] = static_cast<std::byte>(random.bits());
    refused += !CodeObject::load(changed);
  }
  EXPECT_GT(refused, 0);
}

TEST(Launch, RefusesWhatDoesNotFitTheKernel) {
  const CodeObject object = load_example("softmax", "gfx1100");
  std::vector<float> x(10);
  const auto refused = [&](const Launch& launch) -> std::string {
    const auto report = run(object, launch);
    if (report) return "it ran";
    EXPECT_EQ(report.error().kind, FaultKind::bad_launch);
    return report.error().message;
  };
  Launch launch;
  EXPECT_EQ(refused(launch), "kernel softmax takes 4 arguments, and 0 are given");
  launch.arguments = {buffer(std::span(x), "in"), buffer(std::span(x), "out"), value(int64_t{1}),
                      value(10)};
  EXPECT_NE(refused(launch).find("has 4 bytes, and 8 are given"), std::string::npos)
      << refused(launch);
  launch.arguments[2] = value(1);
  launch.workgroup = {65, 1, 1};
  EXPECT_NE(refused(launch).find("at most 64"), std::string::npos) << refused(launch);
  launch.workgroup = {64, 1, 1};
  launch.kernel = "softmin";
  EXPECT_NE(refused(launch).find("it has softmax"), std::string::npos) << refused(launch);
}

Launch launch_of_one_pointer(std::vector<uint32_t>& data) {
  Launch launch;
  launch.arguments = {buffer(std::span(data), "data")};
  return launch;
}

TEST(Launch, RefusesMoreScratchThanTheHostShouldGive) {
  const CodeObject object = assemble(
      kernel_text({{.name = "deep", .body = "s_endpgm", .scratch_bytes = 1 << 24}}, "gfx1151"),
      "gfx1151");
  std::vector<uint32_t> data(1);
  Launch launch = launch_of_one_pointer(data);
  EXPECT_TRUE(run(object, launch));  // 32 lanes of 16 MiB
  launch.workgroup = {129, 1, 1};
  const auto report = run(object, launch);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, FaultKind::bad_launch);
  const std::string& message = report.error().message;
  for (const char* part : {"2684354560 of them for the scratch of its 160 lanes",
                           "2147483648 bytes of memory", "--limit-memory raises it"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

// Their product is 2^64, and that of the first two sizes with the threads 2^47: hardware counts the
// threads of each axis in 32 bits.
TEST(Launch, RefusesProductsOfSizesThatOverflow) {
  std::vector<uint32_t> data(1);
  const CodeObject object =
      assemble(kernel_text({{.name = "wide", .body = "s_endpgm"}}, "gfx1151"), "gfx1151");
  Launch launch = launch_of_one_pointer(data);
  constexpr uint32_t most = ~uint32_t{0};
  for (const auto& [grid, part] :
       {std::pair{std::array{4194304u, 2097152u, 2097152u}, "workgroups in all"},
        {std::array{1u << 27, 1u, 1u}, "4294967295 threads along an axis"},
        {std::array{most, most, most}, "4294967295 threads along an axis"},
        {std::array{1u, most, most}, "workgroups in all"},
        {std::array{0u, 1u, 1u}, "at least 1"}}) {
    launch.grid = grid;
    const auto report = run(object, launch);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, FaultKind::bad_launch);
    EXPECT_NE(report.error().message.find(part), std::string::npos) << report.error().message;
  }
  launch.grid = {1, 1, 1};
  for (const std::array<uint32_t, 3> workgroup :
       {std::array{0u, 1u, 1u}, {1u << 16, 1u << 16, 1u}, {most, most, most}}) {
    launch.workgroup = workgroup;
    const auto report = run(object, launch);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, FaultKind::bad_launch);
  }
}

TEST(Launch, RefusesGridsThatGfx12CannotCount) {
  std::vector<uint32_t> data(1);
  for (const std::string& target : targets()) {
    const CodeObject object =
        assemble(kernel_text({{.name = "wide", .body = "s_endpgm"}}, target), target);
    Launch launch = launch_of_one_pointer(data);
    for (const auto& [grid, accepted] : {std::pair{std::array{1u, 65535u, 1u}, true},
                                         {std::array{1u, 65536u, 1u}, false},
                                         {std::array{1u, 1u, 65536u}, false},
                                         {std::array{65536u, 1u, 1u}, true}}) {
      launch.grid = grid;
      const auto report = run(object, launch);
      EXPECT_EQ(report.has_value(), accepted || target != "gfx1201") << target;
      if (report) continue;
      EXPECT_EQ(report.error().kind, FaultKind::bad_launch);
      EXPECT_NE(report.error().message.find("at most 65535"), std::string::npos);
    }
  }
}

}  // namespace code_object_test
}  // namespace heddle::emulator::testing
