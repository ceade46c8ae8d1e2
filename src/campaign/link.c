#include "link.h"

#include "plugin.h"

#include <stdlib.h>

/// Number of processes that were started together, by the variables of Open MPI, MPICH and Slurm with PMI.
static long started_together(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);
        const long count = text != NULL ? strtol(text, NULL, 10) : 0;
        if (count > 1) {
            return count;
        }
    }
    return 1;
}

bool gr_link_open(GrLink *out, const char **problem)
{
    *problem = NULL;
    if (started_together() < 2) {
        return false;
    }
    bool (*open)(GrLink * link) = NULL;
    void *symbol = gr_plugin_symbol("libgrouser_mpi.so", "gr_mpi_link_open");
    if (symbol == NULL) {
        *problem = "this build has no MPI: install libopenmpi-dev and build again, or use --shard";
        return false;
    }
    *(void **)(&open) = symbol; // the way of POSIX from an object pointer to a function
    if (!open(out)) {
        *problem = "MPI could not be started";
        return false;
    }
    return true;
}
