/// Writes replays of runs as an HTML file, for `grouser run --replay` and `grouser export replay`.
#ifndef GR_REPLAY_FILE_H
#define GR_REPLAY_FILE_H

#include "grouser/status.h"

/// `runs`: folders of recorded runs. Prints the path and the size of what was written.
GrStatus gr_replay_write(const char *path, const char *const *runs, int count, GrErrorLog *log);

#endif
