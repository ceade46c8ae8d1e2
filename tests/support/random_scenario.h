/// Legal scenarios at random, as YAML: every shipped rover and soil, every soil law, ground, rocks, drive and pace. The
/// same seed and index give the same text.
#ifndef GR_RANDOM_SCENARIO_H
#define GR_RANDOM_SCENARIO_H

#include "buffer.h"
#include "file.h"

#include <stdint.h>

/// `soils`: names to choose from.
void gr_random_scenario(uint64_t seed, int index, const GrNameList *soils, GrBuffer *yaml);

#endif
