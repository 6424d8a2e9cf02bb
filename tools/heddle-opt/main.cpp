// heddle-opt: mlir-opt with Heddle's dialect and passes.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "compiler/diagnostics.h"
#include "compiler/dialect/dialect.h"
#include "compiler/warp/passes.h"
#include "heddle/instruction/nearest.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "runtime/files/printable.h"
#include "runtime/files/whole_file.h"
#include "tools/heddle-opt/escaped_errors.h"

namespace {

constexpr llvm::StringLiteral title = "Heddle's passes over MLIR\n";

constexpr unsigned stack_bytes = 64u << 20;

// Writes the file whole or not at all; "-" is standard output. Returns the reason for a failure, or
// nothing.
std::string why_not_put(llvm::StringRef output, const std::string& text) {
  if (output != "-") return heddle::runtime::why_not_written(output.str(), text);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return "";
  return std::string("cannot write standard output: ") + std::strerror(errno);
}

// The text of a file; "-" is standard input. Reads at most a fixed number of bytes, because a
// device has no end. If the file cannot be read, returns null and sets `wrong`.
std::unique_ptr<llvm::MemoryBuffer> input_text(llvm::StringRef input, std::string& wrong) {
  if (input == "-") return mlir::openInputFile(input, &wrong);
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  std::string text;
  wrong = heddle::runtime::why_not_read(input.str(), most_bytes, text);
  return wrong.empty() ? llvm::MemoryBuffer::getMemBufferCopy(text, input) : nullptr;
}

// Runs mlir-opt on the text of a file, unless the text would exhaust the stack of MLIR's parser. If
// MLIR crashes all the same, the process survives and says so.
mlir::LogicalResult process(llvm::StringRef input, llvm::StringRef output,
                            const mlir::MlirOptMainConfig& options,
                            mlir::DialectRegistry& registry) {
  const auto fail = [](const llvm::Twine& message) {
    llvm::errs() << heddle::runtime::printable(message.str()) << "\n";
    return mlir::failure();
  };
  std::string wrong;
  std::unique_ptr<llvm::MemoryBuffer> text = input_text(input, wrong);
  if (!text) return fail(wrong);
  heddle::compiler::Diagnostics diagnostics(text->getBufferIdentifier());
  const llvm::StringRef all = text->getBuffer();
  if (!mlir::isBytecode(*text) &&
      !(diagnostics.check_nesting(all) && diagnostics.check_aliases(all)))
    return fail(llvm::StringRef(diagnostics.text()).rtrim());
  std::string made;
  llvm::raw_string_ostream stream(made);
  const std::string name = text->getBufferIdentifier().str();
  mlir::LogicalResult result = mlir::failure();
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext context;
  bool survived = false;
  {
    const heddle::EscapedErrors without_control_bytes;  // all of them, before the output is written
    survived = context.RunSafelyOnThread(
        [&] { result = mlir::MlirOptMain(stream, std::move(text), registry, options); },
        stack_bytes);
  }
  if (!survived)
    return fail(name +
                ":1:1: error: MLIR crashed on this text; accepted: functions of a warp's "
                "vectors, such as examples/warp_contract.mlir");
  if (mlir::succeeded(result) || output == "-") wrong = why_not_put(output, made);
  return wrong.empty() ? result : fail(wrong);
}

// LLVM takes an unknown option that begins with h for -h, prints the help and succeeds. Returns the
// message for such an option among the arguments; empty if there is none.
std::string mistyped_h(llvm::ArrayRef<char*> arguments) {
  for (const llvm::StringRef argument : arguments) {
    const llvm::StringRef name = argument.ltrim('-').split('=').first;
    const auto& options = llvm::cl::getRegisteredOptions();
    if (!argument.starts_with("-") || !name.starts_with("h") || name == "h" ||
        options.contains(name))
      continue;
    heddle::instruction::NearestNames nearest({name.data(), name.size()});
    for (const auto& [known, option] : options) nearest.consider({known.data(), known.size()});
    return (argument + ": no such option; did you mean --" + std::string(nearest.names()[0]) + "?")
        .str();
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  // A release build of LLVM lacks the option --debug. If this build has it, LLVM's own is kept.
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
  const std::string dialects = mlir::registerCLIOptions(title, registry);
  if (const std::string wrong = mistyped_h({argv + 1, argv + argc}); !wrong.empty()) {
    llvm::errs() << argv[0] << ": " << wrong << "\n";
    return 1;
  }
  const auto [input, output] = mlir::parseCLIOptions(argc, argv, dialects);
  const auto options = mlir::MlirOptMainConfig::createFromCLOptions();
  if (options.shouldShowDialects() || options.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  const llvm::InitLLVM with_stack_of_a_crash(argc, argv);
  return mlir::asMainReturnCode(process(input, output, options, registry));
}
