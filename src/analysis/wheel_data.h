/// Measured single-wheel data: a CSV file -> points. docs/wheel-rig.md lists the columns.
#ifndef GR_WHEEL_DATA_H
#define GR_WHEEL_DATA_H

#include "file.h"
#include "grouser/status.h"
#include "rig.h"

#include <stddef.h>

/// Quantity of a column.
typedef enum GrQuantity {
    GR_SLIP,
    GR_SLIP_ANGLE, ///< [rad]
    GR_SINKAGE,    ///< [m]
    GR_FX,         ///< [N]
    GR_FY,         ///< [N]
    GR_FZ,         ///< load [N]
    GR_TORQUE,     ///< [N m]
    GR_QUANTITIES
} GrQuantity;

typedef struct GrWheelDatum {
    double value[GR_QUANTITIES]; ///< NAN where nothing was measured; the slip angle is 0 when there is no such column
    int line;                    ///< in the file
} GrWheelDatum;

typedef struct GrWheelData {
    GrWheelDatum *items;
    int count;
    bool has[GR_QUANTITIES];  ///< whether there is such a column
    GrNameList used, ignored; ///< names of the file's columns
} GrWheelData;

/// Name of a quantity on the command line and in messages: slip, slip_angle, sinkage, fx, fy, fz, torque.
const char *gr_quantity_name(GrQuantity quantity);

/// Sinkage, pull, side force or torque of a computed point; NAN for what is not computed.
double gr_quantity_of(const GrRigPoint *point, GrQuantity quantity);

/// Needs a column `slip` and at least one measured quantity. An unknown column with a unit, or one that resembles a
/// known one, is an error unless its name begins with sd_ or ignore_; others are ignored. Free with
/// gr_wheel_data_free() when GR_OK.
GrStatus gr_wheel_data_load(const char *path, GrWheelData *out, GrErrorLog *log);
GrStatus gr_wheel_data_parse(const char *text, size_t length, const char *file, GrWheelData *out, GrErrorLog *log);

/// Converts the slips to those of a radius `larger` times that with which they were reckoned, at equal speeds.
void gr_wheel_data_slip_at(GrWheelData *data, double larger);

void gr_wheel_data_free(GrWheelData *data);

#endif
