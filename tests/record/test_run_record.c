/// A whole recording: every file matches the samples, existing folders are protected, and the files of a long run stay
/// small.
#include "grouser/record.h"

#include "csv.h"
#include "file.h"
#include "json_check.h"
#include "plots_script.h"
#include "run_csv.h"
#include "run_files.h"
#include "run_history.h"
#include "run_summary.h"
#include "support/mcap_parse.h"
#include "support/sample_run.h"
#include "test.h"
#include "xml_check.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/grouser_test_record_XXXXXX";
static const char ROVER[] = GR_TEST_SOURCE_DIR "/data/rovers/exomars_like.yaml";
static GrSampleRun run;
static GrErrorLog no_errors;

static char *in_folder(const char *name)
{
    static char out[256];
    snprintf(out, sizeof out, "%s/%s", folder, name);
    return out;
}

static char *contents(const char *name, size_t *size)
{
    static char *data; // static, as gcc 12 warns of pointers to an automatic one, which are none
    size_t length;
    assert_int_equal(gr_file_read(in_folder(name), 1 << 28, &data, &length, NULL), GR_OK);
    if (size != NULL) {
        *size = length;
    }
    return data;
}

/// Numbers that are none must not get into a page; the letters may stand inside a picture.
static void assert_no_nan(const char *page)
{
    for (const char *at = page; (at = strstr(at, "nan")) != NULL; at++) {
        assert_null(strchr(">\" ,-", at[-1]));
    }
}

static void make(void)
{
    assert_true(gr_sample_run_make(&run, ROVER, folder));
}

static double cell(const GrCsv *csv, int row, const char *name)
{
    const int column = gr_csv_find(csv, name);
    if (column < 0) {
        print_error("no column %s\n", name);
        fail();
    }
    return strtod(gr_csv_cell(csv, row, column), NULL);
}

static void check_row(const GrCsv *csv, int row, const GrSample *s)
{
    const double digits = 1e-8, deg = 57.295779513082321;
    char name[128];
    assert_near_rel(cell(csv, row, "time_s"), s->time, digits);
    assert_near_rel(cell(csv, row, "x_m"), s->pose.position.x, digits);
    assert_near_rel(cell(csv, row, "pitch_deg"), deg * s->pitch, digits);
    assert_near_rel(cell(csv, row, "energy.soil_J"), s->energy.soil, digits);
    for (int i = 0; i < gr_model_wheel_count(run.model); i++) {
        const char *wheel = gr_model_wheel_name(run.model, i);
        snprintf(name, sizeof name, "%s.torque_Nm", wheel);
        assert_near_rel(cell(csv, row, name), s->wheels[i].torque, digits);
        snprintf(name, sizeof name, "%s.slip_angle_deg", wheel);
        assert_near_rel(cell(csv, row, name), deg * s->wheels[i].slip_angle, digits);
        snprintf(name, sizeof name, "%s.state", wheel);
        assert_string_equal(gr_csv_cell(csv, row, gr_csv_find(csv, name)), gr_wheel_state_text(s->wheels[i].state));
        snprintf(name, sizeof name, "%s.soil", wheel);
        assert_string_equal(gr_csv_cell(csv, row, gr_csv_find(csv, name)),
                            s->wheels[i].soil < 0 ? "" : run.def.soil_names[s->wheels[i].soil]);
    }
    for (int i = 0; i < gr_model_joint_count(run.model); i++) {
        snprintf(name, sizeof name, "joint.%s.rate_deg_per_s", gr_model_joint_name(run.model, i));
        assert_near(cell(csv, row, name), deg * s->joints[i].rate, 1e-8 * fabs(deg * s->joints[i].rate));
    }
}

/// Pictures are in red, green and blue: byte 25 of a PNG file, digits 33 and 34 of its text.
static void check_pictures(const char *page)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int count = 0;
    for (const char *at = page; (at = strstr(at, "png;base64,")) != NULL; count++) {
        at += strlen("png;base64,");
        const long high = strchr(DIGITS, at[33]) - DIGITS, low = strchr(DIGITS, at[34]) - DIGITS;
        assert_int_equal((high & 15) << 4 | low >> 2, 2);
    }
    assert_true(count > 0);
}

