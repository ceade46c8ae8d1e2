/// `hard:` of scenario files from the user's view: contact and friction laws between materials, materials of the ground
/// by position, and groups that do not touch each other.
#include "run_command.h"

#include "grouser/model.h"

#include <stdlib.h>

/// Last value of a column of run.csv.
static double last_value(const char *folder, const char *column)
{
    static char line[65536], last[65536];
    char path[128];
    snprintf(path, sizeof path, "%s/run.csv", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    int index = 0;
    char *word = strtok(line, ",\n");
    for (; word != NULL && strcmp(word, column) != 0; index++) {
        word = strtok(NULL, ",\n");
    }
    assert_non_null(word);
    while (fgets(line, sizeof line, file) != NULL) {
        memcpy(last, line, sizeof last);
    }
    fclose(file);
    char *at = last;
    for (; index > 0; index--) {
        at = strchr(at, ',') + 1;
    }
    return strtod(at, NULL);
}

static double run_and_read(const char *sets, const char *column)
{
    char line[1024];
    snprintf(line, sizeof line, "run hard.yaml -o hard.run %s", sets);
    const GrRun *run = gr_run(line);
    if (run->exit_code != 0) {
        print_error("%s\n%s\n", run->out, run->err);
    }
    assert_int_equal(run->exit_code, 0);
    const double value = last_value("hard.run", column);
    assert_int_equal(system("rm -r hard.run"), 0);
    return value;
}

static const char PLATE[] = "rover: rashid_like\n"
                            "soil: none\n"
                            "gravity: mars\n"
                            "start: {height_m: 0.5}\n"
                            "hard: {restitution: 0.1}\n"
                            "parts:\n"
                            "  - box: {size_m: [6, 6, 0.1], at_m: [0, 0, 0.3], group: shelf}\n"
                            "stop: {time_s: 3, belly_share: inf}\n";

/// A rover falls onto a plate whose upper face is 0.35 m above the ground, or through it.
static void test_groups(void **state)
{
    (void)state;
    const double FACE = 0.35, DEPTH = 1e-3; // contacts of 10 MPa deflect by tenths of a millimetre
    gr_run_write("hard.yaml", PLATE);
    const double on = run_and_read("", "z_m");
    const double through = run_and_read("--set 'hard.no_contact=[[shelf, wheels], [shelf, bodies]]'", "z_m");
    const double others = run_and_read("--set 'hard.no_contact=[[parts, wheels], [shelf, ground]]'", "z_m");
    const double belly = run_and_read("--set 'hard.no_contact=[[shelf, wheels]]'", "z_m");
    print_message("chassis at %.4f m on the plate, %.4f through it, %.4f on its belly\n", on, through, belly);
    assert_near(on - through, FACE, DEPTH);
    assert_near(others, on, 0);
    assert_true(belly > through + 0.2 && belly < on - 0.05);
    // a wheel in a separate group
    const double own = run_and_read("--set rover:wheels.wheel_front_left.group=odd --set rover:wheels.wheel_rear_left."
                                    "group=odd --set 'hard.no_contact=[[odd, shelf], [bodies, shelf]]'",
                                    "z_m");
    assert_true(own < on - 0.05);

    const GrRun *run = gr_run("run hard.yaml -o hard.run --set 'hard.no_contact=[[wheels, shelv], [bodies]]'");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "hard.no_contact[0][1]: there is no group 'shelv'; did you mean 'shelf'?");
    assert_has(run->err, "hard.no_contact[1]: is a list of two names, [group, group]");
    unlink("hard.yaml");
}

/// A block of 10 kg on four round feet, 0.6 m apart along x, its centre of mass 0.14 m above the ground.
static const char BLOCK[] = "title: A block on four round feet that do not turn\n"
                            "repeat:\n"
                            "  side: {left: 1, right: -1}\n"
                            "  axle: {front: 1, rear: -1}\n"
                            "bodies:\n"
                            "  chassis:\n"
                            "    mass_kg: 8\n"
                            "    inertia_of: {box: {size_m: [0.6, 0.4, 0.1]}}\n"
                            "    shapes: [box: {size_m: [0.6, 0.4, 0.1]}]\n"
                            "  foot_${axle}_${side}:\n"
                            "    parent: chassis\n"
                            "    joint: {kind: fixed, at_m: [0.3 * axle, 0.2 * side, -0.05]}\n"
                            "    mass_kg: 0.5\n"
                            "    inertia_of: {cylinder: {radius_m: 0.1, length_m: 0.05}}\n"
                            "wheels:\n"
                            "  foot_${axle}_${side}: {radius_m: 0.1, width_m: 0.05}\n";
