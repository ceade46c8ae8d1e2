#include "mjcf.h"

#include "joint_kind.h"
#include "vec3.h"

#include <string.h>

/// Principal axes of a symmetric tensor by Jacobi rotations, to machine precision: MuJoCo's own diagonalisation of
/// `fullinertia` loses six digits, so it is handed the result.
static GrQuat principal_axes(GrSym3 s, double moments[3])
{
    double a[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
    GrMat3 axes = gr_mat3_identity();
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                const double angle = 0.5 * atan2(2 * a[p][q], a[q][q] - a[p][p]);
                const double c = cos(angle), sn = sin(angle);
                GrMat3 turn = gr_mat3_identity();
                turn.m[p][p] = turn.m[q][q] = c;
                turn.m[p][q] = sn;
                turn.m[q][p] = -sn;
                GrMat3 matrix, back = gr_mat3_transpose(&turn);
                memcpy(matrix.m, a, sizeof a);
                matrix = gr_mat3_mul(&back, &matrix);
                matrix = gr_mat3_mul(&matrix, &turn);
                memcpy(a, matrix.m, sizeof a);
                axes = gr_mat3_mul(&axes, &turn);
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        moments[i] = a[i][i];
    }
    return gr_quat_from_mat3(&axes);
}

/// MuJoCo's cylinders stand along z.
static void write_wheels(FILE *out, const GrRoverDef *rover, int k)
{
    const GrQuat z_to_y = gr_quat_axis_angle(gr_vec3(1, 0, 0), -3.14159265358979323846 / 2);
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrWheelDef *w = &rover->wheels[i];
        if (w->body == k) {
            const GrQuat q = gr_quat_mul(w->pose.rotation, z_to_y);
            fprintf(out,
                    "<geom type=\"cylinder\" size=\"%.17g %.17g\" pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g "
                    "%.17g\" contype=\"1\" conaffinity=\"2\" mass=\"0\" friction=\"0.6\"/>\n",
                    w->radius, w->width / 2, w->pose.position.x, w->pose.position.y, w->pose.position.z, q.w, q.x, q.y,
                    q.z);
        }
    }
}

/// x and y across the axis of a definition: those that its shortest turn from z takes along.
static GrQuat frame_of_axis(GrVec3 axis)
{
    const GrVec3 z = gr_vec3(0, 0, 1), to = gr_normalize(axis), about = gr_cross(z, to);
    const double sine = gr_norm(about), cosine = gr_dot(z, to);
    return gr_quat_axis_angle(sine > 0 ? gr_scale(1 / sine, about) : gr_vec3(1, 0, 0), atan2(sine, cosine));
}

static void write_scalar_joint(FILE *out, const char *name, const char *type, GrVec3 axis, const GrJointDef *joint)
{
    fprintf(out,
            "<joint name=\"j_%s\" type=\"%s\" axis=\"%.17g %.17g %.17g\" armature=\"%.17g\" damping=\"%.17g\" "
            "stiffness=\"%.17g\" springref=\"%.17g\"/>\n",
            name, type, axis.x, axis.y, axis.z, joint->motor.rotor_inertia, joint->damping, joint->stiffness,
            joint->rest);
}

/// Each kind in MuJoCo's own joints: a screw is a hinge and a slide, which the referee moves as one.
static void write_joint(FILE *out, const GrJointDef *joint)
{
    const GrJointDef bare = gr_default_joint_def();
    const GrQuat frame = frame_of_axis(joint->axis);
    const GrVec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    char name[6][GR_NAME_SIZE + 8];
    for (int k = 0; k < gr_joint_kind(joint->kind)->axis_count; k++) {
        snprintf(name[k], sizeof name[k], "%s.%s", joint->name, gr_joint_kind(joint->kind)->axes[k].suffix);
    }
    switch (joint->kind) {
    case GR_JOINT_REVOLUTE:
        write_scalar_joint(out, joint->name, "hinge", joint->axis, joint);
        break;
    case GR_JOINT_PRISMATIC:
        write_scalar_joint(out, joint->name, "slide", joint->axis, joint);
        break;
    case GR_JOINT_SCREW:
        write_scalar_joint(out, name[0], "slide", joint->axis, &bare);
        write_scalar_joint(out, joint->name, "hinge", joint->axis, joint);
        break;
    case GR_JOINT_UNIVERSAL:
        write_scalar_joint(out, name[0], "hinge", x, joint);
        write_scalar_joint(out, name[1], "hinge", y, joint);
        break;
    case GR_JOINT_CYLINDRICAL:
        write_scalar_joint(out, name[0], "slide", joint->axis, joint);
        write_scalar_joint(out, name[1], "hinge", joint->axis, joint);
        break;
    case GR_JOINT_PLANAR:
        write_scalar_joint(out, name[0], "slide", gr_quat_rotate(frame, x), joint);
        write_scalar_joint(out, name[1], "slide", gr_quat_rotate(frame, y), joint);
        write_scalar_joint(out, name[2], "hinge", joint->axis, joint);
        break;
    case GR_JOINT_FREE: // MuJoCo allows its free joint on bodies of the world alone
        write_scalar_joint(out, name[0], "slide", x, joint);
        write_scalar_joint(out, name[1], "slide", y, joint);
        write_scalar_joint(out, name[2], "slide", z, joint);
        fprintf(out, "<joint name=\"j_%s\" type=\"ball\"/>\n", joint->name);
        break;
    case GR_JOINT_SPHERICAL:
        fprintf(out, "<joint name=\"j_%s\" type=\"ball\" damping=\"%.17g\" stiffness=\"%.17g\"/>\n", joint->name,
                joint->damping, joint->stiffness);
        break;
    case GR_JOINT_FIXED:
    case GR_JOINT_KIND_COUNT:
        break;
    }
}

