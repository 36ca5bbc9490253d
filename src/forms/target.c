#include "forms/target.h"

bool operator_is_host_form(const sedge_device_info *info)
{
    return sedge_traits_of(info->kind)->in_call && !info->random_order;
}

int operator_round_up(int value, int multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}
