#include "mesh_points.h"

#include "alloc.h"
#include "file.h"
#include "obj_points.h"
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

static GrStatus parse_binary(const unsigned char *bytes, uint32_t triangles, const char *file, GrVec3 *points,
                             GrErrorLog *log)
{
    for (uint32_t i = 0; i < 3 * triangles; i++) {
        const unsigned char *at = bytes + HEADER + 4 + (size_t)(i / 3) * TRIANGLE + NORMAL + (size_t)(i % 3) * 12;
        points[i] = (GrVec3){read_float(at), read_float(at + 4), read_float(at + 8)};
        if (!isfinite(points[i].x) || !isfinite(points[i].y) || !isfinite(points[i].z)) {
            return fail(log, file, GR_ERROR_VALUE, "a corner is not finite");
        }
    }
    return GR_OK;
}

/// The next word of a text; false at its end. Longer words are cut.
static bool next_word(const char **at, const char *end, char word[WORD_SIZE])
{
    size_t length = 0;
    while (*at < end && strchr(" \t\r\n", **at) != NULL) {
        (*at)++;
    }
    for (; *at < end && strchr(" \t\r\n", **at) == NULL; (*at)++) {
        if (length < WORD_SIZE - 1) {
            word[length++] = **at;
        }
    }
    word[length] = '\0';
    return length > 0;
}

static bool next_number(const char **at, const char *end, double *out)
{
    char word[WORD_SIZE], *rest;
    if (!next_word(at, end, word)) {
        return false;
    }
    *out = strtod(word, &rest);
    return *rest == '\0' && isfinite(*out);
}

static GrStatus parse_text(const char *text, size_t length, const char *file, GrVec3 *points, int *count,
                           GrErrorLog *log)
{
    const char *at = text, *end = text + length;
    for (char word[WORD_SIZE]; next_word(&at, end, word);) {
        if (strcmp(word, "vertex") != 0) {
            continue;
        }
        if (*count == GR_STL_POINTS) {
            return fail(log, file, GR_ERROR_VALUE, "more than 200000 triangles");
        }
        GrVec3 *p = &points[*count];
        if (!next_number(&at, end, &p->x) || !next_number(&at, end, &p->y) || !next_number(&at, end, &p->z)) {
            return fail(log, file, GR_ERROR_SYNTAX, "a corner needs three finite numbers: vertex x y z");
        }
        (*count)++;
    }
    return GR_OK;
}

GrStatus gr_stl_parse(const char *bytes, size_t length, const char *file, GrVec3 **points, int *count, GrErrorLog *log)
{
    const unsigned char *raw = (const unsigned char *)bytes;
    const uint64_t triangles = length >= HEADER + 4 ? read_u32(raw + HEADER) : 0;
    const bool binary =
        length >= HEADER + 4 && length == HEADER + 4 + triangles * TRIANGLE; // a text file does not have this size
    GrStatus status = GR_OK;
    *count = 0;
    *points = NULL;
    if (binary && 3 * triangles > GR_STL_POINTS) {
        return fail(log, file, GR_ERROR_VALUE, "more than 200000 triangles");
    }
    *points = gr_malloc(sizeof **points * (binary ? 3 * (size_t)triangles + 1 : (size_t)GR_STL_POINTS));
    if (*points == NULL) {
        return gr_out_of_memory(log, file);
    }
    if (binary) {
        status = parse_binary(raw, (uint32_t)triangles, file, *points, log);
        *count = (int)(3 * triangles);
    } else {
        status = parse_text(bytes, length, file, *points, count, log);
    }
    if (status == GR_OK && *count == 0) {
        status = fail(log, file, GR_ERROR_VALUE, "the file has no triangles");
    }
    if (status != GR_OK) {
        gr_free(*points);
        *points = NULL;
        *count = 0;
    }
    return status;
}

static bool ends_with(const char *path, const char *end)
{
    const size_t length = strlen(path), tail = strlen(end);
    return length > tail && strcasecmp(path + length - tail, end) == 0;
}

GrStatus gr_mesh_points_read(const char *path, GrVec3 **points, int *count, GrErrorLog *log)
{
    *points = NULL;
    *count = 0;
    const bool obj = ends_with(path, ".obj");
    if (!obj && !ends_with(path, ".stl")) {
        return fail(log, path, GR_ERROR_UNSUPPORTED, "unknown mesh format; allowed: .obj, .stl");
    }
    char *bytes = NULL;
    size_t length = 0;
    GrStatus status = gr_file_read(path, GR_OBJ_BYTES, &bytes, &length, log);
    if (status == GR_OK) {
        status = (obj ? gr_obj_parse : gr_stl_parse)(bytes, length, path, points, count, log);
    }
    gr_free(bytes);
    return status;
}
