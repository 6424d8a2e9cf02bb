func.func private @matmul(tensor<42x32xf16>, tensor<32x64xf16>) -> tensor<42x64xf32>
// input:1:1: error: the function has no body; accepted: linalg.matmul or other contractions, with arith.constant, tensor.empty, linalg.fill and elementwise linalg operations before and after it, perhaps in loops over tiles
