#include "localiser_filter.h"

#include <string.h>

enum { N = GR_FILTER_SIZE, ROWS = 6 };

// A bias instability B, whose Allan variance is (2 ln 2/π) B² at all times, is taken for a random walk K, whose is
// K² τ/3, of the same at this time: that of the corrections by other sensors [s].
static const double FLICKER_TIME = 10;
static const double SCALE_TIME = 1; // over which an error of scale acts in the same way [s]
static const double GATE = 25;      // squared, of an innovation over its variance: five standard deviations
static const double WHEEL_NOISE = 0.003, WHEEL_SHARE = 0.02; // of rolling speeds: [m/s], and fraction of the speed
static const double BODY_NOISE = 0.01;   // of the body against the wheels, which springs and the ground move [m/s]
static const double VISUAL_NOISE = 1e-5; // of a translation, besides its drift [m]
static const double STAR_NOISE = 1e-6;   // of an attitude, besides its own [rad]

static void cross_matrix(GrVec3 v, double m[3][3])
{
    const double k[3][3] = {{0, -v.z, v.y}, {v.z, 0, -v.x}, {-v.y, v.x, 0}};
    memcpy(m, k, sizeof k);
}

static double part(GrVec3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

// ---- prediction

/// The matrix F of δx ← F δx: 1, and these blocks.
typedef struct Transition {
    double dt, keep;           ///< step; what remains of slip
    double va[3][3], vb[3][3]; ///< of δv by δθ and by δb_a
    double turn[3][3];         ///< of δθ by itself
} Transition;

/// out = F c
static void apply(const Transition *t, double c[N][N], double out[N][N])
{
    memcpy(out, c, sizeof(double[N][N]));
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < 3; i++) {
            double v = c[GR_AT_V + i][j], a = -t->dt * c[GR_AT_BG + i][j];
            for (int k = 0; k < 3; k++) {
                v += t->va[i][k] * c[GR_AT_A + k][j] + t->vb[i][k] * c[GR_AT_BA + k][j];
                a += t->turn[i][k] * c[GR_AT_A + k][j];
            }
            out[GR_AT_P + i][j] = c[GR_AT_P + i][j] + t->dt * c[GR_AT_V + i][j];
            out[GR_AT_V + i][j] = v;
            out[GR_AT_A + i][j] = a;
            out[GR_AT_SLIP + i][j] = t->keep * c[GR_AT_SLIP + i][j];
        }
    }
}

static void transpose(double c[N][N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            const double kept = c[i][j];
            c[i][j] = c[j][i];
            c[j][i] = kept;
        }
    }
}

/// c ← F c Fᵀ = F (F c)ᵀ, for c is symmetric; rounding is taken out by the mean of both halves.
static void propagate(GrFilter *f, const Transition *t)
{
    double half[N][N];
    apply(t, f->c, half);
    transpose(half);
    apply(t, half, f->c);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            f->c[i][j] = f->c[j][i] = 0.5 * (f->c[i][j] + f->c[j][i]);
        }
    }
}

static double walk_of(const GrInertialDef *def)
{
    const double flicker = 2 * 0.693147180559945 / GR_PI * def->instability * def->instability;
    return def->walk * def->walk + 3 * flicker / FLICKER_TIME;
}

/// An error of scale of the gyros is taken for noise that is correlated over a second.
static double scale_noise(const GrFilter *f, const GrSensorDef *imu, int axis)
{
    const double rate = imu->gyro.scale * (part(f->rate, axis) - part(f->bg, axis));
    return 2 * rate * rate * SCALE_TIME;
}

static void add_noise(GrFilter *f, const GrSensorDef *imu, const GrLocalisationDef *def, const Transition *t)
{
    const double slip[3] = {def->slip, def->side_slip, def->side_slip};
    for (int i = 0; i < 3; i++) {
        f->c[GR_AT_V + i][GR_AT_V + i] += t->dt * imu->accelerometer.noise * imu->accelerometer.noise;
        f->c[GR_AT_A + i][GR_AT_A + i] += t->dt * (imu->gyro.noise * imu->gyro.noise + scale_noise(f, imu, i));
        f->c[GR_AT_BG + i][GR_AT_BG + i] += t->dt * walk_of(&imu->gyro);
        f->c[GR_AT_BA + i][GR_AT_BA + i] += t->dt * walk_of(&imu->accelerometer);
        f->c[GR_AT_SLIP + i][GR_AT_SLIP + i] += (1 - t->keep * t->keep) * slip[i] * slip[i];
        f->slip[i] *= t->keep;
    }
}

