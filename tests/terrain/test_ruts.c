/// Ruts: sparse, relocatable, the same bytes for the same ruts.
#include "ruts.h"
#include "ruts_rounded.h"
#include "test.h"

#include "grouser/hooks.h"
#include "random.h"

#include <stdlib.h>

static GrRuts *make(int states, int capacity, GrInterpolation interpolation)
{
    GrRutsDef def = gr_default_ruts_def();
    def.cell = 0.05;
    def.state_count = states;
    def.tile_capacity = capacity;
    def.interpolation = interpolation;
    GrRuts *ruts = NULL;
    assert_int_equal(gr_ruts_create(&def, &ruts, NULL), GR_OK);
    return ruts;
}

static GrTerrain *flat(void)
{
    static const double z[4] = {100, 100, 100, 100};
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){2, 2, -50, -50, 100, 100};
    GrTerrain *t = NULL;
    gr_terrain_create(&t, NULL);
    assert_int_equal(gr_terrain_add_grid(t, &def, z, NULL), GR_OK);
    return t;
}

/// The hash from the content alone: of a fresh grid with the same tiles.
static uint64_t hash_afresh(const GrRuts *ruts)
{
    const size_t size = gr_ruts_size(ruts);
    unsigned char *bytes = malloc(size);
    assert_int_equal(gr_ruts_save(ruts, bytes), GR_OK);
    GrRuts *fresh = make(0, 1, GR_BILINEAR);
    assert_int_equal(gr_ruts_restore(fresh, bytes, size, NULL), GR_OK);
    const uint64_t hash = gr_ruts_hash(fresh);
    gr_ruts_free(fresh);
    free(bytes);
    return hash;
}

static int known_hashes(const GrRuts *ruts)
{
    int known = 0;
    for (int k = 0; k < gr_ruts_tile_count(ruts); k++) {
        known += ruts->hashes[k] != 0;
    }
    return known;
}

/// The hashes of tiles are kept until something writes to them, by whatever way.
static void test_kept_hash(void **state)
{
    (void)state;
    enum { TILES = 40 };
    GrRuts *ruts = make(2, TILES, GR_BILINEAR), *other = make(2, 1, GR_BILINEAR);
    for (int k = 0; k < TILES; k++) {
        *gr_ruts_height(ruts, 32 * k, -k) = 0.001 * (k + 1);
    }
    uint64_t hash = gr_ruts_hash(ruts);
    assert_int_equal(known_hashes(ruts), TILES);
    assert_true(hash == hash_afresh(ruts));
    for (int way = 0; way < 8; way++) {
        assert_int_equal(gr_ruts_mark(ruts, TILES), GR_OK);
        switch (way) {
        case 0:
            *gr_ruts_height(ruts, 65, -2) = 0.5;
            break;
        case 1:
            gr_ruts_states(ruts, 65, -2)[1] = 3;
            break;
        case 2:
            gr_ruts_tile_make(ruts, 96, -3).heights[7] = -1;
            break;
        case 3:
            gr_ruts_tile_change(ruts, 96, -3).states[5] = -1;
            break;
        case 4:
            assert_int_equal(gr_ruts_reserve(ruts, 100), GR_OK);
            *gr_ruts_height(ruts, 9999, 9999) = 1;
            break;
        case 5:
            *gr_ruts_height(ruts, 1, 0) = 4;
            assert_true(gr_ruts_hash(ruts) != hash);
            assert_int_equal(gr_ruts_undo(ruts), GR_OK);
            assert_true(gr_ruts_hash(ruts) == hash);
            *gr_ruts_height(ruts, 1, 0) = 5;
            break;
        case 6:
            assert_int_equal(gr_ruts_copy(other, ruts), GR_OK);
            assert_int_equal(known_hashes(other), known_hashes(ruts));
            assert_true(gr_ruts_hash(other) == hash);
            *gr_ruts_height(ruts, 2, 0) = 6;
            break;
        default:
            ruts->journal.open = false;
            gr_ruts_tile_drop(ruts, 3); // the last one takes its place
        }
        assert_true(known_hashes(ruts) >= gr_ruts_tile_count(ruts) - 1); // only what changed is computed again
        assert_true(gr_ruts_hash(ruts) != hash);
        hash = gr_ruts_hash(ruts);
        assert_true(hash == hash_afresh(ruts));
    }
    gr_ruts_clear(ruts);
    *gr_ruts_height(ruts, 0, 0) = 0.001;
    assert_true(gr_ruts_hash(ruts) == hash_afresh(ruts));
    gr_ruts_free(ruts);
    gr_ruts_free(other);
}

