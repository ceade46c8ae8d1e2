/// Reader of scenario files, for gr_scenario_load() and the fuzzer.
#ifndef GR_SCENARIO_YAML_H
#define GR_SCENARIO_YAML_H

#include "buffer.h"
#include "document.h"

#include "grouser/scenario.h"

/// From a document that was loaded but not prepared. Includes are read, and their text is appended to `texts`. After an
/// error `out` is empty.
GrStatus gr_scenario_read_yaml(GrDocument *document, const char *const *overrides, GrBuffer *texts, GrScenario *out);

/// Whether a YAML file is a scenario: it names a rover but is not one.
bool gr_scenario_is_file(const char *path);

#endif
