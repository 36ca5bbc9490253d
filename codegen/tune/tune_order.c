// The order of the candidates that are not compiled yet: the times of the others predict theirs.
#include "tune/tune_race.h"

#include <math.h>
#include <string.h>

// A word of a candidate's name, or one number of a list in it.
typedef struct name_word {
    const char *at;
    size_t length; // 0: the name has no further word
} name_word;

static name_word next_word(const char *at)
{
    at += strspn(at, " ,");
    return (name_word){at, strcspn(at, " ,")};
}

// Whether a name has this word at this place.
static bool has_word(const char *name, int place, name_word word)
{
    name_word own = next_word(name);

    while (place-- > 0 && own.length > 0) own = next_word(own.at + own.length);
    return own.length == word.length && memcmp(own.at, word.at, word.length) == 0;
}

// By how much the logarithms of the times of the candidates with this word at this place exceed
// `mean`, the mean of all, on average. One more candidate of mean time is added, so that a single
// candidate has less influence than several.
static double effect_of(const tune_race *race, int place, name_word word, double mean)
{
    double sum = 0.0;
    int count = 0;

    for (int i = 0; i < race->compiled; i++) {
        const race_entry *const entry = &race->entries[i];
        if (!(entry->least > 0.0) || !has_word(sedge_race_name(race, entry), place, word)) continue;
        sum += log(entry->least) - mean;
        count++;
    }
    return sum / (count + 1);
}

static double expect(const tune_race *race, const race_entry *entry, double mean)
{
    name_word word = next_word(sedge_race_name(race, entry));
    double sum = 0.0;

    for (int place = 0; word.length > 0; place++) {
        sum += effect_of(race, place, word, mean);
        word = next_word(word.at + word.length);
    }
    return sum;
}

void sedge_race_reorder(tune_race *race)
{
    double mean = 0.0;
    int timed = 0;

    for (int i = 0; i < race->compiled; i++) {
        if (!(race->entries[i].least > 0.0)) continue;
        mean += log(race->entries[i].least);
        timed++;
    }
    if (timed < 2) return; // nothing to compare
    mean /= timed;
    for (int i = race->compiled; i < race->count; i++) { // insertion: equal ones keep their order
        race_entry entry = race->entries[i];
        int at = i;
        entry.expected = expect(race, &entry, mean);
        for (; at > race->compiled && race->entries[at - 1].expected > entry.expected; at--)
            race->entries[at] = race->entries[at - 1];
        race->entries[at] = entry;
    }
}
