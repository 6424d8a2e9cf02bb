// tcgen05.cp: shared memory to tensor memory.
#include "emulator/ptx/tensor_instructions.h"

namespace heddle::emulator::ptx {

bool decode_tensor_copy(Decoder&) { return false; }

}  // namespace heddle::emulator::ptx
