/// Replays as HTML files: grouser run --replay, grouser export replay. What the pages show is tested in a browser
/// (tests/viewer); here it is that the file has the run, whole and nothing else, and that errors are clear.
#include "chunk.h"
#include "file.h"
#include "run_command.h"
#include "viewer_page.h"

#include <string.h>
#include <unistd.h>

static char *read_whole(const char *path, size_t *size)
{
    char *data;
    assert_int_equal(gr_file_read(path, 1 << 28, &data, size, NULL), GR_OK);
    return data;
}

/// Decodes base64 as any reader would; returns the number of bytes.
static size_t decode(const char *text, size_t length, unsigned char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t size = 0;
    unsigned bits = 0;
    int have = 0;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        const char *digit = strchr(digits, text[i]);
        assert_non_null(digit);
        bits = bits << 6 | (unsigned)(digit - digits);
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[size++] = (unsigned char)(bits >> have);
        }
    }
    return size;
}

/// Finds the replay of this name in the page and compares it with a file.
static void check_inside(const char *page, const char *name, const char *path)
{
    char tag[256];
    size_t size;
    char *replay = read_whole(path, &size);
    snprintf(tag, sizeof tag, "<script type=\"application/octet-stream\" data-replay data-name=\"%s\">", name);
    const char *start = strstr(page, tag);
    assert_non_null(start);
    start += strlen(tag);
    const size_t length = (size_t)(strstr(start, "</script>") - start);
    unsigned char *bytes = malloc(length);
    assert_int_equal(decode(start, length, bytes), size);
    assert_memory_equal(bytes, replay, size);
    free(bytes);
    free(replay);
}

static bool built(void)
{
    size_t size;
    return gr_viewer_page(&size) != NULL;
}

static void run_writes_a_replay(void **state)
{
    (void)state;
    if (!built()) {
        skip();
    }
    const GrRun *r = gr_run("run mixed_soils --set stop.time_s=3 -o one.run --replay one.html");
    assert_int_equal(r->exit_code, 0);
    assert_has(r->err, "wrote one.html");
    size_t size;
    char *page = read_whole("one.html", &size);
    assert_true(strncmp(page, "<!doctype html>", 15) == 0 || strncmp(page, "<!DOCTYPE html>", 15) == 0);
    assert_has(page, "Content-Security-Policy");
    check_inside(page, "one", "one.run/replay.bin");
    free(page);
}

static void two_runs_are_exported(void **state)
{
    (void)state;
    if (!built()) {
        skip();
    }
    // a name that is markup must stay a name
    assert_int_equal(gr_run("run mixed_soils --set stop.time_s=2 -o 'a\"><b>.run'")->exit_code, 0);
    assert_int_equal(gr_run("run mixed_soils --set stop.time_s=2 --set gravity=moon -o other.run/")->exit_code, 0);
    const GrRun *r = gr_run("export replay 'a\"><b>.run' other.run/ -o two.html");
    assert_int_equal(r->exit_code, 0);
    size_t size;
    char *page = read_whole("two.html", &size);
    check_inside(page, "a&quot;&gt;&lt;b&gt;", "a\"><b>.run/replay.bin");
    check_inside(page, "other", "other.run/replay.bin");
    free(page);
}

static void errors_say_what_to_do(void **state)
{
    (void)state;
    if (!built()) {
        const GrRun *r = gr_run("run mixed_soils --replay x.html");
        assert_int_equal(r->exit_code, 1);
        assert_has(r->err, "GROUSER_VIEWER=ON");
        return;
    }
    assert_int_equal(gr_run("export replay nowhere.run")->exit_code, 2);
    gr_run_write("text.bin", "not a replay at all");
    const GrRun *r = gr_run("export replay text.bin");
    assert_int_equal(r->exit_code, 2);
    assert_has(r->err, "text.bin: error: not the replay of a run");
    assert_int_equal(system("mkdir -p old.run && echo '{}' >old.run/summary.json"), 0);
    r = gr_run("export replay old.run");
    assert_int_equal(r->exit_code, 2);
    assert_has(r->err, "recorded by an older version");
    r = gr_run("export replay one.run two.run three.run");
    assert_int_equal(r->exit_code, 2);
    r = gr_run("export");
    assert_has(r->out, "export replay");
}

/// A copy of a replay in which one bit is flipped is refused, and one of version 0.2; one that is cut opens with a
/// warning.
static void damage_is_noticed(void **state)
{
    (void)state;
    if (!built()) {
        skip();
    }
    size_t size;
    assert_int_equal(gr_run("run mixed_soils --set stop.time_s=1 -o sound.run")->exit_code, 0);
    char *bytes = read_whole("sound.run/replay.bin", &size);
    for (size_t k = 0; k < 12; k++) {
        const size_t at = 24 + (size - 24) * k / 12; // from the payload of the first chunk on
        bytes[at] ^= (char)(1 << k % 8);
        assert_int_equal(gr_file_write("flipped.bin", bytes, size, NULL), GR_OK);
        bytes[at] ^= (char)(1 << k % 8);
        const GrRun *r = gr_run("export replay flipped.bin -o flipped.html");
        assert_true(r->exit_code == 2 ? strstr(r->err, "is wrong") != NULL
                                      : strstr(r->err, "ends inside a chunk") != NULL);
    }
    assert_int_equal(gr_file_write("cut.bin", bytes, size - 3, NULL), GR_OK);
    const GrRun *r = gr_run("export replay cut.bin -o cut.html");
    assert_int_equal(r->exit_code, 0);
    assert_has(r->err, "cut.bin: warning: ends inside a chunk at byte");
    memcpy(bytes, GR_REPLAY_OLD_MAGIC, GR_REPLAY_MAGIC_SIZE);
    assert_int_equal(gr_file_write("old.bin", bytes, size, NULL), GR_OK);
    r = gr_run("export replay old.bin -o old.html");
    assert_int_equal(r->exit_code, 2);
    assert_has(r->err, "version 0.2 or before: run the scenario again");
    free(bytes);
}

