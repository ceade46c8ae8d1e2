/// The step of a tree whose own bodies touch each other.
///
/// The wrench W of a pair depends on the relative motion V_b − V_a = J u of the two bodies. The base moves both alike
/// and drops out of J; the joints on the two branches remain, up to where the branches meet. The implicit step adds Jᵀ
/// K J with K = −dt ∂W/∂twist − dt² ∂W/∂pose to the system. This couples branches that are separate in the packed
/// matrix of the tree, so the system is solved as a dense one. It is small, and a rover's own bodies seldom touch. The
/// alternative, a low-rank correction of the packed factors, needs as many solves as it has columns and loses digits
/// where contacts are stiff.
#include "pairs.h"

#include "dense.h"

#include <string.h>

static bool is_prescribed(const GrTree *t, int dof)
{
    for (int i = 0; i < t->prescribed_count; i++) {
        if (t->joints[t->prescribed[i]].dof == dof) {
            return true;
        }
    }
    return false;
}

/// Columns of J, one for each dof.
static void find_columns(const GrTree *t, GrTreeData *d, const GrTreePair *pair)
{
    memset(d->pair_column, 0, sizeof *d->pair_column * (size_t)t->dof_count);
    for (int b = pair->b; b > 0; b = t->joints[b].parent) {
        GrTwist *column = &d->pair_column[t->joints[b].dof];
        *column = gr_twist_madd(*column, t->joints[b].ratio, d->frame[b].motion);
    }
    for (int b = pair->a; b > 0; b = t->joints[b].parent) {
        GrTwist *column = &d->pair_column[t->joints[b].dof];
        *column = gr_twist_madd(*column, -t->joints[b].ratio, d->frame[b].motion);
    }
}

static GrMat6 system_of(const GrTreePair *pair, double dt)
{
    GrMat6 k;
    gr_mat6_scale(&k, -dt, &pair->dtwist);
    gr_mat6_madd(&k, -dt * dt, &pair->dpose);
    return k;
}

static void unpack(const GrTree *t, GrTreeData *d)
{
    const GrPaths *paths = &t->paths;
    const int n = t->dof_count;
    memset(d->dense, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) {
        for (int e = 0; e <= paths->depth[i]; e++) {
            const int at = paths->start[i] + e, k = paths->path[at];
            d->dense[k * n + i] = d->factor_upper[at];
            d->dense[i * n + k] = d->factor_lower[at];
        }
    }
}

static void add_pair(const GrTree *t, GrTreeData *d, const GrTreePair *pair, double dt)
{
    const int n = t->dof_count;
    const GrMat6 k = system_of(pair, dt);
    find_columns(t, d, pair);
    for (int c = GR_BASE_DOF; c < n; c++) {
        const GrWrench w = gr_mat6_mul(&k, d->pair_column[c]);
        const bool given = is_prescribed(t, c);
        for (int r = GR_BASE_DOF; r < n; r++) {
            const double entry = gr_power(w, d->pair_column[r]);
            if (is_prescribed(t, r)) {
                continue;
            }
            if (given) {
                d->acceleration[r] -= entry * d->acceleration[c];
            } else {
                d->dense[r * n + c] += entry;
            }
        }
    }
}

bool gr_pairs_solve(const GrTree *t, GrTreeData *d, double dt)
{
    unpack(t, d);
    for (int i = 0; i < d->pair_count[0]; i++) {
        add_pair(t, d, &d->pair[i], dt);
    }
    return gr_dense_solve(t->dof_count, d->dense, d->acceleration);
}

double gr_pairs_row(const GrTree *t, GrTreeData *d, int dof, double dt)
{
    double sum = 0;
    for (int i = 0; i < d->pair_count[0]; i++) {
        const GrMat6 k = system_of(&d->pair[i], dt);
        GrTwist rate = {{0, 0, 0}, {0, 0, 0}};
        find_columns(t, d, &d->pair[i]);
        for (int c = GR_BASE_DOF; c < t->dof_count; c++) {
            rate = gr_twist_madd(rate, d->acceleration[c], d->pair_column[c]);
        }
        sum += gr_power(gr_mat6_mul(&k, rate), d->pair_column[dof]);
    }
    return sum;
}
