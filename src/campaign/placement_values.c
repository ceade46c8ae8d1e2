/// Numbers of a placement by name.
#include "subject_placement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Numbers of the lander: name, expression of the placement p.
#define LANDER_VALUES(X)                                                                                               \
    X("tilt_deg", p->tilt / GR_DEGREE)                                                                                 \
    X("tilt_toward_deg", p->tilt_toward / GR_DEGREE)                                                                   \
    X("stability_deg", p->stability / GR_DEGREE)                                                                       \
    X("clearance_m", d->corner_count > 0 ? p->clearance : (double)NAN)                                                 \
    X("feet_down", count_bits(p->feet_down))

/// Numbers of a ramp, after its name and a dot: name, expression of its state r, and whether the largest over all ramps
/// exists as "ramps.NAME".
#define RAMP_VALUES(X)                                                                                                 \
    X("slope_deg", r->slope / GR_DEGREE)                                                                               \
    X("hinge_deg", r->hinge / GR_DEGREE)                                                                               \
    X("roll_deg", r->roll / GR_DEGREE)                                                                                 \
    X("to_ground_deg", r->to_ground / GR_DEGREE)                                                                       \
    X("step_m", r->step)                                                                                               \
    X("touch", (double)r->touch)

static double count_bits(unsigned bits)
{
    double count = 0;
    for (; bits != 0; bits >>= 1) {
        count += bits & 1;
    }
    return count;
}

static bool ramp_value(const GrRampState *r, const char *name, double *out)
{
#define TAKE(text, expression)                                                                                         \
    if (strcmp(name, text) == 0) {                                                                                     \
        *out = (expression);                                                                                           \
        return true;                                                                                                   \
    }
    RAMP_VALUES(TAKE)
    return false;
}

/// "ramps.slope_max_deg": the largest magnitude of all ramps, "ramps.slope_min_deg": the smallest.
static bool all_ramps(const GrLanderDef *d, const GrLanderPlacement *p, const char *name, double *out)
{
    static const struct {
        const char *name, *of;
        bool largest;
    } rows[] = {{"slope_max_deg", "slope_deg", true},
                {"slope_min_deg", "slope_deg", false},
                {"roll_max_deg", "roll_deg", true},
                {"step_max_m", "step_m", true},
                {"step_min_m", "step_m", false},
                {"to_ground_max_deg", "to_ground_deg", true},
                {"to_ground_min_deg", "to_ground_deg", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0) {
            continue;
        }
        *out = (double)NAN; // without ramps
        for (int k = 0; k < d->ramp_count; k++) {
            double value = 0;
            ramp_value(&p->ramps[k], rows[i].of, &value);
            const bool better = rows[i].largest ? fabs(value) > fabs(*out) : fabs(value) < fabs(*out);
            *out = isnan(*out) || better ? value : *out;
        }
        return true;
    }
    return false;
}

bool gr_placement_value(const GrLanderDef *d, const GrLanderPlacement *p, const char *name, double *out)
{
    const char *dot = strchr(name, '.');
    bool known = false;
    if (strcmp(name, "stands") == 0) {
        *out = p->stand == GR_STAND_STANDS;
        return true;
    }
#define TAKE_LANDER(text, expression)                                                                                  \
    if (strcmp(name, text) == 0) {                                                                                     \
        *out = (expression);                                                                                           \
        known = true;                                                                                                  \
    }
    LANDER_VALUES(TAKE_LANDER)
    if (dot != NULL && strncmp(name, "ramps.", 6) == 0) {
        known = all_ramps(d, p, dot + 1, out);
    }
    for (int i = 0; i < d->ramp_count && dot != NULL && !known; i++) {
        const size_t length = strlen(d->ramps[i].name);
        if (length == (size_t)(dot - name) && strncmp(name, d->ramps[i].name, length) == 0) {
            known = ramp_value(&p->ramps[i], dot + 1, out);
        }
    }
    *out = known && p->stand != GR_STAND_STANDS ? (double)NAN : *out;
    return known;
}

int gr_placement_names(const GrLanderDef *d, char (*out)[GR_TERM_NAME], int capacity)
{
#define NAME(text, expression) text,
    static const char *const own[] = {"stands", LANDER_VALUES(NAME)};
    static const char *const of_ramps[] = {RAMP_VALUES(NAME)};
    static const char *const all[] = {"slope_max_deg", "slope_min_deg",     "roll_max_deg",     "step_max_m",
                                      "step_min_m",    "to_ground_max_deg", "to_ground_min_deg"};
    int count = 0;
    for (size_t i = 0; i < sizeof own / sizeof own[0] && count < capacity; i++) {
        snprintf(out[count++], GR_TERM_NAME, "%s", own[i]);
    }
    for (size_t i = 0; i < sizeof all / sizeof all[0] && count < capacity && d->ramp_count > 0; i++) {
        snprintf(out[count++], GR_TERM_NAME, "ramps.%s", all[i]);
    }
    for (int k = 0; k < d->ramp_count; k++) {
        for (size_t i = 0; i < sizeof of_ramps / sizeof of_ramps[0] && count < capacity; i++) {
            snprintf(out[count++], GR_TERM_NAME, "%s.%s", d->ramps[k].name, of_ramps[i]);
        }
    }
    return count;
}
