/// The web page of the viewer inside the program, the playground, and replays as single HTML files.
#ifndef GR_VIEWER_PAGE_H
#define GR_VIEWER_PAGE_H

#include "buffer.h"
#include "grouser/status.h"

#include <stddef.h>

// The web page of the viewer, which is part of the program (viewer/ has its source).

/// The whole page; NULL in a build without it.
const char *gr_viewer_page(size_t *size);

/// Appends the page with data of another kind inside: base64 in a script element with the attribute data-KIND.
GrStatus gr_viewer_data_page(const char *kind, const void *data, size_t size, GrBuffer *page, GrErrorLog *log);

/// GR_ERROR_UNSUPPORTED with what to do, in a build without the page.
GrStatus gr_viewer_require(GrErrorLog *log);

// The simulator inside the viewer's page, as one HTML file.

/// Appends the page. `scenario`: a shipped one.
GrStatus gr_playground_page(const char *scenario, GrBuffer *page, GrErrorLog *log);

// Replays as one HTML file: the viewer's page with recorded runs inside, for any browser, without server or network.

/// Most bytes of a replay that is accepted: larger pages cannot be sent by mail or opened on a phone.
enum { GR_REPLAY_PAGE_MAX = 64 << 20 };

/// Appends the page with the replays of one or two runs. `directories`: folders of runs, or paths of replay.bin.
GrStatus gr_replay_page(const char *const *directories, int count, GrBuffer *page, GrErrorLog *log);

/// Reads the replay of a run: a folder with replay.bin, or that file. Checks that it is one. The caller frees `data`.
GrStatus gr_replay_read(const char *path, char **data, size_t *size, GrErrorLog *log);

#endif
