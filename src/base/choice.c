#include "choice.h"

#include "text.h"

#include <string.h>

int gr_choice_find(const GrChoice *choice, const char *name, GrErrorLog *log)
{
    for (int i = 0; i < choice->count; i++) {
        if (strcmp(choice->names[i], name) == 0) {
            return i;
        }
    }
    gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = choice->field}, "no %s is called '%s'%s", choice->kind, name,
                 gr_text_hint(name, choice->names, choice->count, NULL).text);
    return -1;
}
