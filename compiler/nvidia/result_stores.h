// Stores the sums of a thread to D in global memory, straight from registers.
#pragma once

#include <vector>

#include "compiler/nvidia/result_elements.h"
#include "heddle/layout/linear_layout.h"

namespace heddle::compiler {

/// The sums of a tile of D that the threads of a warp hold.
struct HeldSums {
  layout::LinearLayout layout;   // (register, lane, warp, atom_m, atom_n) -> (m, n) in the tile
  int atoms_m = 1, atoms_n = 1;  // how many there are
  int rows = 0, columns = 0;     // of the tile, or of those that lie in D or beyond it together
};

/// Adds C to the sums of a thread, rounds, applies the epilogues, and stores those elements of the
/// tile that are inside D. The sums of the atoms atom_m and atom_n begin at sums[(atom_m * atoms_n
/// + atom_n) * registers].
void store_sums(const GlobalContext& context, const HeldSums& held,
                const std::vector<mlir::Value>& sums, const BlockTile& tile,
                const MatmulRequest& request, const GlobalMatrices& matrices);

}  // namespace heddle::compiler
