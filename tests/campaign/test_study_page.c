/// Pages of studies: their numbers are those of the runs, texts are escaped, and the size stays small.
#include "test.h"

#include "alloc.h"
#include "file.h"
#include "runner.h"
#include "study_page.h"

#include <unistd.h>

static const GrSubjectKind *const SUBJECTS[] = {&gr_subject_function, NULL};
static const GrCampaignKinds KINDS = {.subjects = SUBJECTS};

static void make_row(void *context, uint64_t index, GrRow *out)
{
    gr_campaign_row(context, index, out);
}

/// Runs a campaign into a new study, or only opens the study.
static void make_study(const char *text, bool run)
{
    FILE *file = fopen("c.yaml", "w");
    fputs(text, file);
    fclose(file);
    unlink("c.db");
    GrErrorLog log = {0};
    GrCampaign c;
    assert_int_equal(gr_campaign_load("c.yaml", &KINDS, &c, &log), GR_OK);
    GrStudy *study = gr_study_open("c.db", &c, &log);
    assert_non_null(study);
    if (run) {
        GrRunner *runner = gr_runner_open(&(GrRunnerDef){.campaign = &c, .study = study, .threads = 1}, &log);
        assert_non_null(runner);
        const GrBatch batch = {.count = gr_campaign_size(&c), .context = &c, .row = make_row};
        GrRunnerProgress progress;
        bool interrupted;
        assert_int_equal(gr_runner_run(runner, &batch, &progress, &interrupted, &log), GR_OK);
        assert_int_equal(gr_runner_close(runner, NULL, &log), GR_OK);
    }
    gr_study_close(study);
    gr_campaign_free(&c);
}

/// The page of c.db, to be freed.
static char *make_page(bool running, size_t *size)
{
    GrErrorLog log = {0};
    char *page = NULL;
    size_t length;
    assert_int_equal(gr_study_page_write("c.db", running, (GrStudySections){0}, "c.html", &log), GR_OK);
    assert_int_equal(gr_file_read("c.html", 100 << 20, &page, &length, &log), GR_OK);
    if (size != NULL) {
        *size = length;
    }
    return page;
}

static void assert_part(const char *page, const char *part)
{
    if (strstr(page, part) == NULL) {
        fail_msg("'%s' is not on the page", part);
    }
}

static int count_of(const char *page, const char *part)
{
    int count = 0;
    for (const char *at = strstr(page, part); at != NULL; at = strstr(at + 1, part)) {
        count++;
    }
    return count;
}

/// x = 1 … 10, f = x²: mean 38.5, median (25 + 36)/2, ranks as those of x; g falls: its rank correlation is −1.
static void known_numbers(void **state)
{
    (void)state;
    make_study("title: Squares\nrun: {function: {f: x^2, g: 1/x}}\nvary: {x: {from: 1, to: 10, step: 1}}\n", true);
    char *page = make_page(false, NULL);
    assert_part(page, "<h1>Squares</h1>");
    assert_part(page, "10 runs: mean 38.5 ± ");
    assert_part(page, "median 30.5");
    assert_part(page, "x: 1.00</title>");
    assert_part(page, "x: −1.00</title>");
    assert_part(page, "<title>run 7: 7, 49</title>");
    assert_part(page, "<b>100 %</b>");
    assert_part(page, "95 % interval: 72.2 to 100 %"); // Wilson: n/(n + z²) = 10/13.84
    assert_part(page, "<td>least f</td><td class=\"n\">1</td><td class=\"n\">1</td><td>x 1</td>");
    assert_part(page, "<td>most f</td><td class=\"n\">100</td><td class=\"n\">10</td><td>x 10</td>");
    assert_null(strstr(page, "http-equiv=\"refresh\""));
    assert_null(strstr(page, "run --from")); // a formula is no scenario
    gr_free(page);
}

