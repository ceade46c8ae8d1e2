#include "run_print.h"

#include "table.h"

#include <math.h>

static const double DEGREE = 3.14159265358979323846 / 180;

static void print_facts(const GrScenario *scenario, const GrRunSummary *s, FILE *file)
{
    const char *title = scenario->title[0] != '\0' ? scenario->title : scenario->name;
    fprintf(file, "%s\n%s after %.1f s: %s\n\n", title, gr_outcome_name(s->outcome), s->outcome_time, s->cause);
    GrTable table = {.indent = 2};
    gr_table_column(&table, "", GR_LEFT);
    gr_table_column(&table, "", GR_LEFT);
    const struct {
        const char *name;
        double value;
        const char *unit;
    } rows[] = {
        {"distance", s->distance, "m"},
        {"straight progress", s->progress, "m"},
        {"climb", s->climb, "m"},
        {"descent", s->descent, "m"},
        {"largest roll", s->roll_max / DEGREE, "deg"},
        {"largest pitch", s->pitch_max / DEGREE, "deg"},
        {"off the path at most", s->cross_track_max, "m"},
        {"odometry off by", s->odometry_error, "m"},
        {"motor work", s->energy.motor, "J"},
        {"lost in the soil", s->energy.soil, "J"},
        {"energy per metre", s->energy_per_metre, "J/m"},
        {"energy residual", s->energy.residual, "J"},
        {"faster than real time", s->real_time_factor, "times"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gr_table_text(&table, rows[i].name);
        gr_table_printf(&table, "%.4g %s", rows[i].value, rows[i].unit);
    }
    gr_table_text(&table, "steps");
    gr_table_printf(&table, "%ld of %.3g to %.3g ms", s->steps, 1e3 * s->step_min, 1e3 * s->step_max);
    gr_table_text(&table, "state hash");
    gr_table_printf(&table, "%016llx", (unsigned long long)s->state_hash);
    gr_table_print(&table, file);
    gr_table_free(&table);
}

static void print_wheels(const GrModel *model, const GrRunSummary *s, FILE *file)
{
    static const char *const heads[] = {"wheel",   "slip",           "largest",      "sinkage [mm]",
                                        "largest", "load [N]",       "largest",      "torque [Nm]",
                                        "largest", "motor work [J]", "chatter [1/s]"};
    enum { COLUMNS = sizeof heads / sizeof heads[0] };
    GrTable table = {.indent = 2};
    for (int i = 0; i < COLUMNS; i++) {
        gr_table_column(&table, heads[i], i > 0 ? GR_RIGHT : GR_LEFT);
    }
    for (int i = 0; i < s->wheel_count; i++) {
        const GrWheelSummary *w = &s->wheels[i];
        const double values[] = {w->slip_mean, w->slip_max, 1e3 * w->sinkage_mean, 1e3 * w->sinkage_max,
                                 w->load_mean, w->load_max, w->torque_mean,        w->torque_max,
                                 w->energy,    w->chatter};
        gr_table_text(&table, gr_model_wheel_name(model, i));
        for (int k = 0; k < COLUMNS - 1; k++) {
            gr_table_number(&table, values[k], 3);
        }
    }
    fputc('\n', file);
    gr_table_print(&table, file);
    gr_table_free(&table);
}

static void print_convergence(const GrConvergence *rows, FILE *file)
{
    GrTable table = {.indent = 2};
    gr_table_column(&table, "convergence", GR_LEFT);
    gr_table_column(&table, "as it is", GR_RIGHT);
    gr_table_column(&table, "half the step", GR_RIGHT);
    gr_table_column(&table, "change", GR_RIGHT);
    for (int i = 0; i < GR_CONVERGENCE_COUNT; i++) {
        gr_table_printf(&table, "%s%s%s%s", rows[i].quantity, rows[i].unit[0] ? " [" : "", rows[i].unit,
                        rows[i].unit[0] ? "]" : "");
        gr_table_number(&table, rows[i].value, 6);
        gr_table_number(&table, rows[i].half, 6);
        gr_table_printf(&table, "%.3f %%", 100 * rows[i].change);
    }
    fputc('\n', file);
    gr_table_print(&table, file);
    gr_table_free(&table);
}

void gr_run_print(const GrWorld *world, const GrRunSummary *summary, const GrConvergence *convergence, FILE *file)
{
    print_facts(world->scenario, summary, file);
    print_wheels(world->model, summary, file);
    if (convergence != NULL) {
        print_convergence(convergence, file);
    }
    for (int i = 0; i < summary->warning_count; i++) {
        const GrWarning *w = &summary->warnings[i];
        fprintf(file, "%swarning: %s: %ld times, first at %.1f s\n", i == 0 ? "\n" : "", w->text, w->count, w->first);
    }
}
