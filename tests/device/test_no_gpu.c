// Machines without a GPU (hidden here, so that the test holds everywhere): said in words.
#define _DEFAULT_SOURCE // setenv
#include "check.h"
#include "device/device.h"

#include <stdlib.h>

int main(void)
{
    sedge_device *device = NULL;
    const char *why = NULL;

    CHECK(setenv("CUDA_VISIBLE_DEVICES", "-1", 1) == 0);
    CHECK_OK(sedge_device_start_helper());
    CHECK(sedge_device_count_cuda(&why) == 0);
    CHECK(why != NULL && strlen(why) > 10);
    CHECK(sedge_device_count_cuda(NULL) == 0);
    CHECK_FAILS(sedge_device_create(&device, "cuda", 0, 1), SEDGE_ERR_DEVICE,
                "device 'cuda' cannot be used: ");
    CHECK(why != NULL && strstr(sedge_error_message(), why) != NULL);
    CHECK(device == NULL);
    CHECK_OK(sedge_device_create(&device, "auto", 0, 1));
    CHECK(device != NULL && sedge_device_get_info(device)->kind == SEDGE_DEVICE_HOST);
    sedge_device_free(device);
    return CHECK_END();
}