/// A plane written into the ruts is read back exactly, across tiles and through zero.
static void test_height_and_normal(void **state)
{
    (void)state;
    GrTerrain *t = flat();
    for (int kind = 0; kind < 2; kind++) {
        GrRuts *ruts = make(0, 64, kind == 0 ? GR_BILINEAR : GR_BICUBIC);
        for (int64_t j = -70; j <= 70; j++) {
            for (int64_t i = -70; i <= 70; i++) {
                *gr_ruts_height(ruts, i, j) = -0.01 + 0.05 * (0.1 * (double)i - 0.2 * (double)j);
            }
        }
        for (int k = -60; k < 60; k++) {
            const double x = 0.05 * k + 0.013, y = 0.05 * ((k * 17) % 61) - 0.021;
            double z;
            GrVec3 n;
            assert_int_equal(gr_ground_height_normal(t, ruts, x, y, &z, &n), GR_GROUND_OK);
            assert_near(z, 100 - 0.01 + 0.1 * x - 0.2 * y, 1e-12);
            assert_near(-n.x / n.z, 0.1, 1e-10);
            assert_near(-n.y / n.z, -0.2, 1e-10);
        }
        double z;
        assert_int_equal(gr_ground_height(t, ruts, 20, 20, &z), GR_GROUND_OK);
        assert_true(z == 100);
        assert_int_equal(gr_ground_height(t, ruts, 51, 0, &z), GR_GROUND_OUTSIDE);
        gr_ruts_free(ruts);
    }
    gr_terrain_free(t);
}

/// Memory follows the track: a line of 100 m makes tiles along it and no others; without room nothing is written.
static void test_sparse(void **state)
{
    (void)state;
    GrRuts *ruts = make(3, 4, GR_BILINEAR);
    int made = 0;
    for (int64_t i = 0; i < 2000; i++) {
        double *h = gr_ruts_height(ruts, i, 5 * i);
        if (h == NULL) {
            assert_int_equal(gr_ruts_tiles_free(ruts), 0);
            assert_int_equal(gr_ruts_reserve(ruts, 4), GR_OK);
            h = gr_ruts_height(ruts, i, 5 * i);
        }
        assert_non_null(h);
        *h -= 0.01;
        gr_ruts_states(ruts, i, 5 * i)[2] = (float)i;
        made++;
    }
    assert_in_range(gr_ruts_tile_count(ruts), 313, 400);
    assert_near(gr_ruts_volume(ruts), -0.01 * made * 0.05 * 0.05, 1e-12);
    assert_true(gr_ruts_states_get(ruts, 1234, 5 * 1234)[2] == 1234);
    assert_null(gr_ruts_states_get(ruts, -1, 0));
    assert_true(gr_ruts_get(ruts, 7, 35) == -0.01);
    gr_ruts_clear(ruts);
    assert_int_equal(gr_ruts_tile_count(ruts), 0);
    assert_true(gr_ruts_get(ruts, 7, 35) == 0);
    assert_true(*gr_ruts_height(ruts, 7, 35) == 0);
    gr_ruts_free(ruts);
}

