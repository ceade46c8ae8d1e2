/// What a unit keeps: its state, and the orders that it gets.
#include "alloc.h"
#include "data.h"
#include "fmu_unit_data.h"
#include "out_of_memory.h"

#include <string.h>

/// First in a saved state. The layout of the rest is that of this build.
typedef struct Header {
    char magic[8];
    uint64_t variables, mission; ///< number of values, bytes of the mission
    GrFmuProgress progress;
} Header;

static const char MAGIC[8] = {'G', 'R', 'F', 'M', 'U', '0', '0', '1'};

size_t gr_fmu_unit_state_size(const GrFmuUnit *unit)
{
    return unit->contact != NULL ? gr_contact_size(gr_fmu_contact_unit(unit->contact))
                                 : gr_mission_size(unit->world->mission);
}

GrStatus gr_fmu_unit_state_save(const GrFmuUnit *unit, void *out)
{
    return unit->contact != NULL ? gr_contact_save(gr_fmu_contact_unit(unit->contact), out)
                                 : gr_mission_save(unit->world->mission, out);
}

GrStatus gr_fmu_unit_state_restore(GrFmuUnit *unit, const void *saved, size_t size, GrErrorLog *log)
{
    return unit->contact != NULL ? gr_contact_restore(gr_fmu_contact_unit(unit->contact), saved, size, log)
                                 : gr_mission_restore(unit->world->mission, saved, size, log);
}

size_t gr_fmu_unit_size(const GrFmuUnit *unit)
{
    return sizeof(Header) + sizeof(double) * (size_t)unit->variables.count + gr_fmu_unit_state_size(unit);
}

GrStatus gr_fmu_unit_save(GrFmuUnit *unit, void *out, GrErrorLog *log)
{
    const size_t values = sizeof(double) * (size_t)unit->variables.count;
    Header header;
    memset(&header, 0, sizeof header); // padding too: equal states are equal bytes
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    header.variables = (uint64_t)unit->variables.count;
    header.mission = gr_fmu_unit_state_size(unit);
    header.progress = unit->progress;
    memcpy(out, &header, sizeof header);
    memcpy((unsigned char *)out + sizeof header, unit->values, values);
    const GrStatus status = gr_fmu_unit_state_save(unit, (unsigned char *)out + sizeof header + values);
    return status == GR_OK ? GR_OK : gr_out_of_memory(log, NULL);
}

/// Whether parameters in `values` differ from those of the present world.
static bool parameters_differ(const GrFmuUnit *unit, const double *values)
{
    bool differ = unit->stale;
    for (int i = 0; i < unit->variables.count; i++) {
        const GrFmuRole role = unit->variables.items[i].role;
        differ = differ || ((role == GR_FMU_TUNABLE || role == GR_FMU_FIXED) && values[i] != unit->values[i]);
    }
    return differ;
}

/// Header of a saved state, after checks of its size.
static GrStatus read_header(const GrFmuUnit *unit, const void *saved, size_t size, Header *header, GrErrorLog *log)
{
    const size_t values = sizeof(double) * (size_t)unit->variables.count;
    if (size < sizeof *header) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "the state is cut short: %zu bytes", size);
    }
    memcpy(header, saved, sizeof *header);
    if (memcmp(header->magic, MAGIC, sizeof MAGIC) != 0 || header->variables != (uint64_t)unit->variables.count) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "not a state of this unit");
    }
    if (size - sizeof *header < values || header->mission != size - sizeof *header - values) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "the state is cut short: %zu bytes", size);
    }
    return GR_OK;
}

