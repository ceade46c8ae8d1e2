/// What a client asks for.
#include "foxglove_session.h"

#include "foxglove_data.h"
#include "number.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

static const char CMD_VEL[] = "/cmd_vel", SPEED[] = "speed";

static bool complain(GrFoxgloveSession *s, const char *text)
{
    return gr_foxglove_session_say(s, GR_FOXGLOVE_ERROR, text);
}

// ---- subscriptions

static bool subscribe(GrFoxgloveSession *s, const GrFoxgloveRequest *r)
{
    char text[96];
    bool good = true;
    for (int i = 0; i < r->count && good; i++) {
        const uint32_t id = r->items[i].channel;
        GrSubscription *c = id >= 1 && id <= GR_FOXGLOVE_CHANNELS ? &s->channels[id - 1] : NULL;
        if (c == NULL || !c->announced) {
            snprintf(text, sizeof text, "subscribe: there is no channel %u", id);
            good = complain(s, text);
        } else if (c->active) {
            snprintf(text, sizeof text, "subscribe: channel %u is subscribed already", id);
            good = complain(s, text);
        } else {
            *c = (GrSubscription){.announced = true, .active = true, .id = r->items[i].id};
        }
    }
    return good;
}

static bool unsubscribe(GrFoxgloveSession *s, const GrFoxgloveRequest *r)
{
    for (int i = 0; i < r->count; i++) {
        for (int k = 0; k < GR_FOXGLOVE_CHANNELS; k++) {
            if (s->channels[k].active && s->channels[k].id == r->items[i].id) {
                s->channels[k].active = false;
            }
        }
    }
    return true;
}

// ---- publishing

static int find_topic(const GrFoxgloveSession *s, uint32_t id)
{
    int i = 0;
    while (i < s->topic_count && s->topics[i] != id) {
        i++;
    }
    return i < s->topic_count ? i : -1;
}

static bool advertise(GrFoxgloveSession *s, const GrFoxgloveRequest *r)
{
    bool good = true;
    for (int i = 0; i < r->count && good; i++) {
        const GrFoxgloveItem *item = &r->items[i];
        if (strcmp(item->name, CMD_VEL) != 0) {
            good = complain(s, "advertise: only the topic /cmd_vel is taken");
        } else if (strcmp(item->encoding, "json") != 0) {
            good = complain(s, "advertise: /cmd_vel is taken in the encoding json only");
        } else if (s->topic_count == GR_SESSION_TOPICS) {
            good = complain(s, "advertise: too many channels");
        } else if (find_topic(s, item->id) < 0) {
            s->topics[s->topic_count++] = item->id;
        }
    }
    return good;
}

static bool unadvertise(GrFoxgloveSession *s, const GrFoxgloveRequest *r)
{
    for (int i = 0; i < r->count; i++) {
        const int at = find_topic(s, r->items[i].id);
        if (at >= 0) {
            s->topics[at] = s->topics[--s->topic_count];
        }
    }
    return true;
}

static bool publish(GrFoxgloveSession *s, const GrFoxgloveRequest *r)
{
    GrMessage message = {.op = GR_MESSAGE_TWIST};
    char text[GR_FOXGLOVE_SIZE + 1];
    const char *why;
    if (find_topic(s, r->id) < 0) {
        return complain(s, "a message on a channel that is not advertised");
    }
    memcpy(text, r->payload, r->payload_size);
    text[r->payload_size] = '\0';
    if (!gr_foxglove_read_twist(text, r->payload_size, &message.twist, &why)) {
        return complain(s, why);
    }
    gr_inbox_post(s->inbox, &message); // one that does not fit is lost: the simulation is busy, and the next one comes
    return true;
}

// ---- requests with an answer

static GrPendingCall *free_call(GrFoxgloveSession *s)
{
    for (int i = 0; i < GR_SESSION_CALLS; i++) {
        if (s->calls[i].ticket == 0) {
            return &s->calls[i];
        }
    }
    return NULL;
}

static uint32_t new_ticket(GrFoxglove *f)
{
    f->tickets += f->tickets == UINT32_MAX ? 2 : 1; // 0 is none
    return f->tickets;
}

static bool fail_call(GrFoxgloveSession *s, const GrFoxgloveRequest *r, const char *text)
{
    GrBuffer out = {0};
    gr_foxglove_put_failure(&out, r->id, r->call, text);
    const bool good = gr_foxglove_session_post(s, &out, false);
    gr_buffer_free(&out);
    return good;
}

static bool call(GrFoxgloveSession *s, const GrFoxgloveRequest *r)
{
    const GrFoxgloveService *service = gr_foxglove_service(r->id);
    GrPendingCall *pending = free_call(s);
    if (service == NULL) {
        return fail_call(s, r, "there is no service with this id");
    }
    if (r->encoding_size != 4 || memcmp(r->encoding, "json", 4) != 0) {
        return fail_call(s, r, "services take the encoding json only");
    }
    const uint32_t ticket = new_ticket(s->foxglove);
    const GrMessage message = {.op = service->op, .release = service->release, .ticket = ticket};
    if (pending == NULL || !gr_inbox_post(s->inbox, &message)) {
        return fail_call(s, r, "too many requests wait for an answer");
    }
    *pending = (GrPendingCall){.ticket = ticket, .is_service = true, .service = r->id, .call = r->call};
    return true;
}

/// Adds "name=value" to a reset; false: too many or too long.
static bool add_set(GrMessage *reset, size_t *used, const GrFoxgloveItem *item)
{
    char number[GR_NUMBER_SIZE] = "";
    if (item->kind == GR_FOXGLOVE_NUMBER) {
        gr_number_format(item->number, number);
    }
    const size_t room = sizeof reset->set - *used;
    const char *value = item->kind == GR_FOXGLOVE_NUMBER ? number : item->text;
    const int length = snprintf(reset->set + *used, room, "%s=%s", item->name, value);
    if (length < 0 || (size_t)length >= room || reset->set_count == GR_MESSAGE_SETS) {
        return false;
    }
    *used += (size_t)length + 1;
    reset->set_count++;
    return true;
}

