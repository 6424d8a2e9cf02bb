#!/usr/bin/env python3
"""Compiles LLVM's public tests of tcgen05 to PTX and launches each of their functions: a table of what runs.

    ./dev bench llvm FOLDER [--only TEXT …] [--show] [--record]

FOLDER is llvm/test/CodeGen/NVPTX of LLVM's sources. llc makes PTX as the first RUN line of a test says. The tests have
functions alone, so each gets a kernel around it, which allocates tensor memory, fills the operands with ones, gives
legal descriptors and waits for a tcgen05.commit. A product of ones is known without computing it: with k products in
a row of A, each tcgen05.mma adds k to every element of D, or to D divided by a power of two (scale-input-d).
Every launch is checked (docs/checker.md). An instruction that is refused is taken out, and the rest runs.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "bench/records/llvm_tests.md"
sys.path.insert(0, str(ROOT / "build/python"))

# k of a dense A, a word of ones of A and B, and the codes of their type and of D's in the instruction descriptor.
KINDS = {
    "f16": (16, 0x3C003C00, 0, 1), "tf32": (8, 0x3F800000, 2, 1), "f8f6f4": (32, 0x38383838, 0, 1),
    "i8": (32, 0x01010101, 1, 2), "mxf8f6f4": (32, 0x38383838, 0, None), "mxf4": (64, 0x22222222, 1, None),
    "mxf4nvf4": (64, 0x22222222, 1, None),
}
D, A, INDEX, SCALE_A, SCALE_B, COLUMNS = 0, 256, 384, 416, 448, 512
N = 64


class Function:
    def __init__(self, name, head, body, roles):
        self.name, self.head, self.body, self.roles = name, head, body, roles
        self.parameters = re.findall(r"\.param ((?:\.align \d+ )?\.b\d+) (\w+)(\[\d+\])?", head)
        self.forms = re.findall(r"^\s*(tcgen05\.\S+) ?(.*?);", body, re.M)
        self.blocks = 2 if "cta_group::2" in body else 1

    def is_of(self, *words):
        return any(form.startswith(f"tcgen05.{word}") for form, _ in self.forms for word in words)


def functions(llc, test):
    """The version and target of the PTX, and its functions, with the names of their arguments in the test."""
    text = test.read_text()
    run = re.search(r"^; RUN: llc .*", text, re.M)
    if not run or "define" not in text:
        return None
    words = re.findall(r"-(?:march|mtriple|mcpu|mattr)=\S+", run[0])
    done = subprocess.run([llc, *words, "-o", "-", str(test)], text=True, capture_output=True)
    if done.returncode != 0:
        return None
    roles = {name: re.findall(r"%(\w+)", arguments)
             for name, arguments in re.findall(r"^define void @(\w+)\((.*)\)", text, re.M)}
    header = re.search(r"\.version.*?\.address_size \d+", done.stdout, re.S)[0]
    found = [Function(name, head, body, roles.get(name, [])) for name, head, body in re.findall(
        r"^\.visible \.func (\w+)\((.*?)\)[^{]*\{\n(.*?)^\}", done.stdout, re.M | re.S)]
    return header, found


def descriptor(function):
    """The instruction descriptor of its products: of m128, or m256 of a pair, and n64."""
    form = next(form for form, _ in function.forms if ".mma" in form)
    _, _, element, result = KINDS[re.search(r"kind::(\w+)", form)[1]]
    word = (N >> 3) << 17 | (function.blocks * 128 >> 4) << 24 | element << 7 | element << 10 | (".sp" in form) << 2
    return word | (1 << 23 if result is None else result << 4)  # scales are e8m0


def argument(role, function):
    """The register or number that a parameter of the function gets."""
    tmem = {"dtmem": D, "atensor": A, "spmetadata": INDEX, "spmeta": INDEX, "scale_a": SCALE_A, "scale_b": SCALE_B,
            "addr": A, "taddr": D, "tmem_addr": D}
    if role == "addr" and function.is_of("alloc"):
        return "%place" if "shared" in function.name else "%generic_place"
    if role == "bar_addr":
        return "%bar" if "shared" in function.name else "%generic_bar"
    if role in tmem:
        return f"{tmem[role]}"
    numbers = {"idesc": descriptor(function) if function.is_of("mma") else 0, "enable_inp_d": 1,
               "ncols": COLUMNS, "cta_mask": (1 << function.blocks) - 1, "zero_col_mask": 0}
    if role in numbers:
        return f"{numbers[role]}"
    return {"ashared": "%a", "b": "%b", "sdesc": "%a"}.get(role, "0")


def call(function):
    """A call of the function in braces."""
    lines, names = [], []
    for number, (kind, _, array) in enumerate(function.parameters):
        role = function.roles[number] if number < len(function.roles) else ""
        value = argument(role, function)
        lines.append(f".param {kind} p{number}{array};")
        names.append(f"p{number}")
        if array:
            for at in range(0, int(array[1:-1]), 4):
                lines.append(f"st.param.b32 [p{number}+{at}], {value};")
        else:
            lines.append(f"st.param{re.search(r'[.]b[0-9]+', kind)[0]} [p{number}], {value};")
    lines.append(f"call.uni {function.name}, ({', '.join(names)});" if names else f"call.uni {function.name};")
    return "{\n" + "\n".join(lines) + "\n}\n"


def store_columns(first, count, value):
    words = ", ".join([value] * 32)
    return "".join(f"tcgen05.st.sync.aligned.32x32b.x32.b32 [%lanes+{at}], {{{words}}};\n"
                   for at in range(first, first + count, 32))


def kernel(function, ones):
    """The text of a kernel that calls the function, and stores D of each block to `out`."""
    group = function.blocks
    by_warp = function.is_of("ld", "st.", "alloc", "dealloc", "relinquish", "fence", "wait")
    own_alloc, own_free = function.is_of("alloc"), function.is_of("dealloc")
    meet = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" if group == 2 else "bar.sync 0;\n"
    allocate = (call(function) if own_alloc else
                f"tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [place], {COLUMNS};\n")
    free = call(function) if own_free else f"tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 0, {COLUMNS};\n"
    commits = function.is_of("commit")
    commit = ("" if commits else "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster."
              "multicast::cluster.b64 [bar], 3;\n" if group == 2 else
              "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n")
    middle = "" if own_alloc or own_free else call(function)
    of_warp = f"@!%first_warp bra past;\n{middle}past:\n" if by_warp else ""
    # Of a pair one thread works, in the first block; where a commit is of one block, each has its own.
    leads = "@!%leads" if group == 2 and (not commits or "_mc_" in function.name) else "@!%thread"
    of_thread = f"{leads} bra waits;\n{'' if by_warp else middle}{commit}waits:\n"
    fill = "".join(store_columns(*each) for each in (
        (D, 256, "%zero"), (A, 128, "%ones"), (INDEX, 32, "%index"), (SCALE_A, 96, "%scale")))
    loads = "".join(
        f"tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%value}}, [%lanes+{column}];\ntcgen05.wait::ld.sync.aligned;\n"
        f"st.global.b32 [%to+{4 * column}], %value;\n" for column in range(N))
    return f""".shared .align 1024 .b8 operands[32768];