/// The only script is the one of the plots.
static void assert_script_is_ours(const char *page)
{
    const char *script = strstr(page, "<script");
    assert_non_null(script);
    assert_memory_equal(script, "<script>", 8);
    assert_memory_equal(script + 8, gr_plots_script, gr_plots_script_size);
    assert_null(strstr(script + 1, "<script"));
}

static void test_files_say_what_samples_said(void **state)
{
    (void)state;
    make();
    GrRecord *record = NULL;
    assert_int_equal(gr_record_open(&run.def, &record, &no_errors), GR_OK);
    char *text = contents("summary.json", NULL);
    assert_non_null(strstr(text, "\"outcome\": \"running\""));
    assert_non_null(strstr(text, "\"state_hash\": null"));
    free(text);
    int count = 0;
    for (; count < 120 && gr_sample_run_next(&run); count++) {
        assert_int_equal(gr_record_add(record, &run.sample, &no_errors), GR_OK);
    }
    GrRunSummary summary = gr_sample_run_summary(&run, GR_OUTCOME_STUCK);
    assert_int_equal(gr_record_close(record, &summary, &no_errors), GR_OK);
    assert_int_equal(no_errors.error_count, 0);

    GrCsv csv;
    assert_int_equal(gr_csv_load(in_folder("run.csv"), &csv, &no_errors), GR_OK);
    assert_int_equal(csv.row_count, count);
    check_row(&csv, count - 1, &run.sample);
    gr_csv_free(&csv);

    size_t size;
    char *data = contents("run.mcap", &size);
    const McapContent c = mcap_content(data, size);
    const int topics = 3 + gr_model_wheel_count(run.model); // each sample: body, energy, joints, wheels
    assert_false(c.broken);
    const int frames = (count + 1) / 2, once = 7; // once: rover, rocks, path, ground twice, track at both ends
    assert_int_equal(c.messages, count * topics + frames + once);
    assert_true(c.last_time == (uint64_t)llround(1e9 * run.sample.time));
    free(data);

    text = contents("summary.json", NULL);
    assert_true(gr_json_valid(text));
    char hash[64];
    snprintf(hash, sizeof hash, "\"state_hash\": \"%016llx\"", (unsigned long long)summary.state_hash);
    assert_non_null(strstr(text, hash));
    assert_non_null(strstr(text, "\"outcome\": \"stuck\""));
    assert_non_null(strstr(text, "\"first_s\": 3.25"));
    free(text);

    text = contents("report.html", &size);
    assert_true(gr_xml_valid(text));
    assert_non_null(strstr(text, "# &lt;exact &amp; unescaped&gt;")); // the exact input
    assert_null(strstr(text, "src="));                                // nothing is fetched
    assert_script_is_ours(text);
    for (const char *at = text; (at = strstr(at, "href=")) != NULL; at++) {
        assert_true(strncmp(at, "href=\"data:", 11) == 0 || strncmp(at, "href=\"#", 7) == 0);
    }
    assert_no_nan(text);
    check_pictures(text);
    free(text);
    assert_false(gr_file_exists(in_folder("report.html.png")));
    gr_run_summary_free(&summary);
    gr_sample_run_free(&run);
}

