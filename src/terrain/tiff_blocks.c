#include "tiff_blocks.h"

#include "alloc.h"
#include "tiff_predictor.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Sides of tiles: smaller ones would be too many to look for one by one, larger ones too few in a cache.
enum { LEAST_SIDE = 128, MOST_SIDE = 2048 };

/// Room of a tile in the file beside its numbers: deflating adds little to what it cannot make smaller.
enum { ADDED = 4096 };

typedef struct Tile {
    int64_t number; ///< row by row; −1: none
    uint64_t used;  ///< when, by the clock of the cache
    void *values;
} Tile;

struct GrTiffBlocks {
    int file;
    GDALRasterBandH band;
    int side_x, side_y; ///< of a tile
    int tiles_x;        ///< in a row of the file
    int number_size;    ///< 4 or 8 bytes
    size_t tile_bytes;  ///< of the numbers
    uint8_t *packed;    ///< [tile_bytes + ADDED] as in the file
    uint8_t *inflated;  ///< [tile_bytes + 1]; what needs the last byte is longer than a tile, and damaged
    Tile *tiles;        ///< [tile_count], those at the end not yet in use
    int tile_count;
    uint64_t clock;
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static bool read_at(int file, uint64_t offset, uint8_t *out, size_t size)
{
    while (size > 0) {
        const ssize_t got = pread(file, out, size, (off_t)offset);
        if (got <= 0) {
            return false;
        }
        out += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

static uint64_t number_at(const uint8_t *bytes, int size, bool big_endian)
{
    uint64_t number = 0;
    for (int k = 0; k < size; k++) {
        number = number << 8 | bytes[big_endian ? k : size - 1 - k];
    }
    return number;
}

/// What a directory of a TIFF says about its image, as far as it matters here.
typedef struct Layout {
    uint64_t bits, compression, samples, predictor, side_x, side_y;
} Layout;

/// Entries of a directory: 12 bytes each, 20 in files beyond 4 GB; tag, type and count come first, then the number.
static void read_entry(const uint8_t *entry, bool big_endian, bool large, Layout *layout)
{
    const uint64_t tag = number_at(entry, 2, big_endian), type = number_at(entry + 2, 2, big_endian);
    const uint64_t number = number_at(entry + (large ? 12 : 8), type == 3 ? 2 : 4, big_endian);
    uint64_t *const field = tag == 258   ? &layout->bits
                            : tag == 259 ? &layout->compression
                            : tag == 277 ? &layout->samples
                            : tag == 317 ? &layout->predictor
                            : tag == 322 ? &layout->side_x
                            : tag == 323 ? &layout->side_y
                                         : NULL;
    if (field != NULL && (type == 3 || type == 4)) {
        *field = number;
    }
}

static bool read_layout(int file, uint64_t directory, Layout *layout)
{
    enum { MOST = 1000 }; // entries; files have some twenty
    uint8_t head[8];
    if (!read_at(file, 0, head, 4)) {
        return false;
    }
    const bool big_endian = head[0] == 'M', large = number_at(head + 2, 2, big_endian) == 43;
    const int count_size = large ? 8 : 2, entry_size = large ? 20 : 12;
    if (!read_at(file, directory, head, (size_t)count_size)) {
        return false;
    }
    const uint64_t count = number_at(head, count_size, big_endian);
    uint8_t entry[20];
    *layout = (Layout){.bits = 1, .compression = 1, .samples = 1, .predictor = 1};
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t at = directory + (uint64_t)count_size + k * (uint64_t)entry_size;
        if (k == MOST || !read_at(file, at, entry, (size_t)entry_size)) {
            return false;
        }
        read_entry(entry, big_endian, large, layout);
    }
    return true;
}

/// A number that GDAL knows about a block or the file; false: none.
static bool ask(GDALRasterBandH band, const char *name, uint64_t *number)
{
    const char *text = GDALGetMetadataItem(band, name, "TIFF");
    *number = text != NULL ? strtoull(text, NULL, 10) : 0;
    return text != NULL;
}

/// Whether the file is as described above.
static bool is_suitable(GrTiffBlocks *b, GDALDatasetH dataset)
{
    enum { DEFLATE = 8, OLD_DEFLATE = 32946, FLOATING_POINT = 3 };
    uint64_t directory;
    Layout layout;
    if (strcmp(GDALGetDriverShortName(GDALGetDatasetDriver(dataset)), "GTiff") != 0 ||
        GDALGetRasterCount(dataset) != 1 || GDALGetRasterXSize(dataset) > INT_MAX - MOST_SIDE ||
        GDALGetRasterYSize(dataset) > INT_MAX - MOST_SIDE) {
        return false;
    }
    b->band = GDALGetRasterBand(dataset, 1);
    const GDALDataType type = GDALGetRasterDataType(b->band);
    b->number_size = type == GDT_Float32 ? 4 : type == GDT_Float64 ? 8 : 0;
    GDALGetBlockSize(b->band, &b->side_x, &b->side_y);
    if (b->number_size == 0 || !ask(b->band, "IFD_OFFSET", &directory) || !read_layout(b->file, directory, &layout)) {
        return false;
    }
    return (layout.compression == DEFLATE || layout.compression == OLD_DEFLATE) && layout.predictor == FLOATING_POINT &&
           layout.samples == 1 && layout.bits == 8 * (uint64_t)b->number_size && layout.side_x == (uint64_t)b->side_x &&
           layout.side_y == (uint64_t)b->side_y && b->side_x >= LEAST_SIDE && b->side_y >= LEAST_SIDE &&
           b->side_x <= MOST_SIDE && b->side_y <= MOST_SIDE && b->side_x % GR_PREDICTOR_WIDTH == 0;
}

static bool make_cache(GrTiffBlocks *b, int columns, int rows)
{
    enum { MOST_BYTES = 96 << 20, SPARE = 8 };
    b->tile_bytes = (size_t)b->side_x * (size_t)b->side_y * (size_t)b->number_size;
    const int most = (int)(MOST_BYTES / b->tile_bytes);
    b->tile_count = smaller(most, (columns / b->side_x + 2) * (rows / b->side_y + 2) + SPARE);
    b->packed = gr_malloc(b->tile_bytes + ADDED);
    b->inflated = gr_malloc(b->tile_bytes + 1);
    b->tiles = gr_calloc((size_t)b->tile_count, sizeof *b->tiles);
    for (int k = 0; k < b->tile_count && b->tiles != NULL; k++) {
        b->tiles[k].number = -1;
    }
    return b->tile_count > 0 && b->packed != NULL && b->inflated != NULL && b->tiles != NULL;
}

GrTiffBlocks *gr_tiff_blocks_open(const char *path, GDALDatasetH dataset, int columns, int rows)
{
    GrTiffBlocks *b = gr_calloc(1, sizeof *b);
    if (b == NULL) {
        return NULL;
    }
    b->file = open(path, O_RDONLY | O_CLOEXEC);
    if (b->file < 0 || !is_suitable(b, dataset) || !make_cache(b, columns, rows)) {
        gr_tiff_blocks_close(b);
        return NULL;
    }
    b->tiles_x = (GDALGetRasterXSize(dataset) + b->side_x - 1) / b->side_x;
    return b;
}

void gr_tiff_blocks_close(GrTiffBlocks *b)
{
    if (b == NULL) {
        return;
    }
    for (int k = 0; k < b->tile_count && b->tiles != NULL; k++) {
        gr_free(b->tiles[k].values);
    }
    gr_free(b->tiles);
    gr_free(b->inflated);
    gr_free(b->packed);
    if (b->file >= 0) {
        close(b->file);
    }
    gr_free(b);
}

static bool decode(GrTiffBlocks *b, int x, int y, void *values)
{
    char name[64];
    uint64_t offset, size;
    size_t got = 0;
    snprintf(name, sizeof name, "BLOCK_OFFSET_%d_%d", x, y);
    bool good = ask(b->band, name, &offset);
    snprintf(name, sizeof name, "BLOCK_SIZE_%d_%d", x, y);
    good = good && ask(b->band, name, &size) && size <= b->tile_bytes + ADDED &&
           read_at(b->file, offset, b->packed, (size_t)size) &&
           CPLZLibInflate(b->packed, (size_t)size, b->inflated, b->tile_bytes + 1, &got) != NULL &&
           got == b->tile_bytes;
    if (!good) {
        return false;
    }
    const size_t row_bytes = (size_t)b->side_x * (size_t)b->number_size;
    for (size_t row = 0; row < (size_t)b->side_y; row++) {
        gr_predictor_undo(b->inflated + row * row_bytes, b->side_x, b->number_size,
                          (uint8_t *)values + row * row_bytes);
    }
    return true;
}

/// The tile if the cache has it, otherwise the one that was used longest ago, or never.
static Tile *find_tile(GrTiffBlocks *b, int64_t number)
{
    Tile *oldest = &b->tiles[0];
    for (int k = 0; k < b->tile_count; k++) {
        Tile *tile = &b->tiles[k];
        if (tile->number == number) {
            return tile;
        }
        oldest = tile->used < oldest->used ? tile : oldest;
    }
    return oldest;
}

/// Numbers of a tile; NULL: they are not to be had.
static const void *tile_at(GrTiffBlocks *b, int x, int y)
{
    const int64_t number = (int64_t)y * b->tiles_x + x;
    Tile *tile = find_tile(b, number);
    tile->used = ++b->clock;
    if (tile->number == number) {
        return tile->values;
    }
    tile->number = -1;
    tile->values = tile->values != NULL ? tile->values : gr_malloc(b->tile_bytes);
    if (tile->values == NULL || !decode(b, x, y, tile->values)) {
        return NULL;
    }
    tile->number = number;
    return tile->values;
}

bool gr_tiff_blocks_read(GrTiffBlocks *b, int column, int row, int columns, int rows, GrTiffTake take, void *context)
{
    for (int y = row / b->side_y; y * b->side_y < row + rows; y++) {
        for (int x = column / b->side_x; x * b->side_x < column + columns; x++) {
            const void *values = tile_at(b, x, y);
            if (values == NULL) {
                return false;
            }
            const int left = larger(column, x * b->side_x), right = smaller(column + columns, (x + 1) * b->side_x);
            const int top = larger(row, y * b->side_y), bottom = smaller(row + rows, (y + 1) * b->side_y);
            for (int r = top; r < bottom; r++) {
                const size_t at = (size_t)(r - y * b->side_y) * (size_t)b->side_x + (size_t)(left - x * b->side_x);
                GrTiffRow piece = {.column = left - column, .row = r - row, .count = right - left};
                if (b->number_size == 4) {
                    piece.floats = (const float *)values + at;
                } else {
                    piece.doubles = (const double *)values + at;
                }
                take(context, piece);
            }
        }
    }
    return true;
}
