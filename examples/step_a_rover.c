/// Steps a rover over soft soil and prints its path.
///
/// A definition (here from a file) and options make a model, which is immutable. The model makes data, which is
/// everything that changes. gr_settle() finds the equilibrium on the soil, gr_step() advances in time.
#include <grouser/grouser.h>
#include <stdio.h>

static int fail(const GrErrorLog *log)
{
    for (int i = 0; i < log->error_count && i < GR_ERROR_LOG_CAPACITY; i++) {
        fprintf(stderr, "%s\n", log->items[i].text);
    }
    return 1;
}

int main(void)
{
    GrErrorLog log = {0};
    GrRoverDef rover;
    GrSoilDef soil;
    if (gr_rover_load("curiosity_like", NULL, &rover, &log) != GR_OK ||
        gr_soil_load("ishigami2007", NULL, &soil, NULL, &log) != GR_OK) {
        return fail(&log);
    }
    soil.damping = 2000; // [N s/m] damps the vertical motion of the wheels

    GrOptions options = gr_default_options();
    options.gravity.z = -3.71;    // Mars
    options.surface.soil = &soil; // on the plane z = 0
    GrModel *model = NULL;
    GrData *data = NULL;
    if (gr_model_create(&rover, &options, &model, &log) != GR_OK || gr_data_create(model, &data, &log) != GR_OK ||
        gr_settle(model, data, NULL, &log) != GR_OK) {
        return fail(&log);
    }

    const double speed = 0.1, start = gr_data_base_pose(data).position.x; // [m/s] of the lug tips
    const double radius = rover.wheels[0].radius + rover.wheels[0].grouser_height;
    for (int joint = 0; joint < gr_model_joint_count(model); joint++) {
        if (gr_model_joint_role(model, joint) == GR_ROLE_DRIVE) {
            gr_data_set_command(model, data, joint, speed / radius);
        }
    }
    puts("time [s]  x [m]    slip of the first wheel  its sinkage [mm]");
    for (int step = 1; step <= 2000; step++) { // 10 s of 5 ms each
        if (gr_step(model, data) != GR_OK) {
            fputs("the step failed\n", stderr);
            return 1;
        }
        if (step % 400 == 0) {
            const GrWheelView wheel = gr_data_wheel(model, data, 0);
            printf("%8.0f  %7.3f  %23.3f  %16.1f\n", gr_data_time(data), gr_data_base_pose(data).position.x - start,
                   wheel.slip, 1000 * wheel.sinkage);
        }
    }
    gr_data_free(data);
    gr_model_free(model);
    gr_rover_free(&rover);
    return 0;
}
