/// What a unit carries in its folder `resources`: the scenario with all files that it names, and a list.
///
///     grouser.txt   token TOKEN              of the description, which the host gives back
///                   variables HASH           of the table of variables: a binary with another table refuses
///                   scenario PATH            of the scenario, relative to the folder
///                   contact KIND             of a contact unit: wheel, body, terrain
///                   set KEY=VALUE ...        overrides, one a line
///     rovers/ soils/ landers/ scenarios/     shipped files that the scenario uses, as in data/
///     files/                                 the user's own, with their places relative to each other
#ifndef GR_FMU_RESOURCES_H
#define GR_FMU_RESOURCES_H

#include "buffer.h"
#include "file.h"
#include "fmu_unit.h"

/// One file in `resources`.
typedef struct GrFmuFile {
    char from[GR_FILE_PATH_SIZE]; ///< where it was read
    char path[GR_FILE_PATH_SIZE]; ///< in `resources`
    GrBuffer data;
} GrFmuFile;

typedef struct GrFmuFiles {
    GrFmuFile *items;
    int count, capacity;
    bool failed; ///< out of memory
} GrFmuFiles;

/// Loads a scenario as a unit, and collects every file that was read for it, sorted by their place in `resources`;
/// `scenario_path` is that of the scenario. Maps that only GDAL reads are among them as
/// plain nodes (raster_nodes.h). NULL after an error; `files` is freed in both cases with gr_fmu_files_free().
GrFmuUnit *gr_fmu_collect(const GrFmuUnitDef *def, GrFmuFiles *files, char scenario_path[GR_FILE_PATH_SIZE],
                          GrErrorLog *log);
void gr_fmu_files_free(GrFmuFiles *files);

/// grouser.txt.
void gr_fmu_list_write(const char *token, const GrFmuUnit *unit, const char *scenario_path,
                       const char *const *overrides, GrBuffer *out);

/// Name of grouser.txt in the folder.
extern const char gr_fmu_list_name[];

/// The unit of a folder `resources`, a path or a URI with the scheme file. Fails if its token is not `token`.
GrFmuUnit *gr_fmu_open(const char *resources, const char *token, bool exchange, GrErrorLog *log);

#endif
