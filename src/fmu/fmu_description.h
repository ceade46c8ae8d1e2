/// modelDescription.xml of a unit, for FMI 2.0 and 3.0.
#ifndef GR_FMU_DESCRIPTION_H
#define GR_FMU_DESCRIPTION_H

#include "buffer.h"
#include "fmu_unit.h"

enum { GR_FMU_IDENTIFIER_SIZE = 80, GR_FMU_TOKEN_SIZE = 40 };

/// Name of the binaries: that of the scenario as an identifier of C.
void gr_fmu_identifier(const GrScenario *scenario, char out[GR_FMU_IDENTIFIER_SIZE]);

/// The description for `version` 2 or 3 with this token (guid, instantiationToken).
void gr_fmu_describe(const GrFmuUnit *unit, int version, const char *token, GrBuffer *out);

#endif