/// With a page of a replay the finished report links to it, and has the time at every distance for its plots; an older
/// page is removed when the run starts.
static void test_replay_link(void **state)
{
    (void)state;
    for (int finished = 0; finished < 2; finished++) {
        assert_int_equal(gr_file_write(in_folder("replay.html"), "old", 3, NULL), GR_OK);
        make();
        run.def.replay_page = "replay.html";
        GrRecord *record = NULL;
        assert_int_equal(gr_record_open(&run.def, &record, &no_errors), GR_OK);
        assert_false(gr_file_exists(in_folder("replay.html")));
        assert_true(gr_sample_run_next(&run));
        run.sample.time = 2;
        run.sample.distance = 0.5;
        assert_int_equal(gr_record_add(record, &run.sample, &no_errors), GR_OK);
        GrRunSummary summary = gr_sample_run_summary(&run, GR_OUTCOME_GOAL);
        assert_int_equal(gr_record_close(record, finished ? &summary : NULL, &no_errors), GR_OK);
        char *text = contents("report.html", NULL);
        assert_true(gr_xml_valid(text));
        assert_int_equal(strstr(text, "<a href=\"replay.html\">") != NULL, finished);
        const char *times = strstr(text, "<script type=\"application/json\" id=\"replay\">");
        assert_int_equal(times != NULL, finished);
        if (finished) {
            assert_non_null(strstr(times, "{\"page\":\"replay.html\",\"times\":[[0.5,2],[0.5,2]]}</script>"));
        }
        free(text);
        gr_run_summary_free(&summary);
        gr_sample_run_free(&run);
    }
}

/// The printed summary is the file's.
static void test_summary_is_printed_alike(void **state)
{
    (void)state;
    make();
    while (run.sample.time < 1 && gr_sample_run_next(&run)) {
    }
    GrRunSummary summary = gr_sample_run_summary(&run, GR_OUTCOME_GOAL);
    summary.energy_per_metre = (double)NAN;
    const GrRunHead head = {.name = "a \"name\"", .model = run.model};
    GrBuffer text = {0};
    assert_int_equal(gr_run_summary_format(&head, &summary, &text), GR_OK);
    assert_true(gr_json_valid(text.data));
    assert_non_null(strstr(text.data, "\"energy_per_metre_J_per_m\": null"));
    FILE *file = fopen(in_folder("printed.json"), "w");
    assert_non_null(file);
    assert_int_equal(gr_run_summary_print(&head, &summary, file), GR_OK);
    fclose(file);
    char *printed = contents("printed.json", NULL);
    assert_string_equal(printed, text.data);
    unlink(in_folder("printed.json"));
    free(printed);
    gr_buffer_free(&text);
    gr_run_summary_free(&summary);
    gr_sample_run_free(&run);
}

static void test_folders(void **state)
{
    (void)state;
    static GrErrorLog log;
    make();
    char other[300];
    snprintf(other, sizeof other, "%s/other", folder);
    run.def.directory = other;
    assert_int_equal(gr_folder_make(other, NULL), GR_OK);
    assert_int_equal(gr_file_write(in_folder("other/thesis.txt"), "precious", 8, NULL), GR_OK);
    assert_int_not_equal(gr_record_open(&run.def, &(GrRecord *){NULL}, &log), GR_OK);
    assert_int_equal(log.error_count, 1);
    assert_non_null(strstr(log.items[0].text, "thesis.txt"));
    assert_false(gr_file_exists(in_folder("other/run.csv")));
    assert_true(gr_file_exists(in_folder("other/thesis.txt")));
    // A summary.json of another program does not make it the folder of a run.
    assert_int_equal(gr_file_write(in_folder("other/summary.json"), "{\"total\": 3}", 12, NULL), GR_OK);
    assert_int_not_equal(gr_record_open(&run.def, &(GrRecord *){NULL}, &log), GR_OK);
    assert_int_equal(log.error_count, 2);
    assert_true(gr_file_exists(in_folder("other/summary.json")));
    unlink(in_folder("other/summary.json"));
    unlink(in_folder("other/thesis.txt"));

    // An empty folder is taken, and one with a run is replaced: what the new run does not write is gone.
    for (int k = 0; k < 2; k++) {
        run.def.mcap = run.def.report = k == 0;
        GrRecord *record = NULL;
        assert_int_equal(gr_record_open(&run.def, &record, &log), GR_OK);
        assert_int_equal(gr_record_close(record, NULL, &log), GR_OK);
        assert_int_equal(gr_file_exists(in_folder("other/run.mcap")), k == 0);
        assert_int_equal(gr_file_exists(in_folder("other/report.html")), k == 0);
    }
    // A file where a folder should be.
    run.def.directory = in_folder("other/run.csv");
    char file[300];
    snprintf(file, sizeof file, "%s", run.def.directory);
    run.def.directory = file;
    assert_int_not_equal(gr_record_open(&run.def, &(GrRecord *){NULL}, &log), GR_OK);
    assert_int_equal(log.error_count, 3);
    unlink(in_folder("other/run.csv"));
    unlink(in_folder("other/summary.json"));
    rmdir(other);
    gr_sample_run_free(&run);
}

