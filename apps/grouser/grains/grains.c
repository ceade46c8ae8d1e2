/// grouser grains: tests in beds of grains. One row per subcommand.
#include "grains_command.h"

#include <stddef.h>

static const GrCommand *const PARTS[] = {&gr_grains_prepare_command,
                                         &gr_grains_repose_command,
                                         &gr_grains_plate_command,
                                         &gr_grains_cone_command,
                                         &gr_grains_shear_command,
                                         &gr_grains_wheel_command,
                                         &gr_grains_study_command,
                                         &gr_grains_calibrate_command,
                                         &gr_grains_view_command,
                                         &gr_grains_speed_command,
                                         NULL};

const GrCommand gr_command_grains = {
    .name = "grains",
    .summary = "a virtual soil bin: plates, cones, annuli and wheels in a bed of spheres",
    .usage = "grains SUBCOMMAND BED [OPTION]...",
    .details = "Spheres with friction, rolling resistance and contact history (discrete elements). BED is a file that "
               "says which\ngrains fill which bin, or a bed that grains prepare has written. See docs/grains.md.",
    .example = "  grouser grains prepare bed.yaml -o bed.grains\n"
               "  grouser grains plate bed.grains --diameter 0.03,0.04 --depth 0.015 --csv presses.csv\n"
               "  grouser grains wheel bed.grains --radius 0.04 --width 0.04 --load 4 --slip 0:0.6:4\n"
               "  grouser grains repose heap.yaml --json\n"
               "  grouser grains study study.yaml -o study",
    .arguments = "prepare repose plate cone shear wheel study calibrate view speed",
    .parts = PARTS,
};
