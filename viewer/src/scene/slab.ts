// The cut face around the map: walls from the border's heights down to a common base, so that a map reads as a block of
// ground and its edge is plain to see.

import * as THREE from "three";
import type { Ground } from "../ground.ts";

const MAX_POINTS = 1024; // along one side

export function makeSlab(ground: Ground, light: Record<string, THREE.IUniform>): THREE.Mesh {
  const f = ground.frame!;
  const width = f.xMax - f.x;
  const depth = f.yMax - f.y;
  const base = f.zMin - Math.max(0.02 * Math.max(width, depth), 0.1 * (f.zMax - f.zMin), 0.15);
  const position: number[] = [];
  const normal: number[] = [];
  const index: number[] = [];
  const side = (x0: number, y0: number, x1: number, y1: number, nx: number, ny: number) => {
    const n = Math.min(MAX_POINTS, Math.max(2, Math.round(Math.hypot(x1 - x0, y1 - y0) / f.base.cell)));
    const first = position.length / 3;
    for (let k = 0; k <= n; k++) {
      const x = x0 + ((x1 - x0) * k) / n;
      const y = y0 + ((y1 - y0) * k) / n;
      position.push(x, y, ground.height(x, y), x, y, base);
      normal.push(nx, ny, 0, nx, ny, 0);
      if (k < n) {
        const a = first + 2 * k;
        index.push(a, a + 1, a + 2, a + 1, a + 3, a + 2);
      }
    }
  };
  side(f.x, f.y, f.xMax, f.y, 0, -1);
  side(f.xMax, f.y, f.xMax, f.yMax, 1, 0);
  side(f.xMax, f.yMax, f.x, f.yMax, 0, 1);
  side(f.x, f.yMax, f.x, f.y, -1, 0);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normal, 3));
  geometry.setIndex(index);
  const material = new THREE.ShaderMaterial({
    uniforms: { uAlbedo: light.uAlbedo!, uSunDirection: light.uSunDirection!, uSunColour: light.uSunColour!, uAmbient: light.uAmbient!, uSky: light.uSky!, uHaze: light.uHaze! },
    vertexShader: /* glsl */ `
      varying vec3 vNormal; varying vec3 vWorld;
      #include <common>
      void main() {
        vNormal = normal; vWorld = position;
        gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 uAlbedo, uSunDirection, uSunColour, uAmbient, uSky; uniform float uHaze;
      varying vec3 vNormal; varying vec3 vWorld;
      #include <common>
      void main() {
        float light = max(0.0, dot(vNormal, uSunDirection));
        vec3 colour = 0.45 * uAlbedo * (uSunColour * light + 1.5 * uAmbient);
        colour = mix(uSky, colour, exp(-length(cameraPosition - vWorld) * uHaze));
        gl_FragColor = vec4(colour, 1.0);
        #include <tonemapping_fragment>
        #include <colorspace_fragment>
      }`,
    side: THREE.DoubleSide,
  });
  return new THREE.Mesh(geometry, material);
}
