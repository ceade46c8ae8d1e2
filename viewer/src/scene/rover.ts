// The rover: one group for each body, moved by the recorded poses; wheels are children of their bodies.

import * as THREE from "three";
import type { Run } from "../run.ts";
import type { Palette } from "./materials.ts";
import { castShadows, disposeTree, meshGeometry, setQuaternion, shapeObject } from "./shapes.ts";
import { wheelGeometry } from "./wheel.ts";

export class Rover {
  readonly group = new THREE.Group();
  readonly bodies: THREE.Group[] = [];
  /** Radius of a sphere around the chassis that holds the whole rover. */
  readonly size: number;

  constructor(private run: Run, palette: Palette, shadows: boolean) {
    const { bodies, wheels } = run.head.rover;
    for (const body of bodies) {
      const group = new THREE.Group();
      for (const shape of body.shapes) group.add(shapeObject(shape, palette));
      this.bodies.push(group);
      this.group.add(group);
    }
    for (const wheel of wheels) {
      const mesh = new THREE.Mesh(wheel.mesh ? meshGeometry(wheel.mesh) : wheelGeometry(wheel), wheel.mesh ? palette.mesh : palette.wheel);
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
