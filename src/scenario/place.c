/// Finds the node of a document that a later message refers to.
#include "document.h"

#include <string.h>

/// Whether the path of a node ends in `field`, such as "path[2]", "drive.path[2]", or "look_ahead" for the key
/// look_ahead_m.
static bool ends_in(const char *path, const char *field)
{
    const size_t length = strlen(field);
    for (const char *at = strstr(path, field); at != NULL; at = strstr(at + 1, field)) {
        const bool begins = at == path || at[-1] == '.', ends = at[length] == '\0';
        const bool unit = at[length] == '_' && strpbrk(at + length, ".[") == NULL;
        if (begins && (ends || unit)) {
            return true;
        }
    }
    return false;
}

static int depth_of(const GrNode *node)
{
    int depth = 0;
    for (; node->parent != NULL; node = node->parent) {
        depth++;
    }
    return depth;
}

/// The next node in the order of the file.
static const GrNode *next_of(const GrNode *node)
{
    if (node->first != NULL) {
        return node->first;
    }
    while (node != NULL && node->next == NULL) {
        node = node->parent;
    }
    return node != NULL ? node->next : NULL;
}

const GrNode *gr_document_place(const GrDocument *document, const char *field)
{
    const GrNode *best = NULL;
    char path[GR_PATH_SIZE];
    for (const GrNode *node = document->root; field[0] != '\0' && node != NULL; node = next_of(node)) {
        if (ends_in(gr_node_path(node, path, sizeof path), field) &&
            (best == NULL || depth_of(node) < depth_of(best))) {
            best = node;
        }
    }
    return best;
}
