#include "page.h"

#include "alloc.h"
#include "plots_script.h"
#include "study_script.h"

#include <string.h>

enum { RELOAD_SECONDS = 3, TEXT_SIZE = 2000 };

static const char STYLE[] =
    ":root{color-scheme:light}"
    "body{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:#222;background:#fff;"
    "max-width:1240px;margin:2.5rem auto;padding:0 1.5rem}"
    "h1{font-size:1.9rem;margin:0;letter-spacing:-.01em}h1,.subtitle{overflow-wrap:anywhere}"
    "h2{font-size:1.25rem;margin:2.4rem 0 .6rem;padding-bottom:.25rem;border-bottom:1px solid #ddd}"
    ".subtitle{color:#666;margin:.2rem 0 0}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.6rem 0;font-size:.92rem}"
    "th{text-align:left;font-weight:600;border-bottom:2px solid #bbb}"
    "th,td{padding:.28rem .9rem .28rem 0;vertical-align:top}"
    "td{border-bottom:1px solid #eee}"
    ".n{text-align:right;white-space:nowrap}th.n{white-space:normal;vertical-align:bottom}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.5rem;margin:.6rem 0}"
    "dt{color:#666}dd{margin:0;font-variant-numeric:tabular-nums}"
    "figure{margin:.6rem 0}figure svg{max-width:100%;height:auto}"
    "figcaption{color:#666;font-size:.9rem}"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.7rem;margin:1.2rem 0}"
    ".tile{border:1px solid #ddd;border-radius:8px;padding:.5rem .9rem}"
    ".tile b{display:block;font-size:1.3rem;font-weight:600;font-variant-numeric:tabular-nums}"
    ".tile span{color:#666;font-size:.85rem}"
    "p{white-space:pre-line}.box{border:1px solid #d8c48a;background:#fdf8e8;border-radius:8px;padding:.5rem "
    ".9rem;margin:1rem "
    "0;font-size:.92rem}"
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.3rem;margin:.4rem 0;font-size:.92rem}"
    ".legend i{display:inline-block;width:1.3rem;height:.6rem;border-radius:2px;margin-right:.4rem}"
    ".wide{overflow-x:auto}"
    ".command{white-space:nowrap;font:.85em ui-monospace,'DejaVu Sans Mono',monospace}"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:.4rem 1.2rem;"
    "align-items:end}.plots figure svg{width:100%;max-width:34rem}"
    // Two and four drawings fill two columns.
    ".plots:has(>:nth-child(2):last-child),.plots:has(>:nth-child(4):last-child)"
    "{grid-template-columns:repeat(auto-fit,minmax(min(100%,25.5rem),1fr))}"
    ".switch{position:sticky;top:0;background:#fff;padding:.4rem 0;z-index:1;border-bottom:1px solid #eee}"
    ".switch label{cursor:pointer;border:1px solid #bbb;border-radius:6px;padding:.1rem .7rem;margin-left:.5rem}"
    ".choice{position:absolute;opacity:0}"
    "#by-time:checked~.plots .by-distance,#by-distance:checked~.plots .by-time{display:none}"
    "#by-time:checked~.switch label[for=by-time],#by-distance:checked~.switch "
    "label[for=by-distance]{background:#0072b2;border-color:#0072b2;color:#fff}"
    "a{color:#0060a0}"
    "pre{background:#f6f6f4;border:1px solid #e2e2de;border-radius:6px;padding:.8rem 1rem;font-size:.82rem;"
    "line-height:1.4;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}"
    ".on-narrow{display:none}td:last-child:not(.n,:first-child){min-width:9rem}"
    "@media (max-width:640px){.on-wide{display:none}.on-narrow{display:block}body{margin:1rem auto;padding:0 "
    ".8rem;font-size:15px}h1{font-size:1.45rem}"
    "dl{grid-template-columns:1fr;gap:0}dd{margin:0 0 .5rem}td:first-child{min-width:6rem}"
    "th,td{padding-right:.6rem}.tiles{grid-template-columns:1fr 1fr}}"
    "@page{margin:14mm}"
    "@media "
    "print{*{-webkit-print-color-adjust:exact;print-color-adjust:exact}.tile{break-inside:avoid}body{margin:0;max-"
    "width:none}h2{break-after:avoid}figure,tr{break-inside:avoid}}";

