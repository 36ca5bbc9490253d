// A driver that has every function that sedge asks for and does nothing (fake/cuda.c has those that
// do something). A call without the device's context fails, as a true driver's does.
#include "device/cuda/cuda_driver.h"

#include "fake/cuda.h"

#define STUB(name)                                                            \
    int fake_stub_##name(void) __asm__(SEDGE_CUDA_NAME(name));                \
    __attribute__((weak)) int fake_stub_##name(void)                          \
    {                                                                         \
        return fake_is_entered() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; \
    }
SEDGE_CUDA_FUNCTIONS(STUB)
SEDGE_CUDA_PEER_FUNCTIONS(STUB)
