// The dialect's page: its words are those of the preludes, and its examples run.
#define _DEFAULT_SOURCE // setenv, strndup
#include "own.h"

#include "base/file.h"
#include "base/memory.h"

#include <ctype.h>
#include <dirent.h>

#define KERNELS  SEDGE_SOURCE_DIR "/codegen/kernels"
#define PRELUDES KERNELS "/program"

enum { WORDS_MAX = 256, WORD_LENGTH = 64 };

typedef struct word_list {
    char words[WORDS_MAX][WORD_LENGTH];
    int count;
} word_list;

static bool has(const word_list *list, const char *word)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->words[i], word) == 0) return true;
    return false;
}

// Add the identifier at `from`.
static void add(word_list *list, const char *from)
{
    size_t length = 0;
    char word[WORD_LENGTH];

    while (isalnum((unsigned char)from[length]) || from[length] == '_') length++;
    CHECK(length < WORD_LENGTH && list->count < WORDS_MAX);
    if (length >= WORD_LENGTH || list->count >= WORDS_MAX) return;
    memcpy(word, from, length);
    word[length] = '\0';
    if (!has(list, word)) memcpy(list->words[list->count++], word, length + 1);
}

static char *read_text(const char *folder, const char *name)
{
    char path[1024];
    char *text = NULL;
    size_t length;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_OK(sedge_file_read(&text, &length, path, SEDGE_ERR_USAGE));
    return text;
}

// Words that a prelude or values.h defines for kernels: not its own helpers.
static void find_defined(word_list *list, const char *folder, const char *name)
{
    char *const text = read_text(folder, name);

    for (const char *at = text; at != NULL; at = strstr(at + 1, "#define SEDGE_")) {
        if (strncmp(at, "#define SEDGE_", 14) != 0) continue;
        if (strncmp(at + 8, "SEDGE_PRELUDE_", 14) != 0) add(list, at + 8);
    }
    CHECK(list->count > 0);
    sedge_release(text);
}

// All words SEDGE_ of a page.
static void find_mentioned(word_list *list, const char *folder, const char *name)
{
    char *const text = read_text(folder, name);

    for (const char *at = text != NULL ? strstr(text, "SEDGE_") : NULL; at != NULL;
         at = strstr(at + 1, "SEDGE_"))
        add(list, at);
    sedge_release(text);
}

static void check_contains(const word_list *all, const word_list *part, const char *what,
                           const char *where)
{
    for (int i = 0; i < part->count; i++) {
        if (has(all, part->words[i])) continue;
        (void)fprintf(stderr, "%s of %s is missing in %s\n", part->words[i], what, where);
        CHECK(has(all, part->words[i]));
    }
}

// Every prelude has every word, but for the thread's number, which the host's usual form lacks.
static void test_preludes_agree(void)
{
    static word_list first;
    DIR *const folder = opendir(PRELUDES);
    int count = 0;

    CHECK(folder != NULL);
    if (folder == NULL) return;
    find_defined(&first, PRELUDES, "prelude_host.h");
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        static word_list words;
        if (strncmp(entry->d_name, "prelude_", 8) != 0) continue;
        words.count = 0;
        find_defined(&words, PRELUDES, entry->d_name);
        CHECK(has(&words, "SEDGE_THREAD") == (strcmp(entry->d_name, "prelude_host.h") != 0));
        check_contains(&words, &first, "prelude_host.h", entry->d_name);
        CHECK(words.count == first.count + has(&words, "SEDGE_THREAD"));
        count++;
    }
    CHECK(count >= 3);
    (void)closedir(folder);
}

// The page names every word, and no other, but for variables of the environment and what C calls.
static void test_page_has_all_words(void)
{
    static word_list defined, page, known;

    find_defined(&defined, PRELUDES, "prelude_cuda.h");
    find_defined(&defined, KERNELS "/dg", "values.h");
    find_mentioned(&page, KERNELS, "README.md");
    check_contains(&page, &defined, "the preludes", "codegen/kernels/README.md");
    known = defined;
    find_mentioned(&known, SEDGE_SOURCE_DIR "/codegen", "README.md"); // its table of variables
    add(&known, "SEDGE_TRY");
    add(&known, "SEDGE_LAUNCH");
    check_contains(&known, &page, "codegen/kernels/README.md", "the preludes");
    CHECK(defined.count > 20);
}

// The page's block of C that holds `kernel`; to be freed.
static char *find_example(const char *kernel)
{
    char *const page = read_text(KERNELS, "README.md");
    const char *at = page != NULL ? strstr(page, kernel) : NULL;
    const char *end = at != NULL ? strstr(at, "\n```") : NULL;
    char *text = NULL;

    while (at != NULL && at > page && strncmp(at, "```c\n", 5) != 0) at--;
    CHECK(at != NULL && end != NULL);
    if (at != NULL && end != NULL) text = strndup(at + 5, (size_t)(end - at) - 4);
    sedge_release(page);
    return text;
}

