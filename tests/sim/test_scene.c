/// Rigid contact in a simulation step: rigid ground, parts, rocks, bodies, several soils.
#include "data.h"
#include "grouser/surface.h"
#include "support/shipped_rover.h"
#include "test.h"

#include <limits.h>
#include <stdlib.h>

static const double GRAVITY = 3.71;

typedef struct Run {
    GrRoverDef rover;
    GrModel *m;
    GrData *d;
} Run;

/// The rover with its wheels on z = 0, or `above` it.
static Run make(const char *name, const GrSurfaceDef *surface, double step, double above)
{
    Run r = {0};
    load_rover(name, &r.rover);
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -GRAVITY);
    options.step = step;
    options.surface = *surface;
    r.m = make_model(&r.rover, &options, &r.d);
    gr_forward(r.m, r.d);
    double lowest = INFINITY;
    for (int i = 0; i < r.rover.wheel_count; i++) {
        const GrWheelDef *w = &r.rover.wheels[i];
        const GrPose p = gr_pose_mul(gr_data_body_pose(r.m, r.d, w->body), w->pose);
        lowest = fmin(lowest, p.position.z - w->radius - w->grouser_height);
    }
    gr_data_set_base_pose(r.d, (GrPose){{0, 0, above - lowest}, {1, 0, 0, 0}});
    return r;
}

static void destroy(Run *r)
{
    gr_data_free(r->d);
    gr_model_free(r->m);
    gr_rover_free(&r->rover);
}

static void run(Run *r, double duration)
{
    const int steps = (int)lround(duration / r->m->options.step);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(gr_step(r->m, r->d), GR_OK);
    }
}

static void drive(Run *r, double rim_speed)
{
    for (int i = 0; i < r->m->joint_count; i++) {
        if (r->m->joint_roles[i] == GR_ROLE_DRIVE) {
            gr_data_set_command(r->m, r->d, i, rim_speed / r->rover.wheels[0].radius);
        }
    }
}

static double weight(Run *r)
{
    return gr_balance(r->m, r->d).mass * GRAVITY;
}

static GrVec3 wheel_force(const Run *r)
{
    GrVec3 sum = {0, 0, 0};
    for (int i = 0; i < r->m->wheel_count; i++) {
        const GrWheelView v = gr_data_wheel(r->m, r->d, i);
        sum = gr_add(sum, gr_add(v.rock_force, v.world_force));
    }
    return sum;
}

static double speed(const Run *r)
{
    GrVec3 linear, angular;
    gr_data_base_velocity(r->d, &linear, &angular);
    return gr_norm(linear);
}

/// On rigid ground: settled means at rest, the wheels carry the weight, and it rolls at the speed of its rims.
static void test_rigid_ground(void **state)
{
    (void)state;
    const char *const names[] = {"curiosity_like", "el_dorado2", "rashid_like", "viper_like"};
    for (int i = 0; i < 4; i++) {
        GrSceneDef scene = gr_default_scene_def();
        scene.rigid_ground = true;
        GrSurfaceDef surface = gr_default_surface_def();
        surface.scene = &scene;
        Run r = make(names[i], &surface, 2e-3, 0);
        gr_scene_def_free(&scene);
        GrEquilibrium rest = {0};
        GrErrorLog log = {0};
        const GrStatus settled = gr_settle(r.m, r.d, &rest, &log);
        print_message("%s: settled in %d iterations, residual %.2g\n", names[i], rest.iterations, rest.residual);
        assert_int_equal(settled, GR_OK);
        const GrVec3 before = gr_data_base_pose(r.d).position;
        run(&r, 2);
        assert_near(gr_norm(gr_sub(gr_data_base_pose(r.d).position, before)), 0, 1e-6);
        assert_near_rel(wheel_force(&r).z, weight(&r), 1e-6);
        assert_int_equal(gr_data_wheel(r.m, r.d, 0).modes[GR_ON_RIGID], GR_RIGID_ROLLING);
        for (int b = 0; b < r.rover.body_count; b++) {
            assert_int_equal(gr_data_body_contact(r.m, r.d, b).contacts, 0);
        }
        drive(&r, 0.05);
        run(&r, 5);
        const GrWheelDef *w = &r.rover.wheels[0];
        assert_near_rel(speed(&r), 0.05 * (w->radius + w->grouser_height) / w->radius, 5e-3); // it is a little flat
        destroy(&r);
    }
}

