/// Checksums against the definition, bit by bit.
#include "crc32.h"

#include "random.h"
#include "test.h"

static uint32_t by_bits(const unsigned char *data, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

static void test_sizes(void **state)
{
    (void)state;
    enum { MOST = 20000 };
    static unsigned char data[MOST];
    GrRandom random = gr_random_stream(3, "bytes");
    for (int i = 0; i < MOST; i++) {
        data[i] = (unsigned char)gr_random_u64(&random);
    }
    assert_int_equal(gr_crc32(0, "123456789", 9), 0xcbf43926);
    const size_t sizes[] = {0, 1, 7, 8, 9, 100, 4095, 4096, 4097, 4120, 5000, 12345, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t n = sizes[i];
        assert_int_equal(gr_crc32(0, data, n), by_bits(data, n));
        // in two parts
        assert_int_equal(gr_crc32(gr_crc32(0, data, n / 3), data + n / 3, n - n / 3), by_bits(data, n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
