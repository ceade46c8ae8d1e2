/// Assigns soils by rules on the shape of the ground.
///
///     "bedrock: slope_deg>20"  "drift: height_m<-4450 and noise>0.2"  "sand: inside(0 0, 9 0, 5 7)"  "ES-2"
///
/// The first rule that applies names the soil; a rule without conditions always applies. Conditions: slope_deg,
/// height_m and noise (between −1 and 1, of a given wavelength), with < or >; inside(x y, x y, ...), a polygon [m]; and
/// near(r: x y, x y; x y, ...), what is within r of one of these lines or points [m].
#ifndef GR_SOIL_RULES_H
#define GR_SOIL_RULES_H

#include "grouser/soil_map.h"

GrStatus gr_soil_rules_apply(const char *const *rules, int count, const GrGridFrame *frame, GrSource heights,
                             double wavelength, uint64_t seed, GrSoilMap *map, GrErrorLog *log);

#endif
