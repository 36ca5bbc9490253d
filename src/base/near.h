// Near names: what a person who wrote an unknown name may have meant.
#pragma once

// Index in `names` of the name nearest to `word`, or -1 when none is near. Capital letters count as
// small ones. A slip is a letter too many, a letter too few, a wrong letter, or two letters that
// changed places. A name is near if it
// differs by at most one slip, plus one for every three letters. A name of at most three letters is
// near only if it differs by one slip other than a wrong letter: a wrong letter makes an
// abbreviation another word ("pml" is not "pmc").
int sedge_near_find(const char *word, const char *const *names, int count);
