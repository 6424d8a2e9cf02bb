#include "emulator/decode/program.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <map>
#include <system_error>

#include "emulator/decode/assembly_text.h"
#include "emulator/decode/disassembler.h"
#include "emulator/decode/opcode_table.h"
#include "emulator/decode/translate.h"
#include "emulator/decode/work.h"
#include "emulator/machine/float_mode.h"
#include "emulator/machine/halves.h"
#include "emulator/machine/partial_dword.h"
#include "emulator/machine/wavefront.h"
#include "emulator/record/instruction_class.h"

namespace heddle::emulator {
namespace {

// The handler of instructions that the emulator cannot execute. They are decoded like others, and
// are a fault only when a wave executes them.
template <FaultKind kind>
const Instruction* refuse(Wavefront& w, const Instruction* in) {
  w.event = Event::fault;
  w.resume = in;
  w.fault = kind;
  w.fault_lane = -1;
  return nullptr;
}

uint32_t word_at(std::span<const std::byte> image, uint64_t address) {
  uint32_t word = 0;
  std::memcpy(&word, image.data() + address, 4);
  return word;
}

}  // namespace

void add_named_registers(Program::VectorRegisters& used, std::string_view text) {
  const auto is_part_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if ((text[i] != 'v' && text[i] != 'a') || (i > 0 && is_part_of_name(text[i - 1]))) continue;
    std::size_t digits = i + 1;
    if (text[digits] == '[') {
      const std::size_t colon = text.find(':', digits);
      if (colon == std::string_view::npos) continue;
      digits = colon + 1;
    }
    unsigned number = 0;
    if (std::from_chars(text.data() + digits, text.data() + text.size(), number).ec != std::errc{})
      continue;
    uint16_t& count = text[i] == 'v' ? used.vectors : used.accumulators;
    count = std::max(count, static_cast<uint16_t>(number + 1));
  }
}

std::string_view base_mnemonic(std::string_view mnemonic) {
  for (bool again = true; again;) {
    again = false;
    for (std::string_view suffix : {"_e32", "_e64", "_dpp", "_sdwa"}) {
      if (!mnemonic.ends_with(suffix)) continue;
      mnemonic.remove_suffix(suffix.size());
      again = true;
    }
  }
  return mnemonic;
}

std::string single_mnemonic(std::string_view mnemonic) {
  constexpr std::string_view prefix = "v_dual_";
  if (!mnemonic.starts_with(prefix)) return std::string(mnemonic);
  return "v_" + std::string(mnemonic.substr(prefix.size()));
}

class ProgramBuilder {
 public:
  ProgramBuilder(const Target& target, int wave, bool two_float_modes,
                 std::span<const std::byte> image, Disassembler& disassembler)
      : target_(target),
        wave_(wave),
        two_float_modes_(two_float_modes),
        image_(image),
        disassembler_(disassembler) {
    program_.wave_ = wave;
    program_.instruction_at_.assign(image.size() / 4 + 1, -1);
  }

  void decode_range(const Program::Range& range) {
    uint64_t address = (range.first + 3) & ~uint64_t{3};
    const uint64_t last = std::min<uint64_t>(range.last, image_.size());
    while (address + 4 <= last) {
      std::string text;
      uint8_t implicit = 0;
      const uint32_t size =
          disassembler_.decode(image_.subspan(address, last - address), address, text, implicit);
      banks_ = disassembler_.vector_banks();
      add(address, size, std::move(text), implicit);
      address += size == 0 ? 4 : (size + 3) & ~uint32_t{3};
    }
  }

  std::shared_ptr<const Program> finish() {
    resolve_branches();
    mark_loads_for_exchange();
    // Control that runs off the end of the code lands here.
    add_sentinel();
    for (std::size_t i = 0; i < program_.instructions_.size(); ++i)
      program_.instructions_[i].index = static_cast<uint32_t>(i);
    for (const auto& [index, halves] : halves_)
      for (Instruction& half : halves->part) half.index = index;
    if (two_float_modes_) wrap_other_modes();
    std::vector<uint8_t> classes;
    for (const std::string& mnemonic : program_.mnemonics_)
      classes.push_back(static_cast<uint8_t>(class_of(amd_classes, mnemonic)));
    for (const uint32_t number : program_.mnemonic_of_)
      program_.classes_.push_back(classes[number]);
    return std::make_shared<const Program>(std::move(program_));
  }

 private:
  struct Branch {
    std::size_t instruction;
    int64_t target;
  };

