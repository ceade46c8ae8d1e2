#include "show_model.h"

#include "json.h"
#include "law.h"
#include "table.h"

void gr_show_model_text(GrSoilLaw law, FILE *file)
{
    GrSoilDef usual = gr_default_soil_def();
    usual.law = law;
    fprintf(file, "%s: %s\n\n", gr_soil_law_name(law), gr_soil_law_text(law));
    GrTable table = {.indent = 2};
    gr_table_column(&table, "key", GR_LEFT);
    gr_table_column(&table, "unit", GR_LEFT);
    gr_table_column(&table, "allowed", GR_LEFT);
    gr_table_column(&table, "default", GR_RIGHT);
    gr_table_column(&table, "meaning", GR_LEFT);
    for (int i = 0; i < gr_soil_param_count(); i++) {
        const GrSoilParam *row = gr_soil_param(i);
        if (gr_soil_param_of_law(law, i)) {
            gr_table_text(&table, row->key);
            gr_table_text(&table, row->unit);
            gr_table_printf(&table, "%s%g … %g", row->open ? "above " : "", row->lower, row->upper);
            if (row->essential) {
                gr_table_text(&table, gr_soil_param_essential(&usual, i) ? "required" : "by form");
            } else {
                gr_table_number(&table, gr_soil_param_get(&usual, i), 6);
            }
            gr_table_text(&table, row->text);
        }
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
    bool first = true;
    for (int i = 0; i < gr_soil_choice_count(); i++) {
        if (gr_soil_choice(i)->traits & gr_law(law)->traits) {
            fprintf(file, "%s%s", first ? "\nForms and add-ons: " : ", ", gr_soil_choice(i)->key);
            first = false;
        }
    }
    fputs(first ? "" : ".\n", file);
    fputs("by form: required by the forms and add-ons that use it.\n", file);
}

void gr_show_model_json(GrSoilLaw law, FILE *file)
{
    GrSoilDef usual = gr_default_soil_def();
    usual.law = law;
    GrJson out = gr_json_to_file(file, true);
    gr_json_begin_object(&out, NULL);
    gr_json_string(&out, "name", gr_soil_law_name(law));
    gr_json_string(&out, "title", gr_soil_law_text(law));
    gr_json_begin_array(&out, "parameters");
    for (int i = 0; i < gr_soil_param_count(); i++) {
        const GrSoilParam *row = gr_soil_param(i);
        if (gr_soil_param_of_law(law, i)) {
            gr_json_begin_object(&out, NULL);
            gr_json_string(&out, "name", row->name);
            gr_json_string(&out, "key", row->key);
            gr_json_string(&out, "unit", row->unit);
            gr_json_string(&out, "text", row->text);
            gr_json_number(&out, "lower", row->lower);
            gr_json_bool(&out, "lower_excluded", row->open);
            gr_json_number(&out, "upper", row->upper);
            gr_json_number(&out, "default", gr_soil_param_get(&usual, i));
            gr_json_bool(&out, "required", gr_soil_param_essential(&usual, i));
            gr_json_end(&out);
        }
    }
    gr_json_end(&out);
    gr_json_begin_array(&out, "forms");
    for (int i = 0; i < gr_soil_choice_count(); i++) {
        if (gr_soil_choice(i)->traits & gr_law(law)->traits) {
            gr_json_string(&out, NULL, gr_soil_choice(i)->key);
        }
    }
    gr_json_end(&out);
    gr_json_end(&out);
    gr_json_finish(&out); // main() checks stdout
}
