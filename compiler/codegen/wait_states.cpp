#include "compiler/codegen/wait_states.h"

#include <algorithm>
#include <map>
#include <vector>

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSchedule.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace heddle::compiler {
namespace {

constexpr unsigned slow_passes = 16;
constexpr int seen_states = 19;  // by LLVM; one more is needed

class MissedWaitStates : public llvm::MachineFunctionPass {
 public:
  static char identity;
  MissedWaitStates() : MachineFunctionPass(identity) {}

  llvm::StringRef getPassName() const override { return "Wait states that LLVM 22 misses"; }

  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    const llvm::TargetSubtargetInfo& subtarget = function.getSubtarget();
    if (subtarget.getCPU() != "gfx950") return false;
    instructions_ = subtarget.getInstrInfo();
    registers_ = subtarget.getRegisterInfo();
    model_.init(&subtarget);
    find_opcodes(function);
    if (slow_.empty()) return false;
    nop_ = 0;
    while (instructions_->getName(nop_) != "S_NOP") ++nop_;
    bool changed = false;
    for (llvm::MachineBasicBlock& block : function)
      for (llvm::MachineInstr& instruction : block.instrs()) changed |= add_before(instruction);
    return changed;
  }

 private:
  bool is_product(const llvm::MachineInstr& instruction) const {
    const llvm::StringRef name = instructions_->getName(instruction.getOpcode());
    return name.starts_with("V_MFMA_") || name.starts_with("V_SMFMAC_");
  }

  void find_opcodes(const llvm::MachineFunction& function) {
    slow_.clear();
    for (const llvm::MachineBasicBlock& block : function)
      for (const llvm::MachineInstr& instruction : block.instrs()) {
        if (!is_product(instruction)) continue;
        const llvm::MCSchedClassDesc* const schedule = model_.resolveSchedClass(&instruction);
        const auto* const unit = model_.getWriteProcResBegin(schedule);
        if (unit != model_.getWriteProcResEnd(schedule) && unit->ReleaseAtCycle == slow_passes &&
            !is_slow(instruction.getOpcode()))
          slow_.push_back(instruction.getOpcode());
      }
  }

  bool is_slow(unsigned opcode) const { return std::ranges::find(slow_, opcode) != slow_.end(); }

  int states(const llvm::MachineInstr& instruction) const {
    if (instruction.getOpcode() == nop_)
      return static_cast<int>(instruction.getOperand(0).getImm()) + 1;
    return instruction.isMetaInstruction() || instruction.isInlineAsm() || instruction.isBundle()
               ? 0
               : 1;
  }

  // True if `instruction` must wait for the result of `product`: if it uses the result's registers.
  // A product that only adds to this result need not wait, because the hardware forwards addends.
  bool depends(const llvm::MachineInstr& instruction, const llvm::MachineInstr& product) const {
    const llvm::Register result = product.getOperand(0).getReg();
    const bool multiplies = is_product(instruction);
    for (const llvm::MachineOperand& operand : instruction.operands())
      if (operand.isReg() && operand.getReg().isPhysical() && !(multiplies && operand.isTied()) &&
          registers_->regsOverlap(operand.getReg(), result))
        return true;
    return false;
  }

  // Goes backwards from `instruction` over all paths through `block` (from `at` on) and its
  // predecessors. True if a path has a product for which `instruction` must wait, exactly as many
  // wait states before it as LLVM looks back over (seen_states). `between` is the number of wait
  // states between `at` and `instruction`.
  bool is_missed(const llvm::MachineInstr& instruction, const llvm::MachineBasicBlock& block,
                 llvm::MachineBasicBlock::const_reverse_instr_iterator at, int between,
                 std::map<const llvm::MachineBasicBlock*, int>& visited) const {
    for (; at != block.instr_rend() && between <= seen_states; ++at) {
      if (is_slow(at->getOpcode()) && depends(instruction, *at)) return between == seen_states;
      between += states(*at);
    }
    if (at != block.instr_rend()) return false;
    for (const llvm::MachineBasicBlock* before : block.predecessors()) {
      const auto [known, is_new] = visited.emplace(before, between);
      if (!is_new && known->second == between) continue;
      known->second = between;
      if (is_missed(instruction, *before, before->instr_rbegin(), between, visited)) return true;
    }
    return false;
  }

  bool add_before(llvm::MachineInstr& instruction) const {
    if (instruction.isMetaInstruction()) return false;
    std::map<const llvm::MachineBasicBlock*, int> visited;
    llvm::MachineBasicBlock& block = *instruction.getParent();
    const llvm::MachineInstr& self = instruction;
    if (!is_missed(instruction, block, std::next(self.getReverseIterator()), 0, visited))
      return false;
    llvm::BuildMI(block, instruction.getIterator(), instruction.getDebugLoc(),
                  instructions_->get(nop_))
        .addImm(0);
    return true;
  }

  const llvm::TargetInstrInfo* instructions_ = nullptr;
  const llvm::TargetRegisterInfo* registers_ = nullptr;
  llvm::TargetSchedModel model_;
  std::vector<unsigned> slow_;  // opcodes of products of 16 passes that the function has
  unsigned nop_ = 0;            // the opcode of s_nop
};

char MissedWaitStates::identity = 0;

}  // namespace

llvm::FunctionPass* missed_wait_states() { return new MissedWaitStates; }

}  // namespace heddle::compiler
