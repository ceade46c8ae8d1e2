#include "export.h"

#include "alloc.h"
#include "command.h"
#include "compare.h"
#include "file.h"
#include "fmu_contact.h"
#include "fmu_package.h"
#include "grouser/status.h"
#include "options.h"
#include "replay_scene.h"
#include "replay_video.h"
#include "report.h"
#include "run_scene.h"
#include "text.h"
#include "viewer_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const GrCommand export_fmu, export_gltf, export_playground, export_replay, export_usd, export_video;

/// A part that this build lacks is a failure, and no wrong input.
static int export_exit_code(GrStatus status)
{
    return status == GR_ERROR_UNSUPPORTED ? GR_EXIT_FAILURE : gr_report_exit_code(status);
}

// ---- replays as HTML files

GrStatus gr_replay_write(const char *path, const char *const *runs, int count, GrErrorLog *log)
{
    GrBuffer page = {0};
    GrStatus status = gr_replay_page(runs, count, &page, log);
    if (status == GR_OK) {
        status = gr_file_write(path, page.data, page.size, log);
    }
    if (status == GR_OK) {
        fprintf(stderr, "wrote %s, %.1f MB: open it in a browser\n", path, 1e-6 * (double)page.size);
    }
    gr_buffer_free(&page);
    return status;
}

// ---- export fmu: a scenario as a functional mock-up unit (FMI), for other simulators

/// Name of the archive of a scenario: crossing.fmu, crossing_wheel.fmu.
static void default_output(const char *scenario, GrFmuContactKind contact, char out[GR_FILE_PATH_SIZE])
{
    const char *slash = strrchr(scenario, '/'), *name = slash != NULL ? slash + 1 : scenario;
    snprintf(out, GR_FILE_PATH_SIZE, "%.*s%s%s.fmu", (int)strcspn(name, "."), name, contact != GR_FMU_ROVER ? "_" : "",
             gr_fmu_contact_name(contact));
}

/// GR_FMU_ROVER for NULL, GR_FMU_CONTACT_COUNT for an unknown word.
static GrFmuContactKind find_contact(const char *word)
{
    GrFmuContactKind kind = word != NULL ? GR_FMU_WHEEL : GR_FMU_ROVER;
    while (word != NULL && kind < GR_FMU_CONTACT_COUNT && strcmp(word, gr_fmu_contact_name(kind)) != 0) {
        kind++;
    }
    return kind;
}

static int run_fmu(int argc, char **argv)
{
    const char *output = NULL, *scenario = NULL, *fmi = "2", *contact = NULL;
    GrTextList sets = {0};
    const GrOption options[] = {
        {.name = "output", .letter = 'o', .value = "FILE", .text = &output, .help = "archive (default SCENARIO.fmu)"},
        {.name = "fmi", .value = "VERSION", .text = &fmi, .help = "version of the standard: 2 or 3 (default 2)"},
        {.name = "contact",
         .value = "PART",
         .text = &contact,
         .help = "contact alone, for another program's vehicle: wheel, body or terrain"},
        {.name = "set", .value = "KEY=VALUE", .list = &sets, .help = "change the scenario, as for grouser run"},
    };
    int exit_code;
    const int count = gr_options_parse(&export_fmu, options, 4, argc, argv, &scenario, 1, 1, &exit_code);
    if (count < 0) {
        return exit_code;
    }
    const bool known =
        strcmp(fmi, "2") == 0 || strcmp(fmi, "2.0") == 0 || strcmp(fmi, "3") == 0 || strcmp(fmi, "3.0") == 0;
    if (!known) {
        gr_report_error("export fmu: --fmi: found '%s', allowed: 2 or 3", fmi);
        return GR_EXIT_INPUT;
    }
    const GrFmuContactKind kind = find_contact(contact);
    if (kind == GR_FMU_CONTACT_COUNT) {
        static const char *const KINDS[] = {"wheel", "body", "terrain"};
        gr_report_error("export fmu: --contact: found '%s'%s", contact, gr_text_hint(contact, KINDS, 3, NULL).text);
        return GR_EXIT_INPUT;
    }
    char path[GR_FILE_PATH_SIZE];
    default_output(scenario, kind, path);
    output = output != NULL ? output : path;
    const GrFmuPackageDef def = {
        .scenario = scenario, .overrides = sets.items, .version = fmi[0] - '0', .contact = kind};
    GrErrorLog log = {0};
    GrBuffer archive = {0};
    GrFmuPackageInfo info;
    GrStatus status = gr_fmu_package(&def, &archive, &info, &log);
    if (status == GR_OK) {
        status = gr_file_write(output, archive.data, archive.size, &log);
    }
    gr_report_log(&log);
    if (status == GR_OK) {
        fprintf(stderr, "wrote %s, %.1f MB: FMI %d.0 for %sco-simulation, %d variables, %s\n", output,
                1e-6 * (double)archive.size, def.version, kind != GR_FMU_ROVER ? "model exchange and " : "",
                info.variables, info.platforms);
    }
    gr_buffer_free(&archive);
    return export_exit_code(status);
}

