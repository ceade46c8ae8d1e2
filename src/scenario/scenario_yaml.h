/// Reader of scenario files, for gr_scenario_load() and the fuzzer.
#ifndef GR_SCENARIO_YAML_H
#define GR_SCENARIO_YAML_H

#include "buffer.h"
#include "document.h"

#include "scenario_data.h"

/// From a document that was loaded but not prepared. Includes are read, and their text is appended to `texts`. After an
/// error `out` is empty.
GrStatus gr_scenario_read_yaml(GrDocument *document, const char *const *overrides, GrBuffer *texts, GrScenario **out);

/// From a text that is to be the file `path`: relative names in it are those of files beside it.
GrStatus gr_scenario_parse(const char *path, const char *text, size_t size, const char *const *overrides,
                           GrScenario **out, GrErrorLog *log);

/// Whether a YAML file is a scenario: it names a rover but is not one.
bool gr_scenario_is_file(const char *path);

#endif
