/// Status codes, and the log for errors and warnings.
///
/// A function that can fail returns a GrStatus and takes a GrErrorLog, which the caller zero-initialises. A NULL log
/// discards messages. File readers continue after an error if they can, so that one log shows all errors.
///
/// Example: print all messages of a failed call.
///
///     #include <grouser/rover.h>
///     GrErrorLog log = {0};
///     GrRoverDef rover;
///     if (gr_rover_load("curiosity_lik", NULL, &rover, &log) != GR_OK) {
///         for (int i = 0; i < log.count; i++) {
///             char text[1024];
///             gr_error_format(&log.items[i], text, sizeof text);
///             printf("%s\n", text); // prints: curiosity_like
///         }
///     }
#ifndef GROUSER_STATUS_H
#define GROUSER_STATUS_H

#include <stdarg.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GR_API              __attribute__((visibility("default")))
#define GR_PRINTF(fmt, arg) __attribute__((format(printf, fmt, arg)))
#else
#define GR_API
#define GR_PRINTF(fmt, arg)
#endif

/// All status codes: constant, text.
#define GR_STATUS_LIST(X)                                                                                              \
    X(GR_OK, "ok")                                                                                                     \
    X(GR_ERROR_FILE, "a file could not be read or written")                                                            \
    X(GR_ERROR_SYNTAX, "a file is not well-formed")                                                                    \
    X(GR_ERROR_FIELD, "a field is unknown or missing")                                                                 \
    X(GR_ERROR_VALUE, "a value is of the wrong kind or out of its range")                                              \
    X(GR_ERROR_NAME, "a name refers to nothing, or is used twice")                                                     \
    X(GR_ERROR_MODEL, "the parts do not make a valid model")                                                           \
    X(GR_ERROR_NOT_CONVERGED, "an iteration did not converge")                                                         \
    X(GR_ERROR_NUMERIC, "a number became infinite or not-a-number")                                                    \
    X(GR_ERROR_UNSUPPORTED, "this build or format cannot do that")                                                     \
    X(GR_ERROR_MEMORY, "out of memory")                                                                                \
    X(GR_ERROR_USAGE, "the call was wrong")                                                                            \
    X(GR_ERROR_WRITE, "a file could not be written to its end")                                                        \
    X(GR_ERROR_BUSY, "another run or process uses it")                                                                 \
    X(GR_ERROR_DEVICE, "a GPU failed")

typedef enum GrStatus {
#define GR_STATUS_ENUM(name, text) name,
    GR_STATUS_LIST(GR_STATUS_ENUM)
#undef GR_STATUS_ENUM
        GR_STATUS_COUNT
} GrStatus;

/// Text for a status code; never NULL.
GR_API const char *gr_status_text(GrStatus status);

typedef enum GrSeverity { GR_SEVERITY_ERROR, GR_SEVERITY_WARNING, GR_SEVERITY_INFO } GrSeverity;

/// One message. `file` and `field` are empty and `line` is 0 if they do not apply.
typedef struct GrError {
    GrStatus status;
    GrSeverity severity;
    int line;          ///< 1-based
    int column;        ///< 1-based
    const char *file;  ///< up to 255 bytes; in the log
    const char *field; ///< path of the field, e.g. bodies.chassis.mass_kg; up to 319 bytes; in the log
    const char *text;  ///< value found, allowed range, nearest valid name; up to 511 bytes; in the log
} GrError;

enum {
    GR_ERROR_FILE_SIZE = 256,
    GR_ERROR_FIELD_SIZE = 320,
    GR_ERROR_TEXT_SIZE = 512,
    GR_ERROR_LOG_CAPACITY = 32,
    GR_ERROR_LOG_BYTES = 2768
};

/// Messages in the order of occurrence. When there is no room left, errors replace warnings and remarks.
/// Zero-initialise it. A NULL log is allowed everywhere and discards messages. It has 4 kB; a copy still points to the
/// texts of the original.
typedef struct GrErrorLog {
    GrError items[GR_ERROR_LOG_CAPACITY];
    char texts[GR_ERROR_LOG_BYTES];
    int used;          ///< bytes of `texts`
    int count;         ///< messages kept in `items`
    int dropped;       ///< messages beyond the capacity, of which none is an error unless all kept ones are
    int error_count;   ///< errors among all messages, dropped ones included
    int warning_count; ///< warnings among all messages, dropped ones included
    bool quiet;        ///< set it to suppress the message hook (grouser/hooks.h), e.g. for an attempt that may fail
} GrErrorLog;

/// Location of a message. Zero-initialised: none.
typedef struct GrLocation {
    const char *file;
    int line;
    int column;
    const char *field;
} GrLocation;

/// Appends an error and returns `status`, so that a failing function can `return gr_error_add(...)`.
GR_API GrStatus gr_error_add(GrErrorLog *log, GrStatus status, GrLocation at, const char *format, ...) GR_PRINTF(4, 5);

/// Appends a warning.
GR_API void gr_warning_add(GrErrorLog *log, GrLocation at, const char *format, ...) GR_PRINTF(3, 4);

/// Appends a remark, such as a choice made for the user.
GR_API void gr_info_add(GrErrorLog *log, GrLocation at, const char *format, ...) GR_PRINTF(3, 4);

/// Name of a severity: error, warning, info.
GR_API const char *gr_severity_name(GrSeverity severity);

/// Writes `file:line:column: error: field: text` without a newline. Returns the required length, like snprintf().
GR_API int gr_error_format(const GrError *error, char *out, int size);

#ifdef __cplusplus
}
#endif
#endif
