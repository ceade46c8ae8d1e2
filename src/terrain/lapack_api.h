/// The functions of LAPACKE that we use, loaded when a hole is filled.
///
/// They stand on a BLAS library, and OpenBLAS starts a thread for every processor when it is loaded, each of which
/// waits for work for some hundredths of a second at full load: on two processors a fortieth of a short run, on many
/// more than the run itself. The library is therefore not linked but opened by gr_lapack_start().
#ifndef GR_LAPACK_API_H
#define GR_LAPACK_API_H

#include "grouser/status.h"

#include <lapacke.h>

typedef struct GrLapack {
    __typeof__(&LAPACKE_dpotrf) dpotrf; ///< Cholesky factor
    __typeof__(&LAPACKE_dpotrs) dpotrs; ///< its use
} GrLapack;

/// Written once, by the first gr_lapack_start().
extern GrLapack gr_lapack;

/// Loads LAPACKE, once for all threads.
GrStatus gr_lapack_start(GrErrorLog *log);

#endif
