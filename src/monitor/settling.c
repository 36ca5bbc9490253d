#include "settling.h"

#include "base/memory.h"
#include "io/json.h"

#include <math.h>
#include <string.h>

static void begin(sedge_settling *settling)
{
    const int64_t numbers = settling->values * settling->frequencies * 2;

    if (numbers > 0) memset(settling->before, 0, (size_t)numbers * sizeof *settling->before);
    for (int k = 0; k < settling->frequencies; k++) settling->change[k] = -1.0;
    settling->remains[0] = settling->remains[1] = (double)INFINITY;
    settling->restored = false;
}

// JSON has no infinity: null stands for it.
static double read_number(const json_t *list, int i)
{
    const json_t *const value = json_array_get(list, (size_t)i);

    return json_is_number(value) ? json_number_value(value) : (double)INFINITY;
}

static void restore(sedge_settling *settling, const json_t *old)
{
    const json_t *const change = json_object_get(old, "change");
    const json_t *const remains = json_object_get(old, "remains");

    if (json_array_size(change) != (size_t)settling->frequencies) return;
    settling->window = json_integer_value(json_object_get(old, "window"));
    settling->restored = settling->window > 0;
    for (int k = 0; k < settling->frequencies; k++) settling->change[k] = read_number(change, k);
    for (int i = 0; i < 2; i++) settling->remains[i] = read_number(remains, i);
}

sedge_status sedge_settling_create(sedge_settling *out, const sedge_output_context *context,
                                   int64_t values, int frequencies, bool restored,
                                   const json_t *memory, const char *name)
{
    const int64_t numbers = values * frequencies * 2;

    *out = (sedge_settling){.values = values, .frequencies = frequencies};
    sedge_status status = sedge_allocate(&out->before, numbers, sizeof *out->before);
    if (status == SEDGE_OK) status = sedge_allocate(&out->change, frequencies, sizeof *out->change);
    SEDGE_TRY(sedge_comm_agree(context->comm, status));
    begin(out);
    if (restored) restore(out, json_object_get(memory, name));
    return SEDGE_OK;
}

void sedge_settling_clear(const sedge_settling *settling)
{
    sedge_release(settling->before);
    sedge_release(settling->change);
}

// most[k] = the greatest |X|, most[frequencies + k] = the greatest change; X becomes `before`.
static void find_greatest(const sedge_settling *settling, const double *sums, double *most)
{
    const int frequencies = settling->frequencies;

    for (int64_t i = 0; i < settling->values * frequencies; i++) {
        const int k = (int)(i % frequencies);
        const double *const now = sums + 2 * i;
        double *const before = settling->before + 2 * i;

        most[k] = fmax(most[k], hypot(now[0], now[1]));
        most[frequencies + k] =
            fmax(most[frequencies + k], hypot(now[0] - before[0], now[1] - before[1]));
        memcpy(before, now, 2 * sizeof *before);
    }
}

// What is to come after a change, by that of the window before.
static double extrapolate(double change, double before)
{
    const double q = fmin(change / before, SEDGE_SETTLING_SLOWEST);

    if (!(change > 0.0)) return 0.0;
    return before < 0.0 ? (double)INFINITY : change * fmax(1.0, q / (1.0 - q));
}

sedge_status sedge_settling_measure(sedge_settling *settling, const sedge_output_context *context,
                                    const double *sums, int64_t window)
{
    const int frequencies = settling->frequencies;
    double greatest = 0.0;
    double worst = 0.0;
    double *most = NULL;

    SEDGE_TRY(
        sedge_comm_agree(context->comm, sedge_allocate(&most, 2LL * frequencies, sizeof *most)));
    if (settling->window != window) begin(settling);
    settling->window = window;
    find_greatest(settling, sums, most);
    sedge_comm_max(context->comm, most, 2 * frequencies);
    for (int k = 0; k < frequencies; k++) greatest = fmax(greatest, most[k]);
    for (int k = 0; k < frequencies; k++) {
        const double size = fmax(most[k], context->deck->frequency_floor * greatest);
        const double change = most[frequencies + k];

        // What has seen nothing yet has not settled.
        worst = fmax(worst, size > 0.0 ? extrapolate(change, settling->change[k]) / size
                                       : (double)INFINITY);
        settling->change[k] = change;
    }
    settling->remains[1] = settling->remains[0];
    settling->remains[0] = worst;
    sedge_release(most);
    return SEDGE_OK;
}

sedge_status sedge_settling_save(const sedge_settling *settling, json_t *memory, const char *name)
{
    json_t *const change = json_array();
    json_t *const remains = json_array();
    int failed = 0;

    for (int k = 0; k < settling->frequencies; k++)
        failed |= json_array_append_new(change, sedge_json_number(settling->change[k]));
    for (int i = 0; i < 2; i++)
        failed |= json_array_append_new(remains, sedge_json_number(settling->remains[i]));
    json_t *const one = json_pack("{s:I, s:o, s:o}", "window", (json_int_t)settling->window,
                                  "change", change, "remains", remains);
    failed |= json_object_set_new(memory, name, one);
    if (failed == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the settling of '%s'", name);
}
