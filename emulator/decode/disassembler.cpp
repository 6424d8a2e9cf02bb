#include "emulator/decode/disassembler.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <string_view>

// LLVM's entry points, declared here because the header that declares them would need all targets.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace heddle::emulator {
namespace {

void initialize_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
}

// The registers that an instruction uses without naming them (ImplicitRegister). They are
// recognised by LLVM's names of registers, since LLVM's numbers of registers are private.
uint8_t implicit_registers(const llvm::MCInstrDesc& description,
                           const llvm::MCRegisterInfo& registers) {
  uint8_t found = 0;
  const auto add = [&](llvm::ArrayRef<llvm::MCPhysReg> list, int scc, int vcc, int m0, int exec) {
    for (const llvm::MCPhysReg number : list) {
      const llvm::StringRef name = registers.getName(number);
      const int flag = name == "SCC"              ? scc
                       : name.starts_with("VCC")  ? vcc
                       : name == "M0"             ? m0
                       : name.starts_with("EXEC") ? exec
                                                  : 0;
      found |= static_cast<uint8_t>(flag);
    }
  };
  add(description.implicit_uses(), implicit_reads_scc, implicit_reads_vcc, implicit_reads_m0, 0);
  add(description.implicit_defs(), implicit_writes_scc, implicit_writes_vcc, 0,
      implicit_writes_exec);
  return found;
}

// --- what the hardware executes and LLVM refuses ------------------------------------------------

using Words = std::array<uint32_t, 5>;

// If the instruction uses DPP: the control word, which follows the word whose first source is the
// code for DPP. Null otherwise (RDNA3 ISA, "Microcode formats": VOP1, VOP2, VOPC, VOP3, VOP3P,
// DPP16).
uint32_t* dpp_word(Words& words) {
  constexpr uint32_t names_dpp16 = 250;
  if (words[0] >> 31 == 0) return (words[0] & 0x1ffu) == names_dpp16 ? &words[1] : nullptr;
  const bool vop3 = words[0] >> 26 == 0x35 || words[0] >> 24 == 0xcc;
  return vop3 && (words[1] & 0x1ffu) == names_dpp16 ? &words[2] : nullptr;
}

// The DPP control 0x142 was row_bcast15 before RDNA. RDNA's documents do not have it, but the
// hardware executes it like row_share:0: every lane reads the first lane of its row. Tests that
// were run on RDNA3 show this (tinygrad, test/amd/hw/test_dpp.py). So the control is replaced by
// row_share:0.
void replace_row_broadcast(Words& words) {
  constexpr uint32_t control = 0x1ffu << 8, row_broadcast = 0x142u << 8, row_share = 0x150u << 8;
  uint32_t* dpp = dpp_word(words);
  if (dpp && (*dpp & control) == row_broadcast) *dpp = (*dpp & ~control) | row_share;
}

// Corrects the lanes of quad_perm in the text, from the control word. LLVM 22 loses the highest bit
// of the control for v_fma_mix: it prints quad_perm:[1,3,0,2] as [1,3,0,0].
void rewrite_quad_permutation(Words& words, std::string& text) {
  constexpr std::string_view name = "quad_perm:[";
  const std::size_t at = text.find(name);
  const uint32_t* dpp = dpp_word(words);
  if (at == std::string::npos || !dpp || text.size() < at + name.size() + 8) return;
  for (std::size_t i = 0; i < 4; ++i)
    text[at + name.size() + 2 * i] = static_cast<char>('0' + (*dpp >> (8 + 2 * i) & 3u));
}

// Sets fields that the hardware ignores to 0, as LLVM requires: the destination of an LDS access
// that returns nothing, and the second source of a move in a dual-issue pair.
void clear_ignored_fields(Words& words) {
  if (words[0] >> 26 == 0x36) words[1] &= 0x00ffffffu;
  if (words[0] >> 26 != 0x32) return;
  constexpr uint32_t move = 8, second_source = 0xffu << 9;
  if ((words[0] >> 22 & 15u) == move) words[0] &= ~second_source;
  if ((words[0] >> 17 & 31u) == move) words[1] &= ~second_source;
}

// Sets fields of gfx1250's instructions that mean "none" to the values that LLVM 22 writes and
// requires. Earlier versions, such as that of Triton 3.6.0, write other values in two places: in
// the address of a tensor transfer (VIMAGE), and in the third source of the prefix that gives a
// product its scales (VOP3P, opcodes 53 and 58).
void complete_unused_fields(Words& words) {
  constexpr uint32_t null_address = 0x7cu << 24, first_vgpr = 0x100u << 18;
  if (words[0] >> 16 == 0xd071 && words[1] >> 24 == 0) words[1] |= null_address;
  const bool scales = words[0] >> 16 == 0xcc35 || words[0] >> 16 == 0xcc3a;
  if (scales && (words[1] >> 18 & 0x1ffu) == 0) words[1] |= first_vgpr;
}

