// Syntax trees: code is built in C as a tree of statements and blocks, and printed as indented
// source. The third of the three ways to make program source, for code whose structure is computed.
//
//     sedge_tree *tree;
//     SEDGE_TRY(sedge_tree_create(&tree, "scale by 1.5"));
//     sedge_node *const kernel = sedge_tree_kernel(sedge_tree_module(tree), "scale", 128, list, 2);
//     sedge_node *const outer = sedge_tree_block(kernel, "SEDGE_OUTER (b)");
//     sedge_node *const items = sedge_tree_block(outer, "SEDGE_ITEMS (g, 1, n, 128, 128)");
//     sedge_tree_assign(items, "y[n]", "=", "%s * x[n]", sedge_tree_float(tree, 1.5f));
//     SEDGE_TRY(sedge_tree_write(out, tree));
//
// The functions that add nodes report no errors. The tree remembers the first error (a wrong call,
// or no memory) and ignores what is added later; sedge_tree_write returns that error. Texts are
// copied. Formats are printf's. A text has one line, and a statement is given without its `;`.
#pragma once

#include "base/error.h"
#include "base/text.h"

typedef struct sedge_tree sedge_tree;
typedef struct sedge_node sedge_node; // a part of a tree, which owns it; never NULL

#define SEDGE_PRINTF(at) __attribute__((format(printf, at, (at) + 1)))

// `name` appears in the first line of the text and says what it was made from. The caller frees
// the tree.
SEDGE_MUST_USE
sedge_status sedge_tree_create(sedge_tree **out, const char *name);
void sedge_tree_free(sedge_tree *tree);

// Append the whole text. Fails with SEDGE_ERR_USAGE or SEDGE_ERR_MEMORY if building failed; `out`
// is then unchanged.
SEDGE_MUST_USE
sedge_status sedge_tree_write(sedge_text *out, const sedge_tree *tree);

// The root of the tree, to which kernels and functions are added.
sedge_node *sedge_tree_module(sedge_tree *tree);

// ---- in the module -----------------------------------------------------------------------------

typedef struct sedge_tree_parameter {
    const char *type; // "const SEDGE_GLOBAL float *"
    const char *name;
} sedge_tree_parameter;

// A kernel of the dialect (codegen/kernels/README.md): its list of parameters as a macro, then
// SEDGE_KERNEL. The names of two kernels must differ in more than the case of letters.
sedge_node *sedge_tree_kernel(sedge_node *module, const char *name, int threads,
                              const sedge_tree_parameter *parameters, int count);

// A SEDGE_FUNCTION that returns `type`.
sedge_node *sedge_tree_function(sedge_node *module, const char *type, const char *name,
                                const sedge_tree_parameter *parameters, int count);

// ---- anywhere ----------------------------------------------------------------------------------

// A comment. Long lines are wrapped.
SEDGE_PRINTF(2) void sedge_tree_comment(sedge_node *block, const char *format, ...);
// A preprocessor directive, "#if SEDGE_TARGET_CUDA"; it is not indented.
SEDGE_PRINTF(2) void sedge_tree_directive(sedge_node *block, const char *format, ...);
SEDGE_PRINTF(2) void sedge_tree_statement(sedge_node *block, const char *format, ...);
// `type name;` and `type name = ...;`. The name of an array has its size: "sum[4]".
void sedge_tree_declare(sedge_node *block, const char *type, const char *name);
SEDGE_PRINTF(4)
void sedge_tree_define(sedge_node *block, const char *type, const char *name, const char *format,
                       ...);
// `target operation ...;` with "=" or "+=" and its like.
SEDGE_PRINTF(4)
void sedge_tree_assign(sedge_node *block, const char *target, const char *operation,
                       const char *format, ...);

// ---- blocks ------------------------------------------------------------------------------------

// A block with a head, which the format gives: "SEDGE_OUTER (b)", "while (x < 4)".
SEDGE_PRINTF(2) sedge_node *sedge_tree_block(sedge_node *block, const char *format, ...);
// A block without a head.
sedge_node *sedge_tree_scope(sedge_node *block);
// for (int name = from; name < to; name++)
sedge_node *sedge_tree_for(sedge_node *block, const char *name, const char *from, const char *to);
// The format gives the condition without parentheses. `branch` is the branch before the new one;
// nothing else may have been added after it.
SEDGE_PRINTF(2) sedge_node *sedge_tree_if(sedge_node *block, const char *format, ...);
SEDGE_PRINTF(2) sedge_node *sedge_tree_else_if(sedge_node *branch, const char *format, ...);
sedge_node *sedge_tree_else(sedge_node *branch);

// ---- expressions -------------------------------------------------------------------------------

// A text for use in other calls; the tree owns it. After a failure it is "".
SEDGE_PRINTF(2) const char *sedge_tree_text(sedge_tree *tree, const char *format, ...);
// Exact constants: hexadecimal, negative ones in parentheses.
const char *sedge_tree_float(sedge_tree *tree, float value);
const char *sedge_tree_double(sedge_tree *tree, double value);