/// Accelerates and brakes on rigid ground so hard that its wheels slide. Returns the distance, and the largest change
/// of a motor's torque from one step to the next once the wheels roll again.
static double start_and_brake(double step, double *unrest)
{
    GrSceneDef scene = gr_default_scene_def();
    scene.rigid_ground = true;
    GrSurfaceDef surface = gr_default_surface_def();
    surface.scene = &scene;
    Run r = make("rashid_like", &surface, step, 0);
    gr_scene_def_free(&scene);
    assert_int_equal(gr_settle(r.m, r.d, NULL, NULL), GR_OK);
    drive(&r, 0.6);
    run(&r, 1.5);
    drive(&r, 0.1);
    run(&r, 1);
    *unrest = 0;
    for (int i = 0; i < (int)lround(0.5 / step); i++) {
        double before[16];
        for (int k = 0; k < r.m->joint_count; k++) {
            before[k] = gr_data_motor_torque(r.m, r.d, k);
        }
        assert_int_equal(gr_step(r.m, r.d), GR_OK);
        for (int k = 0; k < r.m->joint_count; k++) {
            const double change = fabs(gr_data_motor_torque(r.m, r.d, k) - before[k]);
            *unrest = change > *unrest ? change : *unrest;
        }
    }
    const double distance = gr_data_base_pose(r.d).position.x;
    destroy(&r);
    return distance;
}

/// A wheel whose slip ends within a step is held from there on; it must not slip back with all of its friction.
static void test_slip_ends_within_a_step(void **state)
{
    (void)state;
    double unrest;
    const double fine = start_and_brake(5e-4, &unrest);
    const double steps[] = {5e-3, 12.5e-3, 25e-3};
    for (int i = 0; i < 3; i++) {
        const double distance = start_and_brake(steps[i], &unrest);
        print_message("step %4.1f ms: %.4f m of %.4f m, torque changes by %.2g Nm a step\n", 1e3 * steps[i], distance,
                      fine, unrest);
        assert_near_rel(distance, fine, 0.1 * steps[i]);
        assert_true(unrest < 0.01);
    }
}

/// Dropped on its back the rover lies on its body, and the ground carries it there.
static void test_upside_down(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrSceneDef scene = gr_default_scene_def();
    GrSurfaceDef surface = gr_default_surface_def();
    surface.soil = &soil;
    surface.scene = &scene;
    Run r = make("curiosity_like", &surface, 2e-3, 0);
    gr_scene_def_free(&scene);
    gr_data_set_base_pose(r.d, (GrPose){{0, 0, 1.5}, gr_quat_from_rpy(3.0, 0.1, 0.3)});
    run(&r, 10);
    GrVec3 sum = wheel_force(&r);
    int bodies = 0;
    for (int b = 0; b < r.m->tree.body_count; b++) {
        if (r.m->rigid.of_body[b] >= 0) {
            sum = gr_add(sum, r.d->rigid_contact[r.m->rigid.of_body[b]].force);
            bodies += r.d->rigid_contact[r.m->rigid.of_body[b]].count > 0;
        }
    }
    print_message("upside down: %d bodies touch, %.2f N of %.2f N, %.2g m/s\n", bodies, sum.z, weight(&r), speed(&r));
    assert_true(bodies > 0);
    assert_true(speed(&r) < 1e-3);
    assert_near_rel(sum.z, weight(&r), 1e-2);
    destroy(&r);
}

