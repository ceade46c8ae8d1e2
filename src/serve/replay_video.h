/// A recorded run as a video: the viewer's page in a browser without a screen, picture by picture, encoded by the
/// browser.
#ifndef GR_REPLAY_VIDEO_H
#define GR_REPLAY_VIDEO_H

#include "buffer.h"
#include "grouser/status.h"

typedef struct GrVideoDef {
    int width, height;  ///< of the window [px]
    double rate;        ///< pictures per second of the video
    double speed;       ///< seconds of the run per second of the video
    double begin, end;  ///< of the run [s]; end: INFINITY: all of it
    const char *camera; ///< as the viewer names it: "follow", "orbit", …
    /// Called after every picture; NULL: nobody asks.
    void (*progress)(void *context, double done, double total);
    void *context;
} GrVideoDef;

/// Largest number of pictures.
enum { GR_VIDEO_PICTURES = 20000 };

/// Appends a WebM file. `run`: folder of a run, or its replay.bin. `pictures`: how many there are.
/// GR_ERROR_UNSUPPORTED: no browser was found, or it has no encoder.
GrStatus gr_replay_video(const char *run, const GrVideoDef *def, GrBuffer *out, int *pictures, GrErrorLog *log);

#endif
