#include "editor.h"

#include "alloc.h"
#include "chunk.h"
#include "document.h"
#include "editor_rover.h"
#include "file.h"
#include "find.h"
#include "grouser/terrain.h"
#include "json.h"
#include "messages.h"
#include "out_of_memory.h"
#include "shipped.h"
#include "text.h"
#include "text_edit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY = 200 }; ///< steps that can be undone

typedef struct Version {
    char *text;
    size_t size;
} Version;

struct GrEditor {
    char file[GR_FILE_PATH_SIZE];
    Version versions[HISTORY + 1];
    int count, at; ///< versions[at] is the working text
    bool is_rover;
    Version saved; ///< what the file contains; no text: there is no file
};

// ---- history

static bool copy_version(const char *text, size_t size, Version *out)
{
    *out = (Version){gr_malloc(size + 1), size};
    if (out->text != NULL) {
        memcpy(out->text, text, size);
        out->text[size] = '\0';
    }
    return out->text != NULL;
}

static void forget(GrEditor *editor, int from, int count)
{
    for (int i = from; i < from + count; i++) {
        gr_free(editor->versions[i].text);
    }
    editor->count -= count;
    memmove(&editor->versions[from], &editor->versions[from + count],
            (size_t)(editor->count - from) * sizeof editor->versions[0]);
}

/// Makes a text the working one.
static GrStatus push(GrEditor *editor, const char *text, size_t size, GrErrorLog *log)
{
    Version version;
    const Version *now = editor->count > 0 ? &editor->versions[editor->at] : NULL;
    if (now != NULL && now->size == size && memcmp(now->text, text, size) == 0) {
        return GR_OK;
    }
    if (size > GR_DOCUMENT_BYTES) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = editor->file}, "more than 1 MiB of text");
    }
    if (!copy_version(text, size, &version)) {
        return gr_out_of_memory(log, editor->file);
    }
    if (editor->count > 0) {
        forget(editor, editor->at + 1, editor->count - editor->at - 1); // what was undone
    }
    if (editor->count == HISTORY + 1) {
        forget(editor, 0, 1);
    }
    editor->at = editor->count++;
    editor->versions[editor->at] = version;
    return GR_OK;
}

// ---- opening

/// A text in quotes: one of JSON is one of YAML.
static void put_quoted(const char *text, GrBuffer *out)
{
    GrJson json = gr_json_to_buffer(out, false);
    gr_json_string(&json, NULL, text);
}

/// The text of a scenario on a map. The scenario is in the working folder unless it is saved `elsewhere`.
static void put_map_scenario(const char *map, bool elsewhere, GrBuffer *out)
{
    const char *slash = strrchr(map, '/');
    char room[PATH_MAX];
    const char *whole = elsewhere ? realpath(map, room) : NULL;
    gr_buffer_puts(out, "# A scenario on a map; grouser help scenario explains every key.\ntitle: ");
    put_quoted(slash != NULL ? slash + 1 : map, out);
    gr_buffer_puts(out, "\n\nrover: mer_like\nsoil: mars_sand\ngravity: mars\n\nterrain:\n  file: ");
    put_quoted(whole != NULL ? whole : map, out);
    gr_buffer_puts(out, "\n\nstart: {x_m: 0, y_m: 0, heading_deg: 0}\n\ndrive:\n  speed_mps: 0.05\n"
                        "  path: [[5, 0]]\n\nstop: {time_s: 600}\n");
}

/// NAME.yaml in the working folder, which must not exist.
static GrStatus name_new_file(const char *given, char out[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    const char *slash = strrchr(given, '/'), *name = slash != NULL ? slash + 1 : given;
    const char *dot = strrchr(name, '.');
    const int length = dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name);
    if (snprintf(out, GR_FILE_PATH_SIZE, "%.*s.yaml", length, name) >= GR_FILE_PATH_SIZE) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = given}, "the path is too long");
    }
    return !gr_file_exists(out) ? GR_OK
                                : gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = out},
                                               "exists: open it in place of %s, or give another name (-o)", given);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static void see_rover(void *context, const char *path, const char *value, int line)
{
    bool *is_rover = context;
    (void)value, (void)line;
    *is_rover = *is_rover || strncmp(path, "bodies.", 7) == 0 || strcmp(path, "urdf") == 0;
}

/// Path of a shipped scenario or rover, or of a file.
static GrStatus find_given(const char *given, char path[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    const bool rover = strpbrk(given, "./") == NULL && !gr_shipped_find("scenarios", given, ".yaml", path) &&
                       gr_shipped_find("rovers", given, ".yaml", path);
    return rover ? GR_OK : gr_find_file("scenarios", "scenario", given, path, log);
}

/// Whether a map can be read at all: its header is.
static GrStatus try_map(const char *path, GrErrorLog *log)
{
    const GrRasterOptions options = gr_default_raster_options();
    const GrLayerDef layer = gr_default_layer_def();
    GrTerrain *terrain = NULL;
    GrStatus status = gr_file_check_input(path, log);
    if (status == GR_OK && !gr_file_exists(path)) {
        status = gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "there is no such file");
    }
    if (status == GR_OK) {
        status = gr_terrain_create(&terrain, log);
    }
    status = status == GR_OK ? gr_terrain_add_file(terrain, path, &options, &layer, log) : status;
    gr_terrain_free(terrain);
    return status;
}

