#include "lapack_api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

GrLapack gr_lapack;

static char fault[256]; ///< why it could not be loaded; "": it is loaded

/// POSIX makes this valid although C does not convert between pointers to objects and to functions.
static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static void start(void)
{
    void *library = dlopen(GR_LAPACKE_LIBRARY, RTLD_LAZY | RTLD_LOCAL); // never closed: OpenBLAS has threads
    if (library == NULL || !find(library, "LAPACKE_dpotrf", &gr_lapack.dpotrf) ||
        !find(library, "LAPACKE_dpotrs", &gr_lapack.dpotrs)) {
        const char *why = dlerror();
        snprintf(fault, sizeof fault, "%s", why != NULL ? why : "no reason given");
        return;
    }
    // OpenBLAS splits sums over threads; the same input must give the same bits on any machine. Other BLAS libraries
    // lack this switch and do not need it.
    void (*set_threads)(int count);
    if (find(library, "openblas_set_num_threads", &set_threads)) {
        set_threads(1);
    }
}

GrStatus gr_lapack_start(GrErrorLog *log)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    return fault[0] == '\0'
               ? GR_OK
               : gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0},
                              "filling of holes needs LAPACKE, but %s cannot be loaded: %s", GR_LAPACKE_LIBRARY, fault);
}
