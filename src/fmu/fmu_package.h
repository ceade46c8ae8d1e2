/// A functional mock-up unit as a zip archive: description, binaries, resources, licences.
#ifndef GR_FMU_PACKAGE_H
#define GR_FMU_PACKAGE_H

#include "buffer.h"
#include "fmu_unit.h"
#include "grouser/status.h"

typedef struct GrFmuPackageDef {
    const char *scenario;         ///< name or path
    const char *const *overrides; ///< NULL-terminated, or NULL
    int version;                  ///< of FMI: 2 or 3
    GrFmuContactKind contact;     ///< GR_FMU_ROVER: the whole rover, co-simulation alone
} GrFmuPackageDef;

/// What was put into a package, for a message.
typedef struct GrFmuPackageInfo {
    int variables, files;
    char platforms[80]; ///< "aarch64-linux, x86_64-linux"
} GrFmuPackageInfo;

/// Makes the archive. Before that, the resources are loaded from a temporary folder as a host would find them, and must
/// give the same start. A platform without a binary is a warning; no binary at all is an error.
GrStatus gr_fmu_package(const GrFmuPackageDef *def, GrBuffer *out, GrFmuPackageInfo *info, GrErrorLog *log);

#endif