.shared .align 8 .b64 bar;
.shared .align 4 .b32 place;
.visible .entry launch(.param .u64 out)
.reqntid 128
{{
.reg .b32 %i, %w, %lanes, %at, %zero, %ones, %index, %scale, %value, %rank;
.reg .b64 %a, %b, %bar, %generic_bar, %place, %generic_place, %to, %d;
.reg .pred %first_warp, %thread, %leads, %more, %done;
mov.u32 %i, %tid.x; shr.u32 %w, %i, 5; mov.u32 %rank, %cluster_ctarank;
setp.eq.u32 %first_warp, %w, 0; setp.eq.u32 %thread, %i, 0; setp.eq.and.u32 %leads, %rank, 0, %thread;
mov.u32 %zero, 0; mov.u32 %ones, {ones}; mov.u32 %index, 0x44444444; mov.u32 %scale, 0x7f7f7f7f;
mov.u32 %at, operands; cvt.u64.u32 %a, %at; shr.u64 %a, %a, 4;
or.b64 %a, %a, {1 << 46 | (256 >> 4) << 32 | (128 >> 4) << 16}; add.u64 %b, %a, {16384 >> 4};
mov.u64 %bar, bar; cvta.shared.u64 %generic_bar, %bar;
mov.u64 %place, place; cvta.shared.u64 %generic_place, %place;
mad.lo.u32 %at, %i, 4, %at; mov.u32 %value, %i;
fill: st.shared.b32 [%at], %ones; add.u32 %at, %at, 512; add.u32 %value, %value, 128;
setp.lt.u32 %more, %value, 8192;
@%more bra fill;
@%thread mbarrier.init.shared.b64 [bar], 1;
fence.mbarrier_init.release.cluster;
fence.proxy.async;
@!%first_warp bra allocated;
{allocate}allocated:
{meet}shl.b32 %lanes, %w, 21;
{fill}tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync;
{meet}tcgen05.fence::after_thread_sync;
{of_warp}tcgen05.wait::st.sync.aligned;
tcgen05.wait::ld.sync.aligned;
{of_thread}
wait: mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;
@!%done bra wait;
tcgen05.fence::after_thread_sync;
{meet}ld.param.u64 %to, [out]; mad.lo.u32 %value, %rank, 128, %i; mul.wide.u32 %d, %value, {4 * N}; add.u64 %to, %to, %d;
{loads}tcgen05.fence::before_thread_sync;
{meet}@!%first_warp bra freed;
{free}freed:
ret;
}}
"""


def expected(function):
    """What each element of D is behind the function, from its text alone; None where it has no product."""
    value, known = 0.0, False
    for form, operands in function.forms:
        if not form.startswith("tcgen05.mma"):
            continue
        known = True
        k = KINDS[re.search(r"kind::(\w+)", form)[1]][0]
        scale = re.search(r", (\d+)$", operands)
        value = value / 2 ** int(scale[1]) + k if scale else value + k
    return value if known else None


class Outcome:
    def __init__(self):
        self.forms, self.ran, self.refused, self.findings, self.wrong = 0, 0, [], [], []


def launch(header, function, show):
    import heddle
    import numpy
    outcome = Outcome()
    outcome.forms = len(function.forms)
    kind = next((re.search(r"kind::(\w+)", form)[1] for form, _ in function.forms if "kind" in form), "f16")
    target = re.search(r"\.target (\w+)", header)[1]
    while function.forms:
        text = f"{header}\n.visible .func {function.name}({function.head})\n{{\n{function.body}}}\n" + kernel(
            function, KINDS[kind][1])
        if show:
            print(text)
        out = numpy.zeros(function.blocks * 128 * N, numpy.int32 if kind == "i8" else numpy.float32)
        try:
            run = heddle.Device(target, check=True, threads=1).load(text)["launch"](
                function.blocks, 128, out, cluster=function.blocks)
            problem = "" if run.finished else run.findings[-1]
        except heddle.Error as reason:
            run, problem = None, str(reason)
        if not problem:
            break
        said = re.search(r"(?:^|:)(\d+):\d+: (.*)", str(problem))
        line = int(said[1]) if said else 0
        lines = text.splitlines()
        place = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        if not place.startswith("tcgen05.") or place not in [each.strip() for each in function.body.splitlines()]:
            outcome.findings.append(f"the launch: {problem}")
            return outcome
        outcome.refused.append((place.split()[0], said[2]))
        body = function.body.splitlines()
        body.remove(next(each for each in body if each.strip() == place))
        function = Function(function.name, function.head, "\n".join(body) + "\n", function.roles)
    outcome.ran = len(function.forms)
    if not function.forms:
        return outcome
    outcome.findings += [str(finding) for finding in run.findings]
    wanted = expected(function)
    if wanted is not None and not (out == wanted).all():
        outcome.wrong.append(f"D is {sorted(set(out.tolist()))[:4]} and not {wanted}")
    return outcome


def family(form):
    return re.sub(r"\.(collector::[ab]\d?::\w+|cta_group::\d)", "", form)


def reason_of(message):
    message = re.sub(r"^(not-executed|\S+-\S+): |; Write what the message names.*", "", message)
    return re.sub(r"^unsupported instruction form: ", "", message).replace("|", "\\|")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=[], help="functions whose name contains one of these")
    parser.add_argument("--show", action="store_true", help="the text of each launch")
    parser.add_argument("--llc", default="/usr/lib/llvm-22/bin/llc")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    options = parser.parse_args()
    rows, refused, troubles = [], collections.Counter(), []
    for test in sorted(options.folder.glob("tcgen05-*.ll")):
        made = functions(options.llc, test)
        if made is None:
            continue
        total = Outcome()
        count = 0
        for function in made[1]:
            if options.only and not any(word in function.name for word in options.only):
                continue
            count += 1
            one = launch(made[0], function, options.show)
            total.forms += one.forms
            total.ran += one.ran
            refused.update((family(form), reason_of(message)) for form, message in one.refused)
            total.refused += one.refused
            total.wrong += one.wrong
            total.findings += one.findings
            troubles += [f"{function.name}: {text}" for text in one.wrong + one.findings]
        if count:
            rows.append((test.name, count, total.forms, total.ran, len(total.refused), len(total.wrong),
                         len(total.findings)))
    lines = ["| test | functions | instructions | run | refused | functions wrong | findings |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    lines.append("| all | " + " | ".join(str(sum(row[i] for row in rows)) for i in range(1, 7)) + " |")
    if refused:
        lines += ["", "| refused | times | why |", "| --- | --- | --- |"]
        lines += [f"| `{form}` | {times} | {why} |" for (form, why), times in sorted(refused.items())]
    print("\n".join(lines))
    print("\n".join(troubles), file=sys.stderr)
    if options.record:
        head = RECORD.read_text().split("\n## ")[0].rstrip() + "\n\n## The tests of LLVM 22\n\n"
        RECORD.write_text(head + "\n".join(lines) + "\n")
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
