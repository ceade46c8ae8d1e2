/// Parameters of wheel traces as a table, their defaults and checks.
#include "trace_wheel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const GrTraceField FIELDS[] = {
    {"mean_m", offsetof(GrTraceDef, mean.base), -1, 1, false, true},
    {"mean_load_m_per_N", offsetof(GrTraceDef, mean.load), -1, 1, false, true},
    {"mean_slip_m", offsetof(GrTraceDef, mean.slip), -1, 1, false, false},
    {"swing_m", offsetof(GrTraceDef, swing.base), -1, 1, false, true},
    {"swing_load_m_per_N", offsetof(GrTraceDef, swing.load), -1, 1, false, true},
    {"swing_slip_m", offsetof(GrTraceDef, swing.slip), -1, 1, false, false},
    {"load_min_N", offsetof(GrTraceDef, load_min), 0, 1e6, false, true},
    {"load_max_N", offsetof(GrTraceDef, load_max), 0, 1e6, true, true},
    {"radius_m", offsetof(GrTraceDef, radius), 0, 100, true, true},
    {"width_m", offsetof(GrTraceDef, width), 0, 100, true, true},
    {"grouser_height_m", offsetof(GrTraceDef, grouser_height), 0, 10, true, true},
    {"gravity_m_s2", offsetof(GrTraceDef, gravity), 0, 1000, true, false},
};

enum { FIELD_COUNT = sizeof FIELDS / sizeof FIELDS[0] };

const GrTraceField *gr_trace_field(int index)
{
    return index >= 0 && index < FIELD_COUNT ? &FIELDS[index] : NULL;
}

double gr_trace_field_get(const GrTraceDef *def, const GrTraceField *field)
{
    double value;
    memcpy(&value, (const char *)def + field->offset, sizeof value);
    return value;
}

void gr_trace_field_set(GrTraceDef *def, const GrTraceField *field, double value)
{
    memcpy((char *)def + field->offset, &value, sizeof value);
}

GrTraceDef gr_default_trace_def(void)
{
    return (GrTraceDef){
        .mean = {-1.440e-3, -0.4388e-3, 0},
        .swing = {8.003e-3, 0.0630e-3, 0},
        .load_min = 3,
        .load_max = 17.9,
        .radius = 0.1,
        .width = 0.08,
        .grouser_height = 0.02,
        .gravity = 9.80665,
        .source = "Kamohara et al. 2024, table 2 (Toyoura sand by particles), least squares",
    };
}

GrStatus gr_trace_check(const GrTraceDef *def, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < FIELD_COUNT; i++) {
        const GrTraceField *f = &FIELDS[i];
        const double value = gr_trace_field_get(def, f);
        if (!(value >= f->lower && value <= f->upper) || (f->open && value == f->lower)) {
            status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = f->key},
                                  "%g is out of range; allowed: %s %g to %g", value, f->open ? "above" : "from",
                                  f->lower, f->upper);
        }
    }
    if (status == GR_OK && !(def->load_max > def->load_min)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "load_max_N"},
                              "%g is not above load_min_N, %g", def->load_max, def->load_min);
    }
    return status;
}
