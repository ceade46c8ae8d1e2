#include "fit_presses.h"

#include "alloc.h"
#include "number.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

GrStatus gr_fit_presses_load(const char *path, bool sized, GrFitReport *report, GrErrorLog *log)
{
    const GrSoilWheelDef *wheel = &report->def.rig.wheel;
    const GrPressBody size = {.kind = sized ? GR_PRESS_WHEEL : GR_PRESS_CIRCLE,
                              .radius = wheel->radius,
                              .width = wheel->width,
                              .grouser_count = wheel->grouser_count,
                              .grouser_height = wheel->grouser_height,
                              .grouser_thickness = wheel->grouser_thickness};
    const GrStatus status = gr_press_data_load(path, &size, &report->presses, log);
    if (status != GR_OK) {
        return status;
    }
    report->plates_path = path;
    report->press_role = gr_calloc((size_t)report->presses.count + 1, 1); // GR_FIT_USED is 0
    if (report->press_role == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    report->def.presses = &report->presses;
    report->def.press_role = report->press_role;
    return GR_OK;
}

bool gr_fit_presses_hold(const char *text, GrFitReport *report, GrStatus *status, GrErrorLog *log)
{
    const char *const names[] = {"body=", "box=", "trial="};
    int which = -1;
    for (int k = 0; k < 3; k++) {
        which = strncmp(text, names[k], strlen(names[k])) == 0 ? k : which;
    }
    if (which < 0) {
        return false;
    }
    *status = GR_OK;
    for (const char *at = text + strlen(names[which]); *at != '\0';) {
        const size_t length = strcspn(at, ",");
        int found = 0;
        for (int i = 0; i < report->presses.count; i++) {
            const GrPress *p = &report->presses.items[i];
            const char *value = which == 0 ? p->name : which == 1 ? p->box : p->trial;
            if (strlen(value) == length && strncmp(value, at, length) == 0) {
                report->press_role[i] = GR_FIT_HELD;
                found++;
            }
        }
        if (found == 0) {
            *status = gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--hold-out"}, "no press has %s%.*s",
                                   names[which], (int)length, at);
        }
        at += length + (at[length] == ',');
    }
    return true;
}

GrStatus gr_fit_presses_choose(GrFitReport *report, GrErrorLog *log)
{
    const GrStatus status = gr_press_form_choose(&report->def, report->forms, &report->form, log);
    report->chosen = status == GR_OK;
    return status == GR_OK ? gr_press_form_use(&gr_press_forms[report->form], &report->def, log) : status;
}

GrStatus gr_fit_presses_score(GrFitReport *report, GrErrorLog *log)
{
    const double gravity = report->def.rig.wheel.gravity;
    const GrSoilDef *soil = &report->result.soil;
    if (report->plates_path == NULL) {
        return GR_OK;
    }
    if (report->chosen) {
        gr_press_form_spread(&report->def, &report->result, &report->forms[report->form], &report->known.spread);
    }
    GrStatus status =
        gr_press_score(&report->presses, report->press_role, GR_FIT_USED, soil, gravity, &report->press_fit, log);
    return status == GR_OK ? gr_press_score(&report->presses, report->press_role, GR_FIT_HELD, soil, gravity,
                                            &report->press_held, log)
                           : status;
}

static void write_score(GrJson *json, const char *key, const GrPressScore *s)
{
    gr_json_begin_object(json, key);
    gr_json_number(json, "error_median", s->median);
    gr_json_number(json, "error_90", s->most);
    gr_json_number(json, "bias", exp(s->bias) - 1);
    gr_json_number(json, "rms_log", s->rms);
    gr_json_integer(json, "forces", s->count);
    gr_json_end(json);
}

void gr_fit_presses_json(const GrFitReport *r, GrJson *json)
{
    if (r->plates_path == NULL) {
        return;
    }
    gr_json_begin_object(json, "presses");
    gr_json_string(json, "file", r->plates_path);
    gr_json_integer(json, "presses", r->presses.count);
    if (r->chosen) {
        gr_json_string(json, "form", gr_press_forms[r->form].name);
        gr_json_number(json, "spread", r->forms[r->form].spread);
        gr_json_begin_array(json, "forms");
        for (int k = 0; k < GR_PRESS_FORMS; k++) {
            gr_json_begin_object(json, NULL);
            gr_json_string(json, "name", gr_press_forms[k].name);
            for (int i = 0; gr_press_forms[k].free[i] != NULL; i++) {
                gr_json_number(json, gr_press_forms[k].free[i], r->forms[k].value[i]);
            }
            write_score(json, "fitted", &r->forms[k].fit);
            write_score(json, "other_sizes", &r->forms[k].crossed);
            gr_json_end(json);
        }
        gr_json_end(json);
    }
    write_score(json, "fitted", &r->press_fit);
    write_score(json, "held_back", &r->press_held);
    gr_json_end(json);
}

static void put_forms(const GrFitReport *r, GrPage *page)
{
    GrTable table = {0};
    gr_table_heads(&table, "pressure|parameters|>fitted: rms of ln F|>other sizes: rms of ln F|>median [%]");
    for (int k = 0; k < GR_PRESS_FORMS; k++) {
        const GrPressForm *form = &gr_press_forms[k];
        GrBuffer values = {0};
        for (int i = 0; form->free[i] != NULL; i++) {
            gr_buffer_printf(&values, "%s%s %s", i > 0 ? ", " : "", form->free[i],
                             gr_show(r->forms[k].value[i], 4, "").text);
        }
        gr_table_printf(&table, "%s%s", form->name, k == r->form ? " (chosen)" : "");
        gr_table_text(&table, values.data != NULL ? values.data : "");
        gr_table_number(&table, r->forms[k].fit.rms, 3);
        gr_table_number(&table, r->forms[k].crossed.rms, 3);
        gr_table_number(&table, 100 * r->forms[k].crossed.median, 3);
        gr_buffer_free(&values);
    }
    gr_page_table(page, &table);
    const double band = exp(GR_PRESS_BAND * r->forms[r->form].spread);
    gr_page_text(
        page,
        "90 %% band of a size that was not fitted: %.0f to %+.0f %%; the soil file has it, and grouser plate draws it",
        100 * (1 / band - 1), 100 * (band - 1));
}

void gr_fit_presses_page(const GrFitReport *r, GrPage *page)
{
    GrTable table = {0};
    if (r->plates_path == NULL) {
        return;
    }
    page->place = GR_PLACE_PAGE;
    gr_page_section(page, "Force of presses");
    page->place = GR_PLACE_BOTH;
    if (r->chosen) {
        put_forms(r, page);
    }
    gr_table_heads(&table, "force of presses|>median error [%]|>90 % below [%]|>bias [%]|>forces");
    for (int k = 0; k < 2; k++) {
        const GrPressScore *s = k == 0 ? &r->press_fit : &r->press_held;
        const double values[] = {100 * s->median, 100 * s->most, 100 * (exp(s->bias) - 1)};
        if (s->count > 0) {
            gr_table_text(&table, k == 0 ? "fitted" : "held back");
            for (int i = 0; i < 3; i++) {
                gr_table_number(&table, values[i], 3);
            }
            gr_table_printf(&table, "%d", s->count);
        }
    }
    gr_page_table(page, &table);
}
