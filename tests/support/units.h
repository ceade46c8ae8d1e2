/// Units as keys and channels name them: what a number in SI units is in the unit of a name. Independent of the
/// program, which converts where it reads and writes.
#ifndef GR_TEST_UNITS_H
#define GR_TEST_UNITS_H

#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/// Suffixes of names, and by what a value in SI units (rad, s, m, J, Hz) is multiplied; longer ones first.
static const struct {
    const char *suffix;
    double factor;
} GR_TEST_UNITS[] = {
    {"_deg_s_per_sqrt_Hz", 57.29577951308232},
    {"_deg_s_per_sqrt_s", 57.29577951308232},
    {"_m_s2_per_sqrt_Hz", 1},
    {"_m_s2_per_sqrt_s", 1},
    {"_Nms_per_rad", 1},
    {"_Nm_per_rad", 1},
    {"_deg_per_s", 57.29577951308232},
    {"_rad_per_s", 1},
    {"_N_per_m", 1},
    {"_Ns_per_m", 1},
    {"_m_per_rad", 1},
    {"_m_per_s2", 1},
    {"_kg_per_m3", 1},
    {"_J_per_m2", 1},
    {"_J_per_m", 1},
    {"_m_per_s", 1},
    {"_per_m2", 1},
    {"_per_m", 1},
    {"_per_s", 1},
    {"_deg_s", 57.29577951308232},
    {"_m_s2", 1},
    {"_rad_s", 1},
    {"_mps2", 1},
    {"_3sigma_deg", 3 * 57.29577951308232},
    {"_3sigma_m", 3},
    {"_kgm2", 1},
    {"_deg", 57.29577951308232},
    {"_rad", 1},
    {"_dps", 57.29577951308232},
    {"_mps", 1},
    {"_Wh", 1.0 / 3600},
    {"_Nm", 1},
    {"_mm", 1000},
    {"_ms", 1000},
    {"_Pa", 1},
    {"_Hz", 1},
    {"_kg", 1},
    {"_m2", 1},
    {"_N", 1},
    {"_W", 1},
    {"_J", 1},
    {"_m", 1},
    {"_s", 1},
};

/// Whether a name has a unit, and its factor.
static inline bool gr_test_unit(const char *name, double *factor)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof GR_TEST_UNITS / sizeof GR_TEST_UNITS[0]; i++) {
        const size_t tail = strlen(GR_TEST_UNITS[i].suffix);
        if (length > tail && strcmp(name + length - tail, GR_TEST_UNITS[i].suffix) == 0) {
            *factor = GR_TEST_UNITS[i].factor;
            return true;
        }
    }
    return false;
}

/// The number that a name must show for a value in SI units.
static inline double gr_test_in_unit(const char *name, double value)
{
    double factor = 1;
    gr_test_unit(name, &factor);
    return factor * value;
}

#endif
