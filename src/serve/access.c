#include "access.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

enum { NAME_SIZE = 256 };

/// The host without its port and without the brackets of an IPv6 address; false: it is malformed.
static bool strip(const char *host, char out[NAME_SIZE])
{
    const bool bracket = host[0] == '[';
    const char *begin = host + bracket;
    const size_t length = strcspn(begin, bracket ? "]" : ":");
    const char *rest = begin + length + (bracket && begin[length] == ']');
    if (length == 0 || length >= NAME_SIZE || (bracket && begin[length] != ']')) {
        return false;
    }
    if (*rest != '\0' && (*rest != ':' || rest[1 + strspn(rest + 1, "0123456789")] != '\0')) {
        return false;
    }
    memcpy(out, begin, length);
    out[length] = '\0';
    struct in6_addr address;
    return !bracket || inet_pton(AF_INET6, out, &address) == 1;
}

static bool is_address(const char *name)
{
    unsigned char bytes[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

bool gr_access_is_loopback(const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, host, &v4) == 1) {
        return (ntohl(v4.s_addr) >> 24) == 127;
    }
    if (inet_pton(AF_INET6, host, &v6) == 1) {
        return IN6_IS_ADDR_LOOPBACK(&v6);
    }
    return strcasecmp(host, "localhost") == 0;
}

bool gr_access_host(const GrAccess *access, const char *host)
{
    char name[NAME_SIZE];
    if (!strip(host, name)) {
        return false;
    }
    if (gr_access_is_loopback(name) || strcasecmp(name, access->host) == 0) {
        return true;
    }
    const bool beyond = !gr_access_is_loopback(access->host);
    return beyond && (is_address(name) || (access->machine != NULL && strcasecmp(name, access->machine) == 0));
}

bool gr_access_origin(const GrAccess *access, const char *origin, const char *host)
{
    static const char SCHEME[] = "http://";
    if (origin == NULL) {
        return true;
    }
    if (strncasecmp(origin, SCHEME, strlen(SCHEME)) == 0 && strcasecmp(origin + strlen(SCHEME), host) == 0) {
        return true;
    }
    for (int i = 0; i < access->origin_count; i++) {
        if (strcasecmp(origin, access->origins[i]) == 0) {
            return true;
        }
    }
    return false;
}
