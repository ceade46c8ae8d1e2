#include "page.h"

#include "plots_script.h"
#include "study_script.h"

#include <string.h>

enum { RELOAD_SECONDS = 3 };

static const char STYLE[] =
    ":root{color-scheme:light}"
    "body{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:#222;background:#fff;"
    "max-width:1240px;margin:2.5rem auto;padding:0 1.5rem}"
    "h1{font-size:1.9rem;margin:0;letter-spacing:-.01em}h1,.subtitle{overflow-wrap:anywhere}"
    "h2{font-size:1.25rem;margin:2.4rem 0 .6rem;padding-bottom:.25rem;border-bottom:1px solid #ddd}"
    ".subtitle{color:#666;margin:.2rem 0 0}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.6rem 0}"
    "th{text-align:left;font-weight:600;border-bottom:2px solid #bbb}"
    "th,td{padding:.28rem .9rem .28rem 0;vertical-align:top}"
    "td{border-bottom:1px solid #eee}"
    ".n{text-align:right}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.5rem;margin:.6rem 0}"
    "dt{color:#666}dd{margin:0;font-variant-numeric:tabular-nums}"
    "figure{margin:.6rem 0}figure svg{max-width:100%;height:auto}"
    "figcaption{color:#666;font-size:.9rem}"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.7rem;margin:1.2rem 0}"
    ".tile{border:1px solid #ddd;border-radius:8px;padding:.5rem .9rem}"
    ".tile b{display:block;font-size:1.3rem;font-weight:600;font-variant-numeric:tabular-nums}"
    ".tile span{color:#666;font-size:.85rem}"
    ".box{border:1px solid #d8c48a;background:#fdf8e8;border-radius:8px;padding:.5rem .9rem;margin:1rem "
    "0;font-size:.92rem}"
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.3rem;margin:.4rem 0;font-size:.92rem}"
    ".legend i{display:inline-block;width:1.3rem;height:.6rem;border-radius:2px;margin-right:.4rem}"
    ".wide{overflow-x:auto}"
    ".commands td:last-child{white-space:nowrap;font:.85em ui-monospace,'DejaVu Sans Mono',monospace}"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:.4rem 1.2rem;"
    "align-items:end}.plots figure svg{width:100%;max-width:42rem}"
    ".switch{position:sticky;top:0;background:#fff;padding:.4rem 0;z-index:1;border-bottom:1px solid #eee}"
    ".switch label{cursor:pointer;border:1px solid #bbb;border-radius:6px;padding:.1rem .7rem;margin-left:.5rem}"
    ".choice{position:absolute;opacity:0}"
    "#by-time:checked~.plots .by-distance,#by-distance:checked~.plots .by-time{display:none}"
    "#by-time:checked~.switch label[for=by-time],#by-distance:checked~.switch "
    "label[for=by-distance]{background:#0072b2;border-color:#0072b2;color:#fff}"
    "a{color:#0060a0}"
    "pre{background:#f6f6f4;border:1px solid #e2e2de;border-radius:6px;padding:.8rem 1rem;font-size:.82rem;"
    "line-height:1.4;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}"
    "@media (max-width:640px){body{margin:1rem auto;padding:0 .8rem;font-size:15px}h1{font-size:1.45rem}"
    "dl{grid-template-columns:1fr;gap:0}dd{margin:0 0 .5rem}figure .map "
    "svg{max-width:none;width:46rem}.tiles{grid-template-columns:1fr 1fr}}"
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
    "min-height:1.7rem;margin-top:-.2rem}.plots .tools{max-width:42rem}.tools button,.legend "
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

static void put_element(GrBuffer *page, const char *tag, const char *text)
{
    gr_buffer_printf(page, "<%s>", tag);
    gr_buffer_xml(page, text);
    gr_buffer_printf(page, "</%s>\n", tag);
}