/// A field of fixed and loose rocks, and a box in the rover's path.
static GrSceneDef rocky_scene(const GrSurfaceDef *surface)
{
    GrSceneDef scene = gr_default_scene_def();
    GrRockFieldDef field_def = gr_default_rock_field_def();
    field_def.box = (GrBox2){-4, -4, 8, 4};
    field_def.diameter_lower = 0.06;
    field_def.diameter_upper = 0.25;
    field_def.k = 0.1;
    field_def.seed = 5;
    GrRockField field;
    assert_int_equal(gr_rock_field_make(&field_def, &field, NULL), GR_OK);
    const GrRockFieldUse use = {.shape = GR_STONE_HULL, .loose_below = 0.1, .seed = 3};
    assert_true(gr_scene_add_rock_field(&scene, surface, &field, &use) == field.count);
    gr_rock_field_free(&field);
    GrPartDef box = gr_default_part_def();
    box.shape.kind = GR_SHAPE_BOX;
    box.shape.size = gr_vec3(0.5, 3, 0.1);
    box.pose.position = gr_vec3(2, 0, 0);
    gr_scene_add_part(&scene, &box);
    return scene;
}

/// A run over rocks that is saved and restored into another model's data continues with the same bits. Queries in
/// between change nothing.
static void test_save_and_restore(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrSurfaceDef surface = gr_default_surface_def();
    surface.soil = &soil;
    surface.slices = 3;
    GrSceneDef scene = rocky_scene(&surface);
    surface.scene = &scene;
    Run a = make("el_dorado2", &surface, 2e-3, 0.2), b = make("el_dorado2", &surface, 2e-3, 0.2);
    gr_scene_def_free(&scene);
    drive(&a, 0.1);
    int touched = 0, awake = 0;
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(gr_step(a.m, a.d), GR_OK);
        for (int w = 0; w < a.m->wheel_count; w++) {
            touched += gr_data_wheel(a.m, a.d, w).rock_contacts > 0;
        }
    }
    const size_t size = gr_data_size(a.m, a.d);
    void *bytes = malloc(size);
    gr_data_save(a.m, a.d, bytes);
    assert_int_equal(gr_data_restore(b.m, b.d, bytes, size, NULL), GR_OK);
    assert_true(gr_data_hash(a.m, a.d) == gr_data_hash(b.m, b.d));
    GrData *copy = NULL;
    gr_data_create(a.m, &copy, NULL);
    gr_data_copy(a.m, copy, a.d);
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(gr_step(a.m, a.d), GR_OK);
        assert_int_equal(gr_step(b.m, b.d), GR_OK);
        assert_int_equal(gr_step(a.m, copy), GR_OK);
        if (i % 7 == 0) {
            gr_forward(b.m, b.d);
        }
        for (int w = 0; w < a.m->wheel_count; w++) {
            touched += gr_data_wheel(a.m, a.d, w).rock_contacts > 0;
        }
    }
    for (int i = 0; i < gr_model_loose_count(a.m); i++) {
        awake += !gr_data_loose_asleep(a.m, a.d, i);
    }
    print_message("%d loose rocks, %d awake, wheels on rock in %d of %d steps, %zu bytes saved\n",
                  gr_model_loose_count(a.m), awake, touched, 6000 * a.m->wheel_count, size);
    assert_true(touched > 20);
    assert_true(gr_data_hash(a.m, a.d) == gr_data_hash(b.m, b.d));
    assert_true(gr_data_hash(a.m, a.d) == gr_data_hash(a.m, copy));
    gr_data_reset(a.m, a.d);
    gr_data_reset(b.m, copy);
    assert_true(gr_data_hash(a.m, a.d) == gr_data_hash(a.m, copy));
    free(bytes);
    gr_data_free(copy);
    destroy(&a);
    destroy(&b);
}

static bool two_soils(const void *context, double x, double y, GrSoilMix *mix)
{
    (void)y;
    const double border = *(const double *)context, share = fmin(1, fmax(0, 0.5 - x / border));
    *mix = share >= 0.5 ? (GrSoilMix){2, {1, 2}, {share, 1 - share}} : (GrSoilMix){2, {2, 1}, {1 - share, share}};
    return true;
}

