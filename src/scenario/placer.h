/// A placer: puts a lander down again and again, on ground that is made once.
///
///     lander: kazachok_like
///     terrain: {file: gale.tif}        # as in scenarios
///     x_m: 10                          # of the mass centre; also y_m, heading_deg
///
/// A text of these keys and overrides of it ("x_m=3", "terrain.rocks.seed=7") describe one placement. Lander, terrain
/// and rocks are kept while only the place changes.
#ifndef GR_PLACER_H
#define GR_PLACER_H

#include "buffer.h"
#include "grouser/lander.h"
#include "scenario_data.h"
#include "schema.h"

/// What such a text says.
typedef struct GrPlacerPlan {
    char lander_file[GR_SCENARIO_PATH_SIZE];
    GrLanderDef lander;
    GrTerrainPlan terrain;
    GrLanderSpot spot;
} GrPlacerPlan;

extern const GrKey gr_placer_keys[]; ///< of GrPlacerPlan

/// Reads the keys of a mapping. Errors are in the document's log.
void gr_placer_read(GrNode *root, GrPlacerPlan *out);

/// Reads a text as a document of the file `file`, to which paths are relative.
GrStatus gr_placer_parse(const char *text, const char *file, const char *const *overrides, GrPlacerPlan *out,
                         GrErrorLog *log);

typedef struct GrPlacer GrPlacer;

/// Keeps the texts' addresses, and borrows terrains from the cache (NULL: its own). NULL when out of memory.
GrPlacer *gr_placer_create(const char *text, const char *file, GrWorldCache *cache);
void gr_placer_free(GrPlacer *placer);

/// Places the lander. A lander that does not stand is a result; invalid input is an error.
GrStatus gr_placer_run(GrPlacer *placer, const char *const *overrides, GrLanderPlacement *out, GrErrorLog *log);

/// Of the last run.
const GrPlacerPlan *gr_placer_plan(const GrPlacer *placer);
GrSite gr_placer_site(const GrPlacer *placer);
/// The map, or the area of generated ground.
GrBox2 gr_placer_box(const GrPlacer *placer);

/// Makes the ground of the text without overrides, for gr_placer_box().
GrStatus gr_placer_begin(GrPlacer *placer, GrErrorLog *log);

#endif
