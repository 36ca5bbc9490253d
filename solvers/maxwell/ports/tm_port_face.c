// A port of a rectangular or round waveguide: a transverse magnetic mode enters there, and leaves.
#include "port_fit.h"

PORT_GUIDE(tm_port, "tm-port", TM);
