#include "element.h"
