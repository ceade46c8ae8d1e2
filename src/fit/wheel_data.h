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

/// Sizes of a point's own wheel, for files with several wheels.
typedef enum GrWheelSize {
    GR_WHEEL_RADIUS,            ///< [m]
    GR_WHEEL_WIDTH,             ///< [m]
    GR_WHEEL_GROUSER_COUNT,     ///< whole
    GR_WHEEL_GROUSER_HEIGHT,    ///< [m]
    GR_WHEEL_GROUSER_THICKNESS, ///< [m]
    GR_WHEEL_SIZES
} GrWheelSize;

typedef struct GrWheelDatum {
    double value[GR_QUANTITIES];   ///< NAN where nothing was measured; the slip angle is 0 when there is no such column
    double scatter[GR_QUANTITIES]; ///< standard deviation between repeated trials, columns sd_…; 0: not given
    double size[GR_WHEEL_SIZES];   ///< of its own wheel
    bool own[GR_WHEEL_SIZES];      ///< whether it has that size of its own, else the rig's
    int line;                      ///< in the file
} GrWheelDatum;

typedef struct GrWheelData {
    GrWheelDatum *items;
    int count;
    bool has[GR_QUANTITIES];  ///< whether there is such a column
    bool has_wheel;           ///< whether there are columns for the wheel
    GrNameList used, ignored; ///< names of the file's columns
} GrWheelData;

/// Name of a quantity on the command line and in messages: slip, slip_angle, sinkage, fx, fy, fz, torque.
const char *gr_quantity_name(GrQuantity quantity);

/// Sinkage, pull, side force or torque of a computed point; NAN for what is not computed.
double gr_quantity_of(const GrRigPoint *point, GrQuantity quantity);

/// Needs a column `slip` and at least one measured quantity. An unknown column with a unit, or one that resembles a
/// known one, is an error unless its name begins with sd_ or ignore_; others are ignored. `map`: NAME=COLUMN, or
/// NAME=-COLUMN for a column of the other sign, ended by NULL; with it unknown columns are ignored. NULL: none. Free
/// with gr_wheel_data_free() when GR_OK.
GrStatus gr_wheel_data_load(const char *path, const char *const *map, GrWheelData *out, GrErrorLog *log);
GrStatus gr_wheel_data_parse(const char *text, size_t length, const char *file, GrWheelData *out, GrErrorLog *log);

/// The rig with the load and the wheel of a point, as far as the point has its own.
GrRigDef gr_wheel_datum_rig(const GrRigDef *rig, const GrWheelDatum *datum);

/// Converts the slips to those of a radius `larger` times that with which they were reckoned, at equal speeds.
void gr_wheel_data_slip_at(GrWheelData *data, double larger);

/// The same where all slips were reckoned with `radius`, to the radius of the rig's law at each point's own wheel.
void gr_wheel_data_slip_from(GrWheelData *data, const GrRigDef *rig, double radius);

void gr_wheel_data_free(GrWheelData *data);

#endif