  uint32_t mnemonic_number(std::string name) {
    const auto [found, inserted] =
        numbers_.try_emplace(std::move(name), static_cast<uint32_t>(program_.mnemonics_.size()));
    if (inserted) program_.mnemonics_.push_back(found->first);
    return found->second;
  }

  // Makes an instruction that the emulator cannot execute, for the reason `why`: a fault when a
  // wave executes it.
  Instruction obstructed(bool unknown_opcode, std::string why) {
    program_.obstacles_.emplace_back(static_cast<uint32_t>(program_.instructions_.size()),
                                     std::move(why));
    Instruction instruction;
    instruction.handler =
        unknown_opcode ? &refuse<FaultKind::unknown_opcode> : &refuse<FaultKind::unsupported>;
    return instruction;
  }
  Instruction obstructed(const TextInstruction& parsed, std::string why) {
    return obstructed(find_row(parsed, target_, wave_) == nullptr, std::move(why));
  }

  void add(uint64_t address, uint32_t size, std::string text, uint8_t implicit) {
    program_.instruction_at_[address / 4] = static_cast<int32_t>(program_.instructions_.size());
    Instruction instruction;
    std::string name;
    const Row* row = nullptr;
    bool matrix = false;
    uint16_t work = 1;
    if (size == 0) {
      text = "(no instruction)";
      name = text;
      instruction =
          obstructed(true, "these bytes, which are no instruction of " + std::string(target_.name));
    } else if (const std::size_t split = text.find(" :: "); split != std::string::npos) {
      instruction = pair(text.substr(0, split), text.substr(split + 4), name, work);
    } else {
      const TextInstruction parsed = parse_instruction(text);
      name = base_mnemonic(parsed.mnemonic);
      instruction = single(parsed, address, size);
      row = find_row(parsed, target_, wave_);
      matrix = row && row->form == Form::matrix;
      if (row) work = work_of(name, row->form);
    }
    note_exchange(address, name, row);
    program_.instructions_.push_back(instruction);
    program_.addresses_.push_back(static_cast<uint32_t>(address));
    program_.mnemonic_of_.push_back(mnemonic_number(std::move(name)));
    if (indexed_ != 0 || (row && row->indexed != 0))
      program_.used_ = {first_spare_register, 256};
    else
      add_named_registers(program_.used_, text);
    program_.texts_.push_back(std::move(text));
    program_.is_matrix_.push_back(matrix);
    program_.work_.push_back(static_cast<uint16_t>(wave_ == 64 ? 2 * work : work));
    program_.implicit_.push_back(implicit);
    banks_before_.push_back(banks_);
  }

  // The reason why the branch cannot be executed; empty if it can. This is about gfx1250: the text
  // of an instruction names registers by the s_set_vgpr_msb that precedes it in memory. That is
  // wrong if a wave comes to the instruction by a branch while another value of s_set_vgpr_msb
  // applies. LLVM sets the value to 0 before each branch, so that this does not happen.
  std::string_view banks_problem(std::size_t branch, int32_t target) const {
    if (banks_before_[branch] != 0) return "a branch while s_set_vgpr_msb is not 0";
    if (target < 0) return {};
    for (auto i = static_cast<std::size_t>(target); i < program_.texts_.size(); ++i) {
      const std::string& text = program_.texts_[i];
      if (banks_before_[i] == 0 || text.starts_with("s_set_vgpr_msb")) break;
      if (!text.starts_with("s_")) return "a branch past the s_set_vgpr_msb of its target";
    }
    return {};
  }

  Instruction single(const TextInstruction& parsed, uint64_t address, uint32_t size) {
    const uint32_t word = word_at(image_, address);
    auto translated =
        translate(parsed, {target_, wave_, false, indexed_}, word, program_.attachments_);
    if (!translated) return obstructed(parsed, translated.error());
    // Compilers emit s_set_gpr_idx_on and _off without a branch between them, so order in memory
    // counts.
    if (parsed.mnemonic == "s_set_gpr_idx_on") indexed_ = indexed_operands(parsed);
    if (parsed.mnemonic == "s_set_gpr_idx_off") indexed_ = 0;
    two_float_modes_ = two_float_modes_ || translated->sets_float_mode;
    if (translated->in_other_mode)
      other_mode_.push_back(static_cast<uint32_t>(program_.instructions_.size()));
    if (translated->by_halves) return halves(parsed, *translated, word);
    if (translated->is_branch)
      branches_.push_back({program_.instructions_.size(),
                           static_cast<int64_t>(address + size) + 4 * translated->branch_words});
    return translated->instruction;
  }

