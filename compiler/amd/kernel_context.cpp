#include "compiler/amd/kernel_context.h"

#include <algorithm>
#include <bit>

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

// Word 3 of a buffer descriptor. Its format field is 32-bit float (7 in bits 12-14 and 4 above
// them), as LLVM and HIP set it. The rest depends on the processor:
// - RDNA3, RDNA4 (Instruction Set Architecture, "Buffer Resource Descriptor"): bit 24 is the
// resource level (reserved since gfx11); OOB_SELECT in bits 28-29 is 3: byte offsets are compared
// with the bounds.
// - CDNA (AMD Instinct MI300 Instruction Set Architecture, "Memory Buffer Load", 9.1.5.3, Range
// checking): has no such fields; for a buffer without stride byte offsets are compared.
// - gfx1250: has other fields, of which LLVM fills those that matter (legalization of
// llvm.amdgcn.make.buffer.rsrc). It is assumed that 0 in its four flags means that byte offsets are
// compared.
std::uint32_t descriptor_word3(instruction::Target target) {
  constexpr std::uint32_t format = 4u << 15 | 7u << 12;
  const instruction::ProcessorRow& processor = instruction::processor(target);
  if (processor.has(instruction::Feature::wide_buffer_resource)) return 0;
  return processor.has(instruction::Feature::gfx9_code) ? format : 3u << 28 | 1u << 24 | format;
}

mlir::VectorType integers(const KernelContext& context, int count) {
  return mlir::VectorType::get({count}, context.element());
}

mlir::Value wide(const KernelContext& context, const Extent& extent) {
  return context.wide_value_of(context.wide(extent));
}

// The number of bytes from the first element of a matrix to the end of its last element.
Extent span(const KernelContext& context, const MatrixRecord& matrix, plan::Loop rows,
            plan::Loop columns, int bytes) {
  const auto along = [&](const Axis& axis, plan::Loop loop) {
    return context.place(context.extent(axis), context.sum(context.size(loop), {-1, {}}));
  };
  const Extent last = context.sum(along(matrix.row, rows), along(matrix.column, columns));
  return context.scaled(context.sum(last, {1, {}}), bytes);
}

mlir::Value descriptor(const KernelContext& context, mlir::Value pointer, mlir::Value size) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const auto type = mlir::LLVM::LLVMPointerType::get(builder.getContext(), 8);
  const mlir::Value stride = mlir::arith::ConstantOp::create(builder, builder.getI16IntegerAttr(0));
  return mlir::ROCDL::MakeBufferRsrcOp::create(
      builder, type, pointer, stride, size,
      context.constant(descriptor_word3(context.plan.target)));
}

}  // namespace

// The offset of the matrix in the batch is added to the 64-bit pointer: a batch may be larger than
// the offsets of a buffer descriptor reach.
mlir::Value first_of_batch(const KernelContext& context, mlir::Value pointer,
                           const MatrixRecord& matrix) {
  const int bytes = counted_bytes(matrix.element);
  const bool moves = context.batch && !matrix.batch.is({});
  Extent offset{matrix.offset * bytes, {}};
  if (moves) {
    const AxisExtent batch = context.extent(matrix.batch, bytes, /*is_wide=*/true);
    offset = context.sum(offset, {-1, context.place(batch, context.batch)});
  }
  if (offset.is_known() && offset.known == 0) return pointer;
  return context.further(pointer, context.wide_value_of(offset));
}

mlir::Value make_buffer(const KernelContext& context, mlir::Value pointer,
                        const MatrixRecord& matrix, plan::Loop rows, plan::Loop columns) {
  const int bytes = counted_bytes(matrix.element);
  const Extent in_matrix = span(context, matrix, rows, columns, bytes);
  if (!shares_bytes(matrix.element))
    return descriptor(context, first_of_batch(context, pointer, matrix), wide(context, in_matrix));
  const Extent last = context.sum(context.size(plan::Loop::batch), {-1, {}});
  const Extent halves =
      context.sum(context.sum(in_matrix, context.place(context.extent(matrix.batch), last)),
                  {matrix.offset + 1, {}});
  if (halves.is_known()) return descriptor(context, pointer, wide(context, {halves.known / 2, {}}));
  return descriptor(context, pointer, wide(context, {-1, context.divide(halves.value, 2)}));
}

