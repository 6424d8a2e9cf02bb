// <cuComplex.h> where there is no CUDA SDK.
#pragma once

#include "cuda_runtime.h"

#include <hip/hip_complex.h>

#define cuFloatComplex hipFloatComplex
#define cuDoubleComplex hipDoubleComplex
#define cuComplex hipComplex
#define make_cuFloatComplex make_hipFloatComplex
#define make_cuDoubleComplex make_hipDoubleComplex
#define make_cuComplex make_hipComplex
#define cuCrealf hipCrealf
#define cuCimagf hipCimagf
#define cuCreal hipCreal
#define cuCimag hipCimag
#define cuConjf hipConjf
#define cuConj hipConj
#define cuCabsf hipCabsf
#define cuCabs hipCabs
#define cuCaddf hipCaddf
#define cuCadd hipCadd
#define cuCsubf hipCsubf
#define cuCsub hipCsub
#define cuCmulf hipCmulf
#define cuCmul hipCmul
#define cuCdivf hipCdivf
#define cuCdiv hipCdiv
#define cuCfmaf hipCfmaf
#define cuCfma hipCfma