/// For what the scripts add.
static const char SCRIPT_STYLE[] =
    ".live{display:block;touch-action:pan-y;cursor:crosshair}.live text{user-select:none;-webkit-user-select:none}"
    ".live [data-plot]:focus{outline:none}.focus{fill:none;pointer-events:none}.live [data-plot]:focus-visible "
    ".focus{stroke:#0072b2;stroke-width:3}"
    ".cursor{stroke:#222;stroke-dasharray:3 "
    "3;pointer-events:none}.selection{fill:#0072b2;opacity:.15;pointer-events:none}"
    ".tip{position:absolute;z-index:2;pointer-events:none;background:#fff;border:1px solid #bbb;border-radius:6px;"
    "box-shadow:0 2px 8px #0003;padding:.35rem .6rem;font-size:.82rem;line-height:1.35;max-width:calc(100vw - 8px);"
    "box-sizing:border-box;font-variant-numeric:tabular-nums}"
    ".tip[hidden]{display:none}.tip .rows{display:grid;grid-template-columns:auto auto auto auto;gap:0 .5rem;"
    "align-items:baseline;justify-content:start}.tip i{width:.7rem;height:.7rem;border-radius:2px}.tip "
    ".value{text-align:right;font-weight:600}"
    ".tip small{color:#666}.tip .note{display:block}"
    ".tools{display:flex;flex-wrap:wrap;gap:.4rem 1rem;justify-content:flex-end;align-items:baseline;font-size:.82rem;"
    "min-height:1.7rem;margin-top:-.2rem}.plots .tools{max-width:34rem}.tools button,.legend "
    "button{font:inherit;color:inherit;background:none;"
    "border:1px solid #ccc;border-radius:6px;padding:.05rem .55rem;cursor:pointer}"
    ".tools button{visibility:hidden;color:#444}figure:hover .tools button,figure:focus-within .tools button,"
    ".zoomed .tools .reset{visibility:visible}figure:not(.zoomed) .tools .reset{visibility:hidden}"
    "@media (hover:none){.tools button{visibility:visible}}"
    ".legend button[aria-pressed=false]{opacity:.45;text-decoration:line-through}"
    ".run{position:fixed;left:0;right:0;bottom:0;z-index:3;display:flex;flex-wrap:wrap;gap:.3rem "
    "1rem;align-items:center;"
    "background:#fff;border-top:1px solid #bbb;box-shadow:0 -2px 8px #0002;padding:.5rem 1.5rem;font-size:.9rem}"
    ".run[hidden]{display:none}.run code{background:#f6f6f4;border:1px solid #e2e2de;border-radius:4px;padding:.05rem "
    ".4rem;overflow-wrap:anywhere;user-select:all;-webkit-user-select:all}.run button{font:inherit;background:none;"
    "border:1px solid #ccc;border-radius:6px;padding:.05rem .55rem;cursor:pointer}.run "
    "button:last-child{margin-left:auto}"
    ".state{position:sticky;top:0;z-index:2;display:flex;gap:.3rem .8rem;align-items:center;background:#fff;"
    "border-bottom:1px solid #ddd;padding:.35rem "
    "0;margin-bottom:1rem;font-size:.9rem;font-variant-numeric:tabular-nums}"
    ".state[hidden],.state [hidden]{display:none}.state progress{flex:0 1 12rem;min-width:4rem;accent-color:#0072b2}"
    ".state.lost{color:#a03000}"
    ".ring{fill:none;stroke:#111;stroke-width:2;pointer-events:none}circle:has(title){cursor:pointer}"
    "@media print{.tip,.tools,.all,.run,.state{display:none}}";

// ---- the list

static GrBlock *add_block(GrPage *page, GrBlockKind kind)
{
    if (page->blocks == NULL || page->count == page->capacity) {
        const int capacity = page->capacity > 0 ? 2 * page->capacity : 32;
        GrBlock *blocks = gr_realloc(page->blocks, (size_t)capacity * sizeof *blocks);
        if (blocks == NULL) {
            page->failed = true;
            return NULL;
        }
        page->blocks = blocks;
        page->capacity = capacity;
    }
    GrBlock *block = &page->blocks[page->count++];
    *block = (GrBlock){.kind = kind, .place = page->place, .table.indent = 2};
    return block;
}

static char *copy(GrPage *page, const char *text)
{
    char *own = text != NULL ? gr_strdup(text) : NULL;
    page->failed = page->failed || (own == NULL && text != NULL);
    return own;
}

static void add_text(GrPage *page, GrBlockKind kind, const char *title, const char *text)
{
    GrBlock *block = add_block(page, kind);
    if (block != NULL) {
        block->title = copy(page, title);
        block->text = copy(page, text);
    }
}

