/// The descriptor of the law scm, whose soil is a grid: its state is that of the nodes (scm.h), not of a wheel.
#include "law.h"

const GrLaw gr_law_scm = {
    .name = "scm",
    .text = "soil as a deformable grid that keeps its ruts (soil contact model, Krenn & Hirzinger 2009)",
    .traits = GR_LAW_ANY | GR_LAW_STRESS | GR_LAW_GRID,
    .nodes = 0,
    .slice_state = 0,
    .own = {{GR_SOIL_ROW("rebound", "rebound", "", "fraction of the sinkage that rebounds", rebound, 1, 0.001, 0.3,
                         false, 0)},
            {GR_SOIL_ROW("slip_sinkage", "slip_sinkage", "", "soil dug away per slip distance", slip_sinkage, 1, 0, 1,
                         false, 0)},
            {GR_SOIL_ROW("K_compacted", "K_compacted", "",
                         "K of soil compacted by earlier passes over that of virgin soil", shear_compacted, 1, 0.1, 1,
                         false, 0)},
            {GR_SOIL_ROW("repose", "repose_deg", "°", "steepest slope of loose soil", repose_angle, GR_DEGREE, 5, 80,
                         false, 0),
             .not_in = GR_SOIL_USE_NO_FLOW},
            {GR_SOIL_ROW("bulking", "bulking", "", "ratio of the volume that rises to the volume pressed down", bulking,
                         1, 0, 1.5, false, 0),
             .not_in = GR_SOIL_USE_NO_FLOW}},
};
