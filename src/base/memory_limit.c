#include "memory_limit.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

double gr_memory_available(void)
{
    double available = (double)INFINITY;
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        unsigned long kilobytes;
        if (sscanf(line, "MemAvailable: %lu kB", &kilobytes) == 1) { // NOLINT(cert-err34-c): a wrong file is no limit
            available = 1024.0 * (double)kilobytes;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        available = fmin(available, (double)limit.rlim_cur);
    }
    return available;
}

GrStatus gr_memory_require(double bytes, GrLocation at, const char *change, GrErrorLog *log)
{
    const double available = gr_memory_available();
    if (bytes <= available) {
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_VALUE, at, "needs %.3g GB of memory, and %.3g GB are available; %s", 1e-9 * bytes,
                        1e-9 * available, change);
}
