/// Any names and titles through the writers: JSON, CSV, SVG, HTML, tables and messages of the terminal, and MCAP. What
/// they write is read again by checks that share nothing with them (writer_check.h). Texts are shown as texts: they add
/// no element to a drawing or page, no cell to a table, no formula, and nothing that a terminal obeys.
#include "alloc.h"
#include "csv.h"
#include "file.h"
#include "json.h"
#include "mcap.h"
#include "page.h"
#include "plot.h"
#include "run_tables.h"
#include "svg.h"
#include "table.h"

#include "fuzz_file.h"
#include "json_check.h"
#include "support/mcap_parse.h"
#include "target.h"
#include "writer_check.h"

enum { TEXTS = 6, TEXT_SIZE = 400 };

/// Six texts, empty where the input has fewer.
typedef struct Texts {
    char text[TEXTS][TEXT_SIZE];
} Texts;

static void require(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "fuzz_writers: %s\n", what);
        abort();
    }
}

static Texts split(const uint8_t *data, size_t size)
{
    Texts texts = {0};
    int k = 0;
    size_t used = 0;
    for (size_t i = 0; i < size && k < TEXTS; i++) {
        if (data[i] == 0) {
            k++;
            used = 0;
        } else if (used < TEXT_SIZE - 1) {
            texts.text[k][used++] = (char)data[i];
        }
    }
    return texts;
}

static void write_json(GrJson *json, const Texts *t, const GrTrust *trust)
{
    gr_json_begin_object(json, NULL);
    for (int i = 0; i < TEXTS; i++) {
        gr_json_string(json, t->text[i], t->text[(i + 1) % TEXTS]);
    }
    gr_json_number(json, t->text[0], strtod(t->text[1], NULL));
    gr_json_begin_array(json, t->text[2]);
    gr_json_string(json, NULL, t->text[3]);
    gr_json_end(json);
    gr_trust_json(json, t->text[4], trust);
    gr_json_end(json);
    gr_json_finish(json);
}

static void check_json(const Texts *t, const GrTrust *trust)
{
    for (int pretty = 0; pretty < 2; pretty++) {
        GrBuffer out = {0};
        GrJson json = gr_json_to_buffer(&out, pretty == 1);
        write_json(&json, t, trust);
        require(gr_json_valid(out.data), "JSON is not well-formed");
        require(gr_check_shown(out.data, out.size, "\n"), "JSON has a control character");
        gr_buffer_free(&out);
    }
}

static void check_csv(const Texts *t)
{
    GrBuffer out = {0};
    for (int i = 0; i < 3 * TEXTS; i++) {
        gr_csv_put(&out, t->text[i % TEXTS]);
        gr_buffer_puts(&out, i % TEXTS == TEXTS - 1 ? "\n" : ",");
    }
    require(gr_check_csv(out.data, out.size) == 3 * TEXTS, "CSV is malformed, or a cell begins a formula");
    require(gr_check_shown(out.data, out.size, "\n\r\t"), "CSV has a control character");
    gr_buffer_free(&out);
}

static void write_svg(GrBuffer *svg, const Texts *t)
{
    static const double X[] = {0, 1, 2}, Y[] = {3, -1, 5};
    const GrSeries series[] = {{.name = t->text[1], .x = X, .y = Y, .count = 3},
                               {.key = t->text[2], .kind = GR_SERIES_POINTS, .x = Y, .y = X, .count = 3}};
    const GrPanel panel = {.title = t->text[3],
                           .x_label = t->text[4],
                           .y_label = t->text[5],
                           .series = series,
                           .series_count = 2,
                           .x_lower = 0,
                           .x_upper = 10,
                           .y_lower = 0,
                           .y_upper = 10};
    const GrPlot plot = {.title = t->text[0], .subtitle = t->text[1], .panels = &panel, .panel_count = 1};
    gr_plot_write(&plot, svg);
}

/// The texts add nothing: as many elements and attributes as with texts of one letter.
static void check_svg(const Texts *t, const Texts *plain)
{
    GrBuffer svg = {0};
    static int elements = 0;
    if (elements == 0) {
        GrBuffer first = {0};
        write_svg(&first, plain);
        elements = gr_check_markup(first.data, first.size);
        gr_buffer_free(&first);
    }
    bool all = true; // texts that are empty are left out
    for (int i = 0; i < TEXTS; i++) {
        all = all && t->text[i][0] != '\0';
    }
    write_svg(&svg, t);
    const int found = gr_check_markup(svg.data, svg.size);
    require(found > 0, "SVG is not well-formed");
    require(all ? found == elements : found <= elements, "a text adds an element to SVG");
    require(gr_check_shown(svg.data, svg.size, "\n\r\t"), "SVG has a control character");
    gr_buffer_free(&svg);
}

static void write_page(GrBuffer *out, const Texts *t, const GrTrust *trust)
{
    GrPage page = {0};
    GrTable table = {0};
    GrBuffer svg = {0};
    gr_page_begin(&page, t->text[0], t->text[1]);
    gr_page_section(&page, "%s", t->text[2]);
    gr_page_text(&page, "%s", t->text[3]);
    gr_page_link(&page, t->text[4], t->text[5]);
    gr_page_note(&page, t->text[0], t->text[1]);
    gr_page_fact(&page, t->text[1], "%s", t->text[2]);
    for (int i = 0; i < TEXTS; i++) {
        i < TEXTS / 2 ? gr_table_column(&table, t->text[i], i % 2 == 0 ? GR_LEFT : GR_RIGHT)
                      : gr_table_text(&table, t->text[i]);
    }
    gr_page_table(&page, &table);
    gr_page_card(&page, t->text[3], t->text[4], t->text[5]);
    gr_page_legend(&page, "#123456", t->text[0]);
    gr_page_input(&page, t->text[1]);
    gr_buffer_puts(&svg, "<svg/>");
    gr_page_figure(&page, &svg, t->text[2]);
    gr_trust_page(&page, t->text[3], trust);
    gr_page_html(&page, out);
    gr_page_free(&page);
}

