#include "view_study.h"

#include "campaign_job.h"
#include "run_job.h"
#include "server.h"
#include "study_print.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/// [s]: how often the study is looked at; the page is renewed at most every second, and takes at most a twentieth of
/// the time.
static const double LOOK_SECONDS = 0.3, PAGE_SECONDS = 1, PAGE_SHARE = 20;

/// What changes when a campaign writes.
typedef struct Look {
    struct timespec time;
    off_t size;
    bool written; ///< by a campaign that runs
} Look;

static Look look_at(const char *path)
{
    struct stat file = {0};
    stat(path, &file);
    return (Look){file.st_mtim, file.st_size, gr_study_is_written(path)};
}

static bool is_same(const Look *a, const Look *b)
{
    return a->time.tv_sec == b->time.tv_sec && a->time.tv_nsec == b->time.tv_nsec && a->size == b->size &&
           a->written == b->written;
}

bool gr_view_is_study(const char *path)
{
    return gr_study_is_file(path);
}

static GrStatus make_page(const char *path, bool written, GrBuffer *page, GrErrorLog *log)
{
    GrCampaign campaign;
    gr_study_load_campaign(path, &campaign, log);
    const GrStatus status = gr_study_page_make(path, written, gr_study_sections(&campaign), page, log);
    gr_campaign_free(&campaign);
    return status;
}

GrStatus gr_view_study_page(const char *path, GrBuffer *page, GrErrorLog *log)
{
    return make_page(path, gr_study_is_written(path), page, log);
}

/// How many runs the study has.
static GrStudyState count_runs(const char *path, bool written)
{
    GrErrorLog log = {.quiet = true};
    GrStudyTable table = {0};
    GrStudy *study = gr_study_read(path, &log);
    GrStudyState state = {.running = written};
    if (study != NULL && gr_study_table(study, &table, &log) == GR_OK) {
        state.done = table.row_count;
        state.total = table.row_count + table.planned;
    }
    if (written) {
        snprintf(state.text, sizeof state.text, "running: %.0f of %.0f runs", state.done, state.total);
    } else {
        snprintf(state.text, sizeof state.text, "%.0f runs%s", state.done,
                 state.total > state.done ? "; the campaign was stopped before its end" : "");
    }
    gr_study_table_free(&table);
    gr_study_close(study);
    return state;
}

void gr_view_study_follow(GrServer *server, const char *path, double seconds)
{
    const double start = gr_progress_now();
    double next = 0;
    Look shown = {.size = -1};
    while (gr_progress_now() - start < seconds && !gr_run_is_interrupted()) {
        const double now = gr_progress_now();
        const Look look = look_at(path);
        if (now >= next && !is_same(&look, &shown)) {
            GrErrorLog log = {.quiet = true};
            GrBuffer page = {0};
            if (make_page(path, look.written, &page, &log) == GR_OK) {
                const GrStudyState state = count_runs(path, look.written);
                gr_study_state_publish(server, &page, &state);
                shown = look;
            }
            gr_buffer_free(&page);
            next = now + fmax(PAGE_SECONDS, PAGE_SHARE * (gr_progress_now() - now));
        }
        usleep((useconds_t)(1e6 * LOOK_SECONDS));
    }
}
