/// The answer of the mission `traverse`, as its parts need it: map and drives, and what is made of them.
#ifndef GR_TRAVERSE_ANSWER_H
#define GR_TRAVERSE_ANSWER_H

#include "chart.h"
#include "file.h"
#include "hillshade.h"
#include "study_page.h"
#include "traverse_trip.h"

typedef struct GrTraverseAnswer {
    const GrTraverse *traverse;
    const GrCampaign *campaign;
    const GrTraverseMap *map;
    const GrTraverseTrips *trips; ///< NULL: the legs are not all done yet
    const char *study;            ///< path
} GrTraverseAnswer;

/// Files beside the study; "": not written.
typedef struct GrTraverseFiles {
    char map[GR_FILE_PATH_SIZE];   ///< GeoTIFF
    char table[GR_FILE_PATH_SIZE]; ///< CSV
    char route[GR_FILE_PATH_SIZE]; ///< scenario of the first route
} GrTraverseFiles;

/// A field as people read it: shares and slip in percent.
double gr_traverse_shown(const GrTraverseEdge *edge, GrTraverseField field);
const char *gr_traverse_shown_unit(GrTraverseField field);

// Tables of the answer, for the page and the terminal.
void gr_traverse_table_routes(const GrTraverseAnswer *answer, GrTable *out);
void gr_traverse_table_pairs(const GrTraversePairs *pairs, GrTable *out);

/// Appends the sections of the page of `study`.
GrStatus gr_traverse_page(const GrTraverseAnswer *answer, const GrStudyPage *study, GrPage *page, GrErrorLog *log);

// Parts of maps that the page of another mission uses too.

/// The frame of a map of the grid, with room for a key at its right, or of a height below it.
GrChart gr_traverse_draw_frame(const GrTraverse *t, double width, double below, GrBuffer *svg, const char *title);
/// Shaded ground under the chart, grey. The page has it once; other figures refer to it. `tint` (may be NULL) colours
/// it.
void gr_traverse_draw_ground(const GrTraverse *t, const GrChart *chart, const char *id, bool first,
                             void (*tint)(const void *context, GrPicture *picture), const void *context, GrBuffer *svg);
/// A mark with a letter.
void gr_traverse_draw_end(const GrChart *chart, const double at[2], const char *text, GrBuffer *svg);

/// The entries of a map's key: one below the other beside the map, or in two columns below it.
typedef struct GrMapKey {
    GrPoint2 at;
    bool below;
    int count;
} GrMapKey;

GrMapKey gr_map_key(const GrChart *chart, bool below);
double gr_map_key_height(int entries); ///< of a key below the map
GrPoint2 gr_map_key_next(GrMapKey *key);
void gr_map_key_line(GrMapKey *key, GrSvgStyle line, const char *text, GrBuffer *svg);
void gr_map_key_area(GrMapKey *key, const char *fill, const char *text, GrBuffer *svg);

/// "straight", or what the route minimizes.
const char *gr_traverse_trip_name(const GrTraverse *t, const GrTraverseTrip *trip);

#endif
