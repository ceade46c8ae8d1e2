/// Rigid contact: one wheel on a plane, among 10,000 rocks that are fixed, and among loose ones that are asleep.
#include "bench.h"

#include "random.h"
#include "rigid.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROCKS = 10000, ROCK_KINDS = 20, ROCK_POINTS = 30, SLEEPERS = 300, PIECES = 10, STEPS_A_PIECE = 200 };
static const double FIELD = 100; // edge of the square field [m]
static const double WHEEL_RADIUS = 0.25, WHEEL_WIDTH = 0.2, STEP = 1e-3, SPEED = 0.5;

static bool flat(const void *context, double x, double y, double *height, GrVec3 *normal)
{
    (void)context;
    (void)x;
    (void)y;
    *height = 0;
    *normal = gr_vec3(0, 0, 1);
    return true;
}

typedef struct Scene {
    GrRigidWorld *w;
    GrRigidState *s;
    double load; ///< keeps the work from being optimised away
} Scene;

static void stop(const char *text)
{
    fprintf(stderr, "error: %s\n", text);
    exit(1);
}

static void make_kinds(GrConvexMesh **kinds)
{
    GrRandom random = gr_random_stream(1, "rocks");
    for (int k = 0; k < ROCK_KINDS; k++) {
        GrVec3 cloud[ROCK_POINTS];
        for (int i = 0; i < ROCK_POINTS; i++) {
            cloud[i] = gr_vec3(gr_random_uniform(&random, -0.1, 0.1), gr_random_uniform(&random, -0.1, 0.1),
                               gr_random_uniform(&random, -0.06, 0.06));
        }
        kinds[k] = gr_convex_mesh_create(cloud, ROCK_POINTS, NULL);
        if (kinds[k] == NULL) {
            stop("a rock has no volume");
        }
    }
}

static void add_rock(GrRigidDef *def, GrRandom *random, const GrConvexMesh *mesh, GrRigidMotion motion)
{
    GrRigidBodyDef body = gr_default_rigid_body_def(motion);
    const GrSolid solid = gr_convex_mesh_solid(mesh);
    body.mass = 2000 * solid.volume;
    body.com = solid.com;
    body.inertia = (GrSym3){2000 * solid.inertia.xx, 2000 * solid.inertia.yy, 2000 * solid.inertia.zz,
                            2000 * solid.inertia.xy, 2000 * solid.inertia.xz, 2000 * solid.inertia.yz};
    const double x = gr_random_uniform(random, -FIELD / 2, FIELD / 2),
                 y = gr_random_uniform(random, -FIELD / 2, FIELD / 2);
    body.pose.position = gr_vec3(x, y, motion == GR_RIGID_LOOSE ? 0.06 : 0);
    const int index = gr_rigid_add_body(def, &body);
    if (index < 0 || gr_rigid_add_shape(def, index, gr_convex_of_mesh(mesh), gr_pose_identity(), 0) < 0) {
        stop("out of memory");
    }
}

static Scene make_scene(GrConvexMesh *const *kinds, int fixed, int loose)
{
    GrRigidDef def = gr_default_rigid_def();
    GrRandom random = gr_random_stream(2, "field");
    const GrRigidBodyDef wheel = gr_default_rigid_body_def(GR_RIGID_DRIVEN);
    gr_rigid_add_body(&def, &wheel);
    gr_rigid_add_shape(&def, 0, gr_convex_cylinder(WHEEL_RADIUS, WHEEL_WIDTH), gr_pose_identity(), 0);
    def.ground.at = flat;
    def.contact_capacity = 4096;
    for (int i = 0; i < fixed + loose; i++) {
        add_rock(&def, &random, kinds[i % ROCK_KINDS], i < fixed ? GR_RIGID_FIXED : GR_RIGID_LOOSE);
    }
    Scene scene = {.w = gr_rigid_world_create(&def, NULL)};
    gr_rigid_def_free(&def);
    if (scene.w == NULL || (scene.s = gr_rigid_state_create(scene.w)) == NULL) {
        stop("the scene makes no world");
    }
    return scene;
}

