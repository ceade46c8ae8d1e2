/// grouser loads: what the joints of a finished run carried: envelopes for strength, cycles for fatigue.
#include "alloc.h"
#include "options.h"
#include "report.h"
#include "run_loads.h"

#include <math.h>
#include <string.h>

enum { BINS = 20, CURVE = 400 };

typedef struct LoadsOptions {
    const char *folder, *joint, *csv, *cycles, *html;
    double from, to, exponent;
    bool json;
} LoadsOptions;

static const double MISSED = 0.05; // a peak that shrinks by this share with half of the samples is doubtful

// ---- tables

/// One row a joint: the largest magnitude of each component, with its sign.
static GrTable summary_of(const GrRunLoads *loads)
{
    GrTable table = {0};
    const GrColumn first[] = {{"joint", "joint", 0, 0},
                              {"force_N", "|F| [N]", 1, 4},
                              {"force_time_s", "at [s]", 1, 4},
                              {"moment_Nm", "|M| [N m]", 1, 4},
                              {"moment_time_s", "at [s]", 1, 4}};
    gr_table_columns(&table, first, 5);
    for (int k = 0; k < GR_LOAD_COMPONENTS; k++) {
        gr_table_columns(&table, &(GrColumn){gr_load_components[k].name, gr_load_components[k].head, 1, 3}, 1);
    }
    gr_table_columns(&table, &(GrColumn){"acceleration_m_per_s2", "a [m/s²]", 1, 3}, 1);
    for (int i = 0; i < loads->joint_count; i++) {
        const GrJointLoads *joint = &loads->joints[i];
        gr_table_text(&table, joint->name);
        gr_table_value(&table, gr_load_force(&joint->force));
        gr_table_value(&table, joint->force.time);
        gr_table_value(&table, gr_load_moment(&joint->moment));
        gr_table_value(&table, joint->moment.time);
        for (int k = 0; k < GR_LOAD_COMPONENTS; k++) {
            const double high = joint->highest[k].value[k], low = joint->lowest[k].value[k];
            gr_table_value(&table, high >= -low ? high : low);
        }
        gr_table_value(&table, gr_load_force(&joint->felt));
    }
    return table;
}

static void add_case(GrTable *table, const char *joint, const char *extreme, const GrLoadCase *c, double value)
{
    gr_table_text(table, joint);
    gr_table_text(table, extreme);
    gr_table_value(table, value);
    gr_table_value(table, c->time);
    gr_table_values(table, c->value, GR_LOAD_COMPONENTS);
}

/// Load cases: every extreme with its time and all components then.
static GrTable envelope_of(const GrRunLoads *loads)
{
    GrTable table = {0};
    const GrColumn first[] = {
        {"joint", "joint", 0, 0}, {"extreme", "extreme", 0, 0}, {"value", "value", 1, 5}, {"time_s", "time [s]", 1, 5}};
    gr_table_columns(&table, first, 4);
    for (int k = 0; k < GR_LOAD_COMPONENTS; k++) {
        gr_table_columns(&table, &(GrColumn){gr_load_components[k].name, gr_load_components[k].head, 1, 4}, 1);
    }
    for (int i = 0; i < loads->joint_count; i++) {
        const GrJointLoads *joint = &loads->joints[i];
        for (int k = 0; k < GR_LOAD_COMPONENTS; k++) {
            char name[32];
            snprintf(name, sizeof name, "max %.2s", gr_load_components[k].name);
            add_case(&table, joint->name, name, &joint->highest[k], joint->highest[k].value[k]);
            snprintf(name, sizeof name, "min %.2s", gr_load_components[k].name);
            add_case(&table, joint->name, name, &joint->lowest[k], joint->lowest[k].value[k]);
        }
        add_case(&table, joint->name, "max force", &joint->force, gr_load_force(&joint->force));
        add_case(&table, joint->name, "max moment", &joint->moment, gr_load_moment(&joint->moment));
    }
    return table;
}

static double largest_range(const GrJointLoads *joint, int k)
{
    double largest = 0;
    for (int i = 0; i < joint->cycle_count[k]; i++) {
        largest = fmax(largest, joint->cycles[k][i].range);
    }
    return largest;
}

