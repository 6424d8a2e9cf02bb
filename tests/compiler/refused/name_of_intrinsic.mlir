func.func @llvm.foo(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:1:1: error: the function name @"llvm.foo"; accepted: letters, digits, _, $ and ., beginning with a letter or _; not llvm.*, amdgpu.*, *.kd, _DYNAMIC or _GLOBAL_OFFSET_TABLE_