// Replaces "v191 /*v447*/" by "v447". LLVM prints the number of the register that is in the
// encoding, and in a comment the number that results from it with s_set_vgpr_msb.
void name_whole_registers(std::string& text) {
  constexpr std::string_view before = " /*", after = "*/";
  for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos;) {
    const std::size_t end = text.find(after, at);
    const std::size_t name = text.rfind('v', at);
    if (end == std::string::npos || name == std::string::npos) return;
    const std::string whole = text.substr(at + before.size(), end - at - before.size());
    text.replace(name, end + after.size() - name, whole);
    at = name + whole.size();
  }
}

// --- bytes that crash LLVM 22 --------------------------------------------------------------------
//
// They reach an llvm_unreachable, which a release build does not check (llvm-project, issue 214910,
// is about the first one), so the fault cannot be caught. tests/emulator/disassembler_test.cpp
// looks for more.

// True for a barrier of gfx12 (SOP1, opcodes 78 to 82) whose number is a literal, which is not a
// valid instruction.
bool is_barrier_of_literal(const Words& words) {
  constexpr uint32_t literal = 255;
  const uint32_t opcode = words[0] >> 8 & 255u;
  return words[0] >> 23 == 0x17d && opcode >= 78 && opcode <= 82 && (words[0] & 255u) == literal;
}

// True for constants in places where CDNA does not allow them:
// - a literal in VOP3, in VOP3P or as the offset of a buffer access;
// - a constant as the scalar result of VOP3 (of comparisons, v_readfirstlane_b32 and
// v_readlane_b32).
bool is_constant_out_of_place(const Words& words) {
  constexpr uint32_t literal = 255, source = 511, first_constant = 128;
  const uint32_t encoding = words[0] >> 26;
  if (encoding == 0x38 || encoding == 0x3a) return words[1] >> 24 == literal;
  if (encoding != 0x34) return false;
  const uint32_t opcode = words[0] >> 16 & 0x3ffu;
  const bool is_scalar = opcode < 0x100 || opcode == 0x142 || opcode == 0x289;
  return (words[1] & source) == literal || (words[1] >> 9 & source) == literal ||
         (words[1] >> 18 & source) == literal || (is_scalar && (words[0] & 255u) >= first_constant);
}

// True for SDWA fields with undefined values. Defined are 0 to 6 for a byte, a half or all of a
// register, and 0 to 2 for what happens to the other bits. A comparison has a scalar register in
// place of the fields for the result (AMD Instinct MI300 ISA, "SDWA").
bool is_subword_of_no_name(const Words& words) {
  constexpr uint32_t sdwa = 249, no_bits = 7, no_rest = 3;
  if (words[0] >> 31 != 0 || (words[0] & 511u) != sdwa) return false;
  const bool compares = words[0] >> 25 == 0x3e;
  return (words[1] >> 16 & 7u) == no_bits || (words[1] >> 24 & 7u) == no_bits ||
         (!compares && ((words[1] >> 8 & 7u) == no_bits || (words[1] >> 11 & 3u) == no_rest));
}

// If the constant of v_fmamk_f16 or v_fmaak_f16 (VOP2, opcodes 55 and 56; CDNA's v_madmk_f16 and
// v_madak_f16, 36 and 37) is 0xff, LLVM takes it for the code that announces a literal. Such
// instructions are valid. So LLVM is given another constant, and the text that it prints is
// corrected.
constexpr uint32_t misread_constant = 0xff, constant_to_show = 0x1fff;
constexpr std::string_view misread_text = "0xff", text_to_show = "0x1fff";

bool has_misread_constant(const Words& words, bool is_gfx9) {
  const uint32_t opcode = words[0] >> 25, first = is_gfx9 ? 36 : 55;
  return (opcode == first || opcode == first + 1) && words[1] == misread_constant;
}

void rewrite_constants(std::string& text) {
  for (std::size_t at = 0; (at = text.find(text_to_show, at)) != std::string::npos;)
    text.replace(at, text_to_show.size(), misread_text);
}

}  // namespace

struct Disassembler::State {
  bool is_gfx9 = false, has_vector_banks = false;
  uint8_t vector_banks = 0, banks_before = 0;
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;  // gfx1250: remembers s_set_vgpr_msb