/// Two recordings into one folder would mix their files: the second is refused and changes nothing.
static void test_folder_is_locked(void **state)
{
    (void)state;
    static GrErrorLog log;
    make();
    run.def.mcap = run.def.report = run.def.replay = false;
    GrRecord *first = NULL;
    assert_int_equal(gr_record_open(&run.def, &first, &log), GR_OK);
    assert_int_not_equal(gr_record_open(&run.def, &(GrRecord *){NULL}, &log), GR_OK);
    assert_int_equal(log.error_count, 1);
    assert_int_equal(log.items[0].status, GR_ERROR_BUSY);
    assert_non_null(strstr(log.items[0].text, "another run writes into this folder"));
    assert_true(gr_file_exists(in_folder("run.csv")));
    assert_int_equal(gr_record_close(first, NULL, &log), GR_OK);
    GrRecord *second = NULL;
    assert_int_equal(gr_record_open(&run.def, &second, &log), GR_OK);
    // Files that follow a recording are written under its lock.
    const int lock = gr_record_take_lock(second);
    assert_int_equal(gr_record_close(second, NULL, &log), GR_OK);
    assert_int_not_equal(gr_record_open(&run.def, &(GrRecord *){NULL}, NULL), GR_OK);
    gr_folder_unlock(lock);
    GrRecord *record = NULL;
    assert_int_equal(gr_record_open(&run.def, &record, NULL), GR_OK);
    assert_int_equal(gr_record_close(record, NULL, NULL), GR_OK);
    unlink(in_folder("run.csv"));
    unlink(in_folder("summary.json"));
    gr_sample_run_free(&run);
}

/// 100,000 samples, one drive repeated for 83 minutes, with missing numbers and a single peak.
static void test_long_run(void **state)
{
    (void)state;
    make();
    run.def.csv = run.def.mcap = false;
    while (run.sample.time < 1 && gr_sample_run_next(&run)) {
    }
    GrRecord *record = NULL;
    assert_int_equal(gr_record_open(&run.def, &record, &no_errors), GR_OK);
    for (int i = 0; i < 100000; i++) {
        GrSample *s = &run.sample;
        s->time = 0.05 * i;
        s->distance += 0.005;
        s->pose.position.x = 3 * sin(1e-4 * i);
        s->pose.position.y = 3 * cos(2.3e-4 * i);
        s->wheels[0].slip = 0.1 * sin(i);
        s->wheels[1].load = i == 77777 ? 123456 : 100 + 50 * cos(i);
        s->wheels[2].torque = i % 1000 == 0 ? (double)NAN : sin(0.3 * i);
        s->wheels[3].state = i % 13;
        assert_int_equal(gr_record_add(record, s, &no_errors), GR_OK);
    }
    assert_int_equal(gr_record_close(record, NULL, &no_errors), GR_OK);
    size_t size;
    char *text = contents("report.html", &size);
    print_message("a report of 100,000 samples has %zu bytes\n", size);
    assert_true(size < 3000000);
    assert_true(gr_xml_valid(text));
    assert_no_nan(text);
    free(text);
    text = contents("summary.json", NULL);
    assert_non_null(strstr(text, "\"load_max_N\": 123456"));
    free(text);
    gr_sample_run_free(&run);
}

/// Sizes of the files of a drive with so many samples [bytes].
static void record_sizes(int samples, size_t sizes[3])
{
    static const char *const FILES[] = {"run.csv", "run.mcap", "replay.bin"};
    make();
    run.def.replay = true;
    run.def.report = false;
    run.def.rate = 20;
    run.def.duration = 0.05 * samples;
    GrRecord *record = NULL;
    assert_int_equal(gr_record_open(&run.def, &record, &no_errors), GR_OK);
    for (int i = 0; i < samples; i++) {
        assert_true(gr_sample_run_next(&run));
        assert_int_equal(gr_record_add(record, &run.sample, &no_errors), GR_OK);
    }
    assert_int_equal(gr_record_close(record, NULL, &no_errors), GR_OK);
    for (int i = 0; i < 3; i++) {
        free(contents(FILES[i], &sizes[i]));
    }
    gr_sample_run_free(&run);
}