/// From one soil onto another: on each the sinkage is its own, and at the border no force jumps.
static void test_two_soils(void **state)
{
    (void)state;
    const double border = 0.3;
    GrSoilDef soils[2] = {gr_default_soil_def(), gr_default_soil_def()};
    soils[0].damping = soils[1].damping = 400;
    soils[1].k_phi *= 3;
    for (int law = 0; law < 2; law++) {
        soils[1].law = law == 0 ? GR_SOIL_WONG_REECE : GR_SOIL_BEKKER;
        GrSurfaceDef surface = gr_default_surface_def();
        surface.soil = soils;
        surface.soil_count = 2;
        surface.soil_at = two_soils;
        surface.soil_context = &border;
        Run r = make("el_dorado2", &surface, 5e-3, 0);
        GrPose pose = gr_data_base_pose(r.d);
        pose.position.x = -1;
        gr_data_set_base_pose(r.d, pose);
        assert_int_equal(gr_settle(r.m, r.d, NULL, NULL), GR_OK);
        const double soft = gr_data_wheel(r.m, r.d, 0).sinkage;
        assert_int_equal(gr_data_wheel(r.m, r.d, 0).soil, 0);
        drive(&r, 0.1);
        run(&r, 3);
        GrVec3 last = gr_data_wheel(r.m, r.d, 0).force;
        double jump = 0;
        for (int i = 0; i < 4000; i++) {
            assert_int_equal(gr_step(r.m, r.d), GR_OK);
            const GrVec3 now = gr_data_wheel(r.m, r.d, 0).force;
            jump = fmax(jump, gr_norm(gr_sub(now, last)));
            last = now;
        }
        const GrWheelView v = gr_data_wheel(r.m, r.d, 0);
        print_message("sinkage %.4f m, then %.4f m; force changes by at most %.3g of the load a step\n", soft,
                      v.sinkage, jump / r.m->wheel_load);
        assert_int_equal(v.soil, 1);
        assert_true(v.sinkage < 0.75 * soft);
        assert_true(jump < 0.05 * r.m->wheel_load);
        destroy(&r);
    }
}

/// A soil assigned to a wheel, independent of position.
static void test_soil_of_a_wheel(void **state)
{
    (void)state;
    GrSoilDef soils[2] = {gr_default_soil_def(), gr_default_soil_def()};
    soils[1].k_phi *= 4;
    const int own[] = {-1, 1, -1, 1};
    GrSurfaceDef surface = gr_default_surface_def();
    surface.soil = soils;
    surface.soil_count = 2;
    surface.wheel_soil = own;
    Run r = make("el_dorado2", &surface, 5e-3, 0);
    assert_int_equal(gr_settle(r.m, r.d, NULL, NULL), GR_OK);
    assert_int_equal(gr_data_wheel(r.m, r.d, 0).soil, 0);
    assert_int_equal(gr_data_wheel(r.m, r.d, 1).soil, 1);
    assert_true(gr_data_wheel(r.m, r.d, 1).sinkage < gr_data_wheel(r.m, r.d, 0).sinkage);
    destroy(&r);
}

/// A wheel alone, free, of 40 kg.
static GrRoverDef one_wheel(void)
{
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "wheel");
    body.mass = 40;
    body.inertia = gr_inertia_cylinder_y(40, 0.25, 0.3);
    gr_rover_add_body(&rover, &body);
    GrWheelDef wheel = gr_default_wheel_def();
    snprintf(wheel.name, sizeof wheel.name, "wheel");
    wheel.radius = 0.25;
    wheel.width = 0.3;
    gr_rover_add_wheel(&rover, &wheel);
    return rover;
}

/// A flat rock under y > 0 whose top is at `top`.
static GrSceneDef flat_rock(double top)
{
    GrSceneDef scene = gr_default_scene_def();
    GrPartDef rock = gr_default_part_def();
    rock.shape.kind = GR_SHAPE_BOX;
    rock.shape.size = gr_vec3(2, 2, 0.4);
    rock.pose.position = gr_vec3(0, 1, top - 0.2);
    rock.stone = true;
    gr_scene_add_part(&scene, &rock);
    return scene;
}

