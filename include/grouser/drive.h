/// Connects control (control.h) to simulation data (sim.h): one call reads the state, runs the controller and sets the
/// commands.
///
/// Example: drive straight for ten seconds with commands from the caller.
///
///     GrErrorLog log = {0};
///     GrRoverDef rover;
///     if (gr_rover_load("rashid_like", NULL, &rover, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     const GrSoilDef soil = gr_default_soil_def();
///     GrOptions options = gr_default_options();
///     options.gravity.z = -1.62;
///     options.surface.soil = &soil; // on the plane z = 0
///     GrModel *m = NULL;
///     GrData *d = NULL;
///     const GrControlDef def = gr_default_control_def();
///     GrDriveGeometry geometry;
///     GrControl control;
///     if (gr_model_create(&rover, &options, &m, &log) != GR_OK || gr_data_create(m, &d, &log) != GR_OK ||
///         gr_settle(m, d, NULL, &log) != GR_OK || gr_drive_geometry(m, &geometry, &log) != GR_OK ||
///         gr_control_prepare(&geometry, &def, &control, &log) != GR_OK) {
///         return 1;
///     }
///     GrControlState state = {.manual = {.mode = gr_drive_best_mode(&geometry), .speed = 0.05}};
///     while (gr_data_time(d) < 10) {
///         gr_drive(m, d, &control, &state, NULL);
///         gr_step(m, d);
///     }
///     printf("%.1f m\n", gr_data_base_pose(d).position.x); // prints: 0.5 m
///     gr_data_free(d);
///     gr_model_free(m);
///     gr_rover_free(&rover);
#ifndef GROUSER_DRIVE_H
#define GROUSER_DRIVE_H

#include "grouser/control.h"
#include "grouser/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One control cycle: reads the data, updates the control state and sets the commands of the driven joints. Call it
/// before gr_step(), at every step or every few steps. `out` may be NULL.
GR_API void gr_drive(const GrModel *m, GrData *d, const GrControl *control, GrControlState *state,
                     GrControlOutput *out);

#ifdef __cplusplus
}
#endif
#endif