GrStatus gr_fmu_unit_restore(GrFmuUnit *unit, const void *saved, size_t size, GrErrorLog *log)
{
    const size_t count = (size_t)unit->variables.count;
    Header header = {.mission = 0};
    GrStatus status = read_header(unit, saved, size, &header, log);
    if (status != GR_OK) {
        return status;
    }
    double *values = gr_calloc(count, sizeof *values);
    if (values == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    memcpy(values, (const unsigned char *)saved + sizeof header, sizeof *values * count);
    unit->stale = parameters_differ(unit, values);
    unit->progress.begun = false; // the mission comes from the saved state
    memcpy(unit->values, values, sizeof *values * count);
    status = gr_fmu_unit_refresh(unit, log);
    if (status == GR_OK) {
        const unsigned char *mission = (const unsigned char *)saved + sizeof header + sizeof *values * count;
        status = gr_fmu_unit_state_restore(unit, mission, (size_t)header.mission, log);
    }
    memcpy(unit->values, values, sizeof *values * count);
    unit->progress = header.progress;
    unit->now = header.progress.time;
    unit->old = true;
    gr_free(values);
    return status;
}

// ---- Who drives a unit: inputs of the host become commands of the control, or of the motors.

GrFmuOrders gr_fmu_orders_read(const GrFmuUnit *unit)
{
    GrFmuOrders orders = {.source = GR_FMU_BY_SCENARIO, .path_speed = (double)NAN};
    for (int i = 0; i < unit->variables.count; i++) {
        const GrFmuVariable *v = &unit->variables.items[i];
        const double value = unit->values[i];
        const bool differs = value != v->start;
        switch (v->meaning) {
        case GR_FMU_IS_COMMAND_KIND:
            orders.torque = value == GR_FMU_COMMAND_TORQUE;
            break;
        case GR_FMU_IS_SOURCE:
            orders.source = (GrFmuSource)value;
            break;
        case GR_FMU_IS_MODE:
            orders.drive.mode = (GrDriveMode)value;
            break;
        case GR_FMU_IS_DRIVE:
            memcpy((unsigned char *)&orders.drive + v->offset, &value, sizeof value);
            orders.drives = orders.drives || differs;
            break;
        case GR_FMU_IS_PATH_SPEED:
            orders.path_speed = value;
            break;
        case GR_FMU_IS_WHEEL_COMMAND:
            orders.wheel[v->index] = value;
            orders.turns_wheels = orders.turns_wheels || differs;
            break;
        case GR_FMU_IS_WHEEL_STEER:
            orders.steer[v->index] = value;
            orders.turns_wheels = orders.turns_wheels || differs;
            break;
        case GR_FMU_IS_FORCE:
            orders.force[v->index] = value;
            break;
        case GR_FMU_IS_MOMENT:
            orders.moment[v->index] = value;
            break;
        default:
            break;
        }
    }
    return orders;
}

void gr_fmu_orders_warn_unread(GrFmuUnit *unit, const GrFmuOrders *orders, GrErrorLog *log)
{
    const bool drive = orders->drives && orders->source != GR_FMU_BY_DRIVE;
    const bool wheels = orders->turns_wheels && orders->source != GR_FMU_BY_WHEELS;
    if ((drive || wheels) && !unit->progress.warned) {
        unit->progress.warned = true;
        gr_warning_add(log, (GrLocation){.field = drive ? "drive" : "wheels"},
                       "is set, and has no effect: command.source is %s",
                       gr_fmu_choice_item(GR_FMU_CHOICE_SOURCE, (int)orders->source));
    }
}

/// Takes the rover from the scenario for drive.*, or gives it back as it was.
static void choose_hand(GrControlState *control, const GrFmuOrders *orders, GrFmuProgress *progress)
{
    const bool by_drive = orders->source == GR_FMU_BY_DRIVE;
    if (by_drive && !progress->by_drive) {
        progress->was_by_hand = control->by_hand;
        progress->manual = control->manual;
    } else if (!by_drive && progress->by_drive) {
        control->by_hand = progress->was_by_hand;
        control->manual = progress->manual;
    }
    if (by_drive) {
        control->by_hand = true;
        control->manual = orders->drive;
    }
    progress->by_drive = by_drive;
}

void gr_fmu_orders_choose_driver(GrMission *mission, const GrFmuOrders *orders, GrFmuProgress *progress)
{
    GrMissionState *s = &mission->s;
    if (orders->source == GR_FMU_BY_WHEELS) {
        s->control_due = INFINITY;
        s->ramp.count = 0;
    } else if (isinf(s->control_due)) {
        s->control_due = gr_data_time(mission->d);
    }
    choose_hand(&s->control, orders, progress);
    if (!isnan(orders->path_speed)) {
        mission->control.def.cruise_speed = orders->path_speed;
    }
}

void gr_fmu_orders_command_wheels(const GrFmuUnit *unit, const GrFmuOrders *orders)
{
    const GrModel *m = unit->world->model;
    GrData *d = unit->world->mission->d;
    for (int i = 0; i < unit->geometry.wheel_count; i++) {
        const GrDriveWheel *w = &unit->geometry.wheels[i];
        if (w->drive >= 0) {
            gr_data_set_command(m, d, w->drive, w->drive_sign * orders->wheel[i]);
        }
        if (w->steer >= 0) {
            const double angle = w->steer_sign * orders->steer[i];
            const double off = angle - gr_data_joint_position(m, d, w->steer);
            gr_data_set_command(m, d, w->steer, w->steer_servo ? angle : unit->steer_gain * off);
        }
    }
}
