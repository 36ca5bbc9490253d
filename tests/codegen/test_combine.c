// Several programs compiled as one by NVRTC, without a GPU: names and macros stay apart, each part
// takes what it takes alone and is found by its own text later, and who is broken fails alone.
#define _GNU_SOURCE // memmem
#include "base/memory.h"
#include "cache/store.h"
#include "check.h"
#include "device/backend.h"
#include "program/combine.h"
#include "program/combine_log.h"

#include <pthread.h>
#include <stdlib.h>

enum { PROGRAMS = 6, BROKEN = 3 };

// All define the same names. EXTRA is there in even ones only: in the others it would be the macro
// of the part before.
static const char kernel_text[] = "#ifdef EXTRA\n"
                                  "#if REPEAT % 2 == 1\n"
                                  "#error the macro of another part\n"
                                  "#endif\n"
                                  "#endif\n"
                                  "typedef struct pair {\n"
                                  "    float v[REPEAT + 1];\n"
                                  "} pair;\n"
                                  "SEDGE_FUNCTION float grow(float v)\n"
                                  "{\n"
                                  "    SEDGE_EACH (i, REPEAT + 1) v = v * v + FACTOR;\n"
                                  "    return v;\n"
                                  "}\n"
                                  "#define LIST(X) X(SEDGE_GLOBAL pair *, x)\n"
                                  "SEDGE_KERNEL(work, 32, LIST)\n"
                                  "{\n"
                                  "    SEDGE_OUTER (b) {\n"
                                  "        SEDGE_ITEMS (g, 1, n, 32, 32)\n"
                                  "            SEDGE_EACH (i, REPEAT + 1)\n"
                                  "                x[b * 32 + n].v[i] = grow(x[n].v[i]);\n"
                                  "    }\n"
                                  "}\n"
                                  "SEDGE_KERNEL_RESIDENT(other, 64, 512, LIST)\n"
                                  "{\n"
                                  "    SEDGE_OUTER (b) x[b].v[0] = grow(REPEAT);\n"
                                  "}\n";

typedef struct case_texts {
    sedge_text *text[PROGRAMS];
    char name[PROGRAMS][24];
    sedge_program_text list[PROGRAMS];
} case_texts;

static void make_texts(case_texts *made, int broken)
{
    const sedge_source source = {"work.h", kernel_text};

    for (int i = 0; i < PROGRAMS; i++) {
        char constants[128];
        (void)snprintf(made->name[i], sizeof made->name[i], "work %d", i);
        (void)snprintf(constants, sizeof constants, "#define REPEAT %d\n#define FACTOR %s\n%s", i,
                       i == broken ? "nonsense" : "0.5f", i % 2 == 0 ? "# define EXTRA\n" : "");
        const sedge_program_options options = {
            .name = made->name[i], .constants = constants, .sources = &source, .count = 1};
        CHECK_OK(sedge_text_create(&made->text[i]));
        CHECK_OK(sedge_program_write(made->text[i], SEDGE_DEVICE_CUDA, &options));
        made->list[i] = (sedge_program_text){made->name[i], sedge_text_get(made->text[i])};
    }
}

static void free_texts(case_texts *made)
{
    for (int i = 0; i < PROGRAMS; i++) sedge_text_free(made->text[i]);
}

// ---- a device that only looks at binaries ------------------------------------------------------

typedef struct fake_module {
    size_t length;
    char bytes[];
} fake_module;

static sedge_status load(sedge_device *device, void **module, const void *binary, size_t length)
{
    fake_module *const made = malloc(sizeof *made + length);

    (void)device;
    if (made == NULL) return SEDGE_FAIL(SEDGE_ERR_MEMORY, "no memory");
    made->length = length;
    memcpy(made->bytes, binary, length);
    *module = made;
    return SEDGE_OK;
}

