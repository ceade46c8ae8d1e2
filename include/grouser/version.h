/// The version of the library: of the headers at compile time, of the code at run time.
///
/// While the major version is 0, a new minor version may change the API and the ABI; patches do not. The shared
/// library's name (libgrouser.so.0.1) and the version of its symbols (GROUSER_0.1) follow that. CMake reads the numbers
/// here.
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

/// To compare: 10000 major + 100 minor + patch.
#define GROUSER_VERSION_NUMBER (10000 * GROUSER_VERSION_MAJOR + 100 * GROUSER_VERSION_MINOR + GROUSER_VERSION_PATCH)

/// "0.1.0", of the library that is linked.
GR_API const char *gr_version(void);

#ifdef __cplusplus
}
#endif

#endif
