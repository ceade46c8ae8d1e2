#include "viewer_page.h"

#include "parts.h"

#ifdef GR_VIEWER_HTML

// The assembler puts the file into the program; a C array of it would take the compiler seconds.
__asm__(".section .rodata\n"
        ".global gr_viewer_html\n"
        ".hidden gr_viewer_html\n"
        ".global gr_viewer_html_end\n"
        ".hidden gr_viewer_html_end\n"
        "gr_viewer_html:\n"
        ".incbin \"" GR_VIEWER_HTML "\"\n"
        "gr_viewer_html_end:\n"
        ".byte 0\n"
        ".previous\n");

extern const char gr_viewer_html[], gr_viewer_html_end[];

const char *gr_viewer_page(size_t *size)
{
    // cppcheck-suppress comparePointers  // the two ends of one object, which the assembler makes
    *size = (size_t)(gr_viewer_html_end - gr_viewer_html);
    return gr_viewer_html;
}

#else

const char *gr_viewer_page(size_t *size)
{
    *size = 0;
    return NULL;
}

#endif

GrStatus gr_viewer_require(GrErrorLog *log)
{
    size_t size;
    if (gr_viewer_page(&size) != NULL) {
        return GR_OK;
    }
    return gr_part_missing("VIEWER", (GrLocation){.field = "viewer"}, log);
}
