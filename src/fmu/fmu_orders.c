/// Who drives a unit: inputs of the host become commands of the control, or of the motors.
#include "fmu_unit_data.h"

#include "data.h"

#include <string.h>

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
