#include "replay_file.h"

#include "file.h"
#include "replay_page.h"

#include <stdio.h>

GrStatus gr_replay_write(const char *path, const char *const *runs, int count, GrErrorLog *log)
{
    GrBuffer page = {0};
    GrStatus status = gr_replay_page(runs, count, &page, log);
    if (status == GR_OK) {
        status = gr_file_write(path, page.data, page.size, log);
    }
    if (status == GR_OK) {
        fprintf(stderr, "wrote %s, %.1f MB: open it in a browser\n", path, 1e-6 * (double)page.size);
    }
    gr_buffer_free(&page);
    return status;
}
