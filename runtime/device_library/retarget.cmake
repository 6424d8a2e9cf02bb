# AMD's device library ocml, the mathematics of kernels of HIP, for one kind of GPU:
#   cmake -DCLANG=… -DOCML=…/ocml.bc -DOUTPUT=FILE.bc -DKIND=amdgcn|nvptx [-DINSTRUCTIONS=….cpp] -P retarget.cmake
#
# Its functions are plain arithmetic but for a few instructions of AMD's and for constants by which a
# program chooses among variants: those are set here, to what clang's driver sets without fast-math.
get_filename_component(folder ${OUTPUT} DIRECTORY)
get_filename_component(name ${OUTPUT} NAME_WE)
set(text_file ${folder}/${name}.ll)
file(MAKE_DIRECTORY ${folder})

function(clang)
  execute_process(COMMAND ${CLANG} ${ARGN} RESULT_VARIABLE status ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${CLANG} cannot make ${OUTPUT}: ${said}")
  endif()
endfunction()

clang(-x ir -S -emit-llvm --target=amdgcn-amd-amdhsa -nogpulib -Xclang -disable-llvm-passes ${OCML} -o ${text_file})
file(READ ${text_file} text)

# Of the version of the instruction set it asks only whether it is GFX9 or later, as all here are.
foreach(constant "unsafe_math_opt i8 0" "correctly_rounded_sqrt32 i8 1" "daz_opt i8 0"
                 "finite_only_opt i8 0" "ISA_version i32 11000")
  string(REPLACE " " ";" constant ${constant})
  list(GET constant 0 variable)
  list(GET constant 1 type)
  list(GET constant 2 value)
  string(REGEX REPLACE "@__oclc_${variable} = [^\n]*constant ${type}"
    "@__oclc_${variable} = linkonce_odr hidden local_unnamed_addr addrspace(4) constant ${type} ${value}"
    text "${text}")
endforeach()
if(text MATCHES "@__oclc_[^\n]* = external[^\n]*")
  message(FATAL_ERROR "${OCML}: a constant that retarget.cmake does not know: ${CMAKE_MATCH_0}")
endif()

set(arguments --target=amdgcn-amd-amdhsa -nogpulib)
if(KIND STREQUAL nvptx)
  # Address spaces 1, 3 and 4 are the same for both; generic pointers take the place of 5, private.
  string(REGEX REPLACE "target datalayout = [^\n]*" "" text "${text}")
  string(REGEX REPLACE "target triple = [^\n]*" "target triple = \"nvptx64-nvidia-cuda\"" text "${text}")
  string(REPLACE ", addrspace(5)" "" text "${text}")
  string(REPLACE " addrspace(5)" "" text "${text}")
  string(REPLACE ".p5(" ".p0(" text "${text}")
  string(REGEX REPLACE "\"target-features\"=\"[^\"]*\"" "" text "${text}")
  string(REPLACE "linkonce_odr protected" "linkonce_odr hidden" text "${text}")
  string(REGEX MATCHALL "@llvm\\.(amdgcn\\.[a-z0-9.]*|log2\\.f32|log2\\.f16|exp2\\.f16|(exp|log|log10|sin|cos)\\.f32)\\(" calls "${text}")
  list(REMOVE_DUPLICATES calls)
  foreach(call ${calls})
    string(REGEX REPLACE "@llvm\\.(amdgcn\\.)?" "" function ${call})
    string(REPLACE "." "_" function ${function})
    string(REPLACE "${call}" "@heddle_${function}" text "${text}")
  endforeach()
  set(arguments --target=nvptx64-nvidia-cuda)
  set(instructions ${folder}/${name}_instructions.bc)
  clang(--target=nvptx64-nvidia-cuda -nocudalib -O1 -std=c++20 -c -emit-llvm ${INSTRUCTIONS} -o ${instructions})
  list(APPEND arguments -Xclang -mlink-bitcode-file -Xclang ${instructions})
endif()
file(WRITE ${text_file} "${text}")
clang(-x ir -c -emit-llvm ${arguments} -Xclang -disable-llvm-passes -Wno-override-module ${text_file} -o ${OUTPUT})
file(REMOVE ${text_file} ${instructions})
