"""Writes the arrays of run_arrays.txt as numpy.save does, and compares the result with their product.

    run_arrays.py write FOLDER
    run_arrays.py compare FOLDER
    run_arrays.py compare_nibbles FOLDER
"""
import pathlib
import struct
import sys

M, N, K = 42, 64, 32
folder = pathlib.Path(sys.argv[2])
a = [[(i * 7 + k * 3) % 11 / 4 - 1 for k in range(K)] for i in range(M)]
b = [[(k * 5 + j) % 9 / 8 - 0.5 for j in range(N)] for k in range(K)]


# Of examples/matmul/nibbles.mlir: weights of 96 columns in groups of 16 along k.
x = [[(i + 3 * k) % 9 / 8 - 0.5 for k in range(64)] for i in range(M)]
q = [[(j * 5 + k * 7) % 16 for k in range(64)] for j in range(96)]
scales = [[(j + g) % 7 / 8 - 0.25 for g in range(4)] for j in range(96)]
zeros = [[(j * 3 + g) % 16 for g in range(4)] for j in range(96)]


def save(name, descr, shape, data, order="False", version=b"\x01\x00"):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    (folder / name).write_bytes(b"\x93NUMPY" + version + struct.pack("<H", len(header)) +
                                header.encode() + data)


def halves(rows):
    return b"".join(struct.pack("<e", x) for row in rows for x in row)


def numbers(name, descr, shape, letter):
    """The elements of a file that the program wrote."""
    file = (folder / name).read_bytes()
    length = struct.unpack("<H", file[8:10])[0]
    assert (10 + length) % 64 == 0
    header = eval(file[10:10 + length].decode())
    assert header == {"descr": descr, "fortran_order": False, "shape": shape}, header
    data = file[10 + length:]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data))


if sys.argv[1] == "write":
    folder.mkdir(exist_ok=True)
    save("a.npy", "<f2", (M, K), halves(a))
    save("b.npy", "<f2", (K, N), halves(b))
    save("x.npy", "<f2", (M, 4, 16), halves(x))
    save("q.npy", "|u1", (96, 4, 16), bytes(number for row in q for number in row))
    save("scales.npy", "<f2", (96, 4), halves(scales))
    save("zeros.npy", "|i1", (96, 4), bytes(number for row in zeros for number in row))
    save("floats.npy", "<f4", (M, K), bytes(4 * M * K))
    save("short.npy", "<f2", (M, K), bytes(6))
    save("columns.npy", "<f2", (M, K), halves(a), order="True")
    save("vast.npy", "<f2", "(1099511627776, 1099511627776)", b"")
    save("negative.npy", "<f2", "(-42, 32)", b"")
    save("endless.npy", "<f2", "(42, 32", b"")
    (folder / "cut.npy").write_bytes((folder / "a.npy").read_bytes()[:40])
    (folder / "text.npy").write_text("no array")
elif sys.argv[1] == "compare_nibbles":
    signed = numbers("q_after.npy", "|i1", (96, 4, 16), "b")
    assert signed == [number - 16 * (number > 7) for row in q for number in row]
    w = [[(q[j][k] - zeros[j][k // 16]) * scales[j][k // 16] for k in range(64)] for j in range(96)]
    expected = [sum(map(lambda s, t: s * t, row, column)) for row in x for column in w]
    assert numbers("nibbles.npy", "<f4", (M, 96), "f") == expected
    print("equal")
else:
    expected = [sum(a[i][k] * b[k][j] for k in range(K)) for i in range(M) for j in range(N)]
    assert numbers("d.npy", "<f4", (M, N), "f") == expected
    print("equal")
