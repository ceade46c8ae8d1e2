// The rover: one group for each body, moved by the recorded poses; wheels are children of their bodies.

import * as THREE from "three";
import type { Shape, Wheel } from "../head.ts";
import { rotate } from "../math.ts";
import type { Run } from "../run.ts";
import type { Palette } from "./materials.ts";
import { castShadows, disposeTree, meshGeometry, setQuaternion, shapeObject } from "./shapes.ts";
import { wheelGeometry } from "./wheel.ts";

/** Whether a mesh of the wheel's body is as large as the wheel: links of URDFs have such meshes, which are the wheel then. */
function isWheel(run: Run, shape: Shape, wheel: Wheel): boolean {
  const mesh = shape.kind === "mesh" && shape.surface >= 0 ? run.surface(shape) : null;
  if (shape.kind !== "mesh" || !mesh) return false;
  let most = 0;
  for (let k = 0; k + 2 < mesh.vertices.length; k += 3) {
    const p = rotate(shape.rotation, [mesh.vertices[k]!, mesh.vertices[k + 1]!, mesh.vertices[k + 2]!]);
    most = Math.max(most, Math.hypot(p[0] + shape.position[0] - wheel.position[0], p[1] + shape.position[1] - wheel.position[1], p[2] + shape.position[2] - wheel.position[2]));
  }
  return most >= 0.8 * wheel.radius;
}

/** Whether a shape of the wheel's body is a plain cylinder in place of the wheel, which is drawn with its grousers. */
function standsForWheel(shape: Shape, wheel: Wheel): boolean {
  if (shape.kind !== "cylinder") return false;
  const axis = rotate(shape.rotation, [0, 1, 0]);
  const axle = rotate(wheel.rotation, [0, 1, 0]);
  const apart = Math.hypot(shape.position[0] - wheel.position[0], shape.position[1] - wheel.position[1], shape.position[2] - wheel.position[2]);
  const along = Math.abs(axis[0] * axle[0] + axis[1] * axle[1] + axis[2] * axle[2]);
  return apart < 0.1 * wheel.radius && along > 0.99 && Math.abs(shape.radius - wheel.radius) < 0.1 * wheel.radius && shape.length <= 1.1 * wheel.width;
}

const STICK_RADIUS = 0.012; // over the length of a body's longest stick, as in drawings (src/draw/drawn_rover.c)

/** Rods from the origin of a body without shapes to its joints: rockers, arms and forks. */
function sticks(run: Run, body: number): Shape[] {
  const ends = run.head.rover.joints.filter((j) => j.parent === body).map((j) => j.position);
  const radius = STICK_RADIUS * Math.max(0, ...ends.map((p) => Math.hypot(...p)));
  return radius > 0 ? ends.map((to) => ({ kind: "rod", from: [0, 0, 0], to, radius })) : [];
}

export class Rover {
  readonly group = new THREE.Group();
  readonly bodies: THREE.Group[] = [];
  /** Radius of a sphere around the chassis that holds the whole rover. */
  readonly size: number;

  constructor(private run: Run, palette: Palette, shadows: boolean) {
    const { bodies, wheels } = run.head.rover;
    bodies.forEach((body, index) => {
      const group = new THREE.Group();
      const own = wheels.filter((w) => w.body === index);
      const shapes = body.shapes.length > 0 || own.some((w) => !w.rimless) ? body.shapes : sticks(run, index);
      for (const shape of shapes) if (!own.some((w) => standsForWheel(shape, w))) group.add(shapeObject(shape, palette, shape.kind === "mesh" ? run.surface(shape) : null));
      this.bodies.push(group);
      this.group.add(group);
    });
    for (const wheel of wheels) {
      if (bodies[wheel.body]!.shapes.some((shape) => isWheel(run, shape, wheel))) continue;
      const surface = run.surface(wheel);
      const mesh = new THREE.Mesh(surface ? meshGeometry(surface) : wheelGeometry(wheel), surface ? palette.mesh : palette.wheel);
      mesh.position.set(...wheel.position);
      setQuaternion(mesh.quaternion, wheel.rotation);
      this.bodies[wheel.body]!.add(mesh);
    }
    if (shadows) castShadows(this.group);
    this.setTime(run.start);
    this.size = this.measure();
  }

  private measure(): number {
    this.group.updateMatrixWorld(true);
    const box = new THREE.Box3().setFromObject(this.group);
    return box.isEmpty() ? 1 : Math.max(0.2, box.getSize(new THREE.Vector3()).length() / 2);
  }

  setTime(t: number): void {
    this.bodies.forEach((group, index) => {
      const pose = this.run.bodyPose(index, t);
      group.visible = pose !== null;
      if (!pose) return;
      group.position.set(...pose.position);
      setQuaternion(group.quaternion, pose.rotation);
    });
  }

  dispose(): void {
    disposeTree(this.group);
  }
}
