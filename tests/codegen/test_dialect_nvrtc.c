// The dialect on cuda without a GPU: NVRTC compiles it for several chips, the table beside a kernel
// stays, messages name the user's line, SEDGE_DEBUG adds lines, and from sm_90 on every kernel
// waits for the work before it, whatever its text is.
#define _DEFAULT_SOURCE // setenv
#include "base/memory.h"
#include "check.h"
#include "program/program.h"

#include <stdlib.h>

// Line 9 has BODY. With SPILL the items hold more than registers can.
static const char text[] =
    "typedef struct pair { float first, second; } pair;\n"
    "#define HEAVY_LIST(X)                                       \\\n"
    "    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, x) X(sedge_int64, n) X(const pair, p) X(float, f)\n"
    "SEDGE_KERNEL_RESIDENT(heavy, 1024, 1024, HEAVY_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_SCRATCH(double, all, 2048); SEDGE_PRIVATE(double, v, 1024, 64);\n"
    "        SEDGE_ITEMS (g, 1, i, 1024, 1024) {\n"
    "            BODY;\n"
    "            SEDGE_EACH (k, 64) SEDGE_MINE(v, i)[k] = x[(b * 1024 + i + g) * 64 + k];\n"
    "            for (sedge_int64 r = 0; r < n; r++)\n"
    "                SEDGE_EACH (k, 64)\n"
    "                    v[0][k] = v[0][k] * v[0][(k * 7 + 3) % 64] + v[0][(k * 5 + 1) % 64];\n"
    "            SEDGE_COPY_PACK(&all[2 * i], &x[2 * i]);\n"
    "            SEDGE_COPY_WAIT();\n"
    "            SEDGE_EACH (k, 64) x[(b * 1024 + i) * 64 + k] = v[0][k] + all[i] + p.second + f;\n"
    "        }\n"
    "    }\n"
    "}\n"
    "#define NOTHING_LIST(X)\n"
    "SEDGE_KERNEL(nothing, 32, NOTHING_LIST) { SEDGE_OUTER (b) { (void)b; } }\n";

static sedge_status build(const char *arch, const char *constants, void **binary, size_t *length,
                          sedge_text *log)
{
    const sedge_source source = {"examples/heavy.c", text};
    const sedge_program_options options = {
        .name = "heavy", .constants = constants, .sources = &source, .count = 1};
    sedge_status status;
    sedge_text *whole = NULL;

    *binary = NULL;
    *length = 0;
    SEDGE_TRY_GOTO(status, sedge_text_create(&whole));
    SEDGE_TRY_GOTO(status, sedge_program_write(whole, SEDGE_DEVICE_CUDA, &options));
    SEDGE_TRY_GOTO(status, sedge_nvrtc_compile(sedge_text_get(whole), arch, binary, length, log));
done:
    sedge_text_free(whole);
    return status;
}

static bool holds(const void *bytes, size_t length, const void *wanted, size_t size)
{
    for (size_t i = 0; i + size <= length; i++)
        if (memcmp((const char *)bytes + i, wanted, size) == 0) return true;
    return false;
}

// Numbers and texts of the tables stand in the binary behind each other, and their names are there
// for the driver to find.
static void test_tables(const char *arch)
{
    static const int numbers[] = {1024, 4, 8, 1, 8, 2, 8, 4, 4, 3};
    static const char texts[] = "SEDGE_GLOBAL double *SEDGE_RESTRICT\tx\nsedge_int64\tn\nconst "
                                "pair\tp\nfloat\tf\n";
    unsigned char wanted[sizeof numbers + sizeof texts];
    sedge_text *log = NULL;
    void *binary = NULL;
    size_t length;

    memcpy(wanted, numbers, sizeof numbers);
    memcpy(wanted + sizeof numbers, texts, sizeof texts);
    CHECK_OK(sedge_text_create(&log));
    CHECK_OK(build(arch, "#define BODY\n", &binary, &length, log));
    CHECK(holds(binary, length, wanted, sizeof wanted));
    CHECK(holds(binary, length, "sedge_signature_heavy", 22));
    CHECK(holds(binary, length, "sedge_signature_nothing", 24));
    CHECK(!holds(binary, length, ".debug_line", 11));
    // What sedge_program_inspect reads. 64 numbers of fp64 do not fit into 64 registers.
    const char *const spills = strstr(sedge_text_get(log), "Function properties for heavy\n");
    CHECK(spills != NULL && strstr(spills, " bytes spill stores, ") != NULL);
    CHECK(spills != NULL && strstr(spills, " bytes spill loads") != NULL);
    const char *stores = spills != NULL ? strstr(spills, " bytes spill stores") : NULL;
    while (stores != NULL && stores[-1] >= '0' && stores[-1] <= '9') stores--;
    CHECK(stores != NULL && strtol(stores, NULL, 10) > 0);
    sedge_release(binary);
    sedge_text_free(log);
}

