#include "embedded.h"
extern const int sedge_codegen_placeholder;
const int sedge_codegen_placeholder = 0;
