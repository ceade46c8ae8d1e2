/// Parameters of the repair of a map (clean.h).
#ifndef GR_CLEAN_DEF_H
#define GR_CLEAN_DEF_H

#include <stdbool.h>
#include <stdint.h>

/// Start from gr_default_clean_def(): values for HiRISE maps of 1 m.
typedef struct GrCleanDef {
    int kernel_hole;     ///< side of the zeroed middle of the kernel [cells]; default 70
    double kernel_sigma; ///< of the Gaussian [cells]; default 35: O23 does not print it
    double threshold;    ///< [m] > 0; default 0.7
    bool plain_kernel;   ///< the kernel alone decides, as printed in O23; default: an outlier must also stand out from
                         ///< its neighbours
    bool keep_outliers;  ///< fill voids only
    int samples;         ///< for kriging, 8 .. 4000; default 1000
    int seam_rounds;     ///< rounds of 7 x 7 averaging of the bias; default 8
    bool fill_border;    ///< fill large voids at the border of the map too
    int64_t hole_limit;  ///< voids of more cells are left; default 1000000
    uint64_t seed;       ///< of the choice of samples; default 1
} GrCleanDef;

GrCleanDef gr_default_clean_def(void);

#endif
