/// Definition of control: defaults and checks.
#include "control_parts.h"
#include "elementary.h"
#include "number.h"

#include <stdio.h>

GrControlDef gr_default_control_def(void)
{
    return (GrControlDef){
        .source = GR_CONTROL_MANUAL,
        .follower = GR_FOLLOW_PURE_PURSUIT,
        .localisation = GR_LOCALISE_TRUTH,
        .mode = GR_DRIVE_MODE_COUNT,
        .cruise_speed = 0.05,
        .heading_gain = 2,
        .pid = {2, 0.3, 2},
        .turn_angle = 60 * GR_DEGREE,
        .turn_done = 5 * GR_DEGREE,
        .slip_factor_max = 3,
        .slide_max = 30 * GR_DEGREE,
        .slip_time = 5,
        .steer_rate = 0.3,
        .steer_gain = 5,
        .steer_tolerance = 5 * GR_DEGREE,
        .steer_hold = 20 * GR_DEGREE,
        .wheel_acceleration = 0.1,
        .skid_factor = 1,
        .lateral_weight = 1e-4,
    };
}

static GrStatus bad(GrErrorLog *log, const char *field, double found, const char *allowed)
{
    return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = field}, "found %g, allowed is %s", found, allowed);
}

static GrStatus check_numbers(const GrControlDef *def, GrErrorLog *log)
{
    const struct {
        const char *field;
        double value, least;
        bool above; ///< `least` itself is not allowed
    } rows[] = {
        {"cruise_speed", def->cruise_speed, 0, true},
        {"speed_max", def->speed_max, def->cruise_speed, false},
        {"look_ahead", def->look_ahead, 0, true},
        {"heading_gain", def->heading_gain, 0, true},
        {"pid.p", def->pid[0], 0, false},
        {"pid.i", def->pid[1], 0, false},
        {"pid.d", def->pid[2], 0, false},
        {"tolerance", def->tolerance, 0, true},
        {"turn_done", def->turn_done, 0, true},
        {"turn_angle", def->turn_angle, def->turn_done, true},
        {"slip_factor_max", def->slip_factor_max, 1, false},
        {"slide_max", def->slide_max, 0, false},
        {"slip_time", def->slip_time, 0, true},
        {"steer_rate", def->steer_rate, 0, true},
        {"steer_gain", def->steer_gain, 0, true},
        {"steer_tolerance", def->steer_tolerance, 0, true},
        {"steer_hold", def->steer_hold, def->steer_tolerance, true},
        {"wheel_acceleration", def->wheel_acceleration, 0, true},
        {"skid_factor", def->skid_factor, 0, true},
        {"stride", def->stride, 0, false},
        {"lateral_weight", def->lateral_weight, 0, true},
    };
    GrStatus status = GR_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool good = rows[i].above ? rows[i].value > rows[i].least : rows[i].value >= rows[i].least;
        if (!good) { // NaN too
            char allowed[64];
            gr_print(allowed, sizeof allowed, "%s %g", rows[i].above ? "more than" : "at least", rows[i].least);
            status = bad(log, rows[i].field, rows[i].value, allowed);
        }
    }
    return status;
}

static GrStatus check_path(const GrControlDef *def, GrErrorLog *log)
{
    if (def->source == GR_CONTROL_PATH && def->path_count < 1) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.field = "path"}, "a path needs a way-point");
    }
    if (def->path_count < 0 || def->script_count < 0) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "path"}, "a number of entries is negative");
    }
    double last = -INFINITY;
    for (int i = 0; i < def->path_count; i++) {
        const GrWayPoint *p = &def->path[i];
        char field[64];
        snprintf(field, sizeof field, "path[%d]", i);
        if (!isfinite(p->x) || !isfinite(p->y)) {
            return bad(log, field, isfinite(p->x) ? p->y : p->x, "a finite position");
        }
        if (!isnan(p->time) && !(p->time > last)) {
            return bad(log, field, p->time, "an arrival time later than the one before");
        }
        last = isnan(p->time) ? last : p->time;
    }
    return GR_OK;
}

