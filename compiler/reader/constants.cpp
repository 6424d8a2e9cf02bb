#include "compiler/reader/constants.h"

#include "compiler/reader/element.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle::compiler {
namespace {

// The bytes of `values` in row-major order. If several elements share a byte (types below 8 bits),
// the first element is in the byte's low bits.
std::vector<std::byte> bytes_of(mlir::DenseElementsAttr values, instruction::ElementType type) {
  const auto bits = static_cast<std::size_t>(instruction::bits(stored_type(type)));
  std::vector<std::byte> bytes((static_cast<std::size_t>(values.getNumElements()) * bits + 7) / 8);
  const auto store = [&](std::size_t index, const llvm::APInt& number) {
    for (std::size_t bit = 0; bit < number.getBitWidth(); ++bit) {
      const std::size_t at = index * bits + bit;
      if (number[static_cast<unsigned>(bit)]) bytes[at / 8] |= static_cast<std::byte>(1u << at % 8);
    }
  };
  std::size_t index = 0;
  if (mlir::isa<mlir::FloatType>(values.getElementType())) {
    for (const llvm::APFloat& number : values.getValues<llvm::APFloat>())
      store(index++, number.bitcastToAPInt());
  } else {
    for (const llvm::APInt& number : values.getValues<llvm::APInt>()) store(index++, number);
  }
  return bytes;
}

}  // namespace

std::vector<std::vector<std::byte>> make_arguments_of_constants(mlir::func::FuncOp function) {
  std::vector<std::vector<std::byte>> all;
  if (function.isExternal()) return all;
  std::vector<mlir::arith::ConstantOp> constants;
  function.walk([&](mlir::arith::ConstantOp constant) {
    const auto values = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    if (values && !values.isSplat() && mlir::isa<mlir::RankedTensorType>(values.getType()) &&
        element_type(values.getElementType()))
      constants.push_back(constant);
  });
  for (mlir::arith::ConstantOp constant : constants) {
    const auto values = mlir::cast<mlir::DenseElementsAttr>(constant.getValue());
    const unsigned number = function.getNumArguments();
    if (mlir::failed(function.insertArgument(number, constant.getType(), {}, constant.getLoc())))
      continue;
    all.push_back(bytes_of(values, *element_type(values.getElementType())));
    constant.getResult().replaceAllUsesWith(function.getArgument(number));
    constant.erase();
  }
  return all;
}

}  // namespace heddle::compiler
