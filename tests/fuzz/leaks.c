/// Part of every fuzz target: names the leaks that are not ours.
///
/// libfyaml 0.7.12 loses the list of pieces of a scalar that it reads in more than eight pieces, such as a quoted text
/// with many escaped quotes: some hundred bytes, once per such text. The library is built without frame pointers, so
/// only the whole library can be named. Leaks of its parsers and events by our code are found by the unit tests, which
/// run without this file.
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml\n";
}
