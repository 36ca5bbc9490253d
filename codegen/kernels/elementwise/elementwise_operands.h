// The rest of an elementwise kernel's source, behind the body: what elementwise.h is written in.
// Operands have the access number, constant, contiguous, rows, repeated or strided (sedge_access).
// A template (text/template.h).
// clang-format off
    }
$for k in 0..len(name)$
$if written[k]$
    *sedge_at_$name[k]$ = $name[k]$;
$end$
$end$
    (void)i;
}

$if dimensions > 0$
typedef struct sedge_layout_of_operands {
    sedge_int64 count;
    sedge_index shape[SEDGE_DIMENSIONS];
    sedge_index stride[SEDGE_STRIDED][SEDGE_DIMENSIONS];
$if not wide$
    unsigned multiplier[SEDGE_DIMENSIONS];
    unsigned shift[SEDGE_DIMENSIONS];
$end$
} sedge_layout_of_operands;

$end$
#define SEDGE_PARAMETERS(X) \
$for k in 0..len(name)$
$if access[k] == "number"$
    X($type[k]$, sedge_number_$name[k]$) \
$else$
    X(SEDGE_GLOBAL $if not written[k]$const $end$$type[k]$ *, sedge_array_$name[k]$) \
$end$
$end$
$if dimensions > 0$
    X(sedge_layout_of_operands, sedge_layout)
$else$
    X(sedge_int64, sedge_count)
$end$

#define SEDGE_CONSTANTS \
$for k in 0..len(name)$
$if access[k] == "constant"$
    const $type[k]$ sedge_number_$name[k]$ = sedge_array_$name[k]$[0]; \
$end$
$end$

// An array's element at index n of the last dimension.
$for k in 0..len(name)$
$if access[k] == "contiguous"$
#define SEDGE_AT_$name[k]$(n) sedge_array_$name[k]$[n]
$elif access[k] == "rows"$
#define SEDGE_AT_$name[k]$(n) sedge_array_$name[k]$[offset[$slot[k]$] + (n)]
$elif access[k] == "repeated"$
#define SEDGE_AT_$name[k]$(n) sedge_array_$name[k]$[offset[$slot[k]$]]
$elif access[k] == "strided"$
#define SEDGE_AT_$name[k]$(n) sedge_array_$name[k]$[offset[$slot[k]$] + (n) * sedge_layout.stride[$slot[k]$][SEDGE_DIMENSIONS - 1]]
$end$
$end$

#define SEDGE_ELEMENT(i, n) \
    { \
$for k in 0..len(name)$
$if written[k]$
        $type[k]$ sedge_value_$name[k]$$if not write_only$ = SEDGE_AT_$name[k]$(n)$end$; \
$end$
$end$
        sedge_body(i$for k in 0..len(name)$, $if written[k]$&sedge_value_$name[k]$$elif single[k]$sedge_number_$name[k]$$else$SEDGE_AT_$name[k]$(n)$end$$end$); \
$for k in 0..len(name)$
$if written[k]$
        SEDGE_AT_$name[k]$(n) = sedge_value_$name[k]$; \
$end$
$end$
    }

$if in_packs$
// Packs of all arrays. Where all begin at a multiple of a pack it is loaded in pieces of up to 16
// bytes.
$for k in 0..len(name)$
$if not single[k]$
typedef struct SEDGE_ALIGN($alignment[k]$) sedge_pack_$name[k]$ {
    $type[k]$ item[SEDGE_PACK];
} sedge_pack_$name[k]$;
$end$
$end$

#define SEDGE_PACK_VARIABLES \
$for k in 0..len(name)$
$if not single[k]$
    sedge_pack_$name[k]$ sedge_packs_$name[k]$[SEDGE_PACKS]; \
$end$
$end$

#define SEDGE_PACK_LOAD(j, p) \
$for k in 0..len(name)$
$if not single[k] and not (written[k] and write_only)$
    sedge_packs_$name[k]$[j] = ((SEDGE_GLOBAL const sedge_pack_$name[k]$ *)sedge_array_$name[k]$)[p]; \
$end$
$end$

#define SEDGE_PACK_STORE(j, p) \
$for k in 0..len(name)$
$if written[k]$
    ((SEDGE_GLOBAL sedge_pack_$name[k]$ *)sedge_array_$name[k]$)[p] = sedge_packs_$name[k]$[j]; \
$end$
$end$

#define SEDGE_PACK_BODY(j, k, i) \
    sedge_body(i$for k in 0..len(name)$, $if single[k]$sedge_number_$name[k]$$else$$if written[k]$&$end$sedge_packs_$name[k]$[j].item[k]$end$$end$);

$end$
