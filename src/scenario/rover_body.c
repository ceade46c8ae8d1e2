/// Reads bodies of rover files: mass, inertia, shapes.
#include "convex_mesh.h"
#include "file.h"
#include "grouser/model.h"
#include "mesh_shape.h"
#include "rover_parts.h"
#include "vec3.h"

#include <stdio.h>
#include <string.h>

static const char *const shape_names[] = {"box", "cylinder", "sphere", "rod", "mesh"};
enum { SHAPE_KINDS = sizeof shape_names / sizeof shape_names[0] };

void gr_read_pose(GrNode *mapping, GrPose *pose)
{
    GrVec3 rpy;
    gr_field_vec3(mapping, "at_m", GR_OPTIONAL, GR_ANY, &pose->position);
    if (gr_field_vec3(mapping, "rotation_deg", GR_OPTIONAL, GR_ANY, &rpy)) {
        const GrVec3 radians = gr_scale(GR_PI / 180, rpy);
        pose->rotation = gr_quat_from_rpy(radians.x, radians.y, radians.z);
    }
}

/// "mesh: {file: leg.stl, scale: 0.001}": the convex hull of the corners of an OBJ or STL file, and its triangles for
/// drawing.
static bool read_mesh(GrNode *node, GrShapeDef *shape)
{
    char name[GR_FILE_PATH_SIZE], path[GR_FILE_PATH_SIZE];
    GrNode *file = gr_field(node, "file", GR_REQUIRED);
    double scale = 1;
    gr_field_number(node, "scale", GR_OPTIONAL, GR_POSITIVE, &scale);
    if (file == NULL || !gr_node_text(file, name, sizeof name)) {
        return false;
    }
    if (!gr_node_beside(file, name, path)) {
        gr_node_error(file, GR_ERROR_FILE, "the path is too long");
        return false;
    }
    GrErrorLog log = {.quiet = true};
    if (gr_shape_read_mesh(path, gr_vec3(scale, scale, scale), shape, &log) != GR_OK) {
        char line[16] = "";
        if (log.count > 0 && log.items[0].line > 0) {
            snprintf(line, sizeof line, ":%d", log.items[0].line);
        }
        gr_node_error(file, GR_ERROR_FILE, "%s%s: %s", name, line,
                      log.count > 0 ? log.items[0].text : "cannot be read");
        return false;
    }
    return true;
}

/// The dimensions of a shape, without its pose.
static bool read_size(GrNode *node, GrShapeDef *shape)
{
    bool good = true;
    switch (shape->kind) {
    case GR_SHAPE_BOX:
        return gr_field_vec3(node, "size_m", GR_REQUIRED, GR_POSITIVE, &shape->size);
    case GR_SHAPE_CYLINDER:
        good = gr_field_number(node, "length_m", GR_REQUIRED, GR_POSITIVE, &shape->length);
        break;
    case GR_SHAPE_ROD:
        good = gr_field_vec3(node, "from_m", GR_REQUIRED, GR_ANY, &shape->from);
        good = gr_field_vec3(node, "to_m", GR_REQUIRED, GR_ANY, &shape->to) && good;
        if (good && gr_norm(gr_sub(shape->to, shape->from)) == 0) {
            gr_node_error(node, GR_ERROR_VALUE, "both ends of the rod are the same point");
            good = false;
        }
        break;
    case GR_SHAPE_MESH:
        return read_mesh(node, shape);
    case GR_SHAPE_SPHERE:
        break;
    }
    return gr_field_number(node, "radius_m", GR_REQUIRED, GR_POSITIVE, &shape->radius) && good;
}

/// The mapping below the one key that says which shape it is; NULL after an error.
static GrNode *shape_kind(GrNode *node, GrShapeDef *shape)
{
    if (!gr_node_is_mapping(node)) {
        return NULL;
    }
    GrNode *inner = NULL;
    for (int i = 0; i < SHAPE_KINDS; i++) {
        GrNode *candidate = gr_field(node, shape_names[i], GR_OPTIONAL);
        if (candidate != NULL && inner == NULL) {
            inner = candidate;
            shape->kind = (GrShapeKind)i;
        } else if (candidate != NULL) {
            gr_node_error(candidate, GR_ERROR_FIELD, "a shape has only one kind, and '%s' is already given",
                          inner->key);
            return NULL;
        }
    }
    gr_fields_end(node);
    if (inner == NULL && node->count == 0) {
        gr_node_error(node, GR_ERROR_FIELD, "one of box, cylinder, sphere, rod, mesh is needed");
    }
    return inner != NULL && gr_node_is_mapping(inner) ? inner : NULL;
}

/// A shape that touches things has a group and a material; one that only gives a body its inertia has none.
static bool read_shape(GrNode *node, bool touches, GrShapeDef *shape)
{
    *shape = gr_default_shape_def();
    GrNode *inner = shape_kind(node, shape);
    if (inner == NULL) {
        return false;
    }
    const bool good = read_size(inner, shape);
    if (shape->kind != GR_SHAPE_ROD) {
        gr_read_pose(inner, &shape->pose);
    }
    if (touches) {
        gr_field_text(inner, "group", GR_OPTIONAL, shape->group, sizeof shape->group);
        gr_field_text(inner, "material", GR_OPTIONAL, shape->material, sizeof shape->material);
    }
    gr_fields_end(inner);
    return good;
}