static void add_format(GrPage *page, GrBlockKind kind, const char *format, va_list args)
{
    char text[TEXT_SIZE];
    gr_vprint(text, sizeof text, format, args);
    add_text(page, kind, NULL, text);
}

void gr_page_begin(GrPage *page, const char *title, const char *subtitle)
{
    page->title = copy(page, title);
    page->subtitle = copy(page, subtitle);
}

void gr_page_section(GrPage *page, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_format(page, GR_BLOCK_SECTION, format, args);
    va_end(args);
}

void gr_page_text(GrPage *page, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_format(page, GR_BLOCK_TEXT, format, args);
    va_end(args);
}

void gr_page_note(GrPage *page, const char *title, const char *text)
{
    add_text(page, GR_BLOCK_NOTE, title, text);
}

void gr_page_link(GrPage *page, const char *file, const char *text)
{
    gr_page_link_place(page, file, NULL, text);
}

void gr_page_link_place(GrPage *page, const char *file, const double at[2], const char *text)
{
    GrBuffer url = {0};
    gr_page_url(&url, file);
    if (at != NULL) {
        char place[80];
        gr_print(place, sizeof place, "#at=%.2f,%.2f", at[0], at[1]);
        gr_buffer_puts(&url, place);
    }
    page->failed = page->failed || url.failed;
    add_text(page, GR_BLOCK_LINK, text, url.data != NULL ? url.data : "");
    gr_buffer_free(&url);
}

void gr_page_switch(GrPage *page)
{
    add_text(page, GR_BLOCK_SWITCH, NULL, NULL);
}

void gr_page_input(GrPage *page, const char *text)
{
    add_text(page, GR_BLOCK_INPUT, NULL, text);
}

/// The last block if it is of this kind, or a new one with so many columns.
static GrTable *entries(GrPage *page, GrBlockKind kind, int columns)
{
    GrBlock *last = page->count > 0 ? &page->blocks[page->count - 1] : NULL;
    if (last != NULL && last->kind == kind && last->place == page->place) {
        return &last->table;
    }
    last = add_block(page, kind);
    for (int i = 0; i < columns && last != NULL; i++) {
        gr_table_column(&last->table, "", GR_LEFT);
    }
    return last != NULL ? &last->table : NULL;
}

void gr_page_card(GrPage *page, const char *name, const char *value, const char *note)
{
    GrTable *cards = entries(page, GR_BLOCK_CARDS, 3);
    if (cards != NULL) {
        gr_table_text(cards, name);
        gr_table_text(cards, value);
        gr_table_text(cards, note != NULL ? note : "");
    }
}

void gr_page_fact(GrPage *page, const char *name, const char *format, ...)
{
    GrTable *facts = entries(page, GR_BLOCK_FACTS, 2);
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    gr_vprint(text, sizeof text, format, args);
    va_end(args);
    if (facts != NULL) {
        gr_table_text(facts, name);
        gr_table_text(facts, text);
    }
}

void gr_page_legend(GrPage *page, const char *color, const char *name)
{
    GrTable *legend = entries(page, GR_BLOCK_LEGEND, 2);
    if (legend != NULL) {
        gr_table_text(legend, color);
        gr_table_text(legend, name);
    }
}

void gr_page_table(GrPage *page, GrTable *table)
{
    GrBlock *block = add_block(page, GR_BLOCK_TABLE);
    if (block == NULL) {
        gr_table_free(table);
        return;
    }
    block->table = *table;
    block->table.indent = 2;
    *table = (GrTable){0};
}

static GrBlock *add_drawing(GrPage *page, GrBlockKind kind, GrBuffer *svg, const char *caption)
{
    GrBlock *block = add_block(page, kind);
    page->failed = page->failed || svg->failed;
    if (block == NULL) {
        gr_buffer_free(svg);
        return NULL;
    }
    block->text = copy(page, caption);
    block->svg = *svg;
    *svg = (GrBuffer){0};
    return block;
}

void gr_page_markup(GrPage *page, GrBuffer *markup)
{
    add_drawing(page, GR_BLOCK_MARKUP, markup, NULL);
}

void gr_page_figure(GrPage *page, GrBuffer *svg, const char *caption)
{
    add_drawing(page, GR_BLOCK_FIGURE, svg, caption);
}

