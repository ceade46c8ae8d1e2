#include "list.h"

#include "alloc.h"

#include <string.h>

int gr_list_add(void *items, int *count, const void *item, size_t size)
{
    void *array;
    memcpy(&array, items, sizeof array);
    if (*count == 0 || (*count & (*count - 1)) == 0) {
        void *grown = gr_realloc(array, (*count > 0 ? 2 * (size_t)*count : 1) * size);
        if (grown == NULL) {
            return -1;
        }
        array = grown;
        memcpy(items, &array, sizeof array);
    }
    memcpy((unsigned char *)array + (size_t)*count * size, item, size);
    return (*count)++;
}