  // Keeps track of the value of s_set_vgpr_msb after the last decoded instruction. Like LLVM,
  // assumes 0 after the end of a basic block.
  void follow_banks(const llvm::MCInst& instruction, uint64_t address) {
    const llvm::MCInstrDesc& description = instructions->get(instruction.getOpcode());
    banks_before = vector_banks;
    if (instructions->getName(instruction.getOpcode()).starts_with("S_SET_VGPR_MSB"))
      vector_banks = static_cast<uint8_t>(instruction.getOperand(0).getImm());
    analysis->updateState(instruction, address);
    if (!description.isTerminator()) return;
    vector_banks = 0;
    analysis->resetState();
  }
};

Disassembler::Disassembler(std::unique_ptr<State> state) : state_(std::move(state)) {}
Disassembler::Disassembler(Disassembler&&) noexcept = default;
Disassembler::~Disassembler() = default;

std::expected<Disassembler, std::string> Disassembler::create(const Target& target, int wave) {
  initialize_once();
  auto s = std::make_unique<State>();
  s->is_gfx9 = target.has(Feature::gfx9_code);
  s->has_vector_banks = target.has(Feature::vgpr_banks);
  std::string message;
  const llvm::Target* backend = llvm::TargetRegistry::lookupTarget(s->triple, message);
  if (!backend) return std::unexpected("LLVM has no AMDGPU target: " + message);
  s->registers.reset(backend->createMCRegInfo(s->triple));
  s->assembly.reset(backend->createMCAsmInfo(*s->registers, s->triple, s->options));
  s->instructions.reset(backend->createMCInstrInfo());
  s->subtarget.reset(backend->createMCSubtargetInfo(
      s->triple, llvm::StringRef(target.name.data(), target.name.size()),
      wave == 64 ? "+wavefrontsize64" : "+wavefrontsize32"));
  s->context = std::make_unique<llvm::MCContext>(s->triple, s->assembly.get(), s->registers.get(),
                                                 s->subtarget.get());
  s->disassembler.reset(backend->createMCDisassembler(*s->subtarget, *s->context));
  s->printer.reset(
      backend->createMCInstPrinter(s->triple, 0, *s->assembly, *s->instructions, *s->registers));
  s->analysis.reset(backend->createMCInstrAnalysis(s->instructions.get()));
  if (s->has_vector_banks && s->printer && s->analysis)
    s->printer->setMCInstrAnalysis(s->analysis.get());
  if (!s->disassembler || !s->printer || !s->analysis)
    return std::unexpected("LLVM cannot disassemble " + std::string(target.name));
  return Disassembler(std::move(s));
}

uint8_t Disassembler::vector_banks() const { return state_->banks_before; }

uint32_t Disassembler::decode(std::span<const std::byte> bytes, uint64_t address, std::string& text,
                              uint8_t& implicit) {
  text.clear();
  implicit = 0;
  llvm::MCInst instruction;
  uint64_t size = 0;
  Words words{};
  const std::size_t length = std::min(bytes.size(), sizeof words);
  std::memcpy(words.data(), bytes.data(), length);
  const bool rdna = !state_->is_gfx9;
  if (rdna ? is_barrier_of_literal(words)
           : is_constant_out_of_place(words) || is_subword_of_no_name(words))
    return 0;
  const bool misread = has_misread_constant(words, state_->is_gfx9);
  if (misread) words[1] = constant_to_show;
  const auto taken = [&] {
    // LLVM gets all words, with zeros after the end of the bytes: it crashes if a literal is
    // missing (llvm-project, issue 214909).
    const llvm::ArrayRef<uint8_t> view(reinterpret_cast<const uint8_t*>(words.data()),
                                       sizeof words);
    const auto status =
        state_->disassembler->getInstruction(instruction, size, view, address, llvm::nulls());
    return status != llvm::MCDisassembler::Fail && size != 0 && size <= length;
  };
  if (rdna) replace_row_broadcast(words);
  if (!taken()) {
    if (!rdna) return 0;
    clear_ignored_fields(words);
    if (state_->has_vector_banks) complete_unused_fields(words);
    instruction.clear();
    if (!taken()) return 0;
  }
  implicit =
      implicit_registers(state_->instructions->get(instruction.getOpcode()), *state_->registers);
  llvm::raw_string_ostream stream(text);
  state_->printer->printInst(&instruction, address, "", *state_->subtarget, stream);
  if (state_->has_vector_banks) {
    state_->follow_banks(instruction, address);
    name_whole_registers(text);
  }
  rewrite_quad_permutation(words, text);
  if (misread) rewrite_constants(text);
  const std::size_t first = text.find_first_not_of(" \t");
  text.erase(0, first == std::string::npos ? text.size() : first);
  return static_cast<uint32_t>(size);
}

}  // namespace heddle::emulator
