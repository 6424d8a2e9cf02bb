// Every load of the catalogue that transposes, run in the emulator: each element of each lane is
// the one that the catalogue's maps say, whichever row of the matrix which lane has the address of.
// The handlers do not read the catalogue.
#include <cstring>
#include <map>

#include "heddle/instruction/catalogue.h"
#include "kernels.h"

namespace heddle::emulator::testing {
namespace transpose_load_test {

namespace catalogue = heddle::instruction;

// A lane's run begins at a multiple of 16 bytes; it has 16 elements at most.
constexpr unsigned run_bytes = 16, run_elements = 16;

// Which run a lane reads: not its own.
unsigned run_of(unsigned lane, unsigned wave) { return 5 * lane % wave; }

// The processor's names and waits.
struct Words {
  const char *load_arguments, *wait_scalar, *load_run, *wait_global, *store_run, *wait_lds,
      *store_word;
};

Words words_of(const std::string& target) {
  if (target == "gfx950")
    return {"s_load_dwordx4 s[4:7], s[0:1], 0x0\n",
            "s_waitcnt lgkmcnt(0)\n",
            "global_load_dwordx4 v[4:7], v2, s[4:5]\n",
            "s_waitcnt vmcnt(0)\n",
            "ds_write_b128 v2, v[4:7]\n",
            "s_waitcnt lgkmcnt(0)\n",
            "global_store_dword"};
  return {"s_load_b128 s[4:7], s[0:1], 0x0\n",
          "s_wait_kmcnt 0x0\n",
          "global_load_b128 v[4:7], v2, s[4:5]\n",
          "s_wait_loadcnt 0x0\n",
          "ds_store_b128 v2, v[4:7]\n",
          "s_wait_dscnt 0x0\n",
          "global_store_b32"};
}

// Copies the input to LDS, loads by the instruction into v[8:…], and stores that, 16 bytes a lane.
std::string body(const catalogue::Instruction& row, const std::string& target) {
  const Words words = words_of(target);
  const unsigned last = static_cast<unsigned>(row.wave) * run_bytes - 1;
  const int registers = row.d.registers;
  const std::string destination =
      registers == 1 ? "v8" : "v[8:" + std::to_string(7 + registers) + "]";
  std::string text = std::string(words.load_arguments) + words.wait_scalar +
                     "v_lshlrev_b32 v2, 4, v0\nv_mul_u32_u24 v3, 80, v0\nv_and_b32 v3, " +
                     std::to_string(last) + ", v3\n";
  if (row.address.bits == 64)
    text += std::string(row.name) + " " + destination + ", v3, s[4:5]\n" + words.wait_global;
  else
    text += std::string(words.load_run) + words.wait_global + words.store_run + words.wait_lds +
            std::string(row.name) + " " + destination + ", v3\n" + words.wait_lds;
  for (int i = 0; i < registers; ++i)
    text += std::string(words.store_word) + " v2, v" + std::to_string(8 + i) +
            ", s[6:7] offset:" + std::to_string(4 * i) + "\n";
  return text + "s_endpgm";
}

// What lanes get of an input, in which element `i` of run r has the bits of 16 * r + i from `shift`
// on.
std::vector<uint8_t> loaded(const CodeObject& object, unsigned wave, unsigned bits,
                            unsigned shift) {
  std::vector<uint8_t> in(wave * run_bytes), out(in.size());
  for (unsigned run = 0; run < wave; ++run)
    for (unsigned i = 0; i < run_elements; ++i)
      for (unsigned bit = 0; bit < bits; ++bit) {
        const unsigned at = i * bits + bit, number = run_elements * run + i;
        if (at / 8 < run_bytes && (number >> (shift + bit) & 1) != 0)
          in[run * run_bytes + at / 8] |= static_cast<uint8_t>(1u << at % 8);
      }
  Launch launch;
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
  launch.workgroup = {wave, 1, 1};
  launch.check = true;
  const auto report = run(object, launch);
  EXPECT_TRUE(report) << report.error().text();
  if (report)
    for (const Finding& finding : report->findings) ADD_FAILURE() << finding.text("k");
  return out;
}

// The number of what each element of a lane is, 16 to a run: by the bits that several launches put
// there.
std::vector<unsigned> numbers_in(const catalogue::Instruction& row, const std::string& target) {
  const auto wave = static_cast<unsigned>(row.wave), bits = static_cast<unsigned>(row.d.bits);
  const CodeObject object = assemble(kernel_text({{.name = "k",
                                                   .body = body(row, target),
                                                   .arguments = 2,
                                                   .lds_bytes = static_cast<int>(wave * run_bytes),
                                                   .wave = row.wave}},
                                                 target),
                                     target, row.wave);
  const unsigned elements = 32 * static_cast<unsigned>(row.d.registers) / bits;
  std::vector<unsigned> numbers(wave * elements);
  constexpr unsigned number_bits = 10;
  for (unsigned shift = 0; shift < number_bits; shift += bits) {
    const std::vector<uint8_t> out = loaded(object, wave, bits, shift);
    for (unsigned lane = 0; lane < wave; ++lane)
      for (unsigned i = 0; i < elements; ++i)
        for (unsigned bit = 0; bit < bits && shift + bit < number_bits; ++bit) {
          const unsigned at = i * bits + bit;
          const unsigned set = out[lane * run_bytes + at / 8] >> at % 8 & 1u;
          numbers[lane * elements + i] |= set << (shift + bit);
        }
  }
  return numbers;
}

TEST(TransposeLoad, LanesGetTheElementsThatTheCatalogueSays) {
  int rows = 0;
  for (const catalogue::Instruction& row : catalogue::transpose_load_instructions) {
    const std::string target = row.is_of(catalogue::Family::gfx950)  ? "gfx950"
                               : row.is_of(catalogue::Family::gfx12) ? "gfx1201"
                                                                     : "gfx1250";
    SCOPED_TRACE(std::string(row.name) + " wave" + std::to_string(row.wave));
    const auto wave = static_cast<unsigned>(row.wave);
    const std::vector<unsigned> numbers = numbers_in(row, target);
    // Whose address is which row's: of several lanes the lowest.
    const layout::LinearLayout addresses = fragment(row, catalogue::Operand::address);
    std::map<std::pair<uint64_t, uint64_t>, unsigned> reader;
    for (unsigned lane = wave; lane-- > 0;) {
      const auto at = addresses.apply({{"lane", lane}});
      reader[{at->at("m"), at->at_or("block", 0)}] = lane;
    }
    const layout::LinearLayout map = fragment(row, catalogue::Operand::d);
    const auto elements = numbers.size() / wave;
    const auto in_register = map.input_size("element");
    for (unsigned lane = 0; lane < wave; ++lane)
      for (std::size_t i = 0; i < elements; ++i) {
        const auto to = map.apply(
            {{"element", i % in_register}, {"register", i / in_register}, {"lane", lane}});
        const unsigned whose = reader.at({to->at("m"), to->at_or("block", 0)});
        ASSERT_EQ(numbers[lane * elements + i], run_elements * run_of(whose, wave) + to->at("n"))
            << "lane " << lane << " element " << i;
      }
    ++rows;
  }
  EXPECT_EQ(rows, 16);
}

// In waves of 64, where any lane of either half is on, all take part.
TEST(TransposeLoad, InWavesOf64AnyLaneTurnsOnAll) {
  for (const char* const mask : {"1, 0", "0, 0x100", "-1, -1", "0, 0"}) {
    const std::string low = std::string(mask).substr(0, std::string(mask).find(','));
    const std::string high = std::string(mask).substr(low.size() + 2);
    const std::string text =
        "s_load_b128 s[4:7], s[0:1], 0x0\nv_lshlrev_b32 v2, 4, v0\nv_mov_b32 v8, 7\n"
        "v_mov_b32 v9, 7\ns_wait_kmcnt 0x0\ns_mov_b32 exec_lo, " +
        low + "\ns_mov_b32 exec_hi, " + high +
        "\nglobal_load_tr_b128 v[8:9], v2, s[4:5]\ns_wait_loadcnt 0x0\n"
        "s_mov_b64 exec, -1\nglobal_store_b64 v2, v[8:9], s[6:7]\ns_endpgm";
    const CodeObject object =
        assemble(kernel_text({{.name = "k", .body = text, .arguments = 2, .wave = 64}}, "gfx1201"),
                 "gfx1201", 64);
    std::vector<uint16_t> in(512), out(512);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint16_t>(100 + i);
    Launch launch;
    launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
    launch.workgroup = {64, 1, 1};
    launch.check = true;
    const auto report = run(object, launch);
    ASSERT_TRUE(report) << report.error().text();
    for (const Finding& finding : report->findings) ADD_FAILURE() << finding.text("k");
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned whose = lane % 32 / 8 * 8 + lane / 32 * 4 + i;
        const unsigned read = 100 + 8 * whose + lane % 8, kept = i % 2 == 0 ? 7 : 0;
        EXPECT_EQ(out[8 * lane + i], std::string(mask) == "0, 0" ? kept : read)
            << mask << " lane " << lane << " element " << i;
      }
  }
}

}  // namespace transpose_load_test
}  // namespace heddle::emulator::testing
