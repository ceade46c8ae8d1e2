#include "delivery.h"

#include "alloc.h"

#include <string.h>

static const double SAME_TIME = 1e-9; // ends of steps need not be exact [s]

static const float *copy_floats(unsigned char **at, const float *from, size_t count)
{
    if (from == NULL) {
        return NULL;
    }
    unsigned char *to = *at;
    memcpy(to, from, count * sizeof *from);
    *at += count * sizeof *from;
    return (const float *)(const void *)to;
}

bool gr_parcel_pack(GrParcel *parcel, const GrMeasurement *m)
{
    const size_t rays = (size_t)m->columns * (size_t)m->rows;
    const size_t floats = rays * ((m->ranges != NULL) + 3u * (m->points != NULL) + (m->intensities != NULL));
    const size_t size = floats * sizeof(float) + (m->grey != NULL ? rays : 0);
    *parcel = (GrParcel){.measurement = *m, .data = size > 0 ? gr_malloc(size) : NULL};
    if (parcel->data == NULL) {
        return size == 0;
    }
    unsigned char *at = parcel->data;
    parcel->measurement.ranges = copy_floats(&at, m->ranges, rays);
    parcel->measurement.points = copy_floats(&at, m->points, 3 * rays);
    parcel->measurement.intensities = copy_floats(&at, m->intensities, rays);
    if (m->grey != NULL) {
        memcpy(at, m->grey, rays);
        parcel->measurement.grey = at;
    }
    return true;
}

void gr_parcel_free(GrParcel *parcel)
{
    gr_free(parcel->data);
    *parcel = (GrParcel){0};
}

static bool grow(GrDelivery *delivery)
{
    const int capacity = delivery->capacity > 0 ? 2 * delivery->capacity : 16;
    GrParcel *grown = gr_realloc(delivery->parcels, (size_t)capacity * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    delivery->parcels = grown;
    delivery->capacity = capacity;
    return true;
}

bool gr_delivery_add(GrDelivery *delivery, const GrMeasurement *m)
{
    GrParcel parcel;
    if ((delivery->count == delivery->capacity && !grow(delivery)) || !gr_parcel_pack(&parcel, m)) {
        return false;
    }
    int i = delivery->count++; // those of the same time stay in the order of measurement
    for (; i > 0 && delivery->parcels[i - 1].measurement.delivered > m->delivered; i--) {
        delivery->parcels[i] = delivery->parcels[i - 1];
    }
    delivery->parcels[i] = parcel;
    return true;
}

bool gr_delivery_next(GrDelivery *delivery, double time, GrMeasurement *out)
{
    gr_parcel_free(&delivery->last);
    if (delivery->count == 0 || delivery->parcels[0].measurement.delivered > time + SAME_TIME) {
        return false;
    }
    delivery->last = delivery->parcels[0];
    delivery->count--;
    memmove(delivery->parcels, delivery->parcels + 1, (size_t)delivery->count * sizeof *delivery->parcels);
    *out = delivery->last.measurement;
    return true;
}

void gr_delivery_free(GrDelivery *delivery)
{
    for (int i = 0; i < delivery->count; i++) {
        gr_parcel_free(&delivery->parcels[i]);
    }
    gr_parcel_free(&delivery->last);
    gr_free(delivery->parcels);
    *delivery = (GrDelivery){0};
}