mlir::Value KernelContext::buffer_place(const AxisExtent& axis, mlir::Value number,
                                        bool is_uniform) const {
  const bool jumps_back = std::ranges::any_of(axis.jumps, [](const AxisExtent::Jump& jump) {
    return !jump.elements.is_known() || jump.elements.known < 0;
  });
  return place(axis, jumps_back ? opaque(number, is_uniform) : number);
}

// Passes `number` through an empty asm statement, in a scalar or a vector register, so that LLVM
// cannot see how it was computed.
mlir::Value KernelContext::opaque(mlir::Value number, bool is_uniform) const {
  auto same = mlir::LLVM::InlineAsmOp::create(
      builder, number.getType(), number, "", is_uniform ? "=s,0" : "=v,0",
      /*has_side_effects=*/false, /*is_align_stack=*/false, mlir::LLVM::TailCallKind::None,
      mlir::LLVM::AsmDialectAttr(), mlir::ArrayAttr());
  return same.getResult(0);
}

mlir::Value first_in_buffer(const KernelContext& context, const MatrixRecord& matrix) {
  if (!shares_bytes(matrix.element)) return {};
  const mlir::Value offset = context.constant(matrix.offset);
  if (!context.batch) return offset;
  return context.add(offset, context.place(context.extent(matrix.batch), context.batch));
}

mlir::Value load_buffer(const KernelContext& context, mlir::Type type, mlir::Value buffer,
                        mlir::Value offset, mlir::Value scalar) {
  const mlir::Value zero = context.constant(0);
  const mlir::ArrayAttr none;  // alias and type information
  return mlir::ROCDL::RawPtrBufferLoadOp::create(context.builder, type, buffer, offset,
                                                 scalar ? scalar : zero, zero, none, none, none);
}

void store_buffer(const KernelContext& context, mlir::Value value, mlir::Value buffer,
                  mlir::Value offset) {
  const mlir::Value zero = context.constant(0);
  const mlir::ArrayAttr none;  // alias and type information
  mlir::ROCDL::RawPtrBufferStoreOp::create(context.builder, value, buffer, offset, zero, zero, none,
                                           none, none);
}

CopyScopes::CopyScopes(mlir::MLIRContext* context) {
  const auto name = [&](const char* text) { return mlir::StringAttr::get(context, text); };
  const auto domain = mlir::LLVM::AliasScopeDomainAttr::get(context, name("lds"));
  const auto scope = [&](const char* text) {
    return mlir::ArrayAttr::get(context, {mlir::LLVM::AliasScopeAttr::get(domain, name(text))});
  };
  copies = scope("copies");
  others = scope("others");
}

namespace {

// A fence that becomes no instruction, but past which LLVM moves neither loads nor copies.
void keep_order(const KernelContext& context) {
  mlir::LLVM::FenceOp::create(context.builder, mlir::LLVM::AtomicOrdering::acq_rel, "singlethread");
}

}  // namespace

void copy_to_shared(const KernelContext& context, mlir::Value buffer, mlir::Value offset,
                    mlir::Value beyond, mlir::Value to) {
  const mlir::Value zero = context.constant(0);
  mlir::ROCDL::RawPtrBufferLoadLdsOp::create(
      context.builder, buffer, context.further(context.shared, to), context.constant(16), offset,
      beyond, zero, zero, context.scopes->copies, mlir::ArrayAttr(), mlir::ArrayAttr());
}

void copy_lane_to_shared(const KernelContext& context, mlir::Value from, mlir::Value to,
                         int bytes) {
  const mlir::Value place = context.further(context.shared, to);
  const mlir::ArrayAttr none;
  const auto copy = [&]<class Load>() {
    Load::create(context.builder, from, place, 0, 0, context.scopes->copies, none, none);
  };
  if (bytes == 16) return copy.operator()<mlir::ROCDL::GlobalLoadAsyncToLDSB128Op>();
  if (bytes == 8) return copy.operator()<mlir::ROCDL::GlobalLoadAsyncToLDSB64Op>();
  copy.operator()<mlir::ROCDL::GlobalLoadAsyncToLDSB32Op>();
}

