#include "text_grid.h"

#include "alloc.h"
#include "file.h"
#include "number.h"
#include "out_of_memory.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_BYTES = 1 << 30, WORD_SIZE = 64 };

/// All numbers of the text, and the count per line.
typedef struct Table {
    const char *name;
    double *values;
    size_t count, capacity;
    size_t rows;
    int columns;   ///< of all lines; 0: no line yet
    bool head_xyz; ///< the head line names x, y, z
    bool head;
} Table;

static GrStatus fail(GrErrorLog *log, const char *name, int line, const char *what, const char *word)
{
    return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = name, .line = line}, what, word);
}

static GrStatus add_value(Table *table, double value, GrErrorLog *log)
{
    if (table->count == table->capacity) {
        const size_t capacity = table->capacity > 0 ? 2 * table->capacity : 1024;
        double *values = gr_realloc(table->values, capacity * sizeof *values);
        if (values == NULL) {
            return gr_out_of_memory(log, table->name);
        }
        table->values = values;
        table->capacity = capacity;
    }
    table->values[table->count++] = value;
    return GR_OK;
}

static bool is_separator(char c)
{
    return c == ',' || c == ';' || c == '\t' || c == ' ';
}

/// The next word of a line; each comma or semicolon ends a word, a run of blanks ends one word. False at the end.
static bool next_word(const char **at, const char *end, bool *after_mark, char word[WORD_SIZE], bool *too_long)
{
    while (*at < end && (**at == ' ' || **at == '\t')) {
        (*at)++;
    }
    if (*at >= end && !*after_mark) {
        return false;
    }
    size_t length = 0;
    while (*at < end && !is_separator(**at)) {
        if (length + 1 < WORD_SIZE) {
            word[length++] = **at;
        } else {
            *too_long = true;
        }
        (*at)++;
    }
    word[length] = '\0';
    while (*at < end && (**at == ' ' || **at == '\t')) {
        (*at)++;
    }
    *after_mark = *at < end && (**at == ',' || **at == ';');
    *at += *after_mark;
    return true;
}

/// strtod() depends on the locale and accepts hexadecimal, which numbers in files must not.
static bool read_number(const char *word, double *out)
{
    if (word[0] == '\0' || strcasecmp(word, "nan") == 0 || strcasecmp(word, "nodata") == 0) {
        *out = NAN;
        return true;
    }
    for (const char *c = word; *c != '\0'; c++) {
        if (!isdigit((unsigned char)*c) && strchr("+-.eE", *c) == NULL) {
            return false;
        }
    }
    char *end;
    *out = gr_number_read(word, &end);
    return *end == '\0' && isfinite(*out);
}

static GrStatus read_head(Table *table, const char *at, const char *end)
{
    static const char *const NAMES[3] = {"x", "y", "z"};
    bool after = false, too_long = false, match = true;
    char word[WORD_SIZE];
    int count = 0;
    while (next_word(&at, end, &after, word, &too_long)) {
        match = match && count < 3 && tolower((unsigned char)word[0]) == NAMES[count][0] &&
                !isalpha((unsigned char)word[1]);
        count++;
    }
    table->head = true;
    table->head_xyz = match && count == 3;
    return GR_OK;
}

static GrStatus read_line(Table *table, const char *at, const char *end, int line, GrErrorLog *log)
{
    bool after = false, too_long = false;
    char word[WORD_SIZE];
    const char *start = at;
    int columns = 0;
    while (next_word(&at, end, &after, word, &too_long)) {
        double value;
        if (too_long || !read_number(word, &value)) {
            if (table->rows == 0 && columns == 0 && !table->head && isalpha((unsigned char)word[0])) {
                return read_head(table, start, end);
            }
            return fail(log, table->name, line, "'%s' is not a number", word);
        }
        const GrStatus status = add_value(table, value, log);
        if (status != GR_OK) {
            return status;
        }
        columns++;
    }
    if (table->columns != 0 && columns != table->columns) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = table->name, .line = line},
                            "has %d numbers where the lines before have %d", columns, table->columns);
    }
    table->columns = columns;
    table->rows++;
    return GR_OK;
}

