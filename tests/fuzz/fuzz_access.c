/// Any headers Host and Origin of a request, the first line and the second. A server on loopback must not let in the
/// page of another site, however it spells its name: what is let in is judged again here, by rules of its own.
#include "access.h"

#include "target.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 600 };

/// The name in "name", "name:port" or "[name]:port", in small letters.
static void name_of(const char *host, char out[LINE_SIZE])
{
    const size_t length = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");
    size_t used = 0;
    for (size_t i = 0; i < length && host[i] != '\0'; i++) {
        out[used++] = (char)tolower((unsigned char)host[i]);
    }
    out[used] = '\0';
}

/// localhost, 127.x.y.z, or [::1] however it is written.
static bool is_here(const char *name)
{
    int a, b, c, end = 0;
    if (name[0] == '[') {
        return strspn(name + 1, "0:1.]") == strlen(name) - 1 && strchr(name, '1') == strrchr(name, '1');
    }
    return strcmp(name, "localhost") == 0 ||
           (sscanf(name, "127.%d.%d.%d%n", &a, &b, &c, &end) == 3 && name[end] == '\0');
}

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static const GrAccess access = {.host = "127.0.0.1", .machine = "rover"};
    char lines[2][LINE_SIZE] = {{0}}, name[LINE_SIZE];
    int k = 0;
    size_t used = 0;
    for (size_t i = 0; i < size && k < 2; i++) {
        if (data[i] == '\n') {
            k++;
            used = 0;
        } else if (used < LINE_SIZE - 1 && data[i] != 0) {
            lines[k][used++] = (char)data[i];
        }
    }
    const char *host = lines[0], *origin = lines[1];
    name_of(host, name);
    if (gr_access_host(&access, host) && !is_here(name)) {
        abort(); // a name of another site that points here
    }
    const char *site = strstr(origin, "://");
    name_of(site != NULL ? site + 3 : origin, name);
    if (origin[0] != '\0' && gr_access_host(&access, host) && gr_access_origin(&access, origin, host) &&
        !is_here(name)) {
        abort(); // a page of another site
    }
}
