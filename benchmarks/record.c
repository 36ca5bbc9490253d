#define _POSIX_C_SOURCE 200809L // gmtime_r
#include "record.h"

#include "base/file.h"
#include "base/memory.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct bench_record {
    json_t *cases;
    json_t *ceilings;
    bool has_head;
};

void bench_count_work(bench_case *c, bool predicts)
{
    const double n = c->order;
    const double np = (n + 1.0) * (n + 2.0) * (n + 3.0) / 6.0;
    const double nfp = (n + 1.0) * (n + 2.0) / 2.0;
    const double word = sedge_real_bytes(c->precision);
    const double elements = (double)c->elements;

    c->bytes = elements * (24.0 * np * word + 32.0 * word + 32.0);
    if (predicts) c->bytes += elements * (6.0 * np * word + 12.0 * word);
    c->flops =
        elements * (36.0 * np * np + 66.0 * np + 244.0 * nfp + np * (48.0 * nfp + 6.0) + 24.0 * np);
    c->rate = 6.0 * np * elements / c->median;
}

// MIDG2's unknowns a second and stage in fp32 on one H200, 2026-11-21; orders 1 to 8, boxes of
// 1053696 to 105456 tets. 0: not known for this order.
static double find_peer_rate(int order)
{
    static const double midg2[] = {0.0, 17.6, 35.9, 43.1, 28.3, 32.5, 23.7, 21.2, 13.4};

    return order < (int)(sizeof midg2 / sizeof *midg2) ? 1e9 * midg2[order] : 0.0;
}

const char *bench_precision_name(sedge_precision precision)
{
    return precision == SEDGE_FP64 ? "fp64" : "fp32";
}

sedge_status bench_record_create(bench_record **out)
{
    SEDGE_TRY(sedge_allocate(out, 1, sizeof **out));
    (*out)->cases = json_array();
    (*out)->ceilings = json_array();
    if ((*out)->cases != NULL && (*out)->ceilings != NULL) return SEDGE_OK;
    bench_record_free(*out);
    *out = NULL;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the results");
}

void bench_record_free(bench_record *record)
{
    if (record == NULL) return;
    json_decref(record->cases);
    json_decref(record->ceilings);
    sedge_release(record);
}

