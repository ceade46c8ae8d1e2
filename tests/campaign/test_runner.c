/// Running campaigns: the same study from any number of threads, interrupted or not; shards left behind are merged.
#include "test.h"

#include "runner.h"
#include "shard.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

static const GrSubjectKind *const SUBJECTS[] = {&gr_subject_scenario, &gr_subject_function, NULL};
static const GrCampaignKinds KINDS = {.subjects = SUBJECTS};

static const char FORMULA[] = "run: {function: {f: \"x^2 + y\", g: \"sqrt(x)\"}}\n"
                              "vary: {x: {from: -1, to: 1}, y: {normal: {mean: 0, deviation: 1}}}\n"
                              "sample: {method: sobol, count: 300}\n";

static const char DRIVES[] = "run: {scenario: gradeability, set: [stop.time_s=1]}\n"
                             "vary: {\"soil:phi\": {from: 20, to: 40}, start.heading_deg: {from: -180, to: 180}}\n"
                             "sample: {method: sobol, count: 12}\n"
                             "measure: {slip: wheels.slip_mean, load: \"max(*.load_N)\", far: \"last(x_m)\"}\n";

typedef struct Stop {
    uint64_t after;
} Stop;

static bool watch(void *context, const GrRunnerProgress *progress)
{
    const Stop *stop = context;
    return progress->done < stop->after;
}

static void make_row(void *context, uint64_t index, GrRow *out)
{
    gr_campaign_row(context, index, out);
}

static void make_reversed(void *context, uint64_t index, GrRow *out)
{
    gr_campaign_row(context, gr_campaign_size(context) - 1 - index, out);
}

typedef struct Way {
    int threads;
    uint64_t stop_after; ///< runs, roughly
    bool reversed;
} Way;

/// Writes the campaign file, and runs it until all is done; returns the number of times it took.
static int run_all(const char *text, const char *path, Way way, GrRunnerProgress *progress)
{
    FILE *file = fopen("c.yaml", "w");
    fputs(text, file);
    fclose(file);
    int times = 0;
    for (bool interrupted = true; interrupted; times++) {
        GrErrorLog log = {0};
        GrCampaign c;
        assert_int_equal(gr_campaign_load("c.yaml", &KINDS, &c, &log), GR_OK);
        GrStudy *study = gr_study_open(path, &c, &log);
        assert_non_null(study);
        Stop stop = {way.stop_after > 0 ? (uint64_t)(times + 1) * way.stop_after : UINT64_MAX};
        const GrRunnerDef def = {
            .campaign = &c, .study = study, .path = path, .threads = way.threads, .context = &stop, .watch = watch};
        GrRunner *runner = gr_runner_open(&def, &log);
        assert_non_null(runner);
        const GrBatch batch = {
            .count = gr_campaign_size(&c), .context = &c, .row = way.reversed ? make_reversed : make_row};
        assert_int_equal(gr_runner_run(runner, &batch, progress, &interrupted, &log), GR_OK);
        assert_int_equal(gr_runner_close(runner, NULL, &log), GR_OK);
        gr_study_close(study);
        gr_campaign_free(&c);
        assert_true(times < 1000);
    }
    return times;
}

static void read_table(const char *path, GrStudyTable *out)
{
    GrErrorLog log = {0};
    GrStudy *study = gr_study_read(path, &log);
    assert_non_null(study);
    assert_int_equal(gr_study_table(study, out, &log), GR_OK);
    gr_study_close(study);
}

static bool same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/// The same runs with the same bits; `reversed` studies have other ids.
static void compare(const char *path_a, const char *path_b, bool reversed)
{
    GrStudyTable a, b;
    read_table(path_a, &a);
    read_table(path_b, &b);
    assert_int_equal(a.row_count, b.row_count);
    assert_int_equal(a.planned, 0);
    assert_int_equal(b.planned, 0);
    const int columns = a.variable_count + a.measure_count;
    for (int i = 0; i < a.row_count; i++) {
        const int j = reversed ? a.row_count - 1 - i : i;
        assert_int_equal(a.ids[i], i + 1); // none is missing, none is there twice
        assert_string_equal(a.outcomes[i], b.outcomes[j]);
        assert_string_equal(a.causes[i], b.causes[j]);
        for (int k = 0; k < columns; k++) {
            assert_true(same_number(a.values[i * columns + k], b.values[j * columns + k]));
        }
    }
    gr_study_table_free(&a);
    gr_study_table_free(&b);
}