/// Cycles in bins of equal width up to the largest range: the load spectrum.
static GrTable spectrum_of(const GrRunLoads *loads)
{
    GrTable table = {0};
    const GrColumn columns[] = {{"joint", "joint", 0, 0},          {"component", "component", 0, 0},
                                {"range_low", "range from", 1, 4}, {"range_high", "to", 1, 4},
                                {"mean", "mean load", 1, 4},       {"cycles", "cycles", 1, 6}};
    gr_table_columns(&table, columns, sizeof columns / sizeof columns[0]);
    for (int i = 0; i < loads->joint_count; i++) {
        const GrJointLoads *joint = &loads->joints[i];
        for (int k = 0; k < GR_LOAD_COMPONENTS; k++) {
            const double width = largest_range(joint, k) / BINS;
            double count[BINS] = {0}, mean[BINS] = {0};
            for (int c = 0; c < joint->cycle_count[k] && width > 0; c++) {
                const GrCycle *cycle = &joint->cycles[k][c];
                const int bin = (int)fmin(BINS - 1, cycle->range / width);
                count[bin] += cycle->count;
                mean[bin] += cycle->count * cycle->mean;
            }
            for (int b = 0; b < BINS; b++) {
                if (count[b] > 0) {
                    gr_table_text(&table, joint->name);
                    gr_table_text(&table, gr_load_components[k].name);
                    gr_table_values(&table, (double[]){b * width, (b + 1) * width, mean[b] / count[b], count[b]}, 4);
                }
            }
        }
    }
    return table;
}

/// One row a joint: the range of one cycle that does the damage of all.
static GrTable fatigue_of(const GrRunLoads *loads, double exponent)
{
    GrTable table = {0};
    gr_table_columns(&table, &(GrColumn){"joint", "joint", 0, 0}, 1);
    for (int k = 0; k < GR_LOAD_COMPONENTS; k++) {
        gr_table_columns(&table, &(GrColumn){gr_load_components[k].name, gr_load_components[k].head, 1, 4}, 1);
    }
    gr_table_columns(&table, &(GrColumn){"cycles", "cycles of Fz", 1, 6}, 1);
    for (int i = 0; i < loads->joint_count; i++) {
        const GrJointLoads *joint = &loads->joints[i];
        double cycles = 0;
        gr_table_text(&table, joint->name);
        for (int k = 0; k < GR_LOAD_COMPONENTS; k++) {
            gr_table_value(&table, gr_equivalent_range(joint->cycles[k], joint->cycle_count[k], exponent, 1));
        }
        for (int c = 0; c < joint->cycle_count[GR_LOAD_FZ]; c++) {
            cycles += joint->cycles[GR_LOAD_FZ][c].count;
        }
        gr_table_value(&table, cycles);
    }
    return table;
}

// ---- the answer

static const GrJointLoads *most_loaded(const GrRunLoads *loads, double (*size)(const GrLoadCase *), bool moment)
{
    const GrJointLoads *most = &loads->joints[0];
    for (int i = 1; i < loads->joint_count; i++) {
        const GrJointLoads *joint = &loads->joints[i];
        most =
            size(moment ? &joint->moment : &joint->force) > size(moment ? &most->moment : &most->force) ? joint : most;
    }
    return most;
}

static void add_answer(const GrRunLoads *loads, GrPage *page)
{
    const GrJointLoads *force = most_loaded(loads, gr_load_force, false);
    const GrJointLoads *moment = most_loaded(loads, gr_load_moment, true);
    gr_page_text(page, "Largest force %s in %s at %.4g s, largest moment %s in %s at %.4g s.",
                 gr_show(gr_load_force(&force->force), 4, "N").text, force->name, force->force.time,
                 gr_show(gr_load_moment(&moment->moment), 4, "N m").text, moment->name, moment->moment.time);
    const double *felt = loads->body.value;
    gr_page_text(page,
                 "Chassis: largest acceleration without gravity %.3g m/s² at %.4g s (x %.3g, y %.3g, z %.3g), angular "
                 "%.3g rad/s² at %.4g s.",
                 gr_load_force(&loads->body), loads->body.time, felt[0], felt[1], felt[2],
                 gr_load_moment(&loads->turning), loads->turning.time);
    if (loads->missed > MISSED) {
        gr_page_text(page,
                     "Doubtful: with every second sample left out the peak of %s is %.0f %% lower, so that peaks "
                     "between samples (every %s) may be higher. Repeat the run with --set record.rate_Hz=%.0f.",
                     loads->missed_joint, 100 * loads->missed, gr_show(1000 * loads->interval, 3, "ms").text,
                     fmin(10000, 10 / loads->interval));
    }
}