static const double G = 9.80665, HALF_BASE = 0.3, COM_HEIGHT = 0.14;

static void write_block(const char *scenario)
{
    gr_run_write("block.yaml", BLOCK);
    gr_run_write("hard.yaml", scenario);
}

static void remove_block(void)
{
    unlink("block.yaml");
    unlink("hard.yaml");
}

static const char SLOPE[] = "rover: ./block.yaml\n"
                            "soil: none\n"
                            "gravity: {body: earth, tilt_deg: 10}\n"
                            "start: {height_m: 0.0002}\n"
                            "hard: {friction: 0.5}\n"
                            "step: {pace: fixed, step_ms: 1}\n"
                            "stop: {time_s: 2, tip_deg: 180}\n";

/// Laws without memory creep on a slope at the speed at which they carry m g sin: μ g(v/v_s) = tan.
static void test_creep(void **state)
{
    (void)state;
    const double SPEED = 1e-5; // of the expected one; eight digits are printed
    const double slope = tan(10 * M_PI / 180), mu = 0.5, mu_s = 0.8, vs = 0.05;
    write_block(SLOPE);
    const double tanh_law = run_and_read("--set hard.friction_law=tanh --set hard.slip_speed_mps=0.05", "vx_m_per_s");
    assert_near_rel(-tanh_law, vs * atanh(slope / mu), SPEED);
    const double stribeck = run_and_read("--set hard.friction_law=bengisu_akay --set hard.slip_speed_mps=0.05 "
                                         "--set hard.static_friction=0.8",
                                         "vx_m_per_s");
    assert_near_rel(-stribeck, vs * (1 - sqrt(1 - slope / mu_s)), SPEED);
    const double magic = run_and_read("--set hard.friction_law=pacejka --set hard.slip_speed_mps=0.05 "
                                      "--set hard.magic_B=2 --set hard.magic_C=1.5",
                                      "vx_m_per_s");
    assert_near_rel(-magic, vs * tan(asin(slope / mu) / 1.5) / 2, SPEED);
    print_message("creep at 10°: tanh %.6f, bengisu_akay %.6f, pacejka %.6f m/s\n", -tanh_law, -stribeck, -magic);
    remove_block();
}

/// Below atan μ the spring holds, above it the block slides at g (sin − μ cos). Between μ and μ_s the law of Bengisu
/// and Akay does either: it creeps when released from rest, and keeps sliding once it slides.
static void test_slides(void **state)
{
    (void)state;
    const double HOLDS = 1e-6, SPEED = 1e-6; // [m], and part of the speed
    write_block(SLOPE);
    // atan 0.5 is 26.57°; the contact springs deflect at once, and nothing moves afterwards
    const char *below = "--set gravity.tilt_deg=25.5 --set start.height_m=0";
    char longer[160];
    snprintf(longer, sizeof longer, "%s --set stop.time_s=20", below);
    assert_near(run_and_read(longer, "x_m"), run_and_read(below, "x_m"), HOLDS);
    const double angle = 30 * M_PI / 180, pull = G * (sin(angle) - 0.5 * cos(angle));
    const double gained = run_and_read("--set gravity.tilt_deg=30 --set stop.time_s=1", "vx_m_per_s") -
                          run_and_read("--set gravity.tilt_deg=30", "vx_m_per_s");
    assert_near_rel(gained, pull, SPEED); // in the second second

    const char *law = "--set hard.friction_law=bengisu_akay --set hard.static_friction=0.8 --set gravity.tilt_deg=30";
    char sets[400];
    const double slope = tan(angle), creep = 1e-3 * (1 - sqrt(1 - slope / 0.8));
    assert_near_rel(-run_and_read(law, "vx_m_per_s"), creep, 1e-4);
    snprintf(sets, sizeof sets, "%s --set 'start.velocity_mps=[-1, 0, 0]'", law);
    // the excess (μ_s − μ) e^(−ξ v) brakes it a little at first
    const double fast = -run_and_read(sets, "vx_m_per_s"), free = 1 + 2 * pull;
    assert_true(fast < free && fast > free - 1e-3);
    remove_block();
}

