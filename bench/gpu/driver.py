"""Kernels of `heddle compile` on a GPU, launched as docs/json.md says, by the CUDA driver."""
import ctypes
import math
import subprocess


class Driver:
    """The CUDA driver, by its C interface."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            raise RuntimeError(f"{name}: error {code}")

    def open(self):
        """Makes the first GPU's context, where nobody else has made one."""
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def description(self):
        """The GPU, and the driver with its version of CUDA."""
        name, number = ctypes.create_string_buffer(100), ctypes.c_int()
        self.call("cuDeviceGetName", name, len(name), 0)
        self.call("cuDriverGetVersion", ctypes.byref(number))
        said = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                              capture_output=True, text=True, check=False).stdout.split("\n")[0]
        return {"device": name.value.decode(), "driver": said.strip(),
                "cuda": f"{number.value // 1000}.{number.value % 1000 // 10}"}

    def free(self, address):
        """Without a look at the status: after a fault of a kernel, that fault is what is told."""
        self.library.cuMemFree_v2(ctypes.c_uint64(address))

    def function(self, ptx, kernel, shared_bytes):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ptx.encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
        max_dynamic_shared = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        self.call("cuFuncSetAttribute", function, max_dynamic_shared, shared_bytes)
        return module, function

    def tensor_map(self, described, address):
        # CU_TENSOR_MAP_DATA_TYPE_*: 8-bit floats are copied as bytes.
        kinds = {"f16": 6, "f32": 7, "bf16": 9, "xf32": 11, "i32": 3}
        sizes, steps = described["sizes"], described["stride_bytes"]
        rank = len(sizes)
        made = (ctypes.c_uint64 * 32)()
        aligned = (ctypes.addressof(made) + 63) // 64 * 64
        # CU_TENSOR_MAP_L2_PROMOTION_L2_256B, or 128B where lines of 256 bytes would be read twice.
        promotion = 3 if all(step % 256 == 0 for step in steps) else 2
        self.call("cuTensorMapEncodeTiled", ctypes.c_void_p(aligned),
                  kinds.get(described["element"], 0), rank,
                  ctypes.c_void_p(address + described["offset_bytes"]),
                  (ctypes.c_uint64 * rank)(*sizes), (ctypes.c_uint64 * max(1, rank - 1))(*steps),
                  (ctypes.c_uint32 * rank)(*described["box"]), (ctypes.c_uint32 * rank)(*[1] * rank),
                  0, {32: 1, 64: 2, 128: 3}.get(described["swizzle_bytes"], 0),
                  promotion, 0)
        return ctypes.string_at(aligned, 128)


class Memory:
    """Memory of the GPU that is given back at the end; for arrays of numpy."""

    def __init__(self, driver):
        self.driver, self.addresses = driver, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for address in self.addresses:
            self.driver.free(address)

    def zeros(self, count):
        return self.holding(bytes(count))

    def holding(self, content):
        """The address of a copy of an array or of bytes."""
        content = bytes(content) if isinstance(content, bytes) else content.tobytes()
        address = ctypes.c_uint64()
        self.driver.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(1, len(content))))
        self.addresses.append(address.value)
        self.driver.call("cuMemcpyHtoD_v2", address, content, ctypes.c_size_t(len(content)))
        return address.value

    def read(self, address, like):
        """The array of that type and shape."""
        found = like.copy()
        self.driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(found.ctypes.data), ctypes.c_uint64(address),
                         ctypes.c_size_t(found.nbytes))
        return found


def launches(driver, memory, plan, ptx, inputs, results):
    """A call for each kernel of a function of known sizes, in their order, which takes a stream.
    `inputs` and `results` are addresses; `memory` gives zeros(bytes) and holding(bytes)."""
    def of_sequence(buffer):
        if buffer["kind"] in ("argument", "result"):
            return (inputs if buffer["kind"] == "argument" else results)[buffer["number"]]
        if "constant" in buffer:
            return memory.holding(bytes.fromhex(buffer["constant"]))
        return memory.zeros(buffer["bytes"])

    is_sequence = "kernels" in plan
    buffers = [of_sequence(buffer) for buffer in plan["buffers"]] if is_sequence else []
    calls = []
    for kernel in plan.get("kernels") or [plan]:
        launch, next_result, addresses = kernel["launch"], 0, []
        for at, buffer in enumerate(launch["buffers"]):
            if buffer["role"] == "workspace":
                addresses.append(memory.zeros(known(buffer["bytes"], {})))
            elif is_sequence:
                addresses.append(buffers[kernel["buffers"][at]])
            elif "constant" in buffer:
                addresses.append(memory.holding(bytes.fromhex(buffer["constant"])))
            elif buffer["function_argument"] is None:
                addresses.append(results[next_result])
                next_result += 1
            else:
                addresses.append(inputs[buffer["function_argument"]])
        values = []
        for argument in launch["arguments"]:
            address = addresses[argument["buffer"]]
            values.append(ctypes.create_string_buffer(driver.tensor_map(argument["map"], address), 128)
                          if argument["kind"] == "tensor_map" else ctypes.c_uint64(address))
        shared = launch["dynamic_shared_bytes"]
        module, function = driver.function(ptx, launch["kernel"], shared)
        packed = (ctypes.c_void_p * max(1, len(values)))(*[ctypes.addressof(each) for each in values])
        grid = [known(number, {}) for number in launch["grid"]]

        def call(stream, kept=(module, values), function=function, grid=grid, block=launch["block"],
                 shared=shared, packed=packed):  # pylint: disable=unused-argument
            driver.call("cuLaunchKernel", function, *grid, *block, shared, stream, packed, None)

        calls.append(call)
    return calls


