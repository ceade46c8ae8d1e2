/// The keys of a rover's file as tables: what they are, where they go, and when they change nothing.
///
/// A file is judged on its own: only keys without effect in any situation give a warning. Where it depends on the
/// scenario (the crown of a rim matters only on rock), only values that the scenario sets itself are judged. Nor is a
/// file judged for the effect of an override: a wheel whose motor is removed keeps its gains.
/// tests/scenario/test_rover_ignored.c checks both against runs: a key with a warning does not change any bit of the
/// result, and one without a warning does.
#include "rover_parts.h"
#include "vec3.h"

#include "joint_kind.h"
#include "rover_def.h"
#include "sensor_param.h"

#include "grouser/localise.h"
#include "grouser/sense.h"

#include <string.h>

/// `rotation_deg` of a pose.
static void read_rotation(GrNode *node, void *pose)
{
    double rpy[3];
    if (gr_node_numbers(node, GR_ANY, rpy, 3)) {
        const GrVec3 radians = gr_scale(GR_PI / 180, gr_vec3(rpy[0], rpy[1], rpy[2]));
        ((GrPose *)pose)->rotation = gr_quat_from_rpy(radians.x, radians.y, radians.z);
    }
}

/// The part of the rover that a mapping of the file became.
typedef struct Item {
    const GrRoverDef *rover;
    const GrBodyDef *body;
    const GrJointDef *joint;
    const GrWheelDef *wheel;
    bool is_inertia; ///< a shape gives a body its inertia
} Item;

static bool follows(const Item *item)
{
    bool found = false;
    for (int i = 0; i < item->rover->coupling_count; i++) {
        found = found || &item->rover->joints[item->rover->couplings[i].joint] == item->joint;
    }
    return found;
}

/// A condition on the item `i` under which a key has no effect.
#define WHEN(name, condition)                                                                                          \
    static bool name(const void *definition)                                                                           \
    {                                                                                                                  \
        const Item *i = definition;                                                                                    \
        return condition;                                                                                              \
    }

// clang-format off
WHEN(always, i != NULL)
WHEN(massless, i->body->mass == 0)
WHEN(of_inertia, i->is_inertia)
WHEN(no_stops, isinf(i->joint->lower) && isinf(i->joint->upper))
WHEN(no_spring, i->joint->stiffness == 0)
WHEN(no_friction, i->joint->friction == 0)
WHEN(no_motor, i->joint->motor.kind == GR_MOTOR_NONE)
WHEN(unmoved_role, i->joint->role != GR_ROLE_PASSIVE && no_motor(i))
WHEN(is_coupled, follows(i))
WHEN(ideal_speed, i->joint->motor.kind == GR_MOTOR_SPEED)
WHEN(no_gains, i->joint->motor.kind == GR_MOTOR_TORQUE || ideal_speed(i))
WHEN(not_dc, i->joint->motor.kind != GR_MOTOR_DC)
WHEN(stiff_wheel, isinf(i->wheel->stiffness))
WHEN(no_rim, i->wheel->rimless)
WHEN(no_grousers, i->wheel->grouser_count == 0 || i->wheel->grouser_height == 0)
WHEN(no_pattern, no_grousers(i) || i->wheel->grouser_thickness == 0)
WHEN(straight, i->wheel->grouser_pattern == GR_GROUSERS_STRAIGHT)
// clang-format on

#define CHOICE(array) .names = (array), .size = (int)(sizeof(array) / sizeof((array)[0]))

// ---- bodies

#define P(member) offsetof(GrPose, member)
const GrKey gr_pose_keys[] = {{"at_m", GR_KEY_NUMBERS, "position", P(position), GR_SPAN_ANY, .size = 3,
                               .ignored = {{of_inertia, "the inertia is about the body's centre of mass (com_m)"}}},
                              {"rotation_deg", GR_KEY_NUMBERS, "roll, pitch and yaw about the fixed axes x, y, z",
                               .size = 3, .range = GR_SPAN_ANY, .read = read_rotation, .usual = "[0, 0, 0]"},
                              {NULL}};

