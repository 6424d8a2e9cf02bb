#!/usr/bin/env python3
"""Which instructions LLVM's code generator emits for AMD's processors, by hand: one function for each of its
intrinsics and a few of their types, for operations of LLVM IR on each type, and for accesses of each address space
are compiled, each by itself, and the mnemonics of those that compile are printed.

    tests/emulator/emitted_instructions.py /usr/lib/llvm-22/bin gfx90a gfx942 gfx950 gfx1100 gfx1151 gfx1201 gfx1250

tests/emulator/coverage_test.cpp asks that the emulator has what is in tests/data/llvm_emitted.txt, which holds this
and more (tests/data/README.md). Images are left out."""
import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys

TYPES = {"i1": "i1", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "f16": "half", "bf16": "bfloat",
         "f32": "float", "f64": "double"}
FLOATS = ["half", "bfloat", "float", "double", "<2 x half>", "<2 x bfloat>", "<2 x float>"]
INTEGERS = ["i1", "i8", "i16", "i32", "i64", "<2 x i16>", "<2 x i32>"]
OVERLOADS = {
    "llvm_any_ty": ["i32", "i64", "<2 x i32>", "<4 x i32>", "float", "half", "i16", "<2 x half>", "double"],
    "llvm_anyint_ty": ["i32", "i64", "i16", "<2 x i32>", "<4 x i32>", "<8 x i32>", "<16 x i32>"],
    "llvm_anyfloat_ty": ["float", "half", "double", "<2 x half>", "bfloat", "<8 x float>", "<8 x half>"],
    "llvm_anyvector_ty": ["<2 x i32>", "<4 x i32>", "<8 x i32>", "<16 x i32>", "<8 x half>", "<8 x float>",
                          "<8 x bfloat>", "<16 x half>", "<4 x half>"],
    "llvm_anyptr_ty": ["ptr addrspace(1)", "ptr addrspace(3)", "ptr", "ptr addrspace(8)"],
}
MOST_OVERLOADS = 5  # of an intrinsic
WITHOUT_SYMBOLS = os.environ | {"LLVM_DISABLE_SYMBOLIZATION": "1"}  # of refusals, which take long


def mangled(text):
    vector = re.fullmatch(r"<(\d+) x (.*)>", text)
    if vector:
        return f"v{vector[1]}{mangled(vector[2])}"
    pointer = re.fullmatch(r"ptr(?: addrspace\((\d+)\))?", text)
    if pointer:
        return f"p{pointer[1] or 0}"
    return {"half": "f16", "float": "f32", "double": "f64", "bfloat": "bf16"}.get(text, text)


def function(result, parameters, lines):
    names = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(parameters))
    body = "".join(f"  {line}\n" for line in lines)
    return f"define {result} @f({names}) {{\n{body}  ret {result} %r\n}}\n"