static void write_some(GrRuts *ruts, int from, int to, int step)
{
    for (int k = from; k != to; k += step) {
        *gr_ruts_height(ruts, 11 * k, -7 * k) = 0.001 * k;
        gr_ruts_states(ruts, 11 * k, -7 * k)[0] = 0.5f * (float)k;
    }
}

/// The order of making does not show in bytes or hash; restore, copy and continue give equal ruts.
static void test_save_restore(void **state)
{
    (void)state;
    GrRuts *a = make(1, 256, GR_BILINEAR), *b = make(1, 300, GR_BILINEAR), *c = make(2, 1, GR_BICUBIC);
    write_some(a, 0, 200, 1);
    write_some(b, 199, -1, -1);
    const size_t size = gr_ruts_size(a);
    assert_int_equal(size, gr_ruts_size(b));
    unsigned char *sa = malloc(size), *sb = malloc(size);
    assert_int_equal(gr_ruts_save(a, sa), GR_OK);
    assert_int_equal(gr_ruts_save(b, sb), GR_OK);
    assert_memory_equal(sa, sb, size);
    assert_true(gr_ruts_hash(a) == gr_ruts_hash(b));
    assert_int_equal(gr_ruts_restore(c, sa, size, NULL), GR_OK);
    assert_true(gr_ruts_hash(a) == gr_ruts_hash(c));
    assert_int_equal(gr_ruts_reserve(c, 10), GR_OK);
    *gr_ruts_height(c, 5, 5) += 1;
    assert_true(gr_ruts_hash(a) != gr_ruts_hash(c));
    assert_int_equal(gr_ruts_copy(c, b), GR_OK);
    assert_true(gr_ruts_hash(a) == gr_ruts_hash(c));
    // A copy over ruts with more tiles forgets them.
    GrRuts *d = make(1, 256, GR_BILINEAR);
    write_some(d, 300, 450, 1);
    write_some(a, 0, 1, 1);
    GrRuts *small = make(1, 256, GR_BILINEAR);
    write_some(small, 1, 5, 1);
    assert_int_equal(gr_ruts_copy(d, small), GR_OK);
    assert_true(gr_ruts_hash(d) == gr_ruts_hash(small));
    assert_true(*gr_ruts_height(d, 100000, 0) == 0);
    GrErrorLog log = {0};
    assert_int_equal(gr_ruts_restore(c, sa, size - 1, &log), GR_ERROR_SYNTAX);
    assert_int_equal(gr_ruts_restore(c, sa, 3, &log), GR_ERROR_SYNTAX);
    sa[0] ^= 1;
    assert_int_equal(gr_ruts_restore(c, sa, size, &log), GR_ERROR_SYNTAX);
    assert_true(gr_ruts_hash(b) == gr_ruts_hash(c));
    free(sa);
    free(sb);
    gr_ruts_free(a);
    gr_ruts_free(b);
    gr_ruts_free(c);
    gr_ruts_free(d);
    gr_ruts_free(small);
}

