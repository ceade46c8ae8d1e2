/// Terms of given shapes: plane, step, ramp, lander with ramps, and a profile from a text file, constant across its
/// line. Directions are in degrees from x (east) towards y (north).
#include "alloc.h"

#include "elementary.h"
#include "file.h"
#include "number.h"
#include "term.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- plane, step, ramp, lander

/// A direction, and values that are used as given.
typedef struct Shape {
    double ux, uy;
    double v[GR_TERM_PARAMETERS];
} Shape;

static GrStatus prepare_shape(const GrTermInput *input, int count, double toward_deg, void **state)
{
    Shape *shape = gr_calloc(1, sizeof *shape);
    if (shape == NULL) {
        return GR_ERROR_MEMORY;
    }
    shape->ux = gr_cos(toward_deg * GR_DEGREE);
    shape->uy = gr_sin(toward_deg * GR_DEGREE);
    memcpy(shape->v, input->values, (size_t)count * sizeof *shape->v);
    *state = shape;
    return GR_OK;
}

/// Plane: z = height + tan(slope) s, s along the direction.
static const GrTermParameter PLANE[] = {
    {"slope_deg", 0, -80, 80, "slope, uphill in the direction"},
    {"toward_deg", 0, -360, 360, "direction, 0: east, 90: north"},
    {"height_m", 0, -1e6, 1e6, "height at the origin"},
};

static GrStatus prepare_plane(const GrTermInput *input, void **state, GrErrorLog *log)
{
    (void)log;
    return prepare_shape(input, 3, input->values[1], state);
}

static double plane_height(const void *state, double x, double y)
{
    const Shape *s = state;
    return s->v[2] + gr_tan(s->v[0] * GR_DEGREE) * (s->ux * x + s->uy * y);
}

const GrTerm gr_term_plane = {
    .info = {"plane", "an inclined plane", PLANE, GR_TERM_COUNT(PLANE)},
    .prepare = prepare_plane,
    .height = plane_height,
};

/// Step: 0 before, `height` after, with a straight flank of the given width in between.
static const GrTermParameter STEP[] = {
    {"height_m", 0.2, -1e4, 1e4, "height of the step"},
    {"toward_deg", 0, -360, 360, "direction across it, 0: east, 90: north"},
    {"at_m", 0, -1e7, 1e7, "where it is along the direction"},
    {"width_m", 0, 0, 1e6, "length of its flank; 0: upright"},
};

static GrStatus prepare_step(const GrTermInput *input, void **state, GrErrorLog *log)
{
    (void)log;
    return prepare_shape(input, 4, input->values[1], state);
}

static double step_height(const void *state, double x, double y)
{
    const Shape *s = state;
    const double along = s->ux * x + s->uy * y - s->v[2];
    if (s->v[3] == 0) {
        return along >= 0 ? s->v[0] : 0;
    }
    return s->v[0] * fmin(1, fmax(0, along / s->v[3]));
}

const GrTerm gr_term_step = {
    .info = {"step", "flat, a step, flat", STEP, GR_TERM_COUNT(STEP)},
    .prepare = prepare_step,
    .height = step_height,
};

/// Ramp: flat, then the slope over its length, then flat again.
static const GrTermParameter RAMP[] = {
    {"slope_deg", 10, -80, 80, "slope, uphill in the direction"},
    {"length_m", 5, 0, 1e6, "length on the ground"},
    {"toward_deg", 0, -360, 360, "direction, 0: east, 90: north"},
    {"at_m", 0, -1e7, 1e7, "where it begins along the direction"},
};

static GrStatus prepare_ramp(const GrTermInput *input, void **state, GrErrorLog *log)
{
    (void)log;
    return prepare_shape(input, 4, input->values[2], state);
}

static double ramp_height(const void *state, double x, double y)
{
    const Shape *s = state;
    const double along = s->ux * x + s->uy * y - s->v[3];
    return gr_tan(s->v[0] * GR_DEGREE) * fmin(s->v[1], fmax(0, along));
}

const GrTerm gr_term_ramp = {
    .info = {"ramp", "flat, a slope, flat", RAMP, GR_TERM_COUNT(RAMP)},
    .prepare = prepare_ramp,
    .height = ramp_height,
};

/// Lander: a deck on the ground, with a pair of tracks that lead down at the front and at the rear.
///
///            ramp     deck     ramp
///     ______/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\______      two tracks side by side, `gap` between their inner edges
static const GrTermParameter LANDER[] = {
    {"length_m", 2, 0.01, 100, "of the deck along the direction"},
    {"width_m", 2, 0.01, 100, "of the deck"},
    {"height_m", 0.6, 0, 20, "of the deck over the ground"},
    {"ramp_deg", 20, 1, 60, "slope of the ramps"},
    {"track_m", 0.4, 0.01, 50, "width of each of a ramp's two tracks"},
    {"gap_m", 0.8, 0, 50, "between the two tracks"},
    {"toward_deg", 0, -360, 360, "direction, 0: east, 90: north"},
    {"x_m", 0, -1e7, 1e7, "middle of the deck"},
    {"y_m", 0, -1e7, 1e7, "middle of the deck"},
};

static GrStatus prepare_lander(const GrTermInput *input, void **state, GrErrorLog *log)
{
    (void)log;
    return prepare_shape(input, 9, input->values[6], state);
}

static double lander_height(const void *state, double x, double y)
{
    const Shape *s = state;
    const double dx = x - s->v[7], dy = y - s->v[8];
    const double along = fabs(s->ux * dx + s->uy * dy), across = fabs(s->ux * dy - s->uy * dx);
    const double beyond = along - 0.5 * s->v[0];
    if (beyond <= 0) {
        return across <= 0.5 * s->v[1] ? s->v[2] : 0;
    }
    const bool on_track = across >= 0.5 * s->v[5] && across <= 0.5 * s->v[5] + s->v[4];
    return on_track ? fmax(0, s->v[2] - gr_tan(s->v[3] * GR_DEGREE) * beyond) : 0;
}

const GrTerm gr_term_lander = {
    .info = {"lander", "a deck with ramps in front and behind, on flat ground", LANDER, GR_TERM_COUNT(LANDER)},
    .prepare = prepare_lander,
    .height = lander_height,
};

// ---- profile

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
