/// Saves a run and continues from there twice: once as before, once at a higher speed.
///
/// A restored run continues with the same bits, as the hash of the state shows.
#include <grouser/grouser.h>
#include <stdio.h>
#include <stdlib.h>

static void drive(const GrModel *m, GrData *d, double rim_speed, double radius, int steps)
{
    for (int joint = 0; joint < gr_model_joint_count(m); joint++) {
        if (gr_model_joint_role(m, joint) == GR_ROLE_DRIVE) {
            gr_data_set_command(m, d, joint, rim_speed / radius);
        }
    }
    for (int i = 0; i < steps; i++) {
        gr_step(m, d);
    }
}

int main(void)
{
    GrErrorLog log = {0};
    GrRoverDef rover;
    GrSoilDef soil;
    if (gr_rover_load("rashid_like", NULL, &rover, &log) != GR_OK ||
        gr_soil_load("lunar_apollo", NULL, &soil, NULL, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.items[0].text);
        return 1;
    }
    soil.damping = 200;
    GrOptions options = gr_default_options();
    options.gravity.z = -1.62;
    options.surface.soil = &soil;
    GrModel *m = NULL;
    GrData *d = NULL;
    if (gr_model_create(&rover, &options, &m, &log) != GR_OK || gr_data_create(m, &d, &log) != GR_OK ||
        gr_settle(m, d, NULL, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.error_count > 0 ? log.items[0].text : "out of memory");
        return 1;
    }
    const double radius = rover.wheels[0].radius;
    drive(m, d, 0.05, radius, 600); // 3 s

    const size_t size = gr_data_size(m, d);
    void *saved = malloc(size);
    if (saved == NULL || gr_data_save(m, d, saved) != GR_OK) {
        fputs("out of memory\n", stderr);
        return 1;
    }
    drive(m, d, 0.05, radius, 400);
    const double plain = gr_data_base_pose(d).position.x;
    const uint64_t hash = gr_data_hash(m, d);

    gr_data_restore(m, d, saved, size, &log);
    drive(m, d, 0.05, radius, 400);
    printf("restored and driven again: %s\n", gr_data_hash(m, d) == hash ? "the same bits" : "another run");

    gr_data_restore(m, d, saved, size, &log);
    drive(m, d, 0.08, radius, 400);
    printf("with more speed it is %.0f mm further\n", 1000 * (gr_data_base_pose(d).position.x - plain));
    free(saved);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
    return 0;
}
