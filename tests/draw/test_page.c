#include "page.h"

#include "plot.h"
#include "plots_script.h"
#include "svg.h"
#include "test.h"
#include "xml_check.h"

/// The page as HTML; frees it.
static GrBuffer html(GrPage *page)
{
    GrBuffer out = {0};
    gr_page_html(page, &out);
    assert_false(out.failed);
    gr_page_free(page);
    return out;
}

/// Hostile text everywhere: nothing of it may become markup.
static void test_escapes_everything(void **state)
{
    (void)state;
    const char *evil = "</title><script>alert(\"1\" & '2')</script>";
    GrBuffer svg = {0};
    gr_svg_begin(&svg, 10, 10, evil);
    gr_svg_text(&svg, (GrPoint2){1, 1}, (GrSvgFont){.bold = true, .italic = true, .rotate = 30}, evil);
    gr_svg_end(&svg);
    assert_true(gr_xml_valid(svg.data));

    GrPage page = {0};
    GrTable table = {0};
    gr_table_column(&table, evil, GR_LEFT);
    gr_table_column(&table, evil, GR_RIGHT);
    gr_table_text(&table, evil);
    gr_table_text(&table, evil);
    gr_page_begin(&page, evil, evil);
    gr_page_card(&page, evil, evil, evil);
    gr_page_section(&page, "%s", evil);
    gr_page_text(&page, "%s", evil);
    gr_page_note(&page, evil, evil);
    gr_page_fact(&page, evil, "%s", evil);
    gr_page_legend(&page, "#222", evil);
    gr_page_table(&page, &table);
    gr_page_figure(&page, &svg, evil);
    gr_page_input(&page, evil);
    GrBuffer text = html(&page);
    assert_null(strstr(text.data, "<script")); // not even ours: there is no plot
    assert_true(gr_xml_valid(text.data));      // written so that it is XML as well
    assert_non_null(strstr(text.data, "<td>&lt;/title&gt;"));
    assert_non_null(strstr(text.data, "<td class=\"n\">"));
    gr_buffer_free(&text);
}

/// A page with a plot has the script once, unchanged, and a policy that admits only its hash; it is XML still. Evil
/// names of series and labels stay text. That a browser accepts the hash is tested in tests/viewer/report.test.mjs.
static void test_script(void **state)
{
    (void)state;
    enum { DIGITS = 44 }; // of 32 bytes in base64
    const char *evil = "\"><script>alert(1)</script>";
    const double x[] = {0, 1}, y[] = {0, 1};
    const GrSeries series = {.key = evil, .x = x, .y = y, .count = 2};
    const GrPanel panel = {.title = evil, .x_label = evil, .y_label = evil, .series = &series, .series_count = 1};
    GrPage blocks = {0};
    gr_page_begin(&blocks, evil, NULL);
    gr_page_panels(&blocks, &panel, 1, NULL);
    GrBuffer page = html(&blocks);
    assert_true(gr_xml_valid(page.data));
    const char *script = strstr(page.data, "<script");
    assert_non_null(script);
    assert_memory_equal(script, "<script>", 8);
    assert_memory_equal(script + 8, gr_plots_script, gr_plots_script_size);
    assert_memory_equal(script + 8 + gr_plots_script_size, "</script>", 9);
    assert_null(strstr(script + 1, "<script"));
    assert_int_equal(strlen(gr_plots_script), gr_plots_script_size);
    assert_int_equal(strlen(gr_plots_script_hash), DIGITS);
    const char *policy = strstr(page.data, "script-src 'sha256-");
    assert_non_null(policy);
    assert_memory_equal(policy + 19, gr_plots_script_hash, DIGITS);
    assert_memory_equal(policy + 19 + DIGITS, "';", 2); // and nothing else
    gr_buffer_free(&page);
}

/// A file's name cannot leave its attribute, name a scheme, or break a script.
static void test_link(void **state)
{
    (void)state;
    GrPage blocks = {0};
    gr_page_begin(&blocks, "links", NULL);
    gr_page_link(&blocks, "javascript:a(\"<b>\")%&#1.html", "open <it>");
    GrBuffer page = html(&blocks);
    assert_non_null(
        strstr(page.data, "<p><a href=\"javascript%3Aa%28%22%3Cb%3E%22%29%25%26%231.html\">open &lt;it&gt;</a></p>\n"));
    gr_buffer_free(&page);
    gr_page_url(&page, "run/replay-1_a~b.html");
    assert_string_equal(page.data, "run/replay-1_a~b.html");
    gr_buffer_free(&page);
}

/// Figures that follow each other stand side by side; entries of facts and legends join; blocks of the terminal are not
/// on the page.
static void test_groups(void **state)
{
    (void)state;
    GrPage blocks = {0};
    GrBuffer svg = {0};
    gr_page_begin(&blocks, "groups", NULL);
    for (int i = 0; i < 2; i++) {
        gr_buffer_puts(&svg, "<svg/>");
        gr_page_figure(&blocks, &svg, NULL);
        assert_null(svg.data);
    }
    gr_page_fact(&blocks, "one", "%d", 1);
    gr_page_fact(&blocks, "two", "%d", 2);
    blocks.place = GR_PLACE_TERMINAL;
    gr_page_text(&blocks, "printed");
    GrBuffer page = html(&blocks);
    assert_non_null(strstr(page.data, "<div class=\"plots\">\n<figure>\n<svg/></figure>\n<figure>\n<svg/></figure>\n"
                                      "</div>\n<dl>\n<dt>one</dt>\n<dd>1</dd>\n<dt>two</dt>\n<dd>2</dd>\n</dl>\n"));
    assert_null(strstr(page.data, "printed"));
    gr_buffer_free(&page);
}

/// What the terminal shows of a page: texts, facts and tables, with empty lines between.
static void test_terminal(void **state)
{
    (void)state;
    GrPage page = {0};
    GrTable table = {0};
    gr_page_begin(&page, "title", NULL);
    gr_page_card(&page, "pull", "3 N", NULL);
    gr_page_text(&page, "pulls %d N", 3);
    gr_page_text(&page, "at slip %s", gr_show(0.31249, 3, "").text);
    gr_table_columns(&table, (const GrColumn[]){{"slip", "slip", 1, 0}, {"sinkage_m", "sinkage [mm]", 1000, 2}}, 2);
    gr_table_values(&table, (const double[]){0.1, 0.01234}, 2);
    gr_page_table(&page, &table);
    page.place = GR_PLACE_PAGE;
    gr_page_text(&page, "on the page alone");
    page.place = GR_PLACE_BOTH;
    gr_page_note(&page, "trust", "tested");
    FILE *file = tmpfile();
    char out[512];
    assert_non_null(file);
    gr_page_print(&page, file);
    rewind(file);
    out[fread(out, 1, sizeof out - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(out, "pulls 3 N\n"
                             "at slip 0.312\n"
                             "\n"
                             "  slip  sinkage [mm]\n"
                             "  ────  ────────────\n"
                             "   0.1            12\n"
                             "\n"
                             "trust: tested\n");
    gr_page_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_escapes_everything), cmocka_unit_test(test_script),
                                       cmocka_unit_test(test_link), cmocka_unit_test(test_groups),
                                       cmocka_unit_test(test_terminal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
