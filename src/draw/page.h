/// One self-contained HTML page: sections with text, tables and embedded drawings. Needs no network. Everything is
/// readable without a script; plots.js adds cursors and zoom to plots, study.js what pages of studies need, and the
/// page's content security policy admits no other. Every text is escaped; only functions that take an SVG document take
/// markup.
#ifndef GR_PAGE_H
#define GR_PAGE_H

#include "buffer.h"

void gr_page_begin(GrBuffer *page, const char *title, const char *subtitle);
/// The same for the page of a study: a server that sends it may be asked for its state (study.js). `running`: it is
/// rewritten while work goes on; a browser without scripts loads it again every few seconds.
void gr_page_begin_study(GrBuffer *page, const char *title, const char *subtitle, bool running);
/// Ends the page, with the scripts that it needs.
void gr_page_end(GrBuffer *page);

void gr_page_section(GrBuffer *page, const char *title);
void gr_page_paragraph(GrBuffer *page, const char *text);

/// A link to a file beside the page, in a paragraph.
void gr_page_link(GrBuffer *page, const char *file, const char *text);
/// A file's name as a relative address, for attributes and scripts: everything but letters, digits, - . _ ~ and / is
/// percent-encoded.
void gr_page_url(GrBuffer *page, const char *file);

/// A framed part with a heading: begin, content, end.
void gr_page_begin_box(GrBuffer *page, const char *title);
void gr_page_end_box(GrBuffer *page);

/// Pairs of name and value: begin, rows, end.
void gr_page_begin_facts(GrBuffer *page);
void gr_page_fact(GrBuffer *page, const char *name, const char *value);
void gr_page_end_facts(GrBuffer *page);

/// Table: begin with the heads, rows of as many cells, end. Columns whose bit in `numeric` is set align to the right.
void gr_page_begin_table(GrBuffer *page, const char *const *heads, int count, unsigned numeric);
void gr_page_row(GrBuffer *page, const char *const *cells, int count, unsigned numeric);
void gr_page_end_table(GrBuffer *page);

/// Tables whose last column are commands, which are not broken into lines: begin, tables, end.
void gr_page_begin_commands(GrBuffer *page);
void gr_page_end_commands(GrBuffer *page);

/// A few numbers at a glance: begin, tiles, end. `note` may be NULL.
void gr_page_begin_tiles(GrBuffer *page);
void gr_page_tile(GrBuffer *page, const char *name, const char *value, const char *note);
void gr_page_end_tiles(GrBuffer *page);

/// Colours and their names in a row: begin, entries, end. `color` is a CSS colour.
void gr_page_begin_legend(GrBuffer *page);
void gr_page_legend(GrBuffer *page, const char *color, const char *name);
void gr_page_end_legend(GrBuffer *page);

/// Preformatted text.
void gr_page_verbatim(GrBuffer *page, const char *text);

/// A switch between two kinds of drawing, `a` first; the keys are words without spaces. At most one a page; it selects
/// among the choices that follow, without script.
void gr_page_switch(GrBuffer *page, const char *text, const char *a, const char *a_text, const char *b,
                    const char *b_text);
/// A drawing that is shown when the switch is at `key`.
void gr_page_choice(GrBuffer *page, const char *key, const char *svg);

/// Drawings side by side where there is room: begin, drawings, end.
void gr_page_begin_plots(GrBuffer *page);
void gr_page_end_plots(GrBuffer *page);

/// An SVG document made by this program, with a caption (NULL: none).
void gr_page_svg(GrBuffer *page, const char *svg, const char *caption);
/// The same for a drawing whose text would be too small on a phone: it scrolls sideways there.
void gr_page_wide_svg(GrBuffer *page, const char *svg, const char *caption);

#endif