mlir::Value pointer_to_zeros(const KernelContext& context) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  constexpr unsigned global_space = 1, alignment = 16;
  constexpr const char* name = "zeros";
  auto module = builder.getBlock()->getParentOp()->getParentOfType<mlir::gpu::GPUModuleOp>();
  auto zeros = module.lookupSymbol<mlir::LLVM::GlobalOp>(name);
  if (!zeros) {
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    const auto type = mlir::VectorType::get({4}, builder.getI32Type());
    zeros = mlir::LLVM::GlobalOp::create(builder, type, /*isConstant=*/true,
                                         mlir::LLVM::Linkage::Internal, name,
                                         builder.getZeroAttr(type), alignment, global_space);
  }
  return mlir::LLVM::AddressOfOp::create(builder, zeros);
}

// Copies by the descriptor of a tile of two dimensions, which consists of two groups of words:
//
//   group 0   word 0: 1 for a valid tile. Word 1: the place in LDS. Words 2 and 3: the address, of
//             57 bits, with the number 2 in the two highest bits of word 3.
//   group 1   word 0: log2 of an element's bytes in bits 16 and 17; bit 20 for padding; log2 of
//             the words between paddings, less 1, from bit 22 on; the words of a padding, less 1,
//             from bit 25 on. From bit 16 of word 1 on, one after the other: the inner and the
//             outer size in memory, 32 bits each; the inner and the outer size of the tile, 16 bits
//             each; 16 bits for a third dimension; the distance of two outer indices, 48 bits.
//
// Source: LLVM's groups of llvm.amdgcn.tensor.load.to.lds, MLIR's amdgpu.make_dma_descriptor and
// Triton's TDMUtility.cpp.
void copy_tile_to_shared(const KernelContext& context, const TileDescriptor& tile) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  std::int64_t first = std::countr_zero(static_cast<unsigned>(tile.bytes)) << 16;
  for (const memory::Padding& padding : tile.padding) {
    const auto words = [&](std::uint64_t elements) {
      return static_cast<std::int64_t>(elements) * tile.bytes / 4;
    };
    const auto interval = std::countr_zero(static_cast<std::uint64_t>(words(padding.interval)));
    first |= std::int64_t{1} << 20 | std::int64_t{interval - 1} << 22 |
             (words(padding.amount) - 1) << 25;
  }
  // The sizes are at most those of the tile, which have 16 bits, so each size fits into half a
  // word.
  const auto upper_half = [&](const Extent& size) {
    return context.value_of(context.scaled(size, 1 << 16));
  };
  const auto word = [&](int number) -> mlir::Value {
    const mlir::Value shifted =
        number == 0 ? tile.address
                    : mlir::arith::ShRUIOp::create(builder, tile.address,
                                                   context.wide_value_of({32 * number, {}}));
    return mlir::arith::TruncIOp::create(builder, builder.getI32Type(), shifted);
  };
  const auto vector = [&](llvm::ArrayRef<mlir::Value> words) -> mlir::Value {
    const auto type =
        mlir::VectorType::get({static_cast<std::int64_t>(words.size())}, builder.getI32Type());
    return mlir::vector::FromElementsOp::create(builder, type, words);
  };
  constexpr std::uint32_t type = 2u << 30;
  const mlir::Value zero = context.constant(0);
  const mlir::Value group0 =
      vector({context.constant(1), tile.to, word(0),
              mlir::arith::OrIOp::create(builder, word(1), context.constant(type))});
  const mlir::Value group1 =
      vector({context.constant(first), upper_half(tile.inner), upper_half(tile.outer),
              context.constant(tile.tile_inner << 16), context.constant(tile.tile_outer),
              context.value_of(tile.distance), zero, zero});
  const mlir::ArrayAttr none;
  mlir::ROCDL::TensorLoadToLDSD2Op::create(builder, group0, group1, 0, none, none, none);
}

