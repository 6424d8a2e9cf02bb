// Heddle's passes and dialect as a plugin for mlir-opt-22 --load-dialect-plugin and
// --load-pass-plugin.
#include "compiler/dialect/dialect.h"
#include "compiler/warp/passes.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" __attribute__((visibility("default"))) mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "heddle", "1", [] { heddle::compiler::register_warp_passes(); }};
}

extern "C" __attribute__((visibility("default"))) mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "heddle", "1", [](mlir::DialectRegistry* registry) {
            registry->insert<heddle::dialect::HeddleDialect>();
          }};
}