class Intrinsics:
    def __init__(self, folder):
        include = folder + "/../include"
        self.records = json.loads(subprocess.run(
            [folder + "/llvm-tblgen", "-I", include, "--dump-json", include + "/llvm/IR/Intrinsics.td"],
            check=True, capture_output=True).stdout)

    def type_of(self, reference):
        name = reference["def"]
        record = self.records[name]
        if name in OVERLOADS:
            return ("any", OVERLOADS[name])
        if "LLVMMatchType" in record["!superclasses"]:
            return ("match", record["Number"])
        plain = re.fullmatch(r"llvm_(v\d+)?(i\d+|half|bfloat|float|double|bf16|f16|f32|f64)_ty", name)
        if plain:
            element = TYPES.get(plain[2], plain[2])
            return ("fixed", f"<{plain[1][1:]} x {element}>" if plain[1] else element)
        if "LLVMQualPointerType" in record["!superclasses"]:
            space = next((v for v in record.get("Sig", [])[1:] if isinstance(v, int)), 1)
            return ("fixed", f"ptr addrspace({space})")
        return None

    def functions(self):
        for name in self.records["!instanceof"]["Intrinsic"]:
            record = self.records[name]
            if not name.startswith("int_amdgcn") or "image" in name:
                continue
            results = [self.type_of(kind) for kind in record["RetTypes"]]
            parameters = [self.type_of(kind) for kind in record["ParamTypes"]]
            if None in results + parameters or len(results) > 1:
                continue
            choices = [kind[1] for kind in results + parameters if kind[0] == "any"]
            overloads = list(itertools.product(*choices))
            step = max(1, len(overloads) // MOST_OVERLOADS)
            immediate = {self.records[p["def"]]["ArgNo"] - 1 for p in record["IntrProperties"]
                         if "ImmArg" in self.records[p["def"]]["!superclasses"]}
            for overload in overloads[::step][:MOST_OVERLOADS]:
                chosen = iter(overload)
                kinds = [next(chosen) if kind[0] == "any" else
                         kind[1] if kind[0] == "fixed" else overload[kind[1]] if kind[1] < len(overload) else None
                         for kind in results + parameters]
                if None not in kinds:
                    yield self.call(record, overload, kinds[:len(results)], kinds[len(results):], immediate)

    @staticmethod
    def call(record, overload, results, parameters, immediate):
        name = "llvm." + (record["LLVMName"] or record["!name"][4:].replace("_", "."))
        name += "".join("." + mangled(kind) for kind in overload)
        result = results[0] if results else "void"
        arguments = [f"{kind} " + (("0.0" if kind in FLOATS else "false" if kind == "i1" else "0")
                                   if i in immediate else f"%a{i}") for i, kind in enumerate(parameters)]
        named = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(parameters) if i not in immediate)
        value, end = ("", "ret void") if result == "void" else ("%r = ", f"ret {result} %r")
        return (f"declare {result} @{name}({', '.join(parameters)})\ndefine {result} @f({named}) {{\n"
                f"  {value}call {result} @{name}({', '.join(arguments)})\n  {end}\n}}\n")


def arithmetic():
    for kind in INTEGERS:
        for operation in ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"):
            yield function(kind, [kind] * 2, [f"%r = {operation} {kind} %a0, %a1"])
        for first, second in itertools.product(("mul", "add", "shl", "xor", "and", "or"), repeat=2):
            yield function(kind, [kind] * 3, [f"%x = {first} {kind} %a0, %a1", f"%r = {second} {kind} %x, %a2"])
        for name in ("smin", "smax", "umin", "umax", "sadd.sat", "ssub.sat", "uadd.sat", "usub.sat"):
            yield function(kind, [kind] * 2, [f"%r = call {kind} @llvm.{name}.{mangled(kind)}({kind} %a0, {kind} %a1)"])
        for name in ("bitreverse", "ctpop"):
            yield function(kind, [kind], [f"%r = call {kind} @llvm.{name}.{mangled(kind)}({kind} %a0)"])
        for name in ("ctlz", "cttz", "abs"):
            yield function(kind, [kind], [f"%r = call {kind} @llvm.{name}.{mangled(kind)}({kind} %a0, i1 false)"])
        yield function(kind, [kind] * 3,
                       [f"%r = call {kind} @llvm.fshr.{mangled(kind)}({kind} %a0, {kind} %a1, {kind} %a2)"])
    for kind in FLOATS:
        for operation in ("fadd", "fsub", "fmul", "fdiv"):
            for flags in ("", "fast "):
                yield function(kind, [kind] * 2, [f"%r = {operation} {flags}{kind} %a0, %a1"])
        for name in ("fabs", "sqrt", "floor", "ceil", "trunc", "rint", "exp", "exp2", "log", "log2", "sin", "cos",
                     "canonicalize"):
            for flags in ("", "fast "):
                yield function(kind, [kind], [f"%r = call {flags}{kind} @llvm.{name}.{mangled(kind)}({kind} %a0)"])
        for name in ("minnum", "maxnum", "minimum", "maximum", "copysign"):
            yield function(kind, [kind] * 2, [f"%r = call {kind} @llvm.{name}.{mangled(kind)}({kind} %a0, {kind} %a1)"])
        for name in ("fma", "fmuladd"):
            text = function(kind, [kind] * 3, [
                f"%r = call {kind} @llvm.{name}.{mangled(kind)}({kind} %a0, {kind} %a1, {kind} %a2)"])
            yield text
            yield text.replace(") {", ') "denormal-fp-math"="preserve-sign,preserve-sign" {', 1)
        for integer in ("i8", "i16", "i32", "i64"):
            if kind[0] != "<":
                yield function(kind, [integer], [f"%r = sitofp {integer} %a0 to {kind}"])
                yield function(kind, [integer], [f"%r = uitofp {integer} %a0 to {kind}"])
                yield function(integer, [kind], [f"%r = fptosi {kind} %a0 to {integer}"])
                yield function(integer, [kind], [f"%r = fptoui {kind} %a0 to {integer}"])


