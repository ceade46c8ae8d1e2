#include "sample_run.h"

#include "contact_mode.h"
#include "data.h"
#include "grouser/assets.h"
#include "grouser/surface.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>

static const double STEP = 0.005;
static const char *const SOILS[] = {"loose, dry", "firm"};

static GrTerrain *make_terrain(void)
{
    static const char *const TERMS[] = {"fractal:hurst=0.85,rms_m=0.05,lag_m=1", "craters:density_per_m2=0.004"};
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){.nx = 401, .ny = 301, .x0 = -10, .y0 = -15, .dx = 0.1, .dy = 0.1};
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    GrErrorLog log = {0};
    GrSurface *surface = NULL;
    gr_surface_create(TERMS, 1, 7, (GrBox2){-10, -15, 30, 15}, &surface, &log);
    double *heights = malloc(sizeof(double) * 401 * 301);
    const bool good = terrain != NULL && surface != NULL && heights != NULL &&
                      gr_surface_bake(surface, &def.frame, 1, heights) == GR_OK &&
                      gr_terrain_add_grid(terrain, &def, heights, &log) == GR_OK;
    for (int i = 0; i < log.count; i++) {
        fprintf(stderr, "%s\n", log.items[i].text);
    }
    free(heights);
    gr_surface_free(surface);
    if (!good) {
        gr_terrain_free(terrain);
        return NULL;
    }
    return terrain;
}

static void sow_rocks(GrSampleRun *run)
{
    GrRandom random = gr_random_stream(3, "rocks");
    for (int i = 0; i < GR_SAMPLE_RUN_ROCKS; i++) {
        const double x = gr_random_uniform(&random, -3, 10), side = i % 2 == 0 ? 1 : -1;
        const double y = side * gr_random_uniform(&random, 1.4, 4), r = gr_random_uniform(&random, 0.05, 0.22);
        double z = 0;
        gr_terrain_height(run->terrain, x, y, &z);
        run->rocks[i] = (GrRecordRock){{{x, y, z}, {1, 0, 0, 0}}, {r, 0.8 * r, 0.6 * r}};
    }
}

bool gr_sample_run_make(GrSampleRun *run, const char *rover, const char *directory)
{
    *run = (GrSampleRun){.path = {{3, 0.4, (double)NAN}, {6, -0.5, (double)NAN}}, .soil = gr_default_soil_def()};
    run->terrain = make_terrain();
    if (run->terrain == NULL || gr_rover_load(rover, NULL, &run->rover, NULL) != GR_OK) {
        return false;
    }
    run->soil.shear_x_slope = 0.043;
    run->soil.shear_y_slope = 0.020;
    run->soil.damping = 400;
    GrOptions options = gr_default_options();
    options.step = STEP;
    options.surface = gr_surface_of_terrain(run->terrain, &run->soil);
    gr_model_create(&run->rover, &options, &run->model, NULL);
    GrDriveGeometry geometry;
    GrControlDef control = gr_default_control_def();
    control.source = GR_CONTROL_PATH;
    control.path = run->path;
    control.path_count = 2;
    control.cruise_speed = 0.1;
    if (run->model == NULL || gr_data_create(run->model, &run->data, NULL) != GR_OK ||
        gr_drive_geometry(run->model, &geometry, NULL) != GR_OK ||
        gr_control_prepare(&geometry, &control, &run->control, NULL) != GR_OK) {
        return false;
    }
    double z = 0;
    gr_terrain_height(run->terrain, 0, 0, &z);
    gr_data_set_base_pose(run->data, (GrPose){{0, 0, z - geometry.wheels[0].contact.z + 0.02}, {1, 0, 0, 0}});
    if (gr_settle(run->model, run->data, NULL, NULL) != GR_OK ||
        !gr_sample_init(run->model, GR_SAMPLE_RUN_LOOSE, &run->sample)) {
        return false;
    }
    sow_rocks(run);
    const GrBalance balance = gr_balance(run->model, run->data);
    run->potential = balance.kinetic + balance.gravity + balance.spring;
    run->def = (GrRecordDef){.directory = directory,
                             .name = "sample_run",
                             .title = "Over bumps to two way-points",
                             .input = "rover: exomars_like # <exact & unescaped>\n\nsoil: \"loose, dry\"\n",
                             .rover = &run->rover,
                             .model = run->model,
                             .terrain = run->terrain,
                             .path = run->path,
                             .path_count = 2,
                             .rocks = run->rocks,
                             .rock_count = GR_SAMPLE_RUN_ROCKS,
                             .soil_names = SOILS,
                             .soil_count = 2,
                             .csv = true,
                             .mcap = true,
                             .report = true};
    return true;
}

