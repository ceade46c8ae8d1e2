/// Version of the headers at compile time and of the library at run time.
///
/// While the major version is 0, a new minor version may change the API and the ABI; patches do not. The soname
/// (libgrouser.so.0.2) and the symbol version (GROUSER_0.2) follow this rule; tools/abi checks it. CMake reads the
/// version from this file.
///
/// Example:
///
///     #if GROUSER_VERSION_NUMBER < 200 // 0.2.0
///     #error "needs Grouser 0.2"
///     #endif
///     printf("Grouser %s\n", gr_version()); // prints: Grouser 0.2
#ifndef GROUSER_VERSION_H
#define GROUSER_VERSION_H

#include "grouser/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GROUSER_VERSION_MAJOR 0
#define GROUSER_VERSION_MINOR 2
#define GROUSER_VERSION_PATCH 0
#define GROUSER_VERSION       "0.2.0"

/// For comparisons: 10000 major + 100 minor + patch.
#define GROUSER_VERSION_NUMBER (10000 * GROUSER_VERSION_MAJOR + 100 * GROUSER_VERSION_MINOR + GROUSER_VERSION_PATCH)

/// Version of the linked library, e.g. "0.2.0".
GR_API const char *gr_version(void);

/// How the linked library rounds: "portable", with identical results on every processor and with every compiler, as
/// installed builds do; or "native", as this processor computes fastest. Compare state hashes only between equal ones.
GR_API const char *gr_bits(void);

#ifdef __cplusplus
}
#endif

#endif
