#include "race_sim.h"

#include "base/memory.h"
#include "program/batch.h"
#include "tune/wisdom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL_SECONDS  25e-3 // of the compiler, without programs
#define CROWD         0.2
#define KEEP_SECONDS  2e-3
#define FIND_SECONDS  0.5e-3
#define TEXT_SECONDS  0.2e-3
#define TEXT_BYTES    8 // of the shortest text
#define LAUNCH        4e-6
#define WAIT          20e-6
#define IDLE_SLOWER   0.1
#define GAIN_SECONDS  30e-3
#define BURST_SECONDS 20e-3

enum { THREADS = 8, CORES = 16 };

static struct {
    uint64_t random;
    double now; // seconds since the start
    double gpu; // what it has worked
    double busy;
    double idle_since;
    double burst_from, burst_factor; // 0: none
    double constant[RACE_SIM_CANDIDATES];
    race_sim_kernel *kernel;
    bool checked;
    bool called[RACE_SIM_CANDIDATES];
    int64_t misses;
    json_t *wisdom;
    double event[2];
    int events;
} sim;

static const sedge_device_info info = {.kind = SEDGE_DEVICE_CUDA,
                                       .kind_name = "cuda",
                                       .name = "none",
                                       .arch = "sm_90",
                                       .compiler = "none",
                                       .multiprocessors = 132,
                                       .shared_bytes_block = 232448};

// ---- chance ------------------------------------------------------------------------------------

// In (0, 1); splitmix64.
static double draw(void)
{
    sim.random += 0x9e3779b97f4a7c15u;
    uint64_t z = sim.random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(void)
{
    return sqrt(-2.0 * log(draw())) * cos(6.283185307179586 * draw());
}

static bool happens(double probability)
{
    return draw() < probability;
}

// ---- kernels -----------------------------------------------------------------------------------

void race_sim_add(race_sim_kernel *kernel, const char *name, double microseconds, double prior)
{
    const int c = kernel->count++;
    const char *at = name;
    char *end;

    (void)snprintf(kernel->names[c], sizeof kernel->names[c], "%s", name);
    kernel->seconds[c] = 1e-6 * microseconds;
    kernel->candidates[c] = (sedge_tune_candidate){.name = kernel->names[c], .prior = prior};
    for (int k = 0; *(at += strcspn(at, "0123456789")) != '\0'; k++, at = end)
        kernel->candidates[c].number[k] = (int)strtol(at, &end, 10);
}

static sedge_status use_layout(void *context, int layout)
{
    (void)context, (void)layout;
    sim.now += sim.kernel->prepare;
    return SEDGE_OK;
}

static sedge_status write_text(void *context, int candidate, sedge_text *text)
{
    (void)context;
    sim.now += TEXT_SECONDS;
    const int longer = sim.kernel->longer[candidate];
    return sedge_text_add(text, "%-*d", TEXT_BYTES * (longer > 0 ? longer : 1), candidate);
}

static sedge_status launch(void *context, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    const double clocks = 1.0 + IDLE_SLOWER * exp(-sim.busy / GAIN_SECONDS);
    double seconds = sim.kernel->seconds[candidate] * clocks;

    (void)context, (void)program, (void)stream;
    seconds *= 1.0 + sim.constant[candidate] - 0.008 * log(draw());
    if (happens(0.03)) seconds *= 1.1 + 0.4 * draw();
    if (sim.kernel->busy > 0.0 && happens(sim.kernel->busy)) seconds *= 2.0 + 1.5 * draw();
    if (sim.burst_factor > 0.0 && sim.now > sim.burst_from &&
        sim.now < sim.burst_from + BURST_SECONDS)
        seconds *= sim.burst_factor;
    sim.gpu += seconds;
    sim.now += LAUNCH + (sim.called[candidate] ? 0.0 : sim.kernel->first_call);
    sim.called[candidate] = true;
    return SEDGE_OK;
}

static sedge_status verify(void *context, int candidate, const sedge_program *program)
{
    (void)context, (void)program;
    sim.now += sim.checked ? sim.kernel->check : sim.kernel->first_check;
    sim.checked = true;
    if (!sim.kernel->wrong[candidate]) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "wrong");
}

// ---- searches ----------------------------------------------------------------------------------

void race_sim_end(void)
{
    json_decref(sim.wisdom);
    sim.wisdom = NULL;
}

void race_sim_start(uint64_t seed)
{
    race_sim_end();
    memset(&sim, 0, sizeof sim);
    sim.random = seed;
}

static sedge_tune_task describe(const race_sim_kernel *kernel)
{
    static const char *const layouts[] = {"plain", "other"};

    return (sedge_tune_task){.name = kernel->name,
                             .size = "one",
                             .source_hash = "abc",
                             .layouts = kernel->layouts > 0 ? kernel->layouts : 1,
                             .layout_names = layouts,
                             .operation = "call",
                             .count = kernel->count,
                             .candidates = kernel->candidates,
                             .use_layout = use_layout,
                             .text = write_text,
                             .launch = launch,
                             .verify = verify};
}

