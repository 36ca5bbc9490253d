#define _GNU_SOURCE // dl_iterate_phdr, dladdr
#include "device/cuda/nvrtc.h"

#include "device/backend.h"

#if SEDGE_HAVE_CUDA
#include "base/file.h"
#include "base/memory.h"
#include "base/trust.h"
#include "device/cuda/cuda_driver.h"
#include "device/cuda/elf_build.h"
#include "device/limit.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvrtc.h>

#define NVRTC_FUNCTIONS(X)       \
    X(nvrtcVersion)              \
    X(nvrtcGetErrorString)       \
    X(nvrtcGetNumSupportedArchs) \
    X(nvrtcGetSupportedArchs)    \
    X(nvrtcCreateProgram)        \
    X(nvrtcDestroyProgram)       \
    X(nvrtcCompileProgram)       \
    X(nvrtcGetCUBINSize)         \
    X(nvrtcGetCUBIN)             \
    X(nvrtcGetPTXSize)           \
    X(nvrtcGetPTX)               \
    X(nvrtcGetProgramLogSize)    \
    X(nvrtcGetProgramLog)

enum { OPTIONS_MAX = 8, OPTION_LENGTH = 64 };

typedef struct nvrtc_options {
    char text[OPTIONS_MAX][OPTION_LENGTH];
    int count;
} nvrtc_options;

typedef struct nvrtc_library {
    char why[PATH_MAX + 512]; // empty when it can be used
    int major, minor;
    char identity[512];
#define MEMBER(name) __typeof__(&name) name;
    NVRTC_FUNCTIONS(MEMBER)
#undef MEMBER
} nvrtc_library;

// A library is loaded once a process, by nature, whichever thread comes first.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static nvrtc_library library;

// ---- loading -----------------------------------------------------------------------------------