#define S(member) offsetof(GrShapeDef, member)
/// What a shape that touches things has.
static const GrKey TOUCH[] = {
    {"group", GR_KEY_TEXT, "collision group", S(group), .size = GR_NAME_SIZE, .usual = "bodies"},
    {"material", GR_KEY_TEXT, "material, for scenarios that have it", S(material), .size = GR_NAME_SIZE},
    {NULL}};

#define POSED                                                                                                          \
    {                                                                                                                  \
        "", GR_KEY_GROUP, .offset = S(pose), .keys = gr_pose_keys                                                      \
    }
#define TOUCHING                                                                                                       \
    {                                                                                                                  \
        "", GR_KEY_GROUP | GR_KEY_ELSEWHERE, .keys = TOUCH                                                             \
    }
static const GrKey BOX[] = {
    {"size_m", GR_KEY_NUMBERS, "[x, y, z]", S(size), GR_SPAN_POSITIVE, .size = 3, .required = true},
    POSED,
    TOUCHING,
    {NULL}};
static const GrKey CYLINDER[] = {
    {"length_m", GR_KEY_NUMBER, "length along y", S(length), GR_SPAN_POSITIVE, .required = true},
    {"radius_m", GR_KEY_NUMBER, "radius", S(radius), GR_SPAN_POSITIVE, .required = true},
    POSED,
    TOUCHING,
    {NULL}};
static const GrKey SPHERE_POSE[] = {
    {"at_m", GR_KEY_NUMBERS, "position", P(position), GR_SPAN_ANY, .size = 3,
     .ignored = {{of_inertia, "the inertia is about the body's centre of mass (com_m)"}}},
    {"rotation_deg", GR_KEY_NUMBERS, "changes nothing", .size = 3, .range = GR_SPAN_ANY, .read = read_rotation,
     .ignored = {{always, "a sphere has no orientation"}}},
    {NULL}};
static const GrKey SPHERE[] = {{"radius_m", GR_KEY_NUMBER, "radius", S(radius), GR_SPAN_POSITIVE, .required = true},
                               {"", GR_KEY_GROUP, .offset = S(pose), .keys = SPHERE_POSE},
                               TOUCHING,
                               {NULL}};
static const GrKey ROD[] = {{"from_m", GR_KEY_NUMBERS, "one end", S(from), GR_SPAN_ANY, .size = 3, .required = true},
                            {"to_m", GR_KEY_NUMBERS, "the other end", S(to), GR_SPAN_ANY, .size = 3, .required = true},
                            {"radius_m", GR_KEY_NUMBER, "radius", S(radius), GR_SPAN_POSITIVE, .required = true},
                            TOUCHING,
                            {NULL}};
static const GrKey MESH[] = {
    {"file", GR_KEY_TEXT | GR_KEY_ELSEWHERE, "an OBJ or STL file beside this one", .required = true},
    {"scale", GR_KEY_NUMBER | GR_KEY_ELSEWHERE, "metres per unit of the file", .range = GR_SPAN_POSITIVE, .usual = "1"},
    {"pieces", GR_KEY_INTEGER | GR_KEY_ELSEWHERE, "most convex parts that each closed object of the file is cut into",
     .range = GR_SPAN_BETWEEN(1, 1000), .usual = "one hull of the whole file"},
    {"error", GR_KEY_NUMBER | GR_KEY_ELSEWHERE, "cut until parts have at most this share of their object too much",
     .range = GR_SPAN_BETWEEN(0, 1), .usual = "0.05"},
    POSED,
    TOUCHING,
    {NULL}};

const GrKey gr_shape_keys[] = { // by GrShapeKind
    {"box", GR_KEY_MAPPING, "a cuboid", .keys = BOX},
    {"cylinder", GR_KEY_MAPPING, "a cylinder along y", .keys = CYLINDER},
    {"sphere", GR_KEY_MAPPING, "a sphere", .keys = SPHERE},
    {"rod", GR_KEY_MAPPING, "a cylinder between two points", .keys = ROD},
    {"mesh", GR_KEY_MAPPING, "the convex hull of a file, or convex parts of it", .keys = MESH},
    {NULL}};

