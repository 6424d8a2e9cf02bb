"""The names that Triton's types have in C++: what its driver interface asks for."""

from __future__ import annotations

_names = {
    "i1": "int8_t",
    "i8": "int8_t",
    "i16": "int16_t",
    "i32": "int32_t",
    "i64": "int64_t",
    "u1": "uint8_t",
    "u8": "uint8_t",
    "u16": "uint16_t",
    "u32": "uint32_t",
    "u64": "uint64_t",
    "fp16": "double",
    "bf16": "double",
    "fp32": "double",
    "f32": "double",
    "fp64": "double",
    "nvTmaDesc": "CUtensorMap",
}


def c_type(type_name: str) -> str:
    """
    >>> c_type("*fp16"), c_type("i32")
    ('uint64_t', 'int32_t')
    """
    if type_name.startswith("*"):
        return "uint64_t"
    if type_name.startswith("tensordesc"):
        return "CUtensorMap"
    return _names[type_name]
