/// The answer of the mission `traverse`, as its parts need it: map and drives, and what is made of them.
#ifndef GR_TRAVERSE_ANSWER_H
#define GR_TRAVERSE_ANSWER_H

#include "file.h"
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

/// Writes all files. A build without GDAL warns that there is no GeoTIFF.
GrStatus gr_traverse_files_write(const GrTraverseAnswer *answer, GrTraverseFiles *out, GrErrorLog *log);

/// Appends the sections of the page.
GrStatus gr_traverse_page(const GrTraverseAnswer *answer, GrBuffer *page, GrErrorLog *log);

/// "straight", or what the route minimizes.
const char *gr_traverse_trip_name(const GrTraverse *t, const GrTraverseTrip *trip);

#endif