static void check_ways(const char *text, uint64_t some)
{
    const Way ways[] = {{2, 0, false}, {4, 0, false}, {1, some, false}, {3, some, false}, {2, 0, true}};
    GrRunnerProgress progress;
    unlink("one.db");
    run_all(text, "one.db", (Way){1, 0, false}, &progress);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        unlink("other.db");
        run_all(text, "other.db", ways[i], &progress);
        assert_true(progress.done == progress.total);
        compare("one.db", "other.db", ways[i].reversed);
    }
}

static void test_formula(void **state)
{
    (void)state;
    GrStudyTable table;
    check_ways(FORMULA, 100);
    read_table("one.db", &table);
    assert_int_equal(table.row_count, 300);
    for (int i = 0; i < 300; i++) { // columns x, y, f, g
        const double *v = &table.values[4 * i];
        assert_near(v[2], v[0] * v[0] + v[1], 1e-14);
        assert_string_equal(table.outcomes[i], v[0] < 0 ? "undefined" : "done"); // a root of a negative number
        assert_true(v[0] < 0 ? isnan(v[3]) : fabs(v[3] - sqrt(v[0])) < 1e-14);
    }
    gr_study_table_free(&table);
}

static void test_drives(void **state)
{
    (void)state;
    check_ways(DRIVES, 4);
}

/// Results in a shard that was never merged: they count, and their runs are not repeated.
static void check_leftover(bool planned)
{
    GrErrorLog log = {0};
    GrCampaign c;
    GrRow row;
    GrRunnerProgress progress;
    unlink("left.db");
    run_all("run: {function: {f: x}}\nvary: {x: [1, 2, 3]}\n", "left.db", (Way){1, 0, false}, &progress);
    unlink("left.db");
    assert_int_equal(gr_campaign_load("c.yaml", &KINDS, &c, &log), GR_OK);
    // the study knows the runs, or not yet, and a result of the second one lies in the shard
    GrStudy *study = gr_study_open("left.db", &c, &log);
    assert_int_equal(gr_study_begin(study, &log), GR_OK);
    for (uint64_t i = 0; i < 3 && planned; i++) {
        gr_campaign_row(&c, i, &row);
        assert_int_equal(gr_study_plan(study, &row, &log), GR_OK);
    }
    assert_int_equal(gr_study_commit(study, &log), GR_OK);
    gr_study_close(study);
    gr_campaign_row(&c, 1, &row);
    GrResult result = {.key = row.key, .outcome = "by hand", .metric_count = 1, .metrics = {42}};
    GrShard *shard = gr_shard_open("left.db.shard", c.identity, &log);
    assert_int_equal(gr_shard_add(shard, &result, &log), GR_OK);
    assert_int_equal(gr_shard_close(shard, &log), GR_OK);
    gr_campaign_free(&c);
    GrStudyTable table;
    run_all("run: {function: {f: x}}\nvary: {x: [1, 2, 3]}\n", "left.db", (Way){1, 0, false}, &progress);
    read_table("left.db", &table);
    assert_int_equal(table.row_count, 3);
    assert_string_equal(table.outcomes[1], "by hand");
    assert_near(table.values[3], 42, 0);
    assert_near(table.values[5], 3, 0);
    assert_int_equal(access("left.db.shard", F_OK), -1);
    gr_study_table_free(&table);
}

static void test_leftover(void **state)
{
    (void)state;
    check_leftover(true);
    check_leftover(false);
}

