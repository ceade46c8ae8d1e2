/// grouser export: recorded runs in other forms, and scenarios for other programs.
#ifndef GR_EXPORT_H
#define GR_EXPORT_H

#include "grouser/status.h"

/// `runs`: folders of recorded runs. Prints the path and the size of what was written.
GrStatus gr_replay_write(const char *path, const char *const *runs, int count, GrErrorLog *log);

/// The video that `grouser export video` makes without options.
GrStatus gr_video_write(const char *path, const char *run, GrErrorLog *log);

#endif
