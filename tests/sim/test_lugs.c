/// Grousers of a rover as lugs (`grousers: {lugs: true}`): the force under a wheel repeats with their pitch, and the
/// rover climbs farther per turn of its wheels than on the bare rims that carry them.
#include "alloc.h"
#include "file.h"
#include "grouser/analysis.h"
#include "grouser/soil_forces.h"
#include "model_data.h"
#include "support/shipped_rover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double MARS = 3.71;

/// The shipped rover with `lugs: true` in its file.
static void load_with_lugs(GrRoverDef *out)
{
    static const char PLAIN[] = "thickness_m: 0.002}", LUGS[] = "thickness_m: 0.002, lugs: true}";
    char *text, path[64];
    size_t size;
    assert_int_equal(gr_file_read(GR_TEST_SOURCE_DIR "/data/rovers/exomars_like.yaml", 1u << 20, &text, &size, NULL),
                     GR_OK);
    const char *at = strstr(text, PLAIN);
    assert_non_null(at);
    const size_t head = (size_t)(at - text), more = sizeof LUGS - sizeof PLAIN;
    char *changed = malloc(size + more);
    assert_non_null(changed);
    memcpy(changed, text, head);
    memcpy(changed + head, LUGS, sizeof LUGS - 1);
    memcpy(changed + head + sizeof LUGS - 1, at + sizeof PLAIN - 1, size - head - (sizeof PLAIN - 1));
    snprintf(path, sizeof path, "lugs_%d.yaml", (int)getpid());
    assert_int_equal(gr_file_write(path, changed, size + more, NULL), GR_OK);
    assert_int_equal(gr_rover_load(path, NULL, out, NULL), GR_OK);
    unlink(path);
    free(changed);
    gr_free(text);
}

static void test_periodic(void **state)
{
    (void)state;
    GrRoverDef rover;
    load_with_lugs(&rover);
    assert_true(rover.wheels[0].grouser_lugs && rover.wheels[0].grouser_count > 0);
    const GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -MARS);
    options.surface.soil = &soil;
    GrData *d;
    GrModel *m = make_model(&rover, &options, &d);
    const GrSoilWheel *w = &m->soil_wheels[0];
    const double pitch = 2 * GR_PI / rover.wheels[0].grouser_count, h = 0.02;
    assert_near(w->radius, rover.wheels[0].radius, 1e-15);
    GrSoilSteady at[3];
    for (int i = 0; i < 3; i++) {
        gr_soil_steady(w, 0.2, 0, h, 0.5 * i * pitch, &at[i]);
    }
    print_message("f_x %.3f N, half a pitch on %.3f N, a pitch on %.3f N\n", at[0].f_x, at[1].f_x, at[2].f_x);
    assert_near(at[2].f_x, at[0].f_x, 1e-9);
    assert_true(fabs(at[1].f_x - at[0].f_x) > 1e-3);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// Distance per radian of the wheels on a slope.
static double progress(const GrRoverDef *rover)
{
    const GrSoilDef soil = gr_default_soil_def();
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    GrSteadyDrive drive;
    def.rover = rover;
    def.soil = &soil;
    def.gravity = MARS;
    def.slope = 8 * GR_DEGREE;
    assert_int_equal(gr_steady_drive(&def, &drive, NULL), GR_OK);
    print_message("%s, slip %.3f, sinkage %.1f mm\n", gr_drive_outcome_name(drive.outcome), drive.slip,
                  1e3 * drive.sinkage);
    return (1 - drive.slip) * (rover->wheels[0].radius + rover->wheels[0].grouser_height);
}

static void test_climbs_farther(void **state)
{
    (void)state;
    GrRoverDef rover;
    load_with_lugs(&rover);
    const double lugs = progress(&rover);
    for (int i = 0; i < rover.wheel_count; i++) {
        rover.wheels[i].grouser_height = 0;
        rover.wheels[i].grouser_count = 0;
    }
    assert_true(lugs > progress(&rover));
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_periodic), cmocka_unit_test(test_climbs_farther)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
