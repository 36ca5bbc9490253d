#include "near.h"

#include <string.h>

enum { NAME_MAX_LENGTH = 64, SHORT = 3 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter;
}

// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`, where a
// capital letter is the same as a small one.
static int edit_distance(const char *a, const char *b)
{
    int rows[3][NAME_MAX_LENGTH + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    const size_t m = strlen(a);
    const size_t n = strlen(b);
    const int wrong = m <= SHORT && n <= SHORT ? 2 : 1; // a letter for another one

    if (m > NAME_MAX_LENGTH || n > NAME_MAX_LENGTH) return NAME_MAX_LENGTH;
    for (int j = 0; j <= (int)n; j++) last[j] = j;
    for (int i = 1; i <= (int)m; i++) {
        row[0] = i;
        for (int j = 1; j <= (int)n; j++) {
            const int substitute = last[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]) ? wrong : 0);
            row[j] = least(substitute, 1 + least(last[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        int *const free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[n];
}

int sedge_near_find(const char *word, const char *const *names, int count)
{
    int best = NAME_MAX_LENGTH;
    int nearest = -1;

    for (int i = 0; i < count; i++) {
        const int distance = edit_distance(word, names[i]);
        if (distance < best) {
            best = distance;
            nearest = i;
        }
    }
    if (nearest < 0) return -1;
    const int length = (int)strlen(names[nearest]);
    return best <= (length <= SHORT ? 1 : 1 + length / 3) ? nearest : -1;
}
