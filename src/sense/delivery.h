/// Measurements on their way: copies that wait until they are delivered, for those who use them during a run.
///
///     gr_delivery_add(&delivery, &measurement);                     // as gr_sense_next() gives it
///     while (gr_delivery_next(&delivery, time, &measurement)) …     // in the order of delivery
#ifndef GR_DELIVERY_H
#define GR_DELIVERY_H

#include "grouser/sense.h"

typedef struct GrParcel {
    GrMeasurement measurement; ///< its arrays are in `data`
    unsigned char *data;       ///< owned; NULL: no arrays
} GrParcel;

/// Zero-initialise before use.
typedef struct GrDelivery {
    GrParcel *parcels; ///< by time of delivery
    int count, capacity;
    GrParcel last; ///< the one that was given out
} GrDelivery;

/// Copies a measurement with its arrays. False when out of memory.
bool gr_delivery_add(GrDelivery *delivery, const GrMeasurement *measurement);

/// The next measurement that has been delivered at this time, valid until the next call; false: there is none.
bool gr_delivery_next(GrDelivery *delivery, double time, GrMeasurement *out);

void gr_delivery_free(GrDelivery *delivery);

/// A copy of a measurement with its arrays; false when out of memory.
bool gr_parcel_pack(GrParcel *parcel, const GrMeasurement *measurement);
void gr_parcel_free(GrParcel *parcel);

#endif