bool gr_read_shape(GrNode *node, GrShapeDef *shape)
{
    return read_shape(node, true, shape);
}

static GrSym3 solid_inertia(const GrShapeDef *shape, double mass)
{
    GrQuat rotation = shape->pose.rotation;
    GrSym3 inertia;
    if (shape->kind == GR_SHAPE_BOX) {
        inertia = gr_inertia_box(mass, shape->size);
    } else if (shape->kind == GR_SHAPE_SPHERE) {
        inertia = gr_inertia_sphere(mass, shape->radius);
    } else if (shape->kind == GR_SHAPE_CYLINDER) {
        inertia = gr_inertia_cylinder_y(mass, shape->radius, shape->length);
    } else if (shape->kind == GR_SHAPE_MESH) {
        const GrSolid solid = gr_convex_mesh_solid(shape->hull);
        const double density = mass / solid.volume;
        const GrSym3 j = solid.inertia;
        inertia = (GrSym3){.xx = density * j.xx,
                           .yy = density * j.yy,
                           .zz = density * j.zz,
                           .xy = density * j.xy,
                           .xz = density * j.xz,
                           .yz = density * j.yz};
    } else {
        // Rotation that takes y to the rod's direction: the half-way quaternion 1 + d·y, y × d, or half a revolution
        // about x when d = −y.
        const GrVec3 along = gr_sub(shape->to, shape->from);
        const GrVec3 d = gr_normalize(along);
        inertia = gr_inertia_cylinder_y(mass, shape->radius, gr_norm(along));
        rotation = d.y > -1 + 1e-12 ? gr_quat_normalize((GrQuat){1 + d.y, d.z, 0, -d.x}) : (GrQuat){0, 1, 0, 0};
    }
    const GrMat3 r = gr_quat_to_mat3(rotation);
    return gr_sym3_rotate(&r, inertia);
}

static bool read_inertia_matrix(GrNode *node, GrSym3 *j)
{
    bool good = gr_field_number(node, "xx", GR_REQUIRED, GR_POSITIVE, &j->xx);
    good = gr_field_number(node, "yy", GR_REQUIRED, GR_POSITIVE, &j->yy) && good;
    good = gr_field_number(node, "zz", GR_REQUIRED, GR_POSITIVE, &j->zz) && good;
    gr_field_number(node, "xy", GR_OPTIONAL, GR_ANY, &j->xy);
    gr_field_number(node, "xz", GR_OPTIONAL, GR_ANY, &j->xz);
    gr_field_number(node, "yz", GR_OPTIONAL, GR_ANY, &j->yz);
    gr_fields_end(node);
    if (good && !gr_inertia_is_physical(*j)) {
        gr_node_error(node, GR_ERROR_VALUE,
                      "this inertia is not physically possible; it must be positive definite, and each principal "
                      "moment at most the sum of the other two");
        good = false;
    }
    return good;
}

static void read_inertia(GrNode *node, GrBodyDef *body)
{
    GrNode *matrix = gr_field_mapping(node, "inertia_kgm2", GR_OPTIONAL);
    GrNode *solid = gr_field_mapping(node, "inertia_of", GR_OPTIONAL);
    if (matrix != NULL && solid != NULL) {
        gr_node_error(solid, GR_ERROR_FIELD, "inertia_kgm2 is already given; only one of the two is allowed");
        return;
    }
    if (matrix != NULL) {
        read_inertia_matrix(matrix, &body->inertia);
    } else if (solid != NULL) {
        GrShapeDef shape;
        if (read_shape(solid, false, &shape)) {
            body->inertia = solid_inertia(&shape, body->mass);
            gr_shape_free(&shape);
        }
    } else if (body->mass > 0 && gr_node_find(node, "inertia_kgm2") == NULL &&
               gr_node_find(node, "inertia_of") == NULL) {
        gr_node_error(node, GR_ERROR_FIELD, "one of the keys 'inertia_kgm2' and 'inertia_of' is needed");
    }
}

bool gr_read_body(GrNode *node, GrBodyDef *body)
{
    const bool has_mass = gr_field_number(node, "mass_kg", GR_REQUIRED, GR_NOT_NEGATIVE, &body->mass);
    gr_field_vec3(node, "com_m", GR_OPTIONAL, GR_ANY, &body->com);
    read_inertia(node, body);
    GrNode *shapes = gr_field_list(node, "shapes", GR_OPTIONAL);
    for (GrNode *item = shapes != NULL ? shapes->first : NULL; item != NULL; item = item->next) {
        GrShapeDef shape;
        if (gr_read_shape(item, &shape) && gr_body_add_shape(body, &shape) < 0) {
            gr_shape_free(&shape);
            gr_node_no_memory(item);
            break;
        }
    }
    return has_mass;
}
