#include "soil_rules.h"

#include "alloc.h"
#include "elementary.h"
#include "noise.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RULES = 32, MOST_CONDITIONS = 8, QUANTITIES = 3 };

static const char *const QUANTITY_NAMES[QUANTITIES] = {"slope_deg", "height_m", "noise"};

typedef struct Condition {
    int quantity;
    bool above;
    double value;
} Condition;

typedef struct Rule {
    int soil;
    int count;
    Condition conditions[MOST_CONDITIONS];
} Rule;

static GrStatus fail(const char *rule, const char *what, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.field = "rule"},
                        "'%s': %s; a rule is like 'bedrock: slope_deg>20 and height_m<100'", rule, what);
}

/// "slope_deg>20"; moves `at` past it.
static GrStatus read_condition(const char *rule, const char **at, Condition *out, GrErrorLog *log)
{
    char name[32];
    const size_t length = strcspn(*at, "<>= ");
    if (length == 0 || length >= sizeof name) {
        return fail(rule, "a condition begins with slope_deg, height_m or noise", log);
    }
    memcpy(name, *at, length);
    name[length] = '\0';
    out->quantity = -1;
    for (int k = 0; k < QUANTITIES; k++) {
        out->quantity = strcmp(name, QUANTITY_NAMES[k]) == 0 ? k : out->quantity;
    }
    const char *sign = *at + length + strspn(*at + length, " ");
    char *end;
    out->value = gr_number_read(sign + (*sign != '\0'), &end);
    if (out->quantity < 0 || (*sign != '<' && *sign != '>') || end == sign + 1 || !isfinite(out->value)) {
        return out->quantity < 0 && length > 0
                   ? gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "rule"}, "there is no quantity '%s'%s",
                                  name, gr_text_hint(name, QUANTITY_NAMES, QUANTITIES, NULL).text)
                   : fail(rule, "a condition is a quantity, < or >, and a number", log);
    }
    out->above = *sign == '>';
    *at = end + strspn(end, " ");
    return GR_OK;
}

static GrStatus read_rule(const char *text, GrSoilMap *map, Rule *rule, GrErrorLog *log)
{
    char name[GR_SOIL_NAME_SIZE];
    size_t length = strcspn(text, ":");
    const char *at = text[length] == ':' ? text + length + 1 : text + length;
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    if (length == 0 || length >= sizeof name || memchr(text, ' ', length) != NULL) {
        return fail(text, "a soil's name is one word", log);
    }
    memcpy(name, text, length);
    name[length] = '\0';
    *rule = (Rule){.soil = gr_soil_map_name(map, name)};
    if (rule->soil == 0) {
        return fail(text, "there are too many soils", log);
    }
    at += strspn(at, " ");
    while (*at != '\0') {
        if (rule->count == MOST_CONDITIONS) {
            return fail(text, "it has too many conditions", log);
        }
        const GrStatus status = read_condition(text, &at, &rule->conditions[rule->count++], log);
        if (status != GR_OK) {
            return status;
        }
        if (*at != '\0' && strncmp(at, "and ", 4) != 0) {
            return fail(text, "conditions are joined by 'and'", log);
        }
        at += *at != '\0' ? 4 + strspn(at + 4, " ") : 0;
    }
    return GR_OK;
}

static int judge(const Rule *rules, int count, const double values[QUANTITIES])
{
    for (int r = 0; r < count; r++) {
        bool holds = true;
        for (int k = 0; k < rules[r].count; k++) {
            const Condition *c = &rules[r].conditions[k];
            holds = holds && (c->above ? values[c->quantity] > c->value : values[c->quantity] < c->value);
        }
        if (holds) {
            return rules[r].soil;
        }
    }
    return 0;
}

/// Slope by central differences, one-sided where a neighbour is missing.
static double slope_deg(const double *z[3], int64_t i, const GrGridFrame *f)
{
    const double here = z[1][i];
    const double east = i + 1 < f->nx ? z[1][i + 1] : (double)NAN, west = i > 0 ? z[1][i - 1] : (double)NAN;
    const double north = z[2] != NULL ? z[2][i] : (double)NAN, south = z[0] != NULL ? z[0][i] : (double)NAN;
    const double nx = !isnan(east) + !isnan(west), ny = !isnan(north) + !isnan(south);
    const double gx = nx > 0 ? ((isnan(east) ? here : east) - (isnan(west) ? here : west)) / (nx * f->dx) : 0;
    const double gy = ny > 0 ? ((isnan(north) ? here : north) - (isnan(south) ? here : south)) / (ny * f->dy) : 0;
    return gr_atan(gr_hypot(gx, gy)) / GR_DEGREE;
}

static GrStatus apply(const Rule *rules, int count, const GrGridFrame *f, GrSource heights, double wavelength,
                      uint64_t seed, GrSoilMap *map, GrErrorLog *log)
{
    double *rows = gr_malloc(3 * (size_t)f->nx * sizeof *rows);
    if (rows == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = heights.read(heights.context, (GrGridWindow){0, 0, (int)f->nx, 1}, rows, log);
    for (int64_t j = 0; j < f->ny && status == GR_OK; j++) {
        double *next = rows + ((j + 1) % 3) * f->nx;
        if (j + 1 < f->ny) {
            status = heights.read(heights.context, (GrGridWindow){0, j + 1, (int)f->nx, 1}, next, log);
        }
        const double *z[3] = {j > 0 ? rows + ((j + 2) % 3) * f->nx : NULL, rows + (j % 3) * f->nx,
                              j + 1 < f->ny ? next : NULL};
        for (int64_t i = 0; i < f->nx && status == GR_OK; i++) {
            if (isnan(z[1][i])) {
                continue;
            }
            const double x = f->x0 + (double)i * f->dx, y = f->y0 + (double)j * f->dy;
            const double noise = 1.5 * gr_noise(seed, x / wavelength, y / wavelength);
            const double values[QUANTITIES] = {slope_deg(z, i, f), z[1][i], fmin(1, fmax(-1, noise))};
            map->classes[j * f->nx + i] = (unsigned char)judge(rules, count, values);
        }
    }
    gr_free(rows);
    return status;
}

GrStatus gr_soil_rules_apply(const char *const *rules, int count, const GrGridFrame *frame, GrSource heights,
                             double wavelength, uint64_t seed, GrSoilMap *map, GrErrorLog *log)
{
    Rule read[MOST_RULES] = {0};
    if (count < 1 || count > MOST_RULES || !(wavelength > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "rule"},
                            "there must be 1 to %d rules and a wavelength above 0", MOST_RULES);
    }
    GrStatus status = gr_soil_map_create(map, frame, log);
    for (int k = 0; k < count && status == GR_OK; k++) {
        status = read_rule(rules[k], map, &read[k], log);
    }
    if (status == GR_OK) {
        status = apply(read, count, frame, heights, wavelength, seed, map, log);
    }
    if (status != GR_OK) {
        gr_soil_map_free(map);
    }
    return status;
}
