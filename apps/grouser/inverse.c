/// grouser inverse: the torques that a motion of the rover's joints and chassis needs.
#include "alloc.h"
#include "grouser/analysis.h"
#include "grouser/scenario.h"
#include "options.h"
#include "out_of_memory.h"
#include "report.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

enum { WRENCH = 6, NAME = 2 * GR_NAME_SIZE };

typedef struct InverseOptions {
    const char *rover, *motion, *gravity_text, *out;
    double gravity;
    bool json;
} InverseOptions;

/// What one joint needs over the motion.
typedef struct Need {
    double torque, torque_time; ///< largest magnitude, with its sign
    double rms, rate, power;    ///< root mean square over time; largest magnitudes
    bool follows;
} Need;

static Need need_of(const GrInverseMotion *motion, int joint)
{
    Need need = {0};
    double square = 0;
    for (int i = 0; i < motion->count; i++) {
        const size_t at = (size_t)i * (size_t)motion->joint_count + (size_t)joint;
        const double torque = motion->torque[at], rate = motion->rate[at];
        need.follows = need.follows || isnan(torque);
        if (fabs(torque) > fabs(need.torque)) {
            need.torque = torque;
            need.torque_time = motion->time[i];
        }
        need.rate = fmax(need.rate, fabs(rate));
        need.power = fmax(need.power, torque * rate);
        const double before = i > 0 ? motion->time[i] - motion->time[i - 1] : 0;
        const double after = i + 1 < motion->count ? motion->time[i + 1] - motion->time[i] : 0;
        square += torque * torque * (before + after) / 2;
    }
    need.rms = sqrt(square / (motion->time[motion->count - 1] - motion->time[0]));
    return need;
}

/// The torque limit of the joint's motor; INFINITY: none.
static double limit_of(const GrRoverDef *rover, const char *joint)
{
    for (int i = 0; i < rover->joint_count; i++) {
        if (strcmp(rover->joints[i].name, joint) == 0 && rover->joints[i].motor.kind != GR_MOTOR_NONE) {
            return rover->joints[i].motor.torque_limit;
        }
    }
    return INFINITY;
}

static GrTable table_of(const GrRoverDef *rover, const GrModel *m, const GrInverseMotion *motion)
{
    const GrColumn columns[] = {{"joint", "joint", 0, 0},
                                {"unit", "unit", 0, 0},
                                {"torque", "largest torque", 1, 5},
                                {"torque_time_s", "at [s]", 1, 5},
                                {"torque_rms", "rms", 1, 4},
                                {"limit_share", "of the motor's limit [%]", 100, 3},
                                {"rate", "largest rate [1/s]", 1, 4},
                                {"power_W", "largest power [W]", 1, 4}};
    GrTable table = {0};
    gr_table_columns(&table, columns, sizeof columns / sizeof columns[0]);
    for (int i = 0; i < motion->joint_count; i++) {
        const Need need = need_of(motion, i);
        const char *name = gr_model_joint_name(m, i);
        if (need.follows) {
            continue; // the joint that it follows has the torque of both
        }
        const double share = fabs(need.torque) / limit_of(rover, name);
        const double values[] = {need.torque, need.torque_time, need.rms, share > 0 ? share : (double)NAN,
                                 need.rate,   need.power};
        gr_table_text(&table, name);
        gr_table_text(&table, gr_model_joint_slides(m, i) ? "N" : "N m");
        gr_table_values(&table, values, 6);
    }
    return table;
}

