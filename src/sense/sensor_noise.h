/// Errors of sensors: noise with the spectrum that an Allan variance describes, and random numbers by counter.
#ifndef GR_SENSOR_NOISE_H
#define GR_SENSOR_NOISE_H

#include "grouser/sense.h"
#include "random.h"

enum { GR_FLICKER_TERMS = 16 };

/// What the errors of all axes of a triad share, for one sampling interval.
typedef struct GrNoiseModel {
    GrInertialDef def;
    double white;                   ///< standard deviation of a sample of the white noise
    double step;                    ///< of a step of the random walk
    int terms;                      ///< of the flicker noise; 0: none
    double sigma;                   ///< standard deviation of each of them
    double decay[GR_FLICKER_TERMS]; ///< from one sample to the next
    double kick[GR_FLICKER_TERMS];  ///< standard deviation of what is added
} GrNoiseModel;

/// The state of one axis.
typedef struct GrNoiseState {
    double bias, scale, walk;
    double flicker[GR_FLICKER_TERMS];
} GrNoiseState;

GrNoiseModel gr_noise_model(const GrInertialDef *def, double interval);

/// Draws the bias, the scale error and a flicker noise that has always been there.
GrNoiseState gr_noise_begin(const GrNoiseModel *model, GrRandom *random);

/// The measured value of the next sample.
double gr_noise_measure(const GrNoiseModel *model, GrNoiseState *state, double value, GrRandom *random);

/// `value` to the nearest multiple of `resolution`; 0: unchanged.
double gr_quantise(double value, double resolution);

/// A vector of three independent normal numbers.
GrVec3 gr_random_normal3(GrRandom *random);

/// A standard normal number and a uniform one in [0, 1) that depend on their arguments alone: rays of one frame may be
/// cast in any order.
double gr_counted_normal(uint64_t seed, uint64_t counter);
double gr_counted_unit(uint64_t seed, uint64_t counter);

#endif
