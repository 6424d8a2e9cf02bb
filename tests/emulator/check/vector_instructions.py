"""The instructions of the vector ALU as LLVM's machine code before the pass that inserts s_nop, each
beside those that wait states may lie between. For record_wait_states.py.

The opcodes are tried one by one, as tests/emulator/opcode_space.cpp does it, and the disassembler says
which operands an instruction has. Of those with OPSEL (packed ones, dot products, most of VOP3 on 16
bits) it names fewer than llc wants, so llc refuses them and they are left out. Matrix instructions have
cases of their own. Conversions with scales are left out too, as llc 22 ends with an error at some of
them; hazards_test.cpp has theirs.
"""
import re
import subprocess

VGPR = 256  # as a source of nine bits
D, A, B, C, FREE = 20, 40, 50, 60, 200
LEFT_OUT = ("v_mfma", "v_smfmac", "v_cvt_scalef32")
# A constant of 32 bits that the assembler does not take back.
UNREADABLE = ("v_madmk_f16",)

MOVE = "$vgpr{} = V_MOV_B32_e32 $vgpr{}, implicit $exec"
MOVE_SCALAR = "$vgpr{} = V_MOV_B32_e32 $sgpr{}, implicit $exec"
READ_FIRST = "$sgpr{} = V_READFIRSTLANE_B32 $vgpr1, implicit $exec"
DOT = "$vgpr{} = V_DOT4_I32_I8 8, $vgpr1, 8, $vgpr2, 8, $vgpr3, 0, 0, 0, implicit $exec"
BEFORE_ALL = (
    "V_CMPX_EQ_U32_e32 $vgpr1, $vgpr2, implicit-def $exec, implicit-def $vcc, implicit $exec",
    "$vcc = V_CMP_EQ_U32_e64 $vgpr1, $vgpr2, implicit $exec",
    "$m0 = S_MOV_B32 0",
    "$vgpr90_vgpr91 = V_MFMA_F64_4X4X4F64_vgprcd_e64 $vgpr100_vgpr101, $vgpr102_vgpr103, "
    "$vgpr104_vgpr105, 0, 0, 0, implicit $mode, implicit $exec",
)


def encodings():
    """Words of all opcodes: AMD Instinct MI300 ISA, VOP1, VOP2, VOP3 and VOP3P."""
    a, b, c = VGPR + A, VGPR + B << 9, VGPR + C << 18
    yield from ([0x7e000000 | D << 17 | opcode << 9 | a] for opcode in range(256))
    yield from ([opcode << 25 | D << 17 | B << 9 | a] for opcode in range(62))
    for opcode in range(896):
        yield from ([0xd0000000 | opcode << 16 | D, sources] for sources in (a | b | c, a | b, a))
    for opcode in range(128):
        yield [0xd3804000 | opcode << 16 | D, a | b | c | 3 << 27]
        yield [0xd3800000 | opcode << 16 | D, a | b | c]


class Instruction:
    """Its name in assembly, LLVM's opcode of this processor, and the operands of that."""

    def __init__(self, mnemonic, opcode, operands):
        self.mnemonic, self.operands = mnemonic, operands
        general = re.sub(r"(_gfx\w+|_vi)$", "", opcode)
        # The pass knows some by their names for all processors.
        self.opcodes = list(dict.fromkeys([general, general + "_e64", opcode]))

    def results(self):
        if "swap" in self.mnemonic:
            return 2
        if not self.operands or not self.operands[0].startswith("$") or \
                re.match(r"v_cmpx.*_e32", self.mnemonic):
            return 0
        carries = re.match(r"v_(\w+_co_|div_scale|mad_[ui]64)", self.mnemonic)
        return 2 if carries and re.match(r"\$(sgpr|vcc)", self.operands[1]) else 1

    def code(self):
        count = self.results()
        uses = self.operands[count:] + ["implicit $mode", "implicit $exec"]
        if re.match(r"v_div_fmas|v_(addc|subb|subbrev|cndmask).*_e32", self.mnemonic):
            uses.append("implicit $vcc")
        if re.match(r"v_(cmpx?_|add_co|sub_co|subrev_co|addc|subb|subbrev).*_e32", self.mnemonic):
            uses.append("implicit-def $vcc")
        if self.mnemonic.startswith("v_cmpx"):
            uses.append("implicit-def $exec")
        results = ", ".join(self.operands[:count])
        return (results + " = " if results else "") + self.opcodes[0] + " " + ", ".join(uses)

    def cases(self):
        """Pairs of instructions, of which one is this."""
        code, count = self.code(), self.results()
        for register in self.operands[:min(count, 1)]:
            if vector := re.match(r"\$vgpr(\d+)", register):
                yield code, MOVE.format(FREE, vector[1])
                yield code, MOVE.format(vector[1], FREE)
            if scalar := re.match(r"\$sgpr(\d+)", register):
                yield code, MOVE_SCALAR.format(FREE, scalar[1])
        for register in dict.fromkeys(self.operands[count:]):
            if vector := re.match(r"\$vgpr(\d+)", register):
                yield MOVE.format(vector[1], FREE), code
                yield DOT.format(vector[1]), code
            if scalar := re.match(r"\$sgpr(\d+)", register):
                yield READ_FIRST.format(scalar[1]), code
        yield from ((first, code) for first in BEFORE_ALL)


def decoded(assembler, target):
    text = "\n".join(" ".join(f"{word >> 8 * i & 255:#04x}" for word in words for i in range(4))
                     for words in encodings())
    shown = subprocess.run([assembler, "-triple=amdgcn-amd-amdhsa", f"-mcpu={target}",
                            "--disassemble", "-show-inst"],
                           input=text, capture_output=True, text=True, check=False).stdout
    found = {}
    pattern = r"^\t(v_\S+)[^;]*;\s*<MCInst #\d+ (\w+)>?\n((?:\s*;\s*<MCOperand.*\n)*)"
    for mnemonic, opcode, operands in re.findall(pattern, shown, re.M):
        names = ["$" + value.lower() if kind == "Reg" else value
                 for kind, value in re.findall(r"<MCOperand (Reg|Imm):([^>]*)>", operands)]
        if not mnemonic.startswith(LEFT_OUT + UNREADABLE):
            found.setdefault(opcode, Instruction(mnemonic, opcode, names))
    return list(found.values())


def vector_cases(assembler, compiled, target):
    """Pairs for each instruction that llc takes. `compiled`: see record_wait_states.py."""
    instructions = decoded(assembler, target)
    while True:
        _, errors = compiled(target, [[each.code()] for each in instructions])
        if not errors:
            break
        # An opcode by another name, or one of which llc wants other operands.
        unknown = re.search(r"unknown machine instruction name '(\w+)'", errors)
        refused = {int(number) for number in re.findall(r"- function:\s+f(\d+)", errors)}
        if not unknown and not refused:
            raise RuntimeError(errors[:2000])
        for each in instructions:
            if unknown and each.opcodes[0] == unknown[1]:
                each.opcodes.pop(0)
        instructions = [each for number, each in enumerate(instructions)
                        if each.opcodes and (unknown or number not in refused)]
    for each in instructions:
        yield from each.cases()
