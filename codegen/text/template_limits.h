// Limits of a template. A larger one is refused, with the limit in the message.
#pragma once

#define SEDGE_TEMPLATE_DEPTH 32         // blocks in blocks, and parentheses in an expression
#define SEDGE_TEMPLATE_STEPS 1000000    // directives and pieces of text that are processed
#define SEDGE_TEMPLATE_BYTES (16 << 20) // of output
#define SEDGE_TEMPLATE_TEXT  65536      // bytes of a text value
