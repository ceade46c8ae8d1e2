#include "csv.h"

#include "alloc.h"
#include "file.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <string.h>

enum { LIMIT = 64 << 20 };

typedef struct Reader {
    char *at; ///< start of the next line
    const char *file;
    int line;
    char separator;
    GrCsv *out;
    int capacity; ///< rows
    GrErrorLog *log;
} Reader;

static GrStatus fail(const Reader *reader, int column, const char *text)
{
    return gr_error_add(reader->log, GR_ERROR_SYNTAX,
                        (GrLocation){.file = reader->file, .line = reader->line, .column = column}, "%s", text);
}

static GrStatus fail_memory(const Reader *reader)
{
    return gr_out_of_memory(reader->log, reader->file);
}

/// Cuts the next line that is neither empty nor a comment off the text; NULL at the end.
static char *next_line(Reader *reader)
{
    while (*reader->at != '\0') {
        char *line = reader->at;
        const size_t length = strcspn(line, "\n");
        reader->at = line + length + (line[length] == '\n');
        reader->line++;
        line[length] = '\0';
        if (length > 0 && line[length - 1] == '\r') {
            line[length - 1] = '\0';
        }
        line += strspn(line, " ");
        if (*line != '\0' && *line != '#') {
            return line;
        }
    }
    return NULL;
}

static char *trim(char *cell)
{
    cell += strspn(cell, " \t");
    size_t length = strlen(cell);
    while (length > 0 && (cell[length - 1] == ' ' || cell[length - 1] == '\t')) {
        cell[--length] = '\0';
    }
    return cell;
}

/// The quoted cell that begins at `cell`; its end goes to `*rest`. NULL when the quote is not closed.
static char *unquote(char *cell, char **rest)
{
    char *from = cell + 1, *to = cell;
    for (; *from != '\0'; from++) {
        if (*from == '"' && from[1] != '"') {
            *to = '\0';
            *rest = from + 1;
            return cell;
        }
        from += *from == '"';
        *to++ = *from;
    }
    return NULL;
}

/// Cuts a line into cells, at most `capacity` of them; −1 after an error.
static int split(const Reader *reader, char *line, char **cells, int capacity)
{
    int count = 0;
    for (char *at = line;;) {
        char *cell = at + strspn(at, " ");
        if (count == capacity) {
            return capacity + 1;
        }
        if (*cell == '"') {
            cell = unquote(cell, &at);
            if (cell == NULL) {
                fail(reader, count + 1, "a quote is not closed");
                return -1;
            }
            at += strspn(at, " ");
            if (*at != '\0' && *at != reader->separator) {
                fail(reader, count + 1, "text after a closing quote");
                return -1;
            }
        } else {
            const char end[] = {reader->separator, '\0'};
            at = cell + strcspn(cell, end);
        }
        const bool last = *at == '\0';
        *at = '\0';
        cells[count++] = trim(cell);
        if (last) {
            return count;
        }
        at++;
    }
}

static char find_separator(const char *line)
{
    static const char candidates[] = ",;\t";
    for (int i = 0; i < 3; i++) {
        if (strchr(line, candidates[i]) != NULL) {
            return candidates[i];
        }
    }
    return ',';
}

static GrStatus read_header(Reader *reader)
{
    GrCsv *csv = reader->out;
    char *line = next_line(reader);
    if (line == NULL) {
        return fail(reader, 0, "the table is empty; its first line names the columns");
    }
    reader->separator = find_separator(line);
    csv->names = gr_malloc(GR_CSV_COLUMNS * sizeof *csv->names);
    if (csv->names == NULL) {
        return fail_memory(reader);
    }
    const int count = split(reader, line, csv->names, GR_CSV_COLUMNS);
    if (count < 0) {
        return GR_ERROR_SYNTAX;
    }
    if (count > GR_CSV_COLUMNS) {
        return fail(reader, 0, "more than 4096 columns");
    }
    csv->column_count = count;
    for (int i = 0; i < count; i++) {
        if (gr_csv_find(csv, csv->names[i]) != i) {
            return gr_error_add(reader->log, GR_ERROR_NAME,
                                (GrLocation){.file = reader->file, .line = reader->line, .column = i + 1},
                                "there are two columns '%.60s'", csv->names[i]);
        }
    }
    return GR_OK;
}