/// A sample of a rover with six wheels and 21 joints: 360 numbers as text; the same compressed, with the indexes that
/// readers want; and as columns of differences.
static void test_sizes(void **state)
{
    (void)state;
    enum { FEW = 200, MANY = 800 };
    static const double MOST[] = {3600, 1850, 300};
    size_t few[3], many[3];
    record_sizes(FEW, few);
    record_sizes(MANY, many);
    for (int i = 0; i < 3; i++) {
        const double bytes = (double)(many[i] - few[i]) / (MANY - FEW);
        print_message("%.0f bytes a sample\n", bytes);
#if defined GR_WITH_ZSTD && defined GR_WITH_ZLIB
        assert_true(bytes < MOST[i]);
#else
        assert_true(i > 0 || bytes < MOST[i]);
#endif
    }
}

/// Every name that is recorded stands in the documentation.
static void test_docs(void **state)
{
    (void)state;
    const GrChannelGroup *const groups[] = {&gr_sample_groups[0].channels,
                                            &gr_sample_groups[1].channels,
                                            &gr_sample_groups[2].channels,
                                            &gr_sample_groups[3].channels,
                                            &gr_wheel_channels,
                                            &gr_joint_channels,
                                            &gr_slider_channels};
    char *text;
    size_t size;
    assert_int_equal(gr_file_read(GR_TEST_SOURCE_DIR "/docs/recordings.md", 1 << 20, &text, &size, NULL), GR_OK);
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        for (int i = 0; i < groups[g]->count; i++) {
            char name[96];
            snprintf(name, sizeof name, "`%s`", groups[g]->rows[i].name);
            if (strstr(text, name) == NULL) {
                print_error("%s is not in docs/recordings.md\n", name);
                fail();
            }
        }
    }
    free(text);
}

static int quantity_of(const GrRunHistory *h, const char *name, GrChannelOwner owner, int index)
{
    for (int i = 0; i < h->quantity_count; i++) {
        const GrHistoryQuantity *q = &h->quantities[i];
        if (q->channel.owner == owner && q->channel.index == index && strcmp(q->channel.row->name, name) == 0) {
            return i;
        }
    }
    fail_msg("nothing plots %s", name);
    return -1;
}

/// The history keeps what the table says is plotted, in the unit of the figure; every figure has a field.
static void test_plotted_fields(void **state)
{
    (void)state;
    make();
    assert_true(gr_sample_run_next(&run));
    GrRunHistory h;
    assert_true(gr_run_history_init(&h, run.model, gr_sample_parts(true, true)));
    const int last = h.wheel_count - 1;
    run.sample.roll = 30 * GR_DEGREE;
    run.sample.energy.soil = 7;
    run.sample.wheels[last].sinkage = 0.02;
    run.sample.joints[0].angle = 60 * GR_DEGREE;
    gr_run_history_add(&h, &run.sample);
    const struct {
        const char *name;
        GrChannelOwner owner;
        int index;
        double value;
    } expected[] = {
        {"roll_deg", GR_OWNER_ROVER, 0, 30},
        {"soil_J", GR_OWNER_ROVER, 1, 7},
        {"sinkage_m", GR_OWNER_WHEEL, last, 20},
        {"angle_deg", GR_OWNER_JOINT, 0, 60},
    };
    const double ROUNDING = 1e-12;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const int q = quantity_of(&h, expected[i].name, expected[i].owner, expected[i].index);
        assert_near(h.sum[q], expected[i].value, ROUNDING * expected[i].value);
    }
    for (int figure = GR_FIGURE_NONE + 1; figure < GR_FIGURE_COUNT; figure++) {
        int lines = 0;
        for (int i = 0; i < h.quantity_count; i++) {
            lines += (int)h.quantities[i].channel.row->plot.figure == figure;
        }
        assert_true(lines > 0);
        assert_non_null(gr_figures[figure].title);
        assert_true(gr_figures[figure].scale > 0 && gr_figures[figure].least > 0);
    }
    gr_run_history_free(&h);
    gr_sample_run_free(&run);
}

