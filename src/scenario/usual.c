/// Plausible ranges, in addition to the allowed ranges that the readers check: a value outside is accepted with a
/// warning, since usually its unit is wrong. One row per key; the first matching row counts.
#include "usual.h"

#include <math.h>
#include <string.h>

/// `within`: a part of the path that tells keys of the same name apart; "": any.
static const GrUsual ROWS[] = {
    // rovers
    {"mass_kg", "bodies.", 0, 5000, "a body of a planetary rover"},
    {"radius_m", "wheels.", 0.02, 1.5, "a wheel of a planetary rover"},
    {"width_m", "wheels.", 0.005, 1, "a wheel of a planetary rover"},
    {"stiffness_N_per_m", "wheels.", 500, 1e8, "a wheel of a planetary rover"},
    {"height_m", "grousers.", 0, 0.1, "a grouser"},
    {"thickness_m", "grousers.", 0, 0.1, "a grouser"},
    {"count", "grousers.", 0, 150, "the grousers of a wheel"},
    {"torque_limit_Nm", "", 0.01, 5000, "a motor of a planetary rover"},
    {"stall_torque_Nm", "", 0.01, 5000, "a motor of a planetary rover"},
    {"size_m", "shapes", 0.001, 20, "a body of a planetary rover"},
    {"radius_m", "shapes", 0.0005, 5, "a body of a planetary rover"},
    {"length_m", "shapes", 0.001, 20, "a body of a planetary rover"},
    // soils
    {"c_Pa", "", 0, 1e5, "a soil"},
    {"phi_deg", "", 5, 55, "a soil"},
    {"n0", "", 0.1, 2.6, "a soil"},
    {"density_kg_per_m3", "", 200, 4000, "a soil"},
    {"K_x_m", "", 1e-4, 0.2, "a soil"},
    {"K_y_m", "", 1e-4, 0.2, "a soil"},
    {"friction", "hard.", 0.05, 1.5, "rock and metal"},
    {"friction", "", 0.05, 1.5, "a wheel on a soil"},
    // scenarios
    {"speed_mps", "drive.", -6, 6, "a planetary rover"},
    {"speed_max_mps", "drive.", 0, 6, "a planetary rover"},
    {"curvature_per_m", "drive.", -10, 10, "a planetary rover"},
    {"yaw_rate_dps", "drive.", -90, 90, "a planetary rover"},
    {"pull_N", "drive.", -2e4, 2e4, "a planetary rover"},
    {"steer_rate_dps", "drive.", 0.2, 180, "a planetary rover"},
    {"wheel_acceleration_mps2", "drive.", 1e-3, 10, "a planetary rover"},
    {"control_period_s", "drive.", 0, 5, "a planetary rover"},
    {"look_ahead_m", "drive.", 0, 20, "a planetary rover"},
    {"height_m", "start.", 0, 20, "a drop that a rover survives"},
    {"velocity_mps", "start.", -20, 20, "a touchdown"},
    {"gravity", "", 0, 30, "a planet or a moon"},
    {"body", "gravity.", 0, 30, "a planet or a moon"},
    {"size_m", "terrain.", 2, 2e5, "a map that a rover drives on"},
    {"cell_m", "terrain.", 0.005, 200, "a map that a rover drives on"},
    {"smallest_m", "rocks.", 0.005, 5, "rocks"},
    {"largest_m", "rocks.", 0.01, 20, "rocks"},
    {"cell_m", "ruts.", 0.002, 0.1, "ruts of wheels"},
    {"young_Pa", "hard.", 1e4, 1e12, "rock and metal"},
    {"rate_Hz", "record.", 0.02, 2000, "a recording"},
    {"time_s", "stop.", 0.01, 1e7, "a run"},
};

const GrUsual *gr_usual(int index)
{
    return index >= 0 && index < (int)(sizeof ROWS / sizeof ROWS[0]) ? &ROWS[index] : NULL;
}

/// An item of a list has the key of the list.
static const char *key_of(const GrNode *node)
{
    return node->key != NULL || node->parent == NULL ? node->key : node->parent->key;
}

const GrUsual *gr_usual_of(const char *key, const char *path)
{
    for (int i = 0; gr_usual(i) != NULL; i++) {
        const GrUsual *row = gr_usual(i);
        if (strcmp(row->key, key) == 0 && strstr(path, row->within) != NULL) {
            return row;
        }
    }
    return NULL;
}

/// Whether a value is outside the range of any row with its key. Few are, and only these need their paths.
static bool may_be_unusual(const char *key, double value)
{
    for (int i = 0; gr_usual(i) != NULL; i++) {
        const GrUsual *row = gr_usual(i);
        if ((value < row->lower || value > row->upper) && strcmp(row->key, key) == 0) {
            return true;
        }
    }
    return false;
}

void gr_warn_unusual(const GrNode *node, double value)
{
    const char *key = key_of(node);
    char path[GR_PATH_SIZE];
    if (key == NULL || isinf(value) || !may_be_unusual(key, value)) {
        return; // infinity is intentional
    }
    const GrUsual *row = gr_usual_of(key, gr_node_path(node, path, sizeof path));
    if (row != NULL && (value < row->lower || value > row->upper)) {
        gr_node_warning_once(node, GR_USUAL_TEXT, value, row->what, row->lower, row->upper);
    }
}
