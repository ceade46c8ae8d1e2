/// Range coder and tiles: what is written is read, in as many bytes as the entropy of what is written.
#include "random.h"
#include "test.h"
#include "tile_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 200000, NODES = GR_TILE_SIDE * GR_TILE_SIDE, TILES = 40 };

/// Bits that are 1 with a given probability take their entropy and what learning costs: a mean over the last 32 bits or
/// so scatters by p (1 − p)/64, which makes 1/(128 ln 2) of a bit for each.
static void test_entropy(void **state)
{
    (void)state;
    static const double SHARES[] = {0.5, 0.2, 0.03, 0.99};
    for (size_t s = 0; s < sizeof SHARES / sizeof SHARES[0]; s++) {
        GrRandom random = gr_random_stream(s, "bits");
        GrBuffer bytes = {0};
        GrRangeWriter writer = gr_range_write_begin(&bytes);
        GrBitContext context = GR_BIT_EVEN;
        unsigned char *bits = malloc(BITS);
        for (int k = 0; k < BITS; k++) {
            bits[k] = gr_random_unit(&random) < SHARES[s];
            gr_range_write(&writer, &context, bits[k]);
        }
        gr_range_write_end(&writer);
        const double p = SHARES[s], entropy = -(p * log2(p) + (1 - p) * log2(1 - p)) * BITS / 8;
        print_message("share %g: %zu bytes, entropy %.0f\n", p, bytes.size, entropy);
        const double learning = BITS / 8.0 / (128 * log(2));
        assert_true((double)bytes.size < entropy + 1.2 * learning + 10 && (double)bytes.size > 0.97 * entropy);
        GrRangeReader reader = gr_range_read_begin((const unsigned char *)bytes.data, bytes.size);
        context = GR_BIT_EVEN;
        for (int k = 0; k < BITS; k++) {
            assert_int_equal(gr_range_read(&reader, &context), bits[k]);
        }
        assert_true(gr_range_read_end(&reader));
        free(bits);
        gr_buffer_free(&bytes);
    }
}

/// Bits of either kind by turns; unlikely ones make carries run through bytes of 0xff.
static void test_carries(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        GrRandom random = gr_random_stream(seed, "carries");
        GrBuffer bytes = {0};
        GrRangeWriter writer = gr_range_write_begin(&bytes);
        GrBitContext context = GR_BIT_EVEN;
        for (int k = 0; k < 400; k++) {
            gr_range_write(&writer, &context, gr_random_below(&random, 50) == 0);
            gr_range_write_even(&writer, k % 3 == 0 ? UINT32_MAX : (uint32_t)gr_random_u64(&random), k % 33);
        }
        gr_range_write_end(&writer);
        GrRangeReader reader = gr_range_read_begin((const unsigned char *)bytes.data, bytes.size);
        random = gr_random_stream(seed, "carries");
        context = GR_BIT_EVEN;
        for (int k = 0; k < 400; k++) {
            const int bit = gr_random_below(&random, 50) == 0;
            assert_int_equal(gr_range_read(&reader, &context), bit);
            const uint64_t mask = ((uint64_t)1 << k % 33) - 1;
            const uint32_t even = k % 3 == 0 ? UINT32_MAX : (uint32_t)gr_random_u64(&random);
            assert_true(gr_range_read_even(&reader, k % 33) == (even & mask));
        }
        assert_true(gr_range_read_end(&reader));
        gr_buffer_free(&bytes);
    }
}

/// Numbers of one tile: nothing, a plane, a trough with noise, noise of all sizes, the largest numbers.
static void fill(int kind, GrRandom *random, int32_t values[NODES])
{
    for (int n = 0; n < NODES; n++) {
        const int i = n % GR_TILE_SIDE, j = n / GR_TILE_SIDE;
        const double across = (i - 12.3) / 9, noise = gr_random_uniform(random, -1, 1);
        const int32_t size = (int32_t)1 << gr_random_below(random, 28);
        const int32_t rows[] = {0, 40 * i - 7 * j + 3, (int32_t)lround(-200 * fmax(0, 1 - across * across) + 2 * noise),
                                (int32_t)(noise * size), (i + j) % 2 == 0 ? GR_TILE_MOST : -GR_TILE_MOST};
        values[n] = rows[kind];
    }
}

static void test_tiles(void **state)
{
    (void)state;
    static const double MOST[] = {0.01, 0.2, 4, 28, 32}; // bits a number
    for (int kind = 0; kind < 5; kind++) {
        static int32_t values[TILES][NODES];
        GrRandom random = gr_random_stream((uint64_t)kind, "tiles");
        GrBuffer bytes = {0};
        GrRangeWriter writer = gr_range_write_begin(&bytes);
        GrTileModel model;
        gr_tile_model_init(&model);
        for (int k = 0; k < TILES; k++) {
            fill(kind, &random, values[k]);
            gr_tile_write(&writer, &model, values[k]);
        }
        gr_range_write_end(&writer);
        const double bits = 8 * (double)bytes.size / (TILES * NODES);
        print_message("kind %d: %.3f bits a number\n", kind, bits);
        assert_true(bits < MOST[kind]);
        GrRangeReader reader = gr_range_read_begin((const unsigned char *)bytes.data, bytes.size);
        gr_tile_model_init(&model);
        for (int k = 0; k < TILES; k++) {
            int32_t read[NODES];
            assert_true(gr_tile_read(&reader, &model, read));
            assert_memory_equal(read, values[k], sizeof read);
        }
        assert_true(gr_range_read_end(&reader));
        gr_buffer_free(&bytes);
    }
}

/// Any bytes end in numbers of the right size or in a refusal.
static void test_damage(void **state)
{
    (void)state;
    int refused = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        GrRandom random = gr_random_stream(seed, "damage");
        unsigned char bytes[600];
        for (size_t k = 0; k < sizeof bytes; k++) {
            bytes[k] = (unsigned char)gr_random_u64(&random);
        }
        GrRangeReader reader = gr_range_read_begin(bytes, sizeof bytes);
        GrTileModel model;
        gr_tile_model_init(&model);
        int32_t read[NODES];
        bool good = true;
        for (int k = 0; k < 20 && good; k++) {
            good = gr_tile_read(&reader, &model, read);
            for (int n = 0; n < NODES && good; n++) {
                assert_true(abs(read[n]) <= GR_TILE_MOST);
            }
        }
        refused += !good;
    }
    assert_true(refused > 450);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entropy),
        cmocka_unit_test(test_carries),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
