#include "run_tables.h"

#include "model_data.h"

#include <math.h>

/// Largest torque as a percentage of the motor's limit; NAN: the motor has none.
static double torque_used(const GrRoverDef *rover, const GrRunSummary *summary, int wheel)
{
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *joint = &rover->joints[i];
        if (joint->role == GR_ROLE_DRIVE && joint->child == rover->wheels[wheel].body) {
            const double limit = joint->motor.torque_limit;
            return isfinite(limit) ? 100 * summary->wheels[wheel].torque_max / limit : (double)NAN;
        }
    }
    return (double)NAN;
}

static void put_numbers(GrTable *out, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        gr_table_number(out, gr_without_noise(values[i], 1e-9), 3); // less is rounding, in all units of the tables
    }
}

void gr_run_table_wheels(const GrModel *model, const GrRunSummary *summary, const GrRoverDef *rover, GrTable *out)
{
    bool deflects = false;
    for (int i = 0; i < summary->wheel_count; i++) {
        deflects = deflects || summary->wheels[i].deflection_max > 0;
    }
    gr_table_heads(out, "wheel|>slip [%]|>largest|>sinkage [mm]|>largest|>load [N]|>largest|>torque [N m]|>largest");
    if (rover != NULL) {
        gr_table_heads(out, ">of its limit [%]|>airborne [%]");
    }
    gr_table_heads(out, ">work, net [J]|>chatter [1/s]");
    if (deflects) { // rigid wheels do not
        gr_table_heads(out, ">deflection [mm]|>largest");
    }
    for (int i = 0; i < summary->wheel_count; i++) {
        const GrWheelSummary *w = &summary->wheels[i];
        const double values[] = {100 * w->slip_mean, 100 * w->slip_max, 1e3 * w->sinkage_mean, 1e3 * w->sinkage_max,
                                 w->load_mean,       w->load_max,       w->torque_mean,        w->torque_max};
        gr_table_text(out, gr_model_wheel_name(model, i));
        put_numbers(out, values, 8);
        if (rover != NULL) {
            put_numbers(out, (const double[]){torque_used(rover, summary, i), 100 * w->airborne}, 2);
        }
        put_numbers(out, (const double[]){w->energy, w->chatter}, 2);
        if (deflects) {
            put_numbers(out, (const double[]){1e3 * w->deflection_mean, 1e3 * w->deflection_max}, 2);
        }
    }
}

void gr_run_table_states(const GrModel *model, const GrRunSummary *summary, GrTable *out)
{
    long entries[GR_CONTACT_MODE_COUNT] = {0}, all = 0;
    for (int i = 0; i < summary->wheel_count; i++) {
        for (int k = 0; k < GR_CONTACT_MODE_COUNT; k++) {
            entries[k] += summary->wheels[i].state_entries[k];
            all += summary->wheels[i].state_entries[k];
        }
    }
    if (all == 0 || summary->wheel_count > GR_TABLE_COLUMNS - 3) {
        return;
    }
    gr_table_heads(out, "contact state|>entered|>of the wheels' time [%]");
    for (int i = 0; i < summary->wheel_count; i++) {
        gr_table_column(out, gr_model_wheel_name(model, i), GR_RIGHT);
    }
    for (int k = 0; k < GR_CONTACT_MODE_COUNT; k++) {
        double time = 0;
        if (entries[k] == 0) {
            continue;
        }
        for (int i = 0; i < summary->wheel_count; i++) {
            time += summary->wheels[i].state_time[k] / summary->wheel_count;
        }
        gr_table_text(out, gr_contact_mode_text((GrContactMode)k));
        gr_table_printf(out, "%ld", entries[k]);
        put_numbers(out, (const double[]){summary->time > 0 ? 100 * time / summary->time : 0}, 1);
        for (int i = 0; i < summary->wheel_count; i++) {
            put_numbers(out, (const double[]){100 * summary->wheels[i].state_time[k] / fmax(summary->time, 1e-9)}, 1);
        }
    }
}

void gr_run_table_way_points(const GrRunSummary *summary, int most, GrTable *out)
{
    gr_table_heads(out, "way-point|>x [m]|>y [m]|>due [s]|>reached [s]|>late by [s]|>nearest [m]|>distance so far [m]|"
                        "outcome");
    for (int i = 0; i < summary->way_point_count && i < most; i++) {
        const GrArrival *a = &summary->way_points[i];
        gr_table_printf(out, "%d", i + 1);
        gr_table_number(out, a->point.x, 5);
        gr_table_number(out, a->point.y, 5);
        gr_table_number(out, a->point.time, 5);
        gr_table_number(out, a->time, 5);
        gr_table_number(out, a->time - a->point.time, 3);
        gr_table_number(out, a->off, 3);
        gr_table_number(out, a->distance, 4);
        gr_table_text(out, gr_arrival_text(a->state));
    }
}

void gr_run_table_self_contacts(const GrRunSummary *summary, GrTable *out)
{
    gr_table_heads(out, "own bodies in contact|>first at [s]|>for [s]|>largest force [N]");
    for (int i = 0; i < summary->self_contact_count; i++) {
        const GrSelfContact *c = &summary->self_contacts[i];
        gr_table_printf(out, "%s - %s", c->a, c->b);
        gr_table_values(out, (const double[]){c->first, c->time, c->force_max}, 3);
    }
}
