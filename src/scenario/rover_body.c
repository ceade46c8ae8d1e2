/// Reads bodies of rover files: mass, inertia, shapes.
#include "convex_mesh.h"
#include "file.h"
#include "grouser/model.h"
#include "mesh_shape.h"
#include "rover_parts.h"
#include "vec3.h"

#include <stdio.h>
#include <string.h>

/// "mesh: {file: leg.stl, scale: 0.001}": the convex hull of the corners of an OBJ or STL file, and its triangles for
/// drawing.
static void report(GrNode *file, const char *name, const GrErrorLog *log)
{
    char line[16] = "";
    if (log->count > 0 && log->items[0].line > 0) {
        snprintf(line, sizeof line, ":%d", log->items[0].line);
    }
    gr_node_error(file, GR_ERROR_FILE, "%s%s: %s", name, line, log->count > 0 ? log->items[0].text : "cannot be read");
}

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
        report(file, name, &log);
        return false;
    }
    return true;
}

/// Whether the dimensions of a shape were read.
static bool is_sized(GrNode *node, const GrShapeDef *shape)
{
    if (shape->kind == GR_SHAPE_BOX) {
        return shape->size.x > 0;
    }
    if (shape->kind == GR_SHAPE_ROD && gr_norm(gr_sub(shape->to, shape->from)) == 0) {
        if (gr_node_find(node, "from_m") != NULL && gr_node_find(node, "to_m") != NULL) {
            gr_node_error(node, GR_ERROR_VALUE, "both ends of the rod are the same point");
        }
        return false;
    }
    return shape->radius > 0 && (shape->kind != GR_SHAPE_CYLINDER || shape->length > 0);
}

/// The mapping below the one key that says which shape it is; NULL after an error.
static GrNode *shape_kind(GrNode *node, GrShapeDef *shape)
{
    if (!gr_node_is_mapping(node)) {
        return NULL;
    }
    GrNode *inner = NULL;
    for (int i = 0; gr_shape_keys[i].name != NULL; i++) {
        GrNode *candidate = gr_field(node, gr_shape_keys[i].name, GR_OPTIONAL);
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
    gr_keys_take(inner, gr_shape_keys[shape->kind].keys, shape);
    const bool good = shape->kind == GR_SHAPE_MESH ? read_mesh(inner, shape) : is_sized(inner, shape);
    if (touches) {
        gr_field_text(inner, "group", GR_OPTIONAL, shape->group, sizeof shape->group);
        gr_field_text(inner, "material", GR_OPTIONAL, shape->material, sizeof shape->material);
    }
    gr_fields_end(inner);
    return good;
}

/// The convex parts that a mesh asks for. False: it asks for none, but is its hull.
static bool read_pieces(GrNode *node, GrConvexPartsDef *parts)
{
    *parts = gr_default_convex_parts_def();
    const bool counted = gr_field_integer(node, "pieces", GR_OPTIONAL, 1, 1000, &parts->most);
    return gr_field_number(node, "error", GR_OPTIONAL, GR_BETWEEN(0, 1), &parts->error) || counted;
}

void gr_read_shapes(GrNode *node, bool drawn, GrBodyDef *out)
{
    GrShapeDef shape;
    GrConvexPartsDef parts;
    GrNode *mesh = node->kind == GR_NODE_MAPPING ? gr_node_find(node, "mesh") : NULL;
    const bool cut = mesh != NULL && mesh->kind == GR_NODE_MAPPING && read_pieces(mesh, &parts);
    if (!read_shape(node, true, &shape)) {
        return;
    }
    if (!cut) {
        if (gr_body_add_shape(out, &shape) < 0) {
            gr_shape_free(&shape);
            gr_node_out_of_memory(node);
        }
        return;
    }
    GrNode *file = gr_node_find(mesh, "file");
    GrErrorLog log = {.quiet = true};
    if (gr_shape_split(&shape, &parts, drawn, out, &log) != GR_OK) {
        report(file, file->text, &log);
    }
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

static void read_inertia_matrix(GrNode *node, GrSym3 *j)
{
    gr_keys_read(node, gr_inertia_keys, j);
    if (j->xx > 0 && j->yy > 0 && j->zz > 0 && !gr_inertia_is_physical(*j)) {
        gr_node_error(node, GR_ERROR_VALUE,
                      "this inertia is not physically possible; it must be positive definite, and each principal "
                      "moment at most the sum of the other two");
    }
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
    body->mass = -1;
    gr_keys_take(node, gr_body_keys, body);
    const bool has_mass = body->mass >= 0;
    body->mass = has_mass ? body->mass : 0;
    read_inertia(node, body);
    GrNode *shapes = gr_field_list(node, "shapes", GR_OPTIONAL);
    for (GrNode *item = shapes != NULL ? shapes->first : NULL; item != NULL; item = item->next) {
        gr_read_shapes(item, true, body);
    }
    return has_mass;
}
