/// Reads JSON documents from strangers: strict, bounded, without recursion and without allocation.
///
///     char text[] = "{\"op\": \"speed\", \"value\": 2}";
///     GrJsonNode nodes[GR_JSON_NODES];
///     GrJsonTree tree = gr_json_tree(nodes, GR_JSON_NODES);
///     if (gr_json_read(text, strlen(text), &tree)) {
///         const GrJsonNode *op = gr_json_member(&tree, &tree.nodes[0], "op");
///     }
///
/// Strings are decoded in place, so the tree points into `text`. Refused: anything that is not JSON (RFC 8259), text
/// that is not UTF-8, \u0000, numbers beyond a double, keys that occur twice in an object, more
/// values than the tree has room for.
///
/// No library: those of Debian allocate for every value.
#ifndef GR_JSON_READ_H
#define GR_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

enum {
    GR_JSON_NODES = 1024, ///< of a message
    GR_JSON_READ_DEPTH = 8
};

typedef enum GrJsonKind {
    GR_JSON_NULL,
    GR_JSON_BOOL,
    GR_JSON_NUMBER,
    GR_JSON_STRING,
    GR_JSON_ARRAY,
    GR_JSON_OBJECT
} GrJsonKind;

typedef struct GrJsonNode {
    GrJsonKind kind;
    bool truth;
    const char *key; ///< in its object; NULL in an array and for the root
    const char *text;
    double number;
    int first, next; ///< index of the first child and of the next sibling; 0: none
} GrJsonNode;

typedef struct GrJsonTree {
    GrJsonNode *nodes; ///< the root first
    int room, count;
} GrJsonTree;

/// A tree with room for `room` values in the caller's memory.
static inline GrJsonTree gr_json_tree(GrJsonNode *nodes, int room)
{
    return (GrJsonTree){.nodes = nodes, .room = room};
}

/// `text` must be zero-terminated at `size`, and is changed. False: it is not a document that is accepted.
bool gr_json_read(char *text, size_t size, GrJsonTree *out);

/// A member of an object by its key; NULL when there is none, or when `node` is not an object.
const GrJsonNode *gr_json_member(const GrJsonTree *tree, const GrJsonNode *node, const char *key);

/// The next of its siblings, or the first child; NULL: none.
const GrJsonNode *gr_json_next(const GrJsonTree *tree, const GrJsonNode *node);
const GrJsonNode *gr_json_first(const GrJsonTree *tree, const GrJsonNode *node);

#endif
