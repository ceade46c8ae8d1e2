#include "soil_rules.h"

#include "alloc.h"
#include "elementary.h"
#include "list.h"
#include "noise.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RULES = 64, MOST_CONDITIONS = 8, QUANTITIES = 3 };

static const char *const QUANTITY_NAMES[QUANTITIES] = {"slope_deg", "height_m", "noise"};

/// A corner of a polygon, or of lines.
typedef struct Corner {
    double x, y;
    bool begins; ///< a line
} Corner;

typedef enum Shape { NO_SHAPE, INSIDE, NEAR } Shape;

typedef struct Condition {
    int quantity;
    bool above;
    double value; ///< NEAR: the largest distance
    Shape shape;
    int first, count; ///< its corners
    GrBox2 box;       ///< that holds what the shape holds
} Condition;

typedef struct Rule {
    int soil;
    int count;
    Condition conditions[MOST_CONDITIONS];
} Rule;

typedef struct Rules {
    Rule rules[MOST_RULES];
    int count;
    Corner *corners; ///< of all of them
    int corner_count;
} Rules;

static GrStatus fail(const char *rule, const char *what, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.field = "rule"},
                        "'%s': %s; a rule is like 'bedrock: slope_deg>20 and height_m<100'", rule, what);
}

/// A number and what follows it.
static bool read_number(const char **at, double *out)
{
    char *end;
    *out = gr_number_read(*at, &end);
    const bool good = end != *at && isfinite(*out);
    *at = end + strspn(end, " ");
    return good;
}

/// "inside(0 0, 4 0, 4 3)" or "near(0.5: 1 2, 3 4; 5 6)": a polygon, or lines and a distance. Moves `at` past it.
static GrStatus read_shape(const char *rule, const char **at, Condition *out, Rules *all, GrErrorLog *log)
{
    static const char WHAT[] = "an outline is like inside(0 0, 4 0, 4 3) or near(0.5: 1 2, 3 4; 5 6)";
    const double inf = (double)INFINITY;
    double reach = 0;
    *out = (Condition){.shape = **at == 'i' ? INSIDE : NEAR, .first = all->corner_count, .box = {inf, inf, -inf, -inf}};
    *at = strchr(*at, '(') + 1;
    if (out->shape == NEAR && (!read_number(at, &out->value) || !(out->value > 0) || *(*at)++ != ':')) {
        return fail(rule, WHAT, log);
    }
    reach = out->value;
    for (char next = ';'; next != ')'; (*at)++) {
        Corner corner = {.begins = next == ';'};
        if (!read_number(at, &corner.x) || !read_number(at, &corner.y)) {
            return fail(rule, WHAT, log);
        }
        next = **at;
        if (next != ')' && next != ',' && (next != ';' || out->shape == INSIDE)) {
            return fail(rule, WHAT, log);
        }
        if (gr_list_add(&all->corners, &all->corner_count, &corner, sizeof corner) < 0) {
            return gr_out_of_memory(log, NULL);
        }
        out->box = (GrBox2){fmin(out->box.x_lower, corner.x - reach), fmin(out->box.y_lower, corner.y - reach),
                            fmax(out->box.x_upper, corner.x + reach), fmax(out->box.y_upper, corner.y + reach)};
    }
    out->count = all->corner_count - out->first;
    *at += strspn(*at, " ");
    return out->shape == NEAR || out->count > 2 ? GR_OK : fail(rule, "a polygon has three corners or more", log);
}

/// "slope_deg>20", or an outline; moves `at` past it.
static GrStatus read_condition(const char *rule, const char **at, Condition *out, Rules *all, GrErrorLog *log)
{
    char name[32];
    if (strncmp(*at, "inside(", 7) == 0 || strncmp(*at, "near(", 5) == 0) {
        return read_shape(rule, at, out, all, log);
    }
    *out = (Condition){0};
    const size_t length = strcspn(*at, "<>= ");
    if (length == 0 || length >= sizeof name) {
        return fail(rule, "a condition begins with slope_deg, height_m, noise, inside( or near(", log);
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

static GrStatus read_rule(const char *text, GrSoilMap *map, Rules *all, GrErrorLog *log)
{
    Rule *rule = &all->rules[all->count++];
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
        const GrStatus status = read_condition(text, &at, &rule->conditions[rule->count++], all, log);
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

static double distance(const Corner *a, const Corner *b, double x, double y)
{
    const double ux = b->x - a->x, uy = b->y - a->y, length = ux * ux + uy * uy;
    const double t = length > 0 ? fmin(1, fmax(0, ((x - a->x) * ux + (y - a->y) * uy) / length)) : 0;
    return gr_hypot(x - a->x - t * ux, y - a->y - t * uy);
}

/// Whether a place is in the shape of a condition.
static bool is_in_shape(const Condition *c, const Corner *corners, double x, double y)
{
    const GrBox2 *box = &c->box;
    bool in = false;
    if (x < box->x_lower || x > box->x_upper || y < box->y_lower || y > box->y_upper) {
        return false;
    }
    corners += c->first;
    for (int k = 0; k < c->count && !(in && c->shape == NEAR); k++) {
        const Corner *a = &corners[k], *b = &corners[k > 0 ? k - 1 : c->count - 1];
        if (c->shape == NEAR) {
            in = distance(a, a->begins ? a : b, x, y) <= c->value;
        } else if ((a->y > y) != (b->y > y) && x < a->x + (b->x - a->x) * (y - a->y) / (b->y - a->y)) {
            in = !in; // a ray to +x crosses the outline an odd number of times
        }
    }
    return in;
}

static int judge(const Rules *all, const double values[QUANTITIES], double x, double y)
{
    for (int r = 0; r < all->count; r++) {
        const Rule *rule = &all->rules[r];
        bool holds = true;
        for (int k = 0; k < rule->count && holds; k++) {
            const Condition *c = &rule->conditions[k];
            holds = c->shape != NO_SHAPE ? is_in_shape(c, all->corners, x, y)
                    : c->above           ? values[c->quantity] > c->value
                                         : values[c->quantity] < c->value;
        }
        if (holds) {
            return rule->soil;
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

static GrStatus apply(const Rules *all, const GrGridFrame *f, GrSource heights, double wavelength, uint64_t seed,
                      GrSoilMap *map, GrErrorLog *log)
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
            map->classes[j * f->nx + i] = (unsigned char)judge(all, values, x, y);
        }
    }
    gr_free(rows);
    return status;
}

GrStatus gr_soil_rules_apply(const char *const *rules, int count, const GrGridFrame *frame, GrSource heights,
                             double wavelength, uint64_t seed, GrSoilMap *map, GrErrorLog *log)
{
    if (count < 1 || count > MOST_RULES || !(wavelength > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "rule"},
                            "there must be 1 to %d rules and a wavelength above 0", MOST_RULES);
    }
    Rules *read = gr_calloc(1, sizeof *read);
    if (read == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = gr_soil_map_create(map, frame, log);
    for (int k = 0; k < count && status == GR_OK; k++) {
        status = read_rule(rules[k], map, read, log);
    }
    if (status == GR_OK) {
        status = apply(read, frame, heights, wavelength, seed, map, log);
    }
    gr_free(read->corners);
    gr_free(read);
    if (status != GR_OK) {
        gr_soil_map_free(map);
    }
    return status;
}
