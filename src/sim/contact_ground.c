/// The list of named grounds. A process may hold several copies of this code, since hosts load each functional mock-up
/// unit from a folder of its own; all of them must find the same list. An environment variable has its address. The
/// variable also has 16 bytes that the kernel draws for each program it starts, so that an address that was inherited
/// from another program is not taken for one of this.
#include "contact_ground.h"

#include "alloc.h"
#include "grouser/rover.h"
#include "grouser/version.h"
#include "out_of_memory.h"
#include "text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

struct GrContactGround {
    char name[GR_NAME_SIZE];
    GrRuts *ruts;
    pthread_mutex_t lock;
    int users;
    GrContactGround *next;
};

/// Memory of the process, never freed: other copies of this code may use it after this one is unloaded.
typedef struct Grounds {
    pthread_mutex_t lock;
    GrContactGround *first;
} Grounds;

/// Copies of other versions and builds have other structs, and a list of their own.
#ifdef GR_PORTABLE_BITS
#define LIST_NAME "GROUSER_GROUNDS_" GROUSER_VERSION "_PORTABLE"
#else
#define LIST_NAME "GROUSER_GROUNDS_" GROUSER_VERSION
#endif

enum { MARK_SIZE = 33, ENTRY_SIZE = 80 };

static void write_mark(char mark[MARK_SIZE])
{
    memset(mark, '0', MARK_SIZE - 1);
    mark[MARK_SIZE - 1] = '\0';
#ifdef __linux__
    const unsigned char *drawn =
        (const unsigned char *)(uintptr_t)getauxval(AT_RANDOM); // NOLINT(performance-no-int-to-ptr)
    for (int i = 0; drawn != NULL && i < 16; i++) {
        snprintf(mark + 2 * i, 3, "%02x", drawn[i]);
    }
#endif
}

/// NULL when out of memory.
static Grounds *find_grounds(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static Grounds *found;
    pthread_mutex_lock(&lock);
    if (found == NULL) {
        char mark[MARK_SIZE], entry[ENTRY_SIZE];
        const char *known = getenv(LIST_NAME);
        void *list = NULL;
        write_mark(mark);
        if (known != NULL && strncmp(known, mark, MARK_SIZE - 1) == 0) {
            sscanf(known + MARK_SIZE - 1, "-%p", &list);
        }
        if (list == NULL && (list = gr_calloc(1, sizeof(Grounds))) != NULL) {
            pthread_mutex_init(&((Grounds *)list)->lock, NULL);
            snprintf(entry, sizeof entry, "%s-%p", mark, list);
            setenv(LIST_NAME, entry, 1);
        }
        found = list;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static GrContactGround *make(const char *name, GrRuts *ruts)
{
    GrContactGround *ground = gr_calloc(1, sizeof *ground);
    if (ground != NULL) {
        gr_text_copy(ground->name, sizeof ground->name, name);
        ground->ruts = ruts;
        pthread_mutex_init(&ground->lock, NULL);
    }
    return ground;
}

/// Whether ruts are of the same kind; both may be none.
static GrStatus compare(const char *name, const GrRuts *a, const GrRuts *b, GrErrorLog *log)
{
    const GrRutsDef none = {0}, x = a != NULL ? *gr_ruts_def(a) : none, y = b != NULL ? *gr_ruts_def(b) : none;
    if (x.cell == y.cell && x.state_count == y.state_count) {
        return GR_OK;
    }
    return gr_error_add(
        log, GR_ERROR_VALUE, (GrLocation){.field = "ground"},
        "the ground '%s' has ruts with cells of %g m and %d states, this unit's have %g m and %d: units of "
        "one ground need the same rut_cell, and ruts of the same kind",
        name, x.cell, x.state_count, y.cell, y.state_count);
}

GrContactGround *gr_contact_ground_join(const char *name, GrRuts *ruts, GrErrorLog *log)
{
    Grounds *grounds = find_grounds();
    if (grounds == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    pthread_mutex_lock(&grounds->lock);
    GrContactGround *ground = grounds->first;
    while (ground != NULL && strcmp(ground->name, name) != 0) {
        ground = ground->next;
    }
    if (ground == NULL) {
        ground = make(name, ruts);
        if (ground != NULL) {
            ground->next = grounds->first;
            grounds->first = ground;
        } else {
            gr_out_of_memory(log, NULL);
        }
    } else if (compare(name, ground->ruts, ruts, log) != GR_OK) {
        ground = NULL;
    }
    if (ground != NULL) {
        ground->users++;
    }
    pthread_mutex_unlock(&grounds->lock);
    return ground;
}

void gr_contact_ground_leave(GrContactGround *ground)
{
    Grounds *grounds = find_grounds();
    pthread_mutex_lock(&grounds->lock);
    const bool last = --ground->users == 0;
    if (last) {
        GrContactGround **at = &grounds->first;
        while (*at != ground) {
            at = &(*at)->next;
        }
        *at = ground->next;
    }
    pthread_mutex_unlock(&grounds->lock);
    if (last) {
        pthread_mutex_destroy(&ground->lock);
        gr_ruts_free(ground->ruts);
        gr_free(ground);
    }
}

GrRuts *gr_contact_ground_ruts(const GrContactGround *ground)
{
    return ground->ruts;
}

void gr_contact_ground_lock(GrContactGround *ground)
{
    if (ground != NULL) {
        pthread_mutex_lock(&ground->lock);
    }
}

void gr_contact_ground_unlock(GrContactGround *ground)
{
    if (ground != NULL) {
        pthread_mutex_unlock(&ground->lock);
    }
}