void gr_sample_run_free(GrSampleRun *run)
{
    gr_sample_free(&run->sample);
    gr_data_free(run->data);
    gr_model_free(run->model);
    gr_terrain_free(run->terrain);
    gr_rover_free(&run->rover);
}

static int state_of(const GrSoilOutput *soil)
{
    return soil->sinkage <= 0   ? GR_SOFT_NO_CONTACT
           : soil->slip > 0.05  ? GR_SOFT_SLIP_ACCELERATE
           : soil->slip < -0.05 ? GR_SOFT_SLIP_BRAKE
                                : GR_SOFT_STUCK_ROLL;
}

static void fill_wheels(GrSampleRun *run, double dt)
{
    GrSample *s = &run->sample;
    double power = 0;
    for (int i = 0; i < gr_model_wheel_count(run->model); i++) {
        const GrSoilOutput *soil = &run->data->contact[i].soil;
        const GrDriveWheel *drive = &run->control.geometry.wheels[i];
        GrWheelSample *w = &s->wheels[i];
        const GrPose pose = gr_data_body_pose(run->model, run->data, run->rover.wheels[i].body);
        w->slip = soil->slip;
        w->slip_angle = soil->slip_angle;
        w->sinkage = fmax(0, soil->sinkage);
        w->force = gr_vec3(soil->wrench[0], soil->wrench[1], soil->wrench[2]);
        w->load = soil->wrench[2] * run->data->contact[i].normal.z;
        if (drive->drive >= 0) {
            w->speed = drive->drive_sign * gr_data_joint_velocity(run->model, run->data, drive->drive);
            w->torque = drive->drive_sign * gr_data_motor_torque(run->model, run->data, drive->drive);
        }
        w->power = w->torque * w->speed;
        w->state = state_of(soil);
        w->centre = gr_pose_mul(pose, run->rover.wheels[i].pose).position;
        w->soil = soil->sinkage > 0 ? w->centre.x > 3 : -1;
        power += w->power;
    }
    s->power = power;
    s->energy.motor += power * dt;
    s->energy.electric += fmax(0, power) * dt;
}

static void fill_joints(GrSampleRun *run)
{
    GrJointLoad loads[64];
    if (gr_model_joint_count(run->model) > 64 || gr_joint_loads(run->model, run->data, loads) != GR_OK) {
        return;
    }
    for (int i = 0; i < gr_model_joint_count(run->model); i++) {
        run->sample.joints[i] = (GrJointSample){.angle = gr_data_joint_position(run->model, run->data, i),
                                                .rate = gr_data_joint_velocity(run->model, run->data, i),
                                                .torque = gr_data_motor_torque(run->model, run->data, i),
                                                .force = gr_norm(loads[i].force),
                                                .moment = gr_norm(loads[i].moment)};
    }
}

