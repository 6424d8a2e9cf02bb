// Two arrays in bytes that the function allocates, neither of which has a byte of the other.
func.func @viewed_bytes(%a: memref<16x32xf32>, %b: memref<32x24xf32>) -> memref<16x24xf32> {
  %c0 = arith.constant 0 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant 0.0 : f32
  %bytes = memref.alloc() : memref<3584xi8>
  %x = memref.view %bytes[%c0][] : memref<3584xi8> to memref<16x32xf32>
  %d = memref.view %bytes[%c2048][] : memref<3584xi8> to memref<16x24xf32>
  linalg.add ins(%a, %a : memref<16x32xf32>, memref<16x32xf32>) outs(%x : memref<16x32xf32>)
  linalg.fill ins(%zero : f32) outs(%d : memref<16x24xf32>)
  linalg.matmul ins(%x, %b : memref<16x32xf32>, memref<32x24xf32>) outs(%d : memref<16x24xf32>)
  %result = memref.alloc() : memref<16x24xf32>
  linalg.exp ins(%d : memref<16x24xf32>) outs(%result : memref<16x24xf32>)
  memref.dealloc %bytes : memref<3584xi8>
  return %result : memref<16x24xf32>
}
