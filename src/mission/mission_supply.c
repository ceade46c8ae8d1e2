/// Light on the rover, and its battery.
///
/// The Sun's disc is compared with the skyline in its direction, which a march over the terrain finds. Neither changes
/// quickly: both are computed again when the rover has moved some centimetres or the Sun some thousandths of its disc.
#include "elementary.h"
#include "mission_data.h"
#include "outlook.h"
#include "ray_shape.h"

#include <math.h>

static const double LOOK_DISTANCE = 0.1, LOOK_TIME = 60; // [m], [s]: the Sun moves by a 60th of a degree at most
static const double SHADE_REACH = 100;                   // of rocks that shade the panel [m]

GrSupplyDef gr_default_supply_def(void)
{
    return (GrSupplyDef){.panel_efficiency = 0.28, .charge = 1, .motor_efficiency = 0.7};
}

GrStatus gr_supply_check(const GrSupplyDef *def, GrErrorLog *log)
{
    const struct {
        const char *field;
        double value, lower, upper;
    } ranges[] = {
        {"panel_area", def->panel_area, 0, 1e4}, {"panel_efficiency", def->panel_efficiency, 0, 1},
        {"panel_tilt", def->panel_tilt, -4, 4},  {"panel_toward", def->panel_toward, -10, 10},
        {"capacity", def->capacity, 0, 1e12},    {"charge", def->charge, 0, 1},
        {"reserve", def->reserve, 0, 1},         {"load", def->load, 0, 1e6},
        {"dark_load", def->dark_load, 0, 1e6},   {"motor_efficiency", def->motor_efficiency, 0.01, 1},
    };
    GrStatus status = GR_OK;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (!(ranges[i].value >= ranges[i].lower && ranges[i].value <= ranges[i].upper)) {
            status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = ranges[i].field},
                                  "found %g, allowed: %g to %g", ranges[i].value, ranges[i].lower, ranges[i].upper);
        }
    }
    return status;
}

bool gr_mission_is_supplied(const GrMission *mission)
{
    return mission->def.sun.kind != GR_SUN_NONE || mission->def.supply.capacity > 0;
}

GrStatus gr_mission_supply_open(GrMission *mission, GrErrorLog *log)
{
    GrStatus status = gr_sun_check(&mission->def.sun, log);
    status = status == GR_OK ? gr_supply_check(&mission->def.supply, log) : status;
    if (status != GR_OK || mission->def.sun.kind == GR_SUN_NONE || mission->terrain == NULL) {
        return status;
    }
    return gr_outlook_open(mission->terrain, mission->def.sun.body, &mission->outlook, log);
}

// ---- light

/// Normal of the panel, world axes.
static GrVec3 panel_normal(const GrMission *mission, const GrSkyView *view)
{
    const GrSupplyDef *def = &mission->def.supply;
    const double level = gr_sin(def->panel_tilt);
    const GrVec3 normal =
        gr_vec3(level * gr_cos(def->panel_toward), level * gr_sin(def->panel_toward), gr_cos(def->panel_tilt));
    return def->panel_tracks ? gr_sky_direction(view) : gr_quat_rotate(gr_base_rotation(&mission->d->tree), normal);
}

/// Share of the panel, a square about the chassis' origin, that neither rocks nor parts shade: nine rays to the middle
/// of the Sun, from the middles of nine equal squares. Without a panel one ray.
static double unshaded_share(const GrMission *mission, const GrSkyView *view)
{
    const GrRigidWorld *w = mission->m->rigid.world;
    if (w == NULL || view->elevation <= -view->radius) {
        return 1;
    }
    const double side = sqrt(mission->def.supply.panel_area);
    const int half = side > 0 ? 1 : 0, count = (2 * half + 1) * (2 * half + 1);
    const GrVec3 normal = panel_normal(mission, view), sun = gr_sky_direction(view);
    const GrVec3 across = fabs(normal.z) < 0.9 ? gr_vec3(0, 0, 1) : gr_vec3(1, 0, 0);
    const GrVec3 u = gr_normalize(gr_cross(across, normal)), v = gr_cross(normal, u);
    int lit = 0;
    for (int i = -half; i <= half; i++) {
        for (int k = -half; k <= half; k++) {
            const GrVec3 at = gr_madd(gr_madd(gr_base_position(&mission->d->tree), i * side / 3, u), k * side / 3, v);
            const GrRay ray = {at, sun, 0, SHADE_REACH};
            lit += !gr_rigid_hides(w, mission->d->rigid, &ray);
        }
    }
    return (double)lit / count;
}

