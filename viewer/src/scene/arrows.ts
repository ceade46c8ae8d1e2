// A reusable pool of arrows of one colour: shaft and head as two instanced meshes.

import * as THREE from "three";

const UP = new THREE.Vector3(0, 1, 0);

export class Arrows {
  readonly group = new THREE.Group();
  private shafts: THREE.InstancedMesh;
  private heads: THREE.InstancedMesh;
  private used = 0;

  constructor(colour: THREE.ColorRepresentation, private capacity: number, private thickness: number) {
    const material = new THREE.MeshBasicMaterial({ color: colour });
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
    const head = new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0);
    this.shafts = new THREE.InstancedMesh(shaft, material, capacity);
    this.heads = new THREE.InstancedMesh(head, material, capacity);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
    this.begin();
  }

  begin(): void {
    this.used = 0;
    this.shafts.count = this.heads.count = 0;
  }

  /** An arrow from `from` along `vector` [m]; too short ones are left out. */
  add(from: THREE.Vector3, vector: THREE.Vector3): void {
    const length = vector.length();
    if (this.used >= this.capacity || !(length > 0.5 * this.thickness)) return;
    const direction = vector.clone().divideScalar(length);
    const q = new THREE.Quaternion().setFromUnitVectors(UP, direction);
    const head = Math.min(4 * this.thickness, 0.5 * length);
    const m = new THREE.Matrix4();
    this.shafts.setMatrixAt(this.used, m.compose(from, q, new THREE.Vector3(this.thickness, length - head, this.thickness)));
    const tip = from.clone().addScaledVector(direction, length - head);
    this.heads.setMatrixAt(this.used, m.compose(tip, q, new THREE.Vector3(2.2 * this.thickness, head, 2.2 * this.thickness)));
    this.used++;
  }

  end(): void {
    this.shafts.count = this.heads.count = this.used;
    this.shafts.instanceMatrix.needsUpdate = true;
    this.heads.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
      mesh.dispose();
    }
  }
}
