// The passes of heddle-opt in another program's pass manager: a warp's part of a product becomes code
// of one thread, and the count of its matrix instructions is printed.
#include <cstdio>

#include "compiler/dialect/dialect.h"
#include "compiler/warp/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

using namespace heddle;

constexpr const char* text = R"(
#row_k = affine_map<(m, n, k) -> (m, k)>
#k_column = affine_map<(m, n, k) -> (k, n)>
#row_column = affine_map<(m, n, k) -> (m, n)>
func.func @contract(%a: memref<16x16xf16, 3>, %b: memref<16x8xf16, 3>, %c: memref<16x8xf32, 3>) {
  %zero = arith.constant 0 : index
  %padding = arith.constant 0.0 : f16
  %sum = arith.constant dense<0.0> : vector<16x8xf32>
  %A = vector.transfer_read %a[%zero, %zero], %padding {in_bounds = [true, true]} : memref<16x16xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%zero, %zero], %padding {in_bounds = [true, true]} : memref<16x8xf16, 3>, vector<16x8xf16>
  %D = vector.contract {indexing_maps = [#row_k, #k_column, #row_column], iterator_types = ["parallel", "parallel", "reduction"]} %A, %B, %sum : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %D, %c[%zero, %zero] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32, 3>
  return
})";

int main() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, dialect::HeddleDialect>();
  compiler::register_warp_dialects(registry);
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) return 1;
  mlir::PassManager passes(&context);
  compiler::add_matrix_passes(passes.nest<mlir::func::FuncOp>(),
                              {.target = instruction::Target::sm_80});
  if (mlir::failed(passes.run(*module))) return 1;
  int count = 0;
  module->walk([&](mlir::Operation* operation) {
    count += operation->getName().getStringRef() == "nvgpu.mma.sync";
  });
  std::printf("%d\n", count);
}
