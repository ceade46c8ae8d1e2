#include "urdf_write.h"

#include "convex_mesh.h"
#include "elementary.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

// URDF requires limits of a joint that is not continuous; these stand for none
static const double NO_END = 1e9, NO_EFFORT = 1e9, NO_SPEED = 1e9;

const char *gr_urdf_base(const GrRoverDef *rover)
{
    for (int i = 0; i < rover->body_count; i++) {
        if (strcmp(rover->bodies[i].name, "base_link") == 0) {
            return rover->bodies[0].name;
        }
    }
    return "base_link";
}

// ---- attributes

static void put_text(GrBuffer *out, const char *attribute, const char *text)
{
    gr_buffer_printf(out, " %s=\"", attribute);
    gr_buffer_xml(out, text);
    gr_buffer_puts(out, "\"");
}

static void put_number(GrBuffer *out, const char *attribute, double value)
{
    gr_buffer_printf(out, " %s=\"", attribute);
    gr_buffer_number(out, value);
    gr_buffer_puts(out, "\"");
}

static void put_vector(GrBuffer *out, const char *attribute, GrVec3 v)
{
    const double values[] = {v.x, v.y, v.z};
    gr_buffer_printf(out, " %s=\"", attribute);
    for (int i = 0; i < 3; i++) {
        gr_buffer_puts(out, i > 0 ? " " : "");
        gr_buffer_number(out, values[i]);
    }
    gr_buffer_puts(out, "\"");
}

static void put_origin(GrBuffer *out, GrPose pose)
{
    gr_buffer_puts(out, "<origin");
    put_vector(out, "xyz", pose.position);
    put_vector(out, "rpy", gr_quat_to_rpy(pose.rotation));
    gr_buffer_puts(out, "/>");
}

// ---- shapes

/// One convex part: a box, a cylinder along z, or a sphere.
typedef struct Part {
    GrPose pose;
    GrVec3 size;           ///< box; 0: none
    double radius, length; ///< length 0: sphere
} Part;

/// Cylinders have their axis along y here and along z in URDF.
static GrPose y_to_z(GrPose pose)
{
    const GrQuat turn = gr_quat_axis_angle(gr_vec3(1, 0, 0), GR_PI / 2);
    return gr_pose_mul(pose, (GrPose){gr_vec3(0, 0, 0), turn});
}

/// Frame with z along a rod.
static GrPose along(GrVec3 from, GrVec3 to)
{
    const GrVec3 z = {0, 0, 1}, way = gr_normalize(gr_sub(to, from)), axis = gr_cross(z, way);
    const double s = gr_norm(axis), c = gr_dot(z, way);
    const GrQuat turn = s > 1e-12 ? gr_quat_axis_angle(gr_scale(1 / s, axis), gr_atan2(s, c)) : gr_quat_identity();
    return (GrPose){gr_scale(0.5, gr_add(from, to)), turn};
}

static Part part_of_shape(const GrShapeDef *shape)
{
    switch (shape->kind) {
    case GR_SHAPE_BOX:
        return (Part){.pose = shape->pose, .size = shape->size};
    case GR_SHAPE_CYLINDER:
        return (Part){.pose = y_to_z(shape->pose), .radius = shape->radius, .length = shape->length};
    case GR_SHAPE_ROD:
        return (Part){.pose = along(shape->from, shape->to),
                      .radius = shape->radius,
                      .length = gr_norm(gr_sub(shape->to, shape->from))};
    case GR_SHAPE_MESH: {
        const GrVec3 middle = gr_scale(0.5, gr_add(shape->hull->lower, shape->hull->upper));
        return (Part){.pose = gr_pose_mul(shape->pose, (GrPose){middle, gr_quat_identity()}),
                      .size = gr_sub(shape->hull->upper, shape->hull->lower)};
    }
    case GR_SHAPE_SPHERE:
        break;
    }
    return (Part){.pose = shape->pose, .radius = shape->radius};
}

static void put_part(GrBuffer *out, const char *element, const Part *part)
{
    gr_buffer_printf(out, "    <%s>", element);
    put_origin(out, part->pose);
    gr_buffer_puts(out, "<geometry>");
    if (part->size.x > 0) {
        gr_buffer_puts(out, "<box");
        put_vector(out, "size", part->size);
    } else {
        gr_buffer_puts(out, part->length > 0 ? "<cylinder" : "<sphere");
        put_number(out, "radius", part->radius);
        if (part->length > 0) {
            put_number(out, "length", part->length);
        }
    }
    gr_buffer_printf(out, "/></geometry></%s>\n", element);
}

static void put_shapes(GrBuffer *out, const GrRoverDef *rover, int body)
{
    const GrBodyDef *b = &rover->bodies[body];
    for (int i = 0; i < b->shape_count; i++) {
        const Part part = part_of_shape(&b->shapes[i]);
        if (!b->shapes[i].only_touches) {
            put_part(out, "visual", &part);
        }
        if (!b->shapes[i].only_drawn) {
            put_part(out, "collision", &part);
        }
    }
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrWheelDef *w = &rover->wheels[i];
        const Part drum = {.pose = y_to_z(w->pose), .radius = w->radius + w->grouser_height, .length = w->width};
        if (w->body == body && !w->rimless) {
            put_part(out, "visual", &drum);
            put_part(out, "collision", &drum);
        }
    }
}

