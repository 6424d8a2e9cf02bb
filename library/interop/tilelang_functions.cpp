#include "heddle/interop/tilelang_functions.h"

#include <array>

namespace heddle::interop::tilelang {
namespace {

struct FunctionRow {
  std::string_view map;    // as interop/native.h reads it
  std::string_view names;  // of the functions, with a blank between two
  std::string_view remark = "";
};

constexpr auto function_rows = std::to_array<FunctionRow>({
    {"register: (0,1) (0,2); lane: (1,0) (2,0) (4,0) (8,0) (0,4) -> dim0: 16, dim1: 8",
     "ldmatrix_32x4_to_shared_16x8_layout_a"},
    {"register: (0,1) (0,2); lane: (1,0) (2,0) (4,0) (0,4) (8,0) -> dim0: 16, dim1: 8",
     "ldmatrix_32x4_to_shared_16x8_layout_b"},
    {"register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8) -> dim0: 16, dim1: 16",
     "ldmatrix_32x8_to_shared_16x16_layout shared_16x16_to_local_32x8_layout_A_gfx12 "
     "thread_id_shared_access_32x8_to_16x16_layout_A_gfx12 "
     "shared_16x16_to_local_32x8_layout_B_colmajor_gfx12 "
     "thread_id_shared_access_32x8_to_16x16_layout_B_colmajor_gfx12"},
    {"register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (0,8) (8,0) -> dim0: 16, dim1: 16",
     "ldmatrix_trans_32x8_to_shared_16x16_layout"},
    {"register: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,16) -> dim0: 16, dim1: "
     "32",
     "ldmatrix_32x16_to_shared_16x32_layout_a"},
    {"register: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (0,16) (8,0) -> dim0: 16, dim1: "
     "32",
     "ldmatrix_32x16_to_shared_16x32_layout_b"},
    {"register: (0,1) (0,2) (8,0) (0,16); lane: (0,4) (1,0) (2,0) (0,8) (4,0) -> dim0: 16, dim1: "
     "32",
     "metal_ct_store_32x16_to_16x32_layout"},
    {"register: (0,1) (8,0) (0,8); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> dim0: 16, dim1: 16",
     "mma_store_32x8_to_shared_16x16_layout shared_16x16_to_mma_a_32x8_layout "
     "shared_16x16_to_mma_32x8_layout_sr_a mma_32x8_to_shared_16x16_layout "
     "mma_load_a_32x8_to_shared_16x16_layout"},
    {"register: (0,1); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> dim0: 8, dim1: 8",
     "mma_store_32x2_to_shared_8x8_layout_fp64"},
    {"register: (8,0) (0,4); lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> dim0: 16, dim1: 8",
     "shared_16x8_to_mma_a_32x4_layout shared_16x8_to_mma_32x4_layout_sr_a "
     "mma_load_a_32x4_to_shared_16x8_layout"},
    {"register: (0,8) (4,0); lane: (1,0) (2,0) (0,1) (0,2) (0,4) -> dim0: 8, dim1: 16",
     "shared_16x8_to_mma_a_32x4_layout_trans shared_16x8_to_mma_32x4_layout_rs_a"},
    {"register: (0,4) (8,0); lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> dim0: 16, dim1: 8",
     "shared_16x8_to_mma_b_32x4_layout shared_16x8_to_mma_32x4_layout_sr_b "
     "mma_load_b_32x4_to_shared_16x8_layout"},
    {"register: (4,0) (0,8); lane: (1,0) (2,0) (0,1) (0,2) (0,4) -> dim0: 8, dim1: 16",
     "shared_16x8_to_mma_b_32x4_layout_trans shared_16x8_to_mma_32x4_layout_rs_b"},
    {"register: (1,0) (0,8) (8,0); lane: (2,0) (4,0) (0,1) (0,2) (0,4) -> dim0: 16, dim1: 16",
     "shared_16x16_to_mma_a_32x8_layout_trans shared_16x16_to_mma_32x8_layout_rs_a"},
    {"register: (0,1) (0,8) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> dim0: 16, dim1: 16",
     "shared_16x16_to_mma_b_32x8_layout shared_16x16_to_mma_32x8_layout_sr_b "
     "mma_load_b_32x8_to_shared_16x16_layout"},
    {"register: (1,0) (8,0) (0,8); lane: (2,0) (4,0) (0,1) (0,2) (0,4) -> dim0: 16, dim1: 16",
     "shared_16x16_to_mma_b_32x8_layout_trans shared_16x16_to_mma_32x8_layout_rs_b"},
    {"register: (0,1) (0,2) (8,0) (0,16); lane: (0,4) (0,8) (1,0) (2,0) (4,0) -> dim0: 16, dim1: "
     "32",
     "shared_16x32_to_mma_a_32x16_layout shared_16x32_to_mma_32x16_layout_sr_a "
     "mma_load_a_32x16_to_shared_16x32_layout"},
    {"register: (1,0) (2,0) (0,8) (16,0); lane: (4,0) (8,0) (0,1) (0,2) (0,4) -> dim0: 32, dim1: "
     "16",
     "shared_32x16_to_mma_a_32x16_layout_trans shared_16x32_to_mma_32x16_layout_rs_a"},
    {"register: (0,1) (0,2) (0,16) (8,0); lane: (0,4) (0,8) (1,0) (2,0) (4,0) -> dim0: 16, dim1: "
     "32",
     "shared_16x32_to_mma_b_32x16_layout shared_16x32_to_mma_32x16_layout_sr_b "
     "mma_load_b_32x16_to_shared_16x32_layout"},
    {"register: (1,0) (2,0) (16,0) (0,8); lane: (4,0) (8,0) (0,1) (0,2) (0,4) -> dim0: 32, dim1: "
     "16",
     "shared_32x16_to_mma_b_32x16_layout_trans shared_16x32_to_mma_32x16_layout_rs_b"},
    {"register: (0,1) (0,2) (0,4) (0,32) (8,0); lane: (0,8) (0,16) (1,0) (2,0) (4,0) -> dim0: 16, "
     "dim1: 64",
     "shared_16x64_to_mma_a_32x32_layout shared_16x64_to_mma_32x32_layout_sr_a"},
    {"register: (1,0) (2,0) (4,0) (32,0) (0,8); lane: (8,0) (16,0) (0,1) (0,2) (0,4) -> dim0: 64, "
     "dim1: 16",
     "shared_64x16_to_mma_a_32x32_layout_trans shared_16x64_to_mma_32x32_layout_rs_a"},
    {"register: (0,1) (0,2) (0,4) (0,32); lane: (0,8) (0,16) (1,0) (2,0) (4,0) -> dim0: 8, dim1: "
     "64",
     "shared_8x64_to_mma_b_32x16_layout shared_8x64_to_mma_32x16_layout_sr_b "
     "mma_load_b_32x16_to_shared_8x64_layout"},
    {"register: (1,0) (2,0) (4,0) (32,0); lane: (8,0) (16,0) (0,1) (0,2) (0,4) -> dim0: 64, dim1: "
     "8",
     "shared_64x8_to_mma_b_32x16_layout_trans shared_8x64_to_mma_32x16_layout_rs_b"},
    {"register: (0,1) (0,2) (0,4) (8,0) (0,32); lane: (0,8) (0,16) (1,0) (2,0) (4,0) -> dim0: 16, "
     "dim1: 64",
     "mma_load_a_32x32_to_shared_16x64_layout"},
    {"register: (0,1) (2,0) (0,8); lane: (1,0) (0,2) (8,0) (0,4) (4,0) -> dim0: 16, dim1: 16",
     "mma_32x8_to_shared_16x16_layout_fp32"},
    {"register: (0,1) (0,2) (0,8); lane: (1,0) (2,0) (8,0) (0,4) (4,0) -> dim0: 16, dim1: 16",
     "mma_32x8_to_shared_16x16_layout_fp16"},
    {"register: (0,1) (0,2); lane: (1,0) (2,0) (8,0) (0,0) (4,0) -> dim0: 16, dim1: 4",
     "mma_load_a_32x4_to_shared_16x4_layout"},
    {"register: (0,1) (0,2); lane: (1,0) (2,0) (0,0) (4,0) (8,0) -> dim0: 16, dim1: 4",
     "mma_load_b_32x4_to_shared_16x4_layout_trans"},
    {"register: (0,1) (0,2); lane: (1,0) (2,0) (0,0) (0,4) (0,8) -> dim0: 4, dim1: 16",
     "mma_load_b_32x4_to_shared_4x16_layout"},
    {"register:; lane: (1,0) (2,0) (4,0) (8,0) (0,1) (0,2) -> dim0: 16, dim1: 4",
     "shared_16x4_to_local_64x1_layout_A thread_id_shared_access_64x1_to_16x4_layout_A"},
    {"register:; lane: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) -> dim0: 4, dim1: 16",
     "shared_4x16_to_local_64x1_layout_B thread_id_shared_access_64x1_to_4x16_layout_B"},
    {"register: (1,0) (2,0); lane: (0,1) (0,2) (0,4) (0,8) (4,0) (8,0) -> dim0: 16, dim1: 16",
     "shared_16x16_to_local_64x4_layout_C thread_id_shared_access_64x4_to_16x16_layout_B "
     "shared_16x16_to_local_64x4_layout_B shared_16x16_to_local_64x4_layout_n_m "
     "shared_16x16_to_local_64x4_layout_k_n thread_id_shared_access_64x4_to_16x16_layout_C_m_n"},
    {"register: (0,1) (0,2); lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,8) -> dim0: 16, dim1: 16",
     "thread_id_shared_access_64x4_to_16x16_layout_A shared_16x16_to_local_64x4_layout_A "
     "shared_16x16_to_local_64x4_layout_m_n shared_16x16_to_local_64x4_layout_n_k "
     "thread_id_shared_access_64x4_to_16x16_layout_C_n_m"},
    {"register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8) (0,16) -> dim0: 16, dim1: "
     "32",
     "thread_id_shared_access_64x8_to_16x32_layout_A shared_16x32_to_local_64x8_layout_A"},
    {"register: (1,0) (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) (16,0) -> dim0: 32, dim1: "
     "16",
     "shared_16x32_to_local_64x8_layout_B thread_id_shared_access_64x8_to_16x32_layout_B"},
    {"register: (1,0) (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (16,0) (32,0) -> dim0: 64, "
     "dim1: 16",
     "thread_id_shared_access_64x16_to_16x64_layout_B"},
    {"register: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,16) (0,32) -> dim0: 16, "
     "dim1: 64",
     "thread_id_shared_access_64x16_to_16x64_layout_A shared_16x64_to_local_64x16_layout_A "
     "shared_16x64_to_local_64x16_layout_B"},
    {"register: (0,1) (0,2) (0,8) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,4) -> dim0: 32, "
     "dim1: 32",
     "shared_32x32_to_local_64x16_layout_C thread_id_shared_access_64x16_to_32x32_layout_C_n_m "
     "thread_id_shared_access_64x16_to_32x32_layout_C_m_n",
     "TileLang calls these (m, n), but D of the 32x32 MFMA instructions is the transpose: its row "
     "is "
     "(lane / 32) * 4 + register % 4 + (register / 4) * 8, its column lane % 32"},
    {"register: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,16) -> dim0: 32, "
     "dim1: 32",
     "shared_32x32_to_local_64x16_layout_A thread_id_shared_access_64x16_to_32x32_layout_A"},
    {"register: (1,0) (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (16,0) -> dim0: 32, "
     "dim1: 32",
     "shared_32x32_to_local_64x16_layout_B thread_id_shared_access_64x16_to_32x32_layout_B"},
    {"register: (1,0) (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> dim0: 16, dim1: 16",
     "shared_16x16_to_local_32x8_layout_A_colmajor_gfx12 "
     "thread_id_shared_access_32x8_to_16x16_layout_A_colmajor_gfx12 "
     "shared_16x16_to_local_32x8_layout_B_gfx12 "
     "thread_id_shared_access_32x8_to_16x16_layout_B_gfx12 "
     "shared_16x16_to_local_32x8_layout_C_gfx12 "
     "thread_id_shared_access_32x8_to_16x16_layout_C_gfx12 wmma_store_index_map_gfx12"},
    {"register: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> dim0: 16, dim1: 16",
     "thread_id_shared_access_32x16_to_16x16_layout_A_gfx11 "
     "thread_id_shared_access_32x16_to_16x16_layout_B_colmajor_gfx11"},
    {"register: (1,0) (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (0,0) -> dim0: 16, dim1: 16",
     "thread_id_shared_access_32x16_to_16x16_layout_A_colmajor_gfx11 "
     "thread_id_shared_access_32x16_to_16x16_layout_B_gfx11"},
    {"register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) -> dim0: 16, dim1: 16",
     "shared_16x16_to_local_32x8_layout_C_gfx11 "
     "thread_id_shared_access_32x8_to_16x16_layout_C_gfx11 wmma_store_index_map_gfx11"},
});

const FunctionRow* find_function(std::string_view text) {
  if (text.starts_with("tilelang.")) text.remove_prefix(text.rfind('.') + 1);
  if (text.empty() || text.contains(' ')) return nullptr;
  for (const FunctionRow& row : function_rows)
    for (std::size_t at = row.names.find(text); at != std::string_view::npos;
         at = row.names.find(text, at + 1)) {
      const std::size_t end = at + text.size();
      const bool begins = at == 0 || row.names[at - 1] == ' ';
      if (begins && (end == row.names.size() || row.names[end] == ' ')) return &row;
    }
  return nullptr;
}

}  // namespace

std::string_view map_of_function(std::string_view text) {
  const FunctionRow* row = find_function(text);
  return row ? row->map : "";
}

std::string_view remark_on_function(std::string_view text) {
  const FunctionRow* row = find_function(text);
  return row ? row->remark : "";
}

}  // namespace heddle::interop::tilelang