/// Bins of one value each explain everything; a variable that plays no part explains nothing, but for chance.
static void explained_share(void **state)
{
    (void)state;
    make_study("run: {function: {f: x^2}}\nvary: {x: {from: -2, to: 2, step: 1}, y: {from: 1, to: 40, step: 1}}\n",
               true);
    char *page = make_page(false, NULL);
    assert_part(page, "Alone it explains 100 % of the variance.");
    assert_part(page, "Alone it explains 0 % of the variance.");
    assert_part(page, "x: 0.00</title>"); // by symmetry, although x determines f
    gr_free(page);
}

/// A measure of zeros and ones is a share: f = 1 where x > 4 of 1 … 10 is 6 of 10, Wilson's interval by hand.
static void shares(void **state)
{
    (void)state;
    make_study("run: {function: {f: \"x > 4 ? 1 : 0\"}}\nvary: {x: {from: 1, to: 10, step: 1}}\n", true);
    char *page = make_page(false, NULL);
    const double z = 1.959963984540054, n = 10, p = 0.6, middle = (p + z * z / (2 * n)) / (1 + z * z / n),
                 half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    char text[120];
    snprintf(text, sizeof text, "60 %% of 10 runs (95 %% interval, Wilson: %.3g to %.3g %%).", 100 * (middle - half),
             100 * (middle + half));
    assert_part(page, text);
    assert_part(page, "Line: share of the runs; band: its 95 % interval.");
    assert_null(strstr(page, ">runs</text>")); // no histogram of zeros and ones
    gr_free(page);
    // all runs end without failure and some miss the limit: the first card has the answer, none has 100 %
    make_study(
        "run: {function: {f: x}}\nvary: {x: {from: 1, to: 10, step: 1}}\nquestion: {share: f < 6.5, at_least: 0.9}\n",
        true);
    page = make_page(false, NULL);
    assert_part(page, "<b>no</b>");
    assert_part(page, "<b>60 %</b>");
    assert_null(strstr(page, "<b>100 %</b>"));
    assert_part(page, "What decides it");
    gr_free(page);
}

/// The share between bins of x of x + y, both uniform on (0, 1), is 1/2 less what is within a bin: 1/2 (1 − 1/bins²).
static void half_explained(void **state)
{
    (void)state;
    make_study("run: {function: {f: x + y}}\nvary: {x: {from: 0, to: 1}, y: {from: 0, to: 1}}\n"
               "sample: {method: sobol, count: 4096}\n",
               true);
    GrErrorLog log = {0};
    GrStudyTable table;
    GrStudySummary summary;
    GrStudyView view;
    GrStudyBins bins;
    GrStudy *study = gr_study_read("c.db", &log);
    assert_int_equal(gr_study_table(study, &table, &log), GR_OK);
    assert_int_equal(gr_study_summarise(&table, &summary, &log), GR_OK);
    assert_int_equal(gr_study_view_begin(&view, &table, &summary, 100, &log), GR_OK);
    gr_study_bin(&view, 0, 0, &bins);
    assert_int_equal(bins.count, GR_STUDY_BINS); // sqrt(4096)/2 = 32 > 24
    assert_int_equal(bins.runs, 4096);
    assert_near(bins.share, 0.5 * (1 - 1.0 / GR_STUDY_BINS / GR_STUDY_BINS), 0.005);
    for (int i = 0; i < bins.count; i++) { // f = x + uniform: its median is x + 1/2, 5 % and 95 % 0.45 away
        assert_near(bins.items[i].middle, bins.items[i].x + 0.5, 0.03);
        assert_near(bins.items[i].high - bins.items[i].low, 0.9, 0.03);
    }
    int shown = 0;
    for (int i = 0; i < table.row_count; i++) {
        shown += view.shown[i];
    }
    assert_int_equal(shown, 100);
    gr_study_view_end(&view);
    gr_study_summary_free(&summary);
    gr_study_table_free(&table);
    gr_study_close(study);
}

