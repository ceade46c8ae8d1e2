/// Plain math types of the public API. Quaternions are (w, x, y, z); matrices are row-major. The library's functions
/// for them are internal; callers use their own.
///
/// Example: a pose 1 m ahead, turned by 90 degrees to the left.
///
///     const double half = 90 * GR_DEGREE / 2;
///     const GrPose pose = {.position = {1, 0, 0}, .rotation = {cos(half), 0, 0, sin(half)}};
///     printf("w = z = %.4f\n", pose.rotation.z); // prints: w = z = 0.7071
#ifndef GROUSER_VEC_H
#define GROUSER_VEC_H

#ifdef __cplusplus
extern "C" {
#endif

#define GR_PI     3.14159265358979323846
#define GR_DEGREE (GR_PI / 180) ///< [rad]

typedef struct GrVec3 {
    double x, y, z;
} GrVec3;

/// Unit quaternion that rotates vectors from the child frame into the parent frame.
typedef struct GrQuat {
    double w, x, y, z;
} GrQuat;

/// Row-major 3 x 3 matrix: m[row][column].
typedef struct GrMat3 {
    double m[3][3];
} GrMat3;

/// Symmetric 3 x 3 matrix.
typedef struct GrSym3 {
    double xx, yy, zz, xy, xz, yz;
} GrSym3;

/// Position and orientation of a frame in its parent.
typedef struct GrPose {
    GrVec3 position;
    GrQuat rotation;
} GrPose;

#ifdef __cplusplus
}
#endif
#endif
