"""Runs PTX on the first GPU of this machine, through libcuda.so.1."""
import ctypes
import datetime
import gzip
import json
import os


class Gpu:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, self.device)
        self.name = name.value.decode()
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.version = "CUDA %d.%d" % (version.value // 1000, version.value % 1000 // 10)

    def call(self, name, *arguments):
        result = getattr(self.cuda, name)(*arguments)
        if result != 0:
            raise RuntimeError("%s: error %d" % (name, result))

    def driver(self):
        path = "/proc/driver/nvidia/version"
        return open(path).readline().strip() if os.path.exists(path) else self.version

    def described(self, by):
        """What a record says of where it comes from."""
        return dict(gpu=self.name, driver=self.driver(), cuda=self.version,
                    date=datetime.date.today().isoformat(), by=by)

    def run(self, case):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), case["ptx"].encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"k")
        data, out_bytes = case["input"], case["out_bytes"]
        source, out = ctypes.c_uint64(), ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(source), ctypes.c_size_t(len(data)))
        self.call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(out_bytes))
        self.call("cuMemcpyHtoD_v2", source, data, ctypes.c_size_t(len(data)))
        self.call("cuMemsetD8_v2", out, ctypes.c_ubyte(0xff), ctypes.c_size_t(out_bytes))
        arguments = [source, out]
        if "map" in case:
            arguments.append(self.tensor_map(case["map"], source if case["map"]["buffer"] == "in" else out))
        pointers = (ctypes.c_void_p * len(arguments))(
            *[ctypes.cast(ctypes.byref(a) if not isinstance(a, ctypes.Array) else a, ctypes.c_void_p)
              for a in arguments])
        dynamic = case.get("dynamic", 0)
        if dynamic > 48 << 10:
            self.call("cuFuncSetAttribute", function, 8, dynamic)
        self.call("cuLaunchKernel", function, 1, 1, 1, case["threads"], 1, 1, dynamic, None, pointers, None)
        self.call("cuCtxSynchronize")
        result = ctypes.create_string_buffer(out_bytes)
        self.call("cuMemcpyDtoH_v2", result, out, ctypes.c_size_t(out_bytes))
        self.call("cuMemFree_v2", source)
        self.call("cuMemFree_v2", out)
        self.call("cuModuleUnload", module)
        return result.raw

    def tensor_map(self, wanted, address):
        memory = ctypes.create_string_buffer(192)
        begin = (ctypes.addressof(memory) + 63) // 64 * 64
        encoded_map = (ctypes.c_byte * 128).from_address(begin)
        encoded_map.memory = memory
        rank = len(wanted["sizes"])
        sizes = (ctypes.c_uint64 * rank)(*wanted["sizes"])
        strides = (ctypes.c_uint64 * rank)(*wanted["strides"])
        box = (ctypes.c_uint32 * rank)(*wanted["box"])
        steps = (ctypes.c_uint32 * rank)(*[1] * rank)
        swizzle = {0: 0, 32: 1, 64: 2, 128: 3}[wanted["swizzle"]]
        kind = {"f16": 6, "f32": 7, "tf32": 11}[wanted["type"]]  # CU_TENSOR_MAP_DATA_TYPE_*
        self.call("cuTensorMapEncodeTiled", encoded_map, kind, rank, ctypes.c_void_p(address.value), sizes, strides,
                  box, steps, 0, swizzle, 0, 0)
        return encoded_map


def write(path, done):
    with open(path, "wb") as file:
        file.write(gzip.compress(json.dumps(done).encode(), 9, mtime=0))
