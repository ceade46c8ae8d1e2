#include "obj_file.h"

#include "number.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 256, INDEX_MAX = 1000000000 };

/// A line of the file without leading blanks and without its end.
typedef struct Line {
    const char *at, *end;
    int number;
} Line;

typedef struct Parser {
    const char *file;
    GrSurfaceMesh *mesh;
    int vertices; ///< above the line
    GrErrorLog *log;
} Parser;

static GrStatus fail(const Parser *p, int line, GrStatus status, const char *text)
{
    return gr_error_add(p->log, status, (GrLocation){.file = p->file, .line = line}, "%s", text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool begins_with(const Line *line, char keyword)
{
    return line->end - line->at >= 2 && line->at[0] == keyword && is_blank(line->at[1]);
}

// ---- vertices

/// "v x y z" and anything that follows (a weight, a colour). False when a number is missing or not finite.
static bool read_vertex(const char *line, GrVec3 *out)
{
    double values[3];
    const char *at = line + 1;
    for (int i = 0; i < 3; i++) {
        char *end;
        values[i] = gr_number_read(at, &end);
        if (end == at || !isfinite(values[i]) || (*end != '\0' && !is_blank(*end))) {
            return false;
        }
        at = end;
    }
    *out = (GrVec3){values[0], values[1], values[2]};
    return true;
}

static GrStatus take_vertex(Parser *p, const Line *line)
{
    if (!begins_with(line, 'v')) {
        return GR_OK;
    }
    if (p->mesh->vertex_count == GR_OBJ_POINTS) {
        return fail(p, line->number, GR_ERROR_VALUE, "more than 100000 vertices");
    }
    const size_t length = (size_t)(line->end - line->at);
    if (length >= LINE_SIZE || memchr(line->at, '\0', length) != NULL) {
        return fail(p, line->number, GR_ERROR_SYNTAX, "the vertex line is too long or contains a zero byte");
    }
    char text[LINE_SIZE];
    GrVec3 vertex;
    memcpy(text, line->at, length);
    text[length] = '\0';
    if (!read_vertex(text, &vertex)) {
        return fail(p, line->number, GR_ERROR_SYNTAX, "a vertex needs three finite numbers: v x y z");
    }
    gr_surface_mesh_vertex(p->mesh, vertex);
    return GR_OK;
}

// ---- faces

/// The vertex of the next corner, counted from 0; −1: it is not a number, or there is no such vertex. Numbers of
/// texture coordinates and normals that follow are skipped.
static int next_corner(const Parser *p, Line *line)
{
    const bool from_end = *line->at == '-';
    const char *const first = line->at + from_end;
    int value = 0;
    for (line->at = first; line->at < line->end && *line->at >= '0' && *line->at <= '9'; line->at++) {
        value = value < INDEX_MAX / 10 ? 10 * value + (*line->at - '0') : INDEX_MAX;
    }
    const bool number = line->at > first && (line->at == line->end || is_blank(*line->at) || *line->at == '/');
    while (line->at < line->end && !is_blank(*line->at)) {
        line->at++;
    }
    const int index = from_end ? p->vertices - value : value - 1;
    return number && value > 0 && index >= 0 && index < p->mesh->vertex_count ? index : -1;
}

static GrStatus take_face(Parser *p, const Line *line)
{
    p->vertices += begins_with(line, 'v');
    if (!begins_with(line, 'f')) {
        return GR_OK;
    }
    Line rest = {line->at + 1, line->end, line->number};
    int corners = 0, first = 0, last = 0;
    for (;; corners++) {
        while (rest.at < rest.end && is_blank(*rest.at)) {
            rest.at++;
        }
        if (rest.at == rest.end) {
            break;
        }
        const int corner = next_corner(p, &rest);
        if (corner < 0) {
            return gr_error_add(p->log, GR_ERROR_VALUE, (GrLocation){.file = p->file, .line = line->number},
                                "a corner of the face is not one of the %d vertices: f 1 2 3", p->mesh->vertex_count);
        }
        if (corners >= 2) {
            if (p->mesh->triangle_count == GR_MESH_TRIANGLES) {
                return fail(p, line->number, GR_ERROR_VALUE, "more than 200000 triangles");
            }
            gr_surface_mesh_triangle(p->mesh, first, last, corner);
        }
        first = corners == 0 ? corner : first;
        last = corner;
    }
    return corners >= 3 ? GR_OK : fail(p, line->number, GR_ERROR_SYNTAX, "a face needs three corners: f 1 2 3");
}

// ---- file

static GrStatus each_line(Parser *p, const char *text, size_t length, GrStatus (*take)(Parser *, const Line *))
{
    GrStatus status = GR_OK;
    int number = 0;
    for (size_t at = 0; at < length && status == GR_OK;) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t size = end != NULL ? (size_t)(end - (text + at)) : length - at;
        Line line = {text + at, text + at + size, ++number};
        while (line.at < line.end && is_blank(*line.at)) {
            line.at++;
        }
        status = take(p, &line);
        at += size + 1;
    }
    return status;
}

GrStatus gr_obj_parse(const char *text, size_t length, const char *file, GrSurfaceMesh *out, GrErrorLog *log)
{
    *out = (GrSurfaceMesh){0};
    Parser p = {file, out, 0, log};
    GrStatus status = each_line(&p, text, length, take_vertex);
    if (status == GR_OK && out->vertex_count == 0 && !out->failed) {
        status = fail(&p, 0, GR_ERROR_VALUE, "the file has no vertices; a vertex line is: v x y z");
    }
    status = status == GR_OK ? each_line(&p, text, length, take_face) : status;
    if (status == GR_OK && out->failed) {
        status = gr_out_of_memory(log, file);
    }
    if (status != GR_OK) {
        gr_surface_mesh_free(out);
    }
    return status;
}