def known(number, sizes):
    """A number of a launch, of which some depend on dynamic sizes."""
    if not isinstance(number, dict):
        return number
    product = number["times"]
    for size in number["sizes"]:
        value = size["size"] if isinstance(size["size"], int) else sizes[size["size"]]
        product *= -(-value // size.get("over", 1))
    at_most = number.get("at_most")
    return min(product, at_most * number["times"]) if at_most else product


def plan_for(plan, form):
    """The first variant which takes these sizes, or else the kernel."""
    sizes = {"m": form.m, "n": form.n, "k": form.k, "batch": form.batch}
    for variant in plan.get("variants", []):
        if all(sizes[argument["size"]] % argument["multiple_of"] == 0 and
               sizes[argument["size"]] <= argument.get("at_most", math.inf)
               for argument in variant["launch"]["arguments"] if argument["kind"] == "size"):
            return variant
    return plan


class Ours:
    """A compiled product with one or several sets of operands: one kernel, or several that follow
    each other. A set has "inputs", the result "d", and "more" results."""

    def __init__(self, torch, driver, folder, record, form, sets):
        self.torch, self.driver, self.form = torch, driver, form
        self.sizes = {"m": form.m, "n": form.n, "k": form.k, "batch": form.batch}
        plan = record["plan"]
        ptx = (folder / (form.file() + ".ptx")).read_text()
        self.kept, self.modules, self.workspaces = [], [], {}
        self.calls = [[] for _ in sets]
        between = [self.memory_between(plan, operands) for operands in sets]
        for kernel in plan.get("kernels") or [plan_for(plan, form)]:
            launch = kernel["launch"]
            shared = launch["dynamic_shared_bytes"]
            module, function = driver.function(ptx, launch["kernel"], shared)
            self.modules.append(module)
            grid = [known(number, self.sizes) for number in launch["grid"]]
            for number, operands in enumerate(sets):
                addresses = self.addresses(kernel, operands, between[number])
                self.calls[number].append(
                    (function, grid, launch["block"], shared, self.values(launch, addresses)))

    def memory_between(self, plan, operands):
        """The address of each buffer of a sequence; nothing for one kernel."""
        addresses = []
        for buffer in plan.get("buffers", []) if "kernels" in plan else []:
            if buffer["kind"] == "argument":
                memory = operands["inputs"][buffer["number"]]
            elif buffer["kind"] == "result":
                memory = [operands["d"], *operands.get("more", [])][buffer["number"]]
            else:
                memory = self.space(buffer["bytes"])
            addresses.append(memory.data_ptr())
        return addresses

    def space(self, count):
        self.kept.append(self.torch.zeros(count, dtype=self.torch.uint8, device="cuda"))
        return self.kept[-1]

    def addresses(self, kernel, operands, between):
        addresses = []
        for at, buffer in enumerate(kernel["launch"]["buffers"]):
            if buffer["role"] == "workspace":  # one for all calls, which leave it as it was
                name = kernel["launch"]["kernel"]
                if name not in self.workspaces:
                    self.workspaces[name] = self.space(known(buffer["bytes"], self.sizes))
                addresses.append(self.workspaces[name].data_ptr())
            elif between:
                addresses.append(between[kernel["buffers"][at]])
            else:
                number = buffer["function_argument"]
                of = operands["d"] if number is None else operands["inputs"][number]
                addresses.append(of.data_ptr())
        return addresses

    def values(self, launch, addresses):
        values = []
        for argument in launch["arguments"]:
            if argument["kind"] == "pointer":
                values.append(ctypes.c_uint64(addresses[argument["buffer"]]))
            elif argument["kind"] == "size":
                values.append(ctypes.c_int32(self.sizes[argument["size"]]))
            else:
                described = dict(argument["map"])
                for key in ("sizes", "stride_bytes"):
                    described[key] = [known(number, self.sizes) for number in described[key]]
                made = self.driver.tensor_map(described, addresses[argument["buffer"]])
                aligned = ctypes.create_string_buffer(128)
                aligned.raw = made
                values.append(aligned)
        self.kept += values
        return (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])

    def __call__(self, number):
        stream = ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)
        for function, grid, block, shared, values in self.calls[number % len(self.calls)]:
            self.driver.call("cuLaunchKernel", function, *grid, *block, shared, stream, values, None)

    def unload(self):
        for module in self.modules:
            self.driver.call("cuModuleUnload", module)
