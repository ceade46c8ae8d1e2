/// Messages of viewers: the operations of docs/replay.md, and what is refused.
#include "message.h"

#include "test.h"

static GrMessage message;
static const char *why;

static bool reads(const char *text)
{
    static char copy[GR_MESSAGE_SIZE + 1];
    const size_t size = strlen(text);
    assert_true(size < sizeof copy);
    memcpy(copy, text, size + 1);
    why = NULL;
    const bool good = gr_message_read(copy, size, &message, &why);
    assert_true(good == (why == NULL)); // a refusal has a reason
    return good;
}

static void test_operations(void **state)
{
    (void)state;
    assert_true(reads("{\"op\":\"play\"}") && message.op == GR_MESSAGE_PLAY);
    assert_true(reads("{\"op\":\"pause\"}") && message.op == GR_MESSAGE_PAUSE);
    assert_true(reads("{\"op\":\"step\"}") && message.op == GR_MESSAGE_STEP);
    assert_true(reads("{\"op\":\"speed\",\"value\":0}") && message.op == GR_MESSAGE_PACE && message.pace == 0);
    assert_true(reads("{\"op\":\"speed\",\"value\":1000}") && message.pace == 1000);
    assert_true(reads("{\"op\":\"reset\"}") && message.op == GR_MESSAGE_RESET && message.set_count == 0);
    assert_true(reads("{\"op\":\"reset\",\"set\":[\"soil:phi=30\",\"gravity=moon\"]}"));
    assert_int_equal(message.set_count, 2);
    assert_string_equal(gr_message_set(&message, 0), "soil:phi=30");
    assert_string_equal(gr_message_set(&message, 1), "gravity=moon");
    assert_true(reads("{\"op\":\"drive\",\"mode\":\"crab\",\"speed\":-0.05,\"crab\":0.5}"));
    assert_true(message.op == GR_MESSAGE_DRIVE && message.command.mode == GR_DRIVE_CRAB && !message.release);
    assert_true(message.command.speed == -0.05 && message.command.crab == 0.5 && message.command.yaw_rate == 0);
    assert_true(reads("{\"op\":\"drive\",\"auto\":true}") && message.release);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "play",
        "[]",
        "{}",
        "{\"op\":1}",
        "{\"op\":\"fly\"}",
        "{\"op\":\"speed\"}",
        "{\"op\":\"speed\",\"value\":-1}",
        "{\"op\":\"speed\",\"value\":0.05}",
        "{\"op\":\"speed\",\"value\":1001}",
        "{\"op\":\"speed\",\"value\":\"2\"}",
        "{\"op\":\"speed\",\"value\":1e999}",
        "{\"op\":\"reset\",\"set\":\"a=1\"}",
        "{\"op\":\"reset\",\"set\":[1]}",
        "{\"op\":\"reset\",\"set\":[\"a\"]}",
        "{\"op\":\"drive\"}",
        "{\"op\":\"drive\",\"auto\":false}",
        "{\"op\":\"drive\",\"mode\":\"fly\"}",
        "{\"op\":\"drive\",\"mode\":\"fixed\"}",
        "{\"op\":\"drive\",\"mode\":\"skid\",\"speed\":11}",
        "{\"op\":\"drive\",\"mode\":\"skid\",\"speed\":\"1\"}",
        "{\"op\":\"drive\",\"mode\":\"skid\",\"curvature\":101}",
        "{\"op\":\"drive\",\"mode\":\"skid\",\"yaw_rate\":-11}",
        "{\"op\":\"drive\",\"mode\":\"skid\",\"crab\":4}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (reads(bad[i])) {
            print_error("accepted: %s\n", bad[i]);
            fail();
        }
    }
}

/// Values beyond the room for them are refused, not cut.
static void test_many_values(void **state)
{
    (void)state;
    char text[GR_MESSAGE_SIZE + 1] = "{\"op\":\"reset\",\"set\":[\"a=0\"";
    for (int i = 1; i < GR_MESSAGE_SETS; i++) {
        strcat(text, ",\"a=0\"");
    }
    char more[GR_MESSAGE_SIZE + 1];
    snprintf(more, sizeof more, "%.4000s,\"a=0\"]}", text);
    assert_false(reads(more));
    strcat(text, "]}");
    assert_true(reads(text));
    assert_int_equal(message.set_count, GR_MESSAGE_SETS);
    assert_string_equal(gr_message_set(&message, GR_MESSAGE_SETS - 1), "a=0");
    snprintf(text, sizeof text, "{\"op\":\"reset\",\"set\":[\"a=%0*d\"]}", GR_MESSAGE_SET_SIZE - 2, 0);
    assert_false(reads(text));
    snprintf(text, sizeof text, "{\"op\":\"reset\",\"set\":[\"a=%0*d\"]}", GR_MESSAGE_SET_SIZE - 3, 0);
    assert_true(reads(text));
}

/// Messages of an editor.
static void test_edits(void **state)
{
    (void)state;
    static const char *const WRONG[] = {
        "{\"op\":\"edit\"}",
        "{\"op\":\"edit\",\"set\":[]}",
        "{\"op\":\"edit\",\"set\":[\"a\"]}",
        "{\"op\":\"lines\",\"first\":1,\"last\":1}",
        "{\"op\":\"lines\",\"first\":0,\"last\":1,\"text\":\"\"}",
        "{\"op\":\"lines\",\"first\":5,\"last\":3,\"text\":\"\"}",
        "{\"op\":\"lines\",\"first\":1.5,\"last\":3,\"text\":\"\"}",
        "{\"op\":\"lines\",\"first\":1,\"last\":1e9,\"text\":\"\"}",
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        assert_false(reads(WRONG[i]));
    }
    assert_true(reads("{\"op\":\"edit\",\"set\":[\"start.x_m=1\",\"start.y_m=\"]}"));
    assert_int_equal(message.op, GR_MESSAGE_EDIT);
    assert_string_equal(gr_message_set(&message, 1), "start.y_m=");
    assert_true(reads("{\"op\":\"lines\",\"first\":3,\"last\":2,\"text\":\"a: 1\\n\"}"));
    assert_int_equal(message.last, 2);
    assert_string_equal(message.set, "a: 1\n");
    assert_true(reads("{\"op\":\"save\",\"force\":true}"));
    assert_true(message.force);
    assert_true(reads("{\"op\":\"save\"}"));
    assert_false(message.force);
    assert_true(reads("{\"op\":\"undo\"}") && reads("{\"op\":\"redo\"}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