/// Half on a flat rock that lies a little below the soil's surface: the slices on it feel rock alone, the others soil
/// as if the rock were not there.
static void test_half_on_a_rock(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrRoverDef rover = one_wheel();
    GrSceneDef scene = flat_rock(-0.008);
    GrWheelView v[2];
    for (int with = 0; with < 2; with++) {
        GrOptions options = gr_default_options();
        options.surface.soil = &soil;
        options.surface.slices = 6;
        options.surface.scene = with ? &scene : NULL;
        GrModel *m = NULL;
        gr_model_create(&rover, &options, &m, NULL);
        GrData *d = NULL;
        gr_data_create(m, &d, NULL);
        gr_data_set_base_pose(d, (GrPose){{0, 0, 0.25 - 0.01}, {1, 0, 0, 0}});
        assert_int_equal(gr_forward(m, d), GR_OK);
        v[with] = gr_data_wheel(m, d, 0);
        gr_data_free(d);
        gr_model_free(m);
    }
    print_message("soil carries %.2f N with the rock, %.2f N without; the rock %.2f N\n", v[1].force.z, v[0].force.z,
                  v[1].rock_force.z);
    assert_near_rel(v[1].force.z, v[0].force.z / 2, 1e-9);
    assert_true(v[1].moment.x < 0); // the soil's half is at y < 0: it turns about −x
    assert_true(v[1].rock_force.z > 100);
    gr_scene_def_free(&scene);
    gr_rover_free(&rover);
}

/// A wheel that leans onto the edge of a rock: as long as the rock carries less than the soil under that slice would,
/// the two together carry what the soil carries without the rock. A slice's part of the load grows with its depth.
static void test_leaning_on_a_rock(void **state)
{
    (void)state;
    GrSoilDef soil = gr_default_soil_def();
    soil.n0 = 1;
    soil.n1 = 0;
    GrRoverDef rover = one_wheel();
    const double lean = 2 * GR_PI / 180;
    double alone = 0, least = INFINITY, most = 0;
    int compared = 0;
    for (int k = -1; k < 60; k++) {
        // the lowest point of the leaning wheel is at −10 mm − 0.15 m sin(lean), and the rock a little higher
        GrSceneDef scene = flat_rock(-0.01 - 0.15 * sin(lean) + 1e-5 * k);
        GrOptions options = gr_default_options();
        options.surface.soil = &soil;
        options.surface.slices = 6;
        options.surface.scene = k >= 0 ? &scene : NULL;
        GrModel *m = NULL;
        assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
        GrData *d = NULL;
        gr_data_create(m, &d, NULL);
        const GrQuat turned = {cos(0.5 * lean), -sin(0.5 * lean), 0, 0}; // down at y > 0
        gr_data_set_base_pose(d, (GrPose){{0, 0, 0.25 * cos(lean) - 0.01}, turned});
        assert_int_equal(gr_forward(m, d), GR_OK);
        const GrWheelView v = gr_data_wheel(m, d, 0);
        alone = k < 0 ? v.world_force.z : alone;
        const double rock = v.rock_force.z / alone, all = (v.world_force.z + v.rock_force.z) / alone;
        if (k >= 0 && rock > 0.02 && rock < 0.25) { // the deepest of six slices carries 0.28 of all
            least = fmin(least, all);
            most = fmax(most, all);
            compared++;
        }
        gr_data_free(d);
        gr_model_free(m);
        gr_scene_def_free(&scene);
    }
    print_message("soil and rock carry %.4f … %.4f of what soil alone does, at %d heights of the rock\n", least, most,
                  compared);
    assert_true(compared >= 5);
    assert_true(least > 0.99 && most < 1.02); // an arc's force is h^1.5 to the first order of h/r, 0.06
    gr_rover_free(&rover);
}