void gr_page_map(GrPage *page, GrBuffer svg[2], const char *caption)
{
    GrBlock *block = add_drawing(page, GR_BLOCK_MAP, &svg[0], caption);
    page->failed = page->failed || svg[1].failed;
    if (block == NULL) {
        gr_buffer_free(&svg[1]);
        return;
    }
    block->other = svg[1];
    svg[1] = (GrBuffer){0};
}

void gr_page_choice(GrPage *page, GrTable *legend, GrBuffer *by_time, GrBuffer *by_distance)
{
    GrBlock *block = add_drawing(page, GR_BLOCK_FIGURE, by_time, NULL);
    page->failed = page->failed || by_distance->failed;
    if (block == NULL) {
        gr_buffer_free(by_distance);
        gr_table_free(legend);
        return;
    }
    block->other = *by_distance;
    block->table = *legend;
    *by_distance = (GrBuffer){0};
    *legend = (GrTable){0};
}

void gr_page_panels(GrPage *page, const GrPanel *panels, int count, const char *caption)
{
    enum { WIDTH = 420, HEIGHT = 270 };
    for (int i = 0; i < count; i++) {
        const GrPlot plot = {.panels = &panels[i],
                             .panel_count = 1,
                             .panel_width = WIDTH,
                             .panel_height = panels[i].square ? WIDTH : HEIGHT};
        GrBuffer svg = {0};
        gr_plot_write(&plot, &svg); // a failure is remembered in the buffer
        gr_page_figure(page, &svg, NULL);
    }
    if (count > 0 && caption != NULL) {
        const GrPlace place = page->place;
        page->place = GR_PLACE_PAGE;
        gr_page_text(page, "%s", caption);
        page->place = place;
    }
}

void gr_page_free(GrPage *page)
{
    for (int i = 0; i < page->count; i++) {
        GrBlock *block = &page->blocks[i];
        gr_free(block->title);
        gr_free(block->text);
        gr_table_free(&block->table);
        gr_buffer_free(&block->svg);
        gr_buffer_free(&block->other);
    }
    gr_free(page->blocks);
    gr_free(page->title);
    gr_free(page->subtitle);
    *page = (GrPage){0};
}

// ---- HTML

static void put_element(GrBuffer *out, const char *tag, const char *text)
{
    gr_buffer_printf(out, "<%s>", tag);
    gr_buffer_xml(out, text);
    gr_buffer_printf(out, "</%s>\n", tag);
}

static void put_head(const GrPage *page, GrBuffer *out)
{
    gr_buffer_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    // No requests but those, and no scripts but ours, whatever texts from files contain.
    gr_buffer_printf(out,
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
                     "style-src 'unsafe-inline'; script-src 'sha256-%s'",
                     gr_plots_script_hash);
    if (page->of_study) {
        gr_buffer_printf(out, " 'sha256-%s'; connect-src 'self'", gr_study_script_hash);
    }
    gr_buffer_puts(out, "; base-uri 'none'; form-action 'none'\"/>\n");
    if (page->running) {
        gr_buffer_printf(out, "<noscript><meta http-equiv=\"refresh\" content=\"%d\"/></noscript>\n",
                         (int)RELOAD_SECONDS);
    }
    put_element(out, "title", page->title);
    gr_buffer_printf(out, "<style>%s%s</style>\n</head>\n<body>\n<main>\n", STYLE, SCRIPT_STYLE);
    put_element(out, "h1", page->title);
    if (page->subtitle != NULL) {
        gr_buffer_puts(out, "<p class=\"subtitle\">");
        gr_buffer_xml(out, page->subtitle);
        gr_buffer_puts(out, "</p>\n");
    }
}

static void put_script(GrBuffer *out, const char *script, size_t size)
{
    gr_buffer_puts(out, "<script>");
    gr_buffer_add(out, script, size);
    gr_buffer_puts(out, "</script>\n");
}

void gr_page_url(GrBuffer *out, const char *file)
{
    static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    for (const char *c = file; *c != '\0'; c++) {
        if (strchr(PLAIN, *c) != NULL) {
            gr_buffer_add(out, c, 1);
        } else {
            gr_buffer_printf(out, "%%%02X", (unsigned)(unsigned char)*c);
        }
    }
}

