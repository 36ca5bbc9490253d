#include "mesh.h"
