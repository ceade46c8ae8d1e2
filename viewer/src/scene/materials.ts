// Materials of rover, rocks and parts: physically based, or simple ones for software rendering. All of them stand in the shadow of the ground: the ceiling of shadow that the terrain's
// layers carry is looked up at every fragment.

import * as THREE from "three";
import { SIZE } from "../layers.ts";

const lookup = /* glsl */ `
precision highp sampler2DArray;
uniform sampler2DArray uHeight;
uniform vec3 uLayer[LAYERS];
varying vec3 vGroundWorld;
float groundLight() {
  for (int k = 0; k < LAYERS; k++) {
    vec2 p = (vGroundWorld.xy - uLayer[k].xy) / uLayer[k].z;
    if (p.x < 0.0 || p.y < 0.0 || p.x > ${SIZE - 1}.0 || p.y > ${SIZE - 1}.0) continue;
    float ceiling = texelFetch(uHeight, ivec3(ivec2(p + 0.5), k), 0).g;
    return clamp(0.5 + (vGroundWorld.z - ceiling) / max(0.04, 2.0 * uLayer[k].z), 0.0, 1.0);
  }
  return 1.0;
}
`;

export type Uniforms = Record<string, THREE.IUniform>;

export type Material = THREE.MeshStandardMaterial | THREE.MeshLambertMaterial;

function standInGroundShadow(material: Material, ground: Uniforms | null): void {
  if (!ground) return;
  material.onBeforeCompile = (shader) => {
    shader.uniforms.uHeight = ground.uHeight!;
    shader.uniforms.uLayer = ground.uLayer!;
    const count = (ground.uLayer!.value as unknown[]).length;
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vGroundWorld;")
      .replace("#include <project_vertex>", "#include <project_vertex>\nvGroundWorld = (modelMatrix * vec4(transformed, 1.0)).xyz;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\n#define LAYERS ${count}\n${lookup}`)
      .replace("#include <lights_fragment_begin>", THREE.ShaderChunk.lights_fragment_begin.replace(
        "getDirectionalLightInfo( directionalLight, directLight );",
        "getDirectionalLightInfo( directionalLight, directLight );\ndirectLight.color *= groundLight();"));
  };
  material.customProgramCacheKey = () => `ground shadow ${(ground.uLayer!.value as unknown[]).length}`;
}

export interface Palette {
  body: Material;
  plate: Material;
  rod: Material;
  round: Material;
  wheel: Material;
  mesh: Material;
  rock: Material;
  part: Material;
  all: Material[];
}

export interface PaletteOptions {
  rock: THREE.ColorRepresentation;
  ghost: boolean;
  simple: boolean;
}

export function makePalette(ground: Uniforms | null, options: PaletteOptions): Palette {
  const all: Material[] = [];
  const make = ({ roughness, metalness, ...parameters }: THREE.MeshStandardMaterialParameters) => {
    const material = options.simple ? new THREE.MeshLambertMaterial(parameters as THREE.MeshLambertMaterialParameters) : new THREE.MeshStandardMaterial({ roughness: roughness ?? 0.6, metalness: metalness ?? 0.1, ...parameters });
    if (options.ghost) {
      material.transparent = true;
      material.opacity = 0.35;
      material.depthWrite = false;
      material.color.lerp(new THREE.Color("#56b4e9"), 0.7);
    }
    standInGroundShadow(material, ground);
    all.push(material);
    return material;
  };
  return {
    body: make({ color: "#e9e4d8", roughness: 0.55 }),
    plate: make({ color: "#44546c", roughness: 0.35, metalness: 0.2 }),
    rod: make({ color: "#8d9299", roughness: 0.4, metalness: 0.35 }),
    round: make({ color: "#b9bdc2", roughness: 0.4, metalness: 0.3 }),
    wheel: make({ color: "#ffffff", roughness: 0.45, metalness: 0.25, vertexColors: true }),
    mesh: make({ color: "#e9e4d8", roughness: 0.55, side: THREE.DoubleSide }),
    rock: make({ color: options.rock, roughness: 0.95, metalness: 0 }),
    part: make({ color: "#9aa3ad", roughness: 0.5, metalness: 0.2, side: THREE.DoubleSide }),
    all,
  };
}
