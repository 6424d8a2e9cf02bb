// The operations on tiles for which each machine needs different code. Matrix instructions and
// loads of fragments are chosen from the catalogue's data instead, so they are not here (verbs.h,
// shared_tile.h).
#pragma once

#include <array>
#include <memory>

#include "compiler/kernel/global_matrix.h"
#include "heddle/instruction/target.h"

namespace heddle::compiler {

class Machine {
 public:
  virtual ~Machine() = default;

  /// copy() copies 16 bytes from global to shared memory asynchronously, without registers. If
  /// `valid` (i1; null: true) is false, it writes zeros instead. commit() makes one group of the
  /// copies since the last commit(). wait(n) waits until at most the n newest groups are still in
  /// flight.
  virtual void copy(mlir::Value target, mlir::Value source, mlir::Value valid) const = 0;
  virtual void commit() const = 0;
  virtual void wait(int newer) const = 0;

  /// Waits until all threads of the thread block have reached this barrier. After it, they see what
  /// the others wrote to shared memory before it.
  virtual void barrier() const = 0;

  /// 2^x of f32, to 2 ulp; a result below the normal numbers may be 0.
  virtual mlir::Value power_of_two(mlir::Value x) const = 0;
  /// 1 / x of f32, to 1 ulp.
  virtual mlir::Value reciprocal(mlir::Value x) const = 0;
  /// The larger of two f32. If one of them is NaN, the result is either the other or NaN.
  mlir::Value larger(mlir::Value x, mlir::Value y) const;
  /// Converts four f32 to 8-bit floats of `type` and packs them into one i32, with x[0] in the
  /// lowest byte. Precondition: no number exceeds the largest number of the type.
  virtual mlir::Value bytes(const std::array<mlir::Value, 4>& x,
                            instruction::ElementType type) const = 0;
  /// An i1 that is the same in all lanes of the warp: true if x (i1) is true in any lane.
  virtual mlir::Value any(mlir::Value x) const = 0;
  /// The value that x (32 bits) has in another lane: the one whose number is this lane's number xor
  /// `mask`.
  virtual mlir::Value of_lane(mlir::Value x, int mask) const = 0;

 protected:
  explicit Machine(const GlobalContext& context) : context_(context) {}
  const GlobalContext& context_;
};

/// The machine of the target. `context` must outlive it.
std::unique_ptr<Machine> machine_of(instruction::Target target, const GlobalContext& context);

}  // namespace heddle::compiler
