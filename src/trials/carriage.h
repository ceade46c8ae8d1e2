/// A single wheel on soft soil that moves along x and z under constant forces, or with imposed travel: tests a law with
/// memory without a rover.
#ifndef GR_CARRIAGE_H
#define GR_CARRIAGE_H

#include "soil_wheel.h"

typedef struct GrCarriage {
    const GrSoilWheel *wheel;
    double mass;     ///< [kg]
    double force[2]; ///< applied, x and z [N]
    double v[2];     ///< x and z [m/s]
    double x, h;     ///< travel and sinkage [m]
    double omega;    ///< of the wheel, imposed [rad/s]
    double v_y;      ///< imposed [m/s]
    bool fixed_x;    ///< v[0] is imposed
    double state[GR_STATE_MAX];
    GrSoilOutput out;
} GrCarriage;

/// Driven at imposed slip and slip angle [rad] under a load [N] for 1.2 m and half a minute; `speed` is that of the
/// faster of rim and axle [m/s].
GrCarriage gr_carriage_drawn(const GrSoilWheel *wheel, double slip, double slip_angle, double load, double speed,
                             double dt);

/// Travel in the minute that begins `settle` seconds after it was placed on the slope, between means over one second
/// [m].
double gr_carriage_creep(const GrSoilWheel *wheel, double mass, double gravity, double slope, int settle, double dt);

/// Slip of a wheel that climbs a slope at constant rate for 60 s with this rim speed [m/s].
double gr_carriage_climb(const GrSoilWheel *wheel, double mass, double gravity, double slope, double speed, double dt);

/// Slope [rad] at which a parked wheel starts to slide when the slope grows by 0.5°/s.
double gr_carriage_lets_go(const GrSoilWheel *wheel, double mass, double gravity, double dt);

/// The slip at which a wheel with `load` pulls `pull` [N] in steady rolling; NAN when there is none between −0.2 and
/// 0.95.
double gr_slip_for_pull(const GrSoilWheel *wheel, double load, double pull);

#endif