/// Thinning keeps ends, order and peaks.
static void test_history(void **state)
{
    (void)state;
    make();
    assert_true(gr_sample_run_next(&run));
    GrRunHistory h;
    static GrHistoryBand band;
    for (int total = 1; total < 20000; total = total * 3 + 1) {
        assert_true(gr_run_history_init(&h, run.model, gr_sample_parts(false, false)));
        for (int i = 0; i < total; i++) {
            run.sample.time = i;
            run.sample.power = i == total / 3 ? 1000 : i == total / 2 ? -1000 : sin(i);
            gr_run_history_add(&h, &run.sample);
        }
        const int power = quantity_of(&h, "power_W", GR_OWNER_ROVER, 0);
        gr_run_history_band(&h, power, false, &band);
        assert_true(h.count <= GR_HISTORY_BUCKETS && (total < 300 || h.count > GR_HISTORY_BUCKETS / 2 - 1));
        assert_near(band.x[0], 0, 0);
        assert_true(band.count < 2 || band.x[band.count - 1] == total - 1);
        assert_near(h.time[h.count - 1][1], total - 1, 0);
        double low = 0, high = 0, sum = 0, all = 0;
        for (int i = 0; i < band.count; i++) {
            low = fmin(low, band.lower[i]);
            high = fmax(high, band.upper[i]);
            sum += band.mean[i] * h.noted[i * h.quantity_count + power];
            assert_true(band.lower[i] <= band.mean[i] + 1e-9 && band.mean[i] <= band.upper[i] + 1e-9);
            assert_true(i == 0 || band.x[i] >= band.x[i - 1]);
        }
        for (int i = 0; i < total; i++) {
            all += i == total / 3 ? 1000 : i == total / 2 ? -1000 : sin(i);
        }
        assert_near(sum, all, 1e-6); // the means lose nothing
        if (total > 3) {
            assert_near(high, 1000, 0);
            assert_near(low, -1000, 0);
        }
        unsigned seen = 0;
        for (int b = 0; b < h.count; b++) {
            seen +=
                h.states[(size_t)b * (size_t)h.wheel_count * GR_HISTORY_STATES + (size_t)run.sample.wheels[0].state];
        }
        assert_int_equal(seen, total);
        gr_run_history_free(&h);
    }
    gr_sample_run_free(&run);
}

static void test_track(void **state)
{
    (void)state;
    static GrTrack track;
    for (int i = 0; i < 200000; i++) {
        gr_track_add(&track, (GrVec3){0.003 * i, 0, 0}, i);
    }
    assert_true(track.count > GR_TRACK_MAX / 2 - 1 && track.count <= GR_TRACK_MAX);
    for (int i = 0; i < track.count; i++) {
        assert_near(track.points[i].x, 0.003 * track.values[i], 1e-12);
        assert_true(i == 0 || track.points[i].x > track.points[i - 1].x);
    }
    assert_near(track.points[0].x, 0, 0);
    assert_near(track.points[track.count - 1].x, 600, 2 * track.spacing);
}

int main(void)
{
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files_say_what_samples_said),
                                       cmocka_unit_test(test_replay_link),
                                       cmocka_unit_test(test_summary_is_printed_alike),
                                       cmocka_unit_test(test_folders),
                                       cmocka_unit_test(test_folder_is_locked),
                                       cmocka_unit_test(test_long_run),
                                       cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_docs),
                                       cmocka_unit_test(test_plotted_fields),
                                       cmocka_unit_test(test_history),
                                       cmocka_unit_test(test_track)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const FILES[] = {"run.csv", "run.mcap", "summary.json", "report.html"};
    for (int i = 0; i < 4; i++) {
        unlink(in_folder(FILES[i]));
    }
    rmdir(folder);
    return failed;
}
