#include "compiler/dialect/dialect.h"

#include "heddle/layout/text.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "compiler/dialect/heddle_dialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/heddle_attributes.cpp.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/heddle_operations.cpp.inc"

namespace heddle::layout {

llvm::hash_code hash_value(const LinearLayout& map) {
  llvm::hash_code hash = llvm::hash_combine(map.input_bits(), map.output_bits());
  for (int bit = 0; bit < map.input_bits(); ++bit) hash = llvm::hash_combine(hash, map.basis(bit));
  return hash;
}

}  // namespace heddle::layout

namespace heddle::dialect {

void HeddleDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/heddle_attributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/heddle_operations.cpp.inc"
      >();
}

mlir::Attribute LayoutAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  std::string text;
  if (parser.parseLess()) return {};
  const llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseString(&text) || parser.parseGreater()) return {};
  const layout::Expected<layout::LinearLayout> map = layout::parse(text);
  if (!map) {
    parser.emitError(where) << map.error().message().view();
    return {};
  }
  return get(parser.getContext(), *map);
}

void LayoutAttr::print(mlir::AsmPrinter& printer) const {
  printer << "<\"" << layout::text(getMap()).view() << "\">";
}

}  // namespace heddle::dialect
