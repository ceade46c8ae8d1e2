#include "summary_value.h"

#include "channel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// The part of `name` after "owner."; NULL when it has another owner.
static const char *after(const char *name, const char *owner)
{
    const size_t length = strlen(owner);
    return strncmp(name, owner, length) == 0 && name[length] == '.' ? name + length + 1 : NULL;
}

typedef struct Lister {
    bool (*take)(void *context, const char *name);
    void *context;
    bool done;
} Lister;

/// Numbers of the rover as a whole.
static bool rover_value(const GrRunSummary *s, const char *name, double *out)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {{"time_s", s->time},
                {"outcome_time_s", s->outcome_time},
                {"energy_per_metre_J_per_m", s->energy_per_metre},
                {"way_points_reached", s->way_points_reached},
                {"steps", (double)s->steps},
                {"succeeded", gr_outcome_succeeded(s->outcome)},
#define GR_ROW(member, name, unit, factor, text, scale, event) {#name, (factor)*s->member},
                GR_SUMMARY_NUMBER_LIST(GR_ROW)
#undef GR_ROW
#define GR_ROW(member, name, text) {"energy." #name, s->energy.member},
                    GR_SUMMARY_ENERGY_LIST(GR_ROW)
#undef GR_ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            *out = rows[i].value;
            return true;
        }
    }
    return false;
}

enum {
    WHEEL_NUMBERS = 0
#define GR_ROW(...) +1 // NOLINT(bugprone-macro-parentheses): one more
    GR_WHEEL_NUMBER_LIST(GR_ROW)
#undef GR_ROW
};

typedef struct WheelNumber {
    const char *name;
    size_t offset;
    GrSummaryOf of;
} WheelNumber;

static const WheelNumber WHEEL[WHEEL_NUMBERS] = {
#define GR_ROW(member, name, unit, text, scale, of, event) {#name, offsetof(GrWheelSummary, member), GR_OF_##of},
    GR_WHEEL_NUMBER_LIST(GR_ROW)
#undef GR_ROW
};

static double wheel_number(const GrRunSummary *s, int wheel, const WheelNumber *number)
{
    double value;
    memcpy(&value, (const unsigned char *)&s->wheels[wheel] + number->offset, sizeof value);
    return value;
}

/// All wheels together, combined as the table in sample.h says.
static double all_wheels(const GrRunSummary *s, const WheelNumber *number)
{
    double sum = 0, largest = -INFINITY;
    for (int i = 0; i < s->wheel_count; i++) {
        const double value = wheel_number(s, i, number);
        sum += value;
        largest = fmax(largest, value);
    }
    return s->wheel_count == 0           ? (double)NAN
           : number->of == GR_OF_LARGEST ? largest
           : number->of == GR_OF_MEAN    ? sum / s->wheel_count
                                         : sum;
}

bool gr_summary_value(const GrModel *m, const GrRunSummary *summary, const char *name, double *out)
{
    const char *rest = after(name, "outcome");
    if (rover_value(summary, name, out)) {
        return true;
    }
    for (int i = 0; rest != NULL && i < GR_OUTCOME_COUNT; i++) {
        if (strcmp(gr_outcome_name((GrOutcome)i), rest) == 0) {
            *out = summary->outcome == (GrOutcome)i;
            return true;
        }
    }
    for (int i = -1; i < gr_model_wheel_count(m); i++) {
        rest = after(name, i < 0 ? "wheels" : gr_model_wheel_name(m, i));
        for (int k = 0; rest != NULL && k < WHEEL_NUMBERS; k++) {
            if (strcmp(WHEEL[k].name, rest) == 0) {
                const bool known = i < summary->wheel_count;
                *out = i < 0 ? all_wheels(summary, &WHEEL[k]) : known ? wheel_number(summary, i, &WHEEL[k]) : 0;
                return true;
            }
        }
    }
    return false;
}

static void list_one(Lister *lister, const char *owner, const char *name)
{
    char full[GR_CHANNEL_NAME];
    snprintf(full, sizeof full, "%s%s%s", owner, owner[0] != '\0' ? "." : "", name);
    lister->done = lister->done || !lister->take(lister->context, full);
}

void gr_summary_list(const GrModel *m, bool (*take)(void *context, const char *name), void *context)
{
    Lister lister = {take, context, false};
    static const char *const plain[] = {"time_s",
                                        "outcome_time_s",
                                        "energy_per_metre_J_per_m",
                                        "way_points_reached",
                                        "steps",
                                        "succeeded",
#define GR_ROW(member, name, unit, factor, text, scale, event) #name,
                                        GR_SUMMARY_NUMBER_LIST(GR_ROW)
#undef GR_ROW
#define GR_ROW(member, name, text) "energy." #name,
                                            GR_SUMMARY_ENERGY_LIST(GR_ROW)
#undef GR_ROW
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        list_one(&lister, "", plain[i]);
    }
    for (int i = 0; i < GR_OUTCOME_COUNT; i++) {
        list_one(&lister, "outcome", gr_outcome_name((GrOutcome)i));
    }
    for (int i = -1; i < gr_model_wheel_count(m); i++) {
        for (int k = 0; k < WHEEL_NUMBERS; k++) {
            list_one(&lister, i < 0 ? "wheels" : gr_model_wheel_name(m, i), WHEEL[k].name);
        }
    }
}
