/// Who may connect: the checks that keep other web pages away from a server on this machine.
///
/// A page of a foreign site can open connections to 127.0.0.1, but its browser adds the header Origin. And a foreign
/// site can make its own name point to 127.0.0.1 (DNS rebinding), but then its name is in the header Host.
#ifndef GR_ACCESS_H
#define GR_ACCESS_H

#include <stdbool.h>

typedef struct GrAccess {
    const char *host;           ///< address or name that the server listens on
    const char *machine;        ///< name of this machine; NULL: none
    const char *const *origins; ///< origins of other sites that are allowed; NULL: none
    int origin_count;
} GrAccess;

/// Whether the address is one of this machine only.
bool gr_access_is_loopback(const char *host);

/// Whether a request to this Host (with or without a port) is for this server: localhost, a loopback address, the
/// server's own name; and, when it listens beyond loopback, the machine's name and any address.
bool gr_access_host(const GrAccess *access, const char *host);

/// Whether a page of this origin may connect; `host` is the header of the same request. NULL: the request has no such
/// header, and comes from a program and no page. An empty one is foreign: no browser sends it.
bool gr_access_origin(const GrAccess *access, const char *origin, const char *host);

#endif