  // Makes the instruction for a wave of 64 lanes. It consists of `lower`, the instruction for the
  // lower 32 lanes, and one that is translated for the upper 32 lanes.
  Instruction halves(const TextInstruction& parsed, const Translation& lower, uint32_t word) {
    const auto upper =
        translate(parsed, {target_, wave_, true, indexed_}, word, program_.attachments_);
    if (!upper) return obstructed(parsed, upper.error());
    program_.pairs_.push_back({{lower.instruction, upper->instruction}});
    halves_.emplace_back(static_cast<uint32_t>(program_.instructions_.size()),
                         &program_.pairs_.back());
    Instruction instruction;
    instruction.handler = &run_halves;
    if (lower.shared_source >= 0) {
      instruction.handler = &run_halves_that_share;
      instruction.source[0].index = static_cast<uint16_t>(lower.shared_source);
    }
    instruction.target = program_.pairs_.back().part;
    instruction.destination = instruction.destination2 = register_discard;
    if (lower.mask_destination)
      instruction.destination = instruction.destination2 = upper->instruction.destination;
    if (lower.carry_out)
      instruction.destination = instruction.destination2 = upper->instruction.destination2;
    if (lower.writes_exec && target_.has(Feature::cmpx_writes_mask)) {
      instruction.handler = &run_halves_that_write_exec;
      instruction.source[0].index = lower.instruction.destination;
    }
    if (lower.writes_exec) {
      instruction.destination = register_exec + 1;
      instruction.destination2 = register_exec;
    }
    return instruction;
  }

  // VOPD: two operations that read before either writes.
  Instruction pair(const std::string& first_text, const std::string& second_text, std::string& name,
                   uint16_t& work) {
    Program::Dual dual;
    const std::string* texts[] = {&first_text, &second_text};
    const Row* rows[2] = {};
    for (int i = 0; i < 2; ++i) {
      TextInstruction parsed = parse_instruction(*texts[i]);
      const std::string_view pair_name = base_mnemonic(parsed.mnemonic);
      name += (i ? " :: " : "") + std::string(pair_name);
      const std::string single_name = single_mnemonic(pair_name);
      parsed.mnemonic = single_name;
      auto translated = translate(parsed, {target_, wave_}, 0, program_.attachments_);
      if (!translated) return obstructed(parsed, translated.error());
      dual.part[i] = translated->instruction;
      rows[i] = find_row(parsed, target_, wave_);
      work = static_cast<uint16_t>(work + work_of(single_name, Form::vector));
    }
    Instruction instruction;
    instruction.destination = dual.part[0].destination;
    instruction.extra = is_double_word(rows[0]->destination) ? 2 : 1;
    bool deferred = false;
    for (int i = 0; i < 4; ++i) {
      const Source& s = dual.part[1].source[i];
      const int words = is_double_word(rows[1]->sources[i]) ? 2 : 1;
      deferred |= s.kind == SourceKind::vgpr &&
                  s.index < instruction.destination + instruction.extra &&
                  instruction.destination < s.index + words;
    }
    if (deferred) dual.part[0].destination = first_spare_register;
    instruction.handler = dual_handler(deferred);
    program_.pairs_.push_back(dual);
    instruction.target = program_.pairs_.back().part;
    return instruction;
  }

  void resolve_branches() {
    for (const Branch& branch : branches_) {
      const int32_t index =
          branch.target < 0 ? -1 : program_.find(static_cast<uint64_t>(branch.target));
      // The target may not exist (index -1): then the branch is a fault when it is taken.
      targets_.emplace_back(branch.instruction, index);
      if (const std::string_view problem = banks_problem(branch.instruction, index);
          !problem.empty())
        refuse_branch(branch.instruction, problem);
    }
  }

  void refuse_branch(std::size_t branch, std::string_view problem) {
    program_.instructions_[branch].handler = &refuse<FaultKind::unsupported>;
    const auto index = static_cast<uint32_t>(branch);
    const auto at = std::ranges::upper_bound(program_.obstacles_, index, {},
                                             &std::pair<uint32_t, std::string>::first);
    program_.obstacles_.emplace(at, index, problem);
  }

  // If MODE may have another float mode for f16 and f64 than for f32, makes their instructions run
  // in that mode.
  void wrap_other_modes() {
    program_.inner_handlers_.assign(program_.instructions_.size(), nullptr);
    for (uint32_t i : other_mode_) {
      Instruction& instruction = program_.instructions_[i];
      const bool halves = runs_halves(instruction.handler);
      program_.inner_handlers_[i] = halves ? instruction.target[0].handler : instruction.handler;
      if (!halves) instruction.handler = &run_in_other_mode;
    }
    for (const auto& [index, halves] : halves_)
      if (program_.inner_handlers_[index])
        for (Instruction& half : halves->part) half.handler = &run_in_other_mode;
  }

