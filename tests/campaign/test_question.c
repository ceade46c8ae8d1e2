/// The question of a campaign and its answer: shares that are known, verdicts on both sides of the interval, runs that
/// halve it, what decides it, and labels in words.
#include "test.h"

#include "alloc.h"
#include "runner.h"
#include "study_view.h"

#include <string.h>
#include <unistd.h>

static const GrSubjectKind *const SUBJECTS[] = {&gr_subject_function, NULL};
static const GrCampaignKinds KINDS = {.subjects = SUBJECTS};

static void make_row(void *context, uint64_t index, GrRow *out)
{
    gr_campaign_row(context, index, out);
}

/// Runs a campaign into a new study, and answers it.
static GrStudyAnswer answer(const char *text)
{
    FILE *file = fopen("q.yaml", "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    unlink("q.db");
    GrErrorLog log = {0};
    GrCampaign c;
    assert_int_equal(gr_campaign_load("q.yaml", &KINDS, &c, &log), GR_OK);
    GrStudy *study = gr_study_open("q.db", &c, &log);
    assert_non_null(study);
    GrRunner *runner = gr_runner_open(&(GrRunnerDef){.campaign = &c, .study = study, .threads = 1}, &log);
    assert_non_null(runner);
    const GrBatch batch = {.count = gr_campaign_size(&c), .context = &c, .row = make_row};
    GrRunnerProgress progress;
    bool interrupted;
    assert_int_equal(gr_runner_run(runner, &batch, &progress, &interrupted, &log), GR_OK);
    assert_int_equal(gr_runner_close(runner, NULL, &log), GR_OK);
    GrStudyTable table;
    GrStudySummary summary;
    GrStudyAnswer out;
    assert_int_equal(gr_study_table(study, &table, &log), GR_OK);
    assert_int_equal(gr_study_summarise(&table, &summary, &log), GR_OK);
    gr_study_answer(&table, &summary, &out);
    gr_study_summary_free(&summary);
    gr_study_table_free(&table);
    gr_study_close(study);
    gr_campaign_free(&c);
    return out;
}

#define RUN "run: {function: {f: x, g: y}}\nvary: {x: {from: 0, to: 1}, y: {from: 0, to: 1}}\nmeasure: {f: f, g: g}\n"

/// Sobol' points: of 256, a quarter is below 0.25, exactly.
static void test_share(void **state)
{
    (void)state;
    GrStudyAnswer a = answer(RUN "sample: {method: sobol, count: 256}\nquestion: {share: f < 0.25}\n");
    const GrEstimate e = gr_proportion(64, 256);
    assert_int_equal(a.within, 64);
    assert_near(a.share.value, 0.25, 0);
    assert_near(a.share.low, e.low, 0);
    assert_near(a.share.high, e.high, 0);
    assert_string_equal(a.word, "share");
    const GrEstimate halved = gr_proportion((256 + a.more) / 4, 256 + a.more);
    assert_near((halved.high - halved.low) / (e.high - e.low), 0.5, 0.01);
    assert_non_null(strstr(a.text, "f < 0.25 in 25 % of 256 runs (95 % interval, Wilson: "));
    assert_non_null(strstr(a.drivers, "f < 0.25 depends most, by rank correlation, on x ("));
    assert_null(strstr(a.drivers, "y ("));
    a = answer(RUN "sample: {method: sobol, count: 256}\nquestion: {share: [f < 0.5, g >= 0.5]}\n");
    assert_int_equal(a.within, 64);
}

static void test_verdicts(void **state)
{
    (void)state;
    assert_string_equal(
        answer(RUN "sample: {method: sobol, count: 256}\nquestion: {share: f < 0.5, at_least: 0.4}\n").word, "yes");
    assert_string_equal(
        answer(RUN "sample: {method: sobol, count: 256}\nquestion: {share: f < 0.5, at_least: 0.6}\n").word, "no");
    assert_string_equal(
        answer(RUN "sample: {method: sobol, count: 256}\nquestion: {share: f < 0.5, at_least: 0.49}\n").word, "open");
    assert_string_equal(
        answer(RUN "sample: {method: sobol, count: 256}\nquestion: {share: f < 0.5, at_most: 0.4}\n").word, "no");
    // all runs: nothing decides the share, so that the measure behind it is shown
    const GrStudyAnswer all = answer(RUN "sample: {method: sobol, count: 64}\nquestion: {share: f < 2}\n");
    assert_int_equal(all.within, 64);
    assert_non_null(strstr(all.drivers, "f depends most"));
}

/// A grid is no sample; without a question the first measure answers.
static void test_others(void **state)
{
    (void)state;
    GrStudyAnswer a = answer("run: {function: {f: x}}\nvary: {x: [1, 2, 3, 4]}\nmeasure: {f: f}\n"
                             "question: {share: f < 2.5, at_least: 0.5}\n");
    assert_true(isnan(a.share.low));
    assert_string_equal(a.word, "yes");
    assert_string_equal(a.text, "yes: f < 2.5 in 50 % of 4 combinations; at least 50 % is asked for");
    a = answer(RUN "sample: {method: sobol, count: 64}\n");
    assert_string_equal(a.word, "none");
    assert_int_equal(strncmp(a.text, "f: median 0.", 12), 0);
}

static void test_labels(void **state)
{
    (void)state;
    static const char *const labels[][2] = {
        {"rover:params.wheel_radius", "wheel radius [m]"},
        {"gravity.tilt_deg", "slope [°]"},
        {"start.x_m", "start x [m]"},
        {"torque_Nm", "torque [N m]"},
        {"area_m2", "area [m²]"},
        {"slip", "slip"},
        {"f < 0.25", "f < 0.25"},
        {"radius", "radius [m]"},
    };
    char text[GR_LABEL_SIZE];
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        assert_string_equal(gr_label_of(labels[i][0], text), labels[i][1]);
    }
    assert_non_null(strstr(gr_label_of("soil:phi", text), "[°]"));
    assert_string_equal(gr_label_value("rover:params.wheel_radius", 0.22719, "", text, sizeof text),
                        "wheel radius = 0.2272 m");
    assert_string_equal(gr_label_value("soil", (double)NAN, "mars_sand", text, sizeof text), "soil = mars_sand");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_share), cmocka_unit_test(test_verdicts),
                                       cmocka_unit_test(test_others), cmocka_unit_test(test_labels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