static void fill_shape(void *shape)
{
    *(GrShapeDef *)shape = gr_default_shape_def();
}

#define I(member) offsetof(GrSym3, member)
const GrKey gr_inertia_keys[] = {
    {"xx", GR_KEY_NUMBER, "element of the matrix", I(xx), GR_SPAN_POSITIVE, .required = true},
    {"yy", GR_KEY_NUMBER, "element of the matrix", I(yy), GR_SPAN_POSITIVE, .required = true},
    {"zz", GR_KEY_NUMBER, "element of the matrix", I(zz), GR_SPAN_POSITIVE, .required = true},
    {"xy", GR_KEY_NUMBER, "minus the integral of x y dm", I(xy), GR_SPAN_ANY},
    {"xz", GR_KEY_NUMBER, "minus the integral of x z dm", I(xz), GR_SPAN_ANY},
    {"yz", GR_KEY_NUMBER, "minus the integral of y z dm", I(yz), GR_SPAN_ANY},
    {NULL}};

// ---- joints and motors

#define J(member) offsetof(GrJointDef, member)
#define M(member) offsetof(GrMotorDef, member)
enum { SPRING = GR_JOINT_TAKES_SPRING, ALONG = GR_JOINT_TAKES_ALONG };

#define NO_STOPS                                                                                                       \
    {                                                                                                                  \
        {                                                                                                              \
            no_stops, "the joint has no end stops (limits)"                                                            \
        }                                                                                                              \
    }
#define NO_GAINS                                                                                                       \
    {                                                                                                                  \
        {no_motor, "there is no motor (kind: none)"},                                                                  \
        {                                                                                                              \
            no_gains, "it applies only to the kinds pid, dc and position"                                              \
        }                                                                                                              \
    }
#define ONLY_DC                                                                                                        \
    {                                                                                                                  \
        {                                                                                                              \
            not_dc, "it applies only to the kind dc"                                                                   \
        }                                                                                                              \
    }

const GrJointQuantity gr_joint_quantities[] = {
    {{"stop_stiffness_Nm_per_rad", GR_KEY_NUMBER, "of the end stops", J(stop_stiffness), GR_SPAN_POSITIVE,
      .ignored = NO_STOPS},
     "stop_stiffness_N_per_m",
     ALONG},
    {{"stop_damping_Nms_per_rad", GR_KEY_NUMBER, "of the end stops", J(stop_damping), GR_SPAN_NOT_NEGATIVE,
      .ignored = NO_STOPS},
     "stop_damping_Ns_per_m",
     ALONG},
    {{"stiffness_Nm_per_rad", GR_KEY_NUMBER, "spring", J(stiffness), GR_SPAN_NOT_NEGATIVE},
     "stiffness_N_per_m",
     SPRING},
    {{"damping_Nms_per_rad", GR_KEY_NUMBER, "viscous damper", J(damping), GR_SPAN_NOT_NEGATIVE},
     "damping_Ns_per_m",
     SPRING},
    {{"rest_deg", GR_KEY_NUMBER, "where the spring is relaxed", J(rest), GR_SPAN_ANY,
      .ignored = {{no_spring, "the joint has no spring (stiffness)"}}},
     "rest_m",
     ALONG},
    {{"friction_Nm", GR_KEY_NUMBER, "Coulomb friction; holds without creep", J(friction), GR_SPAN_NOT_NEGATIVE},
     "friction_N",
     ALONG},
    {{"friction_travel_deg", GR_KEY_NUMBER, "elastic travel before it slips", J(friction_travel), GR_SPAN_POSITIVE,
      .ignored = {{no_friction, "the joint has no friction"}}},
     "friction_travel_m",
     ALONG},
    {{"initial_deg", GR_KEY_NUMBER, "position at the start", J(initial), GR_SPAN_ANY,
      .ignored = {{is_coupled, "the joint follows another one (couplings)"}}},
     "initial_m",
     ALONG},
    {{"pitch_m_per_rad", GR_KEY_NUMBER, "screw: advance over angle, not 0", J(pitch), GR_SPAN_ANY},
     "pitch_m_per_rad",
     GR_JOINT_TAKES_PITCH},
    {{NULL}, NULL, 0}};

