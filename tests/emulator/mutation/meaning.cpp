#include "meaning.h"

namespace heddle::emulator::testing {
namespace {

// The number behind a name, as in "vmcnt(3)" or "s_wait_dscnt 0x0"; -1 without the name.
int number_after(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name);
  return at == std::string::npos ? -1 : std::stoi(text.substr(at + name.size()), nullptr, 0);
}

bool read_wait(Meaning& meaning, const std::string& text) {
  const auto starts = [&](const char* prefix) { return text.starts_with(prefix); };
  if (starts("s_wait_loadcnt_dscnt ") || starts("s_wait_storecnt_dscnt ")) {
    const int both = number_after(text, "dscnt ");
    meaning.wait[lds] = both & 63;
    meaning.wait[starts("s_wait_loadcnt_dscnt ") ? loads : stores] = both >> 8 & 63;
  } else if (starts("s_wait_loadcnt ")) {
    meaning.wait[loads] = number_after(text, "cnt ");
  } else if (starts("s_wait_storecnt ")) {
    meaning.wait[stores] = number_after(text, "cnt ");
  } else if (starts("s_wait_dscnt ")) {
    meaning.wait[lds] = number_after(text, "cnt ");
  } else if (starts("s_wait_kmcnt ")) {
    meaning.wait[scalars] = number_after(text, "cnt ");
  } else if (starts("s_wait_asynccnt ")) {
    meaning.wait[copies] = number_after(text, "cnt ");
  } else if (starts("s_wait_tensorcnt ")) {
    meaning.wait[transfers] = number_after(text, "cnt ");
  } else if (starts("s_wait_idle")) {
    meaning.wait.fill(0);
  } else if (starts("s_waitcnt_vscnt ")) {
    meaning.wait[stores] = number_after(text, ", ");
  } else if (starts("s_waitcnt ")) {
    meaning.wait[loads] = number_after(text, "vmcnt(");
    meaning.wait[lds] = number_after(text, "lgkmcnt(");
  } else {
    return false;
  }
  return true;
}

// gfx11: glc of a load goes past L0 and L1, and atomics are carried out in L2, which stores reach
// too. gfx12 says the scope; no scope is the wave's own cache.
Reach reach_of(const Meaning& meaning, const std::string& text, bool gfx12) {
  if (!gfx12) return meaning.is_atomic || text.contains(" glc") ? Reach::device : Reach::wave;
  if (text.contains("scope:SCOPE_DEV") || text.contains("scope:SCOPE_SYS")) return Reach::device;
  return text.contains("scope:SCOPE_SE") ? Reach::workgroup : Reach::wave;
}

void read_vector_memory(Meaning& meaning, const std::string& text, bool gfx12) {
  meaning.is_memory = true;
  meaning.is_flat = text.starts_with("flat_");
  meaning.is_private = text.starts_with("scratch_");
  meaning.is_atomic = text.contains("_atomic_");
  meaning.is_store = text.contains("_store_");
  meaning.returns =
      meaning.is_atomic ? text.contains(gfx12 ? "TH_ATOMIC_RETURN" : " glc") : !meaning.is_store;
  // LLVM pull request 165587. On gfx11 loads write in order, and the other half is that of the load
  // before.
  meaning.restores_half = gfx12 && meaning.returns && text.contains("d16");
  meaning.queue = meaning.returns ? vector_queue : store_queue;
  meaning.counts[meaning.returns ? loads : stores] = true;
  meaning.counts[lds] = meaning.is_flat;
  meaning.reach = reach_of(meaning, text, gfx12);
  if (!text.contains("_async_")) return;
  meaning.is_copy = true;
  meaning.returns = false;
  meaning.queue = copy_queue;
  meaning.counts = {};
  meaning.counts[copies] = true;
}

// gfx1250: a tile between memory and LDS, with a counter of its own.
void read_transfer(Meaning& meaning, const std::string& text) {
  meaning.is_memory = meaning.is_copy = meaning.counts[transfers] = true;
  meaning.is_store = text.starts_with("tensor_store");
  meaning.queue = transfer_queue;
}

// CDNA: loads, stores and cache controls count in vmcnt and end in order; scalar loads and LDS
// count in lgkmcnt. sc1 says that a load goes past the cache of the compute unit, and atomics are
// carried out in L2.
Meaning meaning_of_cdna(const std::string& text) {
  Meaning meaning;
  const auto starts = [&](const char* prefix) { return text.starts_with(prefix); };
  if (read_wait(meaning, text)) return meaning;
  if (starts("ds_")) {
    meaning.is_memory = meaning.counts[lds] = true;
    meaning.queue = lds_queue;
    meaning.returns = starts("ds_read") || starts("ds_bpermute") || starts("ds_permute") ||
                      starts("ds_swizzle") || text.contains("_rtn_");
    meaning.is_store = starts("ds_write");
    meaning.is_atomic = !meaning.is_store && (text.contains("_rtn_") || !meaning.returns);
  } else if (starts("s_load_") || starts("s_buffer_load_")) {
    meaning.is_memory = meaning.returns = meaning.counts[lds] = true;
    meaning.queue = scalar_queue;
  } else if (starts("s_dcache_inv")) {
    meaning.renews_scalars = true;
  } else if (starts("buffer_inv") || starts("buffer_wbinvl1")) {
    meaning.is_memory = meaning.is_cache_control = meaning.counts[loads] = true;
    meaning.renews_wave = true;
    meaning.renews_workgroup = true;
  } else if (starts("buffer_wbl2")) {
    meaning.is_memory = meaning.is_cache_control = meaning.counts[loads] = true;
    meaning.queue = store_queue;
  } else if (starts("global_") || starts("flat_") || starts("buffer_") || starts("scratch_")) {
    meaning.is_memory = meaning.counts[loads] = true;
    meaning.is_flat = meaning.counts[lds] = starts("flat_");
    meaning.is_private = starts("scratch_");
    meaning.is_atomic = text.contains("_atomic_");
    meaning.is_store = text.contains("_store_");
    meaning.returns =
        meaning.is_atomic ? text.contains(" sc0") || text.contains(" glc") : !meaning.is_store;
    meaning.queue = meaning.returns ? vector_queue : store_queue;
    meaning.is_copy = text.contains("_lds_") || text.ends_with(" lds");
    if (meaning.is_copy) meaning.returns = false;
    meaning.reach = meaning.is_atomic || text.contains(" sc1") || text.contains(" glc")
                        ? Reach::device
                        : Reach::wave;
  }
  return meaning;
}

}  // namespace

