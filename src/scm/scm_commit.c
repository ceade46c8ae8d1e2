/// After a step: nodes that it has pressed go to the ruts, and wheels that dig and plough remember their travel.
#include "scm_grid.h"

#include "elementary.h"
#include "extras.h"
#include "law.h"
#include "ruts.h"

// ---- pressed nodes

/// Number of nodes, from k on, that are adjacent in one row of a tile. The list is sorted by rows, so checking the last
/// node of a run checks all before it. `guess`: that of the row before.
static int run_length(const GrScmNodes *nodes, int k, int guess)
{
    const int32_t *i = nodes->i + k, *j = nodes->j + k;
    const int left = GR_RUT_NODES - (i[0] & (GR_RUT_NODES - 1)), rest = nodes->count - k;
    const int most = left < rest ? left : rest;
    int run = guess < most ? guess : most;
    while (j[run - 1] != j[0] || i[run - 1] != i[0] + run - 1) {
        run--;
    }
    while (run < most && j[run] == j[0] && i[run] == i[0] + run) {
        run++;
    }
    return run;
}

/// Where two bodies press one node in the same step, the deeper one counts. Returns the sum of the decreases in height.
static double press_row(const GrScmNodes *nodes, int from, int count, double *restrict heights,
                        float *restrict sinkages, int states)
{
    const double *height = nodes->height + from;
    const float *sinkage = nodes->sinkage + from;
    double lowered = 0;
#pragma omp simd reduction(+ : lowered)
    for (int k = 0; k < count; k++) {
        const double before = heights[k], after = height[k] < before ? height[k] : before;
        lowered += before - after;
        heights[k] = after;
    }
    if (states == 1) {
#pragma omp simd
        for (int k = 0; k < count; k++) {
            sinkages[k] = sinkage[k] > sinkages[k] ? sinkage[k] : sinkages[k];
        }
    } else {
        for (int k = 0; k < count; k++) {
            float *to = &sinkages[(ptrdiff_t)k * states];
            *to = sinkage[k] > *to ? sinkage[k] : *to;
        }
    }
    return lowered;
}

double gr_scm_commit(const GrScmBody *body, GrRuts *ruts, const GrScmNodes *nodes, GrScmLedger *ledger)
{
    const int states = ruts->def.state_count;
    GrRutsTile tile = {NULL, NULL};
    int64_t ti = INT64_MAX, tj = INT64_MAX;
    double lowered = 0;
    for (int k = 0, run = 1; k < nodes->count; k += run) {
        const int32_t i = nodes->i[k], j = nodes->j[k];
        run = run_length(nodes, k, run);
        if (i >> GR_RUT_SHIFT != ti || j >> GR_RUT_SHIFT != tj) {
            ti = i >> GR_RUT_SHIFT;
            tj = j >> GR_RUT_SHIFT;
            tile = gr_ruts_tile_make(ruts, i, j);
        }
        if (tile.heights == NULL) {
            ledger->missing += run;
            continue;
        }
        const ptrdiff_t at = (ptrdiff_t)(j & (GR_RUT_NODES - 1)) * GR_RUT_NODES + (ptrdiff_t)(i & (GR_RUT_NODES - 1));
        lowered += press_row(nodes, k, run, tile.heights + at, tile.states + at * states + GR_SCM_SINKAGE, states);
    }
    lowered *= body->cell * body->cell;
    ledger->displaced += lowered;
    return lowered;
}

// ---- digging and ploughing
//
// Wheels that dig and plough on the grid: what a contact remembers of its travel, the depth that a dragged wheel
// ploughs aside, and the wedge of soil that it pushes along. The forms and parameters are those of the laws of a patch
// (extras.h); the memory depends on distance only, so that a parked wheel keeps it.

/// Motion of a wheel over the ground, along and across it.
typedef struct Travel {
    double along, across; ///< [m/s]
    double speed;         ///< [m/s]
    double rim;           ///< speed of the rim at the bottom, backwards relative to the hub [m/s]
} Travel;

static Travel travel_of(const GrScmBody *body, const GrScmPose *pose)
{
    const GrVec3 axle = gr_mat3_column(&pose->axes, 1);
    const double level = 1 / sqrt(axle.x * axle.x + axle.y * axle.y + 1e-300);
    const double along = level * (axle.y * pose->velocity.x - axle.x * pose->velocity.y);
    const double across = level * (axle.x * pose->velocity.x + axle.y * pose->velocity.y);
    return (Travel){along, across, sqrt(along * along + across * across), body->radius * gr_dot(pose->spin, axle)};
}

/// (rω − v)/rω of a driving wheel, (rω − v)/v of a braking one, in the direction of travel.
static double slip_of(const Travel *t)
{
    const double speed = fabs(t->along), rim = t->along < 0 ? -t->rim : t->rim, faster = rim > speed ? rim : speed;
    const double slip = faster > 0 ? (rim - speed) / faster : 0;
    return slip > -1 ? slip : -1;
}

double gr_scm_digging_part(const GrScmBody *body, const GrScmPose *pose)
{
    if (!gr_scm_is_wheel(body) || !(body->soil.plough_sinkage > 0)) {
        return 1;
    }
    const Travel t = travel_of(body, pose);
    const double rim = t.along < 0 ? -t.rim : t.rim, apart = rim - fabs(t.along), ahead = rim - t.speed;
    return ahead > 0 ? ahead / sqrt(apart * apart + t.across * t.across) : 0;
}

