/// How a scene looks: paints, normals and cameras.
#include "alloc.h"
#include "elementary.h"
#include "replay_scene.h"
#include "vec3.h"

#include <math.h>

const GrPaintRow gr_paints[GR_PAINT_COUNT] = {
    [GR_PAINT_CHASSIS] = {"chassis", {0.60, 0.55, 0.42}, 0.6, 0.2},
    [GR_PAINT_LINK] = {"link", {0.35, 0.36, 0.38}, 0.5, 0.5},
    [GR_PAINT_WHEEL] = {"wheel", {0.10, 0.10, 0.11}, 0.6, 0.4},
    [GR_PAINT_ROCK] = {"rock", {0.16, 0.14, 0.13}, 1, 0},
    [GR_PAINT_PART] = {"part", {0.30, 0.30, 0.32}, 0.8, 0},
    [GR_PAINT_GROUND] = {"ground", {1, 1, 1}, 1, 0}, // times the colour of the soil
};

void gr_replay_scene_ground_color(const GrReplayScene *scene, int soil, double color[3])
{
    static const double GREY[3] = {0.26, 0.25, 0.24}, RED[3] = {0.36, 0.20, 0.11}, BEDROCK[3] = {0.17, 0.16, 0.15};
    static const double SHADES[] = {1, 0.72, 1.3, 0.85, 1.15, 0.6};
    const bool mars = scene->gravity > 3 && scene->gravity < 5;
    for (int k = 0; k < 3; k++) {
        const double shade = soil >= 0 ? SHADES[soil % (int)(sizeof SHADES / sizeof SHADES[0])] : 1;
        color[k] = shade * (soil < 0 ? BEDROCK[k] : mars ? RED[k] : GREY[k]);
    }
}

// ---- cameras

/// A camera at a point that looks at another one.
static GrPose looking(GrVec3 from, GrVec3 at)
{
    const GrVec3 z = gr_normalize(gr_sub(from, at)), x = gr_normalize(gr_cross(gr_vec3(0, 0, 1), z));
    const GrVec3 y = gr_cross(z, x);
    const GrMat3 m = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return (GrPose){from, gr_quat_from_mat3(&m)};
}

GrPose gr_replay_scene_overview(const GrReplayScene *scene)
{
    const GrBox2 *b = &scene->drive;
    const GrVec3 middle = {0.5 * (b->x_lower + b->x_upper), 0.5 * (b->y_lower + b->y_upper), scene->lowest};
    const double half = 0.5 * gr_hypot(b->x_upper - b->x_lower, b->y_upper - b->y_lower) + scene->size;
    const double away = 1.1 * half / gr_tan(22.5 * GR_PI / 180);
    return looking(gr_madd(middle, away, gr_vec3(0.35, -0.75, 0.56)), middle);
}

GrPose gr_replay_scene_chase(const GrReplayScene *scene)
{
    const GrQuat q = scene->nodes[0].pose.rotation;
    const GrVec3 ahead = gr_quat_rotate(q, gr_vec3(1, 0, 0));
    const double level = gr_hypot(ahead.x, ahead.y), c = level > 0 ? ahead.x / level : 1,
                 s = level > 0 ? ahead.y / level : 0;
    const GrVec3 away = {-0.75 * c - 0.66 * s, -0.75 * s + 0.66 * c, 0.55}; // behind, to the left
    return looking(gr_scale(3.2 * scene->size, away), gr_vec3(0, 0, 0));
}

// ---- normals

/// Triangles around each vertex: those of vertex v are items[starts[v]] .. items[starts[v + 1] − 1].
static bool fans(const GrSurfaceMesh *mesh, int **starts, int **items)
{
    const int n = mesh->vertex_count, m = 3 * mesh->triangle_count;
    *starts = gr_calloc((size_t)n + 2, sizeof **starts);
    *items = gr_calloc((size_t)m + 1, sizeof **items);
    if (*starts == NULL || *items == NULL) {
        return false;
    }
    for (int i = 0; i < m; i++) {
        (*starts)[mesh->triangles[i / 3][i % 3] + 2]++;
    }
    for (int v = 2; v <= n + 1; v++) {
        (*starts)[v] += (*starts)[v - 1];
    }
    for (int i = 0; i < m; i++) { // moves the start of v, at v + 1, to its end
        (*items)[(*starts)[mesh->triangles[i / 3][i % 3] + 1]++] = i / 3;
    }
    return true;
}

int gr_scene_corners(const GrSurfaceMesh *mesh, GrVec3 *corners, GrVec3 *normals)
{
    static const double SMOOTH = 0.766; // cos 40°
    GrSurfaceMesh *welded = gr_surface_mesh_weld(mesh, gr_vec3(1, 1, 1));
    int *starts = NULL, *items = NULL;
    GrVec3 *faces = gr_calloc((size_t)mesh->triangle_count + 1, sizeof *faces);
    const bool good = welded != NULL && faces != NULL && fans(welded, &starts, &items);
    const int count = good ? 3 * welded->triangle_count : -1;
    for (int t = 0; t < count / 3; t++) {
        const int *v = welded->triangles[t];
        const GrVec3 a = welded->vertices[v[0]];
        faces[t] = gr_cross(gr_sub(welded->vertices[v[1]], a), gr_sub(welded->vertices[v[2]], a)); // twice the area
    }
    for (int i = 0; i < count; i++) {
        const int v = welded->triangles[i / 3][i % 3];
        const GrVec3 own = faces[i / 3];
        GrVec3 sum = {0, 0, 0};
        for (int k = starts[v]; k < starts[v + 1]; k++) {
            const GrVec3 other = faces[items[k]];
            if (gr_dot(own, other) >= SMOOTH * gr_norm(own) * gr_norm(other)) {
                sum = gr_add(sum, other);
            }
        }
        corners[i] = welded->vertices[v];
        normals[i] = gr_norm(sum) > 0 ? gr_scale(1 / gr_norm(sum), sum) : gr_vec3(0, 0, 1);
    }
    gr_free(faces);
    gr_free(starts);
    gr_free(items);
    gr_surface_mesh_delete(welded);
    return count;
}