/// Largest force that the chassis needs from outside.
static double base_force(const GrInverseMotion *motion)
{
    double most = 0;
    for (int i = 0; i < motion->count; i++) {
        const double *f = motion->base + (size_t)i * WRENCH;
        most = fmax(most, sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
    }
    return most;
}

static GrStatus write_rows(const InverseOptions *o, const GrModel *m, const GrInverseMotion *motion, GrErrorLog *log)
{
    static const char *const BASES[WRENCH] = {"fx_N", "fy_N", "fz_N", "mx_Nm", "my_Nm", "mz_Nm"};
    GrBuffer text = {0};
    gr_buffer_puts(&text, "time_s");
    for (int k = 0; k < WRENCH; k++) {
        gr_buffer_printf(&text, ",chassis.%s", BASES[k]);
    }
    for (int i = 0; i < motion->joint_count; i++) {
        gr_buffer_printf(&text, ",joint.%s.%s", gr_model_joint_name(m, i),
                         gr_model_joint_slides(m, i) ? "force_N" : "torque_Nm");
    }
    for (int k = 0; k < motion->count; k++) {
        gr_buffer_printf(&text, "\n%.9g", motion->time[k]);
        for (int i = 0; i < WRENCH; i++) {
            gr_buffer_printf(&text, ",%.9g", motion->base[(size_t)k * WRENCH + (size_t)i]);
        }
        for (int i = 0; i < motion->joint_count; i++) {
            const double torque = motion->torque[(size_t)k * (size_t)motion->joint_count + (size_t)i];
            if (isnan(torque)) {
                gr_buffer_puts(&text, ",");
            } else {
                gr_buffer_printf(&text, ",%.9g", torque);
            }
        }
    }
    gr_buffer_puts(&text, "\n");
    return gr_report_file(o->out, &text, o->json, log);
}

static GrStatus print_answer(const InverseOptions *o, const GrRoverDef *rover, const GrModel *m,
                             const GrInverseMotion *motion, GrErrorLog *log)
{
    GrTable table = table_of(rover, m, motion);
    int most = -1;
    Need largest = {0};
    for (int i = 0; i < motion->joint_count; i++) {
        const Need need = need_of(motion, i);
        if (!need.follows && !gr_model_joint_slides(m, i) && (most < 0 || fabs(need.torque) > fabs(largest.torque))) {
            largest = need;
            most = i;
        }
    }
    if (o->json) {
        GrJson json = gr_json_to_file(stdout, true);
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "rover", o->rover);
        gr_json_string(&json, "motion", o->motion);
        gr_json_integer(&json, "samples", motion->count);
        gr_json_number(&json, "duration_s", motion->time[motion->count - 1] - motion->time[0]);
        gr_json_number(&json, "gravity_m_s2", o->gravity);
        gr_json_number(&json, "chassis_force_max_N", base_force(motion));
        gr_table_json(&table, "joints", &json);
        gr_json_end(&json);
        gr_json_finish(&json); // main() checks stdout
    } else {
        if (most >= 0) {
            printf("Largest torque %s in %s at %.4g s. From outside the chassis needs at most %s.\n\n",
                   gr_show(largest.torque, 4, "N m").text, gr_model_joint_name(m, most), largest.torque_time,
                   gr_show(base_force(motion), 4, "N").text);
        }
        gr_table_print(&table, stdout);
    }
    gr_table_free(&table);
    return o->out != NULL ? write_rows(o, m, motion, log) : GR_OK;
}

static GrStatus solve(const InverseOptions *o, GrErrorLog *log)
{
    GrRoverDef rover;
    GrModel *m = NULL;
    GrInverseMotion motion = {0};
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -o->gravity);
    GrStatus status = gr_rover_load(o->rover, NULL, &rover, log);
    if (status != GR_OK) {
        return status;
    }
    status = gr_model_create(&rover, &options, &m, log);
    status = status == GR_OK ? gr_inverse_motion(m, o->motion, &motion, log) : status;
    status = status == GR_OK ? print_answer(o, &rover, m, &motion, log) : status;
    gr_inverse_motion_free(&motion);
    gr_model_free(m);
    gr_rover_free(&rover);
    return status;
}

static int run(int argc, char **argv)
{
    InverseOptions o = {.gravity_text = "earth"};
    GrErrorLog log = {0};
    int exit_code;
    const GrOption options[] = {
        {.name = "motion", .value = "FILE", .text = &o.motion, .help = "CSV with the columns of run.csv (below)"},
        {.name = "gravity", .value = "NAME|NUMBER", .text = &o.gravity_text, .help = "default earth"},
        {.name = "output", .letter = 'o', .value = "FILE", .text = &o.out, .help = "write torques over time as CSV"},
        {.name = "json", .flag = &o.json, .help = "print JSON"},
    };
    if (gr_options_parse(&gr_command_inverse, options, (int)(sizeof options / sizeof options[0]), argc, argv, &o.rover,
                         1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrStatus status = gr_options_gravity(o.gravity_text, &o.gravity, &log);
    if (status == GR_OK && o.motion == NULL) {
        status = gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.field = "--motion"}, "is missing: the motion's file");
    }
    status = status == GR_OK ? solve(&o, &log) : status;
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_command_inverse = {
    .name = "inverse",
    .summary = "inverse dynamics: the torques that a motion needs",
    .usage = "inverse ROVER --motion FILE [--gravity NAME|NUMBER] [-o FILE] [--json]",
    .details =
        "The motion has time_s and any of x_m y_m z_m, qw qx qy qz of the chassis, joint.NAME.angle_deg or\n"
        "joint.NAME.position_m, external.BODY.fx_N … mz_Nm (from outside, at the body's origin, world axes). What\n"
        "is absent is at rest. Rates and accelerations are derivatives of these samples: smooth noisy ones first.\n"
        "Springs, dampers and friction of the joints are subtracted: the torque is what the motor supplies.",
    .example = "  grouser inverse curiosity_like --motion steer.csv --gravity mars -o torques.csv",
    .run = run,
    .arguments = "@rovers",
};
