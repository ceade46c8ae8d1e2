/// grouser schema KIND, and grouser help KEY: what may stand in input files.
#include "schema.h"

#include "command.h"
#include "grain_study_yaml.h"
#include "grains_yaml.h"
#include "help.h"
#include "options.h"
#include "report.h"

#ifdef GR_WITH_CAMPAIGN
#include "campaign_keys.h"
#endif

#include <stdio.h>
#include <string.h>

static const GrSchema *const SCHEMAS[] = {&gr_schema_scenario,    &gr_schema_rover,  &gr_schema_soil,
                                          &gr_schema_lander,      &gr_schema_grains, &gr_schema_bed,
                                          &gr_schema_grain_study,
#ifdef GR_WITH_CAMPAIGN
                                          &gr_schema_campaign
#endif
};
enum { SCHEMA_COUNT = sizeof SCHEMAS / sizeof SCHEMAS[0], KEYS_MAX = 2000, GROUPS_MAX = 200, KEY_COLUMNS = 100 };

static int run(int argc, char **argv)
{
    const char *name;
    const char *names[SCHEMA_COUNT];
    int exit_code;
    if (gr_options_parse(&gr_command_schema, NULL, 0, argc, argv, &name, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    for (int i = 0; i < SCHEMA_COUNT; i++) {
        names[i] = SCHEMAS[i]->name;
        if (strcmp(names[i], name) == 0) {
            GrJson json = gr_json_to_file(stdout, true);
            gr_schema_write(SCHEMAS[i], &json);
            return gr_json_finish(&json) == GR_OK ? GR_EXIT_OK : GR_EXIT_FAILURE;
        }
    }
    gr_report_error("unknown kind of file %s%s", name, gr_text_hint(name, names, SCHEMA_COUNT, NULL).text);
    return GR_EXIT_INPUT;
}

const GrCommand gr_command_schema = {
    .name = "schema",
    .summary = "print the JSON Schema of a kind of input file, for editors",
    .usage = "schema scenario|rover|soil|lander|grains|bed|grain_study|campaign",
    .details = "Prints a JSON Schema (draft-07) of the keys of a file: what they are, their units, ranges and "
               "defaults.\nEditors with a YAML language server check files with it and complete keys. grouser help KEY "
               "shows one key.",
    .example = "  grouser schema scenario > scenario.schema.json\n"
               "  grouser help drive.speed_mps",
    .arguments = "scenario rover soil lander grains bed grain_study campaign",
    .run = run,
};

// ---- grouser help KEY

typedef struct Search {
    const GrSchema *schema;
    const char *word;
    const char *within; ///< path of the last key that was shown, whose own keys follow
    char shown[GR_PATH_SIZE];
    int count;
    const char *above; ///< printed before the first key; NULL: nothing
} Search;

/// Whether a word is a path, its end, or the last key of it without its unit; "rover.wheels" for wheels of a rover.
static bool is_meant(const Search *search, const GrKey *row, const char *path)
{
    const size_t kind = strlen(search->schema->name), length = strlen(path);
    const char *word = search->word, *key = strrchr(path, '.');
    key = key != NULL ? key + 1 : path;
    if (strncmp(word, search->schema->name, kind) == 0 && word[kind] == '.' && strcmp(word + kind + 1, path) == 0) {
        return true;
    }
    const size_t size = strlen(word);
    const bool end =
        length >= size && strcmp(path + length - size, word) == 0 && (length == size || path[length - size - 1] == '.');
    double factor;
    return end || (strncmp(key, word, size) == 0 && key[size] == '_' && gr_key_unit(row, &factor)[0] != '\0');
}

static void show_key(void *context, const GrKey *key, const char *path, const void *usual)
{
    Search *search = context;
    char kind[GR_KEY_TEXT_SIZE], otherwise[GR_KEY_TEXT_SIZE];
    const size_t shown = strlen(search->shown);
    if (shown > 0 && strncmp(path, search->shown, shown) == 0 && strchr(".[", path[shown]) != NULL) {
        const char *rest = path + shown + strspn(path + shown, "[].");
        rest += strncmp(rest, "NAME.", 5) == 0 ? 5 : 0;
        if (strchr(rest, '.') == NULL && strchr(rest, '[') == NULL) {
            printf("    %-24s %s\n", rest, key->text);
        }
    }
    if (!is_meant(search, key, path)) {
        return;
    }
    fputs(search->count == 0 && search->above != NULL ? search->above : "", stdout);
    printf("%s%s in a %s file\n  %s\n  %s", search->count > 0 ? "\n" : "", path, search->schema->name, key->text,
           gr_key_kind(key, kind));
    printf("%s", key->required ? "; required" : "");
    gr_key_usual(key, usual, otherwise);
    printf("%s%s\n", otherwise[0] != '\0' ? "; default " : "", otherwise);
    for (int i = 0; i < GR_KEY_REASONS && key->ignored[i].holds != NULL; i++) {
        printf("%s%s", i == 0 ? "  has no effect if: " : "; ", key->ignored[i].why);
    }
    fputs(key->ignored[0].holds != NULL ? "\n" : "", stdout);
    snprintf(search->shown, sizeof search->shown, "%s", path);
    search->count++;
}

static int show_keys(Search search)
{
    for (int i = 0; i < SCHEMA_COUNT; i++) {
        search.schema = SCHEMAS[i];
        search.shown[0] = '\0';
        gr_schema_each(SCHEMAS[i], show_key, &search);
    }
    return search.count;
}

int gr_help_key(const char *word)
{
    return show_keys((Search){.word = word});
}

void gr_help_also_key(const char *word)
{
    show_keys((Search){.word = word, .above = "\nKeys of this name in files:\n\n"});
}

/// Keys of one mapping of a kind of file.
typedef struct KeyGroup {
    char path[GR_PATH_SIZE];
    GrBuffer names;
} KeyGroup;

typedef struct KeyGroups {
    KeyGroup items[GROUPS_MAX];
    int count;
} KeyGroups;

static void add_to_group(void *context, const GrKey *key, const char *path, const void *usual)
{
    KeyGroups *groups = context;
    const char *last = strrchr(path, '.');
    const int length = last != NULL ? (int)(last - path) : 0;
    int at = 0;
    (void)usual;
    while (at < groups->count &&
           (strncmp(groups->items[at].path, path, (size_t)length) != 0 || groups->items[at].path[length] != '\0')) {
        at++;
    }
    if (at == GROUPS_MAX) {
        return;
    }
    if (at == groups->count) {
        groups->count++;
        snprintf(groups->items[at].path, GR_PATH_SIZE, "%.*s", length, path);
    }
    const char *known = groups->items[at].names.data;
    char word[GR_NAME_SIZE + 2];
    snprintf(word, sizeof word, " %s,", key->name);
    if (known != NULL && strstr(known, word) != NULL) {
        return; // in several forms
    }
    gr_buffer_printf(&groups->items[at].names, "%s%s", groups->items[at].names.size > 0 ? ", " : "", key->name);
}

void gr_help_keys(void)
{
    static KeyGroups groups; // too large for the stack
    for (int i = 0; i < SCHEMA_COUNT; i++) {
        memset(&groups, 0, sizeof groups);
        gr_schema_each(SCHEMAS[i], add_to_group, &groups);
        printf("%s%s file\n", i > 0 ? "\n" : "", SCHEMAS[i]->name);
        for (int k = 0; k < groups.count; k++) {
            const KeyGroup *group = &groups.items[k];
            const int indent = group->path[0] != '\0' ? 4 : 2;
            if (group->path[0] != '\0') {
                printf("  %s\n", group->path);
            }
            printf("%*s", indent, "");
            gr_print_wrapped(group->names.data, indent, KEY_COLUMNS - indent, stdout);
            gr_buffer_free(&groups.items[k].names);
        }
    }
    printf("\ngrouser help KEY explains one: grouser help joint, grouser help scenario.terrain\n");
}

typedef struct Names {
    const char *items[KEYS_MAX];
    int count;
} Names;

static void collect(void *context, const GrKey *key, const char *path, const void *usual)
{
    Names *names = context;
    (void)path;
    (void)usual;
    if (names->count < KEYS_MAX) {
        names->items[names->count++] = key->name;
    }
}

GrHint gr_help_nearest_key(const char *word)
{
    Names names = {.count = 0};
    for (int i = 0; i < SCHEMA_COUNT; i++) {
        gr_schema_each(SCHEMAS[i], collect, &names);
    }
    return gr_text_hint(word, names.items, names.count, "; grouser help lists the commands");
}
