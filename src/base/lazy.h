/// Libraries that are opened when they are first needed, so that programs that never need them never load them.
///
/// The functions of a library are members of a struct under their own names:
///
///     #define ERFA_FUNCTIONS(X) X(eraUtctai) X(eraTaitt)
///     GR_LAZY_LIBRARY(erfa, GR_ERFA_LIBRARY, ERFA_FUNCTIONS)
///     ...
///     if (!erfa_open()) { return gr_part_missing("ERFA", where, log); }
///     erfa.eraTaitt(day, part, &out_day, &out_part);
///
/// gr_load_later() of src/CMakeLists.txt defines the library's file name. Where it links the library instead, for units
/// and web pages, it defines GR_LINKED_LIBRARIES, and the members are the addresses.
#ifndef GR_LAZY_H
#define GR_LAZY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { GR_LAZY_FAULT = 256 };

#define GR_LAZY_MEMBER(name)  __typeof__(&name) name; // NOLINT(bugprone-macro-parentheses)
#define GR_LAZY_NAME(name)    #name,
#define GR_LAZY_ADDRESS(name) &name, // NOLINT(bugprone-macro-parentheses)

#ifdef GR_LINKED_LIBRARIES
#define GR_LAZY_LIBRARY(name, file, FUNCTIONS)                                                                         \
    static const struct {                                                                                              \
        FUNCTIONS(GR_LAZY_MEMBER)                                                                                      \
    } name = {FUNCTIONS(GR_LAZY_ADDRESS)};                                                                             \
    __attribute__((unused)) static const char name##_fault[] = "";                                                     \
    static bool name##_open(void)                                                                                      \
    {                                                                                                                  \
        return true;                                                                                                   \
    }
#else
/// Defines the struct `name`, which is written once, by the first name_open(); that returns whether it is complete.
#define GR_LAZY_LIBRARY(name, file, FUNCTIONS)                                                                         \
    static struct {                                                                                                    \
        FUNCTIONS(GR_LAZY_MEMBER)                                                                                      \
    } name; /* NOLINT(bugprone-macro-parentheses) */                                                                   \
    static bool name##_complete;                                                                                       \
    static char name##_fault[GR_LAZY_FAULT]; /* why it is not */                                                       \
    static void name##_load(void)                                                                                      \
    {                                                                                                                  \
        static const char *const names[] = {FUNCTIONS(GR_LAZY_NAME)};                                                  \
        name##_complete = gr_lazy_load(file, names, (int)(sizeof names / sizeof names[0]), &(name), name##_fault);     \
    }                                                                                                                  \
    static bool name##_open(void)                                                                                      \
    {                                                                                                                  \
        static pthread_once_t once = PTHREAD_ONCE_INIT;                                                                \
        pthread_once(&once, name##_load);                                                                              \
        return name##_complete;                                                                                        \
    }
#endif

/// Finds the functions of a library, which stays loaded. `functions`: a struct of as many pointers. False: `fault` says
/// why.
bool gr_lazy_load(const char *library, const char *const *names, int count, void *functions, char fault[GR_LAZY_FAULT]);

/// One that need not be there: NULL.
void *gr_lazy_symbol(const char *library, const char *name);

#endif