/// `study`: it has the script of studies, which may ask its server. `reloads`: a browser without scripts loads it
/// again.
static void begin(GrBuffer *page, const char *title, const char *subtitle, bool study, bool reloads)
{
    gr_buffer_puts(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    // No requests but those, and no scripts but ours, whatever texts from files contain.
    gr_buffer_printf(page,
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
                     "style-src 'unsafe-inline'; script-src 'sha256-%s'",
                     gr_plots_script_hash);
    if (study) {
        gr_buffer_printf(page, " 'sha256-%s'; connect-src 'self'", gr_study_script_hash);
    }
    gr_buffer_puts(page, "; base-uri 'none'; form-action 'none'\"/>\n");
    if (reloads) {
        gr_buffer_printf(page, "<noscript><meta http-equiv=\"refresh\" content=\"%d\"/></noscript>\n",
                         (int)RELOAD_SECONDS);
    }
    put_element(page, "title", title);
    gr_buffer_printf(page, "<style>%s%s</style>\n</head>\n<body>\n<main>\n", STYLE, SCRIPT_STYLE);
    put_element(page, "h1", title);
    if (subtitle != NULL) {
        gr_buffer_puts(page, "<p class=\"subtitle\">");
        gr_buffer_xml(page, subtitle);
        gr_buffer_puts(page, "</p>\n");
    }
}

void gr_page_begin(GrBuffer *page, const char *title, const char *subtitle)
{
    begin(page, title, subtitle, false, false);
}

void gr_page_begin_study(GrBuffer *page, const char *title, const char *subtitle, bool running)
{
    begin(page, title, subtitle, true, running);
}

static void put_script(GrBuffer *page, const char *script, size_t size)
{
    gr_buffer_puts(page, "<script>");
    gr_buffer_add(page, script, size);
    gr_buffer_puts(page, "</script>\n");
}

void gr_page_end(GrBuffer *page)
{
    const bool study = page->data != NULL && strstr(page->data, "id=\"study\"") != NULL;
    gr_buffer_puts(page, "</main>\n");
    if (study || (page->data != NULL && strstr(page->data, "<g data-plot=\"") != NULL)) {
        put_script(page, gr_plots_script, gr_plots_script_size);
    }
    if (study) {
        put_script(page, gr_study_script, gr_study_script_size);
    }
    gr_buffer_puts(page, "</body>\n</html>\n");
}

void gr_page_url(GrBuffer *page, const char *file)
{
    static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    for (const char *c = file; *c != '\0'; c++) {
        if (strchr(PLAIN, *c) != NULL) {
            gr_buffer_add(page, c, 1);
        } else {
            gr_buffer_printf(page, "%%%02X", (unsigned)(unsigned char)*c);
        }
    }
}

void gr_page_link(GrBuffer *page, const char *file, const char *text)
{
    gr_buffer_puts(page, "<p><a href=\"");
    gr_page_url(page, file);
    gr_buffer_puts(page, "\">");
    gr_buffer_xml(page, text);
    gr_buffer_puts(page, "</a></p>\n");
}

void gr_page_section(GrBuffer *page, const char *title)
{
    put_element(page, "h2", title);
}

void gr_page_paragraph(GrBuffer *page, const char *text)
{
    put_element(page, "p", text);
}

void gr_page_begin_facts(GrBuffer *page)
{
    gr_buffer_puts(page, "<dl>\n");
}

void gr_page_fact(GrBuffer *page, const char *name, const char *value)
{
    put_element(page, "dt", name);
    put_element(page, "dd", value);
}

void gr_page_end_facts(GrBuffer *page)
{
    gr_buffer_puts(page, "</dl>\n");
}

static void put_cells(GrBuffer *page, const char *tag, const char *const *cells, int count, unsigned numeric)
{
    gr_buffer_puts(page, "<tr>");
    for (int i = 0; i < count; i++) {
        gr_buffer_printf(page, "<%s%s>", tag, numeric >> i & 1u ? " class=\"n\"" : "");
        gr_buffer_xml(page, cells[i]);
        gr_buffer_printf(page, "</%s>", tag);
    }
    gr_buffer_puts(page, "</tr>\n");
}

void gr_page_begin_table(GrBuffer *page, const char *const *heads, int count, unsigned numeric)
{
    gr_buffer_puts(page, "<div class=\"wide\">\n<table>\n<thead>");
    put_cells(page, "th", heads, count, numeric);
    gr_buffer_puts(page, "</thead>\n<tbody>\n");
}

void gr_page_row(GrBuffer *page, const char *const *cells, int count, unsigned numeric)
{
    put_cells(page, "td", cells, count, numeric);
}

void gr_page_end_table(GrBuffer *page)
{
    gr_buffer_puts(page, "</tbody>\n</table>\n</div>\n");
}

void gr_page_begin_commands(GrBuffer *page)
{
    gr_buffer_puts(page, "<div class=\"commands\">\n");
}

void gr_page_end_commands(GrBuffer *page)
{
    gr_buffer_puts(page, "</div>\n");
}

void gr_page_begin_box(GrBuffer *page, const char *title)
{
    gr_buffer_puts(page, "<div class=\"box\">\n");
    put_element(page, "b", title);
}

void gr_page_end_box(GrBuffer *page)
{
    gr_buffer_puts(page, "</div>\n");
}

void gr_page_begin_tiles(GrBuffer *page)
{
    gr_buffer_puts(page, "<div class=\"tiles\">\n");
}

void gr_page_tile(GrBuffer *page, const char *name, const char *value, const char *note)
{
    gr_buffer_puts(page, "<div class=\"tile\"><span>");
    gr_buffer_xml(page, name);
    gr_buffer_puts(page, "</span><b>");
    gr_buffer_xml(page, value);
    gr_buffer_puts(page, "</b>");
    if (note != NULL) {
        put_element(page, "span", note);
    }
    gr_buffer_puts(page, "</div>\n");
}

void gr_page_end_tiles(GrBuffer *page)
{
    gr_buffer_puts(page, "</div>\n");
}

void gr_page_begin_legend(GrBuffer *page)
{
    gr_buffer_puts(page, "<div class=\"legend\">\n");
}

void gr_page_legend(GrBuffer *page, const char *color, const char *name)
{
    gr_buffer_printf(page, "<span><i style=\"background:%s\"></i>", color);
    gr_buffer_xml(page, name);
    gr_buffer_puts(page, "</span>\n");
}

void gr_page_end_legend(GrBuffer *page)
{
    gr_buffer_puts(page, "</div>\n");
}

void gr_page_verbatim(GrBuffer *page, const char *text)
{
    put_element(page, "pre", text);
}

void gr_page_switch(GrBuffer *page, const char *text, const char *a, const char *a_text, const char *b,
                    const char *b_text)
{
    const char *const keys[] = {a, b}, *const texts[] = {a_text, b_text};
    for (int i = 0; i < 2; i++) {
        gr_buffer_printf(page, "<input type=\"radio\" class=\"choice\" name=\"by\" id=\"by-%s\"%s/>\n", keys[i],
                         i == 0 ? " checked=\"checked\"" : "");
    }
    gr_buffer_puts(page, "<p class=\"switch\">");
    gr_buffer_xml(page, text);
    for (int i = 0; i < 2; i++) {
        gr_buffer_printf(page, "<label for=\"by-%s\">", keys[i]);
        gr_buffer_xml(page, texts[i]);
        gr_buffer_puts(page, "</label>");
    }
    gr_buffer_puts(page, "</p>\n");
}

void gr_page_choice(GrBuffer *page, const char *key, const char *svg)
{
    gr_buffer_printf(page, "<figure class=\"by-%s\">\n", key);
    gr_buffer_puts(page, svg);
    gr_buffer_puts(page, "</figure>\n");
}

static void put_svg(GrBuffer *page, const char *before, const char *svg, const char *after, const char *caption)
{
    gr_buffer_printf(page, "<figure>\n%s", before);
    gr_buffer_puts(page, svg);
    gr_buffer_puts(page, after);
    if (caption != NULL) {
        put_element(page, "figcaption", caption);
    }
    gr_buffer_puts(page, "</figure>\n");
}

void gr_page_begin_plots(GrBuffer *page)
{
    gr_buffer_puts(page, "<div class=\"plots\">\n");
}

void gr_page_end_plots(GrBuffer *page)
{
    gr_buffer_puts(page, "</div>\n");
}

void gr_page_svg(GrBuffer *page, const char *svg, const char *caption)
{
    put_svg(page, "", svg, "", caption);
}

void gr_page_wide_svg(GrBuffer *page, const char *svg, const char *caption)
{
    put_svg(page, "<div class=\"wide map\">", svg, "</div>\n", caption);
}
