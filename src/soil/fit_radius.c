/// Soils under a wheel of another size than that of their fit.
///
/// Frictional soil has no length of its own: with p = k z, k a weight per volume, and no cohesion, all lengths of the
/// contact grow with the wheel, and so do the shear displacement that mobilises friction and the depth that a slipping
/// wheel digs. That is the scaling of granular locomotion (Slonaker et al. 2017, Phys. Rev. E 95, 052901; Thoesen et
/// al. 2020), and what the law rft does without it. A modulus K that stays as fitted with a small wheel lets a large
/// one pull too well: K/r is what both have in common. Cohesion and n other than 1 break the scaling.
#include "law.h"

GrSoilDef gr_soil_under_wheel(const GrSoilDef *soil, double radius)
{
    GrSoilDef here = *soil;
    if (!(soil->fit_radius > 0) || !(gr_law(soil->law)->traits & GR_LAW_PATCH)) {
        return here;
    }
    const double larger = radius / soil->fit_radius;
    double *const lengths[] = {&here.shear_x,        &here.shear_x_slope,     &here.shear_y,
                               &here.shear_y_slope,  &here.slip_sinkage_max,  &here.slip_sinkage_length,
                               &here.plough_sinkage, &here.lug_digging_length};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        *lengths[i] *= larger;
    }
    here.fit_radius = radius;
    return here;
}
