// The kernels on the SIMT model.
#include "cuda/kernels/kernels.cu"
#include "cuda/kernels/warpgroup_kernels.cu"
