/// Messages between the processes of a campaign by MPI: the library libgrouser_mpi.so, loaded under mpirun only.
///
/// A message travels in packets so small that MPI sends them at once. Of a larger one MPI sends the beginning, and the
/// rest when the receiver asks for it: a process that dies in between would block the other for ever.
#include "link.h"

#include <mpi.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// The only function of this library.
__attribute__((visibility("default"))) bool gr_mpi_link_open(GrLink *out);

enum { TAG = 7, PACKET_BYTES = 2048 }; // smaller than the limit of every transport of Open MPI: 4096 in shared memory
static const size_t MESSAGE_MAX = (size_t)1 << 26;

/// [s]: pauses between looks for a message grow with the time that has been waited, since MPI would use a whole
/// processor to wait. The last packets may take a moment to leave.
static const double PAUSE_LEAST = 50e-6, PAUSE_MOST = 1e-3, PAUSE_PART = 0.05, LAST_PACKETS = 1;

typedef struct Packet {
    uint32_t total, at; ///< bytes of the message, and where this part of it begins
    char data[PACKET_BYTES];
} Packet;

/// A packet that MPI has not sent yet.
typedef struct Parcel {
    struct Parcel *next;
    MPI_Request request;
    Packet packet;
} Parcel;

/// A message as far as it has arrived.
typedef struct Incoming {
    char *data;
    size_t capacity, filled;
} Incoming;

typedef struct Mpi {
    int size;
    Incoming *incoming; ///< [size]
    Parcel *leaving;
    Packet packet; ///< the last one that arrived
} Mpi;

/// By MPI's own allocator: this library has no other.
static void *take_memory(size_t size)
{
    void *memory = NULL;
    return MPI_Alloc_mem((MPI_Aint)size, MPI_INFO_NULL, &memory) == MPI_SUCCESS ? memory : NULL;
}

/// Frees the packets that have been sent. Packets to a process that is gone may stay.
static void release_sent(Mpi *mpi)
{
    for (Parcel **at = &mpi->leaving; *at != NULL;) {
        Parcel *parcel = *at;
        int done = 0;
        if (MPI_Test(&parcel->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
            at = &parcel->next;
            continue;
        }
        *at = parcel->next;
        MPI_Free_mem(parcel);
    }
}

static bool send_packet(Mpi *mpi, int to, const char *data, size_t total, size_t at)
{
    const size_t size = total - at < PACKET_BYTES ? total - at : PACKET_BYTES;
    Parcel *parcel = take_memory(sizeof *parcel);
    if (parcel == NULL) {
        return false;
    }
    parcel->packet.total = (uint32_t)total;
    parcel->packet.at = (uint32_t)at;
    memcpy(parcel->packet.data, data + at, size);
    const int bytes = (int)(sizeof parcel->packet - PACKET_BYTES + size);
    if (MPI_Isend(&parcel->packet, bytes, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &parcel->request) != MPI_SUCCESS) {
        MPI_Free_mem(parcel);
        return false; // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): a request that failed has nothing to wait for
    }
    parcel->next = mpi->leaving;
    mpi->leaving = parcel;
    release_sent(mpi);
    return true; // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): release_sent() tests it until it is done
}

static bool send_to(void *context, int to, const void *data, size_t size)
{
    bool sent = size > 0 && size <= MESSAGE_MAX;
    for (size_t at = 0; at < size && sent; at += PACKET_BYTES) {
        sent = send_packet(context, to, data, size, at);
    }
    return sent;
}

/// Makes room for a message.
static bool make_room(Incoming *in, size_t size)
{
    if (size <= in->capacity) {
        return true;
    }
    if (in->data != NULL) {
        MPI_Free_mem(in->data);
    }
    in->data = take_memory(size);
    in->capacity = in->data != NULL ? size : 0;
    return in->data != NULL;
}

/// Takes the packet that was probed. True: it is the last one of its message.
static bool take_packet(Mpi *mpi, const MPI_Status *found, int *from)
{
    Packet *packet = &mpi->packet;
    const size_t head = sizeof *packet - PACKET_BYTES;
    int count = 0;
    MPI_Get_count(found, MPI_BYTE, &count);
    *from = found->MPI_SOURCE;
    if (MPI_Recv(packet, (int)sizeof *packet, MPI_BYTE, *from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
        (size_t)count < head) {
        return false;
    }
    Incoming *in = &mpi->incoming[*from];
    const size_t size = (size_t)count - head;
    in->filled = packet->at == 0 ? 0 : in->filled;
    if (packet->total > MESSAGE_MAX || packet->at != in->filled || size > packet->total - in->filled ||
        (packet->at == 0 && !make_room(in, packet->total))) {
        return false;
    }
    memcpy(in->data + in->filled, packet->data, size);
    in->filled += size;
    return in->filled == packet->total;
}

static bool receive(void *context, double seconds, int *from, const void **data, size_t *size)
{
    Mpi *mpi = context;
    const double start = MPI_Wtime();
    for (;;) {
        int there = 0;
        MPI_Status found;
        release_sent(mpi);
        if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &found) == MPI_SUCCESS && there) {
            if (take_packet(mpi, &found, from)) {
                *data = mpi->incoming[*from].data;
                *size = mpi->incoming[*from].filled;
                return true;
            }
            continue;
        }
        const double waited = MPI_Wtime() - start;
        if (waited >= seconds) {
            return false;
        }
        const double part = PAUSE_PART * waited;
        const double pause = part < PAUSE_LEAST ? PAUSE_LEAST : part > PAUSE_MOST ? PAUSE_MOST : part;
        const struct timespec time = {0, (long)(1e9 * pause)};
        nanosleep(&time, NULL);
    }
}

static void end_link(void *context, bool whole, int exit_code)
{
    Mpi *mpi = context;
    for (const double start = MPI_Wtime(); mpi->leaving != NULL && MPI_Wtime() - start < LAST_PACKETS;) {
        release_sent(mpi);
    }
    if (!whole) {
        _exit(exit_code); // a barrier with a process that is gone would never end
    }
    for (int i = 0; i < mpi->size; i++) {
        if (mpi->incoming[i].data != NULL) {
            MPI_Free_mem(mpi->incoming[i].data);
        }
    }
    MPI_Free_mem(mpi->incoming);
    MPI_Free_mem(mpi);
    MPI_Finalize();
}

bool gr_mpi_link_open(GrLink *out)
{
    int level, rank, size;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        return false;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Mpi *mpi = take_memory(sizeof *mpi);
    Incoming *incoming = take_memory((size_t)size * sizeof *incoming);
    if (mpi == NULL || incoming == NULL) {
        return false;
    }
    memset(incoming, 0, (size_t)size * sizeof *incoming);
    *mpi = (Mpi){.size = size, .incoming = incoming};
    *out = (GrLink){mpi, rank, size, send_to, receive, end_link};
    return true;
}