static void fill(GrSampleRun *run, double dt)
{
    GrSample *s = &run->sample;
    const GrVec3 before = s->pose.position;
    s->time = gr_data_time(run->data);
    s->pose = gr_data_base_pose(run->data);
    s->distance += dt > 0 ? hypot(s->pose.position.x - before.x, s->pose.position.y - before.y) : 0;
    gr_data_base_velocity(run->data, &s->velocity, &s->angular_velocity);
    s->acceleration = gr_quat_rotate(gr_quat_conjugate(s->pose.rotation), gr_vec3(0, 0, 9.80665));
    const GrVec3 x = gr_quat_rotate(s->pose.rotation, gr_vec3(1, 0, 0));
    const GrVec3 y = gr_quat_rotate(s->pose.rotation, gr_vec3(0, 1, 0));
    s->heading = atan2(x.y, x.x);
    s->pitch = -asin(x.z);
    s->roll = asin(y.z);
    s->odometry = run->state.odometry;
    s->command = run->out.request;
    s->cross_track = run->state.cross_track;
    s->way_point = run->state.way_point;
    s->step = STEP;
    fill_wheels(run, dt);
    fill_joints(run);
    const GrBalance balance = gr_balance(run->model, run->data);
    s->energy.mechanical = balance.kinetic + balance.gravity + balance.spring - run->potential;
    s->energy.joints = 0.02 * s->energy.motor;
    s->energy.residual = 1e-4 * s->energy.motor;
    s->energy.soil = s->energy.motor - s->energy.mechanical - s->energy.joints - s->energy.residual;
    for (int i = 0; i < gr_model_part_count(run->model); i++) {
        s->bodies[i] = gr_data_body_pose(run->model, run->data, i);
    }
    for (int i = 0; i < s->rock_count; i++) {
        s->rocks[i] = run->rocks[i].pose;
        s->rocks[i].position.x += s->time > 2 ? 0.01 * fmin(s->time - 2, 3) : 0; // pushed for a while
    }
}

bool gr_sample_run_next(GrSampleRun *run)
{
    for (int i = 0; i < GR_SAMPLE_RUN_STEPS; i++) {
        gr_drive(run->model, run->data, &run->control, &run->state, &run->out);
        if (run->state.finished || gr_step(run->model, run->data) != GR_OK) {
            return false;
        }
    }
    fill(run, GR_SAMPLE_RUN_STEPS * STEP);
    return true;
}

GrRunSummary gr_sample_run_summary(const GrSampleRun *run, GrOutcome outcome)
{
    const GrSample *s = &run->sample;
    GrRunSummary summary = {.outcome = outcome,
                            .outcome_time = s->time,
                            .time = s->time,
                            .wall_time = s->time / 500,
                            .real_time_factor = 500,
                            .distance = s->distance,
                            .progress = hypot(s->pose.position.x, s->pose.position.y),
                            .climb = 0.31,
                            .descent = 0.22,
                            .roll_max = 0.1,
                            .pitch_max = 0.2,
                            .cross_track_max = 0.07,
                            .odometry_error =
                                hypot(s->odometry.x - s->pose.position.x, s->odometry.y - s->pose.position.y),
                            .energy = s->energy,
                            .energy_per_metre = s->energy.electric / s->distance,
                            .steps = lround(s->time / STEP),
                            .step_min = STEP,
                            .step_max = STEP,
                            .way_points_reached = run->state.way_point,
                            .state_hash = gr_data_hash(run->model, run->data),
                            .warning_count = 2,
                            .wheel_count = gr_model_wheel_count(run->model)};
    snprintf(summary.cause, sizeof summary.cause, "way-point 2 of 2 reached");
    summary.warnings = calloc(2, sizeof *summary.warnings);
    summary.warnings[0] = (GrWarning){"sinkage is over a tenth of the radius: <front_left>", 12, 3.25};
    summary.warnings[1] = (GrWarning){"a steering limit changed the turn", 3, 0.1};
    summary.wheels = calloc((size_t)summary.wheel_count + 1, sizeof *summary.wheels);
    for (int i = 0; summary.wheels != NULL && i < summary.wheel_count; i++) {
        summary.wheels[i] =
            (GrWheelSummary){0.05 + 0.01 * i, 0.2, 0.01, 0.02, 100, 150, 3, 8, 40 + i, 0.5, 0.01, 0, 0, {0}, {0}};
    }
    return summary;
}
