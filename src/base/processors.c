#include "processors.h"

#include <unistd.h>

int gr_processor_count(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < 1024 ? (int)count : 1;
}
