/// Version of the headers at compile time and of the library at run time.
///
/// While the major version is 0, a new minor version may change the API and the ABI; patches do not. The soname
/// (libgrouser.so.0.1) and the symbol version (GROUSER_0.1) follow this rule. CMake reads the version from this file.
///
/// Example:
///
///     #if GROUSER_VERSION_NUMBER < 100 // 0.1.0
///     #error "needs Grouser 0.1"
///     #endif
///     printf("Grouser %s\n", gr_version()); // prints: Grouser 0.1
#ifndef GROUSER_VERSION_H
#define GROUSER_VERSION_H

#include "grouser/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GROUSER_VERSION_MAJOR 0
#define GROUSER_VERSION_MINOR 1
#define GROUSER_VERSION_PATCH 0
#define GROUSER_VERSION       "0.1.0"

/// For comparisons: 10000 major + 100 minor + patch.
#define GROUSER_VERSION_NUMBER (10000 * GROUSER_VERSION_MAJOR + 100 * GROUSER_VERSION_MINOR + GROUSER_VERSION_PATCH)

/// Version of the linked library, e.g. "0.1.0".
GR_API const char *gr_version(void);

#ifdef __cplusplus
}
#endif

#endif
