/// grouser version.
#include "grouser/version.h"
#include "command.h"
#include "json.h"
#include "options.h"

#include <stdio.h>

static int run(int argc, char **argv)
{
    bool json = false;
    const GrOption options[] = {{.name = "json", .flag = &json, .help = "print JSON"}};
    int exit_code;
    if (gr_options_parse(&gr_command_version, options, 1, argc, argv, NULL, 0, 0, &exit_code) < 0) {
        return exit_code;
    }
    if (!json) {
        printf("grouser %s\n", gr_version());
        return GR_EXIT_OK;
    }
    GrJson out = gr_json_to_file(stdout, true);
    gr_json_begin_object(&out, NULL);
    gr_json_string(&out, "version", gr_version());
    gr_json_string(&out, "compiler", __VERSION__);
    gr_json_end(&out);
    return gr_json_finish(&out) == GR_OK ? GR_EXIT_OK : GR_EXIT_FAILURE;
}

const GrCommand gr_command_version = {
    .name = "version",
    .summary = "print the version",
    .usage = "version [--json]",
    .details = "Prints the version of this program.",
    .example = "  grouser version --json",
    .run = run,
};
