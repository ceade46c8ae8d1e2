/// Errors of sensors, and measurements on their way to those who use them.
#include "sensor_noise.h"

#include "alloc.h"
#include "delivery.h"
#include "vec3.h"

#include <string.h>

// ---- noise
//
// White noise, flicker noise and random walk, each exact at the sampling interval.
//
// Flicker noise of the bias instability B has the two-sided spectrum B²/(2π f). A sum of Gauss-Markov processes whose
// correlation times T grow by a factor r, each with variance s², has the spectrum
//
//     Σ 2 s² T/(1 + (2π f T)²)  ≈  s²/(2 ln r) · 1/f    between 1/(2π T_last) and 1/(2π T_first)
//
// (the sum over ln T as an integral), so that s² = B² ln r/π. With r = 4 the ripple is below 1 %.

static const double RATIO = 4;
static const double SHORTEST = 2, LONGEST = 1e5; // correlation times: in intervals, [s]

GrNoiseModel gr_noise_model(const GrInertialDef *def, double interval)
{
    GrNoiseModel model = {.def = *def, .white = def->noise / sqrt(interval), .step = def->walk * sqrt(interval)};
    double time = SHORTEST * interval;
    model.sigma = def->instability * sqrt(gr_log(RATIO) / GR_PI);
    for (int i = 0; def->instability > 0 && i < GR_FLICKER_TERMS; i++) {
        if (time >= LONGEST) {
            break;
        }
        model.decay[i] = gr_exp(-interval / time);
        model.kick[i] = model.sigma * sqrt(1 - model.decay[i] * model.decay[i]);
        model.terms = i + 1;
        time *= RATIO;
    }
    return model;
}

GrNoiseState gr_noise_begin(const GrNoiseModel *model, GrRandom *random)
{
    GrNoiseState state = {.bias = model->def.bias * gr_random_normal(random),
                          .scale = model->def.scale * gr_random_normal(random)};
    for (int i = 0; i < model->terms; i++) {
        state.flicker[i] = model->sigma * gr_random_normal(random);
    }
    return state;
}

double gr_quantise(double value, double resolution)
{
    return resolution > 0 ? resolution * rint(value / resolution) : value;
}

double gr_noise_measure(const GrNoiseModel *model, GrNoiseState *state, double value, GrRandom *random)
{
    double error = state->bias + state->walk + state->scale * value;
    if (model->white > 0) {
        error += model->white * gr_random_normal(random);
    }
    for (int i = 0; i < model->terms; i++) {
        error += state->flicker[i];
        state->flicker[i] = model->decay[i] * state->flicker[i] + model->kick[i] * gr_random_normal(random);
    }
    if (model->step > 0) {
        state->walk += model->step * gr_random_normal(random);
    }
    const double measured = fmax(-model->def.range, fmin(model->def.range, value + error));
    return gr_quantise(measured, model->def.resolution);
}

GrVec3 gr_random_normal3(GrRandom *random)
{
    const double x = gr_random_normal(random), y = gr_random_normal(random);
    return gr_vec3(x, y, gr_random_normal(random));
}

/// splitmix64 (Steele et al. 2014) of a counter in the stream of a seed.
static uint64_t mix(uint64_t seed, uint64_t counter)
{
    uint64_t z = seed + counter * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double gr_counted_unit(uint64_t seed, uint64_t counter)
{
    return (double)(mix(seed, counter) >> 11) * 0x1p-53;
}

/// Box and Muller (1958).
double gr_counted_normal(uint64_t seed, uint64_t counter)
{
    const double u = gr_counted_unit(seed, 2 * counter), v = gr_counted_unit(seed, 2 * counter + 1);
    return sqrt(-2 * gr_log(1 - u)) * gr_cos(2 * GR_PI * v);
}

// ---- delivery

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