namespace {

// asynccnt is assumed to have six bits (docs/emulator.md), so a wait can leave at most 63 copies in
// flight. To leave fewer in flight than are allowed is never wrong.
constexpr int most_async_copies = 63;

// Waits until at most `copies` of the wave's copies to LDS are in flight, and at most `lds` of its
// accesses to LDS. If `copies` or `lds` has no value, does not wait for copies or accesses.
void await_own(const KernelContext& context, std::optional<CopyCount> copies,
               std::optional<int> lds) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const auto has = [&](plan::Copies by) {
    return copies && (context.plan.a.copies == by || context.plan.b.copies == by);
  };
  const bool has_pieces = has(plan::Copies::pieces);
  const bool is_async = plan::are_asynchronous(plan::Copies::pieces, context.plan.target);
  const auto count = [&](bool is_counted, int number) {
    return is_counted ? builder.getI32IntegerAttr(number) : mlir::IntegerAttr();
  };
  if (has_pieces && is_async)
    mlir::ROCDL::WaitAsynccntOp::create(
        builder, static_cast<std::uint16_t>(std::min(copies->pieces, most_async_copies)));
  const mlir::IntegerAttr none;
  mlir::amdgpu::MemoryCounterWaitOp::create(
      builder, count(has_pieces && !is_async, has_pieces ? copies->pieces : 0), none,
      count(lds.has_value(), lds.value_or(0)), none,
      count(has(plan::Copies::tiles), copies ? copies->tiles : 0));
}

}  // namespace

void await_copies(const KernelContext& context, const CopyCount& running) {
  await_own(context, running, 0);
  meet_waves(context);
}

void await_own_copies(const KernelContext& context, const CopyCount& running) {
  await_own(context, running, {});
}

void await_own_lds(const KernelContext& context) { await_own(context, {}, 0); }

// A barrier without a fence. A barrier with a fence of the workgroup, such as amdgpu.lds_barrier,
// would also wait for all copies.
void meet_waves(const KernelContext& context) {
  keep_order(context);
  mlir::ROCDL::SBarrierOp::create(context.builder);
  keep_order(context);
}

mlir::Value load_copied(const KernelContext& context, int count, mlir::Value base,
                        std::int64_t constant, bool transposes) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const mlir::Value place = context.further(context.further(context.shared, base), constant);
  const mlir::VectorType type = integers(context, count);
  const int bytes = context.plan.problem.element_bytes();
  const auto unseen = [&](auto load) -> mlir::Value {
    load.setAliasScopesAttr(context.scopes->others);
    load.setNoaliasScopesAttr(context.scopes->copies);
    return load;
  };
  if (!transposes)
    return unseen(
        mlir::LLVM::LoadOp::create(builder, type, place, static_cast<unsigned>(count * bytes)));
  const mlir::ArrayAttr none;
  const bool is_gfx1250 =
      instruction::row(context.plan.target).has(instruction::Feature::gfx1250_code);
  const auto words = mlir::VectorType::get({2}, builder.getI32Type());
  if (bytes == 2 && is_gfx1250)
    return unseen(mlir::ROCDL::DsLoadTr16_B128::create(builder, type, place, none, none, none));
  if (bytes == 2)
    return unseen(mlir::ROCDL::ds_read_tr16_b64::create(builder, type, place, none, none, none));
  const mlir::Value loaded =
      is_gfx1250
          ? unseen(mlir::ROCDL::DsLoadTr8_B64::create(builder, words, place, none, none, none))
          : unseen(mlir::ROCDL::ds_read_tr8_b64::create(builder, words, place, none, none, none));
  return mlir::vector::BitCastOp::create(builder, type, loaded);
}

mlir::Value load_shared(const KernelContext& context, int count, mlir::Value base,
                        std::int64_t constant) {
  const auto alignment = static_cast<unsigned>(count * context.plan.problem.element_bytes());
  return mlir::LLVM::LoadOp::create(
      context.builder, integers(context, count),
      context.further(context.further(context.shared, base), constant), alignment);
}

void store_shared(const KernelContext& context, mlir::Value vector, mlir::Value base,
                  std::int64_t constant) {
  const auto count = mlir::cast<mlir::VectorType>(vector.getType()).getNumElements();
  const auto alignment = static_cast<unsigned>(count * context.plan.problem.element_bytes());
  auto store = mlir::LLVM::StoreOp::create(
      context.builder, vector, context.further(context.further(context.shared, base), constant),
      alignment);
  if (!context.scopes) return;
  store.setAliasScopesAttr(context.scopes->others);
  store.setNoaliasScopesAttr(context.scopes->copies);
}

void keep_apart(const KernelContext& context) {
  mlir::amdgpu::SchedBarrierOp::create(context.builder, mlir::amdgpu::sched_barrier_opt_enum::none);
}

}  // namespace heddle::compiler
