/// Definitions of landers: defaults and checks.
#include "grouser/lander.h"

#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

GrLanderDef gr_default_lander_def(void)
{
    GrLanderDef def = {.deck_thickness = 0.1};
    for (int i = 0; i < GR_LANDER_RAMPS; i++) {
        def.ramps[i] = (GrLanderRamp){.thickness = 0.04, .last = 60 * GR_DEGREE};
    }
    return def;
}

int gr_lander_ramp(const GrLanderDef *lander, const char *name)
{
    for (int i = 0; i < lander->ramp_count; i++) {
        if (strcmp(lander->ramps[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static GrStatus fail(GrLocation at, const char *field, GrErrorLog *log, const char *text)
{
    at.field = field;
    return gr_error_add(log, GR_ERROR_VALUE, at, "%s", text);
}

/// Whether all of some lengths are numbers within GR_LANDER_REACH. The samples below a lander are counted, and would
/// not end below one of the size of a planet.
static bool in_reach(const double *lengths, int count)
{
    bool good = true;
    for (int i = 0; i < count; i++) {
        good = good && fabs(lengths[i]) <= GR_LANDER_REACH; // false for NAN
    }
    return good;
}

static const char TOO_LARGE[] = "places and lengths of a lander are at most 100 m";

static GrStatus check_reach(const GrLanderDef *d, GrLocation at, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (!in_reach((const double[]){d->com.x, d->com.y, d->com.z}, 3)) {
        status = fail(at, "mass_centre", log, TOO_LARGE);
    }
    for (int i = 0; i < d->foot_count; i++) {
        const GrLanderFoot *f = &d->feet[i];
        if (!in_reach((const double[]){f->position.x, f->position.y, f->position.z, f->radius}, 4)) {
            status = fail(at, "feet", log, TOO_LARGE);
        }
    }
    if (!in_reach(&d->underside, 1) || !in_reach(&d->corners[0][0], 2 * d->corner_count)) {
        status = fail(at, "underside", log, TOO_LARGE);
    }
    const double deck[] = {d->deck_length, d->deck_width, d->deck_x, d->deck_y, d->deck_height, d->deck_thickness};
    if (!in_reach(deck, 6)) {
        status = fail(at, "deck", log, TOO_LARGE);
    }
    return status;
}

static GrStatus check_ramp(const GrLanderDef *d, int i, GrLocation at, GrErrorLog *log)
{
    const GrLanderRamp *r = &d->ramps[i];
    char field[GR_NAME_SIZE + 16];
    GrStatus status = GR_OK;
    snprintf(field, sizeof field, "ramps.%s", r->name);
    if (!(r->length > 0 && r->width > 0 && r->thickness > 0)) {
        status = fail(at, field, log, "length, width and thickness must be above 0");
    }
    if (!in_reach((const double[]){r->hinge.x, r->hinge.y, r->hinge.z, r->length, r->width, r->thickness}, 6)) {
        status = fail(at, field, log, TOO_LARGE);
    }
    if (!(r->gap >= 0 && r->gap < r->width)) {
        status = fail(at, field, log, "the gap between the tracks must be at least 0, and below the width over all");
    }
    if (!(r->first < r->last)) {
        status = fail(at, field, log, "the range of the hinge is empty: its first angle must be below the last");
    }
    if (gr_lander_ramp(d, r->name) != i) {
        status = fail(at, field, log, "two ramps have this name");
    }
    return status;
}

/// On level ground no other check makes sense for a lander that falls over.
static GrStatus check_stance(const GrLanderDef *d, GrLocation at, GrErrorLog *log)
{
    const GrSite level = {0};
    GrLanderPlacement placement;
    const GrStatus status = gr_lander_place(d, &level, (GrLanderSpot){0}, &placement, log);
    if (status != GR_OK || placement.stand == GR_STAND_STANDS) {
        return status;
    }
    return fail(at, "feet", log, "the lander does not stand on level ground: its mass centre is not above its feet");
}

GrStatus gr_lander_check(const GrLanderDef *d, GrLocation at, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (d->foot_count < 3 || d->foot_count > GR_LANDER_FEET) {
        status = fail(at, "feet", log, "a lander has 3 to 12 feet");
    }
    if (d->corner_count != 0 && (d->corner_count < 3 || d->corner_count > GR_LANDER_CORNERS)) {
        status = fail(at, "underside", log, "the underside has 3 to 16 corners");
    }
    if (!(d->deck_length > 0 && d->deck_width > 0 && d->deck_thickness > 0)) {
        status = fail(at, "deck", log, "length, width and thickness must be above 0");
    }
    status = status == GR_OK ? check_reach(d, at, log) : status;
    for (int i = 0; i < d->ramp_count; i++) {
        const GrStatus ramp = check_ramp(d, i, at, log);
        status = status == GR_OK ? ramp : status;
    }
    return status == GR_OK ? check_stance(d, at, log) : status;
}