static void look(GrMission *mission)
{
    GrSupplyState *s = &mission->s.supply;
    GrSkyView view;
    const double now = gr_data_time(mission->d);
    if (mission->def.sun.kind == GR_SUN_NONE || gr_sky_view(&mission->def.sun, GR_SKY_SUN, now, &view, NULL) != GR_OK) {
        s->now.azimuth = s->now.elevation = (double)NAN;
        return;
    }
    s->looked_time = now;
    s->looked_at = gr_base_position(&mission->d->tree);
    s->now.azimuth = view.azimuth;
    s->now.elevation = view.elevation;
    s->sunlight = gr_sunlight(view.distance);
    s->now.light = gr_outlook_share(mission->outlook, gr_base_position(&mission->d->tree), 0, &view);
    if (s->now.light > 0) {
        s->now.light *= unshaded_share(mission, &view);
    }
}

static bool look_is_due(const GrMission *mission)
{
    const GrSupplyState *s = &mission->s.supply;
    const GrVec3 at = gr_base_position(&mission->d->tree);
    return gr_data_time(mission->d) - s->looked_time >= LOOK_TIME || gr_norm(gr_sub(at, s->looked_at)) >= LOOK_DISTANCE;
}

// ---- power

/// Cosine of the angle between the panel's normal and the Sun; 0: the Sun is behind it.
static double panel_cosine(const GrMission *mission)
{
    const GrSupplyDef *def = &mission->def.supply;
    if (def->panel_tracks) {
        return 1;
    }
    const GrSupplySample *now = &mission->s.supply.now;
    const GrSkyView view = {.azimuth = now->azimuth, .elevation = now->elevation};
    return fmax(0, gr_dot(panel_normal(mission, &view), gr_sky_direction(&view)));
}

static double panel_power(const GrMission *mission)
{
    const GrSupplyDef *def = &mission->def.supply;
    const GrSupplyState *s = &mission->s.supply;
    return s->now.light > 0
               ? def->panel_area * def->panel_efficiency * s->sunlight * s->now.light * panel_cosine(mission)
               : 0;
}

void gr_mission_supply_start(GrMission *mission)
{
    GrSupplyState *s = &mission->s.supply;
    const GrSupplyDef *def = &mission->def.supply;
    *s = (GrSupplyState){.looked_time = -(double)INFINITY};
    s->now.charge = s->charge_min = def->charge * def->capacity;
    if (gr_mission_is_supplied(mission)) {
        look(mission);
        s->now.solar = panel_power(mission);
        s->now.load = def->load + (s->now.light > 0 ? 0 : def->dark_load);
    }
}

/// What the panel gives beyond a full battery is wasted; an empty battery gives nothing more.
static void charge(GrSupplyState *s, double capacity, double dt)
{
    const double left = s->now.charge + dt * (s->now.solar - s->now.load);
    const double excess = fmax(0, left - capacity);
    s->now.charge = fmax(0, left - excess);
    s->charge_min = fmin(s->charge_min, s->now.charge);
    s->wasted += capacity > 0 ? excess : 0;
}

void gr_mission_supply_step(GrMission *mission, double dt)
{
    GrSupplyState *s = &mission->s.supply;
    const GrSupplyDef *def = &mission->def.supply;
    if (!gr_mission_is_supplied(mission) || dt <= 0) {
        return;
    }
    if (look_is_due(mission)) {
        look(mission);
    }
    const double drives = (mission->s.account.electric - s->electric) / def->motor_efficiency;
    s->electric = mission->s.account.electric;
    s->now.solar = panel_power(mission);
    s->now.load = def->load + drives / dt + (s->now.light > 0 ? 0 : def->dark_load);
    s->solar += dt * s->now.solar;
    s->load += dt * s->now.load;
    s->drives += drives;
    s->light_time += dt * s->now.light;
    s->dark = s->now.light > 0 ? 0 : s->dark + dt;
    s->dark_longest = fmax(s->dark_longest, s->dark);
    charge(s, def->capacity, dt);
    if (def->capacity > 0 && s->now.charge <= def->reserve * def->capacity) {
        gr_mission_end(mission, GR_OUTCOME_ENERGY, (GrEnd){GR_END_BATTERY, 0, {s->now.charge, def->capacity}});
    }
}

GrSupplySummary gr_mission_summarise_supply(const GrMission *mission)
{
    const GrSupplyState *s = &mission->s.supply;
    const GrSupplyDef *def = &mission->def.supply;
    const double time = gr_data_time(mission->d);
    if (!gr_mission_is_supplied(mission)) {
        return (GrSupplySummary){.given = false};
    }
    return (GrSupplySummary){
        .given = true,
        .light_mean = time > 0 ? s->light_time / time : s->now.light,
        .dark_longest = s->dark_longest,
        .solar = s->solar - s->wasted,
        .wasted = s->wasted,
        .load = s->load,
        .drives = s->drives,
        .capacity = def->capacity,
        .charge_start = def->charge * def->capacity,
        .charge_end = s->now.charge,
        .charge_min = s->charge_min,
    };
}
