/// The messages of a run by topic, for Foxglove and other readers of its schemas: into the file run.mcap, or to clients
/// of a live run.
///
///     /body /energy /wheels/NAME /joints        grouser.Body, grouser.Energy, grouser.Wheel, grouser.Joints
///     /tf                                       foxglove.FrameTransforms: every body, and rocks that moved
///     /rover /rocks /path /track                foxglove.SceneUpdate
///     /terrain, /terrain_surface                foxglove.Grid, foxglove.SceneUpdate: the ground around the rover
///     /ruts                                     foxglove.Grid: the ground with its ruts near the rover, in fine cells,
///                                               every two metres and at the end
#ifndef GR_RUN_TOPICS_H
#define GR_RUN_TOPICS_H

#include "grouser/record.h"
#include "topic_sink.h"

typedef struct GrRunTopicsDef {
    GrRecordDef record; ///< what is run; must outlive the topics
    GrTopicSink sink;
    bool whole_frames; ///< every /tf has all loose rocks: for readers that miss messages
} GrRunTopicsDef;

typedef struct GrRunTopics GrRunTopics;

/// Opens the channels of the sink. NULL when out of memory.
GrRunTopics *gr_run_topics_create(const GrRunTopicsDef *def, GrErrorLog *log);
void gr_run_topics_free(GrRunTopics *run);

/// Whether the sample will need the ground's heights: there are none yet, or the rover nears their edge. The answer
/// depends only on state that samples without ground do not change, so another thread may write these meanwhile.
bool gr_run_topics_needs_ground(const GrRunTopics *run, const GrSample *sample);
void gr_run_topics_add(GrRunTopics *run, const GrSample *sample);

/// Puts numbers, frames and track of the last sample once more: the sink may have left them out.
void gr_run_topics_repeat(GrRunTopics *run, const GrSample *sample);

/// The last track and ruts.
void gr_run_topics_finish(GrRunTopics *run);

#endif
