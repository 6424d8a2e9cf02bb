// What each instruction costs on this machine, beside what it counts for in a run's budget
// (emulator/decode/work.h): the rows that cost most for what they count. A unit should take about
// 10 nanoseconds, and none of them 40. `./dev bench work` prints the worst 40, `./dev bench work
// all` every one. Exit status 1: a row costs more than that.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/decode/assembly_text.h"
#include "emulator/decode/program.h"
#include "emulator/decode/translate.h"
#include "emulator/decode/work.h"
#include "emulator/machine/float_mode.h"
#include "emulator/machine/wavefront.h"
#include "tests/emulator/opcode_space.h"

namespace heddle::emulator {
namespace {

constexpr double unit_nanoseconds = 10, most_nanoseconds = 40;

// What the registers hold: the time of an instruction depends on it.
enum class Fill {
  addresses,    // of one region, and small numbers for arithmetic
  regions,      // of several
  random_bits,  // floats of all sizes, NaN
  ordinary,     // floats near 1
  count
};

bool loads(Form form) {
  switch (form) {
    case Form::memory_load:
    case Form::memory_atomic:
    case Form::lane_load:
    case Form::buffer_load:
    case Form::buffer_atomic:
    case Form::lds_load:
    case Form::lds_atomic_return:
    case Form::scalar_load:
    case Form::scalar_buffer_load:
      return true;
    default:
      return false;
  }
}

// Of this thread: others may have the processor meanwhile.
double processor_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// Waves of 32 lanes, the lower and the upper half of one of 64.
class Waves {
 public:
  Waves(const Target& target, int lanes)
      : regions_(16), memory_(megabyte), lds_(megabyte), scratch_(32 * megabyte) {
    // What is loaded is an address again.
    for (std::size_t i = 0; i < memory_.size(); i += 4) memory_[i] = lds_[i] = std::byte{0x80};
    for (std::size_t i = 8; i < 12; ++i)
      regions_[i] = {region_start(static_cast<uint32_t>(i)), megabyte, memory_.data(), true};
    for (Wavefront* wave : {wave_.get(), other_.get()}) {
      wave->regions = regions_.data();
      wave->region_count = regions_.size();
      wave->lds = lds_.data();
      wave->lds_bytes = lds_.size() - 64;
      wave->scratch = scratch_.data();
      wave->scratch_bytes = wave->scratch_pitch = megabyte;
      wave->numbers = &numbers_;
      wave->addresses = addresses_;
      wave->instruction_at = indices_;
      wave->instruction_slots = 1;
      wave->barrier = &barrier_;
      wave->mode = target.has(Feature::ieee_mode) ? 0xf0u : mode_dx10_clamp | 0xf0u;
    }
    if (lanes == 64) wave_->upper = other_.get();
    wave_->other = other_.get();
    other_->other = wave_.get();
    install_float_mode(wave_->mode);
  }