/// Damage anywhere is noticed, in the exact form and the rounded one, and changes nothing. Bytes of earlier versions
/// are refused with a message that says what to do.
static void test_damage(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(5, "damage");
    GrRuts *ruts = make(1, 64, GR_BILINEAR), *other = make(1, 64, GR_BILINEAR);
    write_some(ruts, 0, 30, 1);
    write_some(other, 3, 9, 1);
    const uint64_t kept = gr_ruts_hash(other);
    GrBuffer rounded = {0};
    assert_int_equal(gr_ruts_save_rounded(ruts, 1e-4, &rounded), GR_OK);
    const size_t sizes[2] = {gr_ruts_size(ruts), rounded.size};
    for (int form = 0; form < 2; form++) {
        unsigned char *bytes = malloc(sizes[form]);
        if (form == 0) {
            assert_int_equal(gr_ruts_save(ruts, bytes), GR_OK);
        } else {
            memcpy(bytes, rounded.data, rounded.size);
        }
        for (int k = 0; k < 500; k++) {
            const size_t at = (size_t)gr_random_below(&random, (uint32_t)sizes[form]);
            const unsigned char was = bytes[at];
            bytes[at] = (unsigned char)(was ^ (1 + gr_random_below(&random, 255)));
            assert_int_not_equal(gr_ruts_restore(other, bytes, sizes[form], NULL), GR_OK);
            bytes[at] = was;
            assert_int_not_equal(gr_ruts_restore(other, bytes, at, NULL), GR_OK);
        }
        for (const char *version = "235"; *version != '\0'; version++) {
            GrErrorLog log = {.quiet = true};
            bytes[7] = (unsigned char)*version; // the last letter of "!GRRUTS4"
            assert_int_not_equal(gr_ruts_restore(other, bytes, sizes[form], &log), GR_OK);
            assert_non_null(strstr(log.items[0].text, "ruts_resolution_mm: 0"));
        }
        assert_true(gr_ruts_hash(other) == kept);
        free(bytes);
    }
    gr_buffer_free(&rounded);
    gr_ruts_free(ruts);
    gr_ruts_free(other);
}

/// Dropped tiles are gone, the others are where they were.
static void test_drop(void **state)
{
    (void)state;
    GrRuts *ruts = make(1, 400, GR_BILINEAR);
    for (int64_t k = 0; k < 300; k++) {
        *gr_ruts_height(ruts, 32 * (k * 7 % 300), 32 * (k % 13)) = (double)k + 1;
        *gr_ruts_states(ruts, 32 * (k * 7 % 300), 32 * (k % 13)) = (float)k;
    }
    for (int k = gr_ruts_tile_count(ruts) - 1; k >= 0; k--) {
        int64_t i, j;
        gr_ruts_tile_place(ruts, k, &i, &j);
        if (i / 32 % 3 == 0) {
            gr_ruts_tile_drop(ruts, k);
        }
    }
    assert_int_equal(gr_ruts_tile_count(ruts), 200);
    for (int64_t k = 0; k < 300; k++) {
        const int64_t i = 32 * (k * 7 % 300), j = 32 * (k % 13);
        assert_near(gr_ruts_get(ruts, i, j), k * 7 % 300 % 3 == 0 ? 0 : (double)k + 1, 0);
    }
    // A tile that is made again is empty.
    assert_near(*gr_ruts_height(ruts, 0, 0), 0, 0);
    assert_near((double)*gr_ruts_states(ruts, 0, 0), 0, 0);
    gr_ruts_free(ruts);
}

/// What was written since a mark is taken back, made tiles included, as often as wanted; growing in between does not
static void *no_memory(void *context, size_t size)
{
    (void)context;
    (void)size;
    return NULL;
}

static void *no_more_memory(void *context, void *memory, size_t size)
{
    (void)memory;
    return no_memory(context, size);
}

static void give_back(void *context, void *memory)
{
    (void)context;
    free(memory);
}

