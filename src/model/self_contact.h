/// Contact between the rover's own bodies: which of them can touch each other.
#ifndef GR_SELF_CONTACT_H
#define GR_SELF_CONTACT_H

#include "model_data.h"

/// Lets the driven bodies of `def`, which are those of m->rigid, touch each other, except pairs that a joint connects
/// and pairs that overlap at the start. The excluded pairs are reported to `log`. Sets the room for pairs in m->tree.
GrStatus gr_self_contact_prepare(const GrRoverDef *rover, GrModel *m, GrRigidDef *def, GrErrorLog *log);

/// Name of a body of the tree: of its wheel, or of the first body of the definition that was merged into it.
const char *gr_moving_body_name(const GrModel *m, int body);

#endif
