# clang-22 for WebAssembly, with what Debian's libc++-22-dev-wasm32, libclang-rt-22-dev-wasm32 and
# wasi-libc install.
set(CMAKE_SYSTEM_NAME Generic)  # no shared libraries
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(llvm /usr/lib/llvm-22)
# exceptions.cpp has what exceptions need; what libc++.a itself would throw ends the program.
set(CMAKE_CXX_FLAGS_INIT
  "-Wno-deprecated -fwasm-exceptions -nostdinc++ -isystem ${llvm}/include/wasm32-wasi/c++/v1")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-nostdlib++ -L${llvm}/lib/wasm32-wasi")
set(CMAKE_CXX_STANDARD_LIBRARIES "-lc++ -lc++abi")
set(fmt_DIR ${CMAKE_CURRENT_LIST_DIR}/packages)
set(CLI11_DIR ${CMAKE_CURRENT_LIST_DIR}/packages)
