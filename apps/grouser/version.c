/// grouser version: what this program is, and which optional parts it has.
#include "grouser/version.h"
#include "command.h"
#include "json.h"
#include "options.h"
#include "parts.h"
#include "shipped.h"

#include <stdio.h>

/// What is compiled apart from the program.
static const struct {
    const char *kind, *name, *suffix, *text;
} FILES[] = {
    {"playground", "playground", ".bin", "export playground (make playground)"},
    {"fmu/aarch64-linux", "grouser", ".so", "export fmu for any aarch64 machine (make fmu)"},
    {"fmu/x86_64-linux", "grouser", ".so", "export fmu for any x86-64 machine (make fmu)"},
};
enum { FILE_COUNT = sizeof FILES / sizeof FILES[0] };

static int part_count(void)
{
    return gr_part_count + FILE_COUNT;
}

static GrPart part_at(int i)
{
    if (i < gr_part_count) {
        return gr_parts[i];
    }
    const int k = i - gr_part_count;
    char path[GR_FILE_PATH_SIZE];
    return (GrPart){.present = gr_shipped_find(FILES[k].kind, FILES[k].name, FILES[k].suffix, path),
                    .text = FILES[k].text};
}

static void print_text(void)
{
    printf("grouser %s (%s bits)\n", gr_version(), gr_bits());
    for (int present = 1; present >= 0; present--) {
        const char *title = present ? "with" : "without";
        for (int i = 0; i < part_count(); i++) {
            const GrPart part = part_at(i);
            if (part.present == (present != 0)) {
                const bool has_hint = !part.present && part.packages != NULL && part.packages[0] != '\0';
                printf("  %-8s%s%s%s\n", title, part.text, has_hint ? ": install " : "", has_hint ? part.packages : "");
                title = "";
            }
        }
    }
}

static int run(int argc, char **argv)
{
    bool json = false;
    const GrOption options[] = {{.name = "json", .flag = &json, .help = "print JSON"}};
    int exit_code;
    if (gr_options_parse(&gr_command_version, options, 1, argc, argv, NULL, 0, 0, &exit_code) < 0) {
        return exit_code;
    }
    if (!json) {
        print_text();
        return GR_EXIT_OK;
    }
    GrJson out = gr_json_to_file(stdout, true);
    gr_json_begin_object(&out, NULL);
    gr_json_string(&out, "version", gr_version());
    gr_json_string(&out, "bits", gr_bits());
    gr_json_string(&out, "compiler", __VERSION__);
    gr_json_begin_array(&out, "parts");
    for (int i = 0; i < part_count(); i++) {
        const GrPart part = part_at(i);
        gr_json_begin_object(&out, NULL);
        gr_json_string(&out, "part", part.text);
        gr_json_bool(&out, "present", part.present);
        gr_json_end(&out);
    }
    gr_json_end(&out);
    gr_json_end(&out);
    return gr_json_finish(&out) == GR_OK ? GR_EXIT_OK : GR_EXIT_FAILURE;
}

const GrCommand gr_command_version = {
    .name = "version",
    .summary = "print the version and the parts of this program",
    .usage = "version [--json]",
    .details =
        "Prints the version, how results are rounded (portable bits: the same on every machine; native bits: as\n"
        "this processor computes fastest), and which optional parts the program has.",
    .example = "  grouser version --json",
    .run = run,
};
