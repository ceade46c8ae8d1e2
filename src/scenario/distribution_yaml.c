#include "distribution_yaml.h"

#include "alloc.h"

#include <string.h>

int gr_distribution_named(const GrNode *node)
{
    for (int i = 0; i < GR_DISTRIBUTION_COUNT; i++) {
        if (gr_node_find(node, gr_distribution_info((GrDistributionKind)i)->name) != NULL) {
            return i;
        }
    }
    return -1;
}

/// The parameters that the key of the distribution has, such as {mean: 1, deviation: 0.1}.
static bool read_section(GrNode *section, const GrDistributionInfo *info, GrDistribution *out, double **values)
{
    bool ok = true;
    for (const GrDistributionField *field = info->fields; field->name != NULL; field++) {
        double *to = (double *)(void *)((char *)out + field->offset);
        gr_field_number(section, field->name, field->is_required ? GR_REQUIRED : GR_OPTIONAL, GR_ANY, to);
    }
    GrNode *list = info->has_values ? gr_field_list(section, "values", GR_REQUIRED) : NULL;
    GrNode *weights = list != NULL && info->weights != NULL ? gr_field_list(section, info->weights, GR_OPTIONAL) : NULL;
    if (list != NULL) {
        *values = gr_calloc(2 * (size_t)list->count + 1, sizeof **values);
        ok = *values != NULL && gr_node_numbers(list, GR_ANY, *values, list->count) &&
             (weights == NULL || gr_node_numbers(weights, GR_ANY, *values + list->count, list->count));
        out->values = *values;
        out->weights = weights != NULL ? *values + list->count : NULL;
        out->count = list->count;
    }
    gr_fields_end(section);
    return ok;
}

bool gr_distribution_read(GrNode *node, int kind, GrDistribution *out, double **values)
{
    const GrDistributionInfo *info = gr_distribution_info((GrDistributionKind)kind);
    GrDocument *document = node->document;
    GrNode *section = gr_field_mapping(node, info->name, GR_REQUIRED);
    *values = NULL;
    *out = gr_default_distribution((GrDistributionKind)kind);
    if (section == NULL || !read_section(section, info, out, values)) {
        return false;
    }
    gr_field_number(node, "from", GR_OPTIONAL, GR_ANY, &out->lower);
    gr_field_number(node, "to", GR_OPTIONAL, GR_ANY, &out->upper);
    if (document->status == GR_OK) {
        char path[GR_PATH_SIZE];
        const GrLocation at = gr_node_location(node, path, sizeof path);
        gr_document_note(document, gr_distribution_check(out, at, document->log));
    }
    return document->status == GR_OK;
}

void gr_correlations_read(GrNode *list, int n, int (*find)(void *context, GrNode *name), void *context, double *matrix,
                          double *factor)
{
    GrDocument *document = list->document;
    memset(matrix, 0, sizeof *matrix * (size_t)(n * n));
    for (int i = 0; i < n; i++) {
        matrix[i * n + i] = 1;
    }
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        double rho = 0;
        GrNode *a = item->first, *b = a != NULL ? a->next : NULL, *r = b != NULL ? b->next : NULL;
        item->used = true;
        if (item->kind != GR_NODE_LIST || item->count != 3 || !gr_node_number(r, GR_BETWEEN(-1, 1), &rho)) {
            gr_node_error(item, GR_ERROR_VALUE, "expected two names and their correlation, such as [c, phi, -0.5]");
            continue;
        }
        const int i = find(context, a), j = find(context, b);
        if (i >= 0 && j >= 0) {
            matrix[i * n + j] = matrix[j * n + i] = rho;
        }
    }
    double *room = factor == NULL ? gr_calloc((size_t)(n * n) + 1, sizeof *room) : NULL;
    if (factor == NULL && room == NULL) {
        gr_node_out_of_memory(list);
    } else if (document->status == GR_OK) {
        char path[GR_PATH_SIZE];
        const GrLocation at = gr_node_location(list, path, sizeof path);
        gr_document_note(document, gr_correlation_factor(n, matrix, factor != NULL ? factor : room, at, document->log));
    }
    gr_free(room);
}
