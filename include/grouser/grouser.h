/// The whole public API.
///
/// Definitions (rover.h, soil.h) are plain structs with defaults, filled from a file or from C. gr_model_create() turns
/// them into a GrModel (model.h), which is immutable and shared by threads. gr_data_create() makes a GrData (sim.h),
/// which has all state that changes, and gr_step() advances it. A mission (mission.h) drives along way-points. A
/// scenario (scenario.h, run.h) is a mission read from a file. record.h records runs. All units are SI, angles are in
/// radians, and frames are x forward, y left, z up. Functions that can fail return a GrStatus and write the reason into
/// a GrErrorLog (status.h).
///
/// Example: one second of free fall.
///
///     GrErrorLog log = {0};
///     GrRoverDef rover;
///     if (gr_rover_load("curiosity_like", NULL, &rover, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     GrModel *m = NULL;
///     GrData *d = NULL;
///     if (gr_model_create(&rover, NULL, &m, &log) != GR_OK || gr_data_create(m, &d, &log) != GR_OK) {
///         return 1;
///     }
///     for (int i = 0; i < 200; i++) {
///         gr_step(m, d); // of 5 ms
///     }
///     printf("fell %.3f m\n", -gr_data_base_pose(d).position.z); // prints: fell 4.928 m
///     gr_data_free(d);
///     gr_model_free(m);
///     gr_rover_free(&rover);
#ifndef GROUSER_GROUSER_H
#define GROUSER_GROUSER_H

#include "grouser/analysis.h"
#include "grouser/assets.h"
#include "grouser/batch.h"
#include "grouser/contact.h"
#include "grouser/control.h"
#include "grouser/drive.h"
#include "grouser/hooks.h"
#include "grouser/lander.h"
#include "grouser/localise.h"
#include "grouser/mission.h"
#include "grouser/model.h"
#include "grouser/record.h"
#include "grouser/rover.h"
#include "grouser/run.h"
#include "grouser/sample.h"
#include "grouser/scaling.h"
#include "grouser/scenario.h"
#include "grouser/scene.h"
#include "grouser/sense.h"
#include "grouser/sim.h"
#include "grouser/sky.h"
#include "grouser/soil.h"
#include "grouser/soil_file.h"
#include "grouser/soil_forces.h"
#include "grouser/soil_law.h"
#include "grouser/soil_map.h"
#include "grouser/status.h"
#include "grouser/supply.h"
#include "grouser/surface.h"
#include "grouser/terrain.h"
#include "grouser/trace.h"
#include "grouser/trial.h"
#include "grouser/trust.h"
#include "grouser/vec.h"
#include "grouser/version.h"

#endif
