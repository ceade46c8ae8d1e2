/// A page is a list of blocks: what it shows, in its order. One file turns blocks into a self-contained HTML page, or
/// prints those that a terminal can show; a command describes its answer once.
///
///     GrPage page = {0};
///     gr_page_begin(&page, "Wheel on sand", "load 64 N");
///     gr_page_text(&page, "pulls at most %s", gr_show(21.3, 3, "N").text);
///     gr_page_table(&page, &table);
///     gr_page_print(&page, stdout);
///     gr_page_html(&page, &buffer);
///     gr_page_free(&page);
///
/// The HTML page needs no network. Everything is readable without a script; plots.js adds cursors and zoom to plots,
/// study.js what pages of studies need, and the page's content security policy admits no other. Every text is escaped;
/// only drawings made by this program are markup.
#ifndef GR_PAGE_H
#define GR_PAGE_H

#include "plot.h"
#include "table.h"

typedef enum GrBlockKind {
    GR_BLOCK_SECTION,
    GR_BLOCK_TEXT,
    GR_BLOCK_NOTE,   ///< a frame with title and text
    GR_BLOCK_LINK,   ///< `title` leads to the file `text`
    GR_BLOCK_SWITCH, ///< plots are over time or over distance: the reader chooses
    GR_BLOCK_INPUT,  ///< preformatted text
    GR_BLOCK_CARDS,  ///< table of name, value, note: a few numbers at a glance
    GR_BLOCK_FACTS,  ///< table of name, value
    GR_BLOCK_LEGEND, ///< table of colour, name
    GR_BLOCK_TABLE,
    GR_BLOCK_FIGURE, ///< successive figures stand side by side where there is room
    GR_BLOCK_MAP,    ///< a figure that needs the whole width; `other` is its form for phones
    GR_BLOCK_MARKUP  ///< data for a script
} GrBlockKind;

/// Where the blocks that follow are shown.
typedef enum GrPlace { GR_PLACE_BOTH, GR_PLACE_PAGE, GR_PLACE_TERMINAL } GrPlace;

typedef struct GrBlock {
    GrBlockKind kind;
    GrPlace place;
    char *title, *text; ///< owned; text: also the caption of a figure; NULL: none
    GrTable table;      ///< of cards, facts, legends, tables; the legend of a figure
    GrBuffer svg;       ///< of figures
    GrBuffer other;     ///< figure over distance where `svg` is over time, or map for phones
} GrBlock;

/// Zero-initialise before use.
typedef struct GrPage {
    char *title, *subtitle; ///< owned
    bool of_study;          ///< a server that sends it may be asked for its state (study.js)
    bool running;           ///< it is rewritten while work goes on: browsers without scripts load it again
    GrPlace place;          ///< of the blocks that are added now
    GrBlock *blocks;        ///< owned
    int count, capacity;
    bool failed; ///< an allocation failed
} GrPage;

/// `subtitle` may be NULL.
void gr_page_begin(GrPage *page, const char *title, const char *subtitle);

void gr_page_section(GrPage *page, const char *format, ...) GR_PRINTF(2, 3);
void gr_page_text(GrPage *page, const char *format, ...) GR_PRINTF(2, 3);
void gr_page_note(GrPage *page, const char *title, const char *text);
/// A link to a file beside the page.
void gr_page_link(GrPage *page, const char *file, const char *text);
/// A link to a replay beside the page, opened where the rover is nearest to a place (docs/replay.md); NULL: at its
/// beginning.
void gr_page_link_place(GrPage *page, const char *file, const double at[2], const char *text);
void gr_page_switch(GrPage *page);
void gr_page_input(GrPage *page, const char *text);
void gr_page_markup(GrPage *page, GrBuffer *markup);

// One more entry of the last block, or the first of a new one.

/// `note` may be NULL.
void gr_page_card(GrPage *page, const char *name, const char *value, const char *note);
void gr_page_fact(GrPage *page, const char *name, const char *format, ...) GR_PRINTF(3, 4);
/// `color` is a CSS colour.
void gr_page_legend(GrPage *page, const char *color, const char *name);

// The page takes tables and drawings: they are empty afterwards. `caption` may be NULL.

void gr_page_table(GrPage *page, GrTable *table);
void gr_page_figure(GrPage *page, GrBuffer *svg, const char *caption);
/// A drawing that needs the whole width, and the same for phones, GR_PAGE_NARROW wide.
enum { GR_PAGE_NARROW = 378 };
void gr_page_map(GrPage *page, GrBuffer svg[2], const char *caption);
/// The same over time and over distance; `legend` stands above, empty: none.
void gr_page_choice(GrPage *page, GrTable *legend, GrBuffer *by_time, GrBuffer *by_distance);

/// Each panel as a figure, and a caption below them all.
void gr_page_panels(GrPage *page, const GrPanel *panels, int count, const char *caption);

/// Appends the page as HTML.
void gr_page_html(const GrPage *page, GrBuffer *out);
/// Prints title, texts, notes, facts and tables.
void gr_page_print(const GrPage *page, FILE *file);
void gr_page_free(GrPage *page);

/// A file's name as a relative address, for attributes and scripts: everything but letters, digits, - . _ ~ and / is
/// percent-encoded.
void gr_page_url(GrBuffer *out, const char *file);

#endif
