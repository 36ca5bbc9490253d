// What stands before philox.h: its numbers, and the place of element `rest` of a strided array. A
// template (text/template.h).
// clang-format off
typedef $real$ random_real;
#define RANDOM_KIND    $kind$
#define RANDOM_DOUBLE  $two_words$
#define RANDOM_PARTS   $parts$
#define RANDOM_PER     $elements$
// Elements of different sizes take different counters, so that their streams do not meet.
#define RANDOM_CLASS   $4 / elements$u
#define RANDOM_THREADS $threads$
#define RANDOM_ITEMS   $items$
#define RANDOM_STRIDED $dimensions > 0$
#define RANDOM_WALK(X)$for d in 0..dimensions$ X(sedge_int64, size$d$) X(sedge_int64, stride$d$)$end$
SEDGE_FUNCTION sedge_int64 random_place(sedge_int64 rest$for d in 0..dimensions$, sedge_int64 size$d$, sedge_int64 stride$d$$end$)
{
    sedge_int64 place = 0;
$for later in 0..dimensions$
$let d = dimensions - 1 - later$
    place += rest % size$d$ * stride$d$;
    rest /= size$d$;
$end$
    return place;
}
// clang-format on