// NVRTC opens its builtins by bare name, which the loader does not look for beside NVRTC: load them
// by their path first. Where they lie elsewhere, NVRTC's own way has to find them.
static void load_builtins(const char *path)
{
    const char *const slash = strrchr(path, '/');
    char file[PATH_MAX];

    if (slash == NULL) return;
    const int length = snprintf(file, sizeof file, "%.*s/libnvrtc-builtins.so.%d.%d",
                                (int)(slash - path), path, library.major, library.minor);
    if (length > 0 && length < (int)sizeof file) (void)dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

static void *open_in_folder(const char *folder, const char *below, const char *name)
{
    char file[PATH_MAX];

    const int length = snprintf(file, sizeof file, "%s%s/%s", folder, below, name);
    if (length <= 0 || length >= (int)sizeof file) return NULL;
    return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

// By name, wherever the loader looks, then in the toolkit's usual folders. With a driver of CUDA 12
// a compiler of CUDA 12 comes first: the driver does not load what a newer major version makes.
static void *open_somewhere(void)
{
    static const char *const newest_first[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    static const char *const twelve_first[] = {"libnvrtc.so.12", "libnvrtc.so", "libnvrtc.so.13"};
    static const char *const below[] = {"/lib64", "/targets/x86_64-linux/lib", "/lib"};
    const int driver = sedge_cuda_driver_get()->version;
    const char *const *const names = driver > 0 && driver < 13000 ? twelve_first : newest_first;
    const char *const folders[] = {getenv("CUDA_HOME"), "/usr/local/cuda"};

    for (int n = 0; n < 3; n++) {
        void *const found = dlopen(names[n], RTLD_NOW | RTLD_LOCAL);
        if (found != NULL) return found;
    }
    for (int f = 0; f < 2; f++) {
        if (folders[f] == NULL || folders[f][0] == '\0') continue;
        for (int i = 0; i < 9; i++) {
            void *const found = open_in_folder(folders[f], below[i % 3], names[i / 3]);
            if (found != NULL) return found;
        }
    }
    return NULL;
}

static bool open_library(void **found)
{
    const char *const wish = getenv("SEDGE_NVRTC");

    if (wish != NULL && wish[0] != '\0') {
        if (strchr(wish, '/') != NULL && sedge_trust_program(wish) != SEDGE_OK) {
            (void)snprintf(library.why, sizeof library.why, "SEDGE_NVRTC: %s",
                           sedge_error_message());
            return false;
        }
        *found = dlopen(wish, RTLD_NOW | RTLD_LOCAL);
        if (*found == NULL) {
            (void)snprintf(library.why, sizeof library.why, "SEDGE_NVRTC='%s' cannot be loaded: %s",
                           wish, dlerror());
        }
        return *found != NULL;
    }
    *found = open_somewhere();
    if (*found == NULL) {
        (void)snprintf(library.why, sizeof library.why,
                       "there is no NVRTC: looked for libnvrtc.so.13, .12 and libnvrtc.so in the "
                       "library path, CUDA_HOME and /usr/local/cuda; install it or set SEDGE_NVRTC "
                       "to its path");
    }
    return *found != NULL;
}

static bool find_functions(void *handle)
{
#define FIND(name)                                                           \
    {                                                                        \
        void *const symbol = dlsym(handle, #name);                           \
        if (symbol == NULL) {                                                \
            (void)snprintf(library.why, sizeof library.why,                  \
                           "NVRTC has no " #name ": install CUDA 12 or 13"); \
            return false;                                                    \
        }                                                                    \
        memcpy(&library.name, &symbol, sizeof library.name);                 \
    }
    NVRTC_FUNCTIONS(FIND)
#undef FIND
    return true;
}

static void load_library(void)
{
    void *handle = NULL;
    void *symbol;
    Dl_info about;
    char build[SEDGE_BUILD_TEXT];

    if (!open_library(&handle) || !find_functions(handle)) return;
    if (library.nvrtcVersion(&library.major, &library.minor) != NVRTC_SUCCESS) {
        (void)snprintf(library.why, sizeof library.why, "NVRTC does not tell its version");
        return;
    }
    memcpy(&symbol, &library.nvrtcVersion, sizeof symbol);
    if (dladdr(symbol, &about) == 0 || about.dli_fname == NULL) {
        (void)snprintf(library.why, sizeof library.why, "NVRTC's file cannot be found");
        return;
    }
    load_builtins(about.dli_fname);
    if (!sedge_elf_build(build, symbol, about.dli_fname)) {
        (void)snprintf(library.why, sizeof library.why, "cannot read NVRTC's file '%s'",
                       about.dli_fname);
        return;
    }
    (void)snprintf(library.identity, sizeof library.identity, "NVRTC %d.%d, build %s",
                   library.major, library.minor, build);
}

sedge_status sedge_nvrtc_load(void)
{
    (void)pthread_once(&once, load_library);
    if (library.why[0] != '\0') return SEDGE_FAIL(SEDGE_ERR_DEVICE, "%s", library.why);
    return SEDGE_OK;
}

sedge_status sedge_nvrtc_identity(sedge_text *out)
{
    SEDGE_TRY(sedge_nvrtc_load());
    return sedge_text_add(out, "%s", library.identity);
}

// ---- architectures and options -----------------------------------------------------------------

static void add_option(nvrtc_options *options, const char *text, const char *value)
{
    (void)snprintf(options->text[options->count++], OPTION_LENGTH, "%s%s", text, value);
}

static void make_options(nvrtc_options *options, const char *arch)
{
    const bool has_cache = library.major > 12 || (library.major == 12 && library.minor >= 9);

    options->count = 0;
    add_option(options, "--gpu-architecture=", arch);
    add_option(options, "--std=c++17", "");
    add_option(options, "--fmad=true", "");
    if (has_cache) add_option(options, "--no-cache", "");
    if (strncmp(arch, "sm_", 3) == 0) add_option(options, "--ptxas-options=-v", "");
    if (sedge_debug_requested()) add_option(options, "-lineinfo", "");
}

sedge_status sedge_nvrtc_options(const char *arch, sedge_text *out)
{
    nvrtc_options options;

    SEDGE_TRY(sedge_nvrtc_load());
    make_options(&options, arch);
    for (int i = 0; i < options.count; i++)
        SEDGE_TRY(sedge_text_add(out, "%s%s", i > 0 ? " " : "", options.text[i]));
    return SEDGE_OK;
}

sedge_status sedge_nvrtc_choose_arch(char *arch, size_t size, int major, int minor)
{
    const int wanted = 10 * major + minor;
    int *supported = NULL;
    int count = 0;
    int best = 0;
    int oldest = INT_MAX;

    SEDGE_TRY(sedge_nvrtc_load());
    if (library.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS) count = 0;
    SEDGE_TRY(sedge_allocate(&supported, count, sizeof *supported));
    if (count > 0 && library.nvrtcGetSupportedArchs(supported) != NVRTC_SUCCESS) count = 0;
    for (int i = 0; i < count; i++) {
        if (supported[i] <= wanted && supported[i] > best) best = supported[i];
        if (supported[i] < oldest) oldest = supported[i];
    }
    sedge_release(supported);
    if (best == 0) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "NVRTC %d.%d compiles for compute capability %d.%d and later; this GPU "
                          "has %d.%d: set SEDGE_NVRTC to an older libnvrtc",
                          library.major, library.minor, count > 0 ? oldest / 10 : 0,
                          count > 0 ? oldest % 10 : 0, major, minor);
    }
    (void)snprintf(arch, size, "%s_%d", best / 10 == major ? "sm" : "compute", best);
    return SEDGE_OK;
}

// ---- compiling ---------------------------------------------------------------------------------

static sedge_status check(nvrtcResult result, const char *call)
{
    if (result == NVRTC_SUCCESS) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "%s failed: %s", call, library.nvrtcGetErrorString(result));
}

static sedge_status get_log(nvrtcProgram program, char **log)
{
    size_t size = 0;

    *log = NULL;
    SEDGE_TRY(check(library.nvrtcGetProgramLogSize(program, &size), "nvrtcGetProgramLogSize"));
    SEDGE_TRY(sedge_allocate(log, (int64_t)size + 1, 1));
    return check(library.nvrtcGetProgramLog(program, *log), "nvrtcGetProgramLog");
}

static sedge_status get_binary(nvrtcProgram program, bool is_cubin, void **out, size_t *length)
{
    sedge_status status;
    char *binary = NULL;
    size_t size = 0;

    SEDGE_TRY(check(is_cubin ? library.nvrtcGetCUBINSize(program, &size)
                             : library.nvrtcGetPTXSize(program, &size),
                    "NVRTC's size of the binary"));
    SEDGE_TRY(sedge_allocate(&binary, (int64_t)size, 1));
    SEDGE_TRY_GOTO(status, check(is_cubin ? library.nvrtcGetCUBIN(program, binary)
                                          : library.nvrtcGetPTX(program, binary),
                                 "NVRTC's binary"));
    *out = binary;
    *length = size;
    binary = NULL;
done:
    sedge_release(binary);
    return status;
}

// What a compiler at work reads and writes.
typedef struct nvrtc_call {
    nvrtcProgram program;
    nvrtc_options options;
    nvrtcResult result;
} nvrtc_call;

static void compile_now(void *argument)
{
    nvrtc_call *const call = argument;
    const char *words[OPTIONS_MAX];

    for (int i = 0; i < call->options.count; i++) words[i] = call->options.text[i];
    call->result = library.nvrtcCompileProgram(call->program, call->options.count, words);
}

// `*program` is NULL afterwards where the compiler still works on it.
static sedge_status run_compiler(nvrtcResult *result, nvrtcProgram *program,
                                 const nvrtc_options *options)
{
    nvrtc_call *call = NULL;

    SEDGE_TRY(sedge_allocate(&call, 1, sizeof *call));
    *call = (nvrtc_call){.program = *program, .options = *options};
    const sedge_status status = sedge_limit_run("NVRTC", compile_now, call);
    if (status != SEDGE_OK) {
        *program = NULL;
        return status;
    }
    *result = call->result;
    sedge_release(call);
    return SEDGE_OK;
}

static void destroy(nvrtcProgram *program)
{
    if (*program != NULL) (void)library.nvrtcDestroyProgram(program);
}

static sedge_status compile_program(nvrtcProgram *work, const char *arch, const char *name,
                                    void **out, size_t *length, sedge_text *log)
{
    sedge_status status;
    nvrtc_options options;
    nvrtcResult result;
    char *printed = NULL;
    const double began = sedge_clock();

    make_options(&options, arch);
    SEDGE_TRY(run_compiler(&result, work, &options));
    const nvrtcProgram program = *work;
    if (sedge_trace_requested())
        sedge_trace("nvrtcCompileProgram", began, "%s, %s", name != NULL ? name : "source", arch);
    SEDGE_TRY_GOTO(status, get_log(program, &printed));
    if (log != NULL) SEDGE_TRY_GOTO(status, sedge_text_add(log, "%s", printed));
    if (result != NVRTC_SUCCESS) {
        status = printed[0] != '\0' ? sedge_compile_failure("NVRTC", name, printed)
                                    : check(result, "nvrtcCompileProgram");
        goto done;
    }
    SEDGE_TRY_GOTO(status, get_binary(program, strncmp(arch, "sm_", 3) == 0, out, length));
done:
    sedge_release(printed);
    return status;
}

sedge_status sedge_nvrtc_compile_named(const char *source, const char *arch, const char *keep_name,
                                       void **out, size_t *length, sedge_text *log)
{
    nvrtcProgram program = NULL;
    char name[256];

    *out = NULL;
    *length = 0;
    if ((strncmp(arch, "sm_", 3) != 0 && strncmp(arch, "compute_", 8) != 0) || strlen(arch) > 20) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "architecture '%s' is not of the form sm_90 or compute_90", arch);
    }
    SEDGE_TRY(sedge_nvrtc_load());
    SEDGE_TRY(sedge_keep_source(source, keep_name, "cu"));
    (void)snprintf(name, sizeof name, "%s.cu", keep_name != NULL ? keep_name : "source");
    SEDGE_TRY(check(library.nvrtcCreateProgram(&program, source, name, 0, NULL, NULL),
                    "nvrtcCreateProgram"));
    const sedge_status status = compile_program(&program, arch, keep_name, out, length, log);
    destroy(&program);
    return status;
}

sedge_status sedge_nvrtc_compile(const char *source, const char *arch, void **out, size_t *length,
                                 sedge_text *log)
{
    return sedge_nvrtc_compile_named(source, arch, NULL, out, length, log);
}
#endif