const GrJointQuantity gr_motor_quantities[] = {
    {{"kp", GR_KEY_NUMBER, "proportional gain", M(kp), GR_SPAN_NOT_NEGATIVE, .ignored = NO_GAINS}, "kp", ALONG},
    {{"ki", GR_KEY_NUMBER, "integral gain", M(ki), GR_SPAN_NOT_NEGATIVE, .ignored = NO_GAINS}, "ki", ALONG},
    {{"kd", GR_KEY_NUMBER, "derivative gain", M(kd), GR_SPAN_NOT_NEGATIVE, .ignored = NO_GAINS}, "kd", ALONG},
    {{"torque_limit_Nm", GR_KEY_NUMBER, "largest torque or force", M(torque_limit), GR_SPAN_POSITIVE_OR_INFINITE,
      .ignored = {{no_motor, "there is no motor (kind: none)"},
                  {ideal_speed, "an ideal motor (kind: speed) applies any torque or force that is needed"}}},
     "force_limit_N",
     ALONG},
    {{"stall_torque_Nm", GR_KEY_NUMBER, "kind dc: torque or force at rest", M(stall_torque), GR_SPAN_POSITIVE,
      .ignored = ONLY_DC},
     "stall_force_N",
     ALONG},
    {{"no_load_speed_rad_per_s", GR_KEY_NUMBER, "kind dc: speed without load", M(no_load_speed), GR_SPAN_POSITIVE,
      .ignored = ONLY_DC},
     "no_load_speed_m_per_s",
     ALONG},
    {{"rotor_inertia_kgm2", GR_KEY_NUMBER, "inertia of the rotor, at the joint", M(rotor_inertia),
      GR_SPAN_NOT_NEGATIVE},
     "rotor_mass_kg",
     ALONG},
    {{NULL}, NULL, 0}};

/// Keys of turning joints, then those of sliding ones that differ.
static bool quantity_row(const GrJointQuantity *table, int index, GrKey *out)
{
    for (int pass = 0; pass < 2; pass++) {
        for (const GrJointQuantity *q = table; q->key.name != NULL; q++) {
            const bool is_row = pass == 0 || strcmp(q->sliding, q->key.name) != 0;
            if (is_row && index-- == 0) {
                *out = q->key;
                out->name = pass == 0 ? q->key.name : q->sliding;
                return true;
            }
        }
    }
    return false;
}

static bool joint_row(int index, GrKey *out)
{
    return quantity_row(gr_joint_quantities, index, out);
}

static bool motor_row(int index, GrKey *out)
{
    return quantity_row(gr_motor_quantities, index, out);
}

static const GrKey MOTOR[] = {
    {"kind", GR_KEY_CHOICE, "kind of motor", M(kind), CHOICE(gr_motor_kind_names), .required = true},
    {"", GR_KEY_GROUP, .row = motor_row},
    {NULL}};

static const char *joint_kind_name(int i)
{
    return i < GR_JOINT_KIND_COUNT ? gr_joint_kind((GrJointKind)i)->name : NULL;
}

static const GrKey JOINT[] = {
    {"kind", GR_KEY_CHOICE, "kind of joint", .name_of = joint_kind_name, .required = true},
    {"name", GR_KEY_TEXT, "name of the joint", .usual = "that of the body"},
    {"", GR_KEY_GROUP, .offset = J(pose), .keys = gr_pose_keys},
    {"axis", GR_KEY_TEXT | GR_KEY_NUMBERS, "x, y, z, -x, -y, -z, or a vector, in the joint frame", .size = 3,
     .range = GR_SPAN_ANY},
    {"role", GR_KEY_CHOICE, "what control uses it for", J(role), CHOICE(gr_joint_role_names),
     .ignored = {{unmoved_role, "control acts on motors, and this joint has none"}}},
    {"limits_deg", GR_KEY_NUMBERS, "[lower, upper] end stops", J(lower), GR_SPAN_ANY_OR_INFINITE, .size = 2},
    {"limits_m", GR_KEY_NUMBERS, "[lower, upper] end stops", J(lower), GR_SPAN_ANY_OR_INFINITE, .size = 2},
    {"", GR_KEY_GROUP, .row = joint_row},
    {"initial_rotation_deg", GR_KEY_NUMBERS, "spherical and free: roll, pitch, yaw at the start", .size = 3,
     .range = GR_SPAN_ANY, .usual = "[0, 0, 0]"},
    {"initial_at_m", GR_KEY_NUMBERS, "free: position at the start", J(initial_pose.position), GR_SPAN_ANY, .size = 3},
    {"motor", GR_KEY_MAPPING, "motor", J(motor), .keys = MOTOR},
    {NULL}};

