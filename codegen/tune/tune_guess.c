// The tuner's guess: what the times of some candidates say of the others.
#include "tune/tune_race.h"

#include <math.h>
#include <string.h>

// A word of a name, or a number of a list in it.
typedef struct guess_word {
    const char *at;
    size_t length; // 0: there is no other
} guess_word;

static guess_word next_word(const char *at)
{
    at += strspn(at, " ,");
    return (guess_word){at, strcspn(at, " ,")};
}

// Does a name have this word in this place?
static bool has_word(const char *name, int place, guess_word word)
{
    guess_word own = next_word(name);

    while (place-- > 0 && own.length > 0) own = next_word(own.at + own.length);
    return own.length == word.length && memcmp(own.at, word.at, word.length) == 0;
}

// The mean logarithm of the times of those with this word in this place above that of all, `mean`,
// as if there were one more, of mean time: one candidate says less than several.
static double effect_of(const tune_race *race, int place, guess_word word, double mean)
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

static double guess(const tune_race *race, const race_entry *entry, double mean)
{
    guess_word word = next_word(sedge_race_name(race, entry));
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
        entry.guess = guess(race, &entry, mean);
        for (; at > race->compiled && race->entries[at - 1].guess > entry.guess; at--)
            race->entries[at] = race->entries[at - 1];
        race->entries[at] = entry;
    }
}