static struct {
    sedge_status (*compile)(sedge_device *device, const char *source, const char *arch,
                            const char *keep_name, void **out, size_t *length, sedge_text *log);
    pthread_mutex_t lock;
    int now, most; // compilers at work; the most that were
} counted = {.lock = PTHREAD_MUTEX_INITIALIZER};

static sedge_status compile(sedge_device *device, const char *source, const char *arch,
                            const char *keep_name, void **out, size_t *length, sedge_text *log)
{
    (void)pthread_mutex_lock(&counted.lock);
    counted.now++;
    if (counted.now > counted.most) counted.most = counted.now;
    (void)pthread_mutex_unlock(&counted.lock);
    const sedge_status status = counted.compile(device, source, arch, keep_name, out, length, log);
    (void)pthread_mutex_lock(&counted.lock);
    counted.now--;
    (void)pthread_mutex_unlock(&counted.lock);
    return status;
}

static void unload(sedge_device *device, void *module)
{
    (void)device;
    free(module);
}

// The name of a function's section in a binary of NVRTC is ".text.NAME".
static sedge_status get(sedge_device *device, sedge_kernel *kernel, void *module)
{
    const fake_module *const from = module;
    char section[128];

    (void)device;
    (void)snprintf(section, sizeof section, ".text.%s", kernel->name);
    if (memmem(from->bytes, from->length, section, strlen(section) + 1) == NULL)
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "the program has no kernel '%s'", kernel->name);
    return SEDGE_OK;
}

// ---- tests -------------------------------------------------------------------------------------

static long registers_of(const sedge_program *program)
{
    return sedge_cache_resources(sedge_program_log(program)).registers;
}

// Both kernels by their own names, and the registers that they take alone, of which there are some.
static void check_program(const sedge_program *program, const sedge_program *alone)
{
    const sedge_kernel *kernel = NULL;

    CHECK(program != NULL);
    if (program == NULL) return;
    CHECK_OK(sedge_program_get(&kernel, program, "work"));
    CHECK_OK(sedge_program_get(&kernel, program, "other"));
    CHECK_FAILS(sedge_program_get(&kernel, program, "none"), SEDGE_ERR_DEVICE, "no kernel");
    CHECK(registers_of(program) > 0 && registers_of(program) == registers_of(alone));
    CHECK(strstr(sedge_program_log(program), "Function properties for work\n") != NULL);
}

static int64_t misses_of(const sedge_cache *cache)
{
    return sedge_cache_get_counts(cache).misses;
}

static void free_programs(sedge_program **programs, char **messages)
{
    for (int i = 0; i < PROGRAMS; i++) {
        sedge_program_free(programs[i]);
        sedge_release(messages[i]);
    }
}

// Combined, found again as they are and one by one, in two caches, of which one compiles each
// alone.
static void test_combined(sedge_device *device, int broken, int together, int compilers, int wanted)
{
    sedge_program *programs[PROGRAMS], *alone[PROGRAMS], *again[PROGRAMS];
    char *messages[PROGRAMS], *alone_messages[PROGRAMS], *again_messages[PROGRAMS];
    sedge_cache *cache = NULL, *other = NULL;
    int64_t removed;
    case_texts made;

    make_texts(&made, broken);
    CHECK_OK(sedge_cache_create(&cache, SEDGE_TEST_DIR "/combine"));
    CHECK_OK(sedge_cache_create(&other, SEDGE_TEST_DIR "/combine-alone"));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK_OK(
        sedge_programs_create(alone, alone_messages, NULL, device, other, made.list, PROGRAMS));
    counted.most = 0;
    CHECK_OK(sedge_programs_combine(programs, messages, device, cache, made.list, PROGRAMS,
                                    together, compilers));
    CHECK(misses_of(cache) == wanted);
    CHECK(counted.most >= 1 && counted.most <= compilers);
    const int good = broken < 0 ? PROGRAMS : PROGRAMS - 1;
    CHECK_OK(
        sedge_programs_create(again, again_messages, NULL, device, cache, made.list, PROGRAMS));
    CHECK(sedge_cache_get_counts(cache).hits == good);
    for (int i = 0; i < PROGRAMS && check_failures == 0; i++) {
        if (i == broken) {
            CHECK(programs[i] == NULL && again[i] == NULL);
            CHECK(strstr(messages[i], "work.h(11)") != NULL);
            CHECK(strstr(messages[i], "nonsense") != NULL);
            continue;
        }
        CHECK(messages[i] == NULL);
        check_program(programs[i], alone[i]);
        check_program(again[i], alone[i]);
    }
    free_programs(programs, messages);
    free_programs(alone, alone_messages);
    free_programs(again, again_messages);
    sedge_cache_free(cache);
    sedge_cache_free(other);
    free_texts(&made);
}