static void fill_joint(void *joint)
{
    *(GrJointDef *)joint = gr_default_joint_def();
}

#define B(member) offsetof(GrBodyDef, member)
const GrKey gr_body_keys[] = {
    {"mass_kg", GR_KEY_NUMBER, "0 only on a fixed joint", B(mass), GR_SPAN_NOT_NEGATIVE, .required = true},
    {"com_m", GR_KEY_NUMBERS, "centre of mass in the body frame", B(com), GR_SPAN_ANY, .size = 3,
     .ignored = {{massless, "the body has no mass"}}},
    {"inertia_kgm2", GR_KEY_MAPPING | GR_KEY_ELSEWHERE, "about the centre of mass, in body axes",
     .keys = gr_inertia_keys, .offset = B(inertia)},
    {"inertia_of", GR_KEY_MAPPING | GR_KEY_ELSEWHERE, "instead: that of a uniform solid of this mass",
     .keys = gr_shape_keys, .fill = fill_shape, .size = sizeof(GrShapeDef),
     .ignored = {{massless, "the body has no mass"}}},
    {"shapes", GR_KEY_LIST | GR_KEY_ELSEWHERE, "drawn, and used for contact; they do not enter the mass",
     .keys = gr_shape_keys, .fill = fill_shape, .size = sizeof(GrShapeDef)},
    {NULL}};

static const GrKey BODY[] = {{"parent", GR_KEY_TEXT, "body that it is attached to; the chassis has none"},
                             {"joint", GR_KEY_MAPPING, "how it is attached, required with parent", .keys = JOINT,
                              .fill = fill_joint, .size = sizeof(GrJointDef)},
                             {"", GR_KEY_GROUP, .keys = gr_body_keys},
                             {NULL}};

static void fill_body(void *body)
{
    *(GrBodyDef *)body = gr_default_body_def();
}

// ---- wheels and couplings

#define W(member) offsetof(GrWheelDef, member)
static const GrKey GROUSERS[] = {
    {"pattern", GR_KEY_CHOICE, "pattern", W(grouser_pattern), CHOICE(gr_grouser_pattern_names),
     .ignored = {{no_pattern, "there are none: count, height_m or thickness_m is 0"}}},
    {"angle_deg",
     GR_KEY_NUMBER,
     "of slanted ones and chevrons",
     W(grouser_angle),
     {-80, 80, true, true, false},
     .ignored = {{no_pattern, "there are none: count, height_m or thickness_m is 0"},
                 {straight, "it applies only to the patterns slanted and chevron"}}},
    {"count", GR_KEY_INTEGER, "around the wheel", W(grouser_count), GR_SPAN_BETWEEN(0, 1000), .required = true},
    {"height_m", GR_KEY_NUMBER, "above the rim", W(grouser_height), GR_SPAN_NOT_NEGATIVE, .required = true},
    {"thickness_m", GR_KEY_NUMBER, "along the rim", W(grouser_thickness), GR_SPAN_NOT_NEGATIVE,
     .ignored = {{no_grousers, "there are none: count or height_m is 0"}}},
    {"lugs", GR_KEY_BOOL, "single grousers push soil, each with its own wedge", W(grouser_lugs),
     .ignored = {{no_grousers, "there are none: count or height_m is 0"}}},
    {NULL}};

static const GrKey SOIL_MESH[] = {
    {"file", GR_KEY_TEXT, "an OBJ or STL file", .required = true},
    {"scale", GR_KEY_NUMBER, "metres per unit of the file", .range = GR_SPAN_POSITIVE, .usual = "1"},
    {NULL}};

