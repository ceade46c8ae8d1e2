/// The box of nodes around a body, and the data that the parts of SCM exchange.
#ifndef GR_SCM_GRID_H
#define GR_SCM_GRID_H

#include "scm.h"

/// A rectangle of nodes in the box: [i0, i1) x [j0, j1), counted from the corner of the box.
typedef struct GrScmRange {
    int i0, i1, j0, j1;
} GrScmRange;

/// Every kind of number has its own block: every value that another body has left behind is finite.
struct GrScmWork {
    double *doubles;
    float *singles;
    int32_t *integers;
    size_t double_count, single_count, integer_count;
    unsigned version; ///< counts the blocks, from 1
};

struct GrScmScratch {
    int side;       ///< the box has side x side nodes
    int node_max;   ///< length of the lists
    int64_t i0, j0; ///< its corner
    bool filled;    ///< `first` is filled for this box
    bool owner;     ///< of `work`
    GrScmWork *work;
    unsigned bound; ///< version of `work` that the arrays below lie in
    // Arrays over the box, row by row: node (i, j) at (j − j0) side + (i − i0)
    double *first;             ///< undisturbed ground [m]; kept between calls, unlike those that follow
    double *change;            ///< of height [m]
    double *sinkage;           ///< plastic [m]
    double *lower;             ///< lower surface of the body [m]; GR_SCM_NOWHERE where there is none
    double *cover;             ///< fraction of the cell under the body 0 … 1
    double *slope_x, *slope_y; ///< of the lower surface
    double *inside;            ///< > 0 inside the patch, < 0 outside, see outline
    double *depth;             ///< of the body below the soil's surface [m]; < 0 where they do not touch
    int32_t *slot;             ///< 1 at touched nodes while soil flows, else 0
    int32_t *label;            ///< patch of a node
    int32_t *at;               ///< touched nodes: index in the box
    double *weights;           ///< two for every node of the rim
    int32_t *dirty;            ///< rows of the box that soil flow has changed
    // While slopes slump, see scm_commit.c
    float *height;               ///< of the soil from a base [m]
    float *limit[4];             ///< difference of height at which a pair of nodes may be too steep [m]
    int32_t *fresh;              ///< visit of a row in which nodes of a segment, or those next to it, last changed
    int32_t *calm;               ///< last visit in which no pair of the segment was too steep
    double *offset_x, *offset_y; ///< columns and rows of the box, from the body's centre [m]; bitwise equal for any
                                 ///< position of the box
};

/// `count` in whole vectors: loops over so many nodes have no rest of single ones. The up to three nodes behind those
/// of a row are finite numbers; what is written there has no effect, or is written again with the next row.
static inline int gr_scm_whole(int count)
{
    return (count + 3) & ~3;
}

/// Changes the height of a node. Raised soil is loose, over a compacted bottom that is now deeper by that amount, so
/// the node's sinkage decreases.
static inline void gr_scm_raise(GrScmScratch *s, int at, double by)
{
    s->change[at] += by;
    if (by > 0 && s->sinkage[at] > 0) {
        s->sinkage[at] = s->sinkage[at] > by ? s->sinkage[at] - by : 0;
    }
}

/// Height of the undisturbed ground at a node; −GR_SCM_NOWHERE outside the map.
double gr_scm_first_ground(const GrScmBody *body, int64_t i, int64_t j);

/// Moves the box so that it contains the nodes around the pose's centre, with the undisturbed ground; only if
/// necessary. Results must not depend on the position of the box.
void gr_scm_box_place(const GrScmBody *body, const GrScmPose *pose, GrScmScratch *s);

/// Number of nodes of the box from `from` to the end of their tile, or to `to`; `corner` is that of the box.
int gr_scm_run_in_tile(int64_t corner, int from, int to);

/// Copies change and sinkage of the range out of the ruts.
void gr_scm_box_read(const GrRuts *ruts, GrScmScratch *s, GrScmRange range);

/// Height of a body where there is none; its negative is the height of the ground outside the map. It is finite because
/// the files of SCM are compiled for finite numbers only, so that a maximum takes one instruction.
#define GR_SCM_NOWHERE 1e30

/// Steepest slope of a surface: at the height of the hub a rim is a wall, whose area over a cell is unbounded.
static const double GR_SCM_STEEPEST = 4;

/// Fraction of a wheel's radius in front of and behind its axle where no soil slumps, and behind which none is heaped
/// up: the gap below the rim is small there.
static const double GR_SCM_ARCH = 0.6;

/// Nodes of a segment of a row, which slumps or not as a whole.
enum { GR_SCM_SEGMENT = 16 };

/// Soil flows up to this distance from touched nodes [m].
static const double GR_SCM_RIM = 0.08;

