/// A soil law of your own: p = P zⁿ Dᵐ under a flat strip, with Coulomb friction, for one wheel and for a whole rover.
///
/// The law is a function and a context. Here the load on a slice is P hⁿ (2r)ᵐ times the contact area b √(2 r h), and
/// friction on the rim grows with its speed over the ground.
#include <grouser/grouser.h>
#include <math.h>
#include <stdio.h>

typedef struct Toy {
    double modulus, exponent, size_exponent; ///< P, n, m
    double radius;                           ///< of the wheels [m]
    double friction;
} Toy;

static void toy_law(void *context, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    const Toy *toy = context;
    (void)old, (void)next; // this law has no state
    const double diameter = 2 * toy->radius;
    const double pressure = toy->modulus * pow(in->h, toy->exponent) * pow(diameter, toy->size_exponent);
    const double load = pressure * in->width * sqrt(diameter * in->h);
    // The rim's lowest point moves with v − ω r; friction acts against it.
    const double along = in->twist[0] - in->twist[4] * toy->radius, across = in->twist[1];
    const double slides = sqrt(along * along + across * across + 1e-6); // 1 mm/s smooths the kink at zero
    out->wrench[0] = -toy->friction * load * along / slides;
    out->wrench[1] = -toy->friction * load * across / slides;
    out->wrench[2] = load;
    out->wrench[4] = -out->wrench[0] * (toy->radius - in->h);
}

int main(void)
{
    Toy toy = {.modulus = 4e5, .exponent = 0.8, .size_exponent = 0.1, .radius = 0.1, .friction = 0.5};
    const GrUserLaw law = {.name = "toy", .evaluate = toy_law, .context = &toy};
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_USER;
    soil.user = &law;
    soil.damping = 400;
    GrErrorLog log = {0};

    // One wheel: the sinkage that carries 50 N, against the closed form of the law.
    GrSoilWheelDef wheel_def = gr_default_soil_wheel_def();
    wheel_def.radius = toy.radius;
    GrSoilWheel *wheel;
    if (gr_soil_prepare(&soil, &wheel_def, &wheel, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.items[0].text);
        return 1;
    }
    const double load = 50, d = 2 * toy.radius;
    GrSoilSteady point;
    gr_soil_steady_load(wheel, 0.1, 0, load, 0, &point, NULL);
    const double closed =
        pow(load / (toy.modulus * pow(d, toy.size_exponent) * wheel_def.width * sqrt(d)), 1 / (toy.exponent + 0.5));
    printf("one wheel sinks %.3f mm under %g N, in closed form %.3f mm\n", 1000 * point.sinkage, load, 1000 * closed);
    gr_soil_wheel_free(wheel);

    // The same law under a whole rover.
    GrRoverDef rover;
    if (gr_rover_load("rashid_like", NULL, &rover, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.items[0].text);
        return 1;
    }
    toy.radius = rover.wheels[0].radius + rover.wheels[0].grouser_height;
    GrOptions options = gr_default_options();
    options.gravity.z = -1.62;
    options.surface.soil = &soil;
    GrModel *model = NULL;
    GrData *data = NULL;
    if (gr_model_create(&rover, &options, &model, &log) != GR_OK || gr_data_create(model, &data, &log) != GR_OK ||
        gr_settle(model, data, NULL, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.items[0].text);
        return 1;
    }
    double carried = 0;
    for (int i = 0; i < gr_model_wheel_count(model); i++) {
        carried += gr_data_wheel(model, data, i).world_force.z;
    }
    printf("the soil carries %.3f N of a rover that weighs %.3f N\n", carried, gr_balance(model, data).mass * 1.62);
    gr_data_free(data);
    gr_model_free(model);
    gr_rover_free(&rover);
    return 0;
}