/// The load over time, and the cumulative spectrum: how many cycles have at least a range.
static void add_figures(const GrRunLoads *loads, GrPage *page)
{
    const GrJointLoads *joint = most_loaded(loads, gr_load_force, false);
    GrSeries lines[3] = {{0}}, steps[3] = {{0}};
    double range[3][CURVE + 1], count[3][CURVE + 1];
    char titles[2][128];
    for (int k = 0; k < 3; k++) {
        const double top = largest_range(joint, k);
        for (int i = 0; i <= CURVE; i++) {
            range[k][i] = top * i / CURVE;
            count[k][i] = 0;
            for (int c = 0; c < joint->cycle_count[k]; c++) {
                count[k][i] += joint->cycles[k][c].range >= range[k][i] ? joint->cycles[k][c].count : 0;
            }
            count[k][i] = log10(fmax(0.5, count[k][i]));
        }
        lines[k] = (GrSeries){
            .name = gr_load_components[k].head, .x = loads->time, .y = joint->series[k], .count = loads->count};
        steps[k] = (GrSeries){.name = gr_load_components[k].head, .x = count[k], .y = range[k], .count = CURVE + 1};
    }
    snprintf(titles[0], sizeof titles[0], "force in %s", joint->name);
    snprintf(titles[1], sizeof titles[1], "cycles of %s", joint->name);
    const GrPanel panels[] = {{.title = titles[0],
                               .x_label = "time [s]",
                               .y_label = "force [N]",
                               .series = lines,
                               .series_count = 3,
                               .zero_line = true},
                              {.title = titles[1],
                               .x_label = "log10 of the cycles with at least this range",
                               .y_label = "range [N]",
                               .series = steps,
                               .series_count = 3}};
    gr_page_panels(page, panels, 2, "The joint with the largest force. Rainflow cycles by ASTM E1049.");
}

static void describe(const LoadsOptions *o, const GrRunLoads *loads, GrPage *page)
{
    char subtitle[1200];
    snprintf(subtitle, sizeof subtitle, "%.900s: %d samples from %.4g to %.4g s", o->folder, loads->count,
             loads->time[0], loads->time[loads->count - 1]);
    gr_page_begin(page, "Loads of joints", subtitle);
    add_answer(loads, page);
    GrTable table = summary_of(loads);
    gr_page_section(page, "Largest of each component");
    gr_page_table(page, &table);
    gr_page_text(page, "Force and moment of the parent on the child at the joint, in joint axes: the joint's frame at "
                       "position 0, fixed in the parent. a: acceleration of the child there, without gravity.");
    table = fatigue_of(loads, o->exponent);
    gr_page_section(page, "One cycle with the damage of all (rainflow, exponent %g)", o->exponent);
    gr_page_table(page, &table);
    page->place = GR_PLACE_PAGE;
    add_figures(loads, page);
    gr_page_section(page, "Load cases");
    table = envelope_of(loads);
    gr_page_table(page, &table);
    gr_page_section(page, "Spectra");
    table = spectrum_of(loads);
    gr_page_table(page, &table);
}