/// The same in cells.
static inline int gr_scm_rim(double cell)
{
    const int cells = (int)ceil(GR_SCM_RIM / cell - 1e-9);
    return cells > 2 ? cells : 2;
}

/// Whether it is a wheel: neither convex nor a custom shape.
static inline bool gr_scm_is_wheel(const GrScmBody *body)
{
    return body->shape == NULL && body->convex.kind == GR_SCM_NO_CONVEX;
}

/// Prepares what all bodies have in common: soil, cell and box.
GrStatus gr_scm_prepare_grid(const GrSoilDef *soil, double gravity, double cell, double reach, GrScmBody *out,
                             GrErrorLog *log);

/// GrScmBody::lower of wheels and of convex bodies.
GrScmRange gr_scm_lower_wheel(const GrScmBody *body, const GrRuts *ruts, const GrScmPose *pose, GrScmScratch *s);

/// Slopes of a wheel's lower surface at a point relative to its centre.
void gr_scm_slope_wheel(const GrScmBody *body, const GrScmPose *pose, GrVec3 place, double *slope_x, double *slope_y);

/// Directions in which soil is heaped up: pressed soil to the sides and the front, dug soil to the back.
typedef struct GrScmHeap {
    double ahead_x, ahead_y; ///< unit vector of travel
    double moving;           ///< 0 at rest (all around), 1 in motion
    double back_x, back_y;   ///< unit vector in which the surface of the body drags the soil
    double dragging;
} GrScmHeap;

GrScmHeap gr_scm_heap_of(const GrScmPose *pose);

/// Adds the weights of a unit length of rim facing in direction (x, y), a unit vector, for pressed and for dug soil.
void gr_scm_heap_weights(const GrScmHeap *h, double x, double y, double *front, double *back);

/// Area under a wheel in the top view: a strip about the line through its centre.
typedef struct GrScmStrip {
    double across_x, across_y; ///< unit vector along the axle, horizontal
    double ramp;               ///< width over which cells at the border are partly covered [m]
    double half;               ///< half width beyond which no cell is covered [m]
} GrScmStrip;

GrScmStrip gr_scm_strip_of(const GrScmBody *body, const GrScmPose *pose);

/// Bands around the contact of a wheel where displaced soil is put.
typedef struct GrScmBands {
    GrScmStrip strip;
    double front, rear; ///< the contact reaches from −rear to front [m]
    double behind;      ///< start of the rear band, outside the arch of the rim [m]
    double width;       ///< of a band [m]
    double length;      ///< of the contact: its area divided by the wheel's width [m]
    GrScmRange range;   ///< nodes covered by the bands
} GrScmBands;

void gr_scm_bands_find(const GrScmBody *body, const GrScmPose *pose, const GrScmNodes *nodes, const GrScmScratch *s,
                       GrScmBands *bands);

/// Spreads the volumes over the bands, whose heights must have been read. Returns the raised volume [m³] and marks the
/// changed rows.
double gr_scm_bands_raise(const GrScmBody *body, const GrScmHeap *h, const GrScmBands *bands, double pressed,
                          double dug, GrScmScratch *s);

/// Sweeps over the slopes of a range that are steeper than the angle of repose and than the undisturbed ground; nodes
/// with a large `depth` are held. `base`: a height near those of the soil [m]. Marks the changed rows.
void gr_scm_slump(const GrScmBody *body, double base, GrScmRange range, int sweeps, GrScmScratch *s);

/// Part of the slip distance that digs: with ploughing, that by which the rim is ahead of the wheel's path, ρ − 1 in
/// the laws of a patch; a rim that is dragged ploughs.
double gr_scm_digging_part(const GrScmBody *body, const GrScmPose *pose);

/// (1 − e^(−J))/J
double gr_scm_dig_share(double path);

/// Depth that a wheel has ploughed aside, over that of its deepest point below the first ground.
double gr_scm_ploughed(const GrScmBody *body, const GrScmPose *pose, const GrScmMemory *memory, double depth);

/// Adds the wedge of soil that a wheel pushes along.
void gr_scm_add_wedge(const GrScmBody *body, const GrScmPose *pose, const GrScmMemory *memory, GrScmOutput *out);

/// The memory after a step; `area` is that of the contact [m²], and `paths` the integral of dj/j0 over it, j the slip
/// distance.
GrScmMemory gr_scm_remember(const GrScmBody *body, const GrScmPose *pose, double dt, double area, double paths,
                            GrScmMemory memory);

enum { GR_SCM_PATCHES = 64 };

/// A connected part of the contact.
typedef struct GrScmPatch {
    double area;      ///< [m²]
    double perimeter; ///< [m]
} GrScmPatch;

/// Labels the nodes with inside > 0 and measures their patches; those beyond GR_SCM_PATCHES are added to the last.
int gr_scm_outline(GrScmScratch *s, GrScmRange range, double cell, GrScmPatch *patches);

#endif
