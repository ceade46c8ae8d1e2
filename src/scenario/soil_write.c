/// A soil as a YAML file that gr_soil_load() reads back.
#include "soil_yaml.h"

#include "buffer.h"
#include "file.h"
#include "law.h"
#include "number.h"
#include "out_of_memory.h"
#include "schema.h"
#include "soil_param.h"

#include <string.h>

void gr_soil_put_text(GrBuffer *out, const char *text)
{
    gr_buffer_puts(out, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            gr_buffer_puts(out, "\\");
        }
        gr_buffer_add(out, (unsigned char)*text < ' ' ? " " : text, 1);
    }
    gr_buffer_puts(out, "\"");
}

static void put_key_text(GrBuffer *out, const char *key, const char *text)
{
    gr_buffer_printf(out, "%s: ", key);
    gr_soil_put_text(out, text);
    gr_buffer_puts(out, "\n");
}

/// The law, and every choice that is not the default.
static void put_choices(GrBuffer *out, const GrSoilDef *soil, const GrSoilDef *usual)
{
    for (const GrKey *key = gr_soil_keys; key->name != NULL; key++) {
        char text[GR_KEY_TEXT_SIZE], otherwise[GR_KEY_TEXT_SIZE];
        const bool choice = key->type == GR_KEY_CHOICE || key->type == GR_KEY_BOOL || key->type == GR_KEY_INTEGER;
        if (choice && (strcmp(gr_key_usual(key, soil, text), gr_key_usual(key, usual, otherwise)) != 0 ||
                       strcmp(key->name, "law") == 0)) {
            gr_buffer_printf(out, "%s: %s\n", key->name, text);
        }
    }
}

static void put_points(GrBuffer *out, const GrSoilDef *soil)
{
    gr_buffer_puts(out, "points:\n");
    for (int i = 0; i < GR_CHAIKIN_POINTS; i++) {
        const GrStressPoint *p = &soil->points[i];
        const double values[] = {p->x, p->x_slip, p->y, p->y_slip};
        static const char *const keys[] = {"  - {x: ", ", x_slip: ", ", y: ", ", y_slip: "};
        for (int k = 0; k < 4; k++) {
            gr_buffer_puts(out, keys[k]);
            gr_buffer_number(out, values[k]);
        }
        gr_buffer_puts(out, "}\n");
    }
}

static bool points_differ(const GrSoilDef *a, const GrSoilDef *b)
{
    for (int i = 0; i < GR_CHAIKIN_POINTS; i++) {
        const GrStressPoint *p = &a->points[i], *q = &b->points[i];
        if (p->x != q->x || p->x_slip != q->x_slip || p->y != q->y || p->y_slip != q->y_slip) {
            return true;
        }
    }
    return false;
}

static void put_sources(GrBuffer *out, const GrSoilSources *sources)
{
    static const char *const kinds[] = {"published", "derived", "assumed"};
    gr_buffer_puts(out, "\nsources:\n");
    for (int i = 0; i < sources->count; i++) {
        const GrSoilSource *s = &sources->items[i];
        gr_buffer_printf(out, "  - %s: ", kinds[s->confidence]);
        gr_soil_put_text(out, s->text);
        gr_buffer_puts(out, "\n");
        for (int j = 0; j < s->of_count; j++) {
            gr_buffer_printf(out, "%s%s%s", j == 0 ? "    of: [" : ", ", s->of[j], j + 1 == s->of_count ? "]\n" : "");
        }
    }
}

void gr_soil_write_yaml(const GrSoilDef *soil, const GrSoilSources *sources, const GrSoilSpread *spread, GrBuffer *out)
{
    const GrSoilDef usual = gr_default_soil_def();
    if (soil->name[0] != '\0') {
        put_key_text(out, "name", soil->name);
    }
    if (soil->title[0] != '\0') {
        put_key_text(out, "title", soil->title);
    }
    put_choices(out, soil, &usual);
    gr_buffer_puts(out, "\n");
    for (int i = 0; i < gr_soil_param_count(); i++) {
        const double value = gr_soil_param_get(soil, i);
        const bool given = sources != NULL && sources->given[i];
        if (given || gr_soil_param_essential(soil, i) || value != gr_soil_param_get(&usual, i)) {
            // 15 digits: 37.2 instead of the rounding errors of a conversion to radians and back.
            char number[GR_NUMBER_SIZE];
            gr_number_round(value, 15, number);
            gr_buffer_printf(out, "%s: %s\n", gr_soil_param(i)->key, number);
        }
    }
    if (gr_law_has(soil->law, GR_LAW_POINTS) || points_differ(soil, &usual)) {
        put_points(out, soil);
    }
    if ((sources != NULL && sources->gravity > 0) || soil->fit_gravity != usual.fit_gravity) {
        char number[GR_NUMBER_SIZE];
        gr_number_round(soil->fit_gravity, 15, number);
        gr_buffer_printf(out, "fit_gravity: %s\n", number);
    }
    if (sources != NULL && sources->count > 0) {
        put_sources(out, sources);
    }
    if (spread != NULL) {
        gr_soil_spread_write(spread, out);
    }
}

GrStatus gr_soil_save(const char *path, const GrSoilDef *soil, const GrSoilSources *sources, GrErrorLog *log)
{
    return gr_soil_save_spread(path, soil, sources, NULL, log);
}

GrStatus gr_soil_save_spread(const char *path, const GrSoilDef *soil, const GrSoilSources *sources,
                             const GrSoilSpread *spread, GrErrorLog *log)
{
    GrBuffer out = {0};
    gr_soil_write_yaml(soil, sources, spread, &out);
    const GrStatus status = out.failed ? gr_out_of_memory(log, path) : gr_file_write(path, out.data, out.size, log);
    gr_buffer_free(&out);
    return status;
}