/// Titles and names are data and never markup; also in commands for a shell.
static void malicious_texts(void **state)
{
    (void)state;
    make_study("title: \"<script>alert(1)</script> & <b>\"\nrun: {function: {f: x}}\n"
               "vary: {x: [1, 2, 3], name: [\"<img src=x onerror=alert(2)>\", \"a'b\\\"c\"]}\n",
               true);
    char *page = make_page(false, NULL);
    assert_null(strstr(page, "<script>alert"));
    assert_null(strstr(page, "<img"));
    assert_part(page, "<h1>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;</h1>");
    assert_null(strstr(page, "src=\"http"));
    assert_null(strstr(page, "href="));
    gr_free(page);
    GrBuffer command = {0};
    gr_study_page_command("it's; rm.db", 3, &command);
    assert_string_equal(command.data, "grouser run --from 'it'\\''s; rm.db':3");
    gr_buffer_free(&command);
    gr_study_page_command("out/slope.db", 17, &command);
    assert_string_equal(command.data, "grouser run --from out/slope.db:17");
    gr_buffer_free(&command);
}

static void empty_study(void **state)
{
    (void)state;
    make_study("run: {function: {f: x}}\nvary: {x: [1, 2]}\n", false);
    char *page = make_page(true, NULL);
    assert_part(page, "No run has finished yet.");
    assert_part(page, "http-equiv=\"refresh\"");
    assert_null(strstr(page, "nan"));
    gr_free(page);
}

static void one_run(void **state)
{
    (void)state;
    make_study("run: {function: {f: 3*x}}\nvary: {x: [2]}\n", true);
    char *page = make_page(false, NULL);
    assert_part(page, "One run: 6.");
    assert_int_equal(count_of(page, "<td>least f</td>"), 1);
    assert_null(strstr(page, "nan"));
    gr_free(page);
}

static void all_failed(void **state)
{
    (void)state;
    make_study("run: {function: {f: sqrt(x)}}\nvary: {x: {from: -30, to: -1, step: 1}}\n", true);
    char *page = make_page(false, NULL);
    assert_part(page, "No run has a value of this measure.");
    assert_part(page, "<b>0 %</b>");
    assert_part(page, "The first 20 of 30.");
    assert_int_equal(count_of(page, "<td>undefined</td>"), 1 + 20); // of the outcomes, and of the failed runs
    assert_null(strstr(page, ">nan<"));
    gr_free(page);
}

/// 20,000 runs with places: at most 1500 points a figure, and the page says so.
static void many_runs(void **state)
{
    (void)state;
    make_study("run: {function: {f: x_m + a, g: x_m*y_m, h: sin(b)}}\n"
               "vary: {x_m: {from: 0, to: 1}, y_m: {from: 0, to: 1}, a: {from: 0, to: 1}, b: {from: 0, to: 1}}\n"
               "sample: {method: sobol, count: 20000}\n",
               true);
    size_t size;
    char *page = make_page(false, &size);
    assert_true(size < 3u << 20);
    assert_part(page, " of 20000 runs as points");
    assert_part(page, "over the place");
    assert_part(page, "Measures against each other");
    size_t again;
    char *same = make_page(false, &again);
    assert_int_equal(size, again);
    assert_memory_equal(page, same, size);
    gr_free(page);
    gr_free(same);
    make_study("run: {function: {f: x}}\nvary: {x: {from: 0, to: 1}}\nsample: {method: sobol, count: 3000}\n", true);
    page = make_page(false, NULL);
    assert_int_equal(count_of(page, "<circle"), GR_STUDY_POINTS);
    gr_free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers),  cmocka_unit_test(explained_share), cmocka_unit_test(shares),
        cmocka_unit_test(half_explained), cmocka_unit_test(malicious_texts), cmocka_unit_test(empty_study),
        cmocka_unit_test(one_run),        cmocka_unit_test(all_failed),      cmocka_unit_test(many_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
