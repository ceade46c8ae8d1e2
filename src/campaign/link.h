/// Messages between the processes of one campaign. MPI (src/mpi) implements it in a library of its own, which is loaded
/// only under mpirun, so that nobody else waits for it.
#ifndef GR_LINK_H
#define GR_LINK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct GrLink {
    void *context;
    int rank, size; ///< of this process among all; rank 0 holds the study
    /// Sends a message without waiting for the receiver. False: it could not be sent.
    bool (*send)(void *context, int to, const void *data, size_t size);
    /// Waits up to `seconds` for a message, which is valid until the next call. False: there was none.
    bool (*receive)(void *context, double seconds, int *from, const void **data, size_t *size);
    /// `whole`: all processes end now. Otherwise some may be gone; nobody waits for them, and the program ends here
    /// with this exit code.
    void (*end)(void *context, bool whole, int exit_code);
} GrLink;

/// Opens the link if the program was started by mpirun or srun with several tasks. False: it was not; `*problem` then
/// says what is missing where it was started so (NULL: nothing).
bool gr_link_open(GrLink *out, const char **problem);

#endif
