// Near names: what a person who wrote an unknown name may have meant.
#pragma once

// The place in `names` of the one nearest to `word`, or -1 when none is near. Near is one slip and
// one more for each three letters; a slip is a letter too many, too few or wrong, or two letters
// that changed places. Of names of three letters or fewer only one slip is near, and no wrong
// letter: another letter makes an abbreviation another word ("pml" is not "pmc").
int sedge_near_find(const char *word, const char *const *names, int count);