/// A row of a table; −1: its heads.
static void put_row(const GrTable *table, int row, GrBuffer *out)
{
    static const char *const classes[] = {"", " class=\"n\"", " class=\"command\""};
    const char *tag = row < 0 ? "th" : "td";
    gr_buffer_puts(out, "<tr>");
    for (int i = 0; i < table->column_count; i++) {
        const int cell = row * table->column_count + i;
        GrShown room;
        if (table->columns[i].head != NULL) {
            gr_buffer_printf(out, "<%s%s>", tag,
                             classes[row < 0 && table->aligns[i] != GR_RIGHT ? 0 : table->aligns[i]]);
            gr_buffer_xml(out, row < 0                    ? table->columns[i].head
                               : cell < table->cell_count ? gr_table_shown(table, cell, &room)
                                                          : "");
            gr_buffer_printf(out, "</%s>", tag);
        }
    }
    gr_buffer_puts(out, "</tr>\n");
}

static void put_table(const GrTable *table, GrBuffer *out)
{
    gr_buffer_puts(out, "<div class=\"wide\">\n<table>\n<thead>");
    put_row(table, -1, out);
    gr_buffer_puts(out, "</thead>\n<tbody>\n");
    for (int row = 0; row < gr_table_row_count(table); row++) {
        put_row(table, row, out);
    }
    gr_buffer_puts(out, "</tbody>\n</table>\n</div>\n");
}

static void put_cards(const GrTable *table, GrBuffer *out)
{
    gr_buffer_puts(out, "<div class=\"tiles\">\n");
    for (int i = 0; i + 2 < table->cell_count; i += 3) {
        gr_buffer_puts(out, "<div class=\"tile\"><span>");
        gr_buffer_xml(out, table->cells[i].text);
        gr_buffer_puts(out, "</span><b>");
        gr_buffer_xml(out, table->cells[i + 1].text);
        gr_buffer_puts(out, "</b>");
        put_element(out, "span", table->cells[i + 2].text);
        gr_buffer_puts(out, "</div>\n");
    }
    gr_buffer_puts(out, "</div>\n");
}

static void put_facts(const GrTable *table, GrBuffer *out)
{
    gr_buffer_puts(out, "<dl>\n");
    for (int i = 0; i < table->cell_count; i++) {
        put_element(out, i % 2 == 0 ? "dt" : "dd", table->cells[i].text);
    }
    gr_buffer_puts(out, "</dl>\n");
}

static void put_legend(const GrTable *table, GrBuffer *out)
{
    gr_buffer_puts(out, table->cell_count > 0 ? "<div class=\"legend\">\n" : "");
    for (int i = 0; i + 1 < table->cell_count; i += 2) {
        gr_buffer_printf(out, "<span><i style=\"background:%s\"></i>", table->cells[i].text);
        gr_buffer_xml(out, table->cells[i + 1].text);
        gr_buffer_puts(out, "</span>\n");
    }
    gr_buffer_puts(out, table->cell_count > 0 ? "</div>\n" : "");
}

static void put_drawing(const GrBuffer *svg, const char *before, const char *after, const char *caption, GrBuffer *out)
{
    gr_buffer_puts(out, before);
    gr_buffer_add(out, svg->data != NULL ? svg->data : "", svg->size);
    gr_buffer_puts(out, after);
    if (caption != NULL) {
        put_element(out, "figcaption", caption);
    }
    gr_buffer_puts(out, "</figure>\n");
}

static void put_figure(const GrBlock *block, GrBuffer *out)
{
    if (block->other.size == 0) {
        put_drawing(&block->svg, "<figure>\n", "", block->text, out);
        return;
    }
    gr_buffer_puts(out, "<div>\n");
    put_legend(&block->table, out);
    put_drawing(&block->svg, "<figure class=\"by-time\">\n", "", NULL, out);
    put_drawing(&block->other, "<figure class=\"by-distance\">\n", "", NULL, out);
    gr_buffer_puts(out, "</div>\n");
}

/// A wide drawing; a phone shows its narrow form.
static void put_map(const GrBlock *block, GrBuffer *out)
{
    GrBuffer after = {0};
    gr_buffer_puts(&after, "</div>\n<div class=\"on-narrow\">");
    gr_buffer_add(&after, block->other.data, block->other.size);
    gr_buffer_puts(&after, "</div>\n");
    out->failed = out->failed || after.failed;
    put_drawing(&block->svg, "<figure>\n<div class=\"on-wide\">", after.data != NULL ? after.data : "", block->text,
                out);
    gr_buffer_free(&after);
}