  // Records in which functions there is a compare-and-swap of a dword in memory, and which loads of
  // dwords are in the same functions. Such loads get flag_loads_for_exchange.
  void note_exchange(uint64_t address, std::string_view name, const Row* row) {
    // LLVM aligns each function to 256 bytes, after padding.
    if (address % 256 == 0 && is_after_end_) exchanges_.push_back(false);
    if (name != "s_nop" && name != "s_code_end")
      is_after_end_ = name == "s_endpgm" || name == "s_setpc_b64";
    if (row == nullptr || !std::string_view(row->name).ends_with("_b32")) return;
    switch (row->form) {
      case Form::memory_atomic:
      case Form::buffer_atomic:
        if (row->expected != 0) exchanges_.back() = true;
        break;
      case Form::memory_load:
      case Form::buffer_load:
      case Form::scalar_load:
      case Form::scalar_buffer_load:
        dword_loads_.emplace_back(exchanges_.size() - 1, program_.instructions_.size());
        break;
      default:
        break;
    }
  }

  void mark_loads_for_exchange() {
    for (const auto& [function, index] : dword_loads_) {
      if (!exchanges_[function]) continue;
      const auto halves = std::ranges::lower_bound(halves_, index, {}, &HalvesAt::first);
      if (halves == halves_.end() || halves->first != index)
        program_.instructions_[index].flags |= flag_loads_for_exchange;
      else
        for (Instruction& half : halves->second->part) half.flags |= flag_loads_for_exchange;
    }
  }

  void add_sentinel() {
    Instruction end;
    end.handler = &refuse<FaultKind::bad_jump>;
    program_.instructions_.push_back(end);
    program_.addresses_.push_back(static_cast<uint32_t>(image_.size()));
    program_.texts_.push_back("(end of the code)");
    program_.mnemonic_of_.push_back(mnemonic_number("(end of the code)"));
    program_.is_matrix_.push_back(false);
    program_.work_.push_back(1);
    program_.implicit_.push_back(0);
    banks_before_.push_back(0);
    // From here on the vector of instructions does not grow, so pointers into it stay valid.
    for (const auto& [instruction, index] : targets_)
      program_.instructions_[instruction].target =
          index < 0 ? nullptr : &program_.instructions_[static_cast<std::size_t>(index)];
  }

  const Target& target_;
  const int wave_;
  bool two_float_modes_;
  uint8_t indexed_ = 0;  // IndexedOperand, of the instructions that follow
  uint8_t banks_ = 0;    // as Disassembler::vector_banks() says of the present instruction
  std::vector<uint8_t> banks_before_;
  std::span<const std::byte> image_;
  Disassembler& disassembler_;
  Program program_;
  std::vector<Branch> branches_;
  std::vector<std::pair<std::size_t, int32_t>> targets_;
  using HalvesAt = std::pair<uint32_t, Program::Dual*>;
  std::vector<HalvesAt> halves_;
  std::vector<bool> exchanges_ = {false};  // by function
  bool is_after_end_ = false;
  std::vector<std::pair<std::size_t, std::size_t>> dword_loads_;  // function, instruction
  std::vector<uint32_t> other_mode_;                              // instructions on f16 and f64
  std::map<std::string, uint32_t> numbers_;
};

std::expected<std::shared_ptr<const Program>, std::string> Program::decode(
    const Target& target, int wave, bool two_float_modes, std::span<const std::byte> image,
    std::span<const Range> ranges) {
  if (std::string problem = simd_problem(); !problem.empty())
    return std::unexpected(std::move(problem));
  auto disassembler = Disassembler::create(target, wave);
  if (!disassembler) return std::unexpected(disassembler.error());
  ProgramBuilder builder(target, wave, two_float_modes, image, *disassembler);
  for (const Range& range : ranges) builder.decode_range(range);
  return builder.finish();
}

std::string_view Program::obstacle(uint32_t index) const {
  const auto found =
      std::ranges::lower_bound(obstacles_, index, {}, &std::pair<uint32_t, std::string>::first);
  return found != obstacles_.end() && found->first == index ? std::string_view(found->second)
                                                            : std::string_view();
}

}  // namespace heddle::emulator
