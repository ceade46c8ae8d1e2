#include "wheel_study.h"

#include "alloc.h"
#include "number.h"
#include "options.h"
#include "out_of_memory.h"
#include "report.h"

#include <math.h>
#include <string.h>

enum { VALUES_MAX = 10000 };

static int fail_values(const char *option, const char *text, const char *reason, GrErrorLog *log)
{
    gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = option},
                 "'%.80s' %s; allowed: one number, a list a,b,c, or from:to:count", text, reason);
    return -1;
}

/// "from:to:count"
static int read_range(const char *option, const char *text, double *values, GrErrorLog *log)
{
    double from, to, count;
    char copy[128], *second = NULL, *third = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    second = strchr(copy, ':');
    *second++ = '\0';
    third = strchr(second, ':');
    if (third == NULL) {
        return fail_values(option, text, "lacks the count of a range", log);
    }
    *third++ = '\0';
    if (!gr_options_number(copy, &from) || !gr_options_number(second, &to) || !gr_options_number(third, &count) ||
        count != floor(count) || count < 1 || count > VALUES_MAX) {
        return fail_values(option, text, "is not a range", log);
    }
    for (int i = 0; i < (int)count; i++) {
        // 0.3, not 0.30000000000000004
        values[i] = count > 1 ? round(1e12 * (from + (to - from) * i / (count - 1))) / 1e12 : from;
    }
    return (int)count;
}

static int read_list(const char *option, const char *text, double *values, GrErrorLog *log)
{
    int count = 0;
    for (const char *at = text;;) {
        char cell[64];
        const size_t length = strcspn(at, ",");
        snprintf(cell, sizeof cell, "%.*s", (int)(length < 63 ? length : 63), at);
        if (count == VALUES_MAX || !gr_options_number(cell, &values[count])) {
            return fail_values(option, text, "is not a list of numbers", log);
        }
        count++;
        if (at[length] == '\0') {
            return count;
        }
        at += length + 1;
    }
}

int gr_wheel_values(const char *option, const char *text, double lower, double upper, double scale, double **out,
                    GrErrorLog *log)
{
    *out = gr_calloc(VALUES_MAX, sizeof **out);
    if (*out == NULL) {
        gr_out_of_memory(log, NULL);
        return -1;
    }
    const int count =
        strchr(text, ':') != NULL ? read_range(option, text, *out, log) : read_list(option, text, *out, log);
    for (int i = 0; i < count; i++) {
        if (!((*out)[i] >= lower && (*out)[i] <= upper)) {
            gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = option}, "%g is out of range; allowed: %g to %g",
                         (*out)[i], lower, upper);
            return -1;
        }
        (*out)[i] *= scale;
    }
    return count;
}

void gr_wheel_describe(const GrRigDef *def, char *out, size_t size)
{
    char r[GR_NUMBER_SIZE], b[GR_NUMBER_SIZE], amount[GR_NUMBER_SIZE], lugs[64] = "";
    gr_number_round(def->wheel.radius, 4, r);
    gr_number_round(def->wheel.width, 4, b);
    gr_number_round(def->by_sinkage ? 1000 * def->sinkage : def->load, 4, amount);
    if (def->wheel.grouser_count > 0 && def->wheel.grouser_height > 0) {
        static const char *const how[] = {" (ignored)", "", " (each acts)"};
        char height[GR_NUMBER_SIZE];
        gr_number_round(1000 * def->wheel.grouser_height, 4, height);
        snprintf(lugs, sizeof lugs, ", %d grousers of %s mm%s", def->wheel.grouser_count, height,
                 how[def->wheel.grousers]);
    }
    snprintf(out, size, "wheel r = %s m, b = %s m%s; %s %s %s%s", r, b, lugs, def->by_sinkage ? "sinkage" : "load",
             amount, def->by_sinkage ? "mm" : "N", def->dynamic ? "; dynamic" : "");
}

static void count_flags(GrWheelRun *run, const GrRigPoint *point)
{
    run->missing += point->status != GR_OK;
    for (int i = 0; i < GR_FLAG_COUNT; i++) {
        run->flag_counts[i] += point->status == GR_OK && (point->flags >> i & 1) != 0;
    }
}