static const GrCommand export_fmu = {
    .name = "export fmu",
    .summary = "a scenario as a functional mock-up unit (FMI 2.0 or 3.0) for other simulators",
    .usage = "export fmu SCENARIO [-o FILE] [--fmi 2|3] [--contact wheel|body|terrain] [--set KEY=VALUE]...",
    .details =
        "Writes one .fmu archive for co-simulation: description, binaries, and the scenario with its rover, soils\n"
        "and maps. Any importer of FMI can step the rover, command its drive or its wheels, push it, and change\n"
        "gravity and soil; it reads pose, speeds, loads, slip, sinkage, torques, power. A run through the unit\n"
        "has the bits of grouser run. make fmu builds the binaries, which need nothing but the C library.\n\n"
        "With --contact the unit is one wheel or body of the rover on the scenario's ground, or the ground itself:\n"
        "pose and twist in, force, moment, sinkage and derivatives out, for co-simulation and model exchange.\n"
        "Units with the same name of their ground share its ruts (docs/contact.md).",
    .example = "  grouser export fmu crossing -o crossing.fmu\n"
               "  grouser export fmu crossing --fmi 3 --set soil:phi=30\n"
               "  grouser export fmu crossing --contact wheel",
    .run = run_fmu,
    .arguments = "@scenarios",
};

// ---- export playground: the simulator inside one HTML file

