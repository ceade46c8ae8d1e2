/// Map of a run as SVG: shaded ground with its ruts and contour lines, rocks, the path with its way-points, the track
/// coloured by slip, a scale bar.
#ifndef GR_RUN_MAP_H
#define GR_RUN_MAP_H

#include "buffer.h"
#include "grouser/record.h"
#include "run_history.h"

/// Appends two whole SVG documents: for wide pages, and for phones with the legend below, which repeats the ground of
/// the first and thus needs it in the same page. `track`: its values are the mean magnitude of the wheels' slip. The
/// shading is compressed by zlib; without it only the contour lines are drawn.
GrStatus gr_run_map_draw(const GrRecordDef *def, const GrTrack *track, GrBuffer svg[2], GrErrorLog *log);

/// The ground around the end of the track, close enough to see the ruts in it; two documents likewise.
GrStatus gr_run_map_close_up(const GrRecordDef *def, const GrTrack *track, GrBuffer svg[2], GrErrorLog *log);

#endif
