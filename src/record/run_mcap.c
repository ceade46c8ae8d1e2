#include "run_mcap.h"

#include "alloc.h"
#include "mcap.h"
#include "out_of_memory.h"
#include "run_topics.h"

struct GrRunMcap {
    GrMcap *mcap;
    GrRunTopics *topics;
};

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

static void put_metadata(GrMcap *mcap, const GrRecordDef *def)
{
    const GrMcapText texts[] = {{"name", text_of(def->name)},
                                {"title", text_of(def->title)},
                                {"rover", gr_model_name(def->model)},
                                {"input", text_of(def->input)}};
    gr_mcap_metadata(mcap, "grouser", texts, sizeof texts / sizeof texts[0]);
}

GrRunMcap *gr_run_mcap_open(const char *path, const GrRecordDef *def, double now, GrErrorLog *log)
{
    GrRunMcap *run = gr_calloc(1, sizeof *run);
    if (run == NULL) {
        gr_out_of_memory(log, path);
        return NULL;
    }
    run->mcap = gr_mcap_open(path, now, log);
    if (run->mcap != NULL) {
        put_metadata(run->mcap, def);
        run->topics = gr_run_topics_create(&(GrRunTopicsDef){.record = *def, .sink = gr_mcap_sink(run->mcap)}, log);
    }
    if (run->topics == NULL) {
        gr_mcap_close(run->mcap, NULL);
        gr_free(run);
        return NULL;
    }
    return run;
}

bool gr_run_mcap_needs_ground(const GrRunMcap *run, const GrSample *sample)
{
    return gr_run_topics_needs_ground(run->topics, sample);
}

GrStatus gr_run_mcap_add(GrRunMcap *run, const GrSample *sample, double now, GrErrorLog *log)
{
    gr_run_topics_add(run->topics, sample);
    return gr_mcap_tick(run->mcap, now, log);
}

GrTopicSink gr_run_mcap_sink(GrRunMcap *run)
{
    return gr_mcap_sink(run->mcap);
}

GrStatus gr_run_mcap_tick(GrRunMcap *run, double now, GrErrorLog *log)
{
    return gr_mcap_tick(run->mcap, now, log);
}

GrStatus gr_run_mcap_close(GrRunMcap *run, GrErrorLog *log)
{
    if (run == NULL) {
        return GR_OK;
    }
    gr_run_topics_finish(run->topics);
    const GrStatus status = gr_mcap_close(run->mcap, log);
    gr_run_topics_free(run->topics);
    gr_free(run);
    return status;
}
