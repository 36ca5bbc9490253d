#include "forms/target.h"

bool operator_is_host_form(const sedge_device_info *info)
{
    return sedge_traits_of(info->kind)->in_call && !info->random_order;
}

int operator_chip_blocks(int64_t bytes)
{
    const int64_t blocks = OPERATOR_CHIP_SHARED / (bytes + OPERATOR_CHIP_SHARED_MORE);

    return blocks < 1 ? 1 : blocks > 32 ? 32 : (int)blocks;
}

int operator_round_up(int value, int multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}