static void put_block(const GrBlock *block, GrBuffer *out)
{
    switch (block->kind) {
    case GR_BLOCK_SECTION:
        put_element(out, "h2", block->text);
        break;
    case GR_BLOCK_TEXT:
        put_element(out, "p", block->text);
        break;
    case GR_BLOCK_NOTE:
        gr_buffer_puts(out, "<div class=\"box\">\n");
        put_element(out, "b", block->title);
        put_element(out, "p", block->text);
        gr_buffer_puts(out, "</div>\n");
        break;
    case GR_BLOCK_LINK:
        gr_buffer_puts(out, "<p><a href=\"");
        gr_buffer_xml(out, block->text);
        gr_buffer_puts(out, "\">");
        gr_buffer_xml(out, block->title);
        gr_buffer_puts(out, "</a></p>\n");
        break;
    case GR_BLOCK_SWITCH: // works without script: it selects among the figures that follow
        gr_buffer_puts(out, "<input type=\"radio\" class=\"choice\" name=\"by\" id=\"by-time\" checked=\"checked\"/>\n"
                            "<input type=\"radio\" class=\"choice\" name=\"by\" id=\"by-distance\"/>\n"
                            "<p class=\"switch\">plots against<label for=\"by-time\">time</label>"
                            "<label for=\"by-distance\">distance</label></p>\n");
        break;
    case GR_BLOCK_INPUT:
        put_element(out, "pre", block->text);
        break;
    case GR_BLOCK_CARDS:
        put_cards(&block->table, out);
        break;
    case GR_BLOCK_FACTS:
        put_facts(&block->table, out);
        break;
    case GR_BLOCK_LEGEND:
        put_legend(&block->table, out);
        break;
    case GR_BLOCK_TABLE:
        put_table(&block->table, out);
        break;
    case GR_BLOCK_FIGURE:
        put_figure(block, out);
        break;
    case GR_BLOCK_MAP:
        put_map(block, out);
        break;
    case GR_BLOCK_MARKUP:
        gr_buffer_add(out, block->svg.data != NULL ? block->svg.data : "", block->svg.size);
    }
}

static bool has_failed(const GrPage *page)
{
    bool failed = page->failed || page->title == NULL;
    for (int i = 0; i < page->count; i++) {
        failed = failed || page->blocks[i].table.failed;
    }
    return failed;
}

void gr_page_html(const GrPage *page, GrBuffer *out)
{
    bool figures = false;
    out->failed = out->failed || has_failed(page);
    if (out->failed) {
        return;
    }
    put_head(page, out);
    for (int i = 0; i < page->count; i++) {
        const GrBlock *block = &page->blocks[i];
        if (block->place != GR_PLACE_TERMINAL) {
            if (figures != (block->kind == GR_BLOCK_FIGURE)) {
                gr_buffer_puts(out, figures ? "</div>\n" : "<div class=\"plots\">\n");
                figures = !figures;
            }
            put_block(block, out);
        }
    }
    gr_buffer_puts(out, figures ? "</div>\n</main>\n" : "</main>\n");
    if (page->of_study || (out->data != NULL && strstr(out->data, "<g data-plot=\"") != NULL)) {
        put_script(out, gr_plots_script, gr_plots_script_size);
    }
    if (page->of_study) {
        put_script(out, gr_study_script, gr_study_script_size);
    }
    gr_buffer_puts(out, "</body>\n</html>\n");
}

// ---- the terminal

static bool is_printed(const GrBlock *block)
{
    static const bool kinds[] = {[GR_BLOCK_SECTION] = true, [GR_BLOCK_TEXT] = true,  [GR_BLOCK_NOTE] = true,
                                 [GR_BLOCK_FACTS] = true,   [GR_BLOCK_TABLE] = true, [GR_BLOCK_MARKUP] = false};
    return block->place != GR_PLACE_PAGE && kinds[block->kind] && (block->text != NULL || block->table.cell_count > 0);
}

void gr_page_print(const GrPage *page, FILE *file)
{
    const GrBlock *before = NULL;
    for (int i = 0; i < page->count; i++) {
        const GrBlock *block = &page->blocks[i];
        if (!is_printed(block)) {
            continue;
        }
        const bool is_table = block->kind == GR_BLOCK_TABLE || block->kind == GR_BLOCK_FACTS;
        const bool follows = before == NULL || before->kind == GR_BLOCK_SECTION ||
                             (before->text != NULL && !is_table && block->kind != GR_BLOCK_SECTION);
        fputs(follows ? "" : "\n", file);
        if (is_table) {
            gr_table_print(&block->table, file);
        } else {
            fprintf(file, "%s%s%s\n", block->title != NULL ? block->title : "", block->title != NULL ? ": " : "",
                    block->text);
        }
        before = block;
    }
}
