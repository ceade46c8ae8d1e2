/// The page of a study over HTTP while its campaign runs: `--serve` of `grouser sweep` and the other commands. Viewers
/// can only read.
///
///     server = gr_study_server_start(port, page, &log)  ->  { gr_study_server_publish }  ->  gr_study_server_end
#ifndef GR_STUDY_SERVER_H
#define GR_STUDY_SERVER_H

#include "buffer.h"

struct GrServer;

/// How far a campaign is.
typedef struct GrStudyState {
    bool running;
    double done, total; ///< runs; total 0: not known
    char text[200];     ///< for people
} GrStudyState;

typedef struct GrStudyServer GrStudyServer;

/// Listens on this machine and prints the address to standard error. `port` −1: the usual one, or any if it is taken.
/// NULL after an error.
GrStudyServer *gr_study_server_start(int port, const GrBuffer *page, GrErrorLog *log);

/// Replaces the page (NULL: it stays) and the state.
void gr_study_server_publish(GrStudyServer *server, const GrBuffer *page, const GrStudyState *state);

/// Gives those who watch the time to fetch the last page, and stops.
void gr_study_server_end(GrStudyServer *server);

/// The same for a server of the caller's.
void gr_study_state_publish(struct GrServer *server, const GrBuffer *page, const GrStudyState *state);

#endif
