/// grouser view: a live run, or recorded ones, in the browser.
#include "alloc.h"
#include "buffer.h"
#include "campaign_job.h"
#include "command.h"
#include "file.h"
#include "messages.h"
#include "options.h"
#include "parts.h"
#include "report.h"
#include "run_print.h"
#include "run_samples.h"
#include "server.h"
#include "shipped.h"
#include "study_sections.h"
#include "view_live.h"
#include "viewer_page.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct GrServer;

// ---- studies

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

/// Whether `grouser view` was given a study.
static bool view_is_study(const char *path)
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

/// The first page.
static GrStatus view_study_page(const char *path, GrBuffer *page, GrErrorLog *log)
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

/// Renews the page of a server when the study changes, for `seconds` or until Ctrl-C. It only reads.
static void view_study_follow(GrServer *server, const char *path, double seconds)
{
    const double start = gr_progress_now();
    double next = 0;
    Look shown = {.size = -1};
    while (gr_progress_now() - start < seconds && !gr_interrupted()) {
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

// ---- command

enum { RUNS_MAX = 2 };

/// Also of grouser edit.
typedef struct ViewArguments {
    GrTextList overrides, origins;
    const char *directory, *host, *uncertainty;
    const char *save_as; ///< grouser edit
    double port, speed, seconds;
    int samples; ///< of the soils; 0: none
    bool no_browser, once, has_page;
    const char *names[RUNS_MAX];
    int count;
} ViewArguments;

// ---- browser

/// Opens the address if there is a display. A browser that does not start is no error: the address is printed.
static void open_browser(const char *address)
{
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    if ((display == NULL || display[0] == '\0') && (wayland == NULL || wayland[0] == '\0')) {
        return;
    }
    const pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) { // nobody waits for the browser
            const int nothing = open("/dev/null", O_WRONLY);
            dup2(nothing, STDOUT_FILENO);
            dup2(nothing, STDERR_FILENO);
            execlp("xdg-open", "xdg-open", address, (char *)NULL);
        }
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}

static void announce(const GrServer *server, const ViewArguments *a)
{
    printf("%s\n", gr_server_address(server));
    fflush(stdout);
    if (!a->has_page) {
        fprintf(stderr, "the viewer's page: %s\n", gr_part_advice("VIEWER").text);
    }
    if (!a->no_browser) {
        open_browser(gr_server_address(server));
    }
    fprintf(stderr, "Ctrl-C ends it.\n");
}

static GrServerDef server_def(const ViewArguments *a)
{
    GrServerDef def = gr_default_server_def();
    def.host = a->host;
    def.other_port = a->port < 0;
    def.port = a->port < 0 ? GR_SERVER_PORT : (int)a->port;
    def.origins = a->origins.items;
    def.origin_count = a->origins.count;
    def.page = gr_viewer_page(&def.page_size);
    return def;
}

// ---- the two uses

/// What announce() needs, as a context.
typedef struct Announcement {
    const GrServer *server;
    const ViewArguments *arguments;
} Announcement;

static void announce_live(void *context)
{
    const Announcement *announcement = context;
    announce(announcement->server, announcement->arguments);
}

static GrStatus view_scenario(const ViewArguments *a, GrErrorLog *log)
{
    char name[GR_FILE_PATH_SIZE];
    GrServerDef def = server_def(a);
    GrRunBands bands = {0};
    const GrScenarioSource source = {.name = a->names[0], .overrides = &a->overrides};
    GrStatus status = a->samples > 0 ? gr_run_samples(&source, a->samples, &bands, NULL, log) : GR_OK;
    if (status != GR_OK) {
        return status;
    }
    snprintf(name, sizeof name, "grouser %s", a->names[0]);
    def.live = true;
    def.foxglove = gr_foxglove_create(name);
    GrServer *server = def.foxglove != NULL ? gr_server_start(&def, log) : NULL;
    if (server == NULL) {
        gr_foxglove_free(def.foxglove);
        return GR_ERROR_FILE;
    }
    Announcement announcement = {server, a};
    const GrViewLiveDef live = {
        .live = {.scenario = a->names[0], .overrides = a->overrides.items, .directory = a->directory, .bands = bands},
        .foxglove = def.foxglove,
        .pace = isnan(a->speed) ? 1 : a->speed,
        .once = a->once,
        .seconds = a->seconds,
        .ready = announce_live,
        .context = &announcement};
    uint64_t hash = 0;
    gr_interrupts_watch();
    status = gr_view_live(server, &live, &hash, log);
    gr_server_stop(server);
    gr_foxglove_free(def.foxglove);
    if (status == GR_OK) {
        printf("state_hash %016" PRIx64 "\n", hash);
    }
    if (status == GR_OK && a->directory != NULL) {
        gr_run_print_files(a->directory, stdout);
    }
    return status;
}

static GrStatus edit_file(const ViewArguments *a, GrErrorLog *log)
{
    GrBuffer about = {0};
    GrServerDef def = server_def(a);
    GrEditor *editor = gr_editor_open(a->names[0], a->save_as, log);
    if (editor == NULL) {
        return gr_messages_last_error(log, GR_ERROR_FILE);
    }
    gr_editor_about(editor, &about);
    def.live = true;
    def.about = about.data;
    def.picture = gr_editor_picture;
    GrServer *server = !about.failed ? gr_server_start(&def, log) : NULL;
    GrStatus status = GR_ERROR_FILE;
    if (server != NULL) {
        Announcement announcement = {server, a};
        uint64_t hash = 0;
        const GrViewLiveDef live = {.live = {.scenario = gr_editor_file(editor)},
                                    .editor = editor,
                                    .pace = 1,
                                    .seconds = a->seconds,
                                    .ready = announce_live,
                                    .context = &announcement};
        gr_interrupts_watch();
        status = gr_view_live(server, &live, &hash, log);
        gr_server_stop(server);
        if (status == GR_OK && hash != 0) {
            printf("state_hash %016" PRIx64 "\n", hash);
        }
    }
    gr_editor_free(editor);
    gr_buffer_free(&about);
    return status;
}

static bool is_folder(const char *name)
{
    char inside[GR_FILE_PATH_SIZE];
    return snprintf(inside, sizeof inside, "%s/.", name) < (int)sizeof inside && gr_file_exists(inside);
}

/// Path of the replay, and the name of the run; the folder that grouser run wrote, or replay.bin itself.
static GrStatus find_replay(const char *given, char path[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    char *data, summary[GR_FILE_PATH_SIZE];
    size_t size;
    snprintf(summary, sizeof summary, "%s/summary.json", given);
    const bool whole = snprintf(path, GR_FILE_PATH_SIZE, "%s/replay.bin", given) < GR_FILE_PATH_SIZE;
    if (is_folder(given) && !gr_file_exists(path) && !gr_file_exists(summary)) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = given},
                            "not the folder of a run: it has no replay.bin");
    }
    const GrStatus status = gr_replay_read(given, &data, &size, log);
    gr_free(data);
    if (!whole || !gr_file_exists(path)) {
        snprintf(path, GR_FILE_PATH_SIZE, "%s", given);
    }
    return status;
}

