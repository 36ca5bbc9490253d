// What a profiler puts into a program: a library that NVTX loads by NVTX_INJECTION64_PATH. For each
// range it writes process, thread and "begin NAME" or "end" to the file SEDGE_TEST_RANGES.
#define _POSIX_C_SOURCE 200809L // getpid
#include <nvtx3/nvToolsExt.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int record(const char *what, const char *name)
{
    static _Thread_local char mark; // its place is no other thread's
    const char *const path = getenv("SEDGE_TEST_RANGES");
    FILE *const file = path != NULL ? fopen(path, "a") : NULL;

    if (file == NULL) abort();
    (void)fprintf(file, "%ld %p %s %s\n", (long)getpid(), (void *)&mark, what, name);
    return fclose(file);
}

static int NVTX_API push(const char *name)
{
    return record("begin", name);
}

static int NVTX_API pop(void)
{
    return record("end", "");
}

// NVTX looks for these names. NOLINTNEXTLINE(readability-identifier-naming)
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);
// NOLINTNEXTLINE(readability-identifier-naming)
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
    const NvtxExportTableCallbacks *const callbacks = get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table = NULL;
    unsigned int size = 0;

    if (callbacks == NULL ||
        callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0 ||
        size <= NVTX_CBID_CORE_RangePop)
        return 0;
    *table[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
    return 1;
}
