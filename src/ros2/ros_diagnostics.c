/// Slip, sinkage, load, torque and contact state of every wheel as diagnostic_msgs/DiagnosticArray.
#include "alloc.h"
#include "number.h"
#include "ros_parts.h"

#include <math.h>
#include <stdio.h>

enum { VALUES = 6, TEXT_SIZE = 32, DECIMALS = 6 };
/// Levels of diagnostic_msgs/DiagnosticStatus.
enum { LEVEL_OK = 0, LEVEL_WARN = 1, LEVEL_ERROR = 2 };
// as the warnings of a run: a wheel that slips much, and one that spins
static const double SLIP_WARN = 0.6, SLIP_ERROR = 0.9;

bool gr_ros_diagnostics_init(GrRosDiagnostics *diagnostics, const GrModel *model)
{
    const size_t count = (size_t)gr_model_wheel_count(model);
    diagnostics->status = gr_calloc(count + 1, sizeof *diagnostics->status);
    diagnostics->values = gr_calloc(VALUES * count + 1, sizeof *diagnostics->values);
    diagnostics->texts = gr_calloc(VALUES * count + 1, sizeof *diagnostics->texts);
    return diagnostics->status != NULL && diagnostics->values != NULL && diagnostics->texts != NULL;
}

void gr_ros_diagnostics_free(GrRosDiagnostics *diagnostics)
{
    gr_free(diagnostics->status);
    gr_free(diagnostics->values);
    gr_free(diagnostics->texts);
    *diagnostics = (GrRosDiagnostics){0};
}

static void fill_wheel(GrRosDiagnostics *d, const GrRecordDef *record, int wheel, const GrWheelSample *w)
{
    const double slip = fabs(w->slip);
    const struct {
        const char *key;
        double value;
    } rows[VALUES] = {
        {"slip", w->slip},         {"slip_angle_deg", w->slip_angle / GR_DEGREE},
        {"sinkage_m", w->sinkage}, {"load_N", w->load},
        {"torque_Nm", w->torque},  {"power_W", w->power},
    };
    for (int i = 0; i < VALUES; i++) {
        char *text = d->texts[VALUES * wheel + i];
        char number[GR_NUMBER_SIZE];
        gr_number_fixed(rows[i].value, DECIMALS, number);
        snprintf(text, TEXT_SIZE, "%.31s", number);
        d->values[VALUES * wheel + i] = (diagnostic_msgs_msg_dds__KeyValue_){.key = (char *)rows[i].key, .value = text};
    }
    d->status[wheel] = (diagnostic_msgs_msg_dds__DiagnosticStatus_){
        .level = slip > SLIP_ERROR  ? LEVEL_ERROR
                 : slip > SLIP_WARN ? LEVEL_WARN
                                    : LEVEL_OK,
        .name = (char *)gr_model_wheel_name(record->model, wheel),
        .message = (char *)gr_wheel_state_text(w->state),
        .hardware_id = (char *)record->name,
        .values = {._maximum = VALUES, ._length = VALUES, ._buffer = &d->values[VALUES * wheel]},
    };
}

void gr_ros_diagnostics_fill(GrRosDiagnostics *diagnostics, const GrRecordDef *record, const GrSample *sample)
{
    const int count = gr_model_wheel_count(record->model);
    for (int i = 0; i < count; i++) {
        fill_wheel(diagnostics, record, i, &sample->wheels[i]);
    }
    diagnostics->message = (diagnostic_msgs_msg_dds__DiagnosticArray_){
        .header = gr_ros_header(sample->time, ""),
        .status = {._maximum = (uint32_t)count, ._length = (uint32_t)count, ._buffer = diagnostics->status},
    };
}