static void test_message(const char *arch)
{
    sedge_text *log = NULL;
    void *binary = NULL;
    size_t length;

    CHECK_OK(sedge_text_create(&log));
    CHECK_FAILS(build(arch, "#define BODY y[0] = 1.0\n", &binary, &length, log), SEDGE_ERR_DEVICE,
                "examples/heavy.c(9): error: identifier \"y\" is undefined");
    CHECK_FAILS(build(arch, "#define BODY\nint a = b;\n", &binary, &length, log), SEDGE_ERR_DEVICE,
                "constants of heavy(2): error");
    sedge_text_free(log);
}

static void test_debug(const char *arch)
{
    void *binary = NULL;
    size_t length;

    CHECK(setenv("SEDGE_DEBUG", "1", 1) == 0);
    CHECK_OK(build(arch, "#define BODY\n", &binary, &length, NULL));
    CHECK(unsetenv("SEDGE_DEBUG") == 0);
    CHECK(holds(binary, length, ".debug_line", 11) && holds(binary, length, "heavy.c", 7));
    sedge_release(binary);
}

// Where a word stands in the source of a kernel, up to `end`; `end` where it does not.
static const char *find_word(const char *from, const char *end, const char *word)
{
    const char *const at = strstr(from, word);

    return at != NULL && at < end ? at : end;
}

// The three words that make a kernel, with sources that read and write before SEDGE_OUTER or have
// none. In the compiler's intermediate text each waits once, before it reads or writes memory.
static void test_waits(void)
{
    static const char kernels[] =
        "#define MOVE_LIST(X)                              \\\n"
        "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, x) X(SEDGE_GLOBAL float *SEDGE_RESTRICT, "
        "y)\n"
        "SEDGE_KERNEL(first, 32, MOVE_LIST)\n"
        "{\n"
        "    SEDGE_OUTER (b) { SEDGE_ITEMS_1D (i, 32, 32) y[b * 32 + i] = x[i]; }\n"
        "}\n"
        "SEDGE_KERNEL_RESIDENT(second, 32, 1024, MOVE_LIST)\n"
        "{\n"
        "    const float read = x[0];\n"
        "    y[0] = read;\n"
        "    SEDGE_OUTER (b) { SEDGE_ITEMS_1D (i, 32, 32) y[b * 32 + i + 1] = read; }\n"
        "}\n"
        "SEDGE_KERNEL_CLUSTER(third, 32, 4, MOVE_LIST)\n"
        "{\n"
        "    SEDGE_ITEMS_1D (i, 32, 32) y[i] = x[i];\n"
        "}\n";
    const sedge_source source = {"move.c", kernels};
    const sedge_program_options options = {.name = "move", .sources = &source, .count = 1};
    sedge_text *whole = NULL;
    void *binary = NULL;
    size_t length;
    int count = 0;

    CHECK_OK(sedge_text_create(&whole));
    CHECK_OK(sedge_program_write(whole, SEDGE_DEVICE_CUDA, &options));
    CHECK_OK(sedge_nvrtc_compile(sedge_text_get(whole), "compute_90", &binary, &length, NULL));
    CHECK(strstr(binary, "sedge_waits") != NULL);
    for (const char *at = binary; (at = strstr(at, ".entry ")) != NULL; count++) {
        const char *const next = strstr(++at, ".entry ");
        const char *const end = next != NULL ? next : at + strlen(at);
        const char *const wait = find_word(at, end, "griddepcontrol.wait");
        CHECK(wait < end && find_word(wait + 1, end, "griddepcontrol") == end);
        CHECK(wait < find_word(at, end, "ld.global"));
        CHECK(wait < find_word(at, end, "st.global"));
        CHECK(find_word(at, end, "st.global") < end);
    }
    CHECK(count == 3);
    sedge_release(binary);
    CHECK_OK(sedge_nvrtc_compile(sedge_text_get(whole), "compute_80", &binary, &length, NULL));
    CHECK(strstr(binary, "griddepcontrol") == NULL && strstr(binary, "sedge_waits") == NULL);
    sedge_release(binary);
    sedge_text_free(whole);
}

int main(void)
{
    static const char *const archs[] = {"sm_80", "sm_90"};

    for (int i = 0; i < 2; i++) {
        test_tables(archs[i]);
        test_message(archs[i]);
        test_debug(archs[i]);
    }
    test_waits();
    return CHECK_END();
}
