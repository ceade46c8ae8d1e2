/// A YAML file as a tree of nodes that know where they came from.
///
/// The layer between libfyaml and the readers of rovers, soils and scenarios, on which it does not depend. Order of
/// use:
///
///     gr_document_load()  ->  gr_document_prepare() (overrides, repeat, params)  ->  fields.h  ->  gr_document_free()
///
/// Every problem goes to the log with file, line, column and path; reading continues after a problem, so that one run
/// shows them all. Anchors and aliases are copied under a budget of nodes; depth and size are limited.
#ifndef GR_DOCUMENT_H
#define GR_DOCUMENT_H

#include "arena.h"
#include "expression.h"

#include "grouser/status.h"

#include <stddef.h>

enum {
    GR_DOCUMENT_BYTES = 1 << 20, ///< largest file
    GR_DOCUMENT_NODES = 100000,  ///< most nodes, copies by aliases and `repeat` included
    GR_DOCUMENT_KEYS = 2048,     ///< most keys of one mapping
    GR_DOCUMENT_DEPTH = 32,      ///< deepest nesting
    GR_PATH_SIZE = 320
};

typedef enum GrNodeKind { GR_NODE_SCALAR, GR_NODE_LIST, GR_NODE_MAPPING } GrNodeKind;

typedef struct GrDocument GrDocument;
typedef struct GrNode GrNode;

/// A key that a reader requested from a mapping.
typedef struct GrAsked {
    const char *key;
    struct GrAsked *next;
} GrAsked;

/// A number that is visible to the expressions of a subtree (from `repeat`).
typedef struct GrBinding {
    const char *name;
    double value;
    struct GrBinding *next;
} GrBinding;

struct GrNode {
    GrDocument *document;
    GrNodeKind kind;
    const char *key; ///< in its mapping; NULL for the root and for items of a list
    int key_line, key_column;
    const char *text; ///< of a scalar
    bool quoted;      ///< 'text' or "text"
    bool block;       ///< | or > text, so that columns inside it are not known
    bool used;        ///< requested by a reader
    const char *file; ///< where it was written: the file, or the override
    int line, column; ///< 1-based; 0 in an override
    GrNode *parent, *next, *first, *last;
    int count; ///< children
    int index; ///< among its siblings
    GrAsked *asked;
    GrBinding *bindings;
};

/// A value of `params:`.
typedef struct GrParam {
    const char *name;
    GrNode *node;
    double value;
    enum { GR_PARAM_NEW, GR_PARAM_BUSY, GR_PARAM_DONE, GR_PARAM_FAILED } state;
    struct GrParam *waits_for; ///< while busy: the parameter that it is waiting for
    bool used;                 ///< used by some expression
} GrParam;

struct GrDocument {
    GrArena arena;
    const char *file;
    GrNode *root;
    GrErrorLog *log;
    GrStatus status; ///< of the first error, else GR_OK
    int node_count;
    GrParam *params;
    int param_count;
    GrParam *computing;             ///< the parameter whose expression is being evaluated
    bool overridden;                ///< it has overrides
    struct GrRoverCache *rovers;    ///< that its rover may come from; NULL: none
    struct GrDocumentCache *parsed; ///< for the files that it includes or uses; NULL: none
    const char *const *sections;    ///< NULL-terminated: mappings of the root that an override may create; NULL: none
};

/// Reads a file, whose root must be a mapping. After an error `out` is NULL.
GrStatus gr_document_load(const char *path, GrDocument **out, GrErrorLog *log);

/// The same from memory; `file` is the name for messages.
GrStatus gr_document_parse(const char *text, size_t length, const char *file, GrDocument **out, GrErrorLog *log);

/// The same with the trees of a cache (document_cache.h), which becomes the document's `parsed`; NULL: none.
GrStatus gr_document_load_shared(struct GrDocumentCache *cache, const char *path, GrDocument **out, GrErrorLog *log);
GrStatus gr_document_parse_shared(struct GrDocumentCache *cache, const char *text, size_t length, const char *file,
                                  GrDocument **out, GrErrorLog *log);

/// Applies `overrides` (NULL, or a NULL-terminated list of "a.b[2].c=value"), then expands `repeat:`, then makes the
/// values of `params:` visible to expressions. An override may add a key; a reader then refuses the keys it does not
/// know. Overrides of a path with ${name} apply to all copies.
void gr_document_prepare(GrDocument *document, const char *const *overrides);

/// Warns about every parameter that no expression used; call it after everything else has been read. If there are
/// overrides, only about those that they set: an override may have replaced the only expression that used a parameter.
void gr_document_warn_params(const GrDocument *document);

void gr_document_free(GrDocument *document);

/// Takes over the status of a reader that has reported to the document's log itself; the first failure stays.
void gr_document_note(GrDocument *document, GrStatus status);

/// Path of a node, e.g. bodies.chassis.shapes[0].size_m; the root's is empty. Returns `out`.
const char *gr_node_path(const GrNode *node, char *out, size_t size);

/// Location of a node, with its path, which is written to `path`.
GrLocation gr_node_location(const GrNode *node, char *path, size_t size);

/// The node that a message about `field` refers to, for messages from code that knows no files: the node of this path,
/// or the one nearest to the root whose path ends in it, ignoring the unit of its key ("look_ahead" is
/// drive.look_ahead_m). NULL: there is none.
const GrNode *gr_document_place(const GrDocument *document, const char *field);

/// Offset for a message about a node's key instead of its value.
enum { GR_AT_KEY = -1 };

/// Reports a problem with a node. The location is its value, or its key for a mapping or list; with gr_node_error_at()
/// it is the character at `offset` in the value, or the key.
GrStatus gr_node_error(const GrNode *node, GrStatus status, const char *format, ...) GR_PRINTF(3, 4);
GrStatus gr_node_error_at(const GrNode *node, int offset, GrStatus status, const char *format, ...) GR_PRINTF(4, 5);
GrStatus gr_node_out_of_memory(const GrNode *node);
void gr_node_warning(const GrNode *node, const char *format, ...) GR_PRINTF(2, 3);
/// Warns, unless the same warning was given for the same line or override before: copies by `repeat` share a line.
void gr_node_warning_once(const GrNode *node, const char *format, ...) GR_PRINTF(2, 3);

/// Prefix of the file name of a node that came from an override.
#define GR_OVERRIDE_LABEL "override '"

/// Whether a node came from an override.
bool gr_node_is_override(const GrNode *node);

/// A path that a node names: relative to the node's own file, and to the working folder when it was typed as an
/// override. `out` has GR_FILE_PATH_SIZE bytes. False when it is too long.
bool gr_node_beside(const GrNode *node, const char *name, char *out);

/// The child of a mapping without marking it as used; NULL when there is none or `mapping` is not a mapping.
GrNode *gr_node_find(const GrNode *mapping, const char *key);

// For the files of this layer.

/// NULL after an error: the limit of nodes was reached, or out of memory.
GrNode *gr_node_create(GrDocument *document, GrNodeKind kind);

/// Appends `child` to a list or mapping; a duplicate key is reported and dropped. False when the mapping is full.
bool gr_node_append(GrNode *parent, GrNode *child);

/// Deep copy without parent. NULL after an error.
GrNode *gr_node_copy(const GrNode *node);

bool gr_document_override(GrDocument *document, const char *override);
void gr_document_repeat(GrDocument *document);
void gr_document_read_params(GrDocument *document);

/// Names visible to the expressions of `node`.
GrScope gr_node_scope(GrNode *node);

#endif
