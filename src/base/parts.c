#include "parts.h"

#include <stdio.h>
#include <string.h>

const GrPart gr_parts[] = {
#include "parts.inc"
};
const int gr_part_count = sizeof gr_parts / sizeof gr_parts[0];

GrPartAdvice gr_part_advice(const char *name)
{
    GrPartAdvice advice = {"not in this build"};
    for (int i = 0; i < gr_part_count; i++) {
        if (strcmp(gr_parts[i].name, name) == 0) {
            const bool packaged = gr_parts[i].packages[0] != '\0';
            snprintf(advice.text, sizeof advice.text, "not in this build: %s%s%s",
                     packaged ? "install " : "build with -DGROUSER_", packaged ? gr_parts[i].packages : name,
                     packaged ? " and build again" : "=ON");
        }
    }
    return advice;
}

GrStatus gr_part_missing(const char *name, GrLocation where, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_UNSUPPORTED, where, "%s", gr_part_advice(name).text);
}
