#include "run_summary.h"

#include "alloc.h"
#include "elementary.h"
#include "file.h"
#include "grouser/version.h"
#include "model_data.h"
#include "out_of_memory.h"
#include "run_tables.h"

#include <inttypes.h>

static void put_warnings(GrJson *json, const GrRunSummary *s)
{
    gr_json_begin_array(json, "warnings");
    for (int i = 0; i < s->warning_count; i++) {
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "text", s->warnings[i].text);
        gr_json_integer(json, "count", s->warnings[i].count);
        gr_json_number(json, "first_s", s->warnings[i].first);
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void put_wheels(GrJson *json, const GrModel *model, const GrRunSummary *s)
{
    gr_json_begin_array(json, "wheels");
    for (int i = 0; i < s->wheel_count; i++) {
        const GrWheelSummary *w = &s->wheels[i];
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "name", gr_model_wheel_name(model, i));
#define GR_WHEEL_NUMBER(member, name, unit, text, scale, of, event) gr_json_number(json, #name, w->member);
        GR_WHEEL_NUMBER_LIST(GR_WHEEL_NUMBER)
#undef GR_WHEEL_NUMBER
        gr_json_begin_array(json, "states");
        for (int k = 0; k < GR_CONTACT_MODE_COUNT; k++) {
            if (w->state_entries[k] > 0) {
                gr_json_begin_object(json, NULL);
                gr_json_string(json, "state", gr_contact_mode_text((GrContactMode)k));
                gr_json_number(json, "time_s", w->state_time[k]);
                gr_json_integer(json, "entries", w->state_entries[k]);
                gr_json_end(json);
            }
        }
        gr_json_end(json);
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void put_way_points(GrJson *json, const GrRunSummary *s)
{
    gr_json_begin_array(json, "way_points");
    for (int i = 0; i < s->way_point_count; i++) {
        const GrArrival *a = &s->way_points[i];
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "state", gr_arrival_name(a->state));
        gr_json_number(json, "x_m", a->point.x);
        gr_json_number(json, "y_m", a->point.y);
        gr_json_number(json, "asked_s", a->point.time);
        gr_json_number(json, "arrived_s", a->time);
        gr_json_number(json, "late_s", a->time - a->point.time);
        gr_json_number(json, "off_m", a->off);
        gr_json_number(json, "distance_m", a->distance);
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void put_self_contacts(GrJson *json, const GrRunSummary *s)
{
    gr_json_begin_array(json, "self_contacts");
    for (int i = 0; i < s->self_contact_count; i++) {
        const GrSelfContact *c = &s->self_contacts[i];
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "a", c->a);
        gr_json_string(json, "b", c->b);
        gr_json_number(json, "first_s", c->first);
        gr_json_number(json, "time_s", c->time);
        gr_json_number(json, "force_max_N", c->force_max);
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void put_energy(GrJson *json, const GrEnergySample *energy)
{
    gr_json_begin_object(json, "energy");
#define GR_SUMMARY_ENERGY(member, name, text) gr_json_number(json, #name, energy->member);
    GR_SUMMARY_ENERGY_LIST(GR_SUMMARY_ENERGY)
#undef GR_SUMMARY_ENERGY
    gr_json_end(json);
}

static void put_localisation(GrJson *json, const GrLocalisationSummary *s)
{
    if (!s->given) {
        return;
    }
    gr_json_begin_object(json, "localisation");
    gr_json_number(json, "error_m", s->end.error);
    gr_json_number(json, "error_3sigma_m", 3 * s->end.sigma);
    gr_json_number(json, "error_max_m", s->error_max);
    gr_json_number(json, "error_rms_m", s->error_rms);
    gr_json_number(json, "error_up_m", s->end.error_up);
    gr_json_number(json, "heading_error_deg", s->end.heading_error / GR_DEGREE);
    gr_json_number(json, "heading_3sigma_deg", 3 * s->end.heading_sigma / GR_DEGREE);
    gr_json_number(json, "beyond_3sigma", s->beyond);
    gr_json_number(json, "nees_mean", s->nees_mean);
    gr_json_number(json, "delay_s", s->end.delay);
    gr_json_integer(json, "used", s->used);
    gr_json_integer(json, "rejected", s->rejected);
    gr_json_end(json);
}

static void put_supply(GrJson *json, const GrSupplySummary *supply)
{
    if (!supply->given) {
        return;
    }
    gr_json_begin_object(json, "supply");
    gr_json_number(json, "light_mean", supply->light_mean);
    gr_json_number(json, "dark_longest_s", supply->dark_longest);
    gr_json_number(json, "solar_J", supply->solar);
    gr_json_number(json, "wasted_J", supply->wasted);
    gr_json_number(json, "load_J", supply->load);
    gr_json_number(json, "drives_J", supply->drives);
    gr_json_number(json, "battery_capacity_Wh", supply->capacity / 3600);
    gr_json_number(json, "battery_start_Wh", supply->charge_start / 3600);
    gr_json_number(json, "battery_end_Wh", supply->charge_end / 3600);
    gr_json_number(json, "battery_min_Wh", supply->charge_min / 3600);
    gr_json_end(json);
}

static void put_outcome(GrJson *json, const GrRunSummary *s)
{
    gr_json_string(json, "outcome", gr_outcome_name(s->outcome));
    gr_json_string(json, "outcome_text", gr_outcome_text(s->outcome));
    gr_json_string(json, "cause", s->cause);
    gr_json_number(json, "outcome_time_s", s->outcome_time);
    gr_json_number(json, "time_s", s->time);
    gr_json_number(json, "wall_time_s", s->wall_time);
    gr_json_number(json, "real_time_factor", s->real_time_factor);
    if (s->outcome == GR_OUTCOME_RUNNING && s->state_hash == 0) { // only samples are known
        gr_json_null(json, "state_hash");
        return;
    }
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, s->state_hash);
    gr_json_string(json, "state_hash", hash);
    gr_json_string(json, "bits", gr_bits());
}

static void put_motion(GrJson *json, const GrRunSummary *s)
{
#define GR_SUMMARY_NUMBER(member, name, unit, factor, text, scale, event)                                              \
    gr_json_number(json, #name, (factor)*s->member);
    GR_SUMMARY_NUMBER_LIST(GR_SUMMARY_NUMBER)
#undef GR_SUMMARY_NUMBER
    gr_json_integer(json, "way_points_reached", s->way_points_reached);
}

static void put_all(GrJson *json, const GrRunHead *head, const GrRunSummary *s)
{
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "name", head->name != NULL ? head->name : "");
    gr_json_string(json, "title", head->title != NULL ? head->title : "");
    gr_json_string(json, "rover", gr_model_name(head->model));
    put_outcome(json, s);
    put_motion(json, s);
    gr_json_integer(json, "steps", s->steps);
    gr_json_number(json, "step_min_s", s->step_min);
    gr_json_number(json, "step_max_s", s->step_max);
    put_energy(json, &s->energy);
    put_supply(json, &s->supply);
    put_localisation(json, &s->localisation);
    gr_json_number(json, "energy_per_metre_J_per_m", s->energy_per_metre);
    put_warnings(json, s);
    put_way_points(json, s);
    put_wheels(json, head->model, s);
    put_self_contacts(json, s);
    gr_trust_json(json, "trust", head->trust);
    if (head->bands != NULL && head->bands->samples > 0) {
        gr_run_bands_json(head->bands, s, json);
    }
    if (head->more != NULL) {
        head->more(head->context, json);
    }
    gr_json_end(json);
}

GrStatus gr_run_summary_format(const GrRunHead *head, const GrRunSummary *summary, GrBuffer *out)
{
    GrJson json = gr_json_to_buffer(out, true);
    put_all(&json, head, summary);
    return gr_json_finish(&json);
}

GrStatus gr_run_summary_print(const GrRunHead *head, const GrRunSummary *summary, FILE *file)
{
    GrJson json = gr_json_to_file(file, true);
    put_all(&json, head, summary);
    return gr_json_finish(&json);
}

GrStatus gr_run_summary_save(const GrRunHead *head, const GrRunSummary *summary, const char *path, GrErrorLog *log)
{
    GrBuffer text = {0};
    GrStatus status = gr_run_summary_format(head, summary, &text);
    if (status == GR_OK) {
        status = gr_file_write(path, text.data, text.size, log);
    } else {
        gr_out_of_memory(log, path);
    }
    gr_buffer_free(&text);
    return status;
}

// ---- the summary so far

bool gr_run_totals_init(GrRunTotals *totals, const GrModel *model)
{
    const size_t count = (size_t)model->wheel_count + 1;
    const GrVec3 gravity = model->tree.gravity;
    *totals = (GrRunTotals){.model = model,
                            .sums = gr_calloc(count, sizeof *totals->sums),
                            .changes = gr_calloc(count, sizeof *totals->changes),
                            .states = gr_calloc(count, sizeof *totals->states),
                            .up = gr_norm(gravity) > 0 ? gr_normalize(gr_neg(gravity)) : gr_vec3(0, 0, 1)};
    totals->summary.wheels = gr_calloc(count, sizeof *totals->summary.wheels);
    totals->summary.wheel_count = model->wheel_count;
    if (totals->sums == NULL || totals->changes == NULL || totals->states == NULL || totals->summary.wheels == NULL) {
        gr_run_totals_free(totals);
        return false;
    }
    return true;
}

void gr_run_totals_free(GrRunTotals *totals)
{
    gr_free(totals->sums);
    gr_free(totals->changes);
    gr_free(totals->states);
    gr_run_summary_free(&totals->summary);
    *totals = (GrRunTotals){0};
}

void gr_run_totals_add(GrRunTotals *totals, const GrSample *sample)
{
    GrRunSummary *s = &totals->summary;
    const GrVec3 at = sample->pose.position;
    const double dt = totals->count > 0 ? sample->time - s->time : 0;
    if (totals->count == 0) {
        totals->start = at;
        totals->climbs.last = gr_dot(at, totals->up);
    }
    for (int i = 0; i < s->wheel_count; i++) {
        gr_wheel_sums_add(&totals->sums[i], totals->model, i, &sample->wheels[i], dt);
        totals->changes[i] += totals->count > 0 && totals->states[i] != sample->wheels[i].state;
        totals->states[i] = sample->wheels[i].state;
    }
    gr_climb_sums_add(&totals->climbs, gr_dot(at, totals->up));
    totals->span += dt;
    totals->count++;
    s->time = s->outcome_time = sample->time;
    s->distance = sample->distance;
    s->progress = gr_hypot(at.x - totals->start.x, at.y - totals->start.y);
    s->roll_max = fmax(s->roll_max, fabs(sample->roll));
    s->pitch_max = fmax(s->pitch_max, fabs(sample->pitch));
    s->cross_track_max = fmax(s->cross_track_max, fabs(sample->cross_track));
    s->odometry_error = gr_hypot(sample->odometry.x - at.x, sample->odometry.y - at.y);
    s->energy = sample->energy;
    s->way_points_reached = sample->way_point;
    if (sample->step > 0) { // none before the first
        s->step_min = s->step_min > 0 ? fmin(s->step_min, sample->step) : sample->step;
        s->step_max = fmax(s->step_max, sample->step);
    }
}

const GrRunSummary *gr_run_totals_finish(GrRunTotals *totals, double wall_time)
{
    GrRunSummary *s = &totals->summary;
    for (int i = 0; i < s->wheel_count; i++) {
        s->wheels[i] = gr_wheel_sums_result(&totals->sums[i], totals->span);
        s->wheels[i].chatter = totals->span > 0 ? (double)totals->changes[i] / totals->span : 0;
    }
    s->climb = totals->climbs.climb;
    s->descent = totals->climbs.descent;
    s->energy_per_metre = s->distance > 0 ? s->energy.electric / s->distance : (double)NAN;
    s->wall_time = wall_time;
    s->real_time_factor = wall_time > 0 ? s->time / wall_time : 0;
    return s;
}