/// From soil onto a flat rock and off again: the load passes smoothly from one to the other, the sum is always the
/// weight, and no state chatters.
static void test_over_a_flat_rock(void **state)
{
    (void)state;
    const double tops[] = {-0.004, 0, 0.01};
    for (int t = GR_TEST_LONG(0, 2); t < 3; t++) {
        GrSoilDef soil = gr_default_soil_def();
        soil.damping = 400;
        GrSceneDef scene = gr_default_scene_def();
        GrPartDef rock = gr_default_part_def();
        rock.shape.kind = GR_SHAPE_BOX;
        rock.shape.size = gr_vec3(0.6, 4, 0.4);
        rock.pose.position = gr_vec3(1, 0, tops[t] - 0.2);
        rock.stone = true;
        gr_scene_add_part(&scene, &rock);
        scene.materials[0].friction = 0.8;
        GrSurfaceDef surface = gr_default_surface_def();
        surface.soil = &soil;
        surface.slices = 3;
        surface.scene = &scene;
        Run r = make("el_dorado2", &surface, 2e-3, 0);
        gr_scene_def_free(&scene);
        assert_int_equal(gr_settle(r.m, r.d, NULL, NULL), GR_OK);
        drive(&r, 0.05);
        double jump = 0, last = gr_data_wheel(r.m, r.d, 0).force.z, on_rock = 0, worst = 0;
        GrVec3 impulse = {0, 0, 0};
        const GrVec3 before = gr_balance(r.m, r.d).linear;
        const int steps = 25000;
        for (int i = 0; i < steps; i++) {
            assert_int_equal(gr_step(r.m, r.d), GR_OK);
            const GrWheelView v = gr_data_wheel(r.m, r.d, 0);
            const double now = v.world_force.z + v.rock_force.z;
            jump = fmax(jump, fabs(now - last));
            worst = fmax(worst, now);
            on_rock += v.rock_contacts > 0 ? 2e-3 : 0;
            last = now;
            impulse = gr_madd(impulse, 2e-3, wheel_force(&r));
        }
        const GrVec3 gained = gr_sub(gr_balance(r.m, r.d).linear, before);
        const double carried = (impulse.z - gained.z) / (steps * 2e-3 * weight(&r));
        double chatter = 0;
        for (int i = 0; i < r.m->wheel_count; i++) {
            chatter = fmax(chatter, gr_data_wheel(r.m, r.d, i).chatter);
        }
        print_message(
            "rock at %+.3f m: at %.2f m, %.1f s on rock, force changes by at most %.3f of the load a step and "
            "reaches %.2f, carried %.5f of the weight, %.2f changes/s\n",
            tops[t], gr_data_base_pose(r.d).position.x, on_rock, jump / r.m->wheel_load, worst / r.m->wheel_load,
            carried, chatter);
        assert_true(gr_data_base_pose(r.d).position.x > 1.7);
        assert_true(on_rock > 5);
        assert_true(jump < 0.35 * r.m->wheel_load);
        assert_true(worst < 2.5 * r.m->wheel_load);
        assert_near(carried, 1, 0.01);
        assert_true(chatter < 2);
        destroy(&r);
    }
}

static void test_bad_scenes(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrRoverDef rover;
    assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/el_dorado2.yaml", NULL, &rover, NULL), GR_OK);
    for (int i = 0; i < 5; i++) {
        GrSceneDef scene = gr_default_scene_def();
        GrOptions options = gr_default_options();
        options.surface.scene = &scene;
        GrStoneDef stone = gr_default_stone_def();
        GrPartDef part = gr_default_part_def();
        if (i == 0) {
            scene.rigid_ground = true;
            options.surface.soil = &soil;
        } else if (i == 1) {
            stone.diameter = -1;
            gr_scene_add_stone(&scene, &stone);
        } else if (i == 2) {
            scene.wheel_material = 3;
        } else if (i == 3) {
            part.material = 2;
            part.shape.kind = GR_SHAPE_SPHERE;
            part.shape.radius = 1;
            gr_scene_add_part(&scene, &part);
        } else {
            scene.friction_law = GR_FRICTION_LAW_COUNT;
        }
        GrErrorLog log = {0};
        assert_int_not_equal(gr_model_create(&rover, &options, &(GrModel *){NULL}, &log), GR_OK);
        assert_true(log.error_count > 0);
        gr_scene_def_free(&scene);
    }
    gr_rover_free(&rover);
}