static sedge_status keep(json_t *list, json_t *item)
{
    if (item != NULL && json_array_append_new(list, item) == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the results");
}

// The peers were measured on a GPU: against a CPU their ratio would say nothing.
static void print_peer(const bench_case *c, bool is_gpu)
{
    const double peer = c->precision == SEDGE_FP32 ? find_peer_rate(c->order) : 0.0;

    if (peer == 0.0) {
        printf(" %7s %6s", "-", "-");
    } else if (is_gpu) {
        printf(" %7.1f %6.2f", peer / 1e9, c->rate / peer);
    } else {
        printf(" %7.1f %6s", peer / 1e9, "-");
    }
}

sedge_status bench_record_add(bench_record *record, const bench_case *c, bool is_gpu)
{
    const double fraction = c->floor / c->median;
    const bool shares = strcmp(c->transport, "none") != 0;
    const sedge_family_tuning *const curved = &c->tuning.family[SEDGE_FAMILY_CURVED];
    const sedge_family_tuning *const prediction = &c->tuning.family[SEDGE_FAMILY_PREDICTION];

    if (!record->has_head) {
        printf("\n%5s %5s %9s  %-26s %12s %12s %9s %9s %7s %7s %6s%s\n", "order", "real", "tets",
               "kernels", "us/stage", "us least", "GDOF/s", "GFLOP/s", "of floor", "MIDG2", "ratio",
               shares ? "  exchange" : "");
    }
    record->has_head = true;
    printf("%5d %5s %9lld  %-26s %12.1f %12.1f %9.3f %9.1f %8.3f", c->order,
           bench_precision_name(c->precision), (long long)c->elements, c->variant, 1e6 * c->median,
           1e6 * c->least, c->rate / 1e9, c->flops / c->median / 1e9, fraction);
    print_peer(c, is_gpu);
    if (shares) {
        printf("  %s, %.1f us, %.0f %% hidden", c->transport, 1e6 * c->exchange.seconds,
               100.0 * c->hidden);
    }
    if (c->predict > 0.0)
        printf("  prediction %.1f us, stage %.1f us", 1e6 * c->predict, 1e6 * c->correct);
    printf("\n");
    (void)fflush(stdout);
    return keep(record->cases,
                json_pack("{s:i, s:s, s:I, s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, "
                          "s:f, s:s, s:f, s:i, s:f, s:s?, s:f, s:s?, s:f, s:s, s:f, s:I, s:I, s:I, "
                          "s:f, s:f, s:f, s:f}",
                          "order", c->order, "precision", bench_precision_name(c->precision),
                          "elements", (json_int_t)c->elements, "variant", c->variant, "steps",
                          c->steps, "repeats", c->repeats, "stage_seconds", c->median,
                          "stage_seconds_least", c->least, "dofs_per_second", c->rate, "flops",
                          c->flops, "bytes", c->bytes, "floor_seconds", c->floor,
                          "fraction_of_floor", fraction, "energy_change", c->energy_change,
                          "midg2_fp32_dofs_per_second", find_peer_rate(c->order), "chosen_by",
                          c->tuning.how, "rule_over_chosen", c->tuning.gain, "candidates_timed",
                          c->tuning.timed, "tuning_seconds", c->tuning.seconds, "curved_variant",
                          curved->variant, "curved_rule_over_chosen", curved->gain,
                          "prediction_variant", prediction->variant, "prediction_rule_over_chosen",
                          prediction->gain, "transport", c->transport, "exchange_hidden", c->hidden,
                          "most_elements", (json_int_t)c->exchange.most_elements,
                          "most_halo_elements", (json_int_t)c->exchange.most_halo, "exchange_bytes",
                          (json_int_t)c->exchange.bytes, "exchange_seconds", c->exchange.seconds,
                          "exposed_seconds", c->exchange.exposed, "prediction_seconds", c->predict,
                          "stage_kernel_seconds", c->correct));
}

sedge_status bench_record_add_ceilings(bench_record *record, sedge_precision precision,
                                       const sedge_ceilings *ceilings)
{
    printf("ceilings %s: copy %.1f GB/s (read and written), multiply-adds %.1f GFLOP/s\n",
           bench_precision_name(precision), ceilings->copy / 1e9, ceilings->flops / 1e9);
    return keep(record->ceilings,
                json_pack("{s:s, s:f, s:f}", "precision", bench_precision_name(precision),
                          "copy_bytes_per_second", ceilings->copy, "flops_per_second",
                          ceilings->flops));
}

sedge_status bench_record_write(const bench_record *record, const char *path,
                                const sedge_device_info *info, int ranks, const char *mesh)
{
    const time_t now = time(NULL);
    struct tm utc;
    char date[32] = "";

    if (gmtime_r(&now, &utc) != NULL) (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    json_t *const whole = json_pack(
        "{s:s, s:{s:s, s:s, s:s, s:s, s:i}, s:i, s:s, s:O, s:O}", "date", date, "device", "kind",
        info->kind_name, "name", info->name, "arch", info->arch, "compiler", info->compiler,
        "multiprocessors_or_threads", info->multiprocessors, "ranks", ranks, "mesh",
        mesh != NULL ? mesh : "box", "ceilings", record->ceilings, "cases", record->cases);
    char *const text = whole != NULL ? json_dumps(whole, JSON_INDENT(2)) : NULL;
    json_decref(whole);
    if (text == NULL) return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for '%s'", path);
    const sedge_status status = sedge_file_write(path, text, strlen(text));
    free(text);
    return status;
}
