/// The version at run time.
#include "grouser/version.h"

const char *gr_version(void)
{
    return GROUSER_VERSION;
}
