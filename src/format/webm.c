#include "webm.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/// Elements, by their identifiers with the marker of length.
enum {
    EBML = 0x1A45DFA3,
    EBML_VERSION = 0x4286,
    EBML_READ_VERSION = 0x42F7,
    EBML_ID_LENGTH = 0x42F2,
    EBML_SIZE_LENGTH = 0x42F3,
    DOC_TYPE = 0x4282,
    DOC_VERSION = 0x4287,
    DOC_READ_VERSION = 0x4285,
    SEGMENT = 0x18538067,
    INFO = 0x1549A966,
    TIMESTAMP_SCALE = 0x2AD7B1,
    DURATION = 0x4489,
    MUXING_APP = 0x4D80,
    WRITING_APP = 0x5741,
    TRACKS = 0x1654AE6B,
    TRACK_ENTRY = 0xAE,
    TRACK_NUMBER = 0xD7,
    TRACK_UID = 0x73C5,
    TRACK_TYPE = 0x83,
    FLAG_LACING = 0x9C,
    CODEC_ID = 0x86,
    VIDEO = 0xE0,
    PIXEL_WIDTH = 0xB0,
    PIXEL_HEIGHT = 0xBA,
    CLUSTER = 0x1F43B675,
    TIMESTAMP = 0xE7,
    SIMPLE_BLOCK = 0xA3,
    CUES = 0x1C53BB6B,
    CUE_POINT = 0xBB,
    CUE_TIME = 0xB3,
    CUE_POSITIONS = 0xB7,
    CUE_TRACK = 0xF7,
    CUE_CLUSTER = 0xF1,
};

enum { LONGEST_CLUSTER = 30000 }; // times in a cluster have 16 bits [ms]

// ---- elements

static void put_big(GrBuffer *out, uint64_t value, int size)
{
    char bytes[8];
    for (int i = 0; i < size; i++) {
        bytes[i] = (char)(value >> (8 * (size - 1 - i)) & 0xFF);
    }
    gr_buffer_add(out, bytes, (size_t)size);
}

static int bytes_of(uint64_t value)
{
    int size = 1;
    while (size < 8 && value >> (8 * size) != 0) {
        size++;
    }
    return size;
}

/// Identifier and size; the size has eight bytes, of which the first says so.
static void put_head(GrBuffer *out, uint32_t id, uint64_t size)
{
    put_big(out, id, bytes_of(id));
    put_big(out, (uint64_t)1 << 56 | size, 8);
}

static void put_unsigned(GrBuffer *out, uint32_t id, uint64_t value)
{
    put_head(out, id, (uint64_t)bytes_of(value));
    put_big(out, value, bytes_of(value));
}

static void put_text(GrBuffer *out, uint32_t id, const char *text)
{
    put_head(out, id, strlen(text));
    gr_buffer_puts(out, text);
}

/// Moves what is in `inside` into an element.
static void put_element(GrBuffer *out, uint32_t id, GrBuffer *inside)
{
    put_head(out, id, inside->size);
    gr_buffer_add(out, inside->data, inside->size);
    out->failed = out->failed || inside->failed;
    inside->size = 0;
}

// ---- the file

void gr_webm_begin(GrWebm *webm, const char *codec, int width, int height)
{
    *webm = (GrWebm){.width = width, .height = height};
    snprintf(webm->codec, sizeof webm->codec, "%s", codec);
}

/// Closes the cluster in progress and notes where it begins, counted from the first cluster.
static void end_cluster(GrWebm *webm)
{
    if (webm->cluster.size == 0) {
        return;
    }
    put_big(&webm->cues, (uint64_t)webm->begin, 8);
    put_big(&webm->cues, webm->clusters.size, 8);
    put_element(&webm->clusters, CLUSTER, &webm->cluster);
}

void gr_webm_frame(GrWebm *webm, long milliseconds, bool key, const void *data, size_t size)
{
    if (key || webm->cluster.size == 0 || milliseconds - webm->begin > LONGEST_CLUSTER) {
        end_cluster(webm);
        webm->begin = milliseconds;
        put_unsigned(&webm->cluster, TIMESTAMP, (uint64_t)milliseconds);
    }
    put_head(&webm->cluster, SIMPLE_BLOCK, 4 + size);
    put_big(&webm->cluster, 0x81, 1); // track 1
    put_big(&webm->cluster, (uint64_t)(milliseconds - webm->begin), 2);
    put_big(&webm->cluster, key ? 0x80 : 0, 1);
    gr_buffer_add(&webm->cluster, data, size);
}

