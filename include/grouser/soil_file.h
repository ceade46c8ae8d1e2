/// Soils as files: reading, writing, and where their numbers come from. docs/soils.md has the format.
///
/// Example: the source of a number.
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

enum { GR_SOIL_SOURCES = 16, GR_SOIL_SOURCE_SIZE = 512, GR_SOIL_SOURCE_NAMES = 24, GR_SOIL_INPUTS = 64 };

/// One source, and the parameters that came from it.
typedef struct GrSoilSource {
    GrConfidence confidence;
    char text[GR_SOIL_SOURCE_SIZE];
    char of[GR_SOIL_SOURCE_NAMES][24]; ///< names of parameters: k_phi, c, …; none: a remark about the soil as a whole
    int of_count;
} GrSoilSource;

typedef struct GrSoilSources {
    GrSoilSource items[GR_SOIL_SOURCES];
    int count;
    /// Bit i: the file or an override gave parameter i of the table (forms and add-ons follow the numbers); else it is
    /// the default
    unsigned long long given;
    unsigned long long overridden; ///< bit i: an override gave it
    char file[256];                ///< that was read
    int lines[GR_SOIL_INPUTS];     ///< where it gave each; 0: an override
    GrSoilLaw law;                 ///< of the file
    double gravity; ///< under which the numbers were measured or fitted [m/s²]; 0: the file does not say
} GrSoilSources;

/// Reads a soil by the name of a shipped one or by the path of a file (whatever has a dot or a slash is a path).
/// `overrides`: NULL, or a NULL-terminated list of "parameter=value", with or without the unit in its name. `sources`
/// may be NULL. After an error `out` has its defaults.
GR_API GrStatus gr_soil_load(const char *name_or_path, const char *const *overrides, GrSoilDef *out,
                             GrSoilSources *sources, GrErrorLog *log);

/// Writes a soil as a file that gr_soil_load() reads back to the same numbers. `sources` may be NULL.
GR_API GrStatus gr_soil_save(const char *path, const GrSoilDef *soil, const GrSoilSources *sources, GrErrorLog *log);

/// Warns about every number, form and add-on that was given but has no effect with the soil's law: each override, and
/// what the file gives without a source that its own law could not read either. A number with a source describes the
/// soil, and another law may read it. `use`: bits of GrSoilUse; 0: a rover.
GR_API void gr_soil_warn_ignored(const GrSoilDef *soil, const GrSoilSources *sources, unsigned use, GrErrorLog *log);

/// Source of a parameter by its name, or −1: then the value is the program's default.
GR_API int gr_soil_source_of(const GrSoilSources *sources, const char *name);

#ifdef __cplusplus
}
#endif
#endif