sedge_status race_sim_tune(sedge_tune_result **out, race_sim_kernel *kernel)
{
    const sedge_tune_task task = describe(kernel);
    const sedge_tune_options options = {.level = SEDGE_TUNE_FAST,
                                        .budget = kernel->budget > 0.0 ? kernel->budget : 0.3,
                                        .forget = true};

    sim.kernel = kernel;
    sim.checked = false;
    memset(sim.called, 0, sizeof sim.called);
    for (int c = 0; c < kernel->count; c++) sim.constant[c] = 0.003 * draw_normal();
    const bool bursts = happens(kernel->bursts > 0.0 ? kernel->bursts : 0.05);
    sim.burst_factor = bursts ? 1.1 + 0.4 * draw() : 0.0;
    sim.burst_from = sim.now + 0.4 * draw();
    return sedge_tune(out, NULL, NULL, NULL, &task, &options);
}

sedge_status race_sim_print(race_sim_kernel *kernel, const sedge_tune_result *result)
{
    const sedge_tune_task task = describe(kernel);

    return sedge_tune_print(stdout, &task, result);
}

// ---- in the place of others --------------------------------------------------------------------

// The linker puts __wrap_NAME in the place of NAME.
#define IN_PLACE_OF(name) __asm__("__wrap_" #name)

double sim_clock(void) IN_PLACE_OF(sedge_clock);
double sim_clock(void)
{
    sim.now += 50e-9;
    return sim.now;
}

int sim_compilers(int local_ranks) IN_PLACE_OF(sedge_device_compilers);
int sim_compilers(int local_ranks)
{
    return CORES / local_ranks;
}

const sedge_device_info *sim_get_info(const sedge_device *device)
    IN_PLACE_OF(sedge_device_get_info);
const sedge_device_info *sim_get_info(const sedge_device *device)
{
    (void)device;
    return &info;
}

sedge_status sim_stream_create(sedge_stream **out, sedge_device *device, bool high_priority)
    IN_PLACE_OF(sedge_stream_create);
sedge_status sim_stream_create(sedge_stream **out, sedge_device *device, bool high_priority)
{
    (void)device, (void)high_priority;
    *out = NULL;
    return SEDGE_OK;
}

void sim_stream_free(sedge_stream *stream) IN_PLACE_OF(sedge_stream_free);
void sim_stream_free(sedge_stream *stream)
{
    (void)stream;
}

sedge_status sim_event_create(sedge_event **out, sedge_device *device)
    IN_PLACE_OF(sedge_event_create);
sedge_status sim_event_create(sedge_event **out, sedge_device *device)
{
    (void)device;
    *out = (void *)&sim.event[sim.events++ % 2];
    return SEDGE_OK;
}

void sim_event_free(sedge_event *event) IN_PLACE_OF(sedge_event_free);
void sim_event_free(sedge_event *event)
{
    (void)event;
}

// When what was launched before is done.
sedge_status sim_event_record(sedge_event *event, sedge_stream *stream)
    IN_PLACE_OF(sedge_event_record);
sedge_status sim_event_record(sedge_event *event, sedge_stream *stream)
{
    (void)stream;
    memcpy(event, &sim.gpu, sizeof sim.gpu);
    return SEDGE_OK;
}

sedge_status sim_event_seconds(double *seconds, sedge_event *from, sedge_event *to)
    IN_PLACE_OF(sedge_event_seconds);
sedge_status sim_event_seconds(double *seconds, sedge_event *from, sedge_event *to)
{
    double began, ended;

    memcpy(&began, from, sizeof began);
    memcpy(&ended, to, sizeof ended);
    *seconds = ended - began;
    return SEDGE_OK;
}

// The GPU works while the host waits: all launches of a sample are short beside their work.
sedge_status sim_stream_wait(sedge_stream *stream) IN_PLACE_OF(sedge_stream_wait);
sedge_status sim_stream_wait(sedge_stream *stream)
{
    const double work = sim.event[1] - sim.event[0];

    (void)stream;
    if (sim.now - sim.idle_since > 10e-3) sim.busy *= exp(-(sim.now - sim.idle_since) / 0.5);
    sim.busy += work;
    sim.now += work + WAIT;
    sim.idle_since = sim.now;
    return SEDGE_OK;
}

sedge_cache_counts sim_get_counts(const sedge_cache *cache) IN_PLACE_OF(sedge_cache_get_counts);
sedge_cache_counts sim_get_counts(const sedge_cache *cache)
{
    (void)cache;
    return (sedge_cache_counts){.misses = sim.misses};
}

