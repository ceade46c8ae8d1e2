#include "ros_bus.h"

#include "plugin.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

/// Looks for a network interface that is up and has an address. False: `problem` says what there is instead.
static bool check_interface(const char *name, char *problem)
{
    struct ifaddrs *all = NULL;
    char others[256] = "";
    bool there = false, up = false;
    if (getifaddrs(&all) != 0) {
        all = NULL;
    }
    for (const struct ifaddrs *each = all; each != NULL; each = each->ifa_next) {
        const bool same = strcmp(each->ifa_name, name) == 0;
        const bool usable = (each->ifa_flags & IFF_UP) != 0 && each->ifa_addr != NULL;
        there = there || same;
        up = up || (same && usable && each->ifa_addr->sa_family == AF_INET);
        if (usable && each->ifa_addr->sa_family == AF_INET) {
            const size_t length = strlen(others);
            snprintf(others + length, sizeof others - length, "%s%s", length > 0 ? ", " : "", each->ifa_name);
        }
    }
    if (all != NULL) {
        freeifaddrs(all);
    }
    if (!up) {
        snprintf(problem, GR_ROS_PROBLEM_SIZE,
                 "the network interface %s %s; interfaces that are up with an IPv4 address: %s", name,
                 there ? "is down or has no IPv4 address" : "does not exist", others[0] != '\0' ? others : "none");
    }
    return up;
}

GrStatus gr_ros_bus_open(const GrRosBusDef *def, GrRosBus *out, GrErrorLog *log)
{
    const GrLocation at = {.field = "--interface"};
    char problem[GR_ROS_PROBLEM_SIZE] = "";
    bool (*open)(const GrRosBusDef *bus, GrRosBus *made, char *why) = NULL;
    if (def->interface != NULL && !check_interface(def->interface, problem)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, at, "%s", problem);
    }
    void *symbol = gr_plugin_symbol("libgrouser_ros2.so", "gr_dds_bus_open");
    if (symbol == NULL) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0},
                            "libgrouser_ros2.so or the library of Cyclone DDS, libddsc, is not installed: install "
                            "grouser-ros2, or cyclonedds-dev and cyclonedds-tools and build again");
    }
    *(void **)(&open) = symbol; // the way of POSIX from an object pointer to a function
    if (!open(def, out, problem)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, def->interface != NULL ? at : (GrLocation){0}, "%s", problem);
    }
    return GR_OK;
}
