/// Soil files: reading, writing, and the sources of their values. docs/soils.md describes the format.
///
/// Example: the source of a value.
///
///     GrErrorLog log = {0};
///     GrSoilDef soil;
///     GrSoilSources sources;
///     if (gr_soil_load("ishigami2007", NULL, &soil, &sources, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     const int source = gr_soil_source_of(&sources, "k_phi");
///     printf("k_phi = %g\n", soil.k_phi);                                     // prints: k_phi = 814000
///     printf("%s\n", source >= 0 ? sources.items[source].text : "a default"); // prints: Ishigami
#ifndef GROUSER_SOIL_FILE_H
#define GROUSER_SOIL_FILE_H

#include "grouser/soil.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GR_SOIL_SOURCES = 16, GR_SOIL_SOURCE_SIZE = 512, GR_SOIL_SOURCE_NAMES = 24, GR_SOIL_INPUTS = 96 };

/// One source, and the parameters that came from it.
typedef struct GrSoilSource {
    GrConfidence confidence;
    char text[GR_SOIL_SOURCE_SIZE];
    char of[GR_SOIL_SOURCE_NAMES][24]; ///< names of parameters: k_phi, c, …; none: a remark about the whole soil
    int of_count;
} GrSoilSource;

typedef struct GrSoilSources {
    GrSoilSource items[GR_SOIL_SOURCES];
    int count;
    /// Whether the file or an override sets parameter i of the table (numbers, then forms and add-ons); otherwise the
    /// default applies
    bool given[GR_SOIL_INPUTS];
    bool overridden[GR_SOIL_INPUTS]; ///< an override sets it
    char file[256];                  ///< file that was read
    int lines[GR_SOIL_INPUTS];       ///< line of each parameter in the file; 0: an override
    GrSoilLaw law;                   ///< of the file
    double gravity;                  ///< fit_gravity of the file [m/s²]; 0: not given, GrSoilDef has the default
    bool is_class;                   ///< a class of soils, composed from published sets (spread: {kind: class})
} GrSoilSources;

/// Loads a shipped soil by name, or a file by path. A name with a dot or a slash is a path. `overrides`: NULL, or a
/// NULL-terminated list of "parameter=value", with or without the unit in the name. `sources` may be NULL. On error
/// `out` has its defaults.
GR_API GrStatus gr_soil_load(const char *name_or_path, const char *const *overrides, GrSoilDef *out,
                             GrSoilSources *sources, GrErrorLog *log);

/// Writes a soil file that gr_soil_load() reads back without loss. `sources` may be NULL.
GR_API GrStatus gr_soil_save(const char *path, const GrSoilDef *soil, const GrSoilSources *sources, GrErrorLog *log);

/// Warns about every parameter, form and add-on that was set but has no effect with the soil's law. This covers all
/// overrides, and values of the file that have no source and that the file's own law does not use either. A value with
/// a source describes the soil, and another law may use it. `use`: bits of GrSoilUse; 0: a rover.
GR_API void gr_soil_warn_ignored(const GrSoilDef *soil, const GrSoilSources *sources, unsigned use, GrErrorLog *log);

/// Index of the source of a parameter by name; −1: the value is the program's default.
GR_API int gr_soil_source_of(const GrSoilSources *sources, const char *name);

#ifdef __cplusplus
}
#endif
#endif
