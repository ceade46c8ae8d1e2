/// The version as results are marked with it.
#ifndef GR_VERSION_H
#define GR_VERSION_H

/// Version and rounding, e.g. "0.2.0 (native bits)": results of equal ones are identical, others may be compared, but
/// not mixed.
const char *gr_version_and_bits(void);

#endif