Meaning meaning_of(const std::string& text, const Target& target) {
  if (target.has(Feature::gfx9_code)) return meaning_of_cdna(text);
  const bool gfx12 = target.has(Feature::gfx12_code);
  Meaning meaning;
  const auto starts = [&](const char* prefix) { return text.starts_with(prefix); };
  if (read_wait(meaning, text)) return meaning;
  if (starts("ds_")) {
    meaning.is_memory = meaning.counts[lds] = true;
    meaning.queue = lds_queue;
    meaning.returns =
        starts("ds_load") || starts("ds_bpermute") || starts("ds_permute") || starts("ds_swizzle");
    meaning.is_atomic = !meaning.returns && !starts("ds_store");
    meaning.is_store = starts("ds_store");
    meaning.returns = meaning.returns || text.contains("_rtn_");
  } else if (starts("s_load_") || starts("s_buffer_load_")) {
    meaning.is_memory = meaning.returns = true;
    meaning.counts[gfx12 ? scalars : lds] = true;
    meaning.queue = scalar_queue;
  } else if (starts("s_dcache_inv")) {
    meaning.renews_scalars = true;
  } else if (starts("buffer_gl0_inv")) {
    meaning.renews_wave = true;
  } else if (starts("buffer_gl1_inv")) {
    meaning.renews_workgroup = true;
  } else if (starts("global_inv")) {
    // It counts as a load does (LLVM, SIInsertWaitcnts). The loads behind it come after it without
    // a wait: LLVM's compiler puts none between the two.
    meaning.is_memory = meaning.is_cache_control = meaning.counts[loads] = true;
    meaning.renews_wave =
        text.contains("SCOPE_SE") || text.contains("SCOPE_DEV") || text.contains("SCOPE_SYS");
    meaning.renews_workgroup = text.contains("SCOPE_DEV") || text.contains("SCOPE_SYS");
  } else if (starts("global_wb")) {
    // Stores reach L2 without it, but for those to other devices.
    meaning.is_memory = meaning.is_cache_control = meaning.counts[stores] = true;
    meaning.queue = store_queue;
  } else if (starts("tensor_")) {
    read_transfer(meaning, text);
  } else if (starts("global_") || starts("flat_") || starts("buffer_") || starts("scratch_")) {
    read_vector_memory(meaning, text, gfx12);
  }
  return meaning;
}

}  // namespace heddle::emulator::testing
