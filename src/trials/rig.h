/// The single-wheel rig: a wheel that is driven over level soil with imposed slip and slip angle, and is free to sink
/// under a load (or held at a given sinkage). Signs as in the papers' plots: f_y opposes the side slip, and torque is
/// that of the motor.
#ifndef GR_RIG_H
#define GR_RIG_H

#include "rft_wheel.h"
#include "soil_wheel.h"

typedef struct GrRigDef {
    GrSoilDef soil;
    GrSoilWheelDef wheel;
    bool by_sinkage; ///< the sinkage is given, else the load
    double load;     ///< [N] > 0
    double sinkage;  ///< of the rim [m] > 0
    bool dynamic;    ///< integrate the carriage to steady state, else solve the steady law
    double speed;    ///< dynamic: the faster of rim and carriage [m/s] > 0
    double cell;     ///< scm, and rft with flow: of the grid [m] > 0
    int steps;       ///< scm: for each radius of distance rolled, ≥ 10
    bool flow;       ///< scm and rft: displaced soil rises beside the wheel and slumps
} GrRigDef;

/// Load 64.68 N, speed 0.05 m/s, static, cells of 1 cm, 200 steps a radius, and the defaults of soil and wheel.
GrRigDef gr_default_rig_def(void);

typedef struct GrRig {
    GrRigDef def;
    GrSoilWheel wheel;
} GrRig;

/// Whether its points are rolled on a grid: the law scm, or rft where soil flows and the wheel's own heap counts.
static inline bool gr_rig_on_grid(const GrRig *rig)
{
    return gr_soil_law_on_grid(rig->wheel.law) || (rig->def.flow && gr_rft_heap(&rig->def.soil) > 0);
}

typedef struct GrRigPoint {
    double slip;
    double slip_angle;                          ///< [rad]
    double sinkage;                             ///< of the rim [m]; NAN, as all below, when `status` is not GR_OK
    double deflection;                          ///< radial, of a flexible wheel [m]; not included in the sinkage
    double f_x, f_y, f_z;                       ///< [N]; averaged over one lug pitch if lugs act
    double torque;                              ///< [N m]
    double efficiency;                          ///< f_x v_x/(T ω); NAN where motor or pull power is not positive
    double theta_front, theta_peak, theta_rear; ///< [rad]
    double ripple;                              ///< half the peak-to-peak variation of f_x over a lug pitch [N]
    double distance;                            ///< dynamic: rolled until steady [m]
    int flags;                                  ///< GR_FLAG_…
    GrStatus status; ///< GR_OK, or GR_ERROR_NOT_CONVERGED: no sinkage carries the load, or no steady state
} GrRigPoint;

/// Checks soil, wheel and rig.
GrStatus gr_rig_make(const GrRigDef *def, GrRig *out, GrErrorLog *log);

/// One operating point. −1 ≤ slip ≤ 1, |slip_angle| < 90°. The status is also in the point.
GrStatus gr_rig_point(const GrRig *rig, double slip, double slip_angle, GrRigPoint *out);

/// The dynamic half of gr_rig_point: placed on fresh soil and rolled to steady state.
GrStatus gr_rig_point_dynamic(const GrRig *rig, double slip, double slip_angle, GrRigPoint *out);

/// The same on a grid of nodes (law scm), which has no steady formula: steady means over whole cells, to 0.2 %.
GrStatus gr_rig_point_scm(const GrRig *rig, double slip, double slip_angle, GrRigPoint *out);

/// A leg of a drive at one slip.
typedef struct GrRigLeg {
    double slip;   ///< −1 … 1
    double rolled; ///< distance travelled by the faster of rim and carriage [m]
} GrRigLeg;

/// Sinkage along a drive that starts on fresh soil: means over `samples` equal parts of each leg, one leg after the
/// other. `steps`: per radius rolled. The load is that of the rig.
GrStatus gr_rig_history(const GrRig *rig, const GrRigLeg *legs, int leg_count, int samples, int steps, double *sinkage);

/// The same on a grid of nodes (law scm).
GrStatus gr_rig_history_scm(const GrRig *rig, const GrRigLeg *legs, int leg_count, int samples, int steps,
                            double *sinkage);

/// Deflection of a flexible wheel under a vertical force [m]; 0 of a rigid wheel.
double gr_rig_deflection(const GrRig *rig, double f_z);

/// Lug pitch as a rotation of the wheel [rad]; 0 when nothing is periodic.
double gr_rig_pitch(const GrRig *rig);

/// Points of interest at one slip angle, by the steady law; for scm they are searched in wider steps, to slips of
/// 0.002.
typedef struct GrRigFeatures {
    GrRigPoint towed;          ///< T = 0
    GrRigPoint self_propelled; ///< f_x = 0
    GrRigPoint strongest;      ///< largest f_x in slip_from … slip_to
    GrRigPoint best;           ///< largest efficiency there
    double slip_from, slip_to;
} GrRigFeatures;

/// Placeholder when no features were computed.
GrRigFeatures gr_rig_no_features(void);

/// A point that does not exist has a status other than GR_OK. Towed and self-propelled points are searched between
/// slips −0.99 and 0.99, with scm between −0.8 and 0.8.
void gr_rig_features(const GrRig *rig, double slip_angle, double slip_from, double slip_to, GrRigFeatures *out);

#endif
