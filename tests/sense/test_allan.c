/// Allan variance of an IMU's output gives back the parameters of its errors.
///
/// Each term alone, so that its own slope is seen over decades: white noise −1/2, bias instability 0, random walk +1/2
/// in the plot of the deviation over the averaging time, with the values of IEEE Std 952.
#include "sensor_noise.h"
#include "test.h"
#include "vec3.h"

enum { SAMPLES = 1 << 18, AXES = 16 };
static const double RATE = 100;

/// Overlapping Allan variance at m intervals (IEEE Std 952, C.1), from the integral of the signal.
static double allan_variance(const double *integral, int count, int m)
{
    const double tau = m / RATE;
    double sum = 0;
    for (int k = 0; k + 2 * m < count; k++) {
        const double d = integral[k + 2 * m] - 2 * integral[k + m] + integral[k];
        sum += d * d;
    }
    return sum / (2 * tau * tau * (count - 2 * m));
}

/// Deviations of a sensor with these errors at several averaging times, from independent axes.
static void deviations(const GrInertialDef *def, const int *intervals, int count, double *out)
{
    static double integral[SAMPLES];
    const GrNoiseModel model = gr_noise_model(def, 1 / RATE);
    double sum[8] = {0};
    for (int axis = 0; axis < AXES; axis++) {
        GrRandom random = gr_random_stream((uint64_t)axis, "allan");
        GrNoiseState state = gr_noise_begin(&model, &random);
        double total = 0;
        for (int k = 0; k < SAMPLES; k++) {
            integral[k] = total;
            total += gr_noise_measure(&model, &state, 0, &random) / RATE;
        }
        for (int i = 0; i < count; i++) {
            sum[i] += allan_variance(integral, SAMPLES, intervals[i]);
        }
    }
    for (int i = 0; i < count; i++) {
        out[i] = sqrt(sum[i] / AXES);
    }
}

/// Slope in the logarithmic plot.
static double slope(double d1, double d2, double ratio)
{
    return log(d2 / d1) / log(ratio);
}

/// N/√τ.
static void white_noise(void **unused)
{
    (void)unused;
    const GrInertialDef def = {.noise = 3e-4, .range = INFINITY};
    static const int intervals[] = {10, 100, 1000};
    double d[3];
    deviations(&def, intervals, 3, d);
    print_message("white noise: N = %.4g, slope %.3f\n", d[1], slope(d[0], d[2], 100));
    assert_near_rel(d[1], 3e-4, 0.05);
    assert_near(slope(d[0], d[2], 100), -0.5, 0.025);
}

/// K √(τ/3).
static void random_walk(void **unused)
{
    (void)unused;
    const GrInertialDef def = {.walk = 2e-5, .range = INFINITY};
    static const int intervals[] = {30, 300, 3000};
    double d[3];
    deviations(&def, intervals, 3, d);
    print_message("random walk: K = %.4g, slope %.3f\n", d[2] / sqrt(30.0 / 3), slope(d[0], d[2], 100));
    assert_near_rel(d[2], 2e-5 * sqrt(30.0 / 3), 0.05);
    assert_near(slope(d[0], d[2], 100), 0.5, 0.025);
}

/// 0.664 B, flat over two decades.
static void bias_instability(void **unused)
{
    (void)unused;
    const GrInertialDef def = {.instability = 5e-5, .range = INFINITY};
    static const int intervals[] = {30, 300, 3000};
    const double flat = sqrt(2 * log(2) / GR_PI);
    double d[3];
    deviations(&def, intervals, 3, d);
    print_message("bias instability: B = %.4g, %.4g, %.4g, slope %.3f\n", d[0] / flat, d[1] / flat, d[2] / flat,
                  slope(d[0], d[2], 100));
    for (int i = 0; i < 3; i++) {
        assert_near_rel(d[i], 5e-5 * flat, 0.05);
    }
    assert_near(slope(d[0], d[2], 100), 0, 0.025);
}

/// All three at once: their variances add up.
static void sum_of_all(void **unused)
{
    (void)unused;
    const GrInertialDef def = {.noise = 3e-4, .instability = 1e-4, .walk = 2e-5, .range = INFINITY};
    static const int intervals[] = {10, 300, 3000};
    double d[3];
    deviations(&def, intervals, 3, d);
    for (int i = 0; i < 3; i++) {
        const double tau = intervals[i] / RATE;
        const double variance = 9e-8 / tau + 2 * log(2) / GR_PI * 1e-8 + 4e-10 * tau / 3;
        assert_near_rel(d[i], sqrt(variance), 0.05);
    }
}

static void bias_and_scale(void **unused)
{
    (void)unused;
    const GrInertialDef def = {.bias = 0.1, .scale = 0.02, .range = 5, .resolution = 0.25};
    const GrNoiseModel model = gr_noise_model(&def, 0.01);
    enum { COUNT = 20000 };
    double bias = 0, scale = 0;
    GrRandom random = gr_random_stream(7, "bias");
    for (int i = 0; i < COUNT; i++) {
        GrNoiseState state = gr_noise_begin(&model, &random);
        bias += state.bias * state.bias / COUNT;
        scale += state.scale * state.scale / COUNT;
        assert_true(gr_noise_measure(&model, &state, 100, &random) == 5); // saturates
        const double value = gr_noise_measure(&model, &state, 2, &random);
        assert_true(value == 0.25 * rint(4 * value));
    }
    assert_near_rel(sqrt(bias), 0.1, 0.02); // 1/√(2 · 20000) = 0.5 %
    assert_near_rel(sqrt(scale), 0.02, 0.02);
}

/// Numbers by counter are normal and uncorrelated from one to the next.
static void counted(void **unused)
{
    (void)unused;
    enum { COUNT = 1000000 };
    double sum = 0, square = 0, fourth = 0, next = 0, before = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        const double n = gr_counted_normal(42, i);
        sum += n;
        square += n * n;
        fourth += n * n * n * n;
        next += n * before;
        before = n;
    }
    assert_near(sum / COUNT, 0, 5e-3);
    assert_near(square / COUNT, 1, 1e-2);
    assert_near(fourth / COUNT, 3, 0.1);
    assert_near(next / COUNT, 0, 5e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(white_noise),      cmocka_unit_test(random_walk),
                                       cmocka_unit_test(bias_instability), cmocka_unit_test(sum_of_all),
                                       cmocka_unit_test(bias_and_scale),   cmocka_unit_test(counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
