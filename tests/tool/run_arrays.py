"""Writes the arrays of run_arrays.txt as numpy.save does, and compares the result with their product.

    run_arrays.py write FOLDER
    run_arrays.py compare FOLDER
"""
import pathlib
import struct
import sys

M, N, K = 42, 64, 32
folder = pathlib.Path(sys.argv[2])
a = [[(i * 7 + k * 3) % 11 / 4 - 1 for k in range(K)] for i in range(M)]
b = [[(k * 5 + j) % 9 / 8 - 0.5 for j in range(N)] for k in range(K)]


def save(name, descr, shape, data, order="False", version=b"\x01\x00"):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    (folder / name).write_bytes(b"\x93NUMPY" + version + struct.pack("<H", len(header)) +
                                header.encode() + data)


def halves(rows):
    return b"".join(struct.pack("<e", x) for row in rows for x in row)


if sys.argv[1] == "write":
    folder.mkdir(exist_ok=True)
    save("a.npy", "<f2", (M, K), halves(a))
    save("b.npy", "<f2", (K, N), halves(b))
    save("floats.npy", "<f4", (M, K), bytes(4 * M * K))
    save("short.npy", "<f2", (M, K), bytes(6))
    save("columns.npy", "<f2", (M, K), halves(a), order="True")
    save("vast.npy", "<f2", "(1099511627776, 1099511627776)", b"")
    save("negative.npy", "<f2", "(-42, 32)", b"")
    save("endless.npy", "<f2", "(42, 32", b"")
    (folder / "cut.npy").write_bytes((folder / "a.npy").read_bytes()[:40])
    (folder / "text.npy").write_text("no array")
else:
    file = (folder / "d.npy").read_bytes()
    length = struct.unpack("<H", file[8:10])[0]
    assert (10 + length) % 64 == 0
    header = eval(file[10:10 + length].decode())
    assert header == {"descr": "<f4", "fortran_order": False, "shape": (M, N)}, header
    values = struct.unpack(f"<{M * N}f", file[10 + length:])
    expected = [sum(a[i][k] * b[k][j] for k in range(K)) for i in range(M) for j in range(N)]
    assert list(values) == expected
    print("equal")
