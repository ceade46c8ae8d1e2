// Geometry of a wheel: rim with crown, hub, spokes and grousers, in the wheel frame (y along the axle).
//
//        _____ grousers        One spoke has a signal colour, so that the rotation can be followed.
//      /|  |  |\
//     | |--o--| |  spokes and hub
//      \|__|__|/  rim

import * as THREE from "three";
import type { Wheel } from "../head.ts";

const RIM: [number, number, number] = [0.50, 0.51, 0.53];
const INSIDE: [number, number, number] = [0.22, 0.23, 0.25];
const GROUSER: [number, number, number] = [0.33, 0.34, 0.36];
const HUB: [number, number, number] = [0.16, 0.17, 0.19];
const SPOKE: [number, number, number] = [0.58, 0.58, 0.60];
const MARK: [number, number, number] = [0.84, 0.37, 0.0];

class Builder {
  position: number[] = [];
  normal: number[] = [];
  colour: number[] = [];
  index: number[] = [];

  quad(a: THREE.Vector3, b: THREE.Vector3, c: THREE.Vector3, d: THREE.Vector3, rgb: [number, number, number], smooth?: [THREE.Vector3, THREE.Vector3, THREE.Vector3, THREE.Vector3]): void {
    const flat = new THREE.Vector3().subVectors(b, a).cross(new THREE.Vector3().subVectors(c, a)).normalize();
    const n = smooth ?? [flat, flat, flat, flat];
    const first = this.position.length / 3;
    [a, b, c, d].forEach((p, k) => {
      this.position.push(p.x, p.y, p.z);
      this.normal.push(n[k]!.x, n[k]!.y, n[k]!.z);
      this.colour.push(...rgb);
    });
    this.index.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }

  /** A box with half axes u, v, w around c. */
  box(c: THREE.Vector3, u: THREE.Vector3, v: THREE.Vector3, w: THREE.Vector3, rgb: [number, number, number]): void {
    const p = (a: number, b: number, d: number) => c.clone().addScaledVector(u, a).addScaledVector(v, b).addScaledVector(w, d);
    const face = (f: (s: number, t: number) => THREE.Vector3, flip: boolean) => {
      const q = [f(-1, -1), f(1, -1), f(1, 1), f(-1, 1)] as const;
      if (flip) this.quad(q[3], q[2], q[1], q[0], rgb);
      else this.quad(q[0], q[1], q[2], q[3], rgb);
    };
    const right = u.clone().cross(v).dot(w) > 0;
    face((s, t) => p(s, t, 1), !right);
    face((s, t) => p(s, t, -1), right);
    face((s, t) => p(1, s, t), !right);
    face((s, t) => p(-1, s, t), right);
    face((s, t) => p(t, 1, s), !right);
    face((s, t) => p(t, -1, s), right);
  }

  /** A surface of revolution about y through profile points (y, r), outward normals to the left of the profile's direction. */
  revolve(profile: [number, number][], segments: number, rgb: [number, number, number]): void {
    for (let k = 0; k + 1 < profile.length; k++) {
      const [y0, r0] = profile[k]!;
      const [y1, r1] = profile[k + 1]!;
      const length = Math.hypot(y1 - y0, r1 - r0) || 1;
      const ny = -(r1 - r0) / length;
      const nr = (y1 - y0) / length;
      for (let s = 0; s < segments; s++) {
        const a = (2 * Math.PI * s) / segments;
        const b = (2 * Math.PI * (s + 1)) / segments;
        const at = (y: number, r: number, angle: number) => new THREE.Vector3(r * Math.sin(angle), y, r * Math.cos(angle));
        const nn = (angle: number) => new THREE.Vector3(nr * Math.sin(angle), ny, nr * Math.cos(angle));
        this.quad(at(y0, r0, a), at(y0, r0, b), at(y1, r1, b), at(y1, r1, a), rgb, [nn(a), nn(b), nn(b), nn(a)]);
      }
    }
  }

  build(): THREE.BufferGeometry {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(this.position, 3));
    geometry.setAttribute("normal", new THREE.Float32BufferAttribute(this.normal, 3));
    geometry.setAttribute("color", new THREE.Float32BufferAttribute(this.colour, 3));
    geometry.setIndex(this.index);
    return geometry;
  }
}

