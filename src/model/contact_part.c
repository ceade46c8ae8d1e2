/// One part of a rover as a rover of its own, for contact units.
#include "grouser/contact.h"
#include "grouser/soil.h"

#include "alloc.h"
#include "convex_mesh.h"
#include "model_data.h"
#include "out_of_memory.h"
#include "text.h"
#include "vec3.h"

#include <string.h>

/// Shares of the carrier's mass that a wheel's own mass leaves at least: the model needs some.
static const double LEAST_SHARE = 1e-3;

enum { NAMES_MAX = 200 };

static GrStatus no_such_part(const GrRoverDef *rover, const char *part, GrErrorLog *log)
{
    const char *names[NAMES_MAX];
    int count = 0;
    for (int i = 0; i < rover->wheel_count && count < NAMES_MAX; i++) {
        names[count++] = rover->wheels[i].name;
    }
    for (int i = 0; i < rover->body_count && count < NAMES_MAX; i++) {
        names[count++] = rover->bodies[i].shape_count > 0 ? rover->bodies[i].name : rover->bodies[0].name;
    }
    return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "part"}, "no wheel or body of the rover is '%s'%s",
                        part, gr_text_hint(part, names, count, NULL).text);
}

/// Adds a copy of a body with its shapes; returns its index, or −1 when out of memory. Drawings are left out.
static int copy_body(const GrBodyDef *from, GrRoverDef *out)
{
    GrBodyDef body = *from;
    body.shapes = NULL;
    body.shape_count = 0;
    bool good = true;
    for (int i = 0; good && i < from->shape_count; i++) {
        GrShapeDef shape = from->shapes[i];
        const GrConvexMesh *hull = shape.hull;
        shape.drawn = NULL;
        shape.hull = NULL;
        good = hull == NULL || gr_shape_set_mesh(&shape, hull->vertices, hull->vertex_count, NULL) == GR_OK;
        good = good && gr_body_add_shape(&body, &shape) >= 0;
        if (!good) {
            gr_shape_free(&shape);
        }
    }
    const int index = good ? gr_rover_add_body(out, &body) : -1;
    if (index < 0) {
        gr_shapes_free(body.shapes, body.shape_count);
    }
    return index;
}

static bool copy_wheel(const GrWheelDef *from, int body, GrRoverDef *out)
{
    GrWheelDef wheel = *from;
    wheel.body = body;
    wheel.drawn = NULL;
    wheel.mesh = NULL;
    wheel.surface = gr_wheel_surface_share(from->surface);
    wheel.side = gr_side_wall_share(from->side);
    if (from->mesh != NULL) {
        const size_t size = sizeof *from->mesh * (size_t)from->mesh_count;
        wheel.mesh = gr_malloc(size);
        if (wheel.mesh != NULL) {
            memcpy(wheel.mesh, from->mesh, size);
        }
    }
    const bool good = (from->mesh == NULL || wheel.mesh != NULL) && gr_rover_add_wheel(out, &wheel) >= 0;
    if (!good) {
        gr_free(wheel.mesh);
        gr_wheel_surface_free(wheel.surface);
        gr_side_wall_free(wheel.side);
    }
    return good;
}

/// Axis about which a wheel turns, in the frame of its body.
static GrVec3 axis_of(const GrRoverDef *rover, const GrWheelDef *wheel)
{
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *j = &rover->joints[i];
        if (j->child == wheel->body && j->kind == GR_JOINT_REVOLUTE) {
            return j->axis;
        }
    }
    return gr_quat_rotate(wheel->pose.rotation, gr_vec3(0, 1, 0));
}

/// A carrier with the wheel's share of the rover's mass, and the wheel on a joint at its origin.
static bool take_wheel(const GrRoverDef *rover, const GrWheelDef *wheel, GrRoverDef *out)
{
    double mass = 0;
    for (int i = 0; i < rover->body_count; i++) {
        mass += rover->bodies[i].mass / rover->wheel_count;
    }
    const GrBodyDef *own = &rover->bodies[wheel->body];
    GrBodyDef carrier = gr_default_body_def();
    gr_text_copy(carrier.name, sizeof carrier.name, strcmp(own->name, "carrier") != 0 ? "carrier" : "carrier_");
    carrier.mass = fmax(LEAST_SHARE * mass, mass - own->mass);
    carrier.inertia = gr_inertia_sphere(carrier.mass, wheel->radius);
    GrShapeDef none = gr_default_shape_def(); // touches nothing; without a shape the box of its inertia would
    none.kind = GR_SHAPE_SPHERE;
    none.radius = wheel->radius;
    none.only_drawn = true;
    if (gr_body_add_shape(&carrier, &none) < 0) {
        return false;
    }
    GrJointDef joint = gr_default_joint_def();
    gr_text_copy(joint.name, sizeof joint.name, "axle");
    joint.role = GR_ROLE_DRIVE;
    joint.parent = gr_rover_add_body(out, &carrier);
    if (joint.parent < 0) {
        gr_shapes_free(carrier.shapes, carrier.shape_count);
        return false;
    }
    joint.child = copy_body(own, out);
    joint.axis = axis_of(rover, wheel);
    return joint.child == 1 && gr_rover_add_joint(out, &joint) >= 0 && copy_wheel(wheel, 1, out);
}

GrStatus gr_contact_part(const GrRoverDef *rover, const char *part, GrRoverDef *out, GrErrorLog *log)
{
    *out = gr_default_rover_def();
    gr_text_copy(out->name, sizeof out->name, part);
    bool found = false, good = true;
    for (int i = 0; i < rover->wheel_count && !found; i++) {
        found = strcmp(rover->wheels[i].name, part) == 0;
        good = !found || take_wheel(rover, &rover->wheels[i], out);
    }
    for (int i = 0; i < rover->body_count && !found; i++) {
        found = strcmp(rover->bodies[i].name, part) == 0;
        if (found && rover->bodies[i].shape_count == 0) {
            return gr_error_add(log, GR_ERROR_MODEL, (GrLocation){.field = "part"},
                                "the body '%s' has no shapes, so nothing can touch it", part);
        }
        good = !found || copy_body(&rover->bodies[i], out) == 0;
    }
    if (!good) {
        gr_rover_free(out);
        return gr_out_of_memory(log, NULL);
    }
    return found ? GR_OK : no_such_part(rover, part, log);
}
