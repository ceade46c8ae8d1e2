/// grouser export replay: recorded runs as one HTML file that opens in any browser.
#include "export_command.h"
#include "options.h"
#include "replay_file.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

enum { RUNS_MAX = 2 };

static int run(int argc, char **argv)
{
    const char *output = NULL, *runs[RUNS_MAX];
    const GrOption options[] = {
        {.name = "output", .letter = 'o', .value = "FILE", .text = &output, .help = "HTML file (default replay.html)"},
    };
    int exit_code;
    const int count = gr_options_parse(&gr_export_replay, options, 1, argc, argv, runs, 1, RUNS_MAX, &exit_code);
    if (count < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    const GrStatus status = gr_replay_write(output != NULL ? output : "replay.html", runs, count, &log);
    gr_report_log(&log);
    return gr_export_exit_code(status);
}

const GrCommand gr_export_replay = {
    .name = "export replay",
    .summary = "one or two recorded runs as an HTML file that opens by double click",
    .usage = "export replay RUN_DIR [RUN_DIR] [-o FILE]",
    .details = "Writes one self-contained HTML file with a 3D view of the run: ground, rocks, ruts, rover, wheel\n"
               "forces, plots of every recorded channel. It needs no server, no network and no installation. Two\n"
               "runs are shown side by side or one as a ghost of the other.",
    .example = "  grouser export replay crossing.run -o crossing.html\n"
               "  grouser export replay before.run after.run -o compare.html",
    .run = run,
};