/// Finds what was given and where it is saved, and reads its text.
static GrStatus read_given(GrEditor *editor, const char *given, const char *save_as, Version *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    const bool shipped = strpbrk(given, "./") == NULL, yaml = ends_with(given, ".yaml") || ends_with(given, ".yml");
    GrStatus status = find_given(given, path, log);
    status = status == GR_OK && !yaml && !shipped ? try_map(path, log) : status;
    if (status == GR_OK && save_as != NULL) {
        status = gr_text_copy(editor->file, sizeof editor->file, save_as) != 0
                     ? GR_OK
                     : gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = save_as}, "the path is too long");
    } else if (status == GR_OK && !shipped && yaml) {
        gr_text_copy(editor->file, sizeof editor->file, path);
    } else if (status == GR_OK) {
        status = name_new_file(given, editor->file, log);
    }
    if (status == GR_OK && (yaml || shipped)) {
        status = gr_file_read(path, GR_DOCUMENT_BYTES, &out->text, &out->size, log);
        if (status == GR_OK && strcmp(path, editor->file) == 0 && !copy_version(out->text, out->size, &editor->saved)) {
            return gr_out_of_memory(log, given);
        }
    } else if (status == GR_OK) {
        GrBuffer text = {0};
        put_map_scenario(path, save_as != NULL && strchr(save_as, '/') != NULL, &text);
        *out = (Version){text.data, text.size};
        return text.failed ? gr_out_of_memory(log, given) : GR_OK;
    }
    return status;
}

GrEditor *gr_editor_open(const char *given, const char *save_as, GrErrorLog *log)
{
    GrEditor *editor = gr_calloc(1, sizeof *editor);
    Version text = {0};
    if (editor == NULL) {
        gr_out_of_memory(log, given);
        return NULL;
    }
    GrStatus status = read_given(editor, given, save_as, &text, log);
    if (status == GR_OK) {
        status = push(editor, text.text, text.size, log);
        gr_text_values(text.text, text.size, see_rover, &editor->is_rover);
    }
    gr_free(text.text);
    if (status != GR_OK) {
        gr_editor_free(editor);
        return NULL;
    }
    return editor;
}

void gr_editor_free(GrEditor *editor)
{
    if (editor != NULL) {
        forget(editor, 0, editor->count);
        gr_free(editor->saved.text);
        gr_free(editor);
    }
}

// ---- changes

static GrStatus edit_values(GrEditor *editor, const GrMessage *message, GrErrorLog *log)
{
    GrBuffer texts[2] = {{0}, {0}};
    const Version *now = &editor->versions[editor->at];
    const char *text = now->text;
    size_t size = now->size;
    GrStatus status = GR_OK;
    for (int i = 0; i < message->set_count && status == GR_OK; i++) {
        GrBuffer *out = &texts[i % 2];
        out->size = 0;
        status = gr_text_edit(text, size, gr_message_set(message, i), out, log);
        text = out->data;
        size = out->size;
    }
    status = status == GR_OK ? push(editor, text, size, log) : status;
    gr_buffer_free(&texts[0]);
    gr_buffer_free(&texts[1]);
    return status;
}

/// Start of a line, from 1; beyond the last one: the end of the text.
static size_t line_offset(const Version *text, int line)
{
    const char *at = text->text;
    for (int i = 1; i < line && at != NULL; i++) {
        const char *line_end = strchr(at, '\n');
        at = line_end != NULL ? line_end + 1 : NULL;
    }
    return at != NULL ? (size_t)(at - text->text) : text->size;
}

static GrStatus edit_lines(GrEditor *editor, const GrMessage *message, GrErrorLog *log)
{
    const Version *now = &editor->versions[editor->at];
    const size_t begin = line_offset(now, message->first), end = line_offset(now, message->last + 1);
    const size_t length = strlen(message->set);
    GrBuffer text = {0};
    gr_buffer_add(&text, now->text, begin);
    gr_buffer_puts(&text, begin > 0 && now->text[begin - 1] != '\n' && length > 0 ? "\n" : "");
    gr_buffer_add(&text, message->set, length);
    gr_buffer_puts(&text, length > 0 && message->set[length - 1] != '\n' && end < now->size ? "\n" : "");
    gr_buffer_add(&text, now->text + end, now->size - end);
    const GrStatus status = text.failed ? gr_out_of_memory(log, editor->file)
                                        : push(editor, text.data != NULL ? text.data : "", text.size, log);
    gr_buffer_free(&text);
    return status;
}

