/// Files of `grouser grains study`: a bed, the tests in it, and the laws that are compared (docs/grains.md).
#ifndef GR_GRAIN_STUDY_YAML_H
#define GR_GRAIN_STUDY_YAML_H

#include "bin_rig.h"
#include "file.h"
#include "grouser/soil.h"
#include "schema.h"

enum { GR_GRAIN_STUDY_VALUES = 8, GR_GRAIN_STUDY_LAWS = 6 };

typedef struct GrGrainStudyList {
    double value[GR_GRAIN_STUDY_VALUES];
    int count;
} GrGrainStudyList;

typedef struct GrGrainStudyDef {
    char name[GR_GRAIN_NAME_SIZE], title[GR_GRAIN_TITLE_SIZE];
    char bed[GR_FILE_PATH_SIZE];
    GrBinRigDef plate, shear, wheel; ///< what all of a kind have in common
    GrGrainStudyList diameters, pressures, slips;
    char soil[GR_FILE_PATH_SIZE]; ///< where fits start: of what plates and shear do not tell
    char rft_soil[GR_FILE_PATH_SIZE];
    GrSoilLaw laws[GR_GRAIN_STUDY_LAWS];
    int law_count;
} GrGrainStudyDef;

extern const GrSchema gr_schema_grain_study;

GrStatus gr_grain_study_load(const char *path, const char *const *overrides, GrGrainStudyDef *out, GrErrorLog *log);
/// Whether a file is one of these.
bool gr_grain_study_is_file(const char *path);

#endif
