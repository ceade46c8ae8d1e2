/// Reader of soil files from memory, for gr_soil_load() and the fuzzer.
#ifndef GR_SOIL_YAML_H
#define GR_SOIL_YAML_H

#include "buffer.h"
#include "document.h"
#include "file.h"
#include "soil_spread.h"

#include "grouser/soil_file.h"

/// `file` is the name for messages. After an error `out` has its defaults.
GrStatus gr_soil_parse_yaml(const char *text, size_t length, const char *file, const char *const *overrides,
                            GrSoilDef *out, GrSoilSources *sources, GrErrorLog *log);

/// As gr_soil_load(), with the spread of the soil, which is a wide one where the file has none.
GrStatus gr_soil_load_spread(const char *name_or_path, const char *const *overrides, GrSoilDef *out,
                             GrSoilSources *sources, GrSoilSpread *spread, GrErrorLog *log);
/// As gr_soil_save(), with the spread.
GrStatus gr_soil_save_spread(const char *path, const GrSoilDef *soil, const GrSoilSources *sources,
                             const GrSoilSpread *spread, GrErrorLog *log);

/// Reads a document that was loaded but not prepared; `sources` and `spread` may be NULL.
GrStatus gr_soil_read_yaml(GrDocument *document, const char *const *overrides, GrSoilDef *out, GrSoilSources *sources,
                           GrSoilSpread *spread);

/// File of a soil by its name or path. Simulants without published parameters are refused with a message that says what
/// is known.
GrStatus gr_soil_find(const char *name_or_path, char path[GR_FILE_PATH_SIZE], GrErrorLog *log);

/// As gr_soil_load(), with the trees of a cache (document_cache.h; NULL: none) and the spread, which may be NULL.
GrStatus gr_soil_load_shared(struct GrDocumentCache *cache, const char *name_or_path, const char *const *overrides,
                             GrSoilDef *out, GrSoilSources *sources, GrSoilSpread *spread, GrErrorLog *log);

/// Writes the soil as a file: everything that its law needs, and everything that is not the default. `sources` and
/// `spread` may be NULL.
void gr_soil_write_yaml(const GrSoilDef *soil, const GrSoilSources *sources, const GrSoilSpread *spread, GrBuffer *out);

/// Reports a name that no parameter has; `at` as in gr_node_error_at().
void gr_soil_report_param(const GrNode *node, int at, const char *name);

/// Appends a text in double quotes.
void gr_soil_put_text(GrBuffer *out, const char *text);

/// Whether a YAML file is a soil: it has keys that only soils have, and none that only rovers have. False when it
/// cannot be read at all.
bool gr_soil_is_file(const char *path);

#endif
