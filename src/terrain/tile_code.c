#include "tile_code.h"

#include <string.h>

enum { SIDE = GR_TILE_SIDE };

/// Two rows with a margin of zeros on both sides; node i of a row is at i + 1.
typedef struct Rows {
    int64_t value[2][SIDE + 2]; ///< of the row before, and of this one
    int64_t rest[2][SIDE + 2];  ///< what was not predicted
    int busy[2];                ///< whether the two rows before had anything not predicted
} Rows;

void gr_tile_model_init(GrTileModel *model)
{
    GrBitContext *contexts = (GrBitContext *)(void *)model;
    for (size_t k = 0; k < sizeof *model / sizeof *contexts; k++) {
        contexts[k] = GR_BIT_EVEN;
    }
}

static void next_row(Rows *rows, int busy)
{
    memcpy(rows->value[0], rows->value[1], sizeof rows->value[0]);
    memcpy(rows->rest[0], rows->rest[1], sizeof rows->rest[0]);
    memset(rows->rest[1], 0, sizeof rows->rest[1]);
    rows->busy[0] = rows->busy[1];
    rows->busy[1] = busy;
}

static inline int64_t predict(const Rows *rows, int i)
{
    return rows->value[1][i] + rows->value[0][i + 1] - rows->value[0][i];
}

static inline int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

/// Bits of a number, the highest one included; 0 of 0.
static inline int length_of(uint64_t x)
{
    return x == 0 ? 0 : 64 - __builtin_clzll(x);
}

/// How badly the neighbours were predicted, in half octaves.
static inline int level_of(const Rows *rows, int i)
{
    const uint64_t sum = (uint64_t)(2 * (magnitude(rows->rest[1][i]) + magnitude(rows->rest[0][i + 1])) +
                                    magnitude(rows->rest[0][i]) + magnitude(rows->rest[0][i + 2]));
    const int length = length_of(sum);
    const int level = length < 2 ? length : 2 * length - 2 + (int)(sum >> (length - 2) & 1);
    return level < GR_TILE_LEVELS ? level : GR_TILE_LEVELS - 1;
}

static inline GrBitContext *sign_context(GrTileModel *model, const Rows *rows, int i)
{
    const int64_t west = rows->rest[1][i];
    return &model->sign[west < 0 ? 0 : west > 0 ? 2 : 1];
}

static void put_rest(GrRangeWriter *writer, GrTileModel *model, const Rows *rows, int i, int64_t rest)
{
    const int level = level_of(rows, i);
    gr_range_write(writer, &model->zero[level], rest != 0);
    if (rest == 0) {
        return;
    }
    gr_range_write(writer, sign_context(model, rows, i), rest < 0);
    const uint32_t size = (uint32_t)magnitude(rest);
    const int length = length_of(size);
    for (int k = 1; k < length; k++) {
        gr_range_write(writer, &model->length[level][k], 1);
    }
    if (length < GR_TILE_BITS - 1) {
        gr_range_write(writer, &model->length[level][length], 0);
    }
    if (length > 1) {
        gr_range_write(writer, &model->second[level][length], (int)(size >> (length - 2) & 1));
    }
    if (length > 2) {
        gr_range_write(writer, &model->third[length], (int)(size >> (length - 3) & 1));
        gr_range_write_even(writer, size, length - 3);
    }
}

static int64_t take_rest(GrRangeReader *reader, GrTileModel *model, const Rows *rows, int i)
{
    const int level = level_of(rows, i);
    if (gr_range_read(reader, &model->zero[level]) == 0) {
        return 0;
    }
    const int negative = gr_range_read(reader, sign_context(model, rows, i));
    int length = 1;
    while (length < GR_TILE_BITS - 1 && gr_range_read(reader, &model->length[level][length]) != 0) {
        length++;
    }
    uint32_t size = 1;
    if (length > 1) {
        size = size << 1 | (uint32_t)gr_range_read(reader, &model->second[level][length]);
    }
    if (length > 2) {
        size = size << 1 | (uint32_t)gr_range_read(reader, &model->third[length]);
        size = size << (length - 3) | gr_range_read_even(reader, length - 3);
    }
    return negative != 0 ? -(int64_t)size : (int64_t)size;
}

static GrBitContext *row_context(GrTileModel *model, const Rows *rows)
{
    return &model->row[rows->busy[0] + rows->busy[1]];
}

void gr_tile_write(GrRangeWriter *writer, GrTileModel *model, const int32_t values[SIDE * SIDE])
{
    Rows rows = {.busy = {0, 0}};
    for (int j = 0; j < SIDE; j++) {
        int64_t rests[SIDE];
        int busy = 0;
        for (int i = 0; i < SIDE; i++) {
            rows.value[1][i + 1] = values[j * SIDE + i];
            rests[i] = rows.value[1][i + 1] - predict(&rows, i);
            busy |= rests[i] != 0;
        }
        gr_range_write(writer, row_context(model, &rows), busy);
        for (int i = 0; i < SIDE && busy != 0; i++) {
            put_rest(writer, model, &rows, i, rests[i]);
            rows.rest[1][i + 1] = rests[i];
        }
        next_row(&rows, busy);
    }
}

bool gr_tile_read(GrRangeReader *reader, GrTileModel *model, int32_t values[SIDE * SIDE])
{
    Rows rows = {.busy = {0, 0}};
    for (int j = 0; j < SIDE; j++) {
        const int busy = gr_range_read(reader, row_context(model, &rows));
        for (int i = 0; i < SIDE; i++) {
            const int64_t rest = busy != 0 ? take_rest(reader, model, &rows, i) : 0, value = predict(&rows, i) + rest;
            if (magnitude(value) > GR_TILE_MOST) {
                return false;
            }
            rows.rest[1][i + 1] = rest;
            rows.value[1][i + 1] = value;
            values[j * SIDE + i] = (int32_t)value;
        }
        next_row(&rows, busy);
    }
    return !reader->over;
}