const GrKey gr_wheel_keys[] = {
    {"body", GR_KEY_TEXT | GR_KEY_ELSEWHERE, "the body that is the wheel", .usual = "that of its name"},
    {"", GR_KEY_GROUP, .offset = W(pose), .keys = gr_pose_keys},
    {"radius_m", GR_KEY_NUMBER, "of the rim, without grousers", W(radius), GR_SPAN_POSITIVE, .required = true},
    {"width_m", GR_KEY_NUMBER, "of the rim", W(width), GR_SPAN_POSITIVE, .required = true},
    {"stiffness_N_per_m", GR_KEY_NUMBER, "radial, of a flexible wheel", W(stiffness), GR_SPAN_POSITIVE_OR_INFINITE},
    {"damping_Ns_per_m", GR_KEY_NUMBER, "of a flexible wheel", W(damping), GR_SPAN_NOT_NEGATIVE,
     .ignored = {{stiff_wheel, "the wheel is rigid (stiffness_N_per_m)"}}},
    {"group", GR_KEY_TEXT, "collision group", W(group), .size = GR_NAME_SIZE, .usual = "wheels"},
    {"material", GR_KEY_TEXT, "material, for scenarios that have it", W(material), .size = GR_NAME_SIZE},
    {"grousers", GR_KEY_MAPPING, "grousers", .keys = GROUSERS},
    {"crown_m", GR_KEY_NUMBER | GR_KEY_ELSEWHERE,
     "height of the middle of the rim above its edges, less than the radius", W(crown), GR_SPAN_NOT_NEGATIVE,
     .ignored = {{no_rim, "the wheel has no rim"}}},
    {"rim", GR_KEY_BOOL | GR_KEY_ELSEWHERE, "false: it stands on the shapes of its body", .usual = "true"},
    {"mesh", GR_KEY_TEXT | GR_KEY_ELSEWHERE, "an OBJ or STL file of its shape, for hard: {wheels: mesh}",
     .ignored = {{no_rim, "the wheel has no rim"}}},
    {"soil_mesh", GR_KEY_TEXT | GR_KEY_MAPPING | GR_KEY_ELSEWHERE, "the same for soil of the law rft",
     .keys = SOIL_MESH},
    {"side_mesh", GR_KEY_TEXT | GR_KEY_MAPPING | GR_KEY_ELSEWHERE,
     "an OBJ or STL file of one side wall, for soil with side_bulldozing: mesh", .keys = SOIL_MESH},
    {NULL}};

static void fill_wheel(void *wheel)
{
    *(GrWheelDef *)wheel = gr_default_wheel_def();
}

static const GrKey COUPLING[] = {
    {"joint", GR_KEY_TEXT, "joint that follows", .required = true},
    {"of", GR_KEY_TEXT, "joint that it follows", .required = true},
    {"ratio", GR_KEY_NUMBER, "position over that of the other", .range = GR_SPAN_ANY, .required = true},
    {"offset_deg", GR_KEY_NUMBER, "position where the other is at 0", .range = GR_SPAN_ANY, .usual = "0"},
    {"offset_m", GR_KEY_NUMBER, "the same for a joint that slides", .range = GR_SPAN_ANY, .usual = "0"},
    {NULL}};

// ---- sensors

/// The index-th number of sensors in a mapping; one that several kinds have counts once.
static bool param_row(const char *group, int index, GrKey *out)
{
    for (int i = 0; i < gr_sensor_param_count(); i++) {
        const GrSensorParam *p = gr_sensor_param(i);
        bool is_first = strcmp(p->group, group) == 0;
        for (int k = 0; k < i && is_first; k++) {
            const GrSensorParam *other = gr_sensor_param(k);
            is_first = strcmp(other->group, group) != 0 || strcmp(other->key, p->key) != 0;
        }
        if (is_first && index-- == 0) {
            *out = (GrKey){p->key, p->whole ? GR_KEY_INTEGER : GR_KEY_NUMBER, p->text, p->offset,
                           .range = {p->lower, p->upper, p->open, false, isinf(p->upper)}};
            return true;
        }
    }
    return false;
}

