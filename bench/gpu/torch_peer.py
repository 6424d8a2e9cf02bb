"""torch.matmul as a contestant of gpu, which starts this and sends it one line at a time:

    matrices M N K f16|bf16 normal|uniform    makes A and B; answers "ready"
    time cublas|cublaslt CALLS                answers the milliseconds that CALLS calls take

cublas and cublaslt are the libraries that PyTorch may be told to prefer. The first answer is the
version of PyTorch.
"""
import sys

import torch

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16}


def matrix(rows, columns, element, operands):
    if operands == "normal":
        made = torch.randn(rows, columns, device="cuda")
    else:
        made = torch.rand(rows, columns, device="cuda") * 2 - 1
    return made.to(TYPES[element])


def milliseconds(calls, a, b, d):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.matmul(a, b, out=d)
    begin.record()
    for _ in range(calls):
        torch.matmul(a, b, out=d)
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


print(torch.__version__, flush=True)
for line in sys.stdin:
    what, *words = line.split()
    if what == "matrices":
        a = b = d = None
        m, n, k = map(int, words[:3])
        a, b = matrix(m, k, *words[3:]), matrix(k, n, *words[3:])
        d = torch.empty(m, n, device="cuda", dtype=a.dtype)
        torch.cuda.synchronize()
        print("ready", flush=True)
    else:
        torch.backends.cuda.preferred_blas_library(words[0])
        print(milliseconds(int(words[1]), a, b, d), flush=True)
