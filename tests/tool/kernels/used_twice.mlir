// Values that are used twice again and again, in front of a sum of rows.
func.func @used_twice(%a: tensor<256x1024xf32>) -> tensor<256xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<256xf32>) -> tensor<256xf32>
  %v0 = arith.maximumf %a, %a : tensor<256x1024xf32>
  %v1 = arith.maximumf %v0, %v0 : tensor<256x1024xf32>
  %v2 = arith.maximumf %v1, %v1 : tensor<256x1024xf32>
  %v3 = arith.maximumf %v2, %v2 : tensor<256x1024xf32>
  %v4 = arith.maximumf %v3, %v3 : tensor<256x1024xf32>
  %v5 = arith.maximumf %v4, %v4 : tensor<256x1024xf32>
  %v6 = arith.maximumf %v5, %v5 : tensor<256x1024xf32>
  %v7 = arith.maximumf %v6, %v6 : tensor<256x1024xf32>
  %v8 = arith.maximumf %v7, %v7 : tensor<256x1024xf32>
  %v9 = arith.maximumf %v8, %v8 : tensor<256x1024xf32>
  %v10 = arith.maximumf %v9, %v9 : tensor<256x1024xf32>
  %v11 = arith.maximumf %v10, %v10 : tensor<256x1024xf32>
  %v12 = arith.maximumf %v11, %v11 : tensor<256x1024xf32>
  %v13 = arith.maximumf %v12, %v12 : tensor<256x1024xf32>
  %v14 = arith.maximumf %v13, %v13 : tensor<256x1024xf32>
  %v15 = arith.maximumf %v14, %v14 : tensor<256x1024xf32>
  %v16 = arith.maximumf %v15, %v15 : tensor<256x1024xf32>
  %v17 = arith.maximumf %v16, %v16 : tensor<256x1024xf32>
  %v18 = arith.maximumf %v17, %v17 : tensor<256x1024xf32>
  %v19 = arith.maximumf %v18, %v18 : tensor<256x1024xf32>
  %v20 = arith.maximumf %v19, %v19 : tensor<256x1024xf32>
  %v21 = arith.maximumf %v20, %v20 : tensor<256x1024xf32>
  %v22 = arith.maximumf %v21, %v21 : tensor<256x1024xf32>
  %v23 = arith.maximumf %v22, %v22 : tensor<256x1024xf32>
  %v24 = arith.maximumf %v23, %v23 : tensor<256x1024xf32>
  %v25 = arith.maximumf %v24, %v24 : tensor<256x1024xf32>
  %v26 = arith.maximumf %v25, %v25 : tensor<256x1024xf32>
  %v27 = arith.maximumf %v26, %v26 : tensor<256x1024xf32>
  %v28 = arith.maximumf %v27, %v27 : tensor<256x1024xf32>
  %v29 = arith.maximumf %v28, %v28 : tensor<256x1024xf32>
  %v30 = arith.maximumf %v29, %v29 : tensor<256x1024xf32>
  %v31 = arith.maximumf %v30, %v30 : tensor<256x1024xf32>
  %v32 = arith.maximumf %v31, %v31 : tensor<256x1024xf32>
  %v33 = arith.maximumf %v32, %v32 : tensor<256x1024xf32>
  %v34 = arith.maximumf %v33, %v33 : tensor<256x1024xf32>
  %v35 = arith.maximumf %v34, %v34 : tensor<256x1024xf32>
  %v36 = arith.maximumf %v35, %v35 : tensor<256x1024xf32>
  %v37 = arith.maximumf %v36, %v36 : tensor<256x1024xf32>
  %v38 = arith.maximumf %v37, %v37 : tensor<256x1024xf32>
  %v39 = arith.maximumf %v38, %v38 : tensor<256x1024xf32>
  %r = linalg.reduce { arith.addf } ins(%v39 : tensor<256x1024xf32>) outs(%f : tensor<256xf32>) dimensions = [1]
  return %r : tensor<256xf32>
}
