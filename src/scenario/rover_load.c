/// Finds a rover by name or path, and reads it as YAML, as URDF, or as URDF with a side file.
#include "alloc.h"
#include "file.h"
#include "find.h"
#include "include.h"
#include "rover_parts.h"
#include "rover_urdf.h"
#include "rover_yaml.h"
#include "urdf_xml.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/// In any case: CAD programs write .URDF.
static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcasecmp(text + length - tail, end) == 0;
}

static GrStatus load_urdf(const char *path, GrDocument *side, GrRoverDef *out, GrErrorLog *log)
{
    char *text;
    size_t length;
    GrStatus status = gr_file_read(path, GR_URDF_BYTES, &text, &length, log);
    if (status != GR_OK) {
        return status;
    }
    status = gr_rover_parse_urdf(text, length, path, side, out, log);
    gr_free(text);
    return status;
}

/// A YAML file that was parsed: a rover, or the side file of the URDF that it names. Frees the document.
static GrStatus read_yaml(GrDocument *document, const char *path, const char *const *overrides, GrRoverDef *out,
                          GrErrorLog *log)
{
    GrStatus status;
    gr_document_include(document, GR_INCLUDE_ROVER, NULL);
    gr_document_prepare(document, overrides);
    GrNode *urdf = gr_node_find(document->root, "urdf");
    char name[GR_NOTE_SIZE], urdf_path[GR_FILE_PATH_SIZE];
    if (urdf == NULL) {
        status = gr_rover_read_yaml(document, out);
    } else if (!gr_node_text(urdf, name, sizeof name)) {
        status = document->status;
    } else if (ends_with(name, ".xacro")) {
        status =
            gr_node_error(urdf, GR_ERROR_UNSUPPORTED,
                          "xacro files must be expanded first: xacro %.200s > rover.urdf, then urdf: rover.urdf", name);
    } else if (!gr_file_beside(path, name, urdf_path)) {
        status = gr_node_error(urdf, GR_ERROR_FILE, "the path is too long");
    } else {
        status = load_urdf(urdf_path, document, out, log);
    }
    gr_document_free(document);
    return status;
}

static GrStatus load_yaml(GrDocumentCache *parsed, const char *path, const char *const *overrides, GrRoverDef *out,
                          GrErrorLog *log)
{
    GrDocument *document;
    const GrStatus status = gr_document_load_shared(parsed, path, &document, log);
    return status == GR_OK ? read_yaml(document, path, overrides, out, log) : status;
}

GrStatus gr_rover_parse(const char *path, const char *text, size_t size, GrRoverDef *out, GrErrorLog *log)
{
    GrDocument *document;
    *out = gr_default_rover_def();
    const GrStatus status = gr_document_parse(text, size, path, &document, log);
    return status == GR_OK ? read_yaml(document, path, NULL, out, log) : status;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/// A side file that was found by its name must not belong to another URDF.
static void check_owner(const GrDocument *side, const char *path)
{
    const GrNode *urdf = gr_node_find(side->root, "urdf");
    if (urdf != NULL && urdf->kind == GR_NODE_SCALAR && strcmp(base_name(urdf->text), base_name(path)) != 0) {
        gr_node_error(urdf, GR_ERROR_NAME, "this side file belongs to '%.100s', not to '%.100s' beside it", urdf->text,
                      base_name(path));
    }
}

/// The side file of "x.urdf" is "x.grouser.yaml"; without one, overrides apply to an empty one.
static GrStatus load_bare_urdf(const char *path, const char *const *overrides, GrRoverDef *out, GrErrorLog *log)
{
    static const char empty[] = "{}";
    char side_path[GR_FILE_PATH_SIZE];
    struct stat info;
    GrDocument *side;
    const int stem = (int)(strlen(path) - (ends_with(path, ".urdf") ? strlen(".urdf") : 0));
    const int length = snprintf(side_path, sizeof side_path, "%.*s.grouser.yaml", stem, path);
    GrStatus status = length < (int)sizeof side_path && stat(side_path, &info) == 0
                          ? gr_document_load(side_path, &side, log)
                          : gr_document_parse(empty, sizeof empty - 1, path, &side, log);
    if (status != GR_OK) {
        return status;
    }
    gr_document_prepare(side, overrides);
    check_owner(side, path);
    status = load_urdf(path, side, out, log);
    gr_document_free(side);
    return status;
}

GrStatus gr_rover_load(const char *name_or_path, const char *const *overrides, GrRoverDef *out, GrErrorLog *log)
{
    return gr_rover_load_parsed(NULL, name_or_path, overrides, out, log);
}

GrStatus gr_rover_load_parsed(GrDocumentCache *parsed, const char *name_or_path, const char *const *overrides,
                              GrRoverDef *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    *out = gr_default_rover_def();
    const GrStatus found = gr_find_file("rovers", "rover", name_or_path, path, log);
    if (found != GR_OK) {
        return found;
    }
    if (ends_with(path, ".xacro")) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = path},
                            "xacro files must be expanded first: xacro %.150s > rover.urdf", path);
    }
    if (ends_with(path, ".urdf") || ends_with(path, ".xml")) {
        return load_bare_urdf(path, overrides, out, log);
    }
    if (ends_with(path, ".yaml") || ends_with(path, ".yml")) {
        return load_yaml(parsed, path, overrides, out, log);
    }
    return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = path},
                        "the ending is not known; allowed: .yaml, .yml, .urdf, .xml");
}
