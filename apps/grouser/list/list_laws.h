/// What `grouser list` lists: a sink for its rows, and those about integrators and rigid contact.
#ifndef GR_LIST_LAWS_H
#define GR_LIST_LAWS_H

#include "grouser/status.h"
#include "json.h"
#include "table.h"

/// Receives items, for the table or for the JSON array, whichever is not NULL.
typedef struct GrListSink {
    GrTable *table;
    GrJson *json;
} GrListSink;

void gr_list_integrator_columns(GrTable *table);
GrStatus gr_list_integrators(GrListSink sink);

void gr_list_law_columns(GrTable *table);
GrStatus gr_list_contact_laws(GrListSink sink);
GrStatus gr_list_friction_laws(GrListSink sink);

/// Names by index; NULL beyond the last.
const char *gr_list_integrator(int index);
const char *gr_list_contact_law(int index);
const char *gr_list_friction_law(int index);
const char *gr_list_material_param(int index);

void gr_list_param_columns(GrTable *table);
GrStatus gr_list_material_params(GrListSink sink);

#endif
