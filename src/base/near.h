// Near names: what a person who wrote an unknown name may have meant.
#pragma once

// The place in `names` of the one nearest to `word`, or -1 when none is near: more than one slip
// and one more in three letters. A slip is a letter too many, too few or wrong, or two that changed
// places.
int sedge_near_find(const char *word, const char *const *names, int count);