void sim_program_free(sedge_program *program) IN_PLACE_OF(sedge_program_free);
void sim_program_free(sedge_program *program)
{
    (void)program;
}

const char *sim_program_log(const sedge_program *program) IN_PLACE_OF(sedge_program_log);
const char *sim_program_log(const sedge_program *program)
{
    (void)program;
    return "";
}

// A text is the candidate's number.
static int candidate_of(const sedge_program_text *text)
{
    return (int)strtol(text->text, NULL, 10);
}

sedge_status sim_programs_find(sedge_program **out, sedge_device *device, sedge_cache *cache,
                               const sedge_program_text *texts, int count)
    IN_PLACE_OF(sedge_programs_find);
sedge_status sim_programs_find(sedge_program **out, sedge_device *device, sedge_cache *cache,
                               const sedge_program_text *texts, int count)
{
    (void)device, (void)cache;
    for (int i = 0; i < count; i++) {
        const int c = candidate_of(&texts[i]);
        out[i] = sim.kernel->cached[c] ? (void *)&sim.kernel->candidates[c] : NULL;
        sim.now += sim.kernel->cached[c] ? FIND_SECONDS : 0.1 * FIND_SECONDS;
    }
    return SEDGE_OK;
}

// Seconds of one call of the compiler among `calls`, of programs so many times as long as usual.
static double compile_one(int programs, double longer, int calls)
{
    const int threads = calls < THREADS ? calls : THREADS;
    double seconds = CALL_SECONDS + programs * longer * sim.kernel->compile;

    seconds *= (1.0 + CROWD * (threads - 1)) * exp(0.2 * draw_normal());
    return happens(0.05) ? 2.0 * seconds : seconds;
}

// Each call to the thread that is free first; what it makes is kept and loaded by one thread.
static double compile_all(int missing, double longer, int together)
{
    const int calls = (missing + together - 1) / together;
    double free_at[THREADS] = {0.0};
    double end = 0.0;

    for (int i = 0; i < calls; i++) {
        const int programs = i + 1 < calls ? together : missing - i * together;
        int thread = 0;
        for (int t = 1; t < THREADS; t++)
            if (free_at[t] < free_at[thread]) thread = t;
        free_at[thread] += compile_one(programs, longer, calls);
        end = fmax(end, free_at[thread]);
    }
    sim.misses += calls;
    return end + together * KEEP_SECONDS;
}

sedge_status sim_programs_combine(sedge_program **out, char **messages, sedge_device *device,
                                  sedge_cache *cache, const sedge_program_text *texts, int count,
                                  int together, int compilers) IN_PLACE_OF(sedge_programs_combine);
sedge_status sim_programs_combine(sedge_program **out, char **messages, sedge_device *device,
                                  sedge_cache *cache, const sedge_program_text *texts, int count,
                                  int together, int compilers)
{
    int missing = 0;
    size_t bytes = 0;

    if (compilers != CORES)
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "%d compilers on %d cores", compilers, CORES);
    SEDGE_TRY(sim_programs_find(out, device, cache, texts, count));
    for (int i = 0; i < count; i++) {
        const int c = candidate_of(&texts[i]);
        messages[i] = NULL;
        if (out[i] != NULL) continue;
        missing++;
        bytes += strlen(texts[i].text);
        sim.kernel->cached[c] = true;
        out[i] = (void *)&sim.kernel->candidates[c];
    }
    if (missing > 0)
        sim.now += compile_all(missing, (double)bytes / (TEXT_BYTES * missing), together);
    return SEDGE_OK;
}

sedge_status sim_wisdom_key(json_t **key, const char *what, const sedge_device *device)
    IN_PLACE_OF(sedge_wisdom_key);
sedge_status sim_wisdom_key(json_t **key, const char *what, const sedge_device *device)
{
    (void)device;
    *key = json_pack("{s:s, s:s, s:s, s:s, s:i}", "what", what, "kind", info.kind_name, "device",
                     info.name, "arch", info.arch, "multiprocessors", info.multiprocessors);
    return sedge_wisdom_need(*key);
}

sedge_status sim_wisdom_read(json_t **lines, const sedge_cache *cache, const char *about)
    IN_PLACE_OF(sedge_wisdom_read);
sedge_status sim_wisdom_read(json_t **lines, const sedge_cache *cache, const char *about)
{
    (void)cache, (void)about;
    *lines = sim.wisdom != NULL ? json_pack("[O]", sim.wisdom) : json_array();
    return sedge_wisdom_need(*lines);
}

void sim_wisdom_write(sedge_cache *cache, const char *about, const json_t *line, bool replace)
    IN_PLACE_OF(sedge_wisdom_write);
void sim_wisdom_write(sedge_cache *cache, const char *about, const json_t *line, bool replace)
{
    (void)cache, (void)about, (void)replace;
    json_decref(sim.wisdom);
    sim.wisdom = json_deep_copy(line);
}
