/// WebM: one track of encoded pictures in the container of Matroska (RFC 9559).
///
///     GrWebm webm = {0};
///     gr_webm_begin(&webm, "V_VP8", 1280, 720);
///     gr_webm_frame(&webm, 0, true, data, size);
///     gr_webm_end(&webm, 40, &file);
///
/// No library: libwebm is C++. One video track is a dozen elements.
#ifndef GR_WEBM_H
#define GR_WEBM_H

#include "buffer.h"

typedef struct GrWebm {
    char codec[8];
    int width, height;
    GrBuffer clusters, cues; ///< of the file so far; the cluster in progress is apart
    GrBuffer cluster;
    long begin; ///< of that cluster [ms]
} GrWebm;

/// `codec`: "V_VP8" or "V_VP9".
void gr_webm_begin(GrWebm *webm, const char *codec, int width, int height);

/// A picture at a time that does not decrease. A key frame begins a cluster, to which players can jump.
void gr_webm_frame(GrWebm *webm, long milliseconds, bool key, const void *data, size_t size);

/// Appends the file and frees everything. GR_ERROR_MEMORY: out of memory.
GrStatus gr_webm_end(GrWebm *webm, long duration, GrBuffer *out);

#endif
