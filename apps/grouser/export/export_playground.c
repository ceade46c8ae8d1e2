/// grouser export playground: the simulator inside one HTML file.
#include "export_command.h"
#include "file.h"
#include "options.h"
#include "playground_page.h"
#include "report.h"

#include <stdio.h>

static int run(int argc, char **argv)
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
    const int count = gr_options_parse(&gr_export_playground, options, 1, argc, argv, &scenario, 0, 1, &exit_code);
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
    return gr_export_exit_code(status);
}

const GrCommand gr_export_playground = {
    .name = "export playground",
    .summary = "the simulator itself as an HTML file: drive a rover in a browser",
    .usage = "export playground [SCENARIO] [-o FILE]",
    .details = "Writes one HTML file with the simulator (WebAssembly), the viewer and the shipped rovers, soils and\n"
               "scenarios. Whoever opens it can drive the rover, change soil and gravity and watch slip and sinkage,\n"
               "with nothing installed. SCENARIO is a shipped one (default crossing). make playground builds the\n"
               "part that it needs.",
    .example = "  grouser export playground -o playground.html\n"
               "  grouser export playground mixed_soils",
    .run = run,
    .arguments = "@scenarios",
};