static void wait_for_end(double seconds)
{
    for (long waited = 0; 0.1 * (double)waited < seconds && !gr_interrupted(); waited++) {
        usleep(100000);
    }
}

static GrStatus view_runs(const ViewArguments *a, GrErrorLog *log)
{
    char paths[RUNS_MAX][GR_FILE_PATH_SIZE];
    GrServerReplay replays[RUNS_MAX];
    GrStatus status = GR_OK;
    for (int i = 0; i < a->count && status == GR_OK; i++) {
        status = find_replay(a->names[i], paths[i], log);
        replays[i] = (GrServerReplay){.path = paths[i], .name = a->names[i]};
    }
    GrServerDef def = server_def(a);
    def.replays = replays;
    def.replay_count = a->count;
    GrServer *server = status == GR_OK ? gr_server_start(&def, log) : NULL;
    if (server == NULL) {
        return status != GR_OK ? status : GR_ERROR_FILE;
    }
    announce(server, a);
    gr_interrupts_watch();
    wait_for_end(a->seconds);
    gr_server_stop(server);
    return GR_OK;
}

#ifdef GR_WITH_CAMPAIGN
static GrStatus view_study(const ViewArguments *a, GrErrorLog *log)
{
    GrBuffer page = {0};
    GrStatus status = view_study_page(a->names[0], &page, log);
    GrServerDef def = server_def(a);
    def.page = page.data;
    def.page_size = page.size;
    def.renewed = true;
    GrServer *server = status == GR_OK ? gr_server_start(&def, log) : NULL;
    if (server != NULL) {
        announce(server, a);
        gr_interrupts_watch();
        view_study_follow(server, a->names[0], a->seconds);
    } else {
        status = status != GR_OK ? status : GR_ERROR_FILE;
    }
    gr_server_stop(server);
    gr_buffer_free(&page);
    return status;
}
#endif

// ---- command line

