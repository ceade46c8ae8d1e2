/// Replays as one HTML file: the viewer's page with recorded runs inside, for any browser, without server or network.
#ifndef GR_REPLAY_PAGE_H
#define GR_REPLAY_PAGE_H

#include "buffer.h"

/// Most bytes of a replay that is accepted: larger pages cannot be sent by mail or opened on a phone.
enum { GR_REPLAY_PAGE_MAX = 64 << 20 };

/// Appends the page with the replays of one or two runs. `directories`: folders of runs, or paths of replay.bin.
GrStatus gr_replay_page(const char *const *directories, int count, GrBuffer *page, GrErrorLog *log);

/// Reads the replay of a run: a folder with replay.bin, or that file. Checks that it is one. The caller frees `data`.
GrStatus gr_replay_read(const char *path, char **data, size_t *size, GrErrorLog *log);

#endif
