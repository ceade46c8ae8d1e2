/// The measurements of a run: the folder sensors/ of its directory, and topics in run.mcap.
///
///     sensors/NAME.csv             every measurement of a sensor; of a LiDAR or a camera a few figures of each frame
///     sensors/NAME_000012.ply      returns of a scan, sensor frame; or NAME_000012.las, coordinates of the map
///     sensors/NAME_000012.png      grey image; NAME_000012_depth.png: depth in millimetres, 16 bits, 0: none
///     /sensors/NAME                and other topics of sensor_topics.h
#ifndef GR_RUN_SENSORS_H
#define GR_RUN_SENSORS_H

#include "grouser/record.h"
#include "grouser/sense.h"

typedef struct GrRunSensors GrRunSensors;

/// Opens the files of a rover's sensors in the directory of a recording, whose first sample has not been added. `place`
/// is where the map lies, for LAS files; NULL: nowhere. NULL after an error.
GrRunSensors *gr_run_sensors_open(const char *directory, const GrRoverDef *rover, const GrGeoreference *place,
                                  GrRecord *record, GrErrorLog *log);

/// Writes a measurement, as gr_sense_next() gives it, into the folder sensors/.
GrStatus gr_run_sensors_add(GrRunSensors *run, const GrMeasurement *measurement, GrErrorLog *log);

/// Writes it into run.mcap, when it is delivered (delivery.h): messages of a recording are in the order of their time.
GrStatus gr_run_sensors_deliver(GrRunSensors *run, const GrMeasurement *measurement, GrErrorLog *log);

/// Completes the files and frees the writer; NULL is allowed.
GrStatus gr_run_sensors_close(GrRunSensors *run, GrErrorLog *log);

/// Removes the files of an older run from DIRECTORY/sensors, and the folder if it is then empty.
void gr_run_sensors_remove(const char *directory);

#endif