/// matter; too much is said.
static void test_undo(void **state)
{
    (void)state;
    GrRuts *ruts = make(2, 4, GR_BILINEAR);
    *gr_ruts_height(ruts, 5, 5) = -1;
    gr_ruts_states(ruts, 5, 5)[1] = 3;
    const uint64_t before = gr_ruts_hash(ruts);
    assert_int_equal(gr_ruts_mark(ruts, 2), GR_OK);
    for (int k = 0; k < 3; k++) {
        *gr_ruts_height(ruts, 5, 5) -= 1;
        gr_ruts_states(ruts, 6, 5)[0] = 7;
        assert_int_equal(gr_ruts_reserve(ruts, 100), GR_OK);
        for (int64_t n = 1; n < 60; n++) {
            *gr_ruts_height(ruts, 32 * n, 0) = 1;
        }
        assert_true(gr_ruts_hash(ruts) != before);
        assert_int_equal(gr_ruts_undo(ruts), GR_OK);
        assert_true(gr_ruts_hash(ruts) == before);
        assert_int_equal(gr_ruts_tile_count(ruts), 1);
    }
    for (int64_t n = 1; n < 4; n++) {
        *gr_ruts_height(ruts, 32 * n, 0) = 1;
    }
    // more tiles than expected are kept too, if there is memory for them
    const uint64_t marked = gr_ruts_hash(ruts);
    const GrHooks full = {.allocate = no_memory, .reallocate = no_more_memory, .release = give_back}, none = {0};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(gr_ruts_mark(ruts, 1), GR_OK);
        gr_set_hooks(k == 0 ? &full : &none);
        for (int64_t n = 0; n < 4; n++) {
            *gr_ruts_height(ruts, 32 * n, 0) = 1 + (double)k;
        }
        gr_set_hooks(&none);
        assert_int_equal(gr_ruts_undo(ruts), k == 0 ? GR_ERROR_MEMORY : GR_OK);
        *gr_ruts_height(ruts, 5, 5) = -1;
        *gr_ruts_height(ruts, 0, 0) = 0;
    }
    assert_true(gr_ruts_hash(ruts) == marked);
    gr_ruts_free(ruts);
}

/// The georeference is saved, restored and copied, and does not enter the hash. Unchanged nodes take one bit.
static void test_place_and_size(void **state)
{
    (void)state;
    GrRuts *ruts = make(1, 8, GR_BILINEAR), *other = make(0, 8, GR_BILINEAR);
    assert_null(gr_ruts_georeference(ruts));
    for (int64_t i = 0; i < 100; i++) {
        *gr_ruts_height(ruts, i, 3) = -0.01 * (double)i;
    }
    *gr_ruts_height(ruts, 0, 3) = -0.0; // a zero with a sign is kept
    const size_t bare = gr_ruts_size(ruts);
    assert_true(bare < 4 * 140 + 100 * 12 + 200);
    const uint64_t hash = gr_ruts_hash(ruts);
    char crs[] = "LOCAL_CS[\"somewhere\"]";
    const GrGeoreference place = {
        .crs = crs, .origin_east = 1e6, .origin_north = -2.5, .radius = 1737400, .body = "Moon"};
    assert_int_equal(gr_ruts_set_georeference(ruts, &place), GR_OK);
    assert_true(gr_ruts_hash(ruts) == hash);
    const size_t size = gr_ruts_size(ruts);
    char *bytes = malloc(size + 1);
    assert_int_equal(gr_ruts_save(ruts, bytes), GR_OK);
    assert_int_equal(gr_ruts_restore(other, bytes, size, NULL), GR_OK);
    assert_true(gr_ruts_hash(other) == hash);
    const GrGeoreference *found = gr_ruts_georeference(other);
    assert_non_null(found);
    assert_string_equal(found->crs, crs);
    assert_string_equal(found->body, "Moon");
    assert_near(found->origin_east, 1e6, 0);
    assert_near(found->origin_north, -2.5, 0);
    assert_true(signbit(gr_ruts_get(other, 0, 3)));
    // Cut anywhere, or with something behind: refused, and nothing changes.
    for (size_t cut = 0; cut <= size + 1; cut += cut < 400 ? 1 : 37) {
        GrErrorLog log = {0};
        if (cut != size) {
            assert_int_not_equal(gr_ruts_restore(other, bytes, cut, &log), GR_OK);
            assert_int_equal(log.error_count, 1);
        }
    }
    assert_true(gr_ruts_hash(other) == hash);
    free(bytes);
    gr_ruts_free(ruts);
    gr_ruts_free(other);
}

