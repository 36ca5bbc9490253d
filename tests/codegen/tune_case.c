#define _GNU_SOURCE // nftw, program_invocation_short_name
#include "tune_case.h"

#include "base/file.h"
#include "program/program.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// x tends to 3, however often the work is repeated: 0.99^2000 is 2e-9.
static const char kernel_text[] =
    "#define LIST(X) X(SEDGE_GLOBAL float *, x)\n"
    "SEDGE_KERNEL(work, ITEMS, LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_ITEMS (g, 1, n, ITEMS, ITEMS) {\n"
    "            float v = x[b * ITEMS + n];\n"
    "            for (int i = 0; i < 2000 * REPEAT; i++) v = v * 0.99f + 0.03f;\n"
    "            x[b * ITEMS + n] = v + WRONG;\n"
    "        }\n"
    "    }\n"
    "}\n";

enum { BLOCKS = 8, ITEMS = 32, VALUES = BLOCKS * ITEMS };

static sedge_status write_text(void *context, int candidate, sedge_text *text)
{
    tune_case *const c = context;
    const tune_case_candidate *const wanted = &c->wanted[candidate];
    const sedge_source source = {"work.h", kernel_text};
    char constants[256];

    c->counts[candidate].texts++;
    (void)snprintf(constants, sizeof constants,
                   "#define ITEMS %d\n#define REPEAT %d\n#define WRONG %s\n#define SALT %d\n",
                   ITEMS, wanted->repeat > 0 ? wanted->repeat : 1,
                   wanted->is_broken ? "nonsense" : (wanted->is_wrong ? "1.0f" : "0.0f"), c->salt);
    const sedge_program_options options = {
        .name = "work", .constants = constants, .sources = &source, .count = 1};
    return sedge_program_write(text, sedge_device_get_info(c->device)->kind, &options);
}

static sedge_status launch(void *context, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    tune_case *const c = context;
    const tune_case_candidate *const wanted = &c->wanted[candidate];
    const double began = sedge_clock();
    const sedge_kernel *kernel;
    uint64_t x = sedge_buffer_address(c->x);
    void *const arguments[] = {&x};

    c->counts[candidate].launches++;
    if (wanted->cannot_launch) return SEDGE_FAIL(SEDGE_ERR_DEVICE, "too much of everything");
    if (wanted->repeat > 0) {
        SEDGE_TRY(sedge_program_get(&kernel, program, "work"));
        SEDGE_TRY(sedge_kernel_launch(kernel, stream, BLOCKS, ITEMS, arguments, 1));
    }
    while (sedge_clock() - began < 1e-6 * wanted->microseconds) continue;
    return SEDGE_OK;
}

static sedge_status verify(void *context, int candidate, const sedge_program *program)
{
    tune_case *const c = context;
    const tune_case_candidate *const wanted = &c->wanted[candidate];
    float values[VALUES] = {0};

    c->counts[candidate].verified++;
    if (wanted->repeat == 0) {
        if (wanted->is_wrong) return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "it only waits");
        return SEDGE_OK;
    }
    SEDGE_TRY(sedge_buffer_upload(c->x, 0, values, sizeof values, NULL));
    SEDGE_TRY(launch(context, candidate, program, NULL));
    c->counts[candidate].launches--;
    SEDGE_TRY(sedge_buffer_download(c->x, 0, values, sizeof values, NULL));
    for (int i = 0; i < VALUES; i++) {
        if (fabsf(values[i] - 3.0f) <= 1e-4f) continue; // rounding, times 1 / (1 - 0.99)
        return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "value %d is %g instead of 3", i, (double)values[i]);
    }
    return SEDGE_OK;
}

static sedge_status use_layout(void *context, int layout)
{
    tune_case *const c = context;

    c->layout_uses[layout]++;
    return SEDGE_OK;
}

static const char *const layout_names[TUNE_CASE_LAYOUTS] = {"rows", "columns", "tiles"};

sedge_status tune_case_init(tune_case *c, sedge_device *device)
{
    memset(c, 0, sizeof *c);
    c->device = device;
    c->task = (sedge_tune_task){.name = "case",
                                .size = "2^8 values",
                                .source_hash = "abc",
                                .layouts = 1,
                                .layout_names = layout_names,
                                .candidates = c->candidate,
                                .context = c,
                                .use_layout = use_layout,
                                .text = write_text,
                                .launch = launch,
                                .verify = verify};
    return sedge_buffer_create(&c->x, device, VALUES * sizeof(float));
}

void tune_case_free(tune_case *c)
{
    sedge_buffer_free(c->x);
}

void tune_case_set(tune_case *c, const char *name, const tune_case_candidate *candidates, int count)
{
    for (int i = 0; i < count; i++) {
        c->wanted[i] = candidates[i];
        c->candidate[i] = (sedge_tune_candidate){.name = candidates[i].name,
                                                 .layout = candidates[i].layout,
                                                 .threads = ITEMS,
                                                 .prior = candidates[i].prior,
                                                 .bound = candidates[i].bound,
                                                 .refused = candidates[i].refused};
    }
    c->task.operation = name;
    c->task.count = count;
}

void tune_case_clear(tune_case *c)
{
    memset(c->counts, 0, sizeof c->counts);
    memset(c->layout_uses, 0, sizeof c->layout_uses);
}

tune_case_counts tune_case_sum(const tune_case *c)
{
    tune_case_counts sum = {0, 0, 0};

    for (int i = 0; i < c->task.count; i++) {
        sum.texts += c->counts[i].texts;
        sum.launches += c->counts[i].launches;
        sum.verified += c->counts[i].verified;
    }
    return sum;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

void tune_case_folder(char *folder, size_t size, const char *name)
{
    // Programs that use the same names run at once.
    (void)snprintf(folder, size, "%s/%s-%s", SEDGE_TEST_DIR, program_invocation_short_name, name);
    (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
