/// The working text of an edited file: history, lines, saving.
#include "editor.h"

#include "file.h"
#include "text.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static GrErrorLog error_log;

static GrEditor *open_text(const char *text)
{
    assert_int_equal(gr_file_write("e.yaml", text, strlen(text), NULL), GR_OK);
    GrEditor *editor = gr_editor_open("./e.yaml", NULL, &error_log);
    assert_non_null(editor);
    return editor;
}

static void assert_text(const GrEditor *editor, const char *expected)
{
    size_t size;
    assert_string_equal(gr_editor_text(editor, &size), expected);
    assert_int_equal(size, strlen(expected));
}

static GrStatus change(GrEditor *editor, GrMessageOp op)
{
    return gr_editor_change(editor, &(GrMessage){.op = op}, &error_log);
}

/// `sets` ends with an empty one.
static GrStatus edit(GrEditor *editor, const char *const *sets)
{
    static GrMessage message;
    size_t used = 0;
    message = (GrMessage){.op = GR_MESSAGE_EDIT};
    for (; sets[message.set_count][0] != '\0'; message.set_count++) {
        const size_t size = strlen(sets[message.set_count]) + 1;
        memcpy(message.set + used, sets[message.set_count], size);
        used += size;
    }
    return gr_editor_change(editor, &message, &error_log);
}

static GrStatus lines(GrEditor *editor, int first, int last, const char *text)
{
    static GrMessage message;
    message = (GrMessage){.op = GR_MESSAGE_LINES_OF_TEXT, .first = first, .last = last};
    gr_text_copy(message.set, sizeof message.set, text);
    return gr_editor_change(editor, &message, &error_log);
}

static void test_history(void **state)
{
    (void)state;
    error_log = (GrErrorLog){.quiet = true};
    GrEditor *editor = open_text("a: 1 # one\nb: 2\n");
    assert_int_equal(edit(editor, (const char *const[]){"a=5", "c=6", ""}), GR_OK);
    assert_text(editor, "a: 5 # one\nb: 2\nc: 6\n");
    assert_int_equal(edit(editor, (const char *const[]){"b=7", "d.e=", ""}), GR_ERROR_VALUE);
    assert_text(editor, "a: 5 # one\nb: 2\nc: 6\n"); // all or nothing
    change(editor, GR_MESSAGE_UNDO);
    assert_text(editor, "a: 1 # one\nb: 2\n");
    change(editor, GR_MESSAGE_UNDO); // there is nothing before
    change(editor, GR_MESSAGE_REDO);
    assert_text(editor, "a: 5 # one\nb: 2\nc: 6\n");
    change(editor, GR_MESSAGE_UNDO);
    assert_int_equal(edit(editor, (const char *const[]){"a=8", ""}), GR_OK);
    change(editor, GR_MESSAGE_REDO); // what was undone is forgotten by a change
    assert_text(editor, "a: 8 # one\nb: 2\n");
    for (int i = 0; i < 500; i++) {
        assert_int_equal(edit(editor, (const char *const[]){i % 2 ? "a=1" : "a=2", ""}), GR_OK);
    }
    for (int i = 0; i < 500; i++) {
        change(editor, GR_MESSAGE_UNDO);
    }
    gr_editor_free(editor);
}

static void test_lines(void **state)
{
    (void)state;
    GrEditor *editor = open_text("1\n2\n3\n");
    assert_int_equal(lines(editor, 2, 2, "two\nmore\n"), GR_OK);
    assert_text(editor, "1\ntwo\nmore\n3\n");
    assert_int_equal(lines(editor, 1, 0, "0\n"), GR_OK);
    assert_text(editor, "0\n1\ntwo\nmore\n3\n");
    assert_int_equal(lines(editor, 2, 4, ""), GR_OK);
    assert_text(editor, "0\n3\n");
    assert_int_equal(lines(editor, 99, 99, "4"), GR_OK);
    assert_text(editor, "0\n3\n4");
    assert_int_equal(lines(editor, 99, 120, "5\n"), GR_OK);
    assert_text(editor, "0\n3\n4\n5\n");
    assert_int_equal(lines(editor, 1, 1000, ""), GR_OK);
    assert_text(editor, "");
    gr_editor_free(editor);
}