static double restitution(const char *law, const char *more)
{
    char sets[512];
    snprintf(sets, sizeof sets, "--set hard.law=%s %s", law, more);
    return run_and_read(sets, "vz_m_per_s");
}

/// Speed after an impact at 1 m/s without gravity, by CVODE: closed form of each law.
static void test_restitution(void **state)
{
    (void)state;
    if (!gr_integrator_is_built(GR_INTEGRATOR_CVODE)) {
        skip();
    }
    // The impact is known at the end of the step in which it begins, so that steps of 0.05 ms are needed.
    const double SAME = 1e-4;
    write_block("rover: ./block.yaml\n"
                "soil: none\n"
                "gravity: zero\n"
                "start: {height_m: 0.02, velocity_mps: [0, 0, -1]}\n"
                "step: {pace: fixed, step_ms: 0.05, integrator: cvode}\n"
                "stop: {time_s: 0.06}\n");
    assert_near(restitution("hunt_crossley", "--set hard.restitution=0.6"), 0.6, SAME);
    const double b23 = 0.5772760; // root e of (1 + e) a = ln((1 + a)/(1 − e a)), a = 8 (1 − ζ)/(5 ζ)
    assert_near(restitution("hunt_crossley_b23", "--set hard.restitution=0.6"), b23, SAME);
    assert_near(restitution("hertz", ""), 1, SAME);
    // k δ + c δ̇ until the force ends (Schwager & Pöschel 2007); a foot has three points across its width
    const double k = 4e5, c = 200, mass = 2.5 / 3, beta = c / (2 * mass), omega = sqrt(k / mass - beta * beta);
    const double linear = exp(-beta / omega * (M_PI - atan(2 * beta * omega / (omega * omega - beta * beta))));
    assert_near(restitution("spring_dashpot", "--set hard.spring_N_per_m=4e5 --set hard.dashpot_Ns_per_m=200"), linear,
                SAME);
    remove_block();
}

static const char ZONES[] = "rover: ./block.yaml\n"
                            "soil: none\n"
                            "start: {height_m: 0.0002, velocity_mps: [3, 0, 0]}\n"
                            "hard:\n"
                            "  restitution: 0.1\n"
                            "  materials: {ice: {friction: 0.02}, slab: {friction: 0.9}, rubber: {}}\n"
                            "  made_of: {ground: ice, wheels: rubber}\n"
                            "  pairs:\n"
                            "    - {between: [rubber, ice], friction: 0.1}\n"
                            "    - {between: [slab, rubber], friction: 0.6}\n"
                            "  zones: [{material: slab, box_m: [1.5, -5, 20, 5]}]\n"
                            "step: {pace: fixed, step_ms: 1}\n"
                            "stop: {time_s: 3, tip_deg: 180}\n";