void gr_filter_predict(GrFilter *f, const GrSensorDef *imu, const GrLocalisationDef *def, double time)
{
    const double dt = time - f->time;
    if (dt <= 0) {
        return;
    }
    const GrVec3 w = gr_sub(f->rate, f->bg), s = gr_sub(f->force, f->ba);
    const GrQuat middle = gr_quat_mul(f->q, gr_quat_exp(gr_scale(dt / 2, w)));
    const GrMat3 r = gr_quat_to_mat3(middle);
    Transition t = {.dt = dt, .keep = gr_exp(-dt / def->slip_time)};
    double sx[3][3], wx[3][3];
    cross_matrix(s, sx);
    cross_matrix(w, wx);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            t.va[i][j] = -dt * (r.m[i][0] * sx[0][j] + r.m[i][1] * sx[1][j] + r.m[i][2] * sx[2][j]);
            t.vb[i][j] = -dt * r.m[i][j];
            t.turn[i][j] = (i == j) - dt * wx[i][j];
        }
    }
    propagate(f, &t);
    add_noise(f, imu, def, &t);
    const GrVec3 a = gr_add(gr_quat_rotate(middle, s), f->gravity);
    f->p = gr_madd(gr_madd(f->p, dt, f->v), dt * dt / 2, a);
    f->v = gr_madd(f->v, dt, a);
    f->q = gr_quat_normalize(gr_quat_mul(f->q, gr_quat_exp(gr_scale(dt, w))));
    f->time = time;
}

// ---- corrections

static GrVec3 three(const double *x)
{
    return gr_vec3(x[0], x[1], x[2]);
}

/// Adds an estimated error to the state.
static void correct(GrFilter *f, const double x[N])
{
    f->p = gr_add(f->p, three(x + GR_AT_P));
    f->v = gr_add(f->v, three(x + GR_AT_V));
    f->q = gr_quat_normalize(gr_quat_mul(f->q, gr_quat_exp(three(x + GR_AT_A))));
    f->bg = gr_add(f->bg, three(x + GR_AT_BG));
    f->ba = gr_add(f->ba, three(x + GR_AT_BA));
    f->last_p = gr_add(f->last_p, three(x + GR_AT_LAST_P));
    f->last_q = gr_quat_normalize(gr_quat_mul(f->last_q, gr_quat_exp(three(x + GR_AT_LAST_A))));
    for (int i = 0; i < 3; i++) {
        f->slip[i] += x[GR_AT_SLIP + i];
    }
    f->scale += x[GR_AT_SCALE];
}

/// One number: its derivatives by the errors, the difference from what was expected, and its standard deviation.
typedef struct Row {
    double h[N];
    double residual, sigma;
} Row;

/// Rows with independent errors, one after another: the gain of each is a division. Those that are too far from what is
/// expected are rejected.
static void update(GrFilter *f, const Row *rows, int count)
{
    double x[N] = {0};
    for (int m = 0; m < count; m++) {
        const Row *row = &rows[m];
        double ch[N], variance = row->sigma * row->sigma, innovation = row->residual;
        for (int i = 0; i < N; i++) {
            ch[i] = 0;
            for (int j = 0; j < N; j++) {
                ch[i] += f->c[i][j] * row->h[j];
            }
            variance += row->h[i] * ch[i];
            innovation -= row->h[i] * x[i];
        }
        if (!(innovation * innovation <= GATE * variance)) {
            f->rejected++;
            continue;
        }
        f->used++;
        for (int i = 0; i < N; i++) {
            x[i] += ch[i] / variance * innovation;
            for (int j = 0; j < N; j++) {
                f->c[i][j] -= ch[i] * ch[j] / variance;
            }
        }
    }
    correct(f, x);
}

/// Velocity of the point in the axes of the body: u = Bᵀ (Rᵀ v + ω × at). The wheels say u = speed (1 − s, β, γ).
void gr_filter_wheels(GrFilter *f, double speed, GrVec3 at, GrQuat body)
{
    const GrVec3 v = gr_quat_rotate(gr_quat_conjugate(f->q), f->v);
    const GrVec3 u = gr_quat_rotate(gr_quat_conjugate(body), gr_add(v, gr_cross(gr_sub(f->rate, f->bg), at)));
    const GrMat3 b = gr_quat_to_mat3(body), r = gr_quat_to_mat3(gr_quat_mul(f->q, body));
    const double expected[3] = {speed * (1 - f->slip[0]), speed * f->slip[1], speed * f->slip[2]};
    double vx[3][3], ax[3][3];
    Row rows[3] = {0};
    cross_matrix(v, vx);
    cross_matrix(at, ax);
    for (int i = 0; i < 3; i++) {
        rows[i].residual = expected[i] - part(u, i);
        rows[i].sigma = (i == 0 ? WHEEL_NOISE : BODY_NOISE) + WHEEL_SHARE * fabs(speed);
        rows[i].h[GR_AT_SLIP + i] = i == 0 ? speed : -speed;
        for (int j = 0; j < 3; j++) {
            rows[i].h[GR_AT_V + j] = r.m[j][i];
            for (int k = 0; k < 3; k++) {
                rows[i].h[GR_AT_A + j] += b.m[k][i] * vx[k][j];
                rows[i].h[GR_AT_BG + j] += b.m[k][i] * ax[k][j]; // −δb × at = at × δb
            }
        }
    }
    update(f, rows, 3);
}