// What is not in the dialect is compiled alone, and so is what has no neighbour to go with.
static void test_strangers(sedge_device *device)
{
    static const char raw[] = "extern \"C\" __global__ void work(long long blocks) {}\n";
    sedge_program_text list[3] = {{"raw", raw}};
    sedge_program *programs[3];
    char *messages[3];
    sedge_cache *cache = NULL;
    int64_t removed;
    case_texts made;

    make_texts(&made, -1);
    list[1] = made.list[0];
    list[2] = made.list[1];
    CHECK(!sedge_combine_fits(raw, raw) && !sedge_combine_fits(list[1].text, raw));
    CHECK(sedge_combine_fits(list[1].text, list[2].text));
    CHECK_OK(sedge_cache_create(&cache, SEDGE_TEST_DIR "/combine-strangers"));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK_OK(sedge_programs_combine(programs, messages, device, cache, list, 3, 8, 2));
    CHECK(misses_of(cache) == 2);
    for (int i = 0; i < 3; i++) {
        CHECK(programs[i] != NULL && messages[i] == NULL);
        sedge_program_free(programs[i]);
    }
    sedge_cache_free(cache);
    free_texts(&made);
}

// A part's log is what was said of its kernels, under their own names; another log is no part's.
static void test_log(void)
{
    static const char log[] = "ptxas info : 812 bytes gmem\n"
                              "ptxas info : Compiling entry function 'sedge_part_0_a' for 'sm_90'\n"
                              "ptxas info : Used 64 registers\n"
                              "ptxas info : Compiling entry function 'sedge_part_1_a' for 'sm_90'\n"
                              "ptxas info : Function properties for sedge_part_1_a\n"
                              "ptxas info : Used 40 registers\n";
    char prefix[SEDGE_COMBINE_PREFIX];
    sedge_text *out = NULL;

    CHECK_OK(sedge_text_create(&out));
    CHECK_OK(sedge_combine_log(out, log, 1));
    CHECK(strcmp(sedge_text_get(out), "part: names begin with sedge_part_1_\n"
                                      "ptxas info : Compiling entry function 'a' for 'sm_90'\n"
                                      "ptxas info : Function properties for a\n"
                                      "ptxas info : Used 40 registers\n") == 0);
    sedge_combine_prefix(prefix, sedge_text_get(out));
    CHECK(strcmp(prefix, "sedge_part_1_") == 0);
    sedge_combine_prefix(prefix, log);
    CHECK(prefix[0] == '\0');
    sedge_text_free(out);
}

int main(void)
{
    sedge_device_operations operations;
    sedge_device *device = NULL;

    test_log();
    CHECK_OK(sedge_device_create_target(&device, "cuda", "sm_90"));
    if (check_failures > 0) return CHECK_END();
    operations = *device->operations;
    counted.compile = operations.compile;
    operations.compile = compile;
    operations.module_load = load;
    operations.module_free = unload;
    operations.module_get = get;
    device->operations = &operations;
    test_combined(device, -1, 3, 2, 2);
    test_combined(device, BROKEN, 3, 1, 2 + 3);
    test_combined(device, -1, 4, 1, 2);
    test_combined(device, -1, 1, 1, PROGRAMS);
    test_strangers(device);
    sedge_device_free(device);
    return CHECK_END();
}
