#include "progress.h"

#include "clock.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };

static const double SHOW_DELAY = 2, REDRAW_INTERVAL = 0.1; // [s]

/// Set while one bar speaks for many jobs, which then show none of their own.
static bool muted;

void gr_progress_mute(bool mute)
{
    muted = mute;
}

double gr_progress_now(void)
{
    return gr_wall_time();
}

GrProgress gr_progress_begin(const char *label)
{
    return (GrProgress){.label = label, .terminal = !muted && isatty(STDERR_FILENO) != 0, .start = gr_progress_now()};
}

void gr_progress_line(const char *label, double done, double total, double elapsed, char *out, size_t size)
{
    out[0] = '\0';
    if (elapsed < SHOW_DELAY) {
        return;
    }
    const double share = total > 0 ? fmin(1, fmax(0, done / total)) : 0;
    char bar[3 * BAR_WIDTH + 1]; // three bytes a block in UTF-8
    for (int i = 0; i < BAR_WIDTH; i++) {
        memcpy(bar + 3 * i, i < share * BAR_WIDTH ? "\xe2\x96\x88" : "\xe2\x96\x91", 3);
    }
    bar[3 * BAR_WIDTH] = '\0';
    // Too early to estimate the remaining time.
    if (share < 0.01) {
        snprintf(out, size, "%s %s %3.0f %%", label, bar, 100 * share);
        return;
    }
    const double left = elapsed * (1 - share) / share;
    const int minutes = (int)fmin(left / 60, 99999);
    snprintf(out, size, "%s %s %3.0f %%, %d:%02d left", label, bar, 100 * share, minutes,
             (int)(left - 60.0 * minutes) % 60);
}

void gr_progress_update(GrProgress *progress, double done, double total)
{
    if (!progress->terminal) {
        return;
    }
    const double time = gr_progress_now();
    if (time - progress->shown < REDRAW_INTERVAL) {
        return;
    }
    char line[256];
    gr_progress_line(progress->label, done, total, time - progress->start, line, sizeof line);
    if (line[0] != '\0') {
        fprintf(stderr, "\r\033[K%s", line);
        fflush(stderr);
        progress->shown = time;
    }
}

void gr_progress_end(GrProgress *progress)
{
    if (progress->shown > 0) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->shown = 0;
    }
}
