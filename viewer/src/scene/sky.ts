// The sky: a gradient drawn behind everything, with the disc of the sun.

import * as THREE from "three";
import type { Planet } from "./planet.ts";

export class Sky {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial>;

  constructor(planet: Planet) {
    const material = new THREE.ShaderMaterial({
      uniforms: {
        uZenith: { value: new THREE.Vector3(...planet.zenith) },
        uHorizon: { value: new THREE.Vector3(...planet.horizon) },
        uSun: { value: new THREE.Vector3(0, 0, 1) },
        uGlow: { value: planet.haze > 0 ? 1 : 0.12 },
      },
      vertexShader: /* glsl */ `
        varying vec3 vDirection;
        void main() {
          vDirection = position;
          vec4 p = projectionMatrix * mat4(mat3(viewMatrix)) * vec4(position, 1.0);
          gl_Position = p.xyww;
        }`,
      fragmentShader: /* glsl */ `
        uniform vec3 uZenith, uHorizon, uSun; uniform float uGlow;
        varying vec3 vDirection;
        void main() {
          vec3 d = normalize(vDirection);
          vec3 colour = mix(uHorizon, uZenith, smoothstep(0.0, 0.7, d.z));
          colour = mix(colour, uHorizon * 0.35, smoothstep(0.0, -0.25, d.z));
          float toSun = max(0.0, dot(d, uSun));
          colour += uGlow * vec3(1.0, 0.9, 0.75) * (0.16 * pow(toSun, 24.0) + 0.4 * pow(toSun, 600.0));
          colour += 3.0 * smoothstep(0.99996, 0.99999, toSun) * step(-0.02, d.z);
          gl_FragColor = vec4(colour, 1.0);
          #include <tonemapping_fragment>
          #include <colorspace_fragment>
        }`,
      side: THREE.BackSide,
      depthWrite: false,
      depthTest: true,
    });
    this.mesh = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1;
  }

  setSun(direction: THREE.Vector3): void {
    (this.mesh.material.uniforms.uSun!.value as THREE.Vector3).copy(direction);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