static int run_playground(int argc, char **argv)
{
    const char *output = "playground.html", *scenario = "crossing";
    const GrOption options[] = {
        {.name = "output",
         .letter = 'o',
         .value = "FILE",
         .text = &output,
         .help = "HTML file (default playground.html)"},
    };
    int exit_code;
    const int count = gr_options_parse(&export_playground, options, 1, argc, argv, &scenario, 0, 1, &exit_code);
    if (count < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrBuffer page = {0};
    GrStatus status = gr_playground_page(scenario, &page, &log);
    if (status == GR_OK) {
        status = gr_file_write(output, page.data, page.size, &log);
    }
    if (status == GR_OK) {
        fprintf(stderr, "wrote %s, %.1f MB: open it in a browser\n", output, 1e-6 * (double)page.size);
    }
    gr_buffer_free(&page);
    gr_report_log(&log);
    return export_exit_code(status);
}

static const GrCommand export_playground = {
    .name = "export playground",
    .summary = "the simulator itself as an HTML file: drive a rover in a browser",
    .usage = "export playground [SCENARIO] [-o FILE]",
    .details = "Writes one HTML file with the simulator (WebAssembly), the viewer and the shipped rovers, soils and\n"
               "scenarios. Whoever opens it can drive the rover, change soil and gravity and watch slip and sinkage,\n"
               "with nothing installed. SCENARIO is a shipped one (default crossing). make playground builds the\n"
               "part that it needs.",
    .example = "  grouser export playground -o playground.html\n"
               "  grouser export playground mixed_soils",
    .run = run_playground,
    .arguments = "@scenarios",
};

// ---- export replay: recorded runs as one HTML file that opens in any browser

enum { RUNS_MAX = 2 };

static int run_replay(int argc, char **argv)
{
    const char *output = NULL, *runs[RUNS_MAX];
    const GrOption options[] = {
        {.name = "output", .letter = 'o', .value = "FILE", .text = &output, .help = "HTML file (default replay.html)"},
    };
    int exit_code;
    const int count = gr_options_parse(&export_replay, options, 1, argc, argv, runs, 1, RUNS_MAX, &exit_code);
    if (count < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    const GrStatus status = gr_replay_write(output != NULL ? output : "replay.html", runs, count, &log);
    if (status == GR_OK && count == 2) {
        gr_compare_print_verdict(runs, stdout);
    }
    gr_report_log(&log);
    return export_exit_code(status);
}

static const GrCommand export_replay = {
    .name = "export replay",
    .summary = "one or two recorded runs as an HTML file that opens by double click",
    .usage = "export replay RUN_DIR [RUN_DIR] [-o FILE]",
    .details = "Writes one self-contained HTML file with a 3D view of the run: ground, rocks, ruts, rover, wheel\n"
               "forces, plots of every recorded channel. It needs no server, no network and no installation. Two\n"
               "runs are shown side by side or one as a ghost of the other, and the first line says which is better.",
    .example = "  grouser export replay crossing.run -o crossing.html\n"
               "  grouser export replay before.run after.run -o compare.html",
    .run = run_replay,
};

// ---- export gltf, export usd: a recorded run as a scene for other programs

typedef struct SceneOptions {
    const char *output; ///< NULL: RUN with another ending
    double stages, lux;
} SceneOptions;

/// runs/crossing.run/ -> crossing.glb, in this folder.
static void scene_output(const char *run, const char *ending, char out[GR_FILE_PATH_SIZE])
{
    size_t end = strlen(run);
    while (end > 1 && run[end - 1] == '/') {
        end--;
    }
    size_t first = end;
    while (first > 0 && run[first - 1] != '/') {
        first--;
    }
    if (end - first > 4 && strncmp(run + end - 4, ".run", 4) == 0) {
        end -= 4;
    }
    snprintf(out, GR_FILE_PATH_SIZE, "%.*s.%s", (int)(end - first), run + first, ending);
}

static GrStatus write_scene(const char *run, const SceneOptions *options, bool usd, GrErrorLog *log)
{
    char *data = NULL, path[GR_FILE_PATH_SIZE];
    size_t size;
    GrReplayScene scene = {0};
    GrBuffer file = {0};
    scene_output(run, usd ? "usda" : "glb", path);
    const char *output = options->output != NULL ? options->output : path;
    GrStatus status = gr_replay_read(run, &data, &size, log);
    status = status == GR_OK ? gr_replay_scene_read(run, data, size, (int)options->stages, &scene, log) : status;
    if (status == GR_OK) {
        status = usd ? gr_run_usd(&scene, &file) : gr_run_gltf(&scene, options->lux, &file);
    }
    if (status == GR_OK) {
        status = gr_file_write(output, file.data, file.size, log);
    }
    if (status == GR_OK) {
        fprintf(stderr, "wrote %s, %.1f MB: %d bodies and rocks, %d triangles of ground, %.1f s\n", output,
                1e-6 * (double)file.size, scene.node_count,
                scene.ground.mesh.triangle_count + scene.ruts.mesh.triangle_count, gr_replay_scene_end(&scene));
    }
    gr_buffer_free(&file);
    gr_replay_scene_free(&scene);
    gr_free(data);
    return status;
}

static int run_scene(int argc, char **argv, bool usd)
{
    SceneOptions s = {.stages = 8, .lux = GR_GLTF_LUX};
    const char *run = NULL;
    const GrOption options[] = {
        {.name = "output",
         .letter = 'o',
         .value = "FILE",
         .text = &s.output,
         .help = "file (default RUN.glb, RUN.usda)"},
        {.name = "ruts",
         .value = "N",
         .number = &s.stages,
         .help = "stages in which ruts grow, up to 64; 0: as at the end (default 8)"},
        {.name = "sun-lux", .value = "LUX", .number = &s.lux, .help = "of the Sun (default 3; Blender: 2000)"},
    };
    int exit_code;
    const GrCommand *command = usd ? &export_usd : &export_gltf;
    const int count = gr_options_parse(command, options, usd ? 2 : 3, argc, argv, &run, 1, 1, &exit_code);
    if (count < 0) {
        return exit_code;
    }
    if (!(s.stages >= 0 && s.stages <= GR_SCENE_STAGES_MAX && s.stages == (int)s.stages)) {
        gr_report_error("%s: --ruts: found %g, allowed: whole numbers from 0 to %d", command->name, s.stages,
                        GR_SCENE_STAGES_MAX);
        return GR_EXIT_INPUT;
    }
    if (!(s.lux >= 0 && s.lux <= 1e6)) {
        gr_report_error("%s: --sun-lux: found %g, allowed: 0 to 1e6", command->name, s.lux);
        return GR_EXIT_INPUT;
    }
    GrErrorLog log = {0};
    const GrStatus status = write_scene(run, &s, usd, &log);
    gr_report_log(&log);
    return export_exit_code(status);
}

static int run_gltf(int argc, char **argv)
{
    return run_scene(argc, argv, false);
}

static int run_usd(int argc, char **argv)
{
    return run_scene(argc, argv, true);
}

static const GrCommand export_gltf = {
    .name = "export gltf",
    .summary = "a recorded run as a glTF scene (.glb) for Blender, office programs and web pages",
    .usage = "export gltf RUN_DIR [-o FILE] [--ruts N] [--sun-lux LUX]",
    .details =
        "Writes one binary glTF 2.0 file with ground in the colours of its soils, rocks, the rover with its\n"
        "joints in motion, ruts that grow, the Sun, and two cameras: \"overview\" sees the whole drive, \"chase\"\n"
        "goes with the rover.",
    .example = "  grouser export gltf crossing.run -o crossing.glb\n"
               "  grouser export gltf crossing.run --ruts 32 --sun-lux 2000",
    .run = run_gltf,
};

static const GrCommand export_usd = {
    .name = "export usd",
    .summary = "a recorded run as a USD scene in text (.usda)",
    .usage = "export usd RUN_DIR [-o FILE] [--ruts N]",
    .details = "Writes the scene of export gltf as Universal Scene Description in text, with z up and time codes in\n"
               "seconds. Files are ten times as large as those of export gltf.",
    .example = "  grouser export usd crossing.run -o crossing.usda\n"
               "  grouser export usd crossing.run --ruts 0",
    .run = run_usd,
};

// ---- export video

/// "1280x720", from 64 to 4096 pixels.
static void read_size(const char *text, GrVideoDef *def)
{
    const char *times = strchr(text, 'x');
    char width[16];
    double w, h;
    def->width = 0; // unless it is a size
    if (times == NULL || times - text >= (ptrdiff_t)sizeof width) {
        return;
    }
    snprintf(width, sizeof width, "%.*s", (int)(times - text), text);
    const bool good = gr_options_number(width, &w) && gr_options_number(times + 1, &h) && w == floor(w) &&
                      h == floor(h) && fmin(w, h) >= 64 && fmax(w, h) <= 4096;
    def->width = good ? (int)w : 0;
    def->height = good ? (int)h : 0;
}

static bool check_video(const GrVideoDef *def, const char *size)
{
    static const char *const CAMERAS[] = {"orbit", "follow", "wheel", "top", "mast"};
    enum { COUNT = sizeof CAMERAS / sizeof CAMERAS[0] };
    int k = 0;
    while (k < COUNT && strcmp(def->camera, CAMERAS[k]) != 0) {
        k++;
    }
    if (def->width == 0) {
        gr_report_error("export video: --size: found '%s', allowed: WIDTHxHEIGHT from 64 to 4096 pixels", size);
    } else if (!(def->rate >= 1 && def->rate <= 120)) {
        gr_report_error("export video: --rate: found %g, allowed: 1 to 120", def->rate);
    } else if (!(def->speed >= 0.01 && def->speed <= 1e4)) {
        gr_report_error("export video: --speed: found %g, allowed: 0.01 to 10000", def->speed);
    } else if (k == COUNT) {
        gr_report_error("export video: --camera: found '%s'%s", def->camera,
                        gr_text_hint(def->camera, CAMERAS, COUNT, NULL).text);
    } else if (!(def->begin < def->end)) {
        gr_report_error("export video: --from must be less than --to");
    } else {
        return true;
    }
    return false;
}

static GrStatus write_video(const char *run, const char *output, GrVideoDef def, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrBuffer file = {0};
    int pictures = 0;
    GrProgress progress = gr_progress_begin("export video");
    def.progress = gr_progress_update;
    def.context = &progress;
    scene_output(run, "webm", path);
    output = output != NULL ? output : path;
    GrStatus status = gr_replay_video(run, &def, &file, &pictures, log);
    gr_progress_end(&progress);
    if (status == GR_OK) {
        status = gr_file_write(output, file.data, file.size, log);
    }
    if (status == GR_OK) {
        fprintf(stderr, "wrote %s, %.1f MB: %d pictures, %.1f s\n", output, 1e-6 * (double)file.size, pictures,
                pictures / def.rate);
    }
    gr_buffer_free(&file);
    return status;
}

static const char VIDEO_SIZE[] = "1280x720";

static GrVideoDef default_video(void)
{
    GrVideoDef def = {.rate = 25, .speed = 10, .begin = 0, .end = 1e12, .camera = "follow"};
    read_size(VIDEO_SIZE, &def);
    return def;
}

GrStatus gr_video_write(const char *path, const char *run, GrErrorLog *log)
{
    GrVideoDef def = default_video();
    return write_video(run, path, def, log);
}

static int run_video(int argc, char **argv)
{
    GrVideoDef def = default_video();
    const char *output = NULL, *size = VIDEO_SIZE, *run = NULL;
    const GrOption options[] = {
        {.name = "output", .letter = 'o', .value = "FILE", .text = &output, .help = "video (default RUN.webm)"},
        {.name = "size", .value = "WxH", .text = &size, .help = "of the window in pixels (default 1280x720)"},
        {.name = "rate", .value = "HZ", .number = &def.rate, .help = "pictures per second (default 25)"},
        {.name = "speed", .value = "N", .number = &def.speed, .help = "times as fast as the run (default 10)"},
        {.name = "camera", .value = "NAME", .text = &def.camera, .help = "follow (default), orbit, wheel, top or mast"},
        {.name = "from", .value = "SECONDS", .number = &def.begin, .help = "of the run (default: its start)"},
        {.name = "to", .value = "SECONDS", .number = &def.end, .help = "of the run (default: its end)"},
    };
    int exit_code;
    const int count = gr_options_parse(&export_video, options, 7, argc, argv, &run, 1, 1, &exit_code);
    if (count < 0) {
        return exit_code;
    }
    read_size(size, &def);
    if (!check_video(&def, size)) {
        return GR_EXIT_INPUT;
    }
    GrErrorLog log = {0};
    const GrStatus status = write_video(run, output, def, &log);
    gr_report_log(&log);
    return export_exit_code(status);
}

static const GrCommand export_video = {
    .name = "export video",
    .summary = "a recorded run as a video (.webm), by a browser without a screen",
    .usage = "export video RUN_DIR [-o FILE] [--size WxH] [--rate HZ] [--speed N] [--camera NAME] [--from S] [--to S]",
    .details =
        "Writes what the replay's page shows, picture by picture, as a WebM video (VP8), which browsers and players\n"
        "show. It needs Chromium, which draws and encodes without a screen; a picture takes a tenth of a second\n"
        "to a second.",
    .example = "  grouser export video crossing.run -o crossing.webm\n"
               "  grouser export video crossing.run --speed 30 --camera orbit --size 1920x1080",
    .run = run_video,
};

// ---- the command

static const GrCommand *const PARTS[] = {&export_replay,     &export_gltf, &export_usd, &export_video,
                                         &export_playground, &export_fmu,  NULL};

const GrCommand gr_command_export = {
    .name = "export",
    .summary = "write a recorded run as a page or a 3D scene, the simulator as a page, or a scenario for others",
    .usage = "export SUBCOMMAND [OPTION]...",
    .details =
        "Writes what others can use without this program: recorded runs as pages and 3D scenes (glTF, USD), the\n"
        "simulator in a web page, and functional mock-up units (FMI).",
    .example = "  grouser export replay crossing.run -o crossing.html\n"
               "  grouser export gltf crossing.run -o crossing.glb\n"
               "  grouser export fmu crossing -o crossing.fmu\n"
               "  grouser export replay --help",
    .parts = PARTS,
};