// ---- links and joints

static void put_link(GrBuffer *out, const GrRoverDef *rover, int body)
{
    const GrBodyDef *b = &rover->bodies[body];
    gr_buffer_puts(out, "  <link");
    put_text(out, "name", b->name);
    gr_buffer_puts(out, ">\n");
    if (b->mass > 0) {
        gr_buffer_puts(out, "    <inertial>");
        put_origin(out, (GrPose){b->com, gr_quat_identity()});
        gr_buffer_puts(out, "<mass");
        put_number(out, "value", b->mass);
        gr_buffer_puts(out, "/><inertia");
        put_number(out, "ixx", b->inertia.xx);
        put_number(out, "ixy", b->inertia.xy);
        put_number(out, "ixz", b->inertia.xz);
        put_number(out, "iyy", b->inertia.yy);
        put_number(out, "iyz", b->inertia.yz);
        put_number(out, "izz", b->inertia.zz);
        gr_buffer_puts(out, "/></inertial>\n");
    }
    put_shapes(out, rover, body);
    gr_buffer_puts(out, "  </link>\n");
}

static bool is_endless(const GrJointDef *joint)
{
    return isinf(joint->lower) && isinf(joint->upper);
}

static const char *joint_type(const GrJointDef *joint)
{
    switch (joint->kind) {
    case GR_JOINT_FIXED:
        return "fixed";
    case GR_JOINT_REVOLUTE:
        return is_endless(joint) ? "continuous" : "revolute";
    case GR_JOINT_PRISMATIC:
        return "prismatic";
    default:
        return "floating";
    }
}

static void put_limit(GrBuffer *out, const GrJointDef *joint)
{
    const GrMotorDef *motor = &joint->motor;
    const bool dc = motor->kind == GR_MOTOR_DC;
    gr_buffer_puts(out, "    <limit");
    if (joint->kind == GR_JOINT_PRISMATIC || !is_endless(joint)) {
        put_number(out, "lower", fmax(joint->lower, -NO_END));
        put_number(out, "upper", fmin(joint->upper, NO_END));
    }
    put_number(out, "effort", fmin(dc ? motor->stall_torque : motor->torque_limit, NO_EFFORT));
    put_number(out, "velocity", dc ? motor->no_load_speed : NO_SPEED);
    gr_buffer_puts(out, "/>\n");
}

static void put_motion(GrBuffer *out, const GrRoverDef *rover, int joint)
{
    const GrJointDef *j = &rover->joints[joint];
    gr_buffer_puts(out, "    <axis");
    put_vector(out, "xyz", gr_normalize(j->axis));
    gr_buffer_puts(out, "/>\n");
    put_limit(out, j);
    if (j->damping > 0 || j->friction > 0) {
        gr_buffer_puts(out, "    <dynamics");
        put_number(out, "damping", j->damping);
        put_number(out, "friction", j->friction);
        gr_buffer_puts(out, "/>\n");
    }
    for (int i = 0; i < rover->coupling_count; i++) {
        const GrCouplingDef *c = &rover->couplings[i];
        if (c->joint == joint) {
            gr_buffer_puts(out, "    <mimic");
            put_text(out, "joint", rover->joints[c->of].name);
            put_number(out, "multiplier", c->ratio);
            put_number(out, "offset", c->offset);
            gr_buffer_puts(out, "/>\n");
        }
    }
}

static void begin_joint(GrBuffer *out, const char *name, const char *type, const char *parent, const char *child)
{
    gr_buffer_puts(out, "  <joint");
    put_text(out, "name", name);
    put_text(out, "type", type);
    gr_buffer_puts(out, ">\n    <parent");
    put_text(out, "link", parent);
    gr_buffer_puts(out, "/><child");
    put_text(out, "link", child);
    gr_buffer_puts(out, "/>\n");
}

static void put_joint(GrBuffer *out, const GrRoverDef *rover, int joint)
{
    const GrJointDef *j = &rover->joints[joint];
    begin_joint(out, j->name, joint_type(j), rover->bodies[j->parent].name, rover->bodies[j->child].name);
    gr_buffer_puts(out, "    ");
    put_origin(out, j->pose);
    gr_buffer_puts(out, "\n");
    if (j->kind == GR_JOINT_REVOLUTE || j->kind == GR_JOINT_PRISMATIC) {
        put_motion(out, rover, joint);
    }
    gr_buffer_puts(out, "  </joint>\n");
}

void gr_urdf_write(const GrRoverDef *rover, GrBuffer *out)
{
    const char *base = gr_urdf_base(rover);
    gr_buffer_puts(out, "<?xml version=\"1.0\"?>\n<robot");
    put_text(out, "name", rover->name);
    gr_buffer_puts(out, ">\n");
    if (base != rover->bodies[0].name) {
        gr_buffer_printf(out, "  <link name=\"%s\"/>\n", base);
        begin_joint(out, "base_joint", "fixed", base, rover->bodies[0].name);
        gr_buffer_puts(out, "  </joint>\n");
    }
    for (int i = 0; i < rover->body_count; i++) {
        put_link(out, rover, i);
    }
    for (int i = 0; i < rover->joint_count; i++) {
        put_joint(out, rover, i);
    }
    gr_buffer_puts(out, "</robot>\n");
}