static void check_page(const Texts *t, const Texts *plain, const GrTrust *trust)
{
    static int elements = 0;
    GrBuffer page = {0};
    if (elements == 0) {
        GrBuffer first = {0};
        write_page(&first, plain, trust);
        elements = gr_check_markup(first.data, first.size);
        gr_buffer_free(&first);
    }
    write_page(&page, t, trust);
    require(gr_check_markup(page.data, page.size) == elements, "HTML is not well-formed, or a text adds an element");
    require(gr_check_shown(page.data, page.size, "\n\r\t"), "HTML has a control character");
    gr_buffer_free(&page);
}

static void check_terminal(const Texts *t)
{
    char *shown = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&shown, &size);
    GrTable table = {0};
    if (file == NULL) {
        return;
    }
    gr_table_column(&table, t->text[0], GR_LEFT);
    gr_table_column(&table, t->text[1], GR_RIGHT);
    for (int i = 0; i < TEXTS; i++) {
        gr_table_text(&table, t->text[i]);
    }
    gr_table_print(&table, file);
    fclose(file);
    require(gr_check_shown(shown, size, "\n"), "a table of the terminal has a control character");
    int lines = 0;
    for (size_t i = 0; i < size; i++) {
        lines += shown[i] == '\n';
    }
    require(lines <= 2 + TEXTS / 2, "a text adds a line to a table");
    gr_table_free(&table);
    free(shown);

    static GrErrorLog log;
    char message[1024];
    memset(&log, 0, sizeof log);
    gr_error_add(&log, GR_ERROR_VALUE, (GrLocation){.file = t->text[0], .line = 1, .field = t->text[1]}, "'%s' %s",
                 t->text[2], t->text[3]);
    gr_error_format(&log.items[0], message, sizeof message);
    require(gr_check_shown(message, strlen(message), ""), "a message has a control character");
}

/// What is read again from a file of one topic and one message.
typedef struct Again {
    int channels;
    size_t schema_size, message_size;
} Again;

static void check_record(void *context, const McapRecord *r)
{
    Again *again = context;
    if (r->opcode == 3) { // id, name, encoding, data
        const size_t name = mcap_u(r->body + 2, 4);
        require(gr_check_shown(r->body + 6, name, "\n\r\t"), "a schema has a control character");
        again->schema_size = mcap_u(r->body + 6 + name + 4 + strlen("protobuf"), 4);
    } else if (r->opcode == 4) { // id, schema, topic
        require(gr_check_shown(r->body + 8, mcap_u(r->body + 4, 4), "\n\r\t"), "a topic has a control character");
        again->channels++;
    } else if (r->opcode == 5) {
        again->message_size += r->size - 22;
    }
}

static void check_mcap(const Texts *t)
{
    int fd;
    const char *path = gr_fuzz_file(&fd);
    const GrMcapText texts[] = {{t->text[0], t->text[1]}, {t->text[2], t->text[3]}};
    GrErrorLog log = {.quiet = true};
    GrMcap *mcap = gr_mcap_open(path, 0, &log);
    require(mcap != NULL, "MCAP cannot be opened");
    gr_mcap_metadata(mcap, t->text[4], texts, 2);
    GrBuffer set = {0};
    gr_buffer_puts(&set, "set");
    const int channel = gr_mcap_channel(mcap, gr_mcap_schema(mcap, t->text[5], &set), t->text[0]);
    gr_buffer_puts(gr_mcap_begin(mcap, channel, 5), t->text[1]);
    gr_mcap_end(mcap);
    require(gr_mcap_close(mcap, &log) == GR_OK, "MCAP cannot be written");
    gr_buffer_free(&set);

    Again again = {0};
    char *bytes;
    size_t size;
    require(gr_file_read(path, 1 << 20, &bytes, &size, &log) == GR_OK, "MCAP cannot be read again");
    require(mcap_walk(bytes, size, check_record, &again), "MCAP is broken");
    require(again.channels == 1 && again.schema_size == 3, "MCAP lost a topic");
    require(again.message_size == strlen(t->text[1]), "MCAP lost a message");
    gr_free(bytes);
}

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrTrust trust;
    Texts plain = {0};
    const Texts texts = split(data, size);
    for (int i = 0; i < TEXTS; i++) {
        plain.text[i][0] = (char)('a' + i);
    }
    snprintf(trust.law, sizeof trust.law, "%s", texts.text[0]);
    snprintf(trust.parameters, sizeof trust.parameters, "%s", texts.text[1]);
    snprintf(trust.line, sizeof trust.line, "%s", texts.text[2]);
    check_json(&texts, &trust);
    check_csv(&texts);
    check_svg(&texts, &plain);
    check_page(&texts, &plain, &trust);
    check_terminal(&texts);
    if (size % 16 == 0) { // a file takes ten times as long as all the others
        check_mcap(&texts);
    }
}
