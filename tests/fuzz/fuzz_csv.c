/// Any bytes as a table: rows are as long as the header, and what is written again is read as the same cells.
#include "csv.h"

#include "fuzz_check.h"
#include "target.h"

#include <stdint.h>
#include <string.h>

/// Whether a cell is written as it is: no formula, no control character, no byte that is not UTF-8.
static bool is_plain(const char *cell)
{
    for (const char *c = cell; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e) {
            return false;
        }
    }
    return strchr("=+-@", cell[0]) == NULL || cell[0] == '\0';
}

static void check_again(const GrCsv *csv)
{
    GrBuffer text = {0};
    GrCsv again;
    for (int row = -1; row < csv->row_count; row++) {
        for (int i = 0; i < csv->column_count; i++) {
            gr_buffer_puts(&text, i > 0 ? "," : "");
            gr_csv_put(&text, row < 0 ? csv->names[i] : gr_csv_cell(csv, row, i));
        }
        gr_buffer_puts(&text, "\n");
    }
    // A first cell that begins with # makes a remark, and one column of empty cells makes empty lines.
    if (gr_csv_parse(text.data, text.size, "again.csv", &again, NULL) == GR_OK) {
        for (int i = 0; again.row_count == csv->row_count && i < csv->row_count * csv->column_count; i++) {
            if (is_plain(csv->cells[i]) && strcmp(csv->cells[i], again.cells[i]) != 0) {
                abort();
            }
        }
        gr_csv_free(&again);
    }
    gr_buffer_free(&text);
}

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    GrCsv csv;
    memset(&log, 0, sizeof log);
    const GrStatus status = gr_csv_parse((const char *)data, size, "fuzz.csv", &csv, &log);
    gr_fuzz_agree(status, &log);
    if (status == GR_OK) {
        check_again(&csv);
        gr_csv_free(&csv);
    }
}
