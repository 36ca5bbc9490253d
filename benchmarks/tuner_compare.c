#include "tuner.h"

#include "base/memory.h"

#include <stdio.h>

void bench_tuning_print_head(void)
{
    printf("| kernel | candidates | best | best us | rule us | quick winner of the best, each "
           "repeat | "
           "last winner | s, compiled, each | exhaustive s |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

// The candidate with the least time of the exhaustive search.
static int find_best(const sedge_tune_task *task, const sedge_tune_record *records)
{
    int best = 0;

    for (int c = 1; c < task->count; c++)
        if (records[c].seconds > 0.0 && records[c].seconds < records[best].seconds) best = c;
    return best;
}

sedge_status bench_tuning_compare(const bench_tuning *bench, const sedge_tune_task *task)
{
    const sedge_tune_options all = {.level = SEDGE_TUNE_EXHAUSTIVE, .forget = true};
    const sedge_tune_options quick = {.level = SEDGE_TUNE_FAST, .budget = 0.3, .forget = true};
    sedge_tune_result *best = NULL;
    sedge_tune_result **found = NULL;
    sedge_status status;

    // The quick ones first, with an empty memory of the candidates' times.
    SEDGE_TRY_GOTO(status, sedge_allocate(&found, bench->repeats, sizeof(sedge_tune_result *)));
    for (int r = 0; r < bench->repeats; r++) {
        SEDGE_TRY_GOTO(status,
                       sedge_tune(&found[r], NULL, bench->device, bench->cache, task, &quick));
    }
    if (bench->tables) SEDGE_TRY_GOTO(status, sedge_tune_print(stdout, task, found[0]));
    SEDGE_TRY_GOTO(status, sedge_tune(&best, NULL, bench->device, bench->cache, task, &all));
    const int winner = find_best(task, best->records);
    const double least = best->records[winner].seconds;
    printf("| %s %s %s | %d | %s | %.1f | %.1f |", task->name, task->operation, task->size,
           task->count, task->candidates[winner].name, 1e6 * least, 1e6 * best->records[0].seconds);
    for (int r = 0; r < bench->repeats; r++)
        printf(" %.3f", least / best->records[found[r]->choice].seconds);
    printf(" | %s |", task->candidates[found[bench->repeats - 1]->choice].name);
    for (int r = 0; r < bench->repeats; r++) {
        printf("%s %.2f, %d", r > 0 ? ";" : "", found[r]->seconds, found[r]->compiled);
    }
    printf(" | %.1f |\n", best->seconds);
    (void)fflush(stdout);
done:
    for (int r = 0; found != NULL && r < bench->repeats; r++) sedge_tune_result_free(found[r]);
    sedge_release(found);
    sedge_tune_result_free(best);
    return status;
}
