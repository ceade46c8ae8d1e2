#include "obj_points.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 256 };

/// "v x y z" and anything that follows (a weight, a colour). False when a number is missing or not finite.
static bool read_vertex(const char *line, GrVec3 *out)
{
    double values[3];
    const char *at = line + 1;
    for (int i = 0; i < 3; i++) {
        char *end;
        values[i] = strtod(at, &end);
        if (end == at || !isfinite(values[i]) || (*end != '\0' && strchr(" \t\r", *end) == NULL)) {
            return false;
        }
        at = end;
    }
    *out = (GrVec3){values[0], values[1], values[2]};
    return true;
}

static GrStatus fail(GrErrorLog *log, const char *file, int line, GrStatus status, const char *text)
{
    return gr_error_add(log, status, (GrLocation){.file = file, .line = line}, "%s", text);
}

/// One line without its end.
static GrStatus take_line(const char *text, size_t length, const char *file, int number, GrVec3 *points, int *count,
                          GrErrorLog *log)
{
    char line[LINE_SIZE];
    while (length > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
    }
    if (length < 2 || text[0] != 'v' || (text[1] != ' ' && text[1] != '\t')) {
        return GR_OK; // normals, faces, groups, materials, comments
    }
    if (*count == GR_OBJ_POINTS) {
        return fail(log, file, number, GR_ERROR_VALUE, "more than 100000 vertices");
    }
    if (length >= LINE_SIZE || memchr(text, '\0', length) != NULL) {
        return fail(log, file, number, GR_ERROR_SYNTAX, "the vertex line is too long or contains a zero byte");
    }
    memcpy(line, text, length);
    line[length] = '\0';
    if (!read_vertex(line, &points[*count])) {
        return fail(log, file, number, GR_ERROR_SYNTAX, "a vertex needs three finite numbers: v x y z");
    }
    (*count)++;
    return GR_OK;
}

GrStatus gr_obj_parse(const char *text, size_t length, const char *file, GrVec3 **points, int *count, GrErrorLog *log)
{
    *count = 0;
    *points = gr_malloc(sizeof(GrVec3) * GR_OBJ_POINTS);
    if (*points == NULL) {
        return gr_out_of_memory(log, file);
    }
    GrStatus status = GR_OK;
    int number = 0;
    for (size_t at = 0; at < length && status == GR_OK;) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t size = end != NULL ? (size_t)(end - (text + at)) : length - at;
        number++;
        status = take_line(text + at, size, file, number, *points, count, log);
        at += size + 1;
    }
    if (status == GR_OK && *count == 0) {
        status = fail(log, file, 0, GR_ERROR_VALUE, "the file has no vertices; a vertex line is: v x y z");
    }
    if (status != GR_OK) {
        gr_free(*points);
        *points = NULL;
        *count = 0;
    }
    return status;
}
