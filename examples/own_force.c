/// A force of your own: a spring that ties a body to a point in space, without gravity.
///
/// The function is called in every evaluation. With its derivative (gr_data_add_jacobian) even a stiff force is stable
/// at long steps. The body must oscillate with the period 2 π √(m/k).
#include <grouser/grouser.h>
#include <math.h>
#include <stdio.h>

static void spring(void *context, const GrModel *m, GrData *d, double dt)
{
    const double k = *(const double *)context;
    const GrVec3 at = gr_data_body_pose(m, d, 0).position;
    (void)dt;
    gr_data_add_wrench(m, d, 0, at, (GrVec3){-k * at.x, -k * at.y, -k * at.z}, (GrVec3){0, 0, 0});
    double of_twist[36] = {0}, of_pose[36] = {0};
    for (int i = 3; i < 6; i++) { // rows: moment, then force; columns: rotation, then displacement
        of_pose[6 * i + i] = -k;
    }
    gr_data_add_jacobian(m, d, 0, at, of_twist, of_pose);
}

int main(void)
{
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef body = {.name = "box", .mass = 2, .inertia = gr_inertia_box(2, (GrVec3){0.1, 0.1, 0.1})};
    gr_rover_add_body(&rover, &body);
    GrOptions options = gr_default_options();
    options.gravity = (GrVec3){0, 0, 0};
    options.step = 1e-3;
    options.integrator = GR_INTEGRATOR_BEEMAN; // of third order: the period is exact to 1e-5
    GrErrorLog log = {0};
    GrModel *model = NULL;
    GrData *data = NULL;
    if (gr_model_create(&rover, &options, &model, &log) != GR_OK || gr_data_create(model, &data, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.error_count > 0 ? log.items[0].text : "out of memory");
        return 1;
    }
    double k = 50; // [N/m]
    gr_data_set_force(data, spring, &k);
    gr_data_set_base_velocity(data, (GrVec3){0.3, 0, 0}, (GrVec3){0, 0, 0});

    // The time of the tenth return to the middle, moving forward.
    double before = 0, time = 0;
    for (int returns = 0; returns < 10;) {
        gr_step(model, data);
        const double x = gr_data_base_pose(data).position.x;
        if (before < 0 && x >= 0) {
            time = gr_data_time(data) - options.step * x / (x - before);
            returns++;
        }
        before = x;
    }
    printf("period %.4f s, in closed form %.4f s\n", time / 10, 2 * GR_PI * sqrt(body.mass / k));
    gr_data_free(data);
    gr_model_free(model);
    gr_rover_free(&rover);
    return 0;
}