static void put_header(GrBuffer *out)
{
    GrBuffer inside = {0};
    put_unsigned(&inside, EBML_VERSION, 1);
    put_unsigned(&inside, EBML_READ_VERSION, 1);
    put_unsigned(&inside, EBML_ID_LENGTH, 4);
    put_unsigned(&inside, EBML_SIZE_LENGTH, 8);
    put_text(&inside, DOC_TYPE, "webm");
    put_unsigned(&inside, DOC_VERSION, 4);
    put_unsigned(&inside, DOC_READ_VERSION, 2);
    put_element(out, EBML, &inside);
    gr_buffer_free(&inside);
}

static void put_info(GrBuffer *out, long duration)
{
    GrBuffer inside = {0};
    const double value = (double)duration;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_unsigned(&inside, TIMESTAMP_SCALE, 1000000); // [ns] of a millisecond
    put_text(&inside, MUXING_APP, "grouser");
    put_text(&inside, WRITING_APP, "grouser");
    put_head(&inside, DURATION, 8);
    put_big(&inside, bits, 8);
    put_element(out, INFO, &inside);
    gr_buffer_free(&inside);
}

static void put_tracks(const GrWebm *webm, GrBuffer *out)
{
    GrBuffer video = {0}, entry = {0}, tracks = {0};
    put_unsigned(&video, PIXEL_WIDTH, (uint64_t)webm->width);
    put_unsigned(&video, PIXEL_HEIGHT, (uint64_t)webm->height);
    put_unsigned(&entry, TRACK_NUMBER, 1);
    put_unsigned(&entry, TRACK_UID, 1);
    put_unsigned(&entry, TRACK_TYPE, 1); // video
    put_unsigned(&entry, FLAG_LACING, 0);
    put_text(&entry, CODEC_ID, webm->codec);
    put_element(&entry, VIDEO, &video);
    put_element(&tracks, TRACK_ENTRY, &entry);
    put_element(out, TRACKS, &tracks);
    gr_buffer_free(&video);
    gr_buffer_free(&entry);
    gr_buffer_free(&tracks);
}

static uint64_t read_big(const char *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | (unsigned char)at[i];
    }
    return value;
}

/// `first`: place of the first cluster in the segment.
static void put_cues(const GrWebm *webm, size_t first, GrBuffer *out)
{
    GrBuffer positions = {0}, point = {0}, cues = {0};
    for (size_t i = 0; i + 16 <= webm->cues.size; i += 16) {
        put_unsigned(&positions, CUE_TRACK, 1);
        put_unsigned(&positions, CUE_CLUSTER, first + read_big(webm->cues.data + i + 8));
        put_unsigned(&point, CUE_TIME, read_big(webm->cues.data + i));
        put_element(&point, CUE_POSITIONS, &positions);
        put_element(&cues, CUE_POINT, &point);
    }
    put_element(out, CUES, &cues);
    gr_buffer_free(&positions);
    gr_buffer_free(&point);
    gr_buffer_free(&cues);
}

GrStatus gr_webm_end(GrWebm *webm, long duration, GrBuffer *out)
{
    GrBuffer head = {0}, tail = {0};
    end_cluster(webm);
    put_info(&head, duration);
    put_tracks(webm, &head);
    put_cues(webm, head.size, &tail);
    put_header(out);
    put_head(out, SEGMENT, head.size + webm->clusters.size + tail.size);
    gr_buffer_add(out, head.data, head.size);
    gr_buffer_add(out, webm->clusters.data, webm->clusters.size);
    gr_buffer_add(out, tail.data, tail.size);
    const bool failed = out->failed || head.failed || tail.failed || webm->clusters.failed || webm->cues.failed;
    gr_buffer_free(&head);
    gr_buffer_free(&tail);
    gr_buffer_free(&webm->cluster);
    gr_buffer_free(&webm->clusters);
    gr_buffer_free(&webm->cues);
    return failed ? GR_ERROR_MEMORY : GR_OK;
}
