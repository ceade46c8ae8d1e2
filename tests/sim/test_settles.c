/// Every law lets a rover come to rest on level ground, whatever the soil.
///
/// The stiffest shipped soils are clays with an exponent of sinkage of 0.11 to 0.2: Bekker's curve begins vertically, a
/// light wheel sinks in by less than one cell of the grid that gives way, and only a row of its nodes touches.
/// At rest the soil bears the rover's weight; that is the reference.
#include "data.h"
#include "grouser/soil_file.h"
#include "support/shipped_rover.h"
#include "test.h"

static const double MOON = 1.62, MARS = 3.71; // [m/s²]
static const double BALANCE = 1e-6;           // of the weight: a thousand times what an equilibrium is found to
enum { MOST_ITERATIONS = 400 };               // a second or two of a six-wheeled rover on the grid

static void settle(const char *name, const char *soil_name, GrSoilLaw law, double gravity)
{
    GrRoverDef rover = gr_default_rover_def();
    GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    GrData *d;
    load_rover(name, &rover);
    assert_int_equal(gr_soil_load(soil_name, NULL, &soil, NULL, NULL), GR_OK);
    soil.law = law;
    options.gravity = gr_vec3(0, 0, -gravity);
    options.surface.soil = &soil;
    GrModel *m = make_model(&rover, &options, &d);
    gr_forward(m, d);
    double lowest = 0, mass = 0, load = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        const GrPose pose = gr_data_body_pose(m, d, rover.wheels[i].body);
        lowest = fmin(lowest, pose.position.z - rover.wheels[i].radius - rover.wheels[i].grouser_height);
    }
    gr_data_set_base_pose(d, (GrPose){{0, 0, -lowest}, {1, 0, 0, 0}});
    GrEquilibrium rest;
    const GrStatus status = gr_settle(m, d, &rest, NULL);
    for (int b = 0; b < m->tree.body_count; b++) {
        mass += m->tree.bodies[b].mass;
    }
    for (int i = 0; i < m->wheel_count; i++) {
        load += gr_data_wheel(m, d, i).world_force.z;
    }
    if (status != GR_OK || rest.iterations > MOST_ITERATIONS || !(fabs(load / (mass * gravity) - 1) <= BALANCE)) {
        fail_msg("%s on %s, law %d: status %d, %d iterations, bears %.9g of the weight", name, soil_name, (int)law,
                 (int)status, rest.iterations, load / (mass * gravity));
    }
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// On the grid: rigid wheels with grousers, a rocker-bogie, flexible wheels.
static void test_stiff_soils_on_the_grid(void **state)
{
    (void)state;
    settle("rashid_like", "wong_heavy_clay_25", GR_SOIL_SCM, MARS);
    settle("rashid_like", "wong_lean_clay_22", GR_SOIL_SCM, MARS);
    settle("curiosity_like", "wong_heavy_clay_40", GR_SOIL_SCM, MARS);
    settle("curiosity_like", "wong_sandy_loam_22", GR_SOIL_SCM, MARS);
    settle("exomars_like", "wong_lean_clay_22", GR_SOIL_SCM, MOON);
}

static void test_other_laws(void **state)
{
    (void)state;
    static const char *const soils[] = {"wong_heavy_clay_25", "lunar_apollo", "wong_snow_us"};
    for (int i = 0; i < 3; i++) {
        for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
            if (law != GR_SOIL_SCM) {
                settle("rashid_like", soils[i], (GrSoilLaw)law, MARS);
                settle("curiosity_like", soils[i], (GrSoilLaw)law, MARS);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff_soils_on_the_grid),
        cmocka_unit_test(test_other_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