/// A block slides from ice onto a slab: v²/2 falls by μ g per metre on each, and by the shares of both while its front
/// feet are on the slab, with the loads N = W/2 ± F h/(2 a) of the braked block.
static void test_zones(void **state)
{
    (void)state;
    const double PATH = 3e-3; // relative, of the distance: the block lands and pitches within the first steps
    const double ice = 0.1, slab = 0.6, enters = 1.5 - HALF_BASE;
    write_block(ZONES);
    const double between = G * (ice + slab) / 2 / (1 - (slab - ice) * COM_HEIGHT / (2 * HALF_BASE));
    const double v2 = 9 - 2 * ice * G * enters - 2 * between * 2 * HALF_BASE;
    const double expected = enters + 2 * HALF_BASE + v2 / (2 * slab * G);
    const double box = run_and_read("", "x_m");
    print_message("stops after %.4f m, expected %.4f m\n", box, expected);
    assert_near_rel(box, expected, PATH);
    // the same edge as a polygon, and as a circle that is large enough
    const double polygon = run_and_read("--set 'hard.zones[0]={material: slab, polygon_m: [[1.5, 5], [1.5, -5], [20, "
                                        "-5], [22, 0], [20, 5]]}'",
                                        "x_m");
    assert_near(polygon, box, 0);
    const double circle = run_and_read("--set 'hard.zones[0]={material: slab, circle_m: [1001.5, 0, 1000]}'", "x_m");
    assert_near(circle, box, 1e-3);
    // a map whose one rule holds everywhere, below the zones: ice is nowhere
    const double map = run_and_read("--set 'hard.map={rules: [\"slab: height_m<1\"]}'", "x_m");
    assert_near_rel(map, 9 / (2 * slab * G), PATH);
    // feet of the rover's file that name their material: 2 μ1 μ2/(μ1 + μ2) where no pair is given
    const double own = run_and_read("--set 'rover:wheels.foot_${axle}_${side}.material=slab' --set hard.zones=[] "
                                    "--set hard.pairs=[] --set 'start.velocity_mps=[1, 0, 0]'",
                                    "x_m");
    assert_near_rel(own, 1 / (2 * (2 * 0.02 * 0.9 / 0.92) * G), PATH);
    remove_block();
}

/// A ledge of rock along x: a floor at half its height, 6 m wide, and a wall to its left.
static void write_ledge(void)
{
    static const double SECTION[6][2] = {{-3, -0.8}, {4, -0.8}, {4, 1.2}, {3, 1.2}, {3, 0.2}, {-3, 0.2}};
    static const char FACES[] = "f 1 2 5\nf 1 5 6\nf 2 3 4\nf 2 4 5\n"       // at the end, seen from +x
                                "f 11 8 7\nf 12 11 7\nf 10 9 8\nf 11 10 8\n" // at the beginning
                                "f 1 7 8 2\nf 2 8 9 3\nf 3 9 10 4\nf 4 10 11 5\nf 5 11 12 6\nf 6 12 7 1\n";
    char text[1024];
    int length = 0;
    for (int i = 0; i < 12; i++) {
        length += snprintf(text + length, sizeof text - (size_t)length, "v %d %g %g\n", i < 6 ? 10 : -2,
                           SECTION[i % 6][0], SECTION[i % 6][1]);
    }
    snprintf(text + length, sizeof text - (size_t)length, "%s", FACES);
    gr_run_write("ledge.obj", text);
}

/// A block slides to a stop on a rock: v²/(2 μ g), with μ of the first zone of the rock that contains its feet.
static void test_rock_zones(void **state)
{
    (void)state;
    const double PATH = 3e-3; // relative, as above
    write_ledge();
    write_block("rover: ./block.yaml\n"
                "soil: none\n"
                "start: {height_m: 0.2002, velocity_mps: [3, 0, 0]}\n"
                "terrain: {rocks: {mesh: {file: ledge.obj}}}\n"
                "hard:\n"
                "  restitution: 0.1\n"
                "  materials: {dust: {friction: 0.3}, bare: {friction: 0.6}}\n"
                "  made_of: {rocks: bare, wheels: bare}\n"
                "  pairs:\n"
                "    - {between: [bare, dust], friction: 0.2}\n"
                "  rock_zones: []\n"
                "step: {pace: fixed, step_ms: 1}\n"
                "stop: {time_s: 3, tip_deg: 180}\n");
    const double bare = 9 / (2 * 0.6 * G), dust = 9 / (2 * 0.2 * G);
    const struct {
        const char *zones;
        double stops;
    } CASES[] = {{"", bare},
                 {"{material: dust, facing_deg: [0, 20]}", dust},
                 {"{material: dust, facing_deg: [20, 180]}", bare},
                 {"{material: dust, height: [0.4, 0.6]}", dust}, // of the rock, not of the part that the feet are on
                 {"{material: dust, height: [0.9, 1]}", bare},
                 {"{material: bare, height: [0.4, 0.6]}, {material: dust}", bare}}; // the first counts
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char sets[256];
        snprintf(sets, sizeof sets, "--set 'hard.rock_zones=[%s]'", CASES[i].zones);
        assert_near_rel(run_and_read(sets, "x_m"), CASES[i].stops, PATH);
    }
    const GrRun *run = gr_run("check hard.yaml --set 'hard.rock_zones=[{material: dus, height: [0.6, 0.4]}]'");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "did you mean 'dust'?");
    assert_has(run->err, "the first number is above the second");
    unlink("ledge.obj");
    remove_block();
}

