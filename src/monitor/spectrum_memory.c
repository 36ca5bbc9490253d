#include "spectrum_memory.h"

#include "base/hash.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

sedge_status sedge_sampling_save(const sedge_sampling *sampling,
                                 const sedge_output_context *context, json_t *memory)
{
    if (json_object_set_new(memory, "every", json_integer(sampling->every)) == 0 &&
        json_object_set_new(memory, "dt", json_real(context->dt)) == 0)
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for a monitor's sampling");
}

sedge_status sedge_sampling_compare(const sedge_sampling *sampling,
                                    const sedge_output_context *context, const json_t *memory)
{
    const long long every = (long long)json_integer_value(json_object_get(memory, "every"));
    const double dt = json_number_value(json_object_get(memory, "dt"));
    const double unit = sedge_deck_time_unit(context->deck);
    const char *const second = sedge_deck_unit(context->deck, SEDGE_TIME);

    if (every == sampling->every && fabs(dt / context->dt - 1.0) <= 0.01) return SEDGE_OK;
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "%s: the checkpoint has sums of spectra with a sample every %lld steps of "
        "%.6g%s, and this run takes one every %d steps of %.6g%s: keep the time step and "
        "set monitors.frequencies.every to %lld",
        context->deck->path, every, dt * unit, second, sampling->every, context->dt * unit, second,
        every);
}

// What must be the same for sums to go on, as a text.
static void describe(const sedge_spectrum *spectrum, uint64_t place, char text[SEDGE_HASH_TEXT])
{
    uint64_t sum = sedge_hash_quick(place, spectrum->component,
                                    (size_t)spectrum->components * sizeof *spectrum->component);

    sum = sedge_hash_quick(sum, spectrum->frequencies->value,
                           (size_t)spectrum->frequencies->count * sizeof(double));
    (void)snprintf(text, SEDGE_HASH_TEXT, "%016llx", (unsigned long long)sum);
}

sedge_status sedge_spectrum_save(const sedge_spectrum *spectrum, json_t *memory, const char *name,
                                 uint64_t place)
{
    json_t *const incident = json_array();
    char text[SEDGE_HASH_TEXT];
    int failed = 0;

    describe(spectrum, place, text);
    for (int i = 0; i < sedge_spectrum_incident_numbers(spectrum); i++)
        failed |= json_array_append_new(incident, json_real(spectrum->incident[i]));
    json_t *const one = json_pack("{s:s, s:I, s:o}", "sums", text, "begin",
                                  (json_int_t)spectrum->begin, "incident", incident);
    failed |= json_object_set_new(memory, name, one);
    if (failed == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the spectrum '%s'", name);
}

sedge_status sedge_spectrum_load(sedge_spectrum *spectrum, const sedge_output_context *context,
                                 const json_t *memory, const char *name, int line, uint64_t place)
{
    const json_t *const old = json_object_get(memory, name);
    const json_t *const incident = json_object_get(old, "incident");
    const char *const there = json_string_value(json_object_get(old, "sums"));
    const int numbers = sedge_spectrum_incident_numbers(spectrum);
    char text[SEDGE_HASH_TEXT];

    spectrum->begin = context->first_step;
    if (old == NULL) return SEDGE_OK;
    describe(spectrum, place, text);
    if (there == NULL || strcmp(there, text) != 0 || json_array_size(incident) != (size_t)numbers) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s:%d: the checkpoint has sums of the spectrum '%s' for other places, "
                          "fields, frequencies or sources: give the new one another name",
                          context->deck->path, line, name);
    }
    for (int i = 0; i < numbers; i++)
        spectrum->incident[i] = json_number_value(json_array_get(incident, (size_t)i));
    spectrum->begin = json_integer_value(json_object_get(old, "begin"));
    spectrum->restored = true;
    return SEDGE_OK;
}
