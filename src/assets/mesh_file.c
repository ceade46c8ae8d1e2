/// Mesh files: Wavefront OBJ, or STL as text or binary. No library: only vertices and triangles are read.
#include "mesh_file.h"

#include "alloc.h"
#include "file.h"
#include "number.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- OBJ

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

static GrStatus fail_at(const Parser *p, int line, GrStatus status, const char *text)
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
        return fail_at(p, line->number, GR_ERROR_VALUE, "more than 100000 vertices");
    }
    const size_t length = (size_t)(line->end - line->at);
    if (length >= LINE_SIZE || memchr(line->at, '\0', length) != NULL) {
        return fail_at(p, line->number, GR_ERROR_SYNTAX, "the vertex line is too long or contains a zero byte");
    }
    char text[LINE_SIZE];
    GrVec3 vertex;
    memcpy(text, line->at, length);
    text[length] = '\0';
    if (!read_vertex(text, &vertex)) {
        return fail_at(p, line->number, GR_ERROR_SYNTAX, "a vertex needs three finite numbers: v x y z");
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
                return fail_at(p, line->number, GR_ERROR_VALUE, "more than 200000 triangles");
            }
            gr_surface_mesh_triangle(p->mesh, first, last, corner);
        }
        first = corners == 0 ? corner : first;
        last = corner;
    }
    return corners >= 3 ? GR_OK : fail_at(p, line->number, GR_ERROR_SYNTAX, "a face needs three corners: f 1 2 3");
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
        status = fail_at(&p, 0, GR_ERROR_VALUE, "the file has no vertices; a vertex line is: v x y z");
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

// ---- any mesh file

/// Binary STL: 80 bytes of text, the number of triangles, then for each a normal, three corners and 2 bytes.
enum { HEADER = 80, TRIANGLE = 50, NORMAL = 12, WORD_SIZE = 64 };

static GrStatus fail(GrErrorLog *log, const char *file, GrStatus status, const char *text)
{
    return gr_error_add(log, status, (GrLocation){.file = file}, "%s", text);
}

/// Little-endian, on any machine.
static uint32_t read_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static double read_float(const unsigned char *at)
{
    const uint32_t bits = read_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static GrStatus parse_binary(const unsigned char *bytes, uint32_t triangles, const char *file, GrSurfaceMesh *out,
                             GrErrorLog *log)
{
    for (uint32_t i = 0; i < 3 * triangles; i++) {
        const unsigned char *at = bytes + HEADER + 4 + (size_t)(i / 3) * TRIANGLE + NORMAL + (size_t)(i % 3) * 12;
        const GrVec3 p = {read_float(at), read_float(at + 4), read_float(at + 8)};
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = file},
                                "a corner of triangle %u is not finite", (unsigned)(i / 3 + 1));
        }
        gr_surface_mesh_vertex(out, p);
    }
    return GR_OK;
}

/// The unread part of a text.
typedef struct Text {
    const char *at, *end;
    int line; ///< of `at`, from 1
} Text;

/// The next word; false at the end. Longer words are cut.
static bool next_word(Text *text, char word[WORD_SIZE])
{
    size_t length = 0;
    while (text->at < text->end && strchr(" \t\r\n", *text->at) != NULL) {
        text->line += *text->at++ == '\n';
    }
    for (; text->at < text->end && strchr(" \t\r\n", *text->at) == NULL; text->at++) {
        if (length < WORD_SIZE - 1) {
            word[length++] = *text->at;
        }
    }
    word[length] = '\0';
    return length > 0;
}

static bool next_number(Text *text, double *out)
{
    char word[WORD_SIZE], *rest;
    if (!next_word(text, word)) {
        return false;
    }
    *out = gr_number_read(word, &rest);
    return *rest == '\0' && isfinite(*out);
}

static GrStatus parse_text(Text *text, const char *file, GrSurfaceMesh *out, GrErrorLog *log)
{
    for (char word[WORD_SIZE]; next_word(text, word);) {
        if (strcmp(word, "vertex") != 0) {
            continue;
        }
        const GrLocation place = {.file = file, .line = text->line};
        GrVec3 p;
        if (out->vertex_count == 3 * GR_MESH_TRIANGLES) {
            return gr_error_add(log, GR_ERROR_VALUE, place, "more than 200000 triangles");
        }
        if (!next_number(text, &p.x) || !next_number(text, &p.y) || !next_number(text, &p.z)) {
            return gr_error_add(log, GR_ERROR_SYNTAX, place, "a corner needs three finite numbers: vertex x y z");
        }
        gr_surface_mesh_vertex(out, p);
    }
    return out->vertex_count % 3 == 0 || out->failed
               ? GR_OK
               : gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = file, .line = text->line},
                              "the last triangle has only %d corners", out->vertex_count % 3);
}

static GrStatus parse_stl(const char *bytes, size_t length, const char *file, GrSurfaceMesh *out, GrErrorLog *log)
{
    const unsigned char *raw = (const unsigned char *)bytes;
    const uint64_t triangles = length >= HEADER + 4 ? read_u32(raw + HEADER) : 0;
    if (length < HEADER + 4 || length != HEADER + 4 + triangles * TRIANGLE) { // the size of a binary file
        return parse_text(&(Text){bytes, bytes + length, 1}, file, out, log);
    }
    return triangles <= GR_MESH_TRIANGLES ? parse_binary(raw, (uint32_t)triangles, file, out, log)
                                          : fail(log, file, GR_ERROR_VALUE, "more than 200000 triangles");
}

GrStatus gr_stl_parse(const char *bytes, size_t length, const char *file, GrSurfaceMesh *out, GrErrorLog *log)
{
    *out = (GrSurfaceMesh){0};
    GrStatus status = parse_stl(bytes, length, file, out, log);
    for (int i = 0; i + 2 < out->vertex_count && status == GR_OK; i += 3) {
        gr_surface_mesh_triangle(out, i, i + 1, i + 2);
    }
    if (status == GR_OK && out->failed) {
        status = gr_out_of_memory(log, file);
    } else if (status == GR_OK && out->triangle_count == 0) {
        status = fail(log, file, GR_ERROR_VALUE, "the file has no triangles");
    }
    if (status != GR_OK) {
        gr_surface_mesh_free(out);
    }
    return status;
}

static bool ends_with(const char *path, const char *end)
{
    const size_t length = strlen(path), tail = strlen(end);
    return length > tail && strcasecmp(path + length - tail, end) == 0;
}

GrStatus gr_mesh_file_read(const char *path, GrSurfaceMesh *out, GrErrorLog *log)
{
    *out = (GrSurfaceMesh){0};
    const bool obj = ends_with(path, ".obj");
    if (!obj && !ends_with(path, ".stl")) {
        return fail(log, path, GR_ERROR_UNSUPPORTED, "unknown mesh format; allowed: .obj, .stl");
    }
    char *bytes = NULL;
    size_t length = 0;
    GrStatus status = gr_file_read(path, GR_OBJ_BYTES, &bytes, &length, log);
    if (status == GR_OK) {
        status = (obj ? gr_obj_parse : gr_stl_parse)(bytes, length, path, out, log);
    }
    gr_free(bytes);
    return status;
}
