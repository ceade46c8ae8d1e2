/// Between the subcommands of `grouser grains`.
#ifndef GR_GRAINS_COMMAND_H
#define GR_GRAINS_COMMAND_H

#include "bed.h"
#include "bin_rig.h"
#include "command.h"
#include "options.h"
#include "page.h"
#include "report.h"

extern const GrCommand gr_grains_prepare_command, gr_grains_repose_command, gr_grains_plate_command,
    gr_grains_cone_command, gr_grains_shear_command, gr_grains_wheel_command, gr_grains_speed_command,
    gr_grains_study_command, gr_grains_calibrate_command, gr_grains_view_command;

/// Options that all tests have.
typedef struct GrGrainsOptions {
    const char *bed; ///< the argument: a bed's file, or a snapshot of a prepared one
    GrTextList overrides;
    double threads;
    const char *device; ///< "cpu", "cuda", "cuda:1"; NULL: cpu
    const char *output, *csv, *html, *surface;
    const char *trace;     ///< of wheels
    const char *snapshots; ///< folder; NULL: none
    bool resume;           ///< from those that are there
    bool json;
} GrGrainsOptions;

enum { GR_GRAINS_COMMON = 8 };

#define GR_GRAINS_DEVICE_HELP "cpu (default), or cuda, cuda:1, …: a GPU; 'grouser list devices'"

/// Fills GR_GRAINS_COMMON rows. `output`: what -o writes.
void gr_grains_common(GrGrainsOptions *o, const char *output, GrOption *options);
GrStatus gr_grains_check(const GrGrainsOptions *o, GrErrorLog *log);

/// What computes, after gr_grains_check().
GrBinWork gr_grains_work(const GrGrainsOptions *o);

/// The bed of a file, settled, or of a snapshot; prepared beds get a progress bar.
GrStatus gr_grains_bed(const GrGrainsOptions *o, GrBin **bin, GrErrorLog *log);

/// A line about the bed: "6000 grains of 4 mm, bulk density 1580 kg/m³, 5.1 contacts each".
void gr_grains_describe(const GrBin *bin, char *out, size_t size);
/// Facts about grains, bed and step, for pages and JSON.
void gr_grains_facts(const GrBin *bin, GrPage *page);
void gr_grains_json(const GrBin *bin, GrJson *json);

/// The surface as a GeoTIFF with a node for each mean diameter; does nothing without a path.
GrStatus gr_grains_surface(const GrGrainsOptions *o, const GrBin *bin, GrErrorLog *log);

#endif
