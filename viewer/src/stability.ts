// Static stability: centre of mass, support polygon and tip margin from the recorded poses.
//
// The margin is the smallest angle by which the ground would have to tilt before the weight passes over an edge of the
// support polygon (static stability angle): for each edge the angle between the weight and the plane through the
// edge and the centre of mass. It is negative when the weight already acts outside.

import type { Vec3 } from "./head.ts";
import { add, cross, dot, normalize, rotate, scale } from "./math.ts";
import type { Run } from "./run.ts";

export function centreOfMass(run: Run, t: number): Vec3 | null {
  let sum: Vec3 = [0, 0, 0];
  let mass = 0;
  run.head.rover.bodies.forEach((body, index) => {
    const pose = run.bodyPose(index, t);
    if (!pose) return;
    sum = add(sum, scale(add(pose.position, rotate(pose.rotation, body.com)), body.mass));
    mass += body.mass;
  });
  return mass > 0 ? scale(sum, 1 / mass) : null;
}

/** Lowest point of each wheel: where it carries its load. */
export function contactPoint(run: Run, wheel: number, t: number): Vec3 | null {
  const pose = run.wheelPose(wheel, t);
  const w = run.head.rover.wheels[wheel];
  if (!pose || !w) return null;
  const up: Vec3 = [0, 0, 1];
  // Down in the wheel's plane.
  const down = normalize(add(scale(up, -1), scale(pose.axle, dot(up, pose.axle))));
  return add(pose.centre, scale(down, w.radius));
}

/** Convex hull of points seen from above, counter-clockwise (Andrew's monotone chain). */
export function hull(points: Vec3[]): Vec3[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const turn = (o: Vec3, a: Vec3, b: Vec3) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const chain = (input: Vec3[]) => {
    const out: Vec3[] = [];
    for (const p of input) {
      while (out.length >= 2 && turn(out[out.length - 2]!, out[out.length - 1]!, p) <= 0) out.pop();
      out.push(p);
    }
    out.pop();
    return out;
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

/** Tip margin [deg] of a centre of mass over a support polygon that is counter-clockwise from above. */
export function tipMargin(centre: Vec3, polygon: Vec3[], gravity: Vec3): number {
  if (polygon.length < 3) return NaN;
  const weight = normalize(gravity);
  let margin = Infinity;
  for (let k = 0; k < polygon.length; k++) {
    const a = polygon[k]!;
    const b = polygon[(k + 1) % polygon.length]!;
    const edge = normalize([b[0] - a[0], b[1] - a[1], b[2] - a[2]]);
    // From the edge to the centre of mass, and the weight, both without their part along the edge.
    const across = (v: Vec3): Vec3 => add(v, scale(edge, -dot(v, edge)));
    const arm = normalize(across([centre[0] - a[0], centre[1] - a[1], centre[2] - a[2]]));
    const pull = normalize(across(weight));
    // Zero when the weight, seen along the edge, points from the centre of mass to the edge; positive when it falls inside.
    const angle = Math.atan2(dot(cross(scale(arm, -1), pull), edge), -dot(arm, pull));
    margin = Math.min(margin, (angle * 180) / Math.PI);
  }
  return margin;
}

export interface Stability {
  centre: Vec3;
  polygon: Vec3[];
  margin: number;
}

/** Wheels without load do not support; without recorded loads all do. */
export function stability(run: Run, t: number): Stability | null {
  const centre = centreOfMass(run, t);
  if (!centre) return null;
  const points: Vec3[] = [];
  run.head.rover.wheels.forEach((_, w) => {
    const column = run.wheelColumn(w, "load_N");
    const load = column >= 0 ? run.columns.at(column, t) : 1;
    const point = contactPoint(run, w, t);
    if (point && !(load <= 0)) points.push(point);
  });
  const polygon = hull(points);
  return { centre, polygon, margin: tipMargin(centre, polygon, run.head.gravity) };
}
