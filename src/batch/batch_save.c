/// States of a batch as bytes.
///
///     header | SavedRun of each saved run | their saved missions
#include "grouser/batch.h"

#include "checksum.h"
#include "text.h"
#include "version.h"

#include <string.h>

typedef struct SavedHeader {
    char magic[8];
    char build[48]; ///< what a mission's bytes mean, and how it goes on, depends on it
    uint64_t runs;
    uint64_t sum; ///< checksum of all that follows
} SavedHeader;

typedef struct SavedRun {
    uint64_t run;
    uint64_t input; ///< checksum of the scenario with the numbers of the run
    uint64_t size;  ///< bytes of its mission; 0: it has no rover
} SavedRun;

static const char MAGIC[8] = "GrBatc1";

static SavedRun saved_run(GrBatch *batch, int i)
{
    SavedRun run = {.run = (uint64_t)i};
    GrWorld *world = gr_batch_world(batch, i);
    if (world != NULL) {
        const char *input = gr_scenario_input(gr_world_scenario(world));
        run.input = gr_checksum(0, input, strlen(input));
        run.size = gr_mission_size(gr_world_mission(world));
    }
    return run;
}

static SavedHeader new_header(void)
{
    SavedHeader header = {.sum = 0};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    gr_text_copy(header.build, sizeof header.build, gr_version_and_bits());
    return header;
}

size_t gr_batch_size(GrBatch *batch, const bool *mask)
{
    size_t size = sizeof(SavedHeader);
    for (int i = 0; i < gr_batch_count(batch); i++) {
        const GrMission *mission = mask == NULL || mask[i] ? gr_batch_mission(batch, i) : NULL;
        size += mask == NULL || mask[i] ? sizeof(SavedRun) : 0;
        size += mission != NULL ? gr_mission_size(mission) : 0;
    }
    return size;
}

GrStatus gr_batch_save(GrBatch *batch, const bool *mask, void *out)
{
    const size_t size = gr_batch_size(batch, mask);
    SavedHeader header = new_header();
    for (int i = 0; i < gr_batch_count(batch); i++) {
        header.runs += mask == NULL || mask[i];
    }
    unsigned char *row = (unsigned char *)out + sizeof header, *at = row + sizeof(SavedRun) * header.runs;
    GrStatus status = GR_OK;
    for (int i = 0; i < gr_batch_count(batch) && status == GR_OK; i++) {
        if (mask == NULL || mask[i]) {
            const SavedRun run = saved_run(batch, i);
            memcpy(row, &run, sizeof run);
            status = run.size > 0 ? gr_mission_save(gr_batch_mission(batch, i), at) : GR_OK;
            row += sizeof run;
            at += run.size;
        }
    }
    header.sum = gr_checksum(0, (unsigned char *)out + sizeof header, size - sizeof header);
    memcpy(out, &header, sizeof header);
    return status;
}

static GrStatus refuse(GrErrorLog *log, GrStatus status, const char *text)
{
    return gr_error_add(log, status, (GrLocation){0}, "%s", text);
}

static GrStatus check_header(const SavedHeader *header, const unsigned char *saved, size_t size, GrErrorLog *log)
{
    const SavedHeader own = new_header();
    if (memcmp(header->magic, own.magic, sizeof own.magic) != 0) {
        return refuse(log, GR_ERROR_SYNTAX, "not a saved batch");
    }
    if (memcmp(header->build, own.build, sizeof own.build) != 0) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "saved by version %.*s, this is %s",
                            (int)sizeof header->build, header->build, own.build);
    }
    const size_t left = size - sizeof *header;
    if (header->runs > left / sizeof(SavedRun) || gr_checksum(0, saved + sizeof *header, left) != header->sum) {
        return refuse(log, GR_ERROR_SYNTAX, "the saved batch is damaged or cut short: its checksum is wrong");
    }
    return GR_OK;
}

/// Whether the run is the one that was saved; `left`: bytes of the missions from its own on.
static GrStatus check_run(GrBatch *batch, const SavedRun *run, uint64_t left, GrErrorLog *log)
{
    if (run->run >= (uint64_t)gr_batch_count(batch)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "the saved batch has a run %.0f, this one has %d runs", (double)run->run,
                            gr_batch_count(batch));
    }
    const int i = (int)run->run;
    const SavedRun now = saved_run(batch, i);
    const char *wrong = run->size > left ? "the saved batch is damaged"
                        : (run->size == 0) != (now.size == 0)
                            ? (now.size == 0 ? "it is without a rover: reset it first" : "it was saved without a rover")
                        : run->input != now.input ? "it was saved with another scenario, or with other numbers"
                                                  : NULL;
    return wrong == NULL ? GR_OK : gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "run %d: %s", i, wrong);
}

/// Checks all runs, or restores them.
static GrStatus each_run(GrBatch *batch, const unsigned char *rows, uint64_t count, uint64_t left, bool restore,
                         GrErrorLog *log)
{
    const unsigned char *at = rows + sizeof(SavedRun) * count;
    GrStatus status = GR_OK;
    for (uint64_t k = 0; k < count && status == GR_OK; k++) {
        SavedRun run;
        memcpy(&run, rows + sizeof run * k, sizeof run);
        if (!restore) {
            status = check_run(batch, &run, left, log);
        } else if (run.size > 0) {
            status = gr_mission_restore(gr_batch_mission(batch, (int)run.run), at, run.size, log);
        }
        at += status == GR_OK ? run.size : 0;
        left -= status == GR_OK ? run.size : 0;
    }
    return status;
}

GrStatus gr_batch_restore(GrBatch *batch, const void *saved, size_t size, GrErrorLog *log)
{
    SavedHeader header;
    if (size < sizeof header) {
        return refuse(log, GR_ERROR_SYNTAX, "not a saved batch");
    }
    memcpy(&header, saved, sizeof header);
    GrStatus status = check_header(&header, saved, size, log);
    if (status != GR_OK) {
        return status;
    }
    const unsigned char *rows = (const unsigned char *)saved + sizeof header;
    const uint64_t left = size - sizeof header - sizeof(SavedRun) * header.runs;
    status = each_run(batch, rows, header.runs, left, false, log);
    return status == GR_OK ? each_run(batch, rows, header.runs, left, true, log) : status;
}
