/// Edges of a wheel's contact: where the surface of the wheel leaves the soil between two nodes, forces of the last
/// node follow from the part of a cell that it represents.
#ifndef GR_SCM_EDGES_H
#define GR_SCM_EDGES_H

#include "scm_block.h"

/// Edges of the contact: between a touched node and an untouched neighbour, the depth passes through 0 at the fraction
/// θ of a cell. At most two for every node of a block, in the order of nodes.
enum { GR_SCM_EDGES = 2 * GR_SCM_BLOCK + 1 };

/// What is beyond an edge: virgin soil, or soil that has rebounded, next to a node that rebounds too (SPRUNG), is still
/// being pressed down (GOING), or has been pressed below the rut that continues beyond the edge (RUT).
typedef enum GrScmEdgeKind { GR_SCM_EDGE_VIRGIN, GR_SCM_EDGE_SPRUNG, GR_SCM_EDGE_GOING, GR_SCM_EDGE_RUT } GrScmEdgeKind;

typedef struct GrScmEdges {
    int count;
    int node[GR_SCM_EDGES]; ///< in the block
    GrScmEdgeKind kind[GR_SCM_EDGES];
    double depth[GR_SCM_EDGES]; ///< at the node [m]
    double fall[GR_SCM_EDGES];  ///< decrease to the neighbour [m]
    double yield[GR_SCM_EDGES]; ///< depth at which soil beyond the edge yields [m]
    double rut[GR_SCM_EDGES];   ///< weight of the pressure of a rut: grows as the node gets deeper than that
    double part[GR_SCM_EDGES];  ///< 1/2 + θ: the part of a cell that the node represents
    double share[GR_SCM_EDGES]; ///< mean depth over this part [m]
    double more[GR_SCM_EDGES];  ///< ratio of the integral over this part to the depth at the node
    double shed[GR_SCM_EDGES];  ///< derivative of the part by the depth [1/m]
} GrScmEdges;

/// What the edges of one evaluation have in common.
typedef struct GrScmRim {
    const GrScmScratch *s;
    double n;          ///< exponent of the pressure
    double upright;    ///< z of the ground's normal
    double by_upright; ///< its inverse
    double rebound;    ///< ratio of the rebound to the plastic sinkage
    bool lengthwise;   ///< the wheel moves along the rows rather than across them
    double bend;       ///< curvature of its surface in this direction: change of slope over a cell times cell [m]
} GrScmRim;

/// Edges in a run of `count` nodes, from `at` on in the box and k on in the block: along rows, or across them,
/// depending on the direction of the wheel.
void gr_scm_edges_note(const GrScmRim *rim, int at, int k, int count, GrScmEdges *edges);

/// Applies the edges to the nodes of the block: area, depth, modulus and ratio. This affects forces, not the stored
/// state of the soil.
void gr_scm_edges_share(const GrScmRim *rim, GrScmEdges *edges, GrScmBlock *block);

#endif
