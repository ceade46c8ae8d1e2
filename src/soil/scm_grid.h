/// The box of nodes around a body, and what the parts of SCM hand to each other.
#ifndef GR_SCM_GRID_H
#define GR_SCM_GRID_H

#include "scm.h"

/// Nodes between the body's reach and the border of the box: room to move before the box must follow, and for the rim.
enum { GR_SCM_MARGIN = 8 };

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
    double *first;   ///< ground before anything drove on it [m]
    double *change;  ///< of height [m]
    double *sinkage; ///< plastic [m]
    double *lower;   ///< lower surface of the body [m]; INFINITY where it is not
    double *cover;   ///< part of the cell under the body 0 … 1
    double *slope_x, *slope_y; ///< of the lower surface
    double *inside;  ///< > 0 inside the patch, < 0 outside, see outline
    int32_t *slot;   ///< number of the node in `old` plus 1; 0: untouched
    int32_t *label;  ///< patch of a node
    // Of the touched nodes
    int32_t *at; ///< place in the box
    double *list; ///< GR_SCM_LIST_COUNT arrays of node_max
    void *memory;
};

/// Arrays over the touched nodes.
typedef enum GrScmList {
    GR_LIST_DEPTH,    ///< penetration below the surface, along the normal [m]
    GR_LIST_TOTAL,    ///< total sinkage z [m]
    GR_LIST_YIELD,    ///< z where virgin soil begins [m]
    GR_LIST_MODULUS,  ///< P [N/m^(n+2)]
    GR_LIST_SIGMA,    ///< pressure [Pa]
    GR_LIST_SIGMA_Z,  ///< ∂σ/∂z [Pa/m]
    GR_LIST_N,        ///< 6: wrench of unit pressure on the unit cell
    GR_LIST_T1 = GR_LIST_N + 6, ///< 6: of unit shear along
    GR_LIST_T2 = GR_LIST_T1 + 6, ///< 6: across
    GR_LIST_A = GR_LIST_T2 + 6,  ///< 6: left factors of the derivatives
    GR_LIST_B = GR_LIST_A + 6,
    GR_LIST_C = GR_LIST_B + 6,
    GR_SCM_LIST_COUNT = GR_LIST_C + 6,
} GrScmList;

static inline double *gr_scm_list(const GrScmScratch *s, int list)
{
    return s->list + (size_t)list * (size_t)s->node_max;
}

/// Moves the box so that it holds `range` nodes around the pose's centre, with the first ground; keeps it while it can.
void gr_scm_box_place(const GrScmBody *body, const GrScmPose *pose, GrScmScratch *s);

/// Copies change and sinkage of the range out of the ruts.
void gr_scm_box_read(const GrRuts *ruts, GrScmScratch *s, GrScmRange range);

/// Lower surface, slopes and cover of the body over the box; returns the nodes that may be covered.
GrScmRange gr_scm_lower_wheel(const GrScmBody *body, const GrScmPose *pose, GrScmScratch *s);
GrScmRange gr_scm_lower_mesh(const GrScmBody *body, const GrScmPose *pose, GrScmScratch *s);

/// Slopes of a wheel's lower surface at one node of the box, where its height is known.
void gr_scm_slope_wheel(const GrScmBody *body, const GrScmPose *pose, const GrScmScratch *s, int at, double *slope_x,
                        double *slope_y);

enum { GR_SCM_PATCHES = 64 };

/// A connected part of the contact.
typedef struct GrScmPatch {
    double area;      ///< [m²]
    double perimeter; ///< [m]
} GrScmPatch;

/// Labels the nodes with inside > 0 and measures their patches; more than GR_SCM_PATCHES go to the last.
int gr_scm_outline(GrScmScratch *s, GrScmRange range, double cell, GrScmPatch *patches);

#endif