/// Whether the name is a recorded run: a folder, or a replay.
static bool is_recorded(const char *name)
{
    const size_t length = strlen(name);
    return is_folder(name) || (length > 4 && strcmp(name + length - 4, ".bin") == 0);
}

/// Refuses a name that is a folder here and a shipped scenario; false after a message.
static bool check_name(const char *name)
{
    char path[GR_FILE_PATH_SIZE];
    if (strchr(name, '/') != NULL || !is_folder(name) || !gr_shipped_find("scenarios", name, ".yaml", path)) {
        return true;
    }
    gr_report_error("view: '%s' is a folder and a shipped scenario: write ./%s for the folder, %s for the scenario",
                    name, name, path);
    return false;
}

/// Whether the name is a map, which is edited: a file that no other use takes.
static bool is_map(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && !is_recorded(name) && strcmp(dot, ".yaml") != 0 && strcmp(dot, ".yml") != 0 &&
           strcmp(dot, ".db") != 0 && gr_file_exists(name);
}

/// Refuses what the options cannot be; false after a message.
static bool check(const ViewArguments *a, bool recorded, bool study)
{
    const bool port = a->port == -1 || (a->port >= 0 && a->port <= 65535 && a->port == floor(a->port));
    const bool speed = isnan(a->speed) || a->speed == 0 || (a->speed >= GR_PACE_LEAST && a->speed <= GR_PACE_MOST);
    if (!port) {
        gr_report_error("view: --port: found %g, allowed: 0 to 65535", a->port);
    } else if (!speed) {
        gr_report_error("view: --speed: found %g, allowed: %g to %g, or 0", a->speed, GR_PACE_LEAST, GR_PACE_MOST);
    } else if (!(a->seconds > 0)) {
        gr_report_error("view: --seconds: found %g, allowed: more than 0", a->seconds);
    } else if (!recorded && a->count > 1) {
        gr_report_error("view: one %s at a time; two names are for recorded runs", study ? "study" : "scenario runs");
    } else if ((recorded || study) &&
               (a->overrides.count > 0 || a->directory != NULL || a->once || a->samples > 0 || !isnan(a->speed))) {
        gr_report_error("view: --set, --out, --once, --speed and --uncertainty are for scenarios, not for %s",
                        study ? "studies" : "recorded runs");
    } else {
        return true;
    }
    return false;
}

