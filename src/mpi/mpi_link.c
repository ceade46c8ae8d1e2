/// Messages between the processes of a campaign by MPI: the library libgrouser_mpi.so, loaded under mpirun only.
#include "link.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/// The only function of this library.
__attribute__((visibility("default"))) bool gr_mpi_link_open(GrLink *out);

enum { TAG = 7 };

typedef struct Mpi {
    char *data; ///< of the last message
    int capacity;
} Mpi;

static bool send_to(void *context, int to, const void *data, size_t size)
{
    (void)context;
    return MPI_Send(data, (int)size, MPI_BYTE, to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
}

/// Takes the message that was probed.
static bool take(Mpi *mpi, const MPI_Status *found, int *from, const void **data, size_t *size)
{
    int count = 0;
    MPI_Get_count(found, MPI_BYTE, &count);
    if (count > mpi->capacity) {
        char *larger = realloc(mpi->data, (size_t)count);
        if (larger == NULL) {
            return false;
        }
        mpi->data = larger;
        mpi->capacity = count;
    }
    *from = found->MPI_SOURCE;
    *data = mpi->data;
    *size = (size_t)count;
    return MPI_Recv(mpi->data, count, MPI_BYTE, *from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

static bool receive(void *context, double seconds, int *from, const void **data, size_t *size)
{
    const double end = MPI_Wtime() + seconds;
    for (;;) {
        int there = 0;
        MPI_Status found;
        if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &found) == MPI_SUCCESS && there) {
            return take(context, &found, from, data, size);
        }
        if (MPI_Wtime() >= end) {
            return false;
        }
        const struct timespec pause = {0, 500000}; // MPI would use a whole processor to wait
        nanosleep(&pause, NULL);
    }
}

static void end_link(void *context, bool whole)
{
    Mpi *mpi = context;
    free(mpi->data);
    free(mpi);
    if (whole) {
        MPI_Finalize();
    } else {
        _exit(0); // a barrier with a process that is gone would never end
    }
}

bool gr_mpi_link_open(GrLink *out)
{
    int level, rank, size;
    Mpi *mpi = calloc(1, sizeof *mpi);
    if (mpi == NULL || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        free(mpi);
        return false;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *out = (GrLink){mpi, rank, size, send_to, receive, end_link};
    return true;
}
