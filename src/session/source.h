// An evolution as monitors see it: the source of their samples.
#pragma once

#include "evolve/evolution.h"
#include "monitor/sample.h"

// The source keeps the evolution, which must outlive it.
sedge_sample_source sedge_session_source(sedge_evolution *evolution);