static int run(int argc, char **argv)
{
    ViewArguments a = {.host = "127.0.0.1", .port = -1, .speed = (double)NAN, .seconds = (double)INFINITY};
    const GrOption options[] = {
        {.name = "out", .letter = 'o', .value = "DIR", .text = &a.directory, .help = "record the live run there"},
        {.name = "set", .value = "PATH=VALUE", .list = &a.overrides, .help = "replace a value, as for grouser run"},
        {.name = "uncertainty",
         .value = "N",
         .text = &a.uncertainty,
         .help = "also run N samples of the soils, and show bands of 90 % when the run ends (default 0: none)"},
        {.name = "speed",
         .value = "X",
         .number = &a.speed,
         .help = "simulated seconds per second, 0.1 to 1000; 0: as fast as possible (default 1)"},
        {.name = "port", .value = "N", .number = &a.port, .help = "port (default 8765, or a free one if it is taken)"},
        {.name = "host",
         .value = "ADDRESS",
         .text = &a.host,
         .help = "address to listen on (default 127.0.0.1: this machine only; 0.0.0.0: everyone who can reach it)"},
        {.name = "origin",
         .value = "URL",
         .list = &a.origins,
         .help = "also let pages of this site connect, such as https://app.foxglove.dev"},
        {.name = "no-browser", .flag = &a.no_browser, .help = "do not open a browser"},
        {.name = "once", .flag = &a.once, .help = "end when the live run is over"},
        {.name = "seconds", .value = "S", .number = &a.seconds, .help = "end after this time"},
    };
    int exit_code;
    a.count = gr_options_parse(&gr_command_view, options, (int)(sizeof options / sizeof options[0]), argc, argv,
                               a.names, 1, RUNS_MAX, &exit_code);
    if (a.count < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    if (gr_options_samples(a.uncertainty, 0, &a.samples, &log) != GR_OK) {
        gr_report_log(&log);
        return GR_EXIT_INPUT;
    }
    for (int i = 0; i < a.count; i++) {
        if (!check_name(a.names[i])) {
            return GR_EXIT_INPUT;
        }
    }
    const bool recorded = is_recorded(a.names[0]);
#ifdef GR_WITH_CAMPAIGN
    const bool study = !recorded && view_is_study(a.names[0]);
    GrStatus (*const view)(const ViewArguments *, GrErrorLog *) = recorded             ? view_runs
                                                                  : study              ? view_study
                                                                  : is_map(a.names[0]) ? edit_file
                                                                                       : view_scenario;
#else
    const bool study = false;
    GrStatus (*const view)(const ViewArguments *, GrErrorLog *) = recorded             ? view_runs
                                                                  : is_map(a.names[0]) ? edit_file
                                                                                       : view_scenario;
#endif
    if (!check(&a, recorded, study)) {
        return GR_EXIT_INPUT;
    }
    size_t size;
    a.has_page = study || gr_viewer_page(&size) != NULL;
    const GrStatus status = view(&a, &log);
    gr_report_log(&log);
    return status != GR_OK ? gr_report_exit_code(status) : GR_EXIT_OK;
}

const GrCommand gr_command_view = {
    .name = "view",
    .summary = "watch and drive a scenario in the browser, replay recorded runs, or follow a study",
    .usage = "view SCENARIO|MAP|RUN_DIR|STUDY [RUN_DIR] [-o DIR] [--set PATH=VALUE]... [--uncertainty N] [--speed X] "
             "[--port N] "
             "[--host ADDRESS] [--no-browser]",
    .details =
        "Runs a scenario and shows it live in the browser, or replays one or two folders that grouser run wrote.\n"
        "A map is opened as by grouser edit. Of a campaign's study it shows the page, which follows a campaign that is "
        "running; it only reads.\n"
        "The page can pause, step, change the speed, soil and gravity, and drive the rover with the arrow keys.\n"
        "The numbers do not depend on viewers. A drive by hand is written as NAME_driven.yaml, which grouser run\n"
        "repeats bit for bit. Several viewers may watch. The server listens on this machine only unless --host\n"
        "says otherwise, and refuses pages of other sites. Foxglove and Lichtblick connect to live runs at\n"
        "ws://127.0.0.1:PORT, and open run.mcap of recorded ones (docs/view.md).",
    .example = "  grouser view crossing\n"
               "  grouser view crossing --set gravity=moon --speed 10 -o moon.run\n"
               "  grouser view crossing.run\n"
               "  grouser view before.run after.run\n"
               "  grouser view slope.db",
    .run = run,
    .arguments = "@scenarios",
};

// ---- grouser edit

static int run_edit(int argc, char **argv)
{
    ViewArguments a = {.host = "127.0.0.1", .port = -1, .speed = (double)NAN, .seconds = (double)INFINITY};
    const GrOption options[] = {
        {.name = "out", .letter = 'o', .value = "FILE", .text = &a.save_as, .help = "save as this file"},
        {.name = "port", .value = "N", .number = &a.port, .help = "port (default 8765, or a free one if it is taken)"},
        {.name = "no-browser", .flag = &a.no_browser, .help = "do not open a browser"},
        {.name = "seconds", .value = "S", .number = &a.seconds, .help = "end after this time"},
    };
    int exit_code;
    size_t size;
    GrErrorLog log = {0};
    a.count = gr_options_parse(&gr_command_edit, options, (int)(sizeof options / sizeof options[0]), argc, argv,
                               a.names, 1, 1, &exit_code);
    if (a.count < 0) {
        return exit_code;
    }
    if (!check(&a, false, false)) {
        return GR_EXIT_INPUT;
    }
    a.has_page = gr_viewer_page(&size) != NULL;
    const GrStatus status = edit_file(&a, &log);
    gr_report_log(&log);
    return status != GR_OK ? gr_report_exit_code(status) : GR_EXIT_OK;
}

const GrCommand gr_command_edit = {
    .name = "edit",
    .summary = "make or change a scenario or a rover in the browser, with its checks, its drawing and its run",
    .usage = "edit SCENARIO|MAP|ROVER [-o FILE] [--port N] [--no-browser]",
    .details =
        "Opens the file of a scenario, a shipped scenario or a map in the browser: start, way-points and terms of the "
        "ground are\nmoved in the picture, soils are painted, values are chosen in lists, and the text is at hand. Of "
        "a rover it shows drawing,\nwheel loads, clearance and tip angles. What grouser check says stands at once "
        "beside the value. Comments and layout of\nthe text stay. Nothing is written until it is saved; what ships "
        "with the program, and a map, is saved as NAME.yaml in\nthe working folder (docs/view.md).",
    .example = "  grouser edit crossing\n"
               "  grouser edit my_scenario.yaml\n"
               "  grouser edit gale.tif -o gale_drive.yaml\n"
               "  grouser edit mer_like -o my_rover.yaml",
    .run = run_edit,
    .arguments = "@scenarios",
};
