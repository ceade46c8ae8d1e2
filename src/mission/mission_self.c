/// Which of the rover's own parts touched each other in a mission, when, for how long and how hard.
#include "mission_data.h"

#include "self_contact.h"
#include "text.h"

/// The entry of a pair; NULL: no room left.
static GrSelfTally *find(GrMissionState *s, const GrTreePair *pair, double time)
{
    for (int i = 0; i < s->self_count; i++) {
        if (s->self[i].a == pair->a && s->self[i].b == pair->b) {
            return &s->self[i];
        }
    }
    if (s->self_count == GR_SELF_CONTACTS_MAX) {
        return NULL;
    }
    s->self[s->self_count] = (GrSelfTally){.a = pair->a, .b = pair->b, .first = time};
    return &s->self[s->self_count++];
}

void gr_mission_tally_self(GrMission *mission, double dt)
{
    const GrTreeData *tree = &mission->d->tree;
    GrMissionState *s = &mission->s;
    for (int i = 0; i < tree->pair_count[0]; i++) {
        GrSelfTally *tally = find(s, &tree->pair[i], gr_data_time(mission->d));
        if (tally == NULL) {
            s->self_more++;
            continue;
        }
        tally->time += dt;
        tally->force_max = fmax(tally->force_max, gr_norm(tree->pair[i].wrench.force));
    }
}

void gr_mission_summarise_self(const GrMission *mission, GrRunSummary *out)
{
    out->self_contact_count = mission->s.self_count;
    out->self_contact_more = mission->s.self_more;
    for (int i = 0; i < mission->s.self_count; i++) {
        const GrSelfTally *tally = &mission->s.self[i];
        GrSelfContact *contact = &out->self_contacts[i];
        *contact = (GrSelfContact){.first = tally->first, .time = tally->time, .force_max = tally->force_max};
        gr_text_copy(contact->a, sizeof contact->a, gr_moving_body_name(mission->m, tally->a));
        gr_text_copy(contact->b, sizeof contact->b, gr_moving_body_name(mission->m, tally->b));
    }
}

double gr_self_force(const GrMission *mission)
{
    const GrTreeData *tree = &mission->d->tree;
    double sum = 0;
    for (int i = 0; i < tree->pair_count[0]; i++) {
        sum += gr_norm(tree->pair[i].wrench.force);
    }
    return sum;
}