  struct Time {
    double nanoseconds = -1;  // of one execution; negative when it faults
    double work = 0;          // that it charges itself
  };
  Time time(const Instruction& instruction, Form form, Fill fill) {
    Instruction in[2] = {instruction, instruction};
    // Loads leave the address as it was.
    if (loads(form)) in[0].destination = 64;
    in[0].index = 0;
    wave_->instructions = other_->instructions = in;
    set_registers(fill);
    Time best;
    int times = 1;
    for (int trial = 0; trial < 5; ++trial) {
      const double begin = processor_nanoseconds();
      for (int i = 0; i < times; ++i) {
        numbers_.next = nullptr;  // as when other operands were multiplied before
        (void)in[0].handler(*wave_, in);
        if (wave_->event == Event::fault) return {};
      }
      const double spent = (processor_nanoseconds() - begin) / times;
      const double work = static_cast<double>(std::exchange(wave_->counters.work, 0)) / times;
      if (trial == 0 || spent < best.nanoseconds) best = {spent, work};
      times = std::clamp(static_cast<int>(20'000 / std::max(spent, 1.0)), 4, 2000);
    }
    return best;
  }

 private:
  static constexpr std::size_t megabyte = 1 << 20;

  void set_registers(Fill fill) {
    std::minstd_rand random;
    for (auto& reg : wave_->vgpr)
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const auto bits = static_cast<uint32_t>(random() << 16 ^ random());
        reg[lane] = fill == Fill::addresses  ? 0x80
                    : fill == Fill::regions  ? 0x80 + 0x10 * (lane & 3)
                    : fill == Fill::ordinary ? 0x3c003c00u | (bits & 0x3ff03ffu)
                                             : bits;
      }
    for (uint32_t& scalar : wave_->scalar) scalar = 0x80;
    wave_->scalar[2] = 1 << 16;  // records of a buffer
    wave_->scalar[3] = 0;
    wave_->scalar[register_exec] = wave_->scalar[register_exec + 1] = ~0u;
    wave_->scalar[register_null] = 0;
    wave_->scalar[register_scc] = 0;
    std::memcpy(other_->vgpr, wave_->vgpr, sizeof wave_->vgpr);
    std::memcpy(other_->scalar, wave_->scalar, sizeof wave_->scalar);
    wave_->event = other_->event = Event::none;
    barrier_ = {.members = 2};
  }

  static constexpr uint32_t addresses_[] = {0, 4};
  static constexpr int32_t indices_[] = {0};
  std::vector<Region> regions_;
  std::vector<std::byte> memory_, lds_, scratch_;
  MatrixNumbers numbers_;
  BarrierState barrier_;
  std::unique_ptr<Wavefront> wave_ = std::make_unique<Wavefront>();
  std::unique_ptr<Wavefront> other_ = std::make_unique<Wavefront>();
};

struct Cost {
  std::string target, text;
  int wave;
  double work, nanoseconds;
  double of_unit() const { return nanoseconds / work; }
};

std::vector<Cost> measure(const Target& target, int wave, std::set<std::string>& unmeasured) {
  std::vector<Cost> all;
  Waves waves(target, wave);
  for (const auto& known : testing::opcode_space(target, wave)) {
    const TextInstruction text = parse_instruction(known.text);
    Attachments attachments;
    const auto translated = translate(text, {target, wave}, known.first_word, attachments);
    const Row* const row = find_row(text, target, wave);
    if (!translated || row == nullptr || row->form == Form::branch || translated->is_branch)
      continue;
    // Of a wave of 64, what is no pair of instructions for its halves counts twice itself.
    const double work = (wave == 64 && !translated->by_halves ? 2 : 1) *
                        work_of(base_mnemonic(text.mnemonic), row->form);
    // What else the machine does can only add to a time: what costs too much is measured again.
    const auto once = [&](Fill fill) {
      const auto time = waves.time(translated->instruction, row->form, fill);
      return Cost{std::string(target.name), known.text, wave, work + time.work, time.nanoseconds};
    };
    std::optional<Cost> most;
    for (int number = 0; number < static_cast<int>(Fill::count); ++number) {
      const auto fill = static_cast<Fill>(number);
      Cost cost = once(fill);
      if (cost.nanoseconds < 0) continue;
      for (int again = 0; again < 3 && cost.of_unit() > most_nanoseconds; ++again)
        cost = std::min(cost, once(fill),
                        [](const Cost& a, const Cost& b) { return a.of_unit() < b.of_unit(); });
      if (!most || cost.of_unit() > most->of_unit()) most = cost;
    }
    if (most)
      all.push_back(*most);
    else
      unmeasured.insert(std::string(base_mnemonic(text.mnemonic)));
  }
  return all;
}

int print(bool everything) {
  std::vector<Cost> all;
  std::set<std::string> unmeasured;
  for (const auto& [name, wave] : {std::pair{"gfx1151", 32},
                                   {"gfx1151", 64},
                                   {"gfx1201", 32},
                                   {"gfx1250", 32},
                                   {"gfx90a", 64},
                                   {"gfx942", 64},
                                   {"gfx950", 64}}) {
    const auto more = measure(*find_target(name), wave, unmeasured);
    all.insert(all.end(), more.begin(), more.end());
  }
  std::ranges::sort(all, std::greater{}, &Cost::of_unit);
  const auto over = static_cast<std::size_t>(std::ranges::count_if(
      all, [](const Cost& cost) { return cost.of_unit() > most_nanoseconds; }));
  std::printf("ns a unit      ns  units  target   wave  instruction\n");
  const std::size_t shown = everything ? all.size() : std::min<std::size_t>(40, all.size());
  for (const Cost& cost : std::span(all).first(std::max(shown, std::min(over, all.size()))))
    std::printf("%9.1f %7.1f %6.0f  %-8s %4d  %s\n", cost.of_unit(), cost.nanoseconds, cost.work,
                cost.target.c_str(), cost.wave, cost.text.c_str());
  std::string names;
  for (const std::string& name : unmeasured) names += " " + name;
  if (!names.empty()) std::printf("\nnot measured, as they end or wait:%s\n", names.c_str());
  std::printf("\n%zu of %zu instructions cost more than %.0f ns for a unit; the aim is %.0f\n",
              over, all.size(), most_nanoseconds, unit_nanoseconds);
  return over == 0 ? 0 : 1;
}

}  // namespace
}  // namespace heddle::emulator

int main(int argc, char** argv) {
  return heddle::emulator::print(argc > 1 && std::string_view(argv[1]) == "all");
}