static void playground_needs_its_simulator(void **state)
{
    (void)state;
    if (!built()) {
        skip();
    }
    const GrRun *r = gr_run("export playground no_such_scenario -o p.html");
    assert_int_equal(r->exit_code, 2);
    assert_has(r->err, "not a shipped scenario");
    r = gr_run("export playground -o p.html");
    if (r->exit_code != 0) { // not built here
        assert_int_equal(r->exit_code, 1);
        assert_has(r->err, "make playground");
        return;
    }
    size_t size;
    char *page = read_whole("p.html", &size);
    assert_has(page, "data-playground data-scenario=\"crossing\"");
    assert_has(page, "worker-src blob:; script-src 'wasm-unsafe-eval' 'sha256-");
    free(page);
}

static void pictures_are_text(void **state)
{
    (void)state;
    const GrRun *r = gr_run("run mixed_soils --set stop.time_s=1 -o picture.run --picture end.txt");
    assert_int_equal(r->exit_code, 0);
    size_t size;
    char *text = read_whole("end.txt", &size);
    assert_has(text, "\033[48;2;");
    int lines = 0;
    for (const char *c = text; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, 33);
    free(text);
}

/// What the files contain is the subject of tests/record/scene_files.py.
static void scenes_are_written(void **state)
{
    (void)state;
    size_t size;
    assert_int_equal(gr_run("run mixed_soils --set stop.time_s=1 -o scene.run")->exit_code, 0);
    const GrRun *r = gr_run("export gltf scene.run/");
    assert_int_equal(r->exit_code, 0);
    assert_has(r->err, "wrote scene.glb");
    char *file = read_whole("scene.glb", &size);
    assert_memory_equal(file, "glTF", 4);
    free(file);
    r = gr_run("export usd scene.run -o x.usda --ruts 0");
    assert_int_equal(r->exit_code, 0);
    file = read_whole("x.usda", &size);
    assert_true(strncmp(file, "#usda 1.0\n", 10) == 0);
    free(file);
    assert_int_equal(gr_run("export gltf nowhere.run")->exit_code, 2);
    r = gr_run("export gltf scene.run --ruts 65");
    assert_int_equal(r->exit_code, 2);
    assert_has(r->err, "--ruts: found 65, allowed: whole numbers from 0 to 64");
    r = gr_run("export gltf scene.run --sun-lux -1");
    assert_int_equal(r->exit_code, 2);
    assert_has(r->err, "--sun-lux: found -1");
    static const char *const WRONG[][2] = {
        {"--size 10x10", "--size: found '10x10'"},          {"--size wide", "--size: found 'wide'"},
        {"--rate 0", "--rate: found 0, allowed: 1 to 120"}, {"--speed 0", "--speed: found 0"},
        {"--camera folow", "did you mean 'follow'?"},       {"--from 2 --to 1", "--from must be less than --to"}};
    for (size_t k = 0; k < sizeof WRONG / sizeof WRONG[0]; k++) {
        char command[128];
        snprintf(command, sizeof command, "export video scene.run %s", WRONG[k][0]);
        r = gr_run(command);
        assert_int_equal(r->exit_code, 2);
        assert_has(r->err, WRONG[k][1]);
    }
}

/// Chunks with wrong numbers under a right checksum: nothing is written.
static void damaged_scenes_are_refused(void **state)
{
    (void)state;
    assert_int_equal(gr_run("run mixed_soils --set stop.time_s=1 -o whole.run")->exit_code, 0);
    size_t size;
    char *bytes = read_whole("whole.run/replay.bin", &size);
    const char *const types[] = {"HEAD", "GRND", "DATA"};
    for (int k = 0; k < 3; k++) {
        GrBuffer copy = {0};
        gr_buffer_add(&copy, bytes, GR_REPLAY_MAGIC_SIZE);
        GrChunk chunk;
        size_t at = GR_REPLAY_MAGIC_SIZE;
        for (size_t length; (length = gr_chunk_read((unsigned char *)bytes + at, size - at, &chunk)) > 0;
             at += length) {
            if (strcmp(chunk.type, types[k]) == 0) {
                gr_chunk_put(&copy, chunk.type, "{\"short\": 1}", 12);
            } else {
                gr_buffer_add(&copy, bytes + at, length);
            }
        }
        assert_int_equal(gr_file_write("bad.bin", copy.data, copy.size, NULL), GR_OK);
        gr_buffer_free(&copy);
        const GrRun *r = gr_run("export gltf bad.bin -o bad.glb");
        assert_int_equal(r->exit_code, 2);
        assert_has(r->err, "bad.bin: error: damaged");
        assert_false(gr_file_exists("bad.glb"));
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_writes_a_replay),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(two_runs_are_exported),
        cmocka_unit_test(errors_say_what_to_do),
        cmocka_unit_test(playground_needs_its_simulator),
        cmocka_unit_test(pictures_are_text),
        cmocka_unit_test(scenes_are_written),
        cmocka_unit_test(damaged_scenes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