static bool make_room(Reader *reader)
{
    GrCsv *csv = reader->out;
    if (csv->row_count < reader->capacity) {
        return true;
    }
    const int capacity = reader->capacity > 0 ? 2 * reader->capacity : 64;
    char **cells = gr_realloc(csv->cells, (size_t)capacity * (size_t)csv->column_count * sizeof *cells);
    if (cells == NULL) {
        return false;
    }
    csv->cells = cells;
    int *lines = gr_realloc(csv->lines, (size_t)capacity * sizeof *lines);
    if (lines == NULL) {
        return false;
    }
    csv->lines = lines;
    reader->capacity = capacity;
    return true;
}

static GrStatus read_rows(Reader *reader)
{
    GrCsv *csv = reader->out;
    for (char *line; (line = next_line(reader)) != NULL;) {
        if (!make_room(reader)) {
            return fail_memory(reader);
        }
        const int count = split(reader, line, csv->cells + csv->row_count * csv->column_count, csv->column_count);
        if (count < 0) {
            return GR_ERROR_SYNTAX;
        }
        if (count != csv->column_count) {
            return gr_error_add(reader->log, GR_ERROR_SYNTAX, (GrLocation){.file = reader->file, .line = reader->line},
                                "the line has %s cells than the %d columns of the header",
                                count > csv->column_count ? "more" : "fewer", csv->column_count);
        }
        csv->lines[csv->row_count++] = reader->line;
    }
    return GR_OK;
}

GrStatus gr_csv_parse(const char *text, size_t length, const char *file, GrCsv *out, GrErrorLog *log)
{
    *out = (GrCsv){0};
    Reader reader = {.file = file, .out = out, .log = log};
    if (memchr(text, '\0', length) != NULL) {
        return fail(&reader, 0, "not text: it contains a zero byte");
    }
    out->text = gr_malloc(length + 1);
    if (out->text == NULL) {
        return fail_memory(&reader);
    }
    memcpy(out->text, text, length);
    out->text[length] = '\0';
    reader.at = out->text + (strncmp(out->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    GrStatus status = read_header(&reader);
    if (status == GR_OK) {
        status = read_rows(&reader);
    }
    if (status != GR_OK) {
        gr_csv_free(out);
    }
    return status;
}

GrStatus gr_csv_load(const char *path, GrCsv *out, GrErrorLog *log)
{
    char *data;
    size_t size;
    *out = (GrCsv){0};
    GrStatus status = gr_file_read(path, LIMIT, &data, &size, log);
    if (status == GR_OK) {
        status = gr_csv_parse(data, size, path, out, log);
        gr_free(data);
    }
    return status;
}

void gr_csv_free(GrCsv *csv)
{
    gr_free(csv->text);
    gr_free(csv->names);
    gr_free(csv->cells);
    gr_free(csv->lines);
    *csv = (GrCsv){0};
}

int gr_csv_find(const GrCsv *csv, const char *name)
{
    for (int i = 0; i < csv->column_count; i++) {
        if (strcmp(csv->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

/// Whether a spreadsheet would take a cell for a formula and compute it.
static bool is_formula(const char *text)
{
    char *end;
    if (text[0] == '\0' || strchr("=+-@\t\r", text[0]) == NULL) {
        return false;
    }
    gr_number_read(text, &end);
    return end == text || *end != '\0';
}

void gr_csv_put(GrBuffer *out, const char *text)
{
    const bool formula = is_formula(text);
    if (!formula && strpbrk(text, ",;\"\r\n") == NULL) {
        gr_buffer_text(out, text);
        return;
    }
    gr_buffer_puts(out, formula ? "\"'" : "\"");
    for (const char *c = text; *c != '\0';) {
        const GrGlyph glyph = gr_text_glyph(c);
        gr_buffer_puts(out, *c == '"' ? "\"" : "");
        gr_buffer_add(out, glyph.text, (size_t)glyph.size);
        c += glyph.taken;
    }
    gr_buffer_puts(out, "\"");
}
