/// The box of nodes around a body, and what the parts of SCM hand to each other.
#ifndef GR_SCM_GRID_H
#define GR_SCM_GRID_H

#include "scm.h"

/// A rectangle of nodes in the box: [i0, i1) x [j0, j1), counted from the corner of the box.
typedef struct GrScmRange {
    int i0, i1, j0, j1;
} GrScmRange;

struct GrScmScratch {
    int side;       ///< the box has side x side nodes
    int node_max;   ///< length of the lists
    int64_t i0, j0; ///< its corner
    bool filled;    ///< `first` holds the ground of this box
    bool on_map;    ///< all of it
    // Of the box, row by row: node (i, j) at (j − j0) side + (i − i0)
    double *first;               ///< ground before anything drove on it [m]
    double *change;              ///< of height [m]
    double *sinkage;             ///< plastic [m]
    double *lower;               ///< lower surface of the body [m]; GR_SCM_NOWHERE where it is not
    double *cover;               ///< part of the cell under the body 0 … 1
    double *slope_x, *slope_y;   ///< of the lower surface
    double *inside;              ///< > 0 inside the patch, < 0 outside, see outline
    double *depth;               ///< of the body below the soil's surface [m]; < 0 where they do not touch
    int32_t *slot;               ///< 1 at touched nodes while soil flows, else 0
    int32_t *label;              ///< patch of a node
    int32_t *at;                 ///< touched nodes: place in the box
    double *weights;             ///< two for every node of the rim
    int32_t *dirty;              ///< rows of the box that soil flow has changed
    double *offset_x, *offset_y; ///< columns and rows of the box, from the body's centre [m]; the same bits in any box
    void *memory;
};

/// Moves the box so that it holds the nodes around the pose's centre, with the first ground; keeps it while it can.
/// What is computed in it must not depend on where it lies.
void gr_scm_box_place(const GrScmBody *body, const GrScmPose *pose, GrScmScratch *s);

/// Nodes of the box from `from` on to the end of their tile, or to `to`; `corner` is that of the box.
int gr_scm_run_in_tile(int64_t corner, int from, int to);

/// Copies change and sinkage of the range out of the ruts.
void gr_scm_box_read(const GrRuts *ruts, GrScmScratch *s, GrScmRange range);

/// Height of a body where there is none; minus it, of the ground where the map has none. A number like others: the
/// files of SCM are compiled for finite ones, so that the larger of two takes one instruction.
#define GR_SCM_NOWHERE 1e30

/// No surface is steeper than this: near the hub's height a rim is a wall, and a cell cannot carry its area.
static const double GR_SCM_STEEPEST = 4;

/// Part of a wheel's radius before and behind its axle where no soil falls, and behind it none is put: the gap below
/// the rim is small there.
static const double GR_SCM_ARCH = 0.6;

/// Soil flows as far from what is touched [m].
static const double GR_SCM_RIM = 0.08;

/// The same in cells.
static inline int gr_scm_rim(double cell)
{
    const int cells = (int)ceil(GR_SCM_RIM / cell - 1e-9);
    return cells > 2 ? cells : 2;
}

/// Neither convex nor a shape of its own.
static inline bool gr_scm_is_wheel(const GrScmBody *body)
{
    return body->shape == NULL && body->convex.kind == GR_SCM_NO_CONVEX;
}

/// What all bodies share: the soil, the cell and the box.
GrStatus gr_scm_prepare_grid(const GrSoilDef *soil, double gravity, double cell, double reach, GrScmBody *out,
                             GrErrorLog *log);

/// GrScmBody::lower of wheels and of convex bodies.
GrScmRange gr_scm_lower_wheel(const GrScmBody *body, const GrRuts *ruts, const GrScmPose *pose, GrScmScratch *s);
GrScmRange gr_scm_lower_convex(const GrScmBody *body, const GrRuts *ruts, const GrScmPose *pose, GrScmScratch *s);

/// Slopes of a wheel's lower surface at a place of it, counted from its centre.
void gr_scm_slope_wheel(const GrScmBody *body, const GrScmPose *pose, GrVec3 place, double *slope_x, double *slope_y);

/// Directions of a heap: pressed soil goes to the sides and the front, dug soil to the back.
typedef struct GrScmHeap {
    double ahead_x, ahead_y; ///< unit vector of travel
    double moving;           ///< 0 at rest (all around), 1 in motion
    double back_x, back_y;   ///< unit vector in which the surface of the body drags the soil
    double dragging;
} GrScmHeap;

GrScmHeap gr_scm_heap_of(const GrScmPose *pose);

/// Adds the weights of a unit of rim that looks in direction (x, y), a unit vector: for pressed and for dug soil.
void gr_scm_heap_weights(const GrScmHeap *h, double x, double y, double *front, double *back);

/// What a wheel covers, seen from above: a strip about the line through its centre.
typedef struct GrScmStrip {
    double across_x, across_y; ///< unit vector of the axle, level
    double ramp;               ///< cells across the border are covered in part over this length [m]
    double half;               ///< no cell is covered from here on [m]
} GrScmStrip;

GrScmStrip gr_scm_strip_of(const GrScmBody *body, const GrScmPose *pose);

/// Bands around the contact of a wheel that take what it displaces.
typedef struct GrScmBands {
    GrScmStrip strip;
    double front, rear; ///< the contact reaches from −rear to front [m]
    double behind;      ///< where the band behind it begins, not under the arch of the rim [m]
    double width;       ///< of a band [m]
    double length;      ///< of the contact: its area over the wheel's width [m]
    GrScmRange range;   ///< nodes that they lie over
} GrScmBands;

void gr_scm_bands_find(const GrScmBody *body, const GrScmPose *pose, const GrScmNodes *nodes, const GrScmScratch *s,
                       GrScmBands *bands);

/// Spreads the volumes over the bands, whose heights have been read; what was raised [m³]. Marks the rows.
double gr_scm_bands_raise(const GrScmBody *body, const GrScmHeap *h, const GrScmBands *bands, double pressed,
                          double dug, GrScmScratch *s);

enum { GR_SCM_PATCHES = 64 };

/// A connected part of the contact.
typedef struct GrScmPatch {
    double area;      ///< [m²]
    double perimeter; ///< [m]
} GrScmPatch;

/// Labels the nodes with inside > 0 and measures their patches; more than GR_SCM_PATCHES go to the last.
int gr_scm_outline(GrScmScratch *s, GrScmRange range, double cell, GrScmPatch *patches);

#endif
