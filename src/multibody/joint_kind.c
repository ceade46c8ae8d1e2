#include "joint_kind.h"

#include "check.h"

#include <stdio.h>

enum {
    ALONG_AXIS = GR_JOINT_TAKES_SPRING | GR_JOINT_TAKES_ALONG | GR_JOINT_TAKES_AXIS,
    X = 0,
    Y = 1,
    Z = 2,
};

#define BALL                                                                                                           \
    {"rx", GR_MOTION_SPHERICAL, X}, {"ry", GR_MOTION_SPHERICAL, Y},                                                    \
    {                                                                                                                  \
        "rz", GR_MOTION_SPHERICAL, Z                                                                                   \
    }

static const GrJointKindRow KINDS[GR_JOINT_KIND_COUNT] = {
    [GR_JOINT_FIXED] = {.name = "fixed",
                        .text = "child and parent are rigidly connected",
                        .takes = GR_JOINT_TAKES_WHEEL,
                        .may = "name and pose"},
    [GR_JOINT_REVOLUTE] = {.name = "revolute",
                           .text = "rotates about its axis",
                           .axis_count = 1,
                           .axes = {{"", GR_MOTION_REVOLUTE, Z}},
                           .takes = ALONG_AXIS | GR_JOINT_TAKES_WHEEL},
    [GR_JOINT_PRISMATIC] = {.name = "prismatic",
                            .text = "slides along its axis",
                            .axis_count = 1,
                            .axes = {{"", GR_MOTION_PRISMATIC, Z}},
                            .takes = ALONG_AXIS | GR_JOINT_TAKES_WHEEL},
    [GR_JOINT_SCREW] = {.name = "screw",
                        .text = "rotates about its axis and advances along it by the pitch",
                        .axis_count = 1,
                        .axes = {{"", GR_MOTION_SCREW, Z}},
                        .takes = ALONG_AXIS | GR_JOINT_TAKES_PITCH},
    [GR_JOINT_UNIVERSAL] = {.name = "universal",
                            .text = "rotates about x of its frame, then about the rotated y",
                            .axis_count = 2,
                            .axes = {{"rx", GR_MOTION_REVOLUTE, X}, {"ry", GR_MOTION_REVOLUTE, Y}},
                            .takes = GR_JOINT_TAKES_SPRING,
                            .may = "stiffness and damping"},
    [GR_JOINT_CYLINDRICAL] = {.name = "cylindrical",
                              .text = "slides along its axis and rotates about it, independently",
                              .axis_count = 2,
                              .axes = {{"z", GR_MOTION_PRISMATIC, Z}, {"rz", GR_MOTION_REVOLUTE, Z}},
                              .takes = GR_JOINT_TAKES_AXIS,
                              .may = "an axis"},
    [GR_JOINT_PLANAR] = {.name = "planar",
                         .text = "slides in the plane perpendicular to its axis and rotates about the axis",
                         .axis_count = 3,
                         .axes = {{"x", GR_MOTION_PRISMATIC, X},
                                  {"y", GR_MOTION_PRISMATIC, Y},
                                  {"rz", GR_MOTION_REVOLUTE, Z}},
                         .takes = GR_JOINT_TAKES_AXIS,
                         .may = "an axis"},
    [GR_JOINT_SPHERICAL] = {.name = "spherical",
                            .text = "rotates freely about its origin",
                            .axis_count = 3,
                            .axes = {BALL},
                            .takes = GR_JOINT_TAKES_SPRING | GR_JOINT_TAKES_ROTATION,
                            .may = "stiffness, damping and an initial rotation"},
    [GR_JOINT_FREE] =
        {.name = "free",
         .text = "moves freely: transmits no force",
         .axis_count = 6,
         .axes = {{"x", GR_MOTION_PRISMATIC, X}, {"y", GR_MOTION_PRISMATIC, Y}, {"z", GR_MOTION_PRISMATIC, Z}, BALL},
         .separates = true,
         .takes = GR_JOINT_TAKES_ROTATION | GR_JOINT_TAKES_PLACE,
         .may = "an initial position and rotation"},
};

const GrJointKindRow *gr_joint_kind(GrJointKind kind)
{
    GR_CHECK((unsigned)kind < GR_JOINT_KIND_COUNT);
    return &KINDS[kind];
}

void gr_joint_refusal(GrJointKind kind, unsigned bit, char *out, size_t size)
{
    const GrJointKindRow *row = gr_joint_kind(kind);
    char able[200] = "";
    for (int i = 0, length = 0; i < GR_JOINT_KIND_COUNT; i++) {
        if (KINDS[i].takes & bit) {
            length +=
                snprintf(able + length, sizeof able - (size_t)length, "%s%s", length > 0 ? ", " : "", KINDS[i].name);
        }
    }
    snprintf(out, size, "a %s joint cannot have it; allowed for: %s%s%s", row->name, able,
             row->may != NULL ? "; this one may have " : "", row->may != NULL ? row->may : "");
}