/** Radius of the tread at a distance y from the middle: a crown makes it lower at the sides. */
function treadRadius(w: Wheel, y: number): number {
  const half = w.width / 2;
  return w.radius - w.crown * (y / half) ** 2;
}

function addRim(b: Builder, w: Wheel): void {
  const half = w.width / 2;
  const thick = 0.07 * w.radius;
  const steps = w.crown > 0 ? 6 : 1;
  const tread: [number, number][] = [];
  for (let k = 0; k <= steps; k++) {
    const y = -half + (w.width * k) / steps;
    tread.push([y, treadRadius(w, y)]);
  }
  const edge = treadRadius(w, half);
  b.revolve(tread, 48, RIM);
  b.revolve([[half, edge], [half, edge - thick]], 48, RIM);
  b.revolve([[-half, edge - thick], [-half, edge]], 48, RIM);
  b.revolve([[half, edge - thick], [-half, edge - thick]], 48, INSIDE);
}

function addHub(b: Builder, w: Wheel): void {
  const hub = 0.24 * w.radius;
  const half = 0.36 * w.width;
  b.revolve([[half, hub], [half, 0]], 24, HUB);
  b.revolve([[-half, hub], [half, hub]], 24, HUB);
  b.revolve([[-half, 0], [-half, hub]], 24, HUB);
  const spokes = 6;
  const inner = 0.2 * w.radius;
  const outer = 0.95 * w.radius - w.crown;
  for (const side of [-0.3, 0.3])
    for (let k = 0; k < spokes; k++) {
      const a = (2 * Math.PI * k) / spokes;
      const radial = new THREE.Vector3(Math.sin(a), 0, Math.cos(a));
      const across = new THREE.Vector3(Math.cos(a), 0, -Math.sin(a));
      const centre = radial.clone().multiplyScalar((inner + outer) / 2).setY(side * w.width);
      b.box(centre, radial.clone().multiplyScalar((outer - inner) / 2), new THREE.Vector3(0, 0.05 * w.width, 0), across.multiplyScalar(0.055 * w.radius), k === 0 ? MARK : SPOKE);
    }
}

/** One bar from (y0, angle0) to (y1, angle1) on the tread, in steps where it bends around the rim. */
function addBar(b: Builder, w: Wheel, y0: number, angle0: number, y1: number, angle1: number): void {
  const g = w.grousers;
  const steps = Math.max(1, Math.ceil(Math.abs(angle1 - angle0) / 0.15), w.crown > 0 ? 3 : 1);
  const sink = 0.02 * w.radius;
  for (let k = 0; k < steps; k++) {
    const at = (t: number) => {
      const y = y0 + (y1 - y0) * t;
      const a = angle0 + (angle1 - angle0) * t;
      const r = treadRadius(w, y) + g.height / 2 - sink / 2;
      return new THREE.Vector3(r * Math.sin(a), y, r * Math.cos(a));
    };
    const p = at(k / steps);
    const q = at((k + 1) / steps);
    const centre = p.clone().add(q).multiplyScalar(0.5);
    const along = q.clone().sub(p).multiplyScalar(0.5);
    const radial = new THREE.Vector3(centre.x, 0, centre.z).normalize();
    const across = along.clone().cross(radial).normalize().multiplyScalar(Math.max(g.thickness, 0.012 * w.radius) / 2);
    b.box(centre, along, across, radial.multiplyScalar((g.height + sink) / 2), GROUSER);
  }
}

function addGrousers(b: Builder, w: Wheel): void {
  const g = w.grousers;
  if (g.count === 0 || g.height <= 0) return;
  const half = w.width / 2;
  // A bar at the angle `angle` to the axle runs this far around the rim over the whole width.
  const twist = (Math.tan(g.angle) * w.width) / w.radius;
  for (let k = 0; k < g.count; k++) {
    const a = (2 * Math.PI * k) / g.count;
    if (g.pattern === "chevron") {
      addBar(b, w, -half, a - twist / 4, 0, a + twist / 4);
      addBar(b, w, 0, a + twist / 4, half, a - twist / 4);
    } else if (g.pattern === "slanted") addBar(b, w, -half, a - twist / 2, half, a + twist / 2);
    else addBar(b, w, -half, a, half, a);
  }
}

export function wheelGeometry(w: Wheel): THREE.BufferGeometry {
  const b = new Builder();
  if (!w.rimless) addRim(b, w);
  addHub(b, w);
  addGrousers(b, w);
  return b.build();
}
