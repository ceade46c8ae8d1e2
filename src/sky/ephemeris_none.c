/// In the place of ephemeris.c where liberfa is left out.
#include "ephemeris.h"

bool gr_ephemeris(GrSkyBody body, double days, GrEphemeris *out)
{
    (void)body, (void)days, (void)out;
    return false;
}
