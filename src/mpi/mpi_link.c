/// Messages between the processes of a campaign by MPI: the library libgrouser_mpi.so, loaded under mpirun only.
#include "link.h"

#include <mpi.h>
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
    if (count > mpi->capacity) { // by MPI's own allocator: this library has no other
        if (mpi->data != NULL) {
            MPI_Free_mem(mpi->data);
        }
        mpi->capacity = 0;
        if (MPI_Alloc_mem(count, MPI_INFO_NULL, &mpi->data) != MPI_SUCCESS) {
            mpi->data = NULL;
            return false;
        }
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
    if (whole) {
        if (mpi->data != NULL) {
            MPI_Free_mem(mpi->data);
        }
        MPI_Free_mem(mpi);
        MPI_Finalize();
    } else {
        _exit(0); // a barrier with a process that is gone would never end
    }
}

bool gr_mpi_link_open(GrLink *out)
{
    int level, rank, size;
    Mpi *mpi = NULL;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        return false;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Alloc_mem(sizeof *mpi, MPI_INFO_NULL, &mpi) != MPI_SUCCESS) {
        return false;
    }
    *mpi = (Mpi){0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *out = (GrLink){mpi, rank, size, send_to, receive, end_link};
    return true;
}
