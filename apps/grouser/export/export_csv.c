/// grouser export csv: the table of a recorded run, from run.mcap.
#include "csv_export.h"
#include "export_command.h"
#include "file.h"
#include "options.h"
#include "report.h"

#include <stdio.h>

static int run(int argc, char **argv)
{
    const char *output = NULL, *folder;
    const GrOption options[] = {
        {.name = "output", .letter = 'o', .value = "FILE", .text = &output, .help = "table (default RUN_DIR/run.csv)"},
    };
    int exit_code;
    if (gr_options_parse(&gr_export_csv, options, 1, argc, argv, &folder, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    char from[GR_FILE_PATH_SIZE], to[GR_FILE_PATH_SIZE];
    long rows;
    snprintf(from, sizeof from, "%s/run.mcap", folder);
    snprintf(to, sizeof to, "%s/run.csv", folder);
    const char *path = output != NULL ? output : to;
    const GrStatus status = gr_csv_export(from, path, &rows, &log);
    gr_report_log(&log);
    if (status == GR_OK) {
        fprintf(stderr, "wrote %s, %ld rows\n", path, rows);
    }
    return gr_export_exit_code(status);
}

const GrCommand gr_export_csv = {
    .name = "export csv",
    .summary = "the table of a recorded run, for spreadsheets and scripts",
    .usage = "export csv RUN_DIR [-o FILE]",
    .details =
        "Writes run.csv, one row per sample, from run.mcap. Runs of more than 10000 samples leave it out unless\n"
        "their scenario has record: {csv: true}.",
    .example = "  grouser export csv crossing.run -o crossing.csv",
    .run = run,
};
