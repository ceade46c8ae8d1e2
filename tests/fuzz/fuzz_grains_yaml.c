/// Any bytes as a file of grains, of a bed, and of a study. What can be read passes the checks of a bin, or has a
/// message.
#include "grain_study_yaml.h"
#include "grains_yaml.h"

#include "fuzz_check.h"
#include "fuzz_file.h"
#include "target.h"

#include <math.h>
#include <string.h>

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    const char *path = gr_fuzz_file_of("", 0, data, size);
    GrGrainDef grains;
    memset(&log, 0, sizeof log);
    gr_fuzz_agree(gr_grains_load(path, &grains, &log), &log);

    GrBedDef bed;
    memset(&log, 0, sizeof log);
    GrStatus status = gr_bed_load(path, NULL, &bed, &log);
    gr_fuzz_agree(status, &log);
    if (status == GR_OK) {
        status = gr_bin_check(&bed.bin, &log);
        gr_fuzz_agree(status, &log);
        if (status == GR_OK && (!isfinite(bed.bin.gravity[2]) || bed.bin.grains.size_count > GR_GRAIN_SIZES)) {
            abort();
        }
    }

    GrGrainStudyDef study;
    memset(&log, 0, sizeof log);
    status = gr_grain_study_load(path, NULL, &study, &log);
    gr_fuzz_agree(status, &log);
    if (status == GR_OK && (study.diameters.count < 1 || study.diameters.count > GR_GRAIN_STUDY_VALUES ||
                            study.law_count > GR_GRAIN_STUDY_LAWS)) {
        abort();
    }
}