/// Pose of a sensor, and how its errors follow from those of the IMU: δp_c = δp − R [t] δθ, δθ_c = Mᵀ δθ.
typedef struct Place {
    GrVec3 p;
    GrQuat q;
    double lever[3][3]; ///< −R [t]
} Place;

static Place place_of(GrVec3 p, GrQuat q, GrPose mount)
{
    Place out = {.p = gr_add(p, gr_quat_rotate(q, mount.position)), .q = gr_quat_mul(q, mount.rotation)};
    const GrMat3 r = gr_quat_to_mat3(q);
    double tx[3][3];
    cross_matrix(mount.position, tx);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out.lever[i][j] = -(r.m[i][0] * tx[0][j] + r.m[i][1] * tx[1][j] + r.m[i][2] * tx[2][j]);
        }
    }
    return out;
}

/// moved = (1 + κ) C'ᵀ (p_c − p_c'), turned = log(C'ᵀ C), with C' the rotation at the last frame.
void gr_filter_visual(GrFilter *f, const GrSensorDef *visual, GrPose mount, const double values[6])
{
    const Place now = place_of(f->p, f->q, mount), last = place_of(f->last_p, f->last_q, mount);
    const GrQuat back = gr_quat_conjugate(last.q), between = gr_quat_mul(back, now.q);
    const GrVec3 moved = gr_quat_rotate(back, gr_sub(now.p, last.p)), turned = gr_quat_log(between);
    const GrMat3 c = gr_quat_to_mat3(last.q), turn = gr_quat_to_mat3(between), m = gr_quat_to_mat3(mount.rotation);
    double mx[3][3];
    Row rows[ROWS] = {0};
    cross_matrix(moved, mx);
    for (int i = 0; i < 3; i++) {
        Row *shift = &rows[i], *angle = &rows[3 + i];
        shift->residual = values[i] - (1 + f->scale) * part(moved, i);
        shift->sigma = VISUAL_NOISE + visual->drift * gr_norm(moved);
        shift->h[GR_AT_SCALE] = part(moved, i);
        angle->residual = values[3 + i] - part(turned, i);
        angle->sigma = STAR_NOISE + visual->noise;
        for (int j = 0; j < 3; j++) {
            shift->h[GR_AT_P + j] = c.m[j][i];
            shift->h[GR_AT_LAST_P + j] = -c.m[j][i];
            angle->h[GR_AT_A + j] = m.m[j][i];
            for (int k = 0; k < 3; k++) {
                shift->h[GR_AT_A + j] += c.m[k][i] * now.lever[k][j];
                shift->h[GR_AT_LAST_A + j] += mx[i][k] * m.m[j][k] - c.m[k][i] * last.lever[k][j];
                angle->h[GR_AT_LAST_A + j] -= turn.m[k][i] * m.m[j][k];
            }
        }
    }
    update(f, rows, ROWS);
}

void gr_filter_clone(GrFilter *f)
{
    f->last_p = f->p;
    f->last_q = f->q;
    for (int i = 0; i < 3; i++) {
        memcpy(f->c[GR_AT_LAST_P + i], f->c[GR_AT_P + i], sizeof f->c[0]);
        memcpy(f->c[GR_AT_LAST_A + i], f->c[GR_AT_A + i], sizeof f->c[0]);
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 3; j++) {
            f->c[i][GR_AT_LAST_P + j] = f->c[i][GR_AT_P + j];
            f->c[i][GR_AT_LAST_A + j] = f->c[i][GR_AT_A + j];
        }
    }
}

/// The small rotation from the expected to the measured attitude is Mᵀ δθ.
void gr_filter_stars(GrFilter *f, const GrSensorDef *stars, GrQuat mount, GrQuat measured)
{
    const GrVec3 off = gr_quat_log(gr_quat_mul(gr_quat_conjugate(gr_quat_mul(f->q, mount)), measured));
    const GrMat3 m = gr_quat_to_mat3(mount);
    Row rows[3] = {0};
    for (int i = 0; i < 3; i++) {
        rows[i].residual = part(off, i);
        rows[i].sigma = STAR_NOISE + (i == 0 ? stars->noise_about : stars->noise);
        for (int j = 0; j < 3; j++) {
            rows[i].h[GR_AT_A + j] = m.m[j][i];
        }
    }
    update(f, rows, 3);
}