static void write_body(FILE *out, const GrRoverDef *rover, int k, const GrJointDef *joint, bool wheels)
{
    const GrBodyDef *body = &rover->bodies[k];
    const GrPose at = joint != NULL ? joint->pose : (GrPose){{0, 0, 0}, {1, 0, 0, 0}};
    fprintf(out, "<body name=\"b_%s\" pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\">\n", body->name,
            at.position.x, at.position.y, at.position.z, at.rotation.w, at.rotation.x, at.rotation.y, at.rotation.z);
    if (joint == NULL) {
        fprintf(out, "<freejoint name=\"base\"/>\n");
    } else {
        write_joint(out, joint);
    }
    if (body->mass > 0) {
        double moments[3];
        const GrQuat axes = principal_axes(body->inertia, moments);
        fprintf(out,
                "<inertial pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\" mass=\"%.17g\" "
                "diaginertia=\"%.17g %.17g %.17g\"/>\n",
                body->com.x, body->com.y, body->com.z, axes.w, axes.x, axes.y, axes.z, body->mass, moments[0],
                moments[1], moments[2]);
    }
    if (wheels) {
        write_wheels(out, rover, k);
    }
    for (int i = 0; i < rover->joint_count; i++) {
        if (rover->joints[i].parent == k) {
            write_body(out, rover, rover->joints[i].child, &rover->joints[i], wheels);
        }
    }
    fprintf(out, "</body>\n");
}

static void write_couplings(FILE *out, const GrRoverDef *rover)
{
    fprintf(out, "<equality>\n");
    for (int i = 0; i < rover->coupling_count; i++) {
        const GrCouplingDef *c = &rover->couplings[i];
        fprintf(out, "<joint joint1=\"j_%s\" joint2=\"j_%s\" polycoef=\"%.17g %.17g 0 0 0\"/>\n",
                rover->joints[c->joint].name, rover->joints[c->of].name, c->offset, c->ratio);
    }
    fprintf(out, "</equality>\n");
}

static void write_motors(FILE *out, const GrRoverDef *rover)
{
    fprintf(out, "<actuator>\n");
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *j = &rover->joints[i];
        if (j->motor.kind == GR_MOTOR_PID || j->motor.kind == GR_MOTOR_DC || j->motor.kind == GR_MOTOR_SPEED) {
            fprintf(out, "<velocity joint=\"j_%s\" kv=\"%.17g\"/>\n", j->name, j->motor.kp);
        } else if (j->motor.kind == GR_MOTOR_POSITION) {
            fprintf(out, "<position joint=\"j_%s\" kp=\"%.17g\"/>\n", j->name, j->motor.kp);
        }
    }
    fprintf(out, "</actuator>\n");
}

void gr_mjcf_write(FILE *out, const GrRoverDef *rover, const GrMjcf *options)
{
    const GrVec3 g = options->gravity;
    fprintf(out,
            "<mujoco><compiler angle=\"radian\" balanceinertia=\"false\" boundmass=\"0\" boundinertia=\"0\"/>"
            "<option timestep=\"%.17g\" gravity=\"%.17g %.17g %.17g\" integrator=\"%s\">"
            "<flag contact=\"%s\"/></option>\n",
            options->step, g.x, g.y, g.z, options->integrator, options->field_nodes > 0 ? "enable" : "disable");
    if (options->field_nodes > 0) {
        fprintf(out, "<asset><hfield name=\"ground\" nrow=\"%d\" ncol=\"%d\" size=\"%.17g %.17g %.17g 1\"/></asset>\n",
                options->field_nodes, options->field_nodes, options->field_edge / 2, options->field_edge / 2,
                options->field_height);
    }
    fprintf(out, "<worldbody>\n");
    if (options->field_nodes > 0) {
        fprintf(out, "<geom type=\"hfield\" hfield=\"ground\" contype=\"2\" conaffinity=\"1\" friction=\"0.6\"/>\n");
    }
    write_body(out, rover, 0, NULL, options->field_nodes > 0);
    fprintf(out, "</worldbody>\n");
    if (options->couplings) {
        write_couplings(out, rover);
    }
    if (options->motors) {
        write_motors(out, rover);
    }
    fprintf(out, "%s</mujoco>\n", options->more != NULL ? options->more : "");
}
