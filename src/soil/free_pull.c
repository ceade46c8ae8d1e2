/// Pull of a wheel that rolls without slip. Measured wheels are held back there by 0.03 to 0.06 of their load. A law
/// that pulls forward misses motion resistance: slip, torque and energy come out too low, slopes too easy.
#include "elementary.h"
#include "law.h"

#include <math.h>

double gr_soil_free_pull(const GrSoilWheel *w, double load)
{
    // f_z grows nearly as h^(n + 1/2): a few steps on that power law find the sinkage to 0.1 %.
    const double power = 1 / (w->soil.n0 + 0.5), enough = 1e-3;
    double h = 0.1 * w->radius;
    GrSoilSteady at;
    for (int i = 0; i < 12; i++) {
        gr_soil_steady(w, 0, 0, h, 0, &at);
        if (!(at.f_z > 0) || fabs(at.f_z - load) < enough * load) {
            break;
        }
        h = fmin(h * gr_pow(load / at.f_z, power), 2 * w->radius);
    }
    return at.f_z > 0 ? at.f_x / at.f_z : 0;
}

void gr_soil_warn_free_pull(const GrSoilWheel *w, double load, GrErrorLog *log)
{
    const unsigned traits = gr_law(w->law)->traits;
    // Grids have no steady formula, and friction alone cannot pull without slip.
    if ((traits & GR_LAW_STRESS) == 0 || (traits & GR_LAW_GRID) != 0 || !(load > 0)) {
        return;
    }
    const double pull = gr_soil_free_pull(w, load);
    if (pull > 0) {
        gr_warning_add(log, (GrLocation){.field = "soil"},
                       "%s with the law %s pulls this wheel forward by %.2g of its load of %.3g N without slip; "
                       "measured wheels are held back by 0.03 to 0.06, so slip and torque are too low%s",
                       w->soil.name, gr_soil_law_name(w->law), pull, load,
                       (traits & GR_LAW_ARC) != 0 && w->soil.exit_ratio > 0.4 ? " (a lambda of 0.2 to 0.4 may help)"
                                                                              : "");
    }
}