/// Rounded ruts: within half the resolution, which multiples of it keep exactly; a tenth of the bytes of smooth ones;
/// refused where cut or changed in length, and where a value cannot be rounded.
static void test_rounded(void **state)
{
    (void)state;
    const double resolution = 1e-4;
    GrRuts *ruts = make(1, 400, GR_BICUBIC), *other = make(0, 1, GR_BILINEAR), *again = make(0, 1, GR_BILINEAR);
    for (int64_t i = -300; i < 300; i++) {
        for (int64_t j = -20; j < 20; j++) {
            const double depth = (1 - (double)(j * j) / 400) * (0.02 + 0.003 * sin(0.3 * (double)i));
            *gr_ruts_height(ruts, i, 3 * i + j) = -depth;
            *gr_ruts_states(ruts, i, 3 * i + j) = (float)(0.9 * depth);
        }
    }
    char crs[] = "LOCAL_CS[\"somewhere\"]";
    const GrGeoreference place = {.crs = crs, .origin_east = 1e6, .body = "Moon"};
    assert_int_equal(gr_ruts_set_georeference(ruts, &place), GR_OK);
    GrBuffer bytes = {0}, twice = {0};
    assert_int_equal(gr_ruts_save_rounded(ruts, resolution, &bytes), GR_OK);
    print_message("%zu bytes rounded, %zu exact\n", bytes.size, gr_ruts_size(ruts));
    assert_true(!gr_rounded_zstd() || 10 * bytes.size < gr_ruts_size(ruts));
    assert_int_equal(gr_ruts_restore(other, bytes.data, bytes.size, NULL), GR_OK);
    assert_string_equal(gr_ruts_georeference(other)->crs, crs);
    assert_int_equal(gr_ruts_def(other)->interpolation, GR_BICUBIC);
    assert_int_equal(gr_ruts_tile_count(other), gr_ruts_tile_count(ruts));
    double worst = 0;
    for (int64_t i = -310; i < 310; i++) {
        for (int64_t j = -30; j < 30; j++) {
            const float *have = gr_ruts_states_get(ruts, i, 3 * i + j), *read = gr_ruts_states_get(other, i, 3 * i + j);
            assert_int_equal(have == NULL, read == NULL);
            worst = fmax(worst, fabs(gr_ruts_get(other, i, 3 * i + j) - gr_ruts_get(ruts, i, 3 * i + j)));
            worst = have != NULL ? fmax(worst, fabs((double)(*read - *have))) : worst;
        }
    }
    assert_true(worst > 0.4 * resolution && worst < 0.5001 * resolution);
    assert_int_equal(gr_ruts_save_rounded(other, resolution, &twice), GR_OK);
    assert_int_equal(twice.size, bytes.size);
    assert_memory_equal(twice.data, bytes.data, bytes.size);
    assert_int_equal(gr_ruts_restore(again, twice.data, twice.size, NULL), GR_OK);
    assert_true(gr_ruts_hash(again) == gr_ruts_hash(other));
    for (size_t cut = 0; cut <= bytes.size + 1; cut += cut + 40 < bytes.size ? 197 : 1) {
        GrErrorLog log = {0};
        if (cut != bytes.size) { // the byte after the last is the buffer's terminating zero
            assert_int_not_equal(gr_ruts_restore(again, bytes.data, cut, &log), GR_OK);
            assert_int_equal(log.error_count, 1);
        }
    }
    assert_true(gr_ruts_hash(again) == gr_ruts_hash(other));
    const double bad[] = {(double)NAN, (double)INFINITY, 30000, -30000};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        *gr_ruts_height(ruts, 0, 0) = bad[k];
        assert_int_equal(gr_ruts_save_rounded(ruts, resolution, &twice), GR_ERROR_VALUE);
    }
    gr_buffer_free(&bytes);
    gr_buffer_free(&twice);
    gr_ruts_free(ruts);
    gr_ruts_free(other);
    gr_ruts_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_undo),
        cmocka_unit_test(test_kept_hash),
        cmocka_unit_test(test_place_and_size),
        cmocka_unit_test(test_height_and_normal),
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_save_restore),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
