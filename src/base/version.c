/// The version at run time.
#include "version.h"

#include "grouser/version.h"

#ifdef GR_PORTABLE_BITS
#define BITS "portable"
#else
#define BITS "native"
#endif

const char *gr_version(void)
{
    return GROUSER_VERSION;
}

const char *gr_bits(void)
{
    return BITS;
}

const char *gr_version_and_bits(void)
{
    return GROUSER_VERSION " (" BITS " bits)";
}