/// Counts that no list has: negative, more than a run can keep, or of a list that is not there.
static void test_bad_counts(void **state)
{
    (void)state;
    GrRoverDef rover;
    assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/el_dorado2.yaml", NULL, &rover, NULL), GR_OK);
    const int counts[] = {-1, INT_MIN, 2, 2000000000};
    for (int list = 0; list < 6; list++) {
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            GrSceneDef scene = gr_default_scene_def();
            const GrSceneDef kept = scene;
            GrOptions options = gr_default_options();
            int *const fields[] = {&scene.pair_count,  &scene.made_of_count,    &scene.part_count,
                                   &scene.stone_count, &scene.no_contact_count, &scene.material_count};
            *fields[list] = counts[k];
            scene.materials = list == 5 ? NULL : scene.materials;
            options.surface.scene = &scene;
            GrErrorLog log = {0};
            assert_int_not_equal(gr_model_create(&rover, &options, &(GrModel *){NULL}, &log), GR_OK);
            assert_int_equal(log.items[0].status, GR_ERROR_VALUE);
            assert_true(strstr(log.items[0].text, "entries") != NULL);
            scene = kept;
            gr_scene_def_free(&scene);
        }
    }
    gr_rover_free(&rover);
}

/// On rigid ground a wheel with grousers stands on their tips: between two of them it is lower than on one, by
/// (r + h)(1 − cos(π/N)), and it rolls on without falling over.
static void test_grousers(void **state)
{
    (void)state;
    GrSceneDef scene = gr_default_scene_def();
    GrSurfaceDef surface = gr_default_surface_def();
    scene.rigid_ground = true;
    scene.wheels = GR_WHEELS_GROUSERS;
    surface.scene = &scene;
    Run r = make("curiosity_like", &surface, 0.001, 1e-4);
    const GrWheelDef *w = &r.rover.wheels[0];
    const double tip = w->radius + w->grouser_height, dip = tip * (1 - cos(acos(-1) / w->grouser_count));
    run(&r, 1);
    const GrVec3 rest = wheel_force(&r);
    assert_near_rel(rest.z, weight(&r), 0.01);
    drive(&r, 0.1);
    double lowest = INFINITY, highest = -INFINITY;
    for (int k = 0; k < 300; k++) {
        run(&r, 0.01);
        const GrVec3 hub = gr_pose_mul(gr_data_body_pose(r.m, r.d, w->body), w->pose).position;
        lowest = k > 50 ? fmin(lowest, hub.z) : lowest;
        highest = k > 50 ? fmax(highest, hub.z) : highest;
    }
    print_message("hub between %.2f and %.2f mm; tips at %.2f, dip %.2f mm\n", 1e3 * lowest, 1e3 * highest, 1e3 * tip,
                  1e3 * dip);
    assert_true(highest < tip + 1e-3 && lowest > tip - dip - 2e-3);
    assert_true(highest - lowest > 0.3 * dip); // it is no cylinder
    assert_true(gr_data_base_pose(r.d).position.x > 0.2);
    destroy(&r);
    gr_scene_def_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid_ground),     cmocka_unit_test(test_upside_down),
        cmocka_unit_test(test_save_and_restore), cmocka_unit_test(test_grousers),
        cmocka_unit_test(test_two_soils),        cmocka_unit_test(test_soil_of_a_wheel),
        cmocka_unit_test(test_half_on_a_rock),   cmocka_unit_test(test_leaning_on_a_rock),
        cmocka_unit_test(test_over_a_flat_rock), cmocka_unit_test(test_bad_scenes),
        cmocka_unit_test(test_bad_counts),       cmocka_unit_test(test_slip_ends_within_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