double gr_scm_dig_share(double path)
{
    return path > 1e-6 ? -gr_expm1(-path) / path : 1;
}

double gr_scm_ploughed(const GrScmBody *body, const GrScmPose *pose, const GrScmMemory *memory, double depth)
{
    const GrSoilDef *soil = &body->soil;
    if (!gr_scm_is_wheel(body) || !(soil->plough_sinkage > 0) || !(depth > 0) || pose->resting) {
        return 0;
    }
    const double u = gr_plough_fraction(soil, memory->slip, fabs(memory->travel[1]), fabs(memory->travel[0]));
    return u > 0 ? soil->plough_sinkage * gr_pow(u, soil->plough_power) / depth : 0;
}

void gr_scm_add_wedge(const GrScmBody *body, const GrScmPose *pose, const GrScmMemory *memory, GrScmOutput *out)
{
    const GrSoilDef *soil = &body->soil;
    const double h = out->depth, along = memory->travel[0], across = memory->travel[1];
    if (!gr_scm_is_wheel(body) || !(soil->wedge > 0 || soil->wedge_slide > 0) || !(h > 0)) {
        return;
    }
    const double root = gr_tan(GR_PI / 4 + 0.5 * soil->friction_angle);
    const GrWedgeWheel wheel = {body->radius, body->width, body->unit_weight, root * root};
    const GrWedge wedge = gr_plough_force(soil, &wheel, memory->slip, fabs(across), fabs(along), h);
    const GrVec3 x = gr_mat3_column(&pose->axes, 0), y = gr_mat3_column(&pose->axes, 1);
    const GrVec3 against = gr_neg(gr_madd(gr_scale(along, x), across, y)), force = gr_scale(wedge.force, against);
    // The front's pressure passes through the axle; the side's acts a third of the sinkage above the lowest point.
    const double arm = body->radius - h / 3, tilting = -across * arm * wedge.force;
    const double by_h = -across * (arm * wedge.force_h - wedge.force / 3);
    const double wrench[6] = {force.x, force.y, force.z, tilting * x.x, tilting * x.y, tilting * x.z};
    const double slope[6] = {wedge.force_h * against.x,
                             wedge.force_h * against.y,
                             wedge.force_h * against.z,
                             by_h * x.x,
                             by_h * x.y,
                             by_h * x.z};
    for (int i = 0; i < 6; i++) {
        out->wrench[i] += wrench[i];
        out->d_pose[i][2] -= slope[i];
    }
}

/// Length of a contact of this area along the travel.
static double length_of(const GrScmBody *body, const Travel *t, double area)
{
    if (!gr_scm_is_wheel(body)) {
        return sqrt(area);
    }
    return area * t->speed / (body->width * fabs(t->along) + area / body->width * fabs(t->across) + 1e-300);
}

GrScmMemory gr_scm_remember(const GrScmBody *body, const GrScmPose *pose, double dt, double area, double paths,
                            GrScmMemory memory)
{
    const Travel t = travel_of(body, pose);
    if (pose->resting || !(area > 0)) {
        return memory;
    }
    memory.path += paths / area;
    if (t.speed > 0) {
        // backward Euler: a long step may travel further than the contact is long
        const double renewed = t.speed * dt / length_of(body, &t, area), part = renewed / (1 + renewed);
        memory.path -= part * memory.path;
        memory.travel[0] += part * (t.along / t.speed - memory.travel[0]);
        memory.travel[1] += part * (t.across / t.speed - memory.travel[1]);
        memory.slip += part * (slip_of(&t) - memory.slip);
    }
    return memory;
}

// ---- the law scm, whose soil is a grid: its state is that of the nodes (scm.h), not of a wheel

const GrLaw gr_law_scm = {
    .name = "scm",
    .text = "soil as a deformable grid that keeps its ruts (soil contact model, Krenn & Hirzinger 2009)",
    .traits = GR_LAW_ANY | GR_LAW_STRESS | GR_LAW_GRID,
    .nodes = 0,
    .slice_state = 0,
    .own = {{GR_SOIL_ROW("rebound", "rebound", "", "fraction of the sinkage that rebounds", rebound, 1, 0.001, 0.3,
                         false, 0)},
            {GR_SOIL_ROW("slip_sinkage", "slip_sinkage", "", "soil dug away per slip distance", slip_sinkage, 1, 0, 1,
                         false, 0)},
            {GR_SOIL_ROW("K_compacted", "K_compacted", "",
                         "K of soil compacted by earlier passes over that of virgin soil", shear_compacted, 1, 0.1, 1,
                         false, 0)},
            {GR_SOIL_ROW("repose", "repose_deg", "°", "steepest slope of loose soil", repose_angle, GR_DEGREE, 5, 80,
                         false, 0),
             .not_in = GR_SOIL_USE_NO_FLOW},
            {GR_SOIL_ROW("bulking", "bulking", "", "ratio of the volume that rises to the volume pressed down", bulking,
                         1, 0, 1.5, false, 0),
             .not_in = GR_SOIL_USE_NO_FLOW}},
};