/// The law at the conditions of each measured point, at its own load where that was measured.
static void compare(const GrWheelStudy *study, GrWheelRun *run)
{
    for (int i = 0; i < study->data.count; i++) {
        const GrWheelDatum *datum = &study->data.items[i];
        GrRig rig = run->rig;
        GrRigPoint p;
        rig.def.dynamic = false;
        const double fz = datum->value[GR_FZ], angle = datum->value[GR_SLIP_ANGLE];
        rig.def.load = isfinite(fz) && !rig.def.by_sinkage ? fz : rig.def.load;
        if (fabs(angle) > 1.57 || gr_rig_point(&rig, datum->value[GR_SLIP], angle, &p) != GR_OK) {
            continue;
        }
        const double ours[GR_QUANTITIES] = {
            [GR_SINKAGE] = p.sinkage, [GR_FX] = p.f_x, [GR_FY] = p.f_y, [GR_FZ] = p.f_z, [GR_TORQUE] = p.torque};
        for (int q = GR_SINKAGE; q < GR_QUANTITIES; q++) {
            const double difference = ours[q] - datum->value[q];
            if (isfinite(difference)) {
                run->misfit.rms[q] += difference * difference;
                run->misfit.count[q]++;
            }
        }
    }
    for (int q = 0; q < GR_QUANTITIES; q++) {
        const int n = run->misfit.count[q];
        run->misfit.rms[q] = n > 0 ? sqrt(run->misfit.rms[q] / n) : (double)NAN;
    }
}

void gr_wheel_sweep(const GrWheelStudy *study, const GrRig *rig, GrRigPoint *points, GrRigFeatures *features,
                    GrProgress *bar, double done)
{
    const int ns = study->slip_count, na = study->angle_count;
    double from = study->slips[0], to = study->slips[0];
    for (int j = 1; j < ns; j++) {
        from = fmin(from, study->slips[j]);
        to = fmax(to, study->slips[j]);
    }
    if (from == to) {
        from = 0; // a single slip is not a range
        to = 0.99;
    }
    for (int i = 0; i < na; i++) {
        for (int j = 0; j < ns; j++) {
            gr_rig_point(rig, study->slips[j], study->angles[i], &points[i * ns + j]);
            if (bar != NULL) {
                gr_progress_update(bar, done + i * ns + j, (double)study->run_count * na * ns);
            }
        }
        if (ns == 1 && gr_rig_on_grid(rig)) { // the search takes a hundred times as long as the point
            features[i] = gr_rig_no_features();
        } else {
            gr_rig_features(rig, study->angles[i], from, to, &features[i]);
        }
    }
}

static GrStatus run_one(GrWheelStudy *study, GrWheelRun *run, GrProgress *progress, double done)
{
    const int count = study->slip_count * study->angle_count;
    run->points = gr_calloc((size_t)count, sizeof *run->points);
    run->features = gr_calloc((size_t)study->angle_count, sizeof *run->features);
    if (run->points == NULL || run->features == NULL) {
        return GR_ERROR_MEMORY;
    }
    gr_wheel_sweep(study, &run->rig, run->points, run->features, progress, done);
    for (int i = 0; i < count; i++) {
        count_flags(run, &run->points[i]);
    }
    compare(study, run);
    return GR_OK;
}

GrStatus gr_wheel_study_run(GrWheelStudy *study, GrErrorLog *log)
{
    GrProgress progress = gr_progress_begin("wheel");
    const int per_run = study->angle_count * study->slip_count;
    GrStatus status = GR_OK;
    int missing = 0;
    for (int i = 0; i < study->run_count && status == GR_OK; i++) {
        status = run_one(study, &study->runs[i], &progress, (double)i * per_run);
        missing += study->runs[i].missing;
    }
    gr_progress_end(&progress);
    if (status != GR_OK) {
        return gr_out_of_memory(log, NULL);
    }
    if (missing == study->run_count * per_run) {
        return gr_error_add(log, GR_ERROR_NOT_CONVERGED, (GrLocation){0},
                            "no point has an equilibrium: no sinkage up to the wheel's diameter carries %g N",
                            study->runs[0].rig.def.load);
    }
    return study->sample_count > 0 ? gr_wheel_bands(study, log) : GR_OK;
}

void gr_wheel_study_free(GrWheelStudy *study)
{
    for (int i = 0; i < study->run_count; i++) {
        GrWheelRun *run = &study->runs[i];
        void *const owned[] = {run->points, run->features, run->samples,      run->sample_features,
                               run->low,    run->high,     run->features_low, run->features_high};
        for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) {
            gr_free(owned[k]);
        }
    }
    gr_free(study->slips);
    gr_free(study->angles);
    gr_wheel_data_free(&study->data);
    gr_wheel_surface_free(study->surface);
    gr_side_wall_free(study->side);
    *study = (GrWheelStudy){0};
}
