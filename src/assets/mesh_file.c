#include "mesh_file.h"

#include "alloc.h"
#include "file.h"
#include "number.h"
#include "obj_file.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
