/// `ruts:` of a scenario: "ruts: trace", or {kind: trace, cell_m: 0.01, file: sand_trace.yaml, from: first/ruts.bin}.
#include "scenario_parts.h"

#include "file.h"

void gr_read_trace(GrNode *node, void *scenario)
{
    char path[GR_FILE_PATH_SIZE];
    if (gr_node_file(node, path)) {
        gr_document_note(node->document, gr_trace_load(path, &((GrScenario *)scenario)->trace, node->document->log));
    }
}

void gr_read_ruts(GrNode *node, void *scenario)
{
    int choice;
    if (node->kind == GR_NODE_MAPPING) {
        gr_keys_read(node, gr_ruts_keys, scenario);
    } else if (gr_node_choice(node, gr_ruts_keys[0].names, gr_ruts_keys[0].size, &choice)) {
        ((GrScenario *)scenario)->ruts = (GrRutsKind)choice;
    }
}
