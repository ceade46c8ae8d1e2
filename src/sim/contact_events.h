/// Events of contacts, for integrators with root finding.
#ifndef GR_CONTACT_EVENTS_H
#define GR_CONTACT_EVENTS_H

#include "data.h"

/// Numbers that change their sign where a contact begins or ends, or sticks or slips, as the last evaluation found it.
int gr_contact_event_count(const GrModel *m, const GrData *d);
void gr_contact_events(const GrModel *m, const GrData *d, double *values);

#endif
