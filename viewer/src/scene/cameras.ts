// Cameras: all are an orbit around a target, which differs from camera to camera; the mast looks out instead.
//
//   orbit   a free target              wheel   a wheel from outside, turning with the rover
//   follow  the target is the rover    top     from above, north up        mast    from the rover, ahead

import * as THREE from "three";
import { rotate } from "../math.ts";
import type { World } from "./world.ts";

export const CAMERAS = ["orbit", "follow", "wheel", "top", "mast"] as const;
export type CameraName = (typeof CAMERAS)[number];

interface Orbit {
  azimuth: number;   // of the eye seen from the target, from x toward y [rad]
  elevation: number; // [rad]
  distance: number;
}

const LEAST_CLEARANCE = 0.08; // m of the eye above the ground

export class Cameras {
  name: CameraName = "follow";
  wheel = 0;
  private target = new THREE.Vector3();
  private pan = new THREE.Vector3();
  private orbits: Record<CameraName, Orbit>;

  constructor(private size: number, heading: number) {
    const side = heading - 2.5; // behind and to the right
    this.orbits = {
      orbit: { azimuth: side, elevation: 0.42, distance: 4.2 * size },
      follow: { azimuth: side, elevation: 0.36, distance: 3.3 * size },
      wheel: { azimuth: -0.5, elevation: 0.22, distance: 0.9 * size },
      top: { azimuth: -Math.PI / 2, elevation: Math.PI / 2 - 1e-4, distance: 6 * size },
      mast: { azimuth: 0, elevation: 0.22, distance: 1 },
    };
  }

  select(name: CameraName, world: World): void {
    if (name === "orbit" && this.name !== "orbit") {
      this.target.copy(this.targetOf(world));
      if (this.name === "follow" || this.name === "top") this.orbits.orbit = { ...this.orbits[this.name] };
    }
    this.name = name;
    this.pan.set(0, 0, 0);
  }

  get orbit(): Orbit {
    return this.orbits[this.name];
  }

  rotate(dx: number, dy: number): void {
    const o = this.orbit;
    o.azimuth -= dx;
    const [lower, upper] = this.name === "mast" ? [-1.2, 1.2] : [-0.3, Math.PI / 2 - 1e-4];
    o.elevation = Math.min(upper, Math.max(lower, o.elevation + (this.name === "mast" ? -dy : dy)));
  }

  zoom(factor: number): void {
    const o = this.orbit;
    o.distance = Math.min(5000, Math.max(0.15 * this.size, o.distance * factor));
  }

  /** Moves the target in the plane of the picture; dx and dy are shares of the picture's height. */
  shift(dx: number, dy: number): void {
    if (this.name === "mast") return;
    const o = this.orbit;
    const span = 2 * Math.tan((FIELD_OF_VIEW * Math.PI) / 360) * o.distance;
    const a = o.azimuth + (this.name === "wheel" ? this.lastHeading : 0);
    const right = new THREE.Vector3(-Math.sin(a), Math.cos(a), 0);
    const up = new THREE.Vector3(-Math.cos(a) * Math.sin(o.elevation), -Math.sin(a) * Math.sin(o.elevation), Math.cos(o.elevation));
    this.pan.addScaledVector(right, -dx * span).addScaledVector(up, dy * span);
  }

  /** Keeps the picture when local coordinates count from another point: by what they grow. */
  shiftOrigin(by: number[]): void {
    this.target.add(new THREE.Vector3(by[0], by[1], by[2]));
  }

  /** Back to the middle of the rover. */
  centre(): void {
    this.pan.set(0, 0, 0);
    if (this.name === "orbit") this.name = "follow";
  }

  private lastHeading = 0;

  private chassis(world: World): { position: THREE.Vector3; forward: THREE.Vector3 } {
    const body = world.rover.bodies[0];
    const position = body ? body.position.clone() : new THREE.Vector3();
    const forward = body ? new THREE.Vector3(1, 0, 0).applyQuaternion(body.quaternion) : new THREE.Vector3(1, 0, 0);
    return { position, forward };
  }