static void assert_file(const char *path, const char *expected)
{
    char *text;
    size_t size;
    assert_int_equal(gr_file_read(path, 1000, &text, &size, NULL), GR_OK);
    assert_string_equal(text, expected);
    free(text);
}

static void test_save(void **state)
{
    (void)state;
    error_log = (GrErrorLog){.quiet = true};
    GrEditor *editor = open_text("a: 1\n");
    assert_int_equal(edit(editor, (const char *const[]){"a=2", ""}), GR_OK);
    assert_file("e.yaml", "a: 1\n");
    assert_int_equal(gr_editor_save(editor, false, &error_log), GR_OK);
    assert_file("e.yaml", "a: 2\n");
    assert_int_equal(gr_file_write("e.yaml", "a: 9\n", 5, NULL), GR_OK);
    assert_int_equal(gr_editor_save(editor, false, &error_log), GR_ERROR_BUSY);
    assert_file("e.yaml", "a: 9\n");
    assert_int_equal(gr_editor_save(editor, true, &error_log), GR_OK);
    assert_file("e.yaml", "a: 2\n");
    gr_editor_free(editor);
    editor = gr_editor_open("mer_like", NULL, &error_log);
    assert_true(gr_editor_is_rover(editor));
    assert_string_equal(gr_editor_file(editor), "mer_like.yaml");
    gr_editor_free(editor);
    // shipped scenarios and maps get a file of their own, which must not exist
    editor = gr_editor_open("crossing", NULL, &error_log);
    assert_string_equal(gr_editor_file(editor), "crossing.yaml");
    gr_editor_free(editor);
    assert_int_equal(gr_file_write("crossing.yaml", "x", 1, NULL), GR_OK);
    assert_null(gr_editor_open("crossing", NULL, &error_log));
    editor = gr_editor_open("crossing", "other.yaml", &error_log);
    assert_string_equal(gr_editor_file(editor), "other.yaml");
    gr_editor_free(editor);
    assert_null(gr_editor_open("./missing.yaml", NULL, &error_log));
#ifdef GR_WITH_GDAL // which reads maps
    static const char grid[] = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n0 0\n0 0\n";
    assert_int_equal(gr_file_write("it's <b>.asc", grid, sizeof grid - 1, NULL), GR_OK);
    editor = gr_editor_open("./it's <b>.asc", NULL, &error_log);
    size_t size;
    assert_non_null(editor);
    assert_non_null(strstr(gr_editor_text(editor, &size), "file: \"./it's <b>.asc\"\n"));
    assert_int_equal(gr_file_write("no_map.tif", "x", 1, NULL), GR_OK);
    assert_null(gr_editor_open("./no_map.tif", NULL, &error_log));
    gr_editor_free(editor);
#endif
}

static void test_state(void **state)
{
    (void)state;
    GrBuffer chunk = {0}, about = {0}, svg = {0};
    GrErrorLog log = {.quiet = true};
    GrEditor *editor = open_text("rover: mer_like\nstart: {x_m: \"</script>\"}\n");
    gr_error_add(&log, GR_ERROR_VALUE, (GrLocation){.file = "./e.yaml", .line = 2, .field = "start.x_m"}, "bad");
    gr_editor_put(editor, &log, "a note", &chunk);
    gr_editor_about(editor, &about);
    assert_false(chunk.failed || about.failed);
    assert_non_null(strstr(about.data, "\"name\": \"mer_like\""));
    assert_non_null(strstr(about.data, "\"schema\": {"));
    assert_true(gr_editor_picture("mer_like", &svg));
    assert_non_null(strstr(svg.data, "<svg"));
    assert_false(gr_editor_picture("../soils/mars_sand", &svg));
    assert_false(gr_editor_picture("", &svg));
    gr_buffer_free(&chunk);
    gr_buffer_free(&about);
    gr_buffer_free(&svg);
    gr_editor_free(editor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_history), cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_save), cmocka_unit_test(test_state)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
