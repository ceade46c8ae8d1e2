#include "report.h"

#include "clock.h"
#include "command.h"
#include "file.h"
#include "messages.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool said_memory; // a message has said that memory ran out

static bool is_colored(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && getenv("NO_COLOR") == NULL && (term == NULL || strcmp(term, "dumb") != 0);
}

/// Prints a line with its first "error:", "warning:" or "info:" in colour.
static void print_line(const char *line, GrSeverity severity)
{
    static const char *const WORDS[] = {"error:", "warning:", "info:"};
    static const char *const COLORS[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};
    const char *word = WORDS[severity];
    const char *at = is_colored() ? strstr(line, word) : NULL;
    if (at == NULL) {
        fprintf(stderr, "%s\n", line);
        return;
    }
    fprintf(stderr, "%.*s%s%s\033[0m%s\n", (int)(at - line), line, COLORS[severity], word, at + strlen(word));
}

void gr_report_error(const char *format, ...)
{
    char text[1024], line[1100];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(line, sizeof line, "grouser: error: %s", text);
    print_line(line, GR_SEVERITY_ERROR);
    said_memory = said_memory || strstr(text, "out of memory") != NULL;
}

void gr_report_log(const GrErrorLog *log)
{
    for (int i = 0; i < log->count; i++) {
        const GrError *message = gr_messages_at(log, i);
        char line[1280];
        // A message without a file is prefixed with the program's name.
        const int prefix = message->file[0] == '\0' ? snprintf(line, sizeof line, "grouser: ") : 0;
        gr_error_format(message, line + prefix, (int)sizeof line - prefix);
        print_line(line, message->severity);
        said_memory = said_memory || message->status == GR_ERROR_MEMORY;
    }
    if (log->dropped > 0) {
        fprintf(stderr, "grouser: %d more messages were left out\n", log->dropped);
    }
}

int gr_report_exit_code(GrStatus status)
{
    switch (status) {
    case GR_OK:
        return GR_EXIT_OK;
    case GR_ERROR_MEMORY:
        if (!said_memory) { // where even the log had no memory
            fputs("grouser: error: out of memory\n", stderr);
            said_memory = true;
        }
        return GR_EXIT_FAILURE;
    case GR_ERROR_NOT_CONVERGED:
    case GR_ERROR_NUMERIC:
    case GR_ERROR_WRITE:
    case GR_ERROR_BUSY:
    case GR_ERROR_DEVICE:
        return GR_EXIT_FAILURE;
    default:
        return GR_EXIT_INPUT;
    }
}

void gr_print_wrapped(const char *text, int indent, int width, FILE *file)
{
    int column = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        char word[512];
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        const int columns = gr_text_width(word);
        if (column > 0 && column + 1 + columns > width) {
            fprintf(file, "\n%*s", indent, "");
            column = 0;
        }
        fprintf(file, "%s%s", column > 0 ? " " : "", word);
        column += columns + (column > 0);
        text += length + strspn(text + length, " ");
    }
    fputc('\n', file);
}

GrStatus gr_report_file(const char *path, GrBuffer *text, bool json, GrErrorLog *log)
{
    const GrStatus status =
        text->failed ? gr_out_of_memory(log, NULL) : gr_file_write(path, text->data, text->size, log);
    if (status == GR_OK) {
        fprintf(json ? stderr : stdout, "wrote %s\n", path);
    }
    gr_buffer_free(text);
    return status == GR_ERROR_FILE ? GR_ERROR_NUMERIC : status;
}

GrStatus gr_report_page(const char *path, GrPage *page, bool json, GrErrorLog *log)
{
    GrBuffer text = {0};
    gr_page_html(page, &text);
    gr_page_free(page);
    return gr_report_file(path, &text, json, log);
}

// ---- progress

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

void gr_progress_update(void *context, double done, double total)
{
    GrProgress *progress = context;
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

// ---- interrupts

/// Set by Ctrl-C or kill. A second signal ends the program at once.
static volatile sig_atomic_t interrupted;

static void note_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

bool gr_interrupted(void)
{
    return interrupted != 0;
}

void gr_interrupts_forget(void)
{
    interrupted = 0;
}

void gr_interrupts_watch(void)
{
    struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); // a reader that is gone must not cost the files of the run
}
