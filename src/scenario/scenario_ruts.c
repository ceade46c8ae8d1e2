/// `ruts:` of a scenario: "ruts: trace", or {kind: trace, cell_m: 0.01, file: sand_trace.yaml, from: first/ruts.bin}.
#include "scenario_parts.h"

#include "file.h"

#include <string.h>

static void read_kind(GrNode *node, GrRutsKind *out)
{
#define GR_RUTS_NAME(id, name, text) #name,
    static const char *const names[GR_RUTS_COUNT] = {GR_RUTS_LIST(GR_RUTS_NAME)};
#undef GR_RUTS_NAME
    int choice = 0;
    if (node != NULL && gr_node_choice(node, names, GR_RUTS_COUNT, &choice)) {
        *out = (GrRutsKind)choice;
    }
}

static void read_file(GrNode *node, GrTraceDef *out)
{
    char path[GR_FILE_PATH_SIZE];
    if (node != NULL && gr_node_file(node, path)) {
        const GrStatus status = gr_trace_load(path, out, node->document->log);
        node->document->status = node->document->status == GR_OK ? status : node->document->status;
    }
}

static void read_from(GrNode *node, char out[GR_SCENARIO_PATH_SIZE])
{
    char path[GR_FILE_PATH_SIZE];
    if (node == NULL || !gr_node_file(node, path)) {
        return;
    }
    if (strlen(path) >= GR_SCENARIO_PATH_SIZE) {
        gr_node_error(node, GR_ERROR_FILE, "the path is too long");
    } else {
        memcpy(out, path, strlen(path) + 1);
    }
}

static void read_mapping(GrNode *node, GrScenario *scenario)
{
    const GrRange cells = {0.0005, 1, false, false, false};
    read_kind(gr_field(node, "kind", GR_REQUIRED), &scenario->ruts);
    gr_field_number(node, "cell_m", GR_OPTIONAL, cells, &scenario->rut_cell);
    gr_field_bool(node, "flow", GR_OPTIONAL, &scenario->soil_flow);
    gr_field_bool(node, "bodies", GR_OPTIONAL, &scenario->bodies_press);
    read_file(gr_field(node, "file", GR_OPTIONAL), &scenario->trace);
    read_from(gr_field(node, "from", GR_OPTIONAL), scenario->ruts_from);
    gr_fields_end(node);
}

void gr_read_ruts(GrNode *root, GrScenario *scenario)
{
    GrNode *node = gr_field(root, "ruts", GR_OPTIONAL);
    if (node == NULL) {
        return;
    }
    if (node->kind == GR_NODE_MAPPING) {
        read_mapping(node, scenario);
    } else {
        read_kind(node, &scenario->ruts);
    }
}
