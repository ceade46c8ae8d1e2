/// Bulldozing on a side wall of any shape: its triangles in a field of passive earth pressure (LS10 eq. 3.9, fig. 9).
///
/// A wheel without triangles has a full, flat side. Its integral is computed in closed form, the limit of ever finer
/// triangles, without the ripple of a rotating polygon.
#include "alloc.h"
#include "elementary.h"
#include "extras.h"
#include "out_of_memory.h"
#include "vec3.h"

#include <math.h>
#include <stdatomic.h>

enum { TRIANGLES_MAX = 10000 }; // a step looks at each of them

struct GrSideWall {
    atomic_int users;
    int count;
    GrVec3 triangles[][3];
};

static GrSideWall *create(const GrVec3 (*triangles)[3], int count, double factor)
{
    GrSideWall *side = gr_malloc(sizeof *side + sizeof side->triangles[0] * (size_t)count);
    if (side != NULL) {
        atomic_init(&side->users, 1);
        side->count = count;
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < 3; k++) {
                side->triangles[i][k] = gr_scale(factor, triangles[i][k]);
            }
        }
    }
    return side;
}

GrStatus gr_side_wall_create(const GrVec3 (*triangles)[3], int count, GrSideWall **out, GrErrorLog *log)
{
    *out = NULL;
    if (count < 1 || count > TRIANGLES_MAX) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "side_mesh"},
                            "found %d triangles, allowed: 1 to %d", count, TRIANGLES_MAX);
    }
    *out = create(triangles, count, 1);
    return *out != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

GrSideWall *gr_side_wall_share(GrSideWall *side)
{
    if (side != NULL) {
        atomic_fetch_add(&side->users, 1);
    }
    return side;
}

GrSideWall *gr_side_wall_scale(const GrSideWall *side, double factor)
{
    return create((const GrVec3(*)[3])side->triangles, side->count, factor);
}

void gr_side_wall_free(GrSideWall *side)
{
    if (side != NULL && atomic_fetch_sub(&side->users, 1) == 1) {
        gr_free(side);
    }
}

double gr_side_wall_reach(const GrSideWall *side)
{
    double reach = 0;
    for (int i = 0; i < side->count; i++) {
        for (int k = 0; k < 3; k++) {
            reach = fmax(reach, gr_hypot(side->triangles[i][k].x, side->triangles[i][k].z));
        }
    }
    return reach;
}

/// The part of a triangle that is below ground, as exact integrals.
typedef struct Sunk {
    double area;  ///< under ground [m²]
    double depth; ///< ∫ depth dA [m³]; its derivative by h is `area`
    double edge;  ///< ∂area/∂h [m]
} Sunk;

/// Depths d0 ≥ d1 ≥ d2 of the corners of a triangle of area a, depth linear in between.
static Sunk sunk_part(double d0, double d1, double d2, double a)
{
    if (d0 <= 0) {
        return (Sunk){0, 0, 0};
    }
    if (d2 >= 0) {
        return (Sunk){a, a * (d0 + d1 + d2) / 3, 0};
    }
    if (d1 <= 0) {
        // One corner is below ground: a similar triangle with sides d0/(d0 − d1) and d0/(d0 − d2).
        const double part = a * d0 * d0 / ((d0 - d1) * (d0 - d2));
        return (Sunk){part, part * d0 / 3, 2 * part / d0};
    }
    // One corner is above ground: the whole minus a similar triangle.
    const double out = a * d2 * d2 / ((d2 - d0) * (d2 - d1));
    return (Sunk){a - out, a * (d0 + d1 + d2) / 3 - out * d2 / 3, -2 * out / d2};
}

static void order(double *a, double *b)
{
    if (*a < *b) {
        const double t = *a;
        *a = *b;
        *b = t;
    }
}

/// A full side: ∫ dA = A and ∫ depth dA = (2/3)(r² − d²)^(3/2) − d A, d = r − h the height of the centre.
static double full_side(const GrSoilWheel *w, double h, double *derivative)
{
    const double weight = w->unit_weight * w->passive, hold = 2 * w->soil.cohesion * sqrt(w->passive);
    const double r = w->radius - w->wheel.crown, sunk = h - w->wheel.crown;
    *derivative = 0;
    if (!(sunk > 0)) {
        return 0;
    }
    const double d = r - sunk, root = sunk < 2 * r ? sqrt(sunk * (2 * r - sunk)) : 0;
    double chord;
    const double area = gr_sunk_area(r, sunk, &chord);
    *derivative = weight * area + hold * chord;
    return weight * (2.0 / 3 * root * root * root - d * area) + hold * area;
}

double gr_side_mesh(const GrSoilWheel *w, double h, double angle, double *derivative)
{
    const GrSideWall *side = w->wheel.side;
    if (side == NULL) {
        return full_side(w, h, derivative);
    }
    // ΔF = σ_p A cos(α + ξ)/cos ξ, σ_p = γ z N + 2 c √N; α between the wall and the vertical, ξ wall friction. A
    // triangle that is partly below ground counts with that part, so that the sum is continuous as openings in the side
    // pass.
    const double weight = w->unit_weight * w->passive, hold = 2 * w->soil.cohesion * sqrt(w->passive);
    const double xi = w->soil.wall_friction, c = gr_cos(angle), s = gr_sin(angle), ground = h - w->radius;
    double force = 0, force_h = 0;
    for (int i = 0; i < side->count; i++) {
        const GrVec3 *p = side->triangles[i];
        // Rotated by `angle` about y: z' = z cos − x sin; the normal's tilt is towards z'.
        double d[3];
        for (int j = 0; j < 3; j++) {
            d[j] = ground - (p[j].z * c - p[j].x * s);
        }
        const double ax = p[1].x - p[0].x, ay = p[1].y - p[0].y, az = p[1].z - p[0].z;
        const double bx = p[2].x - p[0].x, by = p[2].y - p[0].y, bz = p[2].z - p[0].z;
        const double nx = ay * bz - az * by, ny = az * bx - ax * bz, nz = ax * by - ay * bx;
        const double size = sqrt(nx * nx + ny * ny + nz * nz);
        if (!(size > 0)) {
            continue;
        }
        const double tilt = gr_asin((nz * c - nx * s) / size * (ny < 0 ? -1 : 1));
        order(&d[0], &d[1]);
        order(&d[1], &d[2]);
        order(&d[0], &d[1]);
        const Sunk part = sunk_part(d[0], d[1], d[2], 0.5 * size);
        const double across = gr_cos(tilt + xi) / gr_cos(xi);
        force += across * (weight * part.depth + hold * part.area);
        force_h += across * (weight * part.area + hold * part.edge);
    }
    *derivative = force_h;
    return force;
}
