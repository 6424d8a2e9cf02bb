// heddle-opt: mlir-opt with Heddle's dialect and passes.
#include <optional>

#include "compiler/dialect/dialect.h"
#include "compiler/warp/passes.h"
#include "llvm/Support/CommandLine.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char** argv) {
  // A release build of LLVM has no option of this name; another has its own, which stays.
  std::optional<llvm::cl::opt<bool, true>> debug;
  if (!llvm::cl::getRegisteredOptions().contains("debug"))
    debug.emplace("debug",
                  llvm::cl::desc("Print layouts and conversions after each of Heddle's passes"),
                  llvm::cl::location(heddle::compiler::show_layouts));
  mlir::registerAllPasses();
  heddle::compiler::register_warp_passes();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<heddle::dialect::HeddleDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Heddle's passes over MLIR\n", registry));
}
