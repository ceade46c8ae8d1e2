/// Elementary functions that give the same bits on every platform.
///
/// C's libm differs between systems in the last bit, and with it every run. These use +, −, ·, /, √ and integer
/// operations alone, which IEEE 754 defines to the bit; nothing is fused. Where one rounding would not be enough they
/// work with pairs of doubles (GrPair). Errors are below 1 unit in the last place (tanh 2, sinh and cosh 2.5); the
/// largest found against MPFR in two million arguments were 0.5 (log1p, log2, log10, cbrt, hypot), 0.6 (asin, acos),
/// 0.7 (exp, pow, cos), 0.8 (log, sin, tan, atan, atan2) and 0.95 (expm1). NaN, infinities, signed zeros, subnormal
/// numbers and arguments of any size are treated as in C (tests/base/test_elementary.c).
///
/// Inner loops over the nodes of a patch use the shorter polynomials of vmath.h.
#ifndef GR_ELEMENTARY_H
#define GR_ELEMENTARY_H

double gr_exp(double x);
double gr_expm1(double x);
double gr_log(double x);
double gr_log1p(double x);
double gr_pow(double x, double y);
double gr_hypot(double x, double y);
double gr_cbrt(double x);
double gr_tanh(double x);
double gr_sinh(double x);
double gr_cosh(double x);
double gr_log10(double x);
double gr_log2(double x);

double gr_sin(double x);
double gr_cos(double x);
double gr_tan(double x);
double gr_asin(double x);
double gr_acos(double x);
double gr_atan(double x);
double gr_atan2(double y, double x);

#endif
