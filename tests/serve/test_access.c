/// Which pages may connect: hosts and origins of this server, and none that a foreign site can make up.
#include "access.h"

#include "test.h"

static const char *const FOXGLOVE[] = {"https://app.foxglove.dev"};
static const GrAccess HOME = {.host = "127.0.0.1", .machine = "rover-lab", .origins = FOXGLOVE, .origin_count = 1};
static const GrAccess ALL = {.host = "0.0.0.0", .machine = "rover-lab"};

static void test_hosts(void **state)
{
    (void)state;
    static const char *const good[] = {"127.0.0.1", "127.0.0.1:8765", "localhost:8765",
                                       "LocalHost", "[::1]:8765",     "127.1.2.3"};
    static const char *const bad[] = {"",
                                      ":8765",
                                      "evil.com",
                                      "evil.com:8765",
                                      "127.0.0.1.evil.com",
                                      "localhost.evil.com",
                                      "127.0.0.1:80@evil.com",
                                      "[::1",
                                      "[::1]x",
                                      "[localhost]",
                                      "[127.0.0.1]:8765",
                                      "192.168.1.5:8765",
                                      "rover-lab",
                                      "127.0.0.1:8765/",
                                      "2130706433"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(gr_access_host(&HOME, good[i]));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (gr_access_host(&HOME, bad[i])) {
            print_error("accepted: %s\n", bad[i]);
            fail();
        }
    }
    // beyond loopback, addresses cannot be made up by a name server, names can
    assert_true(gr_access_host(&ALL, "192.168.1.5:8765"));
    assert_true(gr_access_host(&ALL, "Rover-Lab:8765"));
    assert_true(gr_access_host(&ALL, "[fe80::1]:8765"));
    assert_false(gr_access_host(&ALL, "evil.com:8765"));
}

static void test_origins(void **state)
{
    (void)state;
    const char *const host = "127.0.0.1:8765";
    assert_true(gr_access_origin(&HOME, NULL, host)); // no browser
    assert_true(gr_access_origin(&HOME, "http://127.0.0.1:8765", host));
    assert_true(gr_access_origin(&HOME, "https://app.foxglove.dev", host));
    static const char *const bad[] = {"",
                                      "null",
                                      "http://evil.com",
                                      "https://127.0.0.1:8765",
                                      "http://127.0.0.1:8766",
                                      "http://127.0.0.1",
                                      "http://127.0.0.1:8765.evil.com",
                                      "file://",
                                      "http://localhost:8765"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(gr_access_origin(&HOME, bad[i], host));
    }
    assert_false(gr_access_origin(&ALL, "https://app.foxglove.dev", host));
}

static void test_loopback(void **state)
{
    (void)state;
    assert_true(gr_access_is_loopback("127.0.0.1") && gr_access_is_loopback("::1") &&
                gr_access_is_loopback("localhost"));
    assert_false(gr_access_is_loopback("0.0.0.0") || gr_access_is_loopback("10.0.0.1") || gr_access_is_loopback("::"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_loopback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
