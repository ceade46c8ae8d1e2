/// Egress: down from a lander's deck over two ramps.
///
///      ________ deck_height
///     |  deck  |\___   ramp_angle
///     |________|    \____ ________ ground
///              0         foot                x
#include "elementary.h"
#include "trial_cross.h"

#include "out_of_memory.h"

static const double GAP = 0.1;             // [m] between the foremost rim and the deck's edge
static const double START_HEIGHT = 1e-3;   // [m] height over the deck at the start
static const double RAMP_THICKNESS = 0.08; // [m] of the ramps
static const double SETTLE_TIME = 2;       // [s]
static const double TIME_LIMIT_FACTOR = 4; // time limit, as a multiple of the undisturbed time

GrEgressDef gr_default_egress_def(void)
{
    return (GrEgressDef){.deck_height = 0.5,
                         .ramp_angle = 20 * GR_PI / 180,
                         .ramp_margin = 0.05,
                         .speed = 0.05,
                         .limits = gr_default_cross_limits()};
}

static GrStatus check(const GrEgressDef *e, GrErrorLog *log)
{
    if (!(e->deck_height > 0) || !(e->ramp_angle > 0 && e->ramp_angle <= GR_PI / 3) || !(e->ramp_margin >= 0) ||
        !(e->speed > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "deck %g m, ramp %g deg, margin %g m or speed %g m/s out of range; allowed: deck and speed "
                            "above 0, ramp above 0 to 60 deg, margin not negative",
                            e->deck_height, e->ramp_angle * 180 / GR_PI, e->ramp_margin, e->speed);
    }
    return GR_OK;
}

/// A ramp for wheels between two distances from the middle; its top surface runs from the deck's edge to below the
/// ground.
static GrPartDef make_ramp(const GrEgressDef *e, double inner, double outer, double side)
{
    const double from = inner - e->ramp_margin, to = outer + e->ramp_margin;
    const double length = (e->deck_height + RAMP_THICKNESS) / gr_sin(e->ramp_angle);
    const GrVec3 top = gr_vec3(0.5 * length * gr_cos(e->ramp_angle), 0.5 * side * (from + to),
                               e->deck_height - 0.5 * length * gr_sin(e->ramp_angle));
    return gr_trial_box(top, gr_vec3(length, to - from, RAMP_THICKNESS), e->ramp_angle);
}

GrStatus gr_trial_egress(const GrTrialDef *def, const GrEgressDef *egress, GrTrialLog *samples, GrCrossResult *out,
                         GrErrorLog *log)
{
    GrFootprint foot;
    GrStatus status = check(egress, log);
    if (status == GR_OK) {
        status = gr_footprint(def->rover, &foot, log);
    }
    if (status != GR_OK) {
        return status;
    }
    const double length = foot.front - foot.rear + 2 * GAP + foot.radius, h = egress->deck_height;
    const double width = 2 * (fmax(foot.left_outer, foot.right_outer) + egress->ramp_margin) + 0.2;
    const double bottom = h / gr_tan(egress->ramp_angle);
    const GrPartDef parts[] = {
        gr_trial_box(gr_vec3(-0.5 * length, 0, h), gr_vec3(length, width, h + 0.2), 0),
        make_ramp(egress, foot.left_inner, foot.left_outer, 1),
        make_ramp(egress, foot.right_inner, foot.right_outer, -1),
    };
    GrSceneDef scene = gr_trial_scene(def);
    for (int i = 0; i < 3 && status == GR_OK; i++) {
        status = gr_scene_add_part(&scene, &parts[i]) >= 0 ? GR_OK : gr_out_of_memory(log, NULL);
    }
    const GrCrossing crossing = {
        .scene = &scene,
        .start = {.x = -GAP - foot.front, .heading = egress->misaligned, .height = h + START_HEIGHT},
        .wait = SETTLE_TIME,
        .speed = egress->speed,
        .meets = 0,
        .past = bottom + foot.radius,
        .limit =
            SETTLE_TIME + 10 + TIME_LIMIT_FACTOR * (length + bottom / gr_cos(egress->ramp_angle) + 2) / egress->speed,
        .limits = egress->limits,
    };
    if (status == GR_OK) {
        status = gr_trial_cross(def, &crossing, samples, out, log);
    }
    gr_scene_def_free(&scene);
    return status;
}