def memory():
    for space in (0, 1, 3, 4, 5, 7):
        pointer = f"ptr addrspace({space})"
        for kind in ("i8", "i16", "i32", "i64", "<3 x i32>", "<4 x i32>", "half", "<2 x half>", "<8 x i32>"):
            for alignment in (1, 4, 16):
                yield function(kind, [pointer], [f"%r = load {kind}, {pointer} %a0, align {alignment}"])
                yield (f"define void @f({pointer} %p, {kind} %v) {{\n  store {kind} %v, {pointer} %p, align {alignment}"
                       "\n  ret void\n}\n")
        if space in (4, 5):
            continue
        for operation in ("add", "sub", "and", "or", "xor", "xchg", "max", "min", "umax", "umin", "uinc_wrap",
                          "udec_wrap", "usub_cond", "usub_sat", "fadd", "fmin", "fmax"):
            for kind in ("float", "double", "<2 x half>", "<2 x bfloat>") if operation[0] == "f" else ("i32", "i64"):
                ordered = 'syncscope("agent") monotonic, !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0'
                update = f"atomicrmw {operation} {pointer} %a0, {kind} %a1 {ordered}"
                yield function(kind, [pointer, kind], [f"%r = {update}"]) + "!0 = !{}\n"
                yield (f"define void @f({pointer} %a0, {kind} %a1) {{\n  %r = {update}\n  ret void\n}}\n!0 = !{{}}\n")
        for kind in ("i32", "i64"):
            yield function(kind, [pointer, kind, kind], [
                f"%x = cmpxchg {pointer} %a0, {kind} %a1, {kind} %a2 syncscope(\"agent\") acq_rel monotonic",
                f"%r = extractvalue {{{kind}, i1}} %x, 0"])
            yield function(kind, [pointer], [f'%r = load atomic {kind}, {pointer} %a0 syncscope("agent") acquire, align 8'])


def assembly(folder, target, text):
    try:
        run = subprocess.run([folder + "/llc", "-mtriple=amdgcn-amd-amdhsa", "-mcpu=" + target, "-o", "-"],
                             input=text, text=True, capture_output=True, timeout=60, env=WITHOUT_SYMBOLS)
    except subprocess.TimeoutExpired:
        return ""
    return run.stdout if run.returncode == 0 else ""


def mnemonics(assembly):
    """Of each mnemonic a line that has it."""
    found = {}
    for line in assembly.splitlines():
        code = line.split(";")[0]
        for part in code.split("::"):
            name = re.match(r"\s+([a-z][a-z0-9_]*)(\s|$)", part)
            if name and line[0] in "\t ":
                found[re.sub(r"(_e32|_e64|_dpp|_sdwa|_e64_dpp)$", "", name[1])] = code.strip()
    return found


def assembled(folder, target, found):
    """Without the mnemonics that this processor does not have: LLVM 22 writes gfx950's v_cvt_scalef32_* for others."""
    run = subprocess.run([folder + "/llvm-mc", "-triple=amdgcn-amd-amdhsa", "-mcpu=" + target, "-o", "/dev/null"],
                         input="\n".join(found.values()), text=True, capture_output=True)
    refused = {int(number) - 1 for number in re.findall(r"^<stdin>:(\d+):\d+: error", run.stderr, re.M)}
    return [name for i, name in enumerate(found) if i not in refused]


def main():
    folder, targets = sys.argv[1], sys.argv[2:]
    texts = [*Intrinsics(folder).functions(), *arithmetic(), *memory()]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for target in targets:
            found = {}
            for text in pool.map(lambda text: assembly(folder, target, text), texts):
                found |= mnemonics(text)
            print(target, *sorted(assembled(folder, target, found)), flush=True)


if __name__ == "__main__":
    main()
