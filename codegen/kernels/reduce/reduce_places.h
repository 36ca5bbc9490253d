// Where the arrays of a reduction's expression have a row, or an element, by its index: the index's
// digits in the iteration's shape, last dimension first, times strides. Shapes and strides are the
// kernel's arguments reduce_w0, reduce_w1, ... A template (text/template.h).
// clang-format off
#define REDUCE_WALK(X)$for n in 0..arguments$ X(sedge_int64, reduce_w$n$)$end$
typedef struct reduce_place {
$for a in 0..len(array)$
    sedge_int64 at$array[a]$;
$end$
} reduce_place;
$for a in 0..len(array)$
#define REDUCE_STEP$array[a]$ $along[a]$
#define REDUCE_SIDE$array[a]$ $across[a]$
#define REDUCE_SAME$array[a]$ $same[a]$
$end$
$for f in 0..1 + elements$
SEDGE_FUNCTION reduce_place reduce_$if f == 0$row$else$element$end$(sedge_int64 index$for n in 0..arguments$, sedge_int64 reduce_w$n$$end$)
{
    reduce_place place;
$for a in 0..len(array)$
    place.at$array[a]$ = 0;
$end$
$if dimensions > 0 and f == elements$
    $digit$ rest = ($digit$)index, digit;
$for later in 0..dimensions$
$let d = dimensions - 1 - later$
$if d > 0$
    digit = rest % ($digit$)reduce_w$size[d]$;
    rest /= ($digit$)reduce_w$size[d]$;
$else$
    digit = rest;
$end$
$for a in 0..len(array)$
    place.at$array[a]$ += (sedge_int64)digit * reduce_w$stride[a * dimensions + d]$;
$end$
$end$
    (void)rest, (void)digit;
$end$
    (void)index;
    return place;
}
$end$