  private targetOf(world: World): THREE.Vector3 {
    if (this.name === "orbit") return this.target.clone();
    if (this.name === "wheel") {
      const w = world.run.head.rover.wheels[this.wheel];
      const body = w ? world.rover.bodies[w.body] : undefined;
      if (w && body) return new THREE.Vector3(...w.position).applyQuaternion(body.quaternion).add(body.position);
    }
    return this.chassis(world).position;
  }

  /** Places a camera for a world; returns the point that the ground's detail should surround. */
  place(camera: THREE.PerspectiveCamera, world: World): THREE.Vector3 {
    const o = this.orbit;
    const { position, forward } = this.chassis(world);
    const heading = Math.atan2(forward.y, forward.x);
    this.lastHeading = heading;
    if (this.name === "mast") return this.placeMast(camera, world, position, heading);
    const target = this.targetOf(world).add(this.pan);
    let azimuth = o.azimuth;
    if (this.name === "wheel") {
      // Outside of the wheel: left wheels from the left, right ones from the right.
      const w = world.run.head.rover.wheels[this.wheel];
      const inChassis = w ? target.clone().sub(position).applyQuaternion(world.rover.bodies[0]!.quaternion.clone().invert()) : target;
      azimuth += heading + (inChassis.y >= 0 ? Math.PI / 2 : -Math.PI / 2);
      if (inChassis.y < 0) azimuth -= 2 * o.azimuth;
    }
    const c = Math.cos(o.elevation);
    camera.position.set(target.x + o.distance * c * Math.cos(azimuth), target.y + o.distance * c * Math.sin(azimuth), target.z + o.distance * Math.sin(o.elevation));
    const ground = world.run.height(camera.position.x, camera.position.y);
    camera.position.z = Math.max(camera.position.z, ground + LEAST_CLEARANCE);
    if (this.name === "top" && o.elevation > 1.5) camera.up.set(-Math.cos(o.azimuth), -Math.sin(o.azimuth), 0);
    else camera.up.set(0, 0, 1);
    camera.lookAt(target);
    const eye = camera.position.distanceTo(target);
    camera.near = Math.max(0.01, 0.02 * eye);
    camera.far = 4000 + 60 * eye;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    return target;
  }

  private placeMast(camera: THREE.PerspectiveCamera, world: World, position: THREE.Vector3, heading: number): THREE.Vector3 {
    const body = world.rover.bodies[0];
    const o = this.orbit;
    const top = mastHeight(world);
    const q = body?.quaternion ?? new THREE.Quaternion();
    camera.position.copy(position).add(new THREE.Vector3(top.x, 0, top.z).applyQuaternion(q));
    const look = new THREE.Vector3(Math.cos(o.azimuth), Math.sin(o.azimuth), -Math.tan(Math.min(1.2, Math.max(-1.2, o.elevation)))).applyQuaternion(q);
    camera.up.set(0, 0, 1).applyQuaternion(q);
    camera.lookAt(camera.position.clone().add(look));
    camera.near = 0.02;
    camera.far = 6000;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    return position.clone().add(new THREE.Vector3(Math.cos(heading), Math.sin(heading), 0).multiplyScalar(1.5 * world.rover.size));
  }
}

export const FIELD_OF_VIEW = 40; // deg, vertical

/** Where a camera mast would stand: above the highest point of the chassis' shapes. */
function mastHeight(world: World): { x: number; z: number } {
  let best = { x: 0, z: 0.3 * world.rover.size };
  for (const s of world.run.head.rover.bodies[0]?.shapes ?? []) {
    const points: [number, number][] = [];
    if (s.kind === "rod") points.push([s.from[0], s.from[2] + s.radius], [s.to[0], s.to[2] + s.radius]);
    else if (s.kind === "box") points.push([s.position[0] + rotate(s.rotation, [s.size[0] / 2, 0, 0])[0], s.position[2] + s.size[2] / 2]);
    else if (s.kind === "cylinder" || s.kind === "sphere") points.push([s.position[0], s.position[2] + s.radius]);
    for (const [x, z] of points) if (z > best.z - 1e-6) best = { x: x + 0.02, z: z + 0.03 };
  }
  return best;
}
