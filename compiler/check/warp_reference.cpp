#include "compiler/check/warp_reference.h"

#include "compiler/check/reference_walk.h"

namespace heddle::compiler {

struct WarpReference::State {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::string file_name, function_name;
  std::optional<WarpSource> source;
};

WarpReference::WarpReference(std::unique_ptr<State> state) : state_(std::move(state)) {}
WarpReference::~WarpReference() = default;

std::unique_ptr<WarpReference> WarpReference::read(std::string_view text,
                                                   std::string_view file_name,
                                                   std::string& errors) {
  auto state = std::make_unique<State>();
  load_warp_source_dialects(state->context);
  Diagnostics diagnostics(file_name);
  const auto handler = diagnostics.attach(state->context);
  state->file_name = file_name;
  state->source = read_warp_source(state->context, text, file_name, diagnostics);
  if (!state->source) {
    errors = diagnostics.text();
    return nullptr;
  }
  state->function_name = state->source->function.getName().str();
  return std::unique_ptr<WarpReference>(new WarpReference(std::move(state)));
}

const std::string& WarpReference::name() const { return state_->function_name; }

const std::vector<WarpArgument>& WarpReference::arguments() const {
  return state_->source->arguments;
}

bool WarpReference::run(const std::vector<WarpArgument>& bound,
                        std::vector<std::vector<Cell>>& memory, const ReferenceOptions& options,
                        std::string& errors) const {
  Diagnostics diagnostics(state_->file_name);
  if (ReferenceWalk(diagnostics, options, memory).run(state_->source->function, bound)) return true;
  errors = diagnostics.text();
  return false;
}

}  // namespace heddle::compiler
