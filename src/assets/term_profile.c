/// A profile along a line, constant across it: heights over distance from a text file.
#include "alloc.h"
#include "elementary.h"
#include "file.h"
#include "number.h"
#include "term.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const GrTermParameter PROFILE[] = {
    {"toward_deg", 0, -360, 360, "direction of the profile, 0: east, 90: north"},
    {"at_m", 0, -1e7, 1e7, "where the profile's distance 0 is along the direction"},
};

typedef struct Profile {
    double ux, uy, at;
    int count;
    double points[]; ///< distance and height alternating, distances ascending
} Profile;

/// One line "distance, height"; false when it does not have two numbers.
static bool read_line(const char *line, double *s, double *z)
{
    char *end;
    *s = gr_number_read(line, &end);
    if (end == line) {
        return false;
    }
    end += strspn(end, " \t,;");
    char *last;
    *z = gr_number_read(end, &last);
    return last != end && last[strspn(last, " \t\r")] == '\0' && isfinite(*s) && isfinite(*z);
}

static GrStatus read_points(const char *path, char *text, Profile *profile, GrErrorLog *log)
{
    int line = 0;
    for (char *at = text; at != NULL && *at != '\0';) {
        char *next = strchr(at, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        line++;
        const char *first = at + strspn(at, " \t\r");
        double s, z;
        if (*first == '\0' || *first == '#' || (profile->count == 0 && isalpha((unsigned char)*first))) {
            at = next;
            continue;
        }
        if (!read_line(first, &s, &z)) {
            return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = path, .line = line},
                                "a line of a profile has a distance and a height, not '%.40s'", first);
        }
        if (profile->count > 0 && !(s > profile->points[2 * profile->count - 2])) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path, .line = line},
                                "the distances of a profile must rise; %g comes after %g", s,
                                profile->points[2 * profile->count - 2]);
        }
        profile->points[2 * profile->count] = s;
        profile->points[2 * profile->count++ + 1] = z;
        at = next;
    }
    return profile->count >= 2 ? GR_OK
                               : gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                                              "a profile needs two points or more, not %d", profile->count);
}

static GrStatus prepare(const GrTermInput *input, void **state, GrErrorLog *log)
{
    char *text = NULL;
    size_t size = 0;
    if (input->text[0] == '\0') {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "profile"},
                            "needs a file of distances and heights: profile:file=PATH");
    }
    GrStatus status = gr_file_read(input->text, (size_t)64 << 20, &text, &size, log);
    if (status != GR_OK) {
        return status;
    }
    size_t lines = 1;
    for (size_t k = 0; k < size; k++) {
        lines += text[k] == '\n';
    }
    Profile *profile = gr_calloc(1, sizeof *profile + 2 * lines * sizeof(double));
    status = profile != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status == GR_OK) {
        profile->ux = gr_cos(input->values[0] * GR_DEGREE);
        profile->uy = gr_sin(input->values[0] * GR_DEGREE);
        profile->at = input->values[1];
        status = read_points(input->text, text, profile, log);
    }
    gr_free(text);
    if (status != GR_OK) {
        gr_free(profile);
        return status;
    }
    *state = profile;
    return GR_OK;
}

/// Linear between the points; constant before the first and after the last.
static double height(const void *state, double x, double y)
{
    const Profile *p = state;
    const double s = p->ux * x + p->uy * y - p->at;
    int low = 0, high = p->count - 1;
    if (s <= p->points[0]) {
        return p->points[1];
    }
    if (s >= p->points[2 * high]) {
        return p->points[2 * high + 1];
    }
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (p->points[2 * middle] <= s) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double *a = p->points + 2 * low, *b = a + 2;
    return a[1] + (b[1] - a[1]) * (s - a[0]) / (b[0] - a[0]);
}

const GrTerm gr_term_profile = {
    .info = {"profile", "a profile from a file, constant across its direction", PROFILE, GR_TERM_COUNT(PROFILE)},
    .text_name = "file",
    .prepare = prepare,
    .height = height,
};
