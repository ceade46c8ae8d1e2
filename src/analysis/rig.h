/// The single-wheel rig: a wheel that is dragged over level soil with imposed slip and slip angle, and is free to sink
/// under a load (or held at a sinkage). Signs as in the papers' plots: f_y opposes the side slip, torque is what the
/// motor gives.
#ifndef GR_RIG_H
#define GR_RIG_H

#include "soil_wheel.h"

typedef struct GrRigDef {
    GrSoilDef soil;
    GrSoilWheelDef wheel;
    bool by_sinkage; ///< the sinkage is given, else the load
    double load;     ///< [N] > 0
    double sinkage;  ///< [m] > 0
    bool dynamic;    ///< integrate the carriage to steady state, else solve the steady law
    double speed;    ///< dynamic: the faster of rim and carriage [m/s] > 0
    double cell;     ///< scm: of the grid [m] > 0
    int steps;       ///< scm: for each radius of way rolled, ≥ 10
    bool flow;       ///< scm: displaced soil rises beside the wheel and slumps
} GrRigDef;

/// Load 64.68 N, speed 0.05 m/s, static, cells of 1 cm, 200 steps a radius, and the defaults of soil and wheel.
GrRigDef gr_default_rig_def(void);

typedef struct GrRig {
    GrRigDef def;
    GrSoilWheel wheel;
} GrRig;

typedef struct GrRigPoint {
    double slip;
    double slip_angle;                          ///< [rad]
    double sinkage;                             ///< [m]; NAN, as all below, when `status` is not GR_OK
    double f_x, f_y, f_z;                       ///< [N]; over one lug pitch on average, when lugs act
    double torque;                              ///< [N m]
    double efficiency;                          ///< f_x v_x/(T ω); NAN where the motor or the pull gives no power
    double theta_front, theta_peak, theta_rear; ///< [rad]
    double ripple;                              ///< half of the swing of f_x over a lug pitch [N]
    double distance;                            ///< dynamic: rolled until steady [m]
    int flags;                                  ///< GR_FLAG_…
    GrStatus status; ///< GR_OK, or GR_ERROR_NOT_CONVERGED: no sinkage carries the load, or no steady state
} GrRigPoint;

/// Checks soil, wheel and rig.
GrStatus gr_rig_make(const GrRigDef *def, GrRig *out, GrErrorLog *log);

/// One operating point. −1 ≤ slip ≤ 1, |slip_angle| < 90°. The status is also in the point.
GrStatus gr_rig_point(const GrRig *rig, double slip, double slip_angle, GrRigPoint *out);

/// The dynamic half of gr_rig_point: set down on fresh soil, rolled until nothing changes any more.
GrStatus gr_rig_point_dynamic(const GrRig *rig, double slip, double slip_angle, GrRigPoint *out);

/// The same on a grid of nodes (law scm), which has no other way: steady are means over whole cells, to 0.2 %.
GrStatus gr_rig_point_scm(const GrRig *rig, double slip, double slip_angle, GrRigPoint *out);

/// A leg of a drive at one slip.
typedef struct GrRigLeg {
    double slip;   ///< −1 … 1
    double rolled; ///< way of the faster of rim and carriage [m]
} GrRigLeg;

/// Sinkage on the way, set down on fresh soil: means over `samples` equal parts of each leg, one leg after the other.
/// `steps`: of the radius rolled. The load is the rig's.
GrStatus gr_rig_history(const GrRig *rig, const GrRigLeg *legs, int leg_count, int samples, int steps, double *sinkage);

/// The same on a grid of nodes (law scm).
GrStatus gr_rig_history_scm(const GrRig *rig, const GrRigLeg *legs, int leg_count, int samples, int steps,
                            double *sinkage);

/// Efficiency and the like, from what is known of the point.
void gr_rig_point_finish(const GrRig *rig, GrRigPoint *point);

/// Lug pitch as a turn of the wheel [rad]; 0 when nothing is periodic.
double gr_rig_pitch(const GrRig *rig);

/// Points of interest at one slip angle, by the steady law; scm looks for them in wider steps, to slips of 0.002.
typedef struct GrRigFeatures {
    GrRigPoint towed;          ///< T = 0
    GrRigPoint self_propelled; ///< f_x = 0
    GrRigPoint strongest;      ///< largest f_x in slip_from … slip_to
    GrRigPoint best;           ///< largest efficiency there
    double slip_from, slip_to;
} GrRigFeatures;

/// What is told where no features were looked for.
GrRigFeatures gr_rig_no_features(void);

/// A point that does not exist has a status other than GR_OK. Towed and self-propelled points are looked for between
/// slips −0.99 and 0.99, with scm between −0.8 and 0.8.
void gr_rig_features(const GrRig *rig, double slip_angle, double slip_from, double slip_to, GrRigFeatures *out);

#endif
