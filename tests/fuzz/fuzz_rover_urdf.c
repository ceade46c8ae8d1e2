/// Any bytes as a URDF, with a side file that fits the example.
#include "rover_urdf.h"

#include "fuzz_check.h"
#include "target.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static const char side_text[] = "joints: {axle: {role: drive, motor: {kind: torque}}}\n"
                                    "wheels: {wheel: {radius_m: 0.1, width_m: 0.1}}\n";
    static GrErrorLog log;
    memset(&log, 0, sizeof log);
    GrDocument *side = NULL;
    GrRoverDef rover;
    // Half of the inputs alone, half with the side file.
    if (size % 2 == 0 && gr_document_parse(side_text, sizeof side_text - 1, "side.yaml", &side, &log) == GR_OK) {
        gr_document_prepare(side, NULL);
    }
    const GrStatus status = gr_rover_parse_urdf((const char *)data, size, "fuzz.urdf", side, &rover, &log);
    gr_fuzz_agree(status, &log);
    gr_rover_free(&rover);
    gr_document_free(side);
}
