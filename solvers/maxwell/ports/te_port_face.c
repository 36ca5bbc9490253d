// A port of a rectangular or round waveguide: a transverse electric mode enters there, and leaves.
#include "port_fit.h"

PORT_GUIDE(te_port, "te-port", TE);