static GrStatus read_table(Table *table, const char *text, size_t size, GrErrorLog *log)
{
    int line = 0;
    for (const char *at = text, *stop = text + size; at < stop;) {
        const char *next = memchr(at, '\n', (size_t)(stop - at));
        const char *end = next != NULL ? next : stop;
        line++;
        const char *last = end;
        while (last > at && isspace((unsigned char)last[-1])) {
            last--;
        }
        const char *first = at;
        while (first < last && isspace((unsigned char)*first)) {
            first++;
        }
        if (memchr(at, '\0', (size_t)(end - at)) != NULL) {
            return fail(log, table->name, line, "has a zero byte%s: it is not text", "");
        }
        if (first < last && *first != '#') {
            const GrStatus status = read_line(table, first, last, line, log);
            if (status != GR_OK) {
                return status;
            }
        }
        at = end + 1;
    }
    if (table->count == 0) {
        return fail(log, table->name, 0, "has no numbers%s", "");
    }
    return GR_OK;
}

static GrStatus to_matrix(Table *table, GrTextGrid *out, GrErrorLog *log)
{
    if (table->rows < 2 || table->columns < 2) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = table->name},
                            "has %zu rows of %d heights; a terrain needs 2 x 2 or more", table->rows, table->columns);
    }
    double *heights = gr_malloc((table->count + 1) * sizeof *heights);
    if (heights == NULL) {
        return gr_out_of_memory(log, table->name);
    }
    const size_t columns = (size_t)table->columns;
    for (size_t row = 0; row < table->rows; row++) {
        memcpy(heights + (table->rows - 1 - row) * columns, table->values + row * columns, columns * sizeof *heights);
    }
    *out = (GrTextGrid){{(int64_t)columns, (int64_t)table->rows, 0, 0, 0, 0}, heights};
    return GR_OK;
}

/// Smallest and largest of a column, and the smallest step between its values.
static bool axis_of(const Table *table, int column, double *lower, double *step, int64_t *count)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < table->rows; k++) {
        const double v = table->values[3 * k + (size_t)column];
        if (isnan(v)) {
            return false;
        }
        low = fmin(low, v);
        high = fmax(high, v);
    }
    // The step is the smallest distance from the lowest grid line that exceeds rounding.
    double least = INFINITY;
    for (size_t k = 0; k < table->rows; k++) {
        const double d = table->values[3 * k + (size_t)column] - low;
        if (d > 1e-9 * (high - low)) {
            least = fmin(least, d);
        }
    }
    if (!isfinite(least) || !isfinite(high - low) || (high - low) / least > 1e6) {
        return false;
    }
    *lower = low;
    *count = (int64_t)nearbyint((high - low) / least) + 1;
    *step = (high - low) / (double)(*count - 1);
    return true;
}

static GrStatus to_grid(Table *table, GrTextGrid *out, GrErrorLog *log)
{
    const GrLocation at = {.file = table->name};
    if (table->columns != 3) {
        return gr_error_add(log, GR_ERROR_SYNTAX, at, "has %d numbers a line; x, y, z are three", table->columns);
    }
    GrGridFrame f;
    if (!axis_of(table, 0, &f.x0, &f.dx, &f.nx) || !axis_of(table, 1, &f.y0, &f.dy, &f.ny)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "its points do not lie on a regular grid of 2 x 2 nodes or more");
    }
    // Points may be missing, but a grid that is nearly empty is not accepted.
    if ((double)f.nx * (double)f.ny > 16.0 * (double)table->rows + 64) {
        return gr_error_add(
            log, GR_ERROR_VALUE, at,
            "its %zu points would fill a small part of a regular grid of %lld x %lld nodes: they do not "
            "lie on one",
            table->rows, (long long)f.nx, (long long)f.ny);
    }
    double *heights = gr_malloc(((size_t)(f.nx * f.ny) + 1) * sizeof *heights);
    if (heights == NULL) {
        return gr_out_of_memory(log, at.file);
    }
    for (int64_t k = 0; k < f.nx * f.ny; k++) {
        heights[k] = NAN;
    }
    for (size_t k = 0; k < table->rows; k++) {
        const double *p = table->values + 3 * k;
        const double u = (p[0] - f.x0) / f.dx, v = (p[1] - f.y0) / f.dy;
        if (fabs(u - nearbyint(u)) > 0.01 || fabs(v - nearbyint(v)) > 0.01) {
            gr_free(heights);
            return gr_error_add(log, GR_ERROR_VALUE, at, "the point (%g, %g) is not on the regular grid of the others",
                                p[0], p[1]);
        }
        double *node = &heights[(int64_t)nearbyint(v) * f.nx + (int64_t)nearbyint(u)];
        if (!isnan(*node)) {
            gr_free(heights);
            return gr_error_add(log, GR_ERROR_VALUE, at, "the point (%g, %g) is given twice", p[0], p[1]);
        }
        *node = p[2];
    }
    *out = (GrTextGrid){f, heights};
    return GR_OK;
}