static bool sensor_row(int index, GrKey *out)
{
    return param_row("", index, out);
}

static bool gyro_row(int index, GrKey *out)
{
    return param_row("gyro", index, out);
}

static bool accelerometer_row(int index, GrKey *out)
{
    return param_row("accelerometer", index, out);
}

static const GrKey GYRO[] = {{"", GR_KEY_GROUP, .row = gyro_row}, {NULL}};
static const GrKey ACCELEROMETER[] = {{"", GR_KEY_GROUP, .row = accelerometer_row}, {NULL}};

static const GrKey SENSOR[] = {
    {"kind", GR_KEY_CHOICE, "kind of sensor: docs/sensors.md", CHOICE(gr_sensor_kind_names), .required = true},
    {"body", GR_KEY_TEXT, "body that it is mounted on", .usual = "the chassis"},
    {"joint", GR_KEY_TEXT, "joint of an encoder"},
    {"", GR_KEY_GROUP | GR_KEY_ELSEWHERE, .keys = gr_pose_keys},
    {"", GR_KEY_GROUP, .row = sensor_row},
    {"gyro", GR_KEY_MAPPING, "of an IMU", .keys = GYRO},
    {"accelerometer", GR_KEY_MAPPING, "of an IMU", .keys = ACCELEROMETER},
    {"pattern", GR_KEY_FILE, "LiDAR: a table of rays"},
    {"save_as", GR_KEY_CHOICE, "LiDAR: format of scans", CHOICE(gr_cloud_format_names), .usual = "ply"},
    {NULL}};

static bool no_encoders(const void *definition)
{
    return ((const GrLocalisationDef *)definition)->encoder_count == 0;
}

#define NO_ENCODERS                                                                                                    \
    {                                                                                                                  \
        {                                                                                                              \
            no_encoders, "the localisation has no encoders"                                                            \
        }                                                                                                              \
    }
#define L(member) offsetof(GrLocalisationDef, member)
const GrKey gr_localisation_keys[] = {{"imu", GR_KEY_TEXT | GR_KEY_ELSEWHERE, "sensor of kind imu", .required = true},
                                      {"visual_odometry", GR_KEY_TEXT | GR_KEY_ELSEWHERE, "sensor of visual odometry"},
                                      {"star_tracker", GR_KEY_TEXT | GR_KEY_ELSEWHERE, "star tracker"},
                                      {"encoders", GR_KEY_LIST | GR_KEY_ELSEWHERE, "encoders of drives and steering"},
                                      {"slip",
                                       GR_KEY_NUMBER,
                                       "assumed standard deviation of slip",
                                       L(slip),
                                       {0, 10, true, false, false},
                                       .ignored = NO_ENCODERS},
                                      {"side_slip_deg",
                                       GR_KEY_NUMBER,
                                       "the same of side slip",
                                       L(side_slip),
                                       {0, 90, true, false, false},
                                       .ignored = NO_ENCODERS},
                                      {"slip_time_s",
                                       GR_KEY_NUMBER,
                                       "time over which slip changes",
                                       L(slip_time),
                                       {0, 1e6, true, false, false},
                                       .ignored = NO_ENCODERS},
                                      {"start_position_m",
                                       GR_KEY_NUMBER,
                                       "standard deviation at the start",
                                       L(start_position),
                                       {0, 1e6, true, false, false}},
                                      {"start_attitude_deg",
                                       GR_KEY_NUMBER,
                                       "standard deviation at the start",
                                       L(start_attitude),
                                       {0, 90, true, false, false}},
                                      {NULL}};

static void fill_localisation(void *localisation)
{
    *(GrLocalisationDef *)localisation = gr_default_localisation_def();
}

static const GrKey NOTE[] = {{"published", GR_KEY_TEXT, "where numbers come from"},
                             {"derived", GR_KEY_TEXT, "how they follow from published ones"},
                             {"assumed", GR_KEY_TEXT, "what is assumed"},
                             {NULL}};

