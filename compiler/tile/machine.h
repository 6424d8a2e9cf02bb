// What each machine does in its own way for the verbs on tiles. Instructions of the catalogue and
// loads of fragments are chosen by data (multiply.h, shared_tile.h).
#pragma once

#include <array>
#include <memory>

#include "compiler/kernel/global_matrix.h"
#include "heddle/instruction/target.h"

namespace heddle::compiler {

class Machine {
 public:
  virtual ~Machine() = default;

  /// Copies 16 bytes from global to shared memory, zeros where `valid` (i1; null: always) is false,
  /// without registers. `wait` leaves the copies of the `newer` commits after them in flight.
  virtual void copy(mlir::Value target, mlir::Value source, mlir::Value valid) const = 0;
  virtual void commit() const = 0;
  virtual void wait(int newer) const = 0;

  /// All threads of the block have come here, and see what the others wrote to shared memory.
  virtual void barrier() const = 0;

  /// 2^x of f32, to 2 ulp; a result below the normal numbers may be 0.
  virtual mlir::Value power_of_two(mlir::Value x) const = 0;
  /// 1 / x of f32, to 1 ulp.
  virtual mlir::Value reciprocal(mlir::Value x) const = 0;
  /// The larger of two f32; if one is NaN, the other or NaN.
  mlir::Value larger(mlir::Value x, mlir::Value y) const;
  /// Four f32 as bytes of a float of 8 bits, the first one lowest: i32. Numbers beyond its largest
  /// are not converted.
  virtual mlir::Value bytes(const std::array<mlir::Value, 4>& x,
                            instruction::ElementType type) const = 0;
  /// i1, the same in all lanes of the warp: true if x (i1) is in any of them.
  virtual mlir::Value any(mlir::Value x) const = 0;
  /// x (32 bits) of the lane whose number differs by `mask`.
  virtual mlir::Value of_lane(mlir::Value x, int mask) const = 0;

 protected:
  explicit Machine(const GlobalContext& context) : context_(context) {}
  const GlobalContext& context_;
};

/// The machine of the target. `context` stays where it is.
std::unique_ptr<Machine> machine_of(instruction::Target target, const GlobalContext& context);

}  // namespace heddle::compiler
