#include "page.h"

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
    assert_null(strstr(page.data, "<script"));
    assert_true(gr_xml_valid(page.data)); // written so that it is XML as well
    assert_non_null(strstr(page.data, "<td>&lt;/title&gt;"));
    assert_non_null(strstr(page.data, "<td class=\"n\">"));
    gr_buffer_free(&svg);
    gr_buffer_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_escapes_everything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
