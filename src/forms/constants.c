#include "forms/constants.h"

sedge_status operator_constants_write(sedge_text *text, const operator_constant *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        SEDGE_TRY(sedge_text_add(text, "#define SEDGE_%s %d\n", rows[i].name, rows[i].value));
    return SEDGE_OK;
}
