/// run.mcap: the topics of a run.
///
///     /body /energy /wheels/NAME /joints/NAME   grouser.Body, grouser.Energy, grouser.Wheel, grouser.Joint or .Slider
///     /tf                                       foxglove.FrameTransforms: every body, and rocks that moved
///     /rover /rocks /path /track                foxglove.SceneUpdate
///     /terrain, /terrain_surface                foxglove.Grid, foxglove.SceneUpdate: the ground around the rover
///     /ruts                                     foxglove.Grid: the ground with its ruts near the rover, in fine cells,
///                                               every two metres and at the end
#ifndef GR_RUN_MCAP_H
#define GR_RUN_MCAP_H

#include "grouser/record.h"

typedef struct GrRunMcap GrRunMcap;

/// NULL when the file cannot be created. `now` here and below: wall time [s].
GrRunMcap *gr_run_mcap_open(const char *path, const GrRecordDef *def, double now, GrErrorLog *log);

/// Whether the sample will need the ground's heights: there are none yet, or the rover nears their edge. The answer
/// depends only on state that samples without ground do not change, so another thread may write these meanwhile.
bool gr_run_mcap_needs_ground(const GrRunMcap *run, const GrSample *sample);
GrStatus gr_run_mcap_add(GrRunMcap *run, const GrSample *sample, double now, GrErrorLog *log);

/// Also frees the writer; NULL is allowed.
GrStatus gr_run_mcap_close(GrRunMcap *run, GrErrorLog *log);

#endif