/// A part of a campaign into its own shard.
static void run_part(const char *path, int part, int parts, uint64_t stop_after)
{
    GrErrorLog log = {0};
    GrCampaign c;
    GrStudy *study;
    GrRunnerProgress progress;
    bool interrupted;
    Stop stop = {stop_after};
    assert_int_equal(gr_campaign_load("c.yaml", &KINDS, &c, &log), GR_OK);
    assert_int_equal(gr_study_peek(path, &c, &study, &log), GR_OK);
    const GrRunnerDef def = {.campaign = &c,
                             .study = study,
                             .path = path,
                             .part = part,
                             .parts = parts,
                             .threads = 2,
                             .context = &stop,
                             .watch = watch};
    GrRunner *runner = gr_runner_open(&def, &log);
    assert_non_null(runner);
    const GrBatch batch = {.count = gr_campaign_size(&c), .context = &c, .row = make_row};
    assert_int_equal(gr_runner_run(runner, &batch, &progress, &interrupted, &log), GR_OK);
    assert_int_equal(gr_runner_close(runner, NULL, &log), GR_OK);
    gr_study_close(study);
    gr_campaign_free(&c);
}

/// Merges the parts that are there; returns the number of results.
static uint64_t merge_parts(const char *path)
{
    GrErrorLog log = {0};
    GrCampaign c;
    uint64_t merged;
    assert_int_equal(gr_campaign_load("c.yaml", &KINDS, &c, &log), GR_OK);
    GrStudy *study = gr_study_open(path, &c, &log);
    assert_non_null(study);
    const GrRunnerDef def = {.campaign = &c, .study = study, .path = path};
    const GrBatch batch = {.count = gr_campaign_size(&c), .context = &c, .row = make_row};
    assert_int_equal(gr_runner_merge(&def, &batch, &merged, &log), GR_OK);
    gr_study_close(study);
    gr_campaign_free(&c);
    return merged;
}

/// Parts that know nothing of each other, one of them interrupted and started again, one merged early, give the study
/// of a single process.
static void test_parts(void **state)
{
    (void)state;
    GrRunnerProgress progress;
    unlink("one.db");
    unlink("parts.db");
    run_all(FORMULA, "one.db", (Way){1, 0, false}, &progress);
    run_part("parts.db", 2, 3, UINT64_MAX);
    const uint64_t early = merge_parts("parts.db");
    assert_true(early > 50 && early < 150); // about a third of 300
    run_part("parts.db", 1, 3, 20);
    run_part("parts.db", 1, 3, UINT64_MAX);
    run_part("parts.db", 2, 3, UINT64_MAX); // all of it is in the study already
    run_part("parts.db", 3, 3, UINT64_MAX);
    assert_true(merge_parts("parts.db") + early == 300);
    assert_true(merge_parts("parts.db") == 0);
    compare("one.db", "parts.db", false);
}

/// SQLite counts commits in bytes 24 to 27 of the file.
static unsigned count_commits(const char *path)
{
    unsigned char head[28] = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    fclose(file);
    return (unsigned)head[24] << 24 | (unsigned)head[25] << 16 | (unsigned)head[26] << 8 | head[27];
}

/// One row of a campaign.
typedef struct One {
    GrCampaign *campaign;
    uint64_t index;
} One;

static void make_one(void *context, uint64_t index, GrRow *out)
{
    const One *one = context;
    gr_campaign_row(one->campaign, one->index + index, out);
}

static GrStatus count_result(void *context, const GrResult *result)
{
    (void)result;
    ++*(int *)context;
    return GR_OK;
}

/// Batches of one run, whose results are wanted at once, as of a serial search. `abrupt`: the process then ends at
/// once.
static void search_serially(const char *path, bool abrupt)
{
    GrErrorLog log = {0};
    GrCampaign c;
    assert_int_equal(gr_campaign_load("c.yaml", &KINDS, &c, &log), GR_OK);
    GrStudy *study = gr_study_open(path, &c, &log);
    const GrRunnerDef def = {.campaign = &c, .study = study, .path = path, .threads = 1};
    GrRunner *runner = gr_runner_open(&def, &log);
    assert_non_null(runner);
    for (uint64_t i = 0; i < gr_campaign_size(&c); i++) {
        GrResult result;
        GrRunnerProgress progress;
        bool interrupted;
        One one = {&c, i};
        const GrBatch batch = {.count = 1, .context = &one, .row = make_one, .results = &result};
        assert_int_equal(gr_runner_run(runner, &batch, &progress, &interrupted, &log), GR_OK);
        assert_near(result.metrics[0], (double)(i * i), 1e-9); // of thousands, rounded
    }
    if (abrupt) {
        _exit(0);
    }
    assert_int_equal(gr_runner_close(runner, NULL, &log), GR_OK);
    gr_study_close(study);
    gr_campaign_free(&c);
}

