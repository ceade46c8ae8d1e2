/// The shape of clumps as a rigid body: volume, centre, principal axes and inertia of the union of its spheres.
#include "bin.h"

#include "vec3.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 160 }; ///< across the shape, along x and y

/// Volume, first and second moments.
typedef struct Moments {
    double volume, first[3], second[3][3];
} Moments;

/// Adds the part of a column at x, y, of an area, from z0 to z1.
static void add_part(Moments *m, double x, double y, double area, double z0, double z1)
{
    const double v = area * (z1 - z0), z = area * (z1 * z1 - z0 * z0) / 2;
    const double zz = area * (z1 * z1 * z1 - z0 * z0 * z0) / 3;
    const double second[3][3] = {{v * x * x, v * x * y, z * x}, {v * x * y, v * y * y, z * y}, {z * x, z * y, zz}};
    m->volume += v;
    m->first[0] += v * x, m->first[1] += v * y, m->first[2] += z;
    for (int a = 0; a < 9; a++) {
        m->second[a / 3][a % 3] += second[a / 3][a % 3];
    }
}

/// Adds what the spheres cover of a column: pieces of spheres, joined where they overlap.
static void add_column(Moments *m, const GrClumpShape *s, double x, double y, double area)
{
    double from[GR_CLUMP_MOST], to[GR_CLUMP_MOST];
    int count = 0;
    for (int k = 0; k < s->count; k++) {
        const double dx = x - s->at[k].x, dy = y - s->at[k].y, left = s->radius[k] * s->radius[k] - dx * dx - dy * dy;
        if (left <= 0) {
            continue;
        }
        const double half = sqrt(left);
        int at = count++;
        for (; at > 0 && from[at - 1] > s->at[k].z - half; at--) {
            from[at] = from[at - 1], to[at] = to[at - 1];
        }
        from[at] = s->at[k].z - half, to[at] = s->at[k].z + half;
    }
    for (int k = 0; k < count;) {
        double end = to[k];
        int next = k + 1;
        for (; next < count && from[next] < end; next++) {
            end = fmax(end, to[next]);
        }
        add_part(m, x, y, area, from[k], end);
        k = next;
    }
}

static Moments moments_of(const GrClumpShape *s)
{
    Moments m = {0};
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < s->count; k++) {
        const double p[2] = {s->at[k].x, s->at[k].y};
        for (int a = 0; a < 2; a++) {
            low[a] = fmin(low[a], p[a] - s->radius[k]), high[a] = fmax(high[a], p[a] + s->radius[k]);
        }
    }
    const double dx = (high[0] - low[0]) / COLUMNS, dy = (high[1] - low[1]) / COLUMNS;
    for (int i = 0; i < COLUMNS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            add_column(&m, s, low[0] + (i + 0.5) * dx, low[1] + (j + 0.5) * dy, dx * dy);
        }
    }
    return m;
}

static void move_to_centre(GrClumpShape *s, Moments *m)
{
    const double c[3] = {m->first[0] / m->volume, m->first[1] / m->volume, m->first[2] / m->volume};
    for (int k = 0; k < s->count; k++) {
        s->at[k] = gr_sub(s->at[k], gr_vec3(c[0], c[1], c[2]));
    }
    for (int a = 0; a < 9; a++) {
        m->second[a / 3][a % 3] -= m->volume * c[a / 3] * c[a % 3];
    }
}

/// Jacobi's rotations: `second` becomes diagonal, and the spheres turn with its axes. Their order stays right-handed,
/// since each is a rotation.
static void turn_to_axes(GrClumpShape *s, Moments *m)
{
    for (int sweep = 0; sweep < 12; sweep++) {
        for (int pair = 0; pair < 3; pair++) {
            const int p = pair == 2 ? 1 : 0, q = pair == 0 ? 1 : 2;
            double(*a)[3] = m->second;
            if (fabs(a[p][q]) < 1e-14 * m->volume) {
                continue;
            }
            const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
            const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
            const double c = 1 / sqrt(t * t + 1), d = t * c;
            for (int k = 0; k < 3; k++) {
                const double x = a[k][p], y = a[k][q];
                a[k][p] = c * x - d * y, a[k][q] = d * x + c * y;
            }
            for (int k = 0; k < 3; k++) {
                const double x = a[p][k], y = a[q][k];
                a[p][k] = c * x - d * y, a[q][k] = d * x + c * y;
            }
            for (int k = 0; k < s->count; k++) {
                double at[3] = {s->at[k].x, s->at[k].y, s->at[k].z};
                const double x = at[p], y = at[q];
                at[p] = c * x - d * y, at[q] = d * x + c * y;
                s->at[k] = gr_vec3(at[0], at[1], at[2]);
            }
        }
    }
}

GrClumpShape gr_clump_shape(const GrGrainDef *grains)
{
    GrClumpShape s = {.count = 1, .radius = {1}, .inertia = {0.4, 0.4, 0.4}, .reach = 1, .crowd = 1};
    if (grains->clump_count == 0) {
        return s;
    }
    s.count = grains->clump_count;
    for (int k = 0; k < s.count; k++) {
        const double *at = grains->clump_at[k];
        s.at[k] = gr_vec3(at[0], at[1], at[2]), s.radius[k] = grains->clump_radius[k];
    }
    Moments m = moments_of(&s);
    move_to_centre(&s, &m);
    turn_to_axes(&s, &m);
    const double unit = gr_cbrt(m.volume * 3 / (4 * GR_PI)); // radius of a sphere of the same volume
    double spheres = 0;
    s.reach = 0;
    for (int k = 0; k < s.count; k++) {
        s.at[k] = gr_scale(1 / unit, s.at[k]), s.radius[k] /= unit;
        s.reach = fmax(s.reach, gr_norm(s.at[k]) + s.radius[k]);
        spheres += s.radius[k] * s.radius[k] * s.radius[k];
    }
    s.crowd = spheres;
    const double scale = 1 / (m.volume * unit * unit);
    for (int a = 0; a < 3; a++) {
        s.inertia[a] = scale * (m.second[(a + 1) % 3][(a + 1) % 3] + m.second[(a + 2) % 3][(a + 2) % 3]);
    }
    return s;
}

bool gr_clump_sound(const GrGrainDef *grains)
{
    const int count = grains->clump_count;
    bool good = count == 0 || count == 2 || count == GR_CLUMP_MOST;
    for (int i = 0; i < count && good; i++) {
        bool joined = false;
        const double r = grains->clump_radius[i], *p = grains->clump_at[i];
        for (int j = 0; j < count; j++) {
            const double *q = grains->clump_at[j], far = grains->clump_radius[j];
            const double d = gr_norm(gr_vec3(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
            joined |= j != i && d <= r + far;
        }
        good = joined && r > 1e-3 && r < 1e3 && gr_norm(gr_vec3(p[0], p[1], p[2])) < 1e3;
    }
    return good;
}
