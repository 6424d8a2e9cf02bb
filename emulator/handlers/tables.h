// Declares the opcode tables. There is one set of tables for each instruction set of the host
// (level). row.h says what a row contains.
#pragma once

#include "emulator/handlers/row.h"

#define HEDDLE_DECLARE_TABLES(level)   \
  namespace heddle::emulator::level {  \
  Rows vector_integer_rows();          \
  Rows vector_float_rows();            \
  Rows vector_half_rows();             \
  Rows vector_bytes_rows();            \
  Rows vector_compare_rows();          \
  Rows cdna_rows();                    \
  Rows float_conversion_rows();        \
  Rows gfx1250_rows();                 \
  Rows lane_rows();                    \
  Rows matrix_rows();                  \
  Rows mfma_rows();                    \
  Rows wmma_gfx1250_rows();            \
  Rows global_rows();                  \
  Rows lds_rows();                     \
  Rows tensor_rows();                  \
  Rows scalar_arithmetic_rows();       \
  Rows scalar_float_rows();            \
  Rows scalar_control_rows();          \
  Rows scalar_memory_rows();           \
  Handler dual_handler(bool deferred); \
  }

HEDDLE_DECLARE_TABLES(portable)
HEDDLE_DECLARE_TABLES(x86_64_v3)
HEDDLE_DECLARE_TABLES(x86_64_v4)
#undef HEDDLE_DECLARE_TABLES