static bool is_pace(double value)
{
    return value == 0 || (value >= GR_PACE_LEAST && value <= GR_PACE_MOST);
}

/// Splits values to set into a reset of the run and a change of its pace; NULL, or what is wrong.
static const char *sort_values(const GrFoxgloveRequest *r, GrMessage *reset, GrMessage *pace)
{
    size_t used = 0;
    for (int i = 0; i < r->count; i++) {
        const GrFoxgloveItem *item = &r->items[i];
        if (strcmp(item->name, SPEED) == 0) {
            if (item->kind != GR_FOXGLOVE_NUMBER || !is_pace(item->number)) {
                return "speed is 0.1 to 1000, or 0: as fast as possible";
            }
            pace->op = GR_MESSAGE_PACE;
            pace->pace = item->number;
        } else if (!add_set(reset, &used, item)) {
            return "too many values";
        }
    }
    return NULL;
}

static bool set_parameters(GrFoxgloveSession *s, const GrFoxgloveRequest *r)
{
    GrMessage reset = {.op = GR_MESSAGE_RESET}, pace = {0};
    GrPendingCall *pending = free_call(s);
    const char *why = sort_values(r, &reset, &pace);
    if (why == NULL && r->request_id != NULL && strlen(r->request_id) >= GR_FOXGLOVE_NAME_SIZE) {
        why = "the id of a request has at most 63 bytes";
    }
    if (why == NULL && (r->count > GR_SESSION_SETS || pending == NULL)) {
        why = "too many values, or requests that wait for an answer";
    }
    if (why != NULL || r->count == 0) {
        return why == NULL || complain(s, why);
    }
    const bool both = reset.set_count > 0 && pace.op == GR_MESSAGE_PACE;
    const uint32_t ticket = new_ticket(s->foxglove);
    *pending = (GrPendingCall){.ticket = ticket, .has_id = r->request_id != NULL, .name_count = r->count};
    gr_text_copy(pending->id, sizeof pending->id, r->request_id != NULL ? r->request_id : "");
    for (int i = 0; i < r->count; i++) {
        pending->names[i] = gr_foxglove_hash(r->items[i].name);
    }
    (reset.set_count > 0 ? &reset : &pace)->ticket = ticket;
    if ((both && !gr_inbox_post(s->inbox, &pace)) || !gr_inbox_post(s->inbox, reset.set_count > 0 ? &reset : &pace)) {
        pending->ticket = 0;
        return complain(s, "the run is busy: try again");
    }
    return true;
}

static bool get_parameters(GrFoxgloveSession *s, const GrFoxgloveRequest *r)
{
    uint64_t names[GR_FOXGLOVE_ITEMS];
    for (int i = 0; i < r->count; i++) {
        names[i] = gr_foxglove_hash(r->items[i].name);
    }
    return gr_foxglove_session_tell(s, r->count > 0 ? names : NULL, r->count, r->request_id);
}

static bool follow_parameters(GrFoxgloveSession *s, const GrFoxgloveRequest *r)
{
    s->all_parameters = s->all_parameters || r->count == 0;
    for (int i = 0; i < r->count; i++) {
        const uint64_t hash = gr_foxglove_hash(r->items[i].name);
        int k = 0;
        while (k < s->name_count && s->names[k] != hash) {
            k++;
        }
        if (k == GR_FOXGLOVE_PARAMETERS) {
            return complain(s, "subscribeParameterUpdates: too many names");
        }
        s->names[k] = hash;
        s->name_count += k == s->name_count;
    }
    return true;
}

static bool unfollow_parameters(GrFoxgloveSession *s, const GrFoxgloveRequest *r)
{
    if (r->count == 0) {
        s->all_parameters = false;
        s->name_count = 0;
    }
    for (int i = 0; i < r->count; i++) {
        const uint64_t hash = gr_foxglove_hash(r->items[i].name);
        for (int k = 0; k < s->name_count; k++) {
            if (s->names[k] == hash) {
                s->names[k--] = s->names[--s->name_count];
            }
        }
    }
    return true;
}

bool gr_foxglove_session_take(GrFoxgloveSession *s, char *data, size_t size, bool binary)
{
    GrFoxgloveRequest request;
    const char *why = "";
    if (!(binary ? gr_foxglove_read_binary(data, size, &request, &why)
                 : gr_foxglove_read_text(data, size, &request, &why))) {
        return complain(s, why);
    }
    switch (request.op) {
    case GR_FOXGLOVE_SUBSCRIBE:
        return subscribe(s, &request);
    case GR_FOXGLOVE_UNSUBSCRIBE:
        return unsubscribe(s, &request);
    case GR_FOXGLOVE_ADVERTISE:
        return advertise(s, &request);
    case GR_FOXGLOVE_UNADVERTISE:
        return unadvertise(s, &request);
    case GR_FOXGLOVE_GET_PARAMETERS:
        return get_parameters(s, &request);
    case GR_FOXGLOVE_SET_PARAMETERS:
        return set_parameters(s, &request);
    case GR_FOXGLOVE_SUBSCRIBE_PARAMETERS:
        return follow_parameters(s, &request);
    case GR_FOXGLOVE_UNSUBSCRIBE_PARAMETERS:
        return unfollow_parameters(s, &request);
    case GR_FOXGLOVE_PUBLISH:
        return publish(s, &request);
    case GR_FOXGLOVE_CALL:
        return call(s, &request);
    }
    return true;
}