GrStatus gr_editor_change(GrEditor *editor, const GrMessage *message, GrErrorLog *log)
{
    switch ((int)message->op) {
    case GR_MESSAGE_EDIT:
        return edit_values(editor, message, log);
    case GR_MESSAGE_LINES_OF_TEXT:
        return edit_lines(editor, message, log);
    case GR_MESSAGE_UNDO:
        editor->at -= editor->at > 0;
        return GR_OK;
    case GR_MESSAGE_REDO:
        editor->at += editor->at + 1 < editor->count;
        return GR_OK;
    default:
        return GR_OK;
    }
}

static bool is_same(const Version *a, const char *text, size_t size)
{
    return a->text != NULL && a->size == size && memcmp(a->text, text, size) == 0;
}

/// Whether the file is as it was read or saved.
static bool is_untouched(const GrEditor *editor)
{
    char *text;
    size_t size;
    GrErrorLog log = {.quiet = true};
    if (!gr_file_exists(editor->file)) {
        return true; // removed, or not made yet: nothing is lost
    }
    const bool read = gr_file_read(editor->file, GR_DOCUMENT_BYTES, &text, &size, &log) == GR_OK;
    const bool same = read && is_same(&editor->saved, text, size);
    if (read) {
        gr_free(text);
    }
    return same;
}

GrStatus gr_editor_save(GrEditor *editor, bool force, GrErrorLog *log)
{
    const Version *now = &editor->versions[editor->at];
    Version saved;
    if (!force && !is_untouched(editor)) {
        return gr_error_add(log, GR_ERROR_BUSY, (GrLocation){.file = editor->file},
                            "another program has changed this file since it was opened");
    }
    if (!copy_version(now->text, now->size, &saved)) {
        return gr_out_of_memory(log, editor->file);
    }
    const GrStatus status = gr_file_write(editor->file, now->text, now->size, log);
    Version *old = status == GR_OK ? &editor->saved : &saved;
    gr_free(old->text);
    if (status == GR_OK) {
        editor->saved = saved;
    }
    return status;
}

const char *gr_editor_text(const GrEditor *editor, size_t *size)
{
    *size = editor->versions[editor->at].size;
    return editor->versions[editor->at].text;
}

bool gr_editor_is_rover(const GrEditor *editor)
{
    return editor->is_rover;
}

const char *gr_editor_file(const GrEditor *editor)
{
    return editor->file;
}

typedef struct Search {
    const char *file; ///< of the text
    char *out;
    bool found;
} Search;

static void find_map(void *context, const char *path, const char *value, int line)
{
    Search *search = context;
    (void)line;
    if (strcmp(path, "terrain.file") == 0) {
        search->found = gr_file_beside(search->file, value, search->out);
    }
}

bool gr_editor_map(const GrEditor *editor, char *out)
{
    const Version *now = &editor->versions[editor->at];
    Search search = {editor->file, out, false};
    return gr_text_values(now->text, now->size, find_map, &search) == GR_OK && search.found;
}

// ---- what viewers get

static void put_value(void *json, const char *path, const char *value, int line)
{
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "path", path);
    gr_json_string(json, "value", value);
    gr_json_integer(json, "line", line);
    gr_json_end(json);
}

static void put_messages(const GrEditor *editor, const GrErrorLog *log, GrJson *json)
{
    gr_json_begin_array(json, "messages");
    for (int i = 0; gr_messages_at(log, i) != NULL; i++) {
        const GrError *error = gr_messages_at(log, i);
        const bool here = error->file[0] == '\0' || strcmp(error->file, editor->file) == 0;
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "severity", gr_severity_name(error->severity));
        gr_json_string(json, "file", here ? "" : error->file);
        gr_json_integer(json, "line", here ? error->line : 0);
        gr_json_string(json, "field", error->field);
        gr_json_string(json, "text", error->text);
        gr_json_end(json);
    }
    gr_json_end(json);
}

void gr_editor_put(const GrEditor *editor, const GrErrorLog *messages, const char *note, GrBuffer *chunk)
{
    const Version *now = &editor->versions[editor->at];
    GrBuffer text = {0};
    GrJson json = gr_json_to_buffer(&text, false);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "kind", editor->is_rover ? "rover" : "scenario");
    gr_json_string(&json, "file", editor->file);
    gr_json_bool(&json, "saved", is_same(&editor->saved, now->text, now->size));
    gr_json_integer(&json, "undo", editor->at);
    gr_json_integer(&json, "redo", editor->count - 1 - editor->at);
    gr_json_bool(&json, "valid", messages->error_count == 0);
    gr_json_string(&json, "note", note);
    gr_json_string(&json, "text", now->text);
    gr_json_begin_array(&json, "values");
    gr_text_values(now->text, now->size, put_value, &json);
    gr_json_end(&json);
    put_messages(editor, messages, &json);
    if (editor->is_rover && messages->error_count == 0) {
        GrErrorLog log = {.quiet = true};
        gr_editor_check_rover(editor, &json, &log);
    }
    gr_json_end(&json);
    gr_json_finish(&json);
    gr_chunk_put(chunk, "EDIT", text.failed ? "" : text.data, text.failed ? 0 : text.size);
    chunk->failed = chunk->failed || text.failed;
    gr_buffer_free(&text);
}
