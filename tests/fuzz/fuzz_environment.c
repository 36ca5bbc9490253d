// Any bytes as the value of an environment variable that is parsed. The first byte chooses it.
#define _POSIX_C_SOURCE 200809L
#include "base/memory.h"
#include "fuzz.h"

#include "device/device.h"
#include "program/program.h"
#include "tune/tune.h"

#include <string.h>

enum { BYTES_MAX = 8192 };

static sedge_status read_cache(void)
{
    sedge_cache *cache = NULL;
    const sedge_status status = sedge_cache_create(&cache, "/proc/none"); // no such folder

    FUZZ_CHECK(status != SEDGE_OK || sedge_cache_problem(cache) != NULL);
    sedge_cache_free(cache);
    return status;
}

static sedge_status read_level(void)
{
    sedge_tune_level level = SEDGE_TUNE_OFF;
    const sedge_status status = sedge_tune_level_default(&level, SEDGE_TUNE_FAST);

    FUZZ_CHECK(level >= SEDGE_TUNE_OFF && level <= SEDGE_TUNE_EXHAUSTIVE);
    return status;
}

static sedge_status read_order(void)
{
    uint64_t seed = 0;
    bool random = false;

    return sedge_order_requested(&random, &seed);
}

static sedge_status read_source(void)
{
    char *text = NULL;
    const sedge_status status = sedge_source_get(&text, "codegen/kernels/reduce/philox.h");

    FUZZ_CHECK((text != NULL) == (status == SEDGE_OK));
    sedge_release(text);
    return status;
}

static const struct {
    const char *name;
    sedge_status (*read)(void);
} variables[] = {
    {"SEDGE_CACHE_MAX", read_cache}, {"SEDGE_CACHE_SITE", read_cache}, {"SEDGE_TUNE", read_level},
    {"SEDGE_ORDER", read_order},     {"SEDGE_KERNELS", read_source},
};

int FUZZ_ONE(const uint8_t *data, size_t size)
{
    if (size < 1 || size > BYTES_MAX) return 0;
    const size_t which = data[0] % (sizeof variables / sizeof *variables);
    char *const value = fuzz_text(data + 1, size - 1);

    FUZZ_CHECK(setenv(variables[which].name, value, 1) == 0);
    const sedge_status status = variables[which].read();
    FUZZ_CHECK(status == SEDGE_OK || status == SEDGE_ERR_USAGE);
    if (status != SEDGE_OK) fuzz_check_message();
    FUZZ_CHECK(unsetenv(variables[which].name) == 0);
    free(value);
    return 0;
}
