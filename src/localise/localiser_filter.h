/// The error-state Kalman filter of GrLocaliser: its state, and what each kind of measurement does to it.
///
/// Errors of the state, with R = R̂ exp(δθ):
///
///     δp δv δθ    position, velocity and attitude of the IMU
///     δb_g δb_a   biases of gyros and accelerometers
///     δp' δθ'     of position and attitude at the last frame of visual odometry, which measures the motion since then
///                 (stochastic cloning, Roumeliotis & Burdick 2002)
///     s β γ       slip of the wheels, and direction of the motion against the body's x axis, to the side and up: they
///                 change slowly, so that they are states and not white noise (Gauss-Markov processes)
///     κ           error of scale of visual odometry
#ifndef GR_LOCALISER_FILTER_H
#define GR_LOCALISER_FILTER_H

#include "grouser/localise.h"
#include "grouser/sense.h"
#include "vec3.h"

enum {
    GR_AT_P = 0,
    GR_AT_V = 3,
    GR_AT_A = 6,
    GR_AT_BG = 9,
    GR_AT_BA = 12,
    GR_AT_LAST_P = 15,
    GR_AT_LAST_A = 18,
    GR_AT_SLIP = 21,
    GR_AT_SCALE = 24,
    GR_FILTER_SIZE = 25
};

typedef struct GrFilter {
    GrVec3 p, v, bg, ba;
    GrQuat q;
    GrVec3 last_p;
    GrQuat last_q;
    double slip[3];                           ///< s, β, γ
    double scale;                             ///< κ
    double c[GR_FILTER_SIZE][GR_FILTER_SIZE]; ///< covariance of the errors
    double time;
    GrVec3 gravity;
    GrVec3 rate, force; ///< of the IMU, last measured
    long used, rejected;
} GrFilter;

/// Rates and specific forces of the IMU are means over the time since the last ones.
void gr_filter_predict(GrFilter *f, const GrSensorDef *imu, const GrLocalisationDef *def, double time);

/// What the wheels say: `speed` is the mean of their rolling speeds at a point `at` of the body, whose rotation is
/// `body`, both in the IMU frame.
void gr_filter_wheels(GrFilter *f, double speed, GrVec3 at, GrQuat body);

/// Motion of a frame of visual odometry since the last one; `mount` is the pose of that sensor in the IMU frame.
void gr_filter_visual(GrFilter *f, const GrSensorDef *visual, GrPose mount, const double values[6]);

/// The present state becomes that of the last frame.
void gr_filter_clone(GrFilter *f);

/// Rotation of a star tracker in the world; `mount` is its rotation in the IMU frame.
void gr_filter_stars(GrFilter *f, const GrSensorDef *stars, GrQuat mount, GrQuat measured);

#endif
