#include "page.h"

#include "plot.h"
#include "plots_script.h"
#include "svg.h"
#include "test.h"
#include "xml_check.h"

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

    GrBuffer page = {0};
    const char *cells[] = {evil, evil};
    gr_page_begin(&page, evil, evil);
    gr_page_section(&page, evil);
    gr_page_paragraph(&page, evil);
    gr_page_begin_facts(&page);
    gr_page_fact(&page, evil, evil);
    gr_page_end_facts(&page);
    gr_page_begin_table(&page, cells, 2, 2);
    gr_page_row(&page, cells, 2, 2);
    gr_page_end_table(&page);
    gr_page_svg(&page, svg.data, evil);
    gr_page_end(&page);
    assert_false(page.failed);
    assert_null(strstr(page.data, "<script")); // not even ours: there is no plot
    assert_true(gr_xml_valid(page.data));      // written so that it is XML as well
    assert_non_null(strstr(page.data, "<td>&lt;/title&gt;"));
    assert_non_null(strstr(page.data, "<td class=\"n\">"));
    gr_buffer_free(&svg);
    gr_buffer_free(&page);
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
    GrBuffer svg = {0}, page = {0};
    assert_int_equal(gr_plot_write(&(GrPlot){.panels = &panel, .panel_count = 1}, &svg), GR_OK);
    gr_page_begin(&page, evil, NULL);
    gr_page_svg(&page, svg.data, NULL);
    gr_page_end(&page);
    assert_false(page.failed);
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
    gr_buffer_free(&svg);
    gr_buffer_free(&page);
}

/// A file's name cannot leave its attribute, name a scheme, or break a script.
static void test_link(void **state)
{
    (void)state;
    GrBuffer page = {0};
    gr_page_link(&page, "javascript:a(\"<b>\")%&#1.html", "open <it>");
    assert_string_equal(page.data,
                        "<p><a href=\"javascript%3Aa%28%22%3Cb%3E%22%29%25%26%231.html\">open &lt;it&gt;</a></p>\n");
    gr_buffer_free(&page);
    gr_page_url(&page, "run/replay-1_a~b.html");
    assert_string_equal(page.data, "run/replay-1_a~b.html");
    gr_buffer_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_escapes_everything), cmocka_unit_test(test_script),
                                       cmocka_unit_test(test_link)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