static bool ends_with_xyz(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && strcasecmp(dot, ".xyz") == 0;
}

GrStatus gr_text_grid_parse(const char *text, size_t size, const char *name, GrTextLayout layout, double nodata,
                            GrTextGrid *out, GrErrorLog *log)
{
    *out = (GrTextGrid){0};
    Table table = {.name = name};
    GrStatus status = read_table(&table, text, size, log);
    if (status == GR_OK) {
        const bool xyz = layout == GR_TEXT_XYZ || (layout == GR_TEXT_AUTO && (table.head_xyz || ends_with_xyz(name)));
        for (size_t k = xyz ? 2 : 0; k < table.count; k += xyz ? 3 : 1) {
            table.values[k] = table.values[k] == nodata ? (double)NAN : table.values[k];
        }
        status = xyz ? to_grid(&table, out, log) : to_matrix(&table, out, log);
    }
    gr_free(table.values);
    return status;
}

typedef struct TextSource {
    double *heights;
    int64_t columns, i0, j0;
    double scale, offset;
} TextSource;

static void free_text(void *context)
{
    TextSource *source = context;
    gr_free(source->heights);
    gr_free(source);
}

static GrStatus read_text(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const TextSource *source = context;
    for (int64_t j = 0; j < window.nj; j++) {
        for (int64_t i = 0; i < window.ni; i++) {
            const double v =
                source->heights[(source->j0 + window.j0 + j) * source->columns + source->i0 + window.i0 + i];
            *out++ = source->scale == 1 ? v + source->offset : v * source->scale + source->offset;
        }
    }
    return GR_OK;
}

/// Georeferences the grid; a matrix takes its spacing from the options.
static GrStatus place_text(const char *path, const GrRasterOptions *options, GrGridFrame *frame, GrErrorLog *log)
{
    if (frame->dx > 0) {
        return GR_OK;
    }
    if (!(options->cell > 0) && !options->assume_metre) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                            "is a matrix of heights: give the distance between them with --cell METRES");
    }
    if (!(options->cell > 0)) {
        gr_warning_add(log, (GrLocation){.file = path},
                       "is a matrix of heights, taken as 1 m apart: give the distance with --cell METRES");
    }
    frame->dx = frame->dy = options->cell > 0 ? options->cell : 1;
    return GR_OK;
}

GrStatus gr_raster_open_text(const char *path, const GrRasterOptions *options, GrRaster *out, GrErrorLog *log)
{
    char *text = NULL;
    size_t size = 0;
    GrTextGrid grid = {0};
    GrStatus status = gr_file_read(path, MAX_BYTES, &text, &size, log);
    if (status == GR_OK) {
        status = gr_text_grid_parse(text, size, path, options->layout, options->nodata, &grid, log);
    }
    gr_free(text);
    if (status == GR_OK) {
        status = place_text(path, options, &grid.frame, log);
    }
    TextSource *source = status == GR_OK ? gr_calloc(1, sizeof *source) : NULL;
    out->place.crs = gr_strdup("");
    if (source == NULL || out->place.crs == NULL) {
        gr_free(grid.heights);
        gr_free(source);
        return status != GR_OK ? status : gr_out_of_memory(log, path);
    }
    *source = (TextSource){.heights = grid.heights,
                           .columns = grid.frame.nx,
                           .scale = isnan(options->height_scale) ? 1 : options->height_scale,
                           .offset = isnan(options->height_offset) ? 0 : options->height_offset};
    out->source = (GrSource){.read = read_text, .free = free_text, .context = source};
    out->frame = grid.frame;
    out->file_columns = (double)grid.frame.nx;
    out->file_rows = (double)grid.frame.ny;
    out->scale = source->scale;
    out->offset = source->offset;
    snprintf(out->driver, sizeof out->driver, "%s", "text");
    snprintf(out->type, sizeof out->type, "%s", "Float64");
    GrGridFrame cut;
    status = gr_raster_cut(out, path, &options->window, NULL, NULL, &source->i0, &source->j0, &cut, log);
    out->frame = status == GR_OK ? cut : out->frame;
    return status;
}
