/// A cart of four wheels as the text of a rover's file.
#ifndef GR_SMALL_CART_H
#define GR_SMALL_CART_H

/// `head` goes before it, `high` is the height of the chassis' box, `wheel` are further lines of each wheel, indented
/// by four.
#define GR_SMALL_CART(head, high, wheel)                                                                               \
    head "repeat:\n  side: {left: 1, right: -1}\n  axle: {front: 1, rear: -1}\n"                                       \
         "bodies:\n"                                                                                                   \
         "  chassis:\n"                                                                                                \
         "    mass_kg: 8\n"                                                                                            \
         "    inertia_of: {box: {size_m: [0.4, 0.3, 0.1]}}\n"                                                          \
         "    shapes: [box: {size_m: [0.4, 0.3, " high "]}]\n"                                                         \
         "  wheel_${axle}_${side}:\n"                                                                                  \
         "    parent: chassis\n"                                                                                       \
         "    mass_kg: 0.8\n"                                                                                          \
         "    inertia_of: {cylinder: {radius_m: 0.1, length_m: 0.08}}\n"                                               \
         "    joint: {kind: revolute, role: drive, axis: y, at_m: [0.2 * axle, 0.2 * side, 0],\n"                      \
         "            motor: {kind: pid, kp: 2, ki: 4, torque_limit_Nm: 5}}\n"                                         \
         "wheels:\n"                                                                                                   \
         "  wheel_${axle}_${side}:\n"                                                                                  \
         "    radius_m: 0.1\n"                                                                                         \
         "    width_m: 0.08\n" wheel

#endif
