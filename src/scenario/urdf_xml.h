/// Elements and attributes of a URDF, with messages that name file, line and field.
#ifndef GR_URDF_XML_H
#define GR_URDF_XML_H

#include "grouser/rover.h"

#include <libxml/tree.h>
#include <stdbool.h>
#include <stddef.h>

enum { GR_URDF_BYTES = 4 << 20 }; ///< largest file

/// A warning, and how many of its kind there were. Tools write the same for every link, so only the first is shown.
typedef struct GrUrdfWarning {
    const void *kind;
    int line, count;
    char field[GR_NAME_SIZE + 64], text[GR_ERROR_TEXT_SIZE];
} GrUrdfWarning;

/// What is being read, and where messages go.
typedef struct GrUrdf {
    const char *file;
    GrErrorLog *log;
    GrStatus status; ///< of the first error
    xmlDoc *tree;
    char field[GR_NAME_SIZE + 32]; ///< the link or joint that is being read, e.g. joints.wheel_left
    GrUrdfWarning *warnings;       ///< one for each kind, until gr_urdf_close()
    int warning_count;
} GrUrdf;

/// Parses the text into `urdf->tree`. No network, no document type, so that there are no entities. The root is a
/// <robot>. False after an error.
bool gr_urdf_open(GrUrdf *urdf, const char *text, size_t length);

/// Reports the warnings and frees the tree, after gr_urdf_open() in any case.
void gr_urdf_close(GrUrdf *urdf);

/// Reports at an element; `part` is appended to the field and may be NULL.
GrStatus gr_urdf_error(GrUrdf *urdf, const xmlNode *at, const char *part, GrStatus status, const char *format, ...)
    GR_PRINTF(5, 6);
GrStatus gr_urdf_out_of_memory(GrUrdf *urdf, const xmlNode *at);
/// Warnings of the same `kind`, which is a pointer to anything, are shown once, with a count. Without one the format is
/// the kind.
void gr_urdf_warning(GrUrdf *urdf, const xmlNode *at, const char *part, const char *format, ...) GR_PRINTF(4, 5);
void gr_urdf_warning_of(GrUrdf *urdf, const void *kind, const xmlNode *at, const char *part, const char *format, ...)
    GR_PRINTF(5, 6);

/// The <robot>.
xmlNode *gr_urdf_root(const GrUrdf *urdf);

/// Beginning of an attribute's text, without messages. False: it is absent.
bool gr_urdf_peek(const xmlNode *node, const char *attribute, char *out, size_t size);

/// First child element of that name, or NULL. Further ones are an error.
xmlNode *gr_urdf_child(GrUrdf *urdf, xmlNode *parent, const char *name);

/// Whether `node` is an element of that name.
bool gr_urdf_is(const xmlNode *node, const char *name);

/// Warns of child elements that are not in `names`, with the nearest.
void gr_urdf_check_children(GrUrdf *urdf, xmlNode *parent, const char *const *names, int count);

/// Text of an attribute. False when it is absent (an error when required), empty or too long.
bool gr_urdf_text(GrUrdf *urdf, xmlNode *node, const char *attribute, bool required, char *out, size_t size);

/// Exactly `count` finite numbers. False when the attribute is absent or after an error.
bool gr_urdf_numbers(GrUrdf *urdf, xmlNode *node, const char *attribute, bool required, double *out, int count);

/// The pose of the <origin> child; identity when there is none.
GrPose gr_urdf_origin(GrUrdf *urdf, xmlNode *parent);

#endif
