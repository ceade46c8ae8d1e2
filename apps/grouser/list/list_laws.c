/// Rows of `grouser list` about integrators and rigid contact: its laws, and the numbers of materials that they read.
#include "list_laws.h"

#include "contact_law.h"
#include "grouser/model.h"

#include <stdio.h>
#include <stdlib.h>

/// "young_Pa, poisson, …": parameters that a law reads.
static const char *params_of(unsigned reads, char *out, size_t size)
{
    size_t length = 0;
    out[0] = '\0';
    for (int i = 0; i < GR_MATERIAL_PARAM_COUNT; i++) {
        if ((reads >> i & 1u) != 0 && length < size) {
            length += (size_t)snprintf(out + length, size - length, "%s%s", length > 0 ? ", " : "",
                                       gr_material_params[i].key);
        }
    }
    return out;
}

static void add_law(GrListSink sink, const char *name, const char *text, unsigned reads)
{
    char params[400];
    params_of(reads, params, sizeof params);
    if (sink.table != NULL) {
        gr_table_text(sink.table, name);
        gr_table_text(sink.table, text);
        gr_table_text(sink.table, params);
    } else {
        gr_json_begin_object(sink.json, NULL);
        gr_json_string(sink.json, "name", name);
        gr_json_string(sink.json, "title", text);
        gr_json_string(sink.json, "parameters", params);
        gr_json_end(sink.json);
    }
}

void gr_list_integrator_columns(GrTable *table)
{
    gr_table_column(table, "name", GR_LEFT);
    gr_table_column(table, "integrator", GR_LEFT);
}

const char *gr_list_integrator(int index)
{
    for (int i = 0; i < GR_INTEGRATOR_COUNT; i++) {
        if (gr_integrator_is_built((GrIntegrator)i) && index-- == 0) {
            return gr_integrator_name((GrIntegrator)i);
        }
    }
    return NULL;
}

GrStatus gr_list_integrators(GrListSink sink)
{
    for (int i = 0; i < GR_INTEGRATOR_COUNT; i++) {
        const GrIntegrator integrator = (GrIntegrator)i;
        if (gr_integrator_is_built(integrator) && sink.table != NULL) {
            gr_table_text(sink.table, gr_integrator_name(integrator));
            gr_table_text(sink.table, gr_integrator_text(integrator));
        } else if (gr_integrator_is_built(integrator)) {
            gr_json_begin_object(sink.json, NULL);
            gr_json_string(sink.json, "name", gr_integrator_name(integrator));
            gr_json_string(sink.json, "title", gr_integrator_text(integrator));
            gr_json_end(sink.json);
        }
    }
    return GR_OK;
}

void gr_list_law_columns(GrTable *table)
{
    gr_table_column(table, "name", GR_LEFT);
    gr_table_column(table, "law", GR_LEFT);
    gr_table_column(table, "reads", GR_LEFT);
}

GrStatus gr_list_contact_laws(GrListSink sink)
{
    for (int i = 0; i < GR_CONTACT_LAW_COUNT; i++) {
        add_law(sink, gr_contact_law_names[i], gr_contact_laws[i].text, gr_contact_laws[i].reads);
    }
    return GR_OK;
}

GrStatus gr_list_friction_laws(GrListSink sink)
{
    for (int i = 0; i < GR_FRICTION_LAW_COUNT; i++) {
        add_law(sink, gr_friction_law_names[i], gr_friction_laws[i].text, gr_friction_laws[i].reads);
    }
    return GR_OK;
}

void gr_list_param_columns(GrTable *table)
{
    gr_table_column(table, "key", GR_LEFT);
    gr_table_column(table, "unit", GR_LEFT);
    gr_table_column(table, "allowed", GR_LEFT);
    gr_table_column(table, "default", GR_RIGHT);
    gr_table_column(table, "of", GR_LEFT);
    gr_table_column(table, "meaning", GR_LEFT);
}

GrStatus gr_list_material_params(GrListSink sink)
{
    GrMaterial usual = gr_default_material();
    for (int i = 0; i < GR_MATERIAL_PARAM_COUNT; i++) {
        const GrMaterialParamRow *row = &gr_material_params[i];
        const char *of = row->in_pair == SIZE_MAX ? "materials" : "materials, pairs";
        const double value = *gr_material_value(&usual, (GrMaterialParam)i);
        char allowed[64];
        if (isinf(row->upper)) {
            snprintf(allowed, sizeof allowed, "%s %g", row->lower_open ? ">" : "≥", row->lower);
        } else {
            snprintf(allowed, sizeof allowed, "%s%g to %g", row->lower_open ? "above " : "", row->lower, row->upper);
        }
        if (sink.table != NULL) {
            gr_table_text(sink.table, row->key);
            gr_table_text(sink.table, row->unit);
            gr_table_text(sink.table, allowed);
            gr_table_number(sink.table, value, 4);
            gr_table_text(sink.table, of);
            gr_table_text(sink.table, row->text);
        } else {
            gr_json_begin_object(sink.json, NULL);
            gr_json_string(sink.json, "name", row->key);
            gr_json_string(sink.json, "title", row->text);
            gr_json_string(sink.json, "unit", row->unit);
            gr_json_string(sink.json, "allowed", allowed);
            gr_json_number(sink.json, "default", value);
            gr_json_string(sink.json, "of", of);
            gr_json_end(sink.json);
        }
    }
    return GR_OK;
}

const char *gr_list_contact_law(int index)
{
    return index < GR_CONTACT_LAW_COUNT ? gr_contact_law_names[index] : NULL;
}

const char *gr_list_friction_law(int index)
{
    return index < GR_FRICTION_LAW_COUNT ? gr_friction_law_names[index] : NULL;
}

const char *gr_list_material_param(int index)
{
    return index < GR_MATERIAL_PARAM_COUNT ? gr_material_params[index].key : NULL;
}