static void print_json(const LoadsOptions *o, const GrRunLoads *loads)
{
    GrJson json = gr_json_to_file(stdout, true);
    const struct {
        const char *key;
        GrTable table;
    } tables[] = {{"joints", summary_of(loads)},
                  {"cases", envelope_of(loads)},
                  {"equivalent_ranges", fatigue_of(loads, o->exponent)},
                  {"spectra", spectrum_of(loads)}};
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "run", o->folder);
    gr_json_integer(&json, "samples", loads->count);
    gr_json_number(&json, "interval_s", loads->interval);
    gr_json_number(&json, "missed_peak", loads->missed);
    gr_json_number(&json, "chassis_acceleration_m_per_s2", gr_load_force(&loads->body));
    gr_json_number(&json, "chassis_acceleration_time_s", loads->body.time);
    gr_json_number(&json, "chassis_angular_acceleration_rad_per_s2", gr_load_moment(&loads->turning));
    gr_json_number(&json, "exponent", o->exponent);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        GrTable table = tables[i].table;
        gr_table_json(&table, tables[i].key, &json);
        gr_table_free(&table);
    }
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}

static GrStatus write_table(const char *path, GrTable table, bool json, GrErrorLog *log)
{
    GrBuffer text = {0};
    if (path != NULL) {
        gr_table_csv(&table, &text);
    }
    gr_table_free(&table);
    return path != NULL ? gr_report_file(path, &text, json, log) : GR_OK;
}

static GrStatus answer(const LoadsOptions *o, const GrRunLoads *loads, GrErrorLog *log)
{
    GrPage page = {0};
    describe(o, loads, &page);
    if (o->json) {
        print_json(o, loads);
    } else {
        gr_page_print(&page, stdout);
    }
    GrStatus status = write_table(o->csv, envelope_of(loads), o->json, log);
    status = status == GR_OK ? write_table(o->cycles, spectrum_of(loads), o->json, log) : status;
    if (o->html == NULL || status != GR_OK) {
        gr_page_free(&page);
        return status;
    }
    return gr_report_page(o->html, &page, o->json, log);
}

static int run(int argc, char **argv)
{
    LoadsOptions o = {.from = 0, .to = INFINITY, .exponent = 3};
    GrErrorLog log = {0};
    int exit_code;
    const GrOption options[] = {
        {.name = "joint", .value = "NAME", .text = &o.joint, .help = "this joint alone"},
        {.name = "from", .value = "S", .number = &o.from, .help = "from this time on [s]"},
        {.name = "to", .value = "S", .number = &o.to, .help = "up to this time [s]"},
        {.name = "exponent", .value = "M", .number = &o.exponent, .help = "of the S-N line; default 3"},
        {.name = "csv",
         .value = "FILE",
         .text = &o.csv,
         .help = "write the load cases: every extreme, and the rest then"},
        {.name = "cycles", .value = "FILE", .text = &o.cycles, .help = "write the spectra: cycles by range"},
        {.name = "html", .value = "FILE", .text = &o.html, .help = "write a page with all tables and plots"},
        {.name = "json", .flag = &o.json, .help = "print JSON"},
    };
    if (gr_options_parse(&gr_command_loads, options, (int)(sizeof options / sizeof options[0]), argc, argv, &o.folder,
                         1, 1, &exit_code) < 0) {
        return exit_code;
    }
    if (!(o.exponent >= 1 && o.exponent <= 20) || !(o.from < o.to)) {
        gr_report_error("loads: --exponent is 1 to 20, and --from is less than --to");
        return GR_EXIT_INPUT;
    }
    GrRunLoads loads;
    const GrRunLoadsDef def = {o.joint, o.from, o.to};
    GrStatus status = gr_run_loads_read(o.folder, &def, &loads, &log);
    if (status == GR_OK) {
        status = answer(&o, &loads, &log);
        gr_run_loads_free(&loads);
    }
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_command_loads = {
    .name = "loads",
    .summary = "what the joints of a finished run carried: envelopes and cycles",
    .usage = "loads RUN_DIR [--joint NAME] [--from S] [--to S] [--exponent M] [--csv FILE] [--cycles FILE] ...",
    .details =
        "Largest force and moment of every joint in joint axes, each with its time and the other components then "
        "(load\ncases), rainflow cycles by ASTM E1049 for fatigue, and accelerations. Says where samples are too "
        "far apart.",
    .example =
        "  grouser run crossing\n  grouser loads crossing.run --csv cases.csv --cycles spectra.csv --html loads.html",
    .run = run,
};
