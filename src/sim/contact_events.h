/// Events of contacts, for integrators with root finding.
#ifndef GR_CONTACT_EVENTS_H
#define GR_CONTACT_EVENTS_H

#include "data.h"

/// Event functions from the last evaluation: each changes its sign where a contact begins or ends, sticks or slips.
int gr_contact_event_count(const GrModel *m, const GrData *d);
void gr_contact_events(const GrModel *m, const GrData *d, double *values);

#endif