static const GrKey ROVER[] = {
    {"name", GR_KEY_TEXT, "short name", .usual = "that of the file"},
    {"title", GR_KEY_TEXT, "one line for display"},
    {"notes", GR_KEY_LIST, "where the numbers come from", .keys = NOTE},
    {"include", GR_KEY_TEXT | GR_KEY_LIST, "rovers that provide the keys missing here"},
    {"", GR_KEY_GROUP, .keys = gr_common_keys},
    {"bodies", GR_KEY_NAMED, "exactly one has no parent: the chassis", .keys = BODY, .fill = fill_body,
     .size = sizeof(GrBodyDef)},
    {"wheels", GR_KEY_NAMED, "wheels", .keys = gr_wheel_keys, .fill = fill_wheel, .size = sizeof(GrWheelDef)},
    {"couplings", GR_KEY_NAMED, "joints that follow others", .keys = COUPLING},
    {"sensors", GR_KEY_NAMED, "sensors; they never change the motion", .keys = SENSOR},
    {"localisation", GR_KEY_MAPPING, "sensors that locate the rover", .keys = gr_localisation_keys,
     .fill = fill_localisation, .size = sizeof(GrLocalisationDef)},
    {"urdf", GR_KEY_TEXT, "the URDF that this file completes: docs/rovers.md"},
    {"joints", GR_KEY_NAMED, "joints of the URDF: what it cannot express", .keys = JOINT, .fill = fill_joint,
     .size = sizeof(GrJointDef)},
    {"massless_kg", GR_KEY_NUMBER, "mass for moving links of the URDF that have none", .range = GR_SPAN_POSITIVE},
    {"forward", GR_KEY_TEXT, "axis of the URDF's chassis that points forward: x, y, -x, -y", .usual = "x"},
    {NULL}};

const GrSchema gr_schema_rover = {"rover", ROVER, NULL, 0};

// ---- keys without effect

/// Whether an override sets something inside this node.
static bool has_typed(const GrNode *node)
{
    bool found = gr_node_is_override(node);
    for (const GrNode *child = node->first; child != NULL && !found; child = child->next) {
        found = has_typed(child);
    }
    return found;
}

static void check_body(const GrNode *node, bool typed, Item *item)
{
    gr_keys_warn(node, gr_body_keys, item, typed);
    item->is_inertia = true;
    gr_keys_warn(gr_node_find(node, "inertia_of"), gr_shape_keys, item, typed);
    item->is_inertia = false;
    const GrNode *shapes = gr_node_find(node, "shapes");
    for (const GrNode *shape = shapes != NULL ? shapes->first : NULL; shape != NULL; shape = shape->next) {
        gr_keys_warn(shape, gr_shape_keys, item, typed);
    }
    for (int i = 0; i < item->rover->joint_count; i++) {
        if (&item->rover->bodies[item->rover->joints[i].child] == item->body) {
            item->joint = &item->rover->joints[i];
            gr_keys_warn(gr_node_find(node, "joint"), JOINT, item, typed);
        }
    }
}

static const GrNode *first_of(const GrNode *root, const char *section)
{
    const GrNode *node = gr_node_find(root, section);
    return node != NULL ? node->first : NULL;
}

void gr_rover_warn_ignored(const GrNode *root, const GrRoverDef *rover)
{
    Item item = {.rover = rover};
    if (root->document->status != GR_OK) {
        return;
    }
    for (const GrNode *node = first_of(root, "bodies"); node != NULL; node = node->next) {
        item.body = &rover->bodies[gr_find_body(rover, node->key)];
        check_body(node, has_typed(node), &item);
    }
    for (const GrNode *node = first_of(root, "joints"); node != NULL; node = node->next) {
        item.joint = &rover->joints[gr_find_joint(rover, node->key)];
        gr_keys_warn(node, JOINT, &item, has_typed(node));
    }
    int wheel = 0;
    for (const GrNode *node = first_of(root, "wheels"); node != NULL && wheel < rover->wheel_count; node = node->next) {
        item.wheel = &rover->wheels[wheel++];
        gr_keys_warn(node, gr_wheel_keys, &item, has_typed(node));
    }
    gr_document_warn_params(root->document);
}