/// A segment of a wheel's path. Short segments, each with its fastest run, are robust on a busy machine; since segments
/// differ in work, their times are summed.
typedef struct Piece {
    Scene *scene;
    int number;
} Piece;

/// The wheel moves along x at the height of the ground; `y` chooses its lane.
static void roll(Scene *scene, int from, int count, double y)
{
    const GrTwist twist = {{0, SPEED / WHEEL_RADIUS, 0}, {SPEED, 0, 0}};
    for (int i = from; i < from + count; i++) {
        const GrPose pose = {{-FIELD / 4 + i * STEP * SPEED * 20, y, WHEEL_RADIUS - 0.001}, {1, 0, 0, 0}};
        GrRigidLoad load;
        if (gr_rigid_evaluate(scene->w, scene->s, &pose, &twist, STEP, &load) != GR_OK ||
            gr_rigid_commit(scene->w, scene->s, &twist, STEP) != GR_OK) {
            stop("a step failed");
        }
        scene->load += load.wrench.force.z;
    }
}

static void run(void *context, int count)
{
    const Piece *piece = context;
    roll(piece->scene, piece->number * STEPS_A_PIECE, count, 3);
}

static void settle(Scene *scene)
{
    for (int i = 0; i < 20000; i++) {
        const GrPose away = {{0, 0, 100}, {1, 0, 0, 0}};
        const GrTwist rest = {{0, 0, 0}, {0, 0, 0}};
        GrRigidLoad load;
        int awake = 0;
        if (gr_rigid_evaluate(scene->w, scene->s, &away, &rest, 2e-3, &load) != GR_OK ||
            gr_rigid_commit(scene->w, scene->s, &rest, 2e-3) != GR_OK) {
            stop("the rocks do not settle");
        }
        for (int k = 0; k < gr_rigid_loose_count(scene->w); k++) {
            awake += !gr_rigid_loose_asleep(scene->s, k);
        }
        if (awake == 0) {
            return;
        }
    }
}

void gr_bench_rigid(void)
{
    enum { SCENES = 3 };
    GrConvexMesh *kinds[ROCK_KINDS];
    make_kinds(kinds);
    Scene none = make_scene(kinds, 0, 0), rocks = make_scene(kinds, ROCKS, 0), asleep = make_scene(kinds, 0, SLEEPERS);
    settle(&asleep);
    Scene *scenes[SCENES] = {&none, &rocks, &asleep};
    Piece pieces[SCENES * PIECES];
    GrContestant race[SCENES * PIECES];
    for (int i = 0; i < SCENES * PIECES; i++) {
        pieces[i] = (Piece){scenes[i % SCENES], i / SCENES};
        race[i] = (GrContestant){"piece", run, &pieces[i], 0, {0}};
    }
    gr_bench_race(race, SCENES * PIECES, STEPS_A_PIECE);
    double us[SCENES] = {0};
    for (int i = 0; i < SCENES * PIECES; i++) {
        us[i % SCENES] += 1e6 * race[i].seconds / PIECES;
    }
    printf("\nRigid contact of one wheel that goes 20 m (evaluate and commit)\n");
    gr_bench_report("rigid_wheel_us", us[0], "us", "on a plane");
    gr_bench_report("rigid_rocks_us", us[1], "us", "among 10,000 fixed rocks, over some of them");
    gr_bench_report("rigid_rocks_extra_us", us[1] - us[0], "us", "goal: at most 2");
    gr_bench_report("rigid_asleep_extra_us", us[2] - us[0], "us", "300 loose rocks, asleep until touched");
    for (int i = 0; i < SCENES; i++) {
        gr_rigid_state_free(scenes[i]->s);
        gr_rigid_world_free(scenes[i]->w);
    }
    for (int k = 0; k < ROCK_KINDS; k++) {
        gr_convex_mesh_free(kinds[k]);
    }
}
