/// Contact between the rover's own parts: which of them can touch each other.
#ifndef GR_SELF_CONTACT_H
#define GR_SELF_CONTACT_H

#include "model_data.h"

/// Lets the driven bodies of `def`, which are those of m->hard, touch each other, but for those that a joint joins and
/// those that overlap at the start; `log` is told about them. Sets the room for pairs in m->tree.
GrStatus gr_self_contact_prepare(const GrRoverDef *rover, GrModel *m, GrRigidDef *def, GrErrorLog *log);

/// Name of a body of the tree: of its wheel, or of the first body of the definition that became part of it.
const char *gr_moving_body_name(const GrModel *m, int body);

#endif
