// The kernels on the SIMT model.
#include "cuda/kernels/kernels.cu"
