/// Telemetry of a drive: a CSV file -> rows -> stretches of some length, over which everything is averaged.
///
///     run.csv, or any table with a map of its columns
///        |  gr_telemetry_load()      rows: what was measured of the rover, means over its wheels
///        v
///     GrTelemetry
///        |  gr_stretches_make()      means over a distance; stretches that say nothing of the soil are left out
///        v
///     GrStretches                    fit_drive.h, drive_predict.h
///
/// docs/drives.md lists the columns.
#ifndef GR_TELEMETRY_H
#define GR_TELEMETRY_H

#include "drive_model.h"
#include "file.h"
#include "grouser/terrain.h"

#include <stddef.h>

/// What a row may have; NAN where nothing was measured.
typedef enum GrChannel {
    GR_CHANNEL_TIME,     ///< [s]
    GR_CHANNEL_DISTANCE, ///< over the ground [m]
    GR_CHANNEL_X,        ///< [m]
    GR_CHANNEL_Y,        ///< [m]
    GR_CHANNEL_HEADING,  ///< from x to y [rad]
    GR_CHANNEL_PITCH,    ///< nose down [rad]
    GR_CHANNEL_ROLL,     ///< right side down [rad]
    GR_CHANNEL_AX,       ///< of an accelerometer in chassis axes [m/s²]: +g along z where the rover stands level
    GR_CHANNEL_AY,
    GR_CHANNEL_AZ,
    GR_CHANNEL_ENERGY,     ///< of the motors since the start [J]
    GR_CHANNEL_POWER,      ///< of all motors [W]
    GR_CHANNEL_SLIP,       ///< from here on of the wheels, their mean
    GR_CHANNEL_SLIP_ANGLE, ///< [rad]
    GR_CHANNEL_SINKAGE,    ///< [m]
    GR_CHANNEL_TORQUE,     ///< of a drive, positive ahead [N m]
    GR_CHANNEL_CURRENT,    ///< of a drive [A]
    GR_CHANNEL_SPEED,      ///< of a wheel on its axle, positive ahead [rad/s]
    GR_CHANNEL_DRIVE,      ///< power of a drive [W], 0 while it brakes
    GR_CHANNELS
} GrChannel;

typedef struct GrTelemetryRow {
    double value[GR_CHANNELS];
    bool on_rock; ///< a wheel touches a rock
} GrTelemetryRow;

typedef struct GrTelemetry {
    GrTelemetryRow *rows;
    int count;
    bool has[GR_CHANNELS];
    GrNameList used, ignored; ///< names of the file's columns
} GrTelemetry;

/// `map`: NULL, or a NULL-terminated list of "NAME=COLUMN": the file's COLUMN is what this program calls NAME. `rover`
/// names the wheels. An unknown name in the map is an error; columns without a meaning are ignored and listed, those
/// that resemble a known name with a warning. Free with gr_telemetry_free() when GR_OK.
GrStatus gr_telemetry_load(const char *path, const char *const *map, const GrDriveRover *rover, GrTelemetry *out,
                           GrErrorLog *log);
GrStatus gr_telemetry_parse(const char *text, size_t length, const char *file, const char *const *map,
                            const GrDriveRover *rover, GrTelemetry *out, GrErrorLog *log);
void gr_telemetry_free(GrTelemetry *telemetry);

/// Quantities that a stretch measures and the model of a drive predicts.
typedef enum GrDriveQuantity {
    GR_DRIVE_SLIP,
    GR_DRIVE_TILT,    ///< of the chassis or of the ground along the heading, uphill positive [rad]
    GR_DRIVE_TORQUE,  ///< mean of the wheels over load and radius
    GR_DRIVE_SINKAGE, ///< mean of the wheels over the radius
    GR_DRIVE_QUANTITIES
} GrDriveQuantity;

typedef struct GrStretch {
    double from, to;                      ///< distance along the drive [m]
    double measured[GR_DRIVE_QUANTITIES]; ///< NAN: not measured
    double tilt_deviation;                ///< standard deviation of the tilt within the stretch [rad]
    double roll;                          ///< slope to the right, falling positive [rad]
    double slip_angle;                    ///< [rad]; 0: not measured
    double energy;                        ///< of the drives for a metre [J/m]; NAN: not measured
    double loads[GR_DRIVE_WHEELS_MAX];    ///< of the wheels on this slope [N]
} GrStretch;

/// Why stretches are left out.
typedef enum GrStretchFault {
    GR_STRETCH_TURNS,
    GR_STRETCH_ROCKS,
    GR_STRETCH_BACKWARDS,
    GR_STRETCH_SLIDES,
    GR_STRETCH_INCOMPLETE,
    GR_STRETCH_FAULTS
} GrStretchFault;

extern const char *const gr_stretch_fault_texts[GR_STRETCH_FAULTS];

typedef struct GrStretches {
    GrStretch *items;
    int count;
    double length;   ///< of a stretch [m]
    double distance; ///< of the whole drive [m]
    bool has[GR_DRIVE_QUANTITIES];
    bool has_energy;
    const char *tilt; ///< where it comes from: "accelerometer", "pitch and roll", "map"
    GrTiltOf tilt_of;
    int left[GR_STRETCH_FAULTS]; ///< stretches left out
} GrStretches;

typedef struct GrStretchDef {
    double length;            ///< [m]; 0: the wheelbase, and at most 200 stretches
    GrTerrain *map;           ///< gives the tilt where the telemetry has none; NULL: none
    double torque_per_ampere; ///< at the wheel [N m/A]; 0: currents are not used
    double idle_current;      ///< of a drive that gives no torque [A]
} GrStretchDef;

/// Fails where slip or tilt cannot be found, or no stretch is left. Free with gr_stretches_free() when GR_OK.
GrStatus gr_stretches_make(const GrTelemetry *telemetry, const GrStretchDef *def, const GrDriveRover *rover,
                           const char *file, GrStretches *out, GrErrorLog *log);
void gr_stretches_free(GrStretches *stretches);

#endif
