/// The elements of a URDF as a rover: links and joints in any order, before the root is known.
#ifndef GR_URDF_TREE_H
#define GR_URDF_TREE_H

#include "urdf_xml.h"

typedef struct GrUrdfLink {
    xmlNode *node;
    GrBodyDef body;
    int joint; ///< the joint that it is the child of; −1: none
    int index; ///< in the rover; −1: none yet
} GrUrdfLink;

typedef struct GrUrdfJoint {
    xmlNode *node;
    GrJointDef joint; ///< parent and child are indices of links
    double effort;    ///< 0: not given
    char mimic[GR_NAME_SIZE];
    double multiplier, offset;
} GrUrdfJoint;

typedef struct GrUrdfTree {
    GrUrdfLink *links;
    int link_count;
    GrUrdfJoint *joints;
    int joint_count;
    double massless; ///< mass of links that move without one [kg]; 0: that is an error
} GrUrdfTree;

/// Reads every <link> and <joint>. False when out of memory; errors of the file are in urdf->status.
bool gr_urdf_read_tree(GrUrdf *urdf, GrUrdfTree *tree);

void gr_urdf_free_tree(GrUrdfTree *tree);

/// Gives moving links without mass the tree's mass for these, finds the root, re-roots the tree so that it has mass,
/// and moves everything into the rover. False after an error.
bool gr_urdf_place(GrUrdf *urdf, GrUrdfTree *tree, GrRoverDef *rover);

#endif