/// `manual`: the entries of a driver, which may give the rover back.
static GrStatus check_entries(const GrDriveGeometry *g, const GrScriptEntry *entries, int count, bool manual,
                              GrErrorLog *log)
{
    for (int i = 0; i < count; i++) {
        const GrScriptEntry *e = &entries[i];
        const GrDriveCommand *c = &e->command;
        char field[64];
        snprintf(field, sizeof field, "%s[%d]", manual ? "manual" : "script", i);
        if (!(isfinite(e->time)) || (i > 0 && !(e->time >= entries[i - 1].time))) {
            return bad(log, field, e->time, "a time not before the entry above");
        }
        if (!isfinite(c->speed + c->curvature + c->yaw_rate + c->crab)) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = field}, "a number is not finite");
        }
        const bool gives_back = manual && c->mode == GR_DRIVE_MODE_COUNT;
        if (!gives_back && !gr_drive_supports(g, c->mode)) {
            return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = field},
                                "this rover lacks the joints of drive mode %s", gr_drive_mode_name(c->mode));
        }
    }
    return GR_OK;
}

static GrStatus check_script(const GrDriveGeometry *g, const GrControlDef *def, GrErrorLog *log)
{
    if (def->source == GR_CONTROL_SCRIPT && def->script_count < 1) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.field = "script"}, "a script needs an entry");
    }
    const GrStatus status = check_entries(g, def->script, def->script_count, false, log);
    return status == GR_OK ? check_entries(g, def->manual, def->manual_count, true, log) : status;
}

static void fill(const GrDriveGeometry *g, GrControlDef *def)
{
    def->mode = def->mode == GR_DRIVE_MODE_COUNT ? gr_drive_best_mode(g) : def->mode;
    def->speed_max = def->speed_max == 0 ? 4 * def->cruise_speed : def->speed_max;
    def->look_ahead = def->look_ahead == 0 ? fmax(0.3, g->length) : def->look_ahead;
    def->tolerance = def->tolerance == 0 ? 0.25 * def->look_ahead : def->tolerance;
    if (def->stride == 0 && g->walk_count > 0) {
        def->stride = INFINITY;
        for (int k = 0; k < g->walk_count; k++) {
            const GrDriveWheel *w = &g->wheels[g->walk_order[k]];
            def->stride = fmin(def->stride, fmin(w->stride_max, 0.6 * gr_hypot(w->leg_x, w->leg_z)));
        }
    }
}

static GrStatus check_fit(const GrDriveGeometry *g, const GrControlDef *def, GrErrorLog *log)
{
    for (int k = 0; k < g->walk_count; k++) {
        const double most = g->wheels[g->walk_order[k]].stride_max;
        if (def->stride > most) {
            char allowed[64];
            gr_print(allowed, sizeof allowed, "at most %g, by the stops of the legs", most);
            return bad(log, "stride", def->stride, allowed);
        }
    }
    const bool travels =
        def->mode == GR_DRIVE_ACKERMANN || def->mode == GR_DRIVE_DOUBLE_ACKERMANN || def->mode == GR_DRIVE_SKID;
    if (!travels || !gr_drive_supports(g, def->mode)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "mode"},
                            "this rover cannot follow a path in drive mode %s; allowed, as far as its wheels steer: "
                            "ackermann, double_ackermann, skid",
                            gr_drive_mode_name(def->mode));
    }
    return GR_OK;
}

GrStatus gr_control_prepare(const GrDriveGeometry *g, const GrControlDef *def, GrControl *out, GrErrorLog *log)
{
    *out = (GrControl){.def = *def, .geometry = *g};
    fill(g, &out->def);
    const GrStatus results[] = {check_numbers(&out->def, log), check_fit(g, &out->def, log), check_path(def, log),
                                check_script(g, def, log)};
    for (int i = 0; i < 4; i++) {
        if (results[i] != GR_OK) {
            return results[i];
        }
    }
    GrDrivePlan still;
    gr_drive_plan(g, &(GrDriveCommand){.mode = out->def.mode}, &still);
    out->centre_x = still.centre_x;
    out->centre_y = still.centre_y;
    for (int i = 0; i < def->path_count; i++) {
        out->timed_count = isnan(def->path[i].time) ? out->timed_count : i + 1;
    }
    return GR_OK;
}
