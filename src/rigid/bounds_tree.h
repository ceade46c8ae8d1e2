/// Tree of bounding boxes over shapes that do not move: built once, queried often.
#ifndef GR_BOUNDS_TREE_H
#define GR_BOUNDS_TREE_H

#include "convex.h"

/// Preorder: the left child of node i is i + 1; `skip` is the node after the whole subtree, so that a query walks
/// forward without a stack.
typedef struct GrBoundsNode {
    GrBounds bounds;
    int item; ///< −1: inner node
    int skip;
} GrBoundsNode;

/// Number of nodes for `count` items.
static inline int gr_bounds_tree_size(int count)
{
    return count > 0 ? 2 * count - 1 : 0;
}

/// Builds into nodes[gr_bounds_tree_size(count)]; items[count] is permuted, bounds are indexed by item. No allocation;
/// the same input gives the same tree.
void gr_bounds_tree_build(GrBoundsNode *nodes, int *items, int count, const GrBounds *bounds);

/// Writes the items whose boxes overlap `box` in the tree's order; returns how many there are, of which at most
/// `capacity` are written.
int gr_bounds_tree_query(const GrBoundsNode *nodes, int node_count, const GrBounds *box, int *out, int capacity);

/// Gap between two boxes along the axis on which it is largest; 0 where they overlap.
double gr_bounds_gap(const GrBounds *a, const GrBounds *b);

/// Distance by which `box` and every item may move towards each other along each axis before their boxes overlap, at
/// most `most`.
double gr_bounds_tree_gap(const GrBoundsNode *nodes, int node_count, const GrBounds *box, double most);

#endif