/// A serial search does not wait for the disk after each run, and yet loses none when its process is gone.
static void test_small_batches(void **state)
{
    (void)state;
    enum { ROWS = 60, MOST_COMMITS = ROWS / 3 };
    GrStudyTable table;
    GrRunnerProgress progress;
    run_all("run: {function: {f: x^2}}\nvary: {x: {from: 0, to: 59, count: 60}}\n", "whole.db", (Way){1, 0, false},
            &progress); // writes c.yaml
    for (int abrupt = 0; abrupt < 2; abrupt++) {
        unlink("serial.db");
        unlink("serial.db.shard");
        if (abrupt == 0) {
            search_serially("serial.db", false);
        } else {
            const pid_t child = fork();
            if (child == 0) {
                search_serially("serial.db", true);
            }
            int how;
            assert_int_equal(waitpid(child, &how, 0), child);
            assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
            GrErrorLog log = {0};
            GrCampaign c;
            int kept = 0;
            assert_int_equal(gr_campaign_load("c.yaml", &KINDS, &c, &log), GR_OK);
            assert_int_equal(gr_shard_read("serial.db.shard", c.identity, count_result, &kept, &log), GR_OK);
            gr_campaign_free(&c);
            read_table("serial.db", &table);
            assert_int_equal(table.row_count + kept, ROWS); // committed, or in the shard
            gr_study_table_free(&table);
            search_serially("serial.db", false);
        }
        print_message("%u commits\n", count_commits("serial.db"));
        assert_true(count_commits("serial.db") < MOST_COMMITS);
        read_table("serial.db", &table);
        assert_int_equal(table.row_count, ROWS);
        gr_study_table_free(&table);
    }
}

/// More samples are added to a study; a changed campaign, another one and a second writer are refused.
static void test_identity(void **state)
{
    (void)state;
    GrRunnerProgress progress;
    GrErrorLog log = {0};
    GrCampaign c;
    unlink("id.db");
    run_all("name: a\nrun: {function: {f: x}}\nvary: {x: {from: 0, to: 1}}\nsample: {method: sobol, count: 5}\n",
            "id.db", (Way){1, 0, false}, &progress);
    run_all("name: a\nrun: {function: {f: x}}\nvary: {x: {from: 0, to: 1}}\nsample: {method: sobol, count: 9}\n",
            "id.db", (Way){1, 0, false}, &progress);
    GrStudyTable table;
    read_table("id.db", &table);
    assert_int_equal(table.row_count, 9);
    gr_study_table_free(&table);
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"name: b\nrun: {function: {f: x}}\nvary: {x: [1]}\n", "the campaign 'a', not of 'b'"},
        {"name: a\nrun: {function: {f: x + 1}}\nvary: {x: [1]}\n", "has changed since this study was made"},
        {"name: a\nrun: {function: {f: x}}\nvary: {x: [1], y: [2]}\n", "has changed since this study was made"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        log = (GrErrorLog){0};
        assert_int_equal(gr_campaign_parse(rows[i].text, "c.yaml", &KINDS, &c, &log), GR_OK);
        assert_null(gr_study_open("id.db", &c, &log));
        assert_non_null(strstr(log.items[0].text, rows[i].message));
        gr_campaign_free(&c);
    }
    FILE *file = fopen("no.db", "w");
    fputs("this is a text, not a database, and it is long enough to be taken for one by its size alone", file);
    fclose(file);
    log = (GrErrorLog){0};
    assert_null(gr_study_read("no.db", &log));
    assert_int_equal(log.error_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formula), cmocka_unit_test(test_drives),   cmocka_unit_test(test_leftover),
        cmocka_unit_test(test_parts),   cmocka_unit_test(test_identity), cmocka_unit_test(test_small_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