// Run an example with its parameters (x, out, count).
static void run_example(const own_world *world, const char *kernel_name, const char *heading,
                        const float *x, float *out, int64_t count)
{
    char *const text = find_example(heading);
    sedge_program *program = NULL;
    const sedge_kernel *kernel = NULL;

    CHECK_OK(own_program(&program, world, "README.md", text));
    free(text);
    if (program == NULL) return;
    CHECK_OK(sedge_program_get(&kernel, program, kernel_name));
    sedge_buffer *const in = own_buffer(world, x, count * (int64_t)sizeof *x);
    sedge_buffer *const result = own_buffer(world, out, count * (int64_t)sizeof *out);
    CHECK_OK(SEDGE_LAUNCH(kernel, NULL, (count + 127) / 128, sedge_buffer_argument(in),
                          sedge_buffer_argument(result), sedge_int64_argument(count)));
    CHECK_OK(sedge_buffer_download(result, 0, out, count * (int64_t)sizeof *out, NULL));
    sedge_buffer_free(in);
    sedge_buffer_free(result);
    sedge_program_free(program);
}

static void test_examples(const own_world *world)
{
    enum { COUNT = 1000 };
    float x[COUNT];
    float out[COUNT] = {0.0f};

    for (int i = 0; i < COUNT; i++) x[i] = (float)(i % 100);
    run_example(world, "square", "SEDGE_KERNEL(square,", x, out, COUNT);
    for (int i = 0; i < COUNT; i++) CHECK(out[i] == x[i] * x[i]);
    memset(out, 0, sizeof out);
    run_example(world, "block_sum", "SEDGE_KERNEL(block_sum,", x, out, COUNT);
    for (int b = 0; b < (COUNT + 127) / 128; b++) {
        float sum = 0.0f; // of whole numbers: exact
        for (int i = 128 * b; i < 128 * (b + 1) && i < COUNT; i++) sum += x[i];
        CHECK(out[b] == sum);
    }
}

// A kernel whose block memory is larger than opencl has it without a wish; and wishes that cannot
// be.
static void test_much_shared(const own_world *world)
{
    static const char text[] =
        "#define LIST(X) X(SEDGE_GLOBAL float *SEDGE_RESTRICT, y)\n"
        "SEDGE_KERNEL(turn, 128, LIST)\n"
        "{\n"
        "    SEDGE_OUTER (b) {\n"
        "        SEDGE_SHARED(float, first, 3000);\n"
        "        SEDGE_SHARED(float, last, 3000);\n"
        "        SEDGE_ITEMS (g, 1, i, 3000, 128) {\n"
        "            first[i] = y[b * 3000 + i];\n"
        "            last[i] = -first[i];\n"
        "        }\n"
        "        SEDGE_BARRIER();\n"
        "        SEDGE_ITEMS (g, 1, i, 3000, 128)\n"
        "            y[b * 3000 + i] = first[2999 - i] + 2.0f * last[2999 - i];\n"
        "    }\n"
        "}\n";
    enum { COUNT = 2 * 3000, BYTES = 2 * 3000 * (int)sizeof(float) };
    const sedge_device_kind kind = sedge_device_get_info(world->device)->kind;
    const sedge_source source = {"turn.c", text};
    sedge_program_options options = {
        .name = "turn", .sources = &source, .count = 1, .shared_bytes = BYTES};
    sedge_program *program = NULL;
    const sedge_kernel *kernel = NULL;
    static float y[COUNT];
    int wrong = 0;

    for (int i = 0; i < COUNT; i++) y[i] = (float)i;
    CHECK_OK(sedge_program_create(&program, NULL, world->device, world->cache, &options));
    if (program == NULL) return;
    CHECK_OK(sedge_program_get(&kernel, program, "turn"));
    sedge_buffer *const buffer = own_buffer(world, y, sizeof y);
    CHECK_OK(SEDGE_LAUNCH(kernel, NULL, 2, sedge_buffer_argument(buffer)));
    CHECK_OK(sedge_buffer_download(buffer, 0, y, sizeof y, NULL));
    for (int i = 0; i < COUNT; i++) {
        const int first = i / 3000 * 3000; // of the block
        wrong += y[i] != -(float)(first + 2999 - i % 3000);
    }
    CHECK(wrong == 0);
    sedge_buffer_free(buffer);
    sedge_program_free(program);
    for (int less = 0; less < 2 && kind == SEDGE_DEVICE_OPENCL; less++) {
        options.shared_bytes = less == 1 ? BYTES - 16 : 0;
        CHECK_FAILS(sedge_program_create(&program, NULL, world->device, world->cache, &options),
                    SEDGE_ERR_DEVICE, "last_fits");
    }
    options.shared_bytes = -1;
    CHECK_FAILS(sedge_program_create(&program, NULL, world->device, world->cache, &options),
                SEDGE_ERR_USAGE, "'turn': -1 bytes of block memory");
}

int main(void)
{
    own_world world;

    if (!own_open(&world)) return 1;
    test_preludes_agree();
    test_page_has_all_words();
    test_examples(&world);
    test_much_shared(&world);
    if (sedge_device_get_info(world.device)->kind == SEDGE_DEVICE_HOST) {
        sedge_device_free(world.device);
        CHECK(setenv("SEDGE_ORDER", "random:1", 1) == 0);
        CHECK_OK(sedge_device_create(&world.device, "host", 0, 1));
        if (world.device != NULL) test_examples(&world);
        if (world.device != NULL) test_much_shared(&world);
    }
    own_close(&world);
    return CHECK_END();
}