/// Errors, and values without effect, are reported with their location.
static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *set, *message;
        int exit_code;
    } CASES[] = {
        {"hard.law=hunt_crosley", "hard.law: 'hunt_crosley' is not allowed here; did you mean 'hunt_crossley'?", 2},
        {"hard.friction_law=coulomb", "allowed: spring, tanh, bengisu_akay, pacejka", 2},
        {"hard.magic_C=3", "hard.magic_C: 3 is out of range; allowed: 1 to 2", 2},
        {"hard.made_of.wheels=ruber", "hard.made_of.wheels: there is no material 'ruber'; did you mean 'rubber'?", 2},
        {"hard.made_of={wheel: ice}", "there is no group 'wheel'; did you mean 'wheels'?", 2},
        {"hard.pairs[0].between=[ice]", "is a list of two names, [material, material]", 2},
        {"hard.pairs[0].young_Pa=1e7", "belongs to a material, not to a pair", 2},
        {"hard.pairs[0].static_friction=0.05", "static_friction is 0.05; allowed: 0 (same as friction), or at least",
         2},
        {"hard.pairs[1]={between: [slab, slab], static_friction: 0.5}", "at least the friction of both, 0.9", 2},
        {"hard.zones[0].circle_m=[0, 0, 1]", "a zone has one of circle_m, box_m, polygon_m", 2},
        {"hard.zones[0].box_m=[0, 0]", "hard.zones[0].box_m", 2},
        {"hard.zones=[{material: ice, circle_m: [0, 0, -1]}]", "the radius is -1; allowed: above 0", 2},
        {"hard.map={rules: [sand]}", "there is no material 'sand'", 2},
        {"hard.slip_speed_mps=0.01", "has no effect: no law in use reads it (tanh, bengisu_akay, pacejka)", 0},
        {"hard.pairs[0].magic_B=2", "hard.pairs[0].magic_B: has no effect: no law in use reads it (pacejka)", 0},
        {"hard.materials.steel={}", "hard.materials.steel: has no effect: nothing is made of it", 0},
    };
    write_block(ZONES);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char line[512];
        snprintf(line, sizeof line, "check hard.yaml --set '%s'", CASES[i].set);
        const GrRun *run = gr_run(line);
        if (run->exit_code != CASES[i].exit_code || strstr(run->err, CASES[i].message) == NULL) {
            print_error("%s: exit %d, '%s' is not in:\n%s%s\n", CASES[i].set, run->exit_code, CASES[i].message,
                        run->out, run->err);
            fail();
        }
    }
    remove_block();
}

/// The tables are what can be listed.
static void test_lists(void **state)
{
    (void)state;
    assert_has(gr_run("list integrators --names")->out, "linear\neuler\nbeeman\n");
    assert_has(gr_run("list integrators")->out, "semi-implicit");
    assert_has(gr_run("list integrators --json")->out, "\"name\": \"beeman\"");
    assert_has(gr_run("list contact-laws")->out, "spring_dashpot");
    assert_has(gr_run("list friction-laws --names")->out, "spring\ntanh\nbengisu_akay\npacejka\n");
    assert_has(gr_run("list friction-laws --json")->out, "\"name\": \"pacejka\"");
    assert_has(gr_run("list hard-parameters")->out, "static_friction");
    assert_has(gr_run("list hard-parameters --json")->out, "\"allowed\": \"1 to 2\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),      cmocka_unit_test(test_creep), cmocka_unit_test(test_slides),
        cmocka_unit_test(test_restitution), cmocka_unit_test(test_zones), cmocka_unit_test(test_rock_zones),
        cmocka_unit_test(test_messages),    cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
