/// Missions: outcomes, energy balance, pace of the steps, saved and restored runs.
#include "grouser/assets.h"
#include "grouser/surface.h"
#include "mission.h"
#include "test.h"

#include <stdlib.h>

static const double MARS = 3.72076;

typedef struct Scene {
    GrRoverDef rover;
    GrTerrain *terrain;
    GrModel *m;
    GrMission *mission;
} Scene;

/// A rover on a surface of `size` m, made of the terms.
static Scene make(const char *name, const char *const *terms, int count, double size, const GrMissionDef *def)
{
    Scene s = {.rover = gr_default_rover_def()};
    char path[512];
    GrErrorLog log = {0};
    snprintf(path, sizeof path, "%s/data/rovers/%s.yaml", GR_TEST_SOURCE_DIR, name);
    assert_int_equal(gr_rover_load(path, NULL, &s.rover, NULL), GR_OK);
    const GrSoilDef soil = gr_default_soil_def();
    const GrBox2 box = {-size / 2, -size / 2, size / 2, size / 2};
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -MARS);
    options.surface.soil = &soil;
    if (count > 0) {
        GrLayerDef layer = gr_default_layer_def();
        const int64_t nodes = (int64_t)(size / 0.25) + 1;
        layer.frame = (GrGridFrame){nodes, nodes, box.x_lower, box.y_lower, 0.25, 0.25};
        s.terrain = gr_terrain_create();
        GrSurface *surface = gr_surface_create(terms, count, 7, box, &log);
        assert_non_null(surface);
        assert_int_equal(gr_terrain_add_surface(s.terrain, &layer, surface, &log), GR_OK);
        options.surface = gr_surface_of_terrain(s.terrain, &soil);
    }
    s.m = gr_model_create(&s.rover, &options, &log);
    assert_non_null(s.m);
    s.mission = gr_mission_create(s.m, s.terrain, def, &log);
    if (s.mission == NULL) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
    }
    assert_non_null(s.mission);
    return s;
}

static void destroy(Scene *s)
{
    gr_mission_free(s->mission);
    gr_model_free(s->m);
    gr_terrain_free(s->terrain);
    gr_rover_free(&s->rover);
}

static GrMissionDef drive_along(const GrWayPoint *path, int count, double speed)
{
    GrMissionDef def = gr_default_mission_def();
    def.control.source = GR_CONTROL_PATH;
    def.control.path = path;
    def.control.path_count = count;
    def.control.cruise_speed = speed;
    return def;
}

static const char *const HILLS[] = {"fractal:hurst=0.8,rms_m=0.05,lag_m=1,smallest_m=0.5",
                                    "ripples:wavelength_m=12,height_m=0.8"};

static void test_energy(void **state)
{
    (void)state;
    static const GrWayPoint path[] = {{20, 3, NAN}, {25, -8, NAN}, {2, -10, NAN}};
    GrMissionDef def = drive_along(path, 3, 0.1);
    def.duration = 600;
    Scene s = make("curiosity_like", HILLS, 2, 80, &def);
    GrRunSummary summary;
    assert_int_equal(gr_mission_place(s.mission, &(GrStart){0}, NULL), GR_OK);
    gr_mission_advance(s.mission, 600);
    assert_int_equal(gr_mission_summary(s.mission, &summary, NULL), GR_OK);
    print_message("%s: %s; %g m, climb %g, descent %g, %ld steps\n", gr_outcome_name(summary.outcome), summary.cause,
                  summary.distance, summary.climb, summary.descent, summary.steps);
    const GrEnergySample *e = &summary.energy;
    print_message("motor %g J, mechanical %g, soil %g, joints %g, residual %g\n", e->motor, e->mechanical, e->soil,
                  e->joints, e->residual);
    assert_int_equal(summary.outcome, GR_OUTCOME_GOAL);
    assert_true(e->motor > 0 && e->soil > 0);
    assert_true(fabs(e->residual) < 0.01 * e->motor);
    for (int i = 0; i < summary.warning_count; i++) {
        print_message("warning: %s (%ld)\n", summary.warnings[i].text, summary.warnings[i].count);
    }
    gr_run_summary_free(&summary);
    destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
