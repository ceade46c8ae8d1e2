#include "pace.h"

static const double SAFETY = 0.9, SHRINK = 0.2, GROW = 2;
static const double LOOK = 4; // long steps from one look ahead to the next: it costs half an evaluation

const char *gr_pace_name(GrPace pace)
{
    static const char *const names[] = {
#define GR_PACE_ROW(constant, name, text) #name,
        GR_PACE_LIST(GR_PACE_ROW)
#undef GR_PACE_ROW
    };
    return names[pace];
}

static double within(const GrMissionDef *def, double step)
{
    return fmax(def->step_min, fmin(step, def->step_max));
}

static double fastest_hub(const GrModel *m, const GrData *d)
{
    double most = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        const GrBodyFrame *frame = &d->tree.frame[m->wheels[i].body];
        const GrVec3 centre = gr_wheel_centre(m, d, i);
        const GrVec3 v = gr_twist_at(frame->twist, centre);
        const double speed = gr_dot(v, v);
        most = speed > most ? speed : most;
    }
    return sqrt(most);
}

/// Whether something hard bears on the rover.
static bool touches(const GrModel *m, const GrData *d)
{
    for (int i = 0; i < m->hard.count; i++) {
        if (d->hard_contact[i].count > 0) {
            return true;
        }
    }
    return false;
}

static double by_hubs(const GrMissionDef *def, double speed, double most)
{
    return within(def, speed * most > def->hub_travel ? def->hub_travel / speed : most);
}

/// Whether a wheel comes to stone in the next step. Where none is some steps ahead, it is not looked again before.
static bool comes_to_stone(const GrModel *m, GrData *d, double last, double step, GrLookout *lookout)
{
    const double time = gr_data_time(d);
    // the frames are those of the beginning of the last step
    if (time + step > lookout->due) {
        lookout->stone = gr_rigid_contact_ahead(m, d, last + LOOK * step);
        lookout->due = time + LOOK * step;
    }
    return lookout->stone && gr_rigid_contact_ahead(m, d, last + step);
}

double gr_pace_choose(const GrMissionDef *def, const GrModel *m, GrData *d, double last, double next,
                      GrLookout *lookout)
{
    if (def->pace == GR_PACE_FIXED) {
        return def->step;
    }
    if (def->pace == GR_PACE_ERROR) {
        return next > 0 ? within(def, next) : def->step_min;
    }
    const double speed = fastest_hub(m, d), step = by_hubs(def, speed, def->step_max);
    if (!(step > def->step_hard) || d->rigid == NULL) {
        return step;
    }
    return touches(m, d) || comes_to_stone(m, d, last, step, lookout) ? by_hubs(def, speed, def->step_hard) : step;
}

double gr_pace_error(const GrModel *m, const GrData *d, double dt)
{
    const double *a = d->tree.acceleration;
    const GrVec3 linear = gr_vec3(a[0], a[1], a[2]), angular = gr_vec3(a[3], a[4], a[5]);
    double most = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        GrTwist rate = {angular, linear};
        for (int b = m->wheels[i].body; b > 0; b = m->tree.joints[b].parent) {
            const GrJoint *j = &m->tree.joints[b];
            rate = gr_twist_madd(rate, j->ratio * a[j->dof], d->tree.frame[b].motion);
        }
        const GrVec3 centre = gr_wheel_centre(m, d, i);
        const GrVec3 at = gr_twist_at(rate, centre);
        const double size = gr_dot(at, at);
        most = size > most ? size : most;
    }
    return 0.5 * dt * dt * sqrt(most);
}

double gr_pace_adapt(const GrMissionDef *def, double error, double dt)
{
    const double scale = error > 0 ? SAFETY * sqrt(def->tolerance / error) : GROW;
    return within(def, dt * fmax(SHRINK, fmin(scale, GROW)));
}
