// The ground as a geometry clipmap: rings of triangles around the point of interest, each twice as coarse as the one
// inside it, displaced by the layers' textures (layers.ts, terrain_shader.ts).
//
// Rings move in steps of two of their cells, so that a vertex always stands on the same spot of the map. The hole of
// a ring is then at one of four places; there is an index buffer for each.

import * as THREE from "three";
import { CATEGORIES, cividis, hex, toLinear, viridis, type Rgb } from "../colours.ts";
import { Layers, SIZE, type Sun, type Upload } from "../layers.ts";
import type { Run } from "../run.ts";
import { makeNoise } from "./noise.ts";
import { makeSlab } from "./slab.ts";
import { terrainFragment, terrainVertex } from "./terrain_shader.ts";

export type ColourMode = "regolith" | "height" | "slope" | "soil";
export const COLOUR_MODES: ColourMode[] = ["regolith", "height", "slope", "soil"];
export const SLOPE_MAX = 35; // deg, end of the slope scale

export interface Quality {
  software: boolean;  // no GPU: simple materials and filters
  ring: number;       // cells along the side of a ring, a multiple of 4
  shadowMap: number;  // texels
  antialias: boolean;
  filtersFloats: boolean; // textures of 32-bit floats can be filtered: for software renderers they are faster than 16-bit ones
  pixelRatio: number;
}

/**
 * Grid vertices and the index buffers: full, and with the hole at its four places. Quads come in narrow columns, and rows are
 * padded to an odd multiple of 32 vertices, so that the small, direct-mapped vertex caches of software renderers hold two rows of a column.
 */
function ringGeometries(n: number): { full: THREE.BufferGeometry; holes: THREE.BufferGeometry[] } {
  const stride = 64 * Math.ceil((n + 1 - 32) / 64) + 32;
  const columns = 30;
  const position = new Float32Array(3 * stride * (n + 1));
  for (let j = 0; j <= n; j++)
    for (let i = 0; i <= n; i++) {
      position[3 * (j * stride + i)] = i;
      position[3 * (j * stride + i) + 1] = j;
    }
  const attribute = new THREE.BufferAttribute(position, 3);
  const build = (skip: (i: number, j: number) => boolean) => {
    const index: number[] = [];
    for (let first = 0; first < n; first += columns)
      for (let j = 0; j < n; j++)
        for (let i = first; i < Math.min(n, first + columns); i++) {
          if (skip(i, j)) continue;
          const a = j * stride + i;
          const c = a + stride;
          // Diagonals in a diamond pattern follow ridges in either direction alike.
          if ((i + j) % 2 === 0) index.push(a, a + 1, c + 1, a, c + 1, c);
          else index.push(a, a + 1, c, a + 1, c + 1, c);
        }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", attribute);
    geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(index), 1));
    return geometry;
  };
  const holes: THREE.BufferGeometry[] = [];
  for (let oy = 0; oy < 2; oy++)
    for (let ox = 0; ox < 2; ox++) {
      const x0 = n / 4 + ox;
      const y0 = n / 4 + oy;
      holes.push(build((i, j) => i >= x0 && i < x0 + n / 2 && j >= y0 && j < y0 + n / 2));
    }
  return { full: build(() => false), holes };
}

function arrayTexture(data: Float32Array<ArrayBuffer>, depth: number, format: THREE.PixelFormat, internal: "RG32F" | "RGBA16F" | "RGBA32F", filter: THREE.MagnificationTextureFilter): THREE.DataArrayTexture {
  const texture = new THREE.DataArrayTexture(data, SIZE, SIZE, depth);
  texture.format = format;
  texture.type = THREE.FloatType;
  texture.internalFormat = internal;
  texture.minFilter = filter;
  texture.magFilter = filter;
  texture.generateMipmaps = false;
  texture.unpackAlignment = 4;
  texture.needsUpdate = true;
  return texture;
}

function scaleTexture(scale: (t: number) => Rgb): THREE.DataTexture {
  const data = new Uint8Array(256 * 4);
  for (let k = 0; k < 256; k++) data.set([...scale(k / 255).map((c) => Math.round(255 * c)), 255], 4 * k);
  const texture = new THREE.DataTexture(data, 256, 1);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.magFilter = THREE.LinearFilter;
  texture.minFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

export class Terrain {
  readonly group = new THREE.Group();
  readonly layers: Layers;
  private rings: THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial>[] = [];
  private geometry: ReturnType<typeof ringGeometries>;
  private shared: Record<string, THREE.IUniform>;
  private heightTexture: THREE.DataArrayTexture;
  private detailTexture: THREE.DataArrayTexture;
  private slab: THREE.Mesh;
  private heightScale = scaleTexture(cividis);
  private slopeScale = scaleTexture(viridis);

  constructor(private run: Run, private quality: Quality, sun: Sun) {
    this.layers = new Layers(run.ground, run.ruts, run.head.origin, sun);
    const count = this.layers.layers.length;
    this.heightTexture = arrayTexture(this.layers.heightData, count, THREE.RGFormat, "RG32F", THREE.NearestFilter);
    this.detailTexture = arrayTexture(this.layers.detailData, count, THREE.RGBAFormat, quality.software && quality.filtersFloats ? "RGBA32F" : "RGBA16F", THREE.LinearFilter);
    this.geometry = ringGeometries(quality.ring);
    this.shared = this.makeUniforms(count);
    this.makeRings();
    this.slab = makeSlab(run.ground, this.shared);
    this.group.add(this.slab);
  }

  private makeUniforms(count: number): Record<string, THREE.IUniform> {
    const frame = this.run.ground.frame!;
    return {
      ...THREE.UniformsUtils.clone(THREE.UniformsLib.lights),
      uHeight: { value: this.heightTexture },
      uDetail: { value: this.detailTexture },
      uNoise: { value: makeNoise(!this.quality.software) },
      uSoil: { value: soilTexture(this.run) },
      uSoilFrame: { value: this.soilFrame() },
      uSoilSize: { value: new THREE.Vector2(this.run.soil?.nx ?? 1, this.run.soil?.ny ?? 1) },
      uSoilColour: { value: CATEGORIES.map((c) => new THREE.Vector3(...toLinear(hex(c)))) },
      uScale: { value: this.heightScale },
      uLayer: { value: Array.from({ length: count }, () => new THREE.Vector3()) },
      uBounds: { value: new THREE.Vector4(frame.x, frame.y, frame.xMax, frame.yMax) },
      uRange: { value: new THREE.Vector2(frame.zMin, frame.zMax) },
      uMode: { value: 0 },
      uAlbedo: { value: new THREE.Vector3() },
      uSunDirection: { value: new THREE.Vector3(0, 0, 1) },
      uSunColour: { value: new THREE.Vector3(1, 1, 1) },
      uAmbient: { value: new THREE.Vector3() },
      uSky: { value: new THREE.Vector3() },
      uHaze: { value: 0 },
      uPixel: { value: 0.001 },
      uGrid: { value: 0 },
    };
  }

  /** Uniforms that other materials share to stand in the ground's shadow. */
  get uniforms(): Record<string, THREE.IUniform> {
    return this.shared;
  }

  private soilFrame(): THREE.Vector4 {
    const soil = this.run.soil;
    const [ox, oy] = this.run.head.origin;
    return soil ? new THREE.Vector4(soil.x - ox, soil.y - oy, 1 / soil.cell, 0) : new THREE.Vector4(0, 0, 0, 0);
  }

  private makeRings(): void {
    const n = this.quality.ring;
    const extent = Math.max(...this.extent());
    const base = this.layers.layers[0]!.cell;
    // The outermost ring reaches from any focus over the whole map.
    const count = Math.max(3, Math.ceil(Math.log2((2 * extent) / ((n - 2) * base))) + 1);
    for (let l = 0; l < count; l++) {
      const material = new THREE.ShaderMaterial({
        uniforms: {
          ...this.shared, uRingOrigin: { value: new THREE.Vector2() }, uRingCell: { value: 1 },
          uHeightA: { value: new THREE.Vector4() }, uHeightB: { value: new THREE.Vector4() }, uDetailA: { value: new THREE.Vector4() }, uDetailB: { value: new THREE.Vector4() },
        },
        vertexShader: terrainVertex,
        fragmentShader: terrainFragment,
        defines: { RING: n.toFixed(1), ...(this.run.ground.grids.some((g) => g.mask) ? { HOLES: 1 } : {}) },
        lights: true,
      });
      const mesh = new THREE.Mesh(this.geometry.full, material);
      mesh.frustumCulled = false;
      mesh.receiveShadow = true;
      mesh.renderOrder = 0.5; // after the rover, which hides a part of it, and before the sky
      this.rings.push(mesh);
      this.group.add(mesh);
    }
  }

  private extent(): [number, number] {
    const f = this.run.ground.frame!;
    return [f.xMax - f.x, f.yMax - f.y];
  }

  setMode(mode: ColourMode): void {
    const frame = this.run.ground.frame!;
    this.shared.uMode!.value = COLOUR_MODES.indexOf(mode);
    this.shared.uScale!.value = mode === "slope" ? this.slopeScale : this.heightScale;
    (this.shared.uRange!.value as THREE.Vector2).set(mode === "slope" ? 0 : frame.zMin, mode === "slope" ? SLOPE_MAX : frame.zMax);
  }

  setGrid(metres: number): void {
    this.shared.uGrid!.value = metres;
  }

  setLight(light: { albedo: Rgb; direction: THREE.Vector3; sun: Rgb; ambient: Rgb; sky: Rgb; haze: number }): void {
    const set = (name: string, c: Rgb) => (this.shared[name]!.value as THREE.Vector3).set(...c);
    set("uAlbedo", light.albedo);
    set("uSunColour", light.sun);
    set("uAmbient", light.ambient);
    set("uSky", light.sky);
    (this.shared.uSunDirection!.value as THREE.Vector3).copy(light.direction);
    this.shared.uHaze!.value = light.haze;
  }

  setSun(sun: Sun): void {
    this.layers.setSun(sun);
  }

  /** New soil map. */
  refreshSoil(): void {
    this.shared.uSoil!.value = soilTexture(this.run);
    this.shared.uSoilFrame!.value = this.soilFrame();
    (this.shared.uSoilSize!.value as THREE.Vector2).set(this.run.soil?.nx ?? 1, this.run.soil?.ny ?? 1);
  }

  /** Moves rings and layers to a focus; `eyeDistance` decides how fine the innermost ring is. */
  update(renderer: THREE.WebGLRenderer, focus: THREE.Vector3, eyeDistance: number, pixelAngle: number): void {
    const frame = this.run.ground.frame!;
    const x = Math.min(frame.xMax, Math.max(frame.x, focus.x));
    const y = Math.min(frame.yMax, Math.max(frame.y, focus.y));
    this.upload(renderer, this.layers.update(x, y));
    const layerUniform = this.shared.uLayer!.value as THREE.Vector3[];
    this.layers.layers.forEach((l, k) => layerUniform[k]!.set(this.layers.x(l), this.layers.y(l), l.cell));
    this.shared.uPixel!.value = pixelAngle;
    this.placeRings(x, y, eyeDistance);
  }

  /**
   * Layers of ring l: the finest that holds the ring wherever the focus stands in the layer for normals and light, and one with
   * about the ring's own cell for heights.
   */
  private chooseLayers(mesh: THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial>, l: number): void {
    const finer = Math.floor(Math.log2((SIZE / 2 - SIZE / 8) / (this.quality.ring / 2 + 2)));
    const set = (name: string, index: number) => {
      const k = Math.min(this.layers.layers.length - 1, Math.max(0, index));
      const layer = this.layers.layers[k]!;
      (mesh.material.uniforms[name]!.value as THREE.Vector4).set(this.layers.x(layer), this.layers.y(layer), 1 / layer.cell, k);
    };
    set("uHeightA", l - 1);
    set("uHeightB", l);
    set("uDetailA", l - finer);
    set("uDetailB", l - finer + 1);
  }

  private placeRings(x: number, y: number, eyeDistance: number): void {
    const n = this.quality.ring;
    const base = this.layers.layers[0]!.cell;
    // The innermost cells need not be smaller than a few pixels.
    const skip = Math.max(0, Math.min(this.rings.length - 3, Math.floor(Math.log2((eyeDistance * 0.003) / base))));
    let inner: { i: number; j: number } | null = null;
    this.rings.forEach((mesh, l) => {
      mesh.visible = l >= skip;
      if (!mesh.visible) return;
      const cell = base * 2 ** l;
      const i = 2 * Math.floor(x / (2 * cell)) - n / 2;
      const j = 2 * Math.floor(y / (2 * cell)) - n / 2;
      if (inner) {
        const ox = inner.i / 2 - i - n / 4;
        const oy = inner.j / 2 - j - n / 4;
        mesh.geometry = this.geometry.holes[oy * 2 + ox]!;
      } else mesh.geometry = this.geometry.full;
      (mesh.material.uniforms.uRingOrigin!.value as THREE.Vector2).set(i * cell, j * cell);
      mesh.material.uniforms.uRingCell!.value = cell;
      this.chooseLayers(mesh, l);
      inner = { i, j };
    });
  }

  /** Changed rows of layers straight into the textures: three.js itself only uploads whole layers. */
  private upload(renderer: THREE.WebGLRenderer, uploads: Upload[]): void {
    if (uploads.length === 0) return;
    const gl = renderer.getContext() as WebGL2RenderingContext;
    const put = (texture: THREE.DataArrayTexture, format: number, channels: number, data: (layer: number) => Float32Array) => {
      renderer.initTexture(texture);
      const handle = (renderer.properties.get(texture) as { __webglTexture: WebGLTexture }).__webglTexture;
      renderer.state.bindTexture(gl.TEXTURE_2D_ARRAY, handle);
      gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
      gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
      for (const u of uploads) {
        const rows = data(u.layer).subarray(u.j0 * SIZE * channels, u.j1 * SIZE * channels);
        gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, u.j0, u.layer, SIZE, u.j1 - u.j0, 1, format, gl.FLOAT, rows);
      }
      renderer.state.unbindTexture();
    };
    put(this.heightTexture, gl.RG, 2, (k) => this.layers.layers[k]!.height);
    put(this.detailTexture, gl.RGBA, 4, (k) => this.layers.layers[k]!.detail);
  }

  dispose(): void {
    this.heightTexture.dispose();
    this.detailTexture.dispose();
    this.heightScale.dispose();
    this.slopeScale.dispose();
    (this.shared.uNoise!.value as THREE.Texture).dispose();
    (this.shared.uSoil!.value as THREE.Texture).dispose();
    this.geometry.full.dispose();
    this.geometry.holes.forEach((g) => g.dispose());
    this.slab.geometry.dispose();
    this.rings.forEach((r) => r.material.dispose());
  }
}

function soilTexture(run: Run): THREE.DataTexture {
  const soil = run.soil;
  const texture = new THREE.DataTexture(soil ? soil.soil.slice() : new Uint8Array([0]), soil?.nx ?? 1, soil?.ny ?? 1, THREE.RedFormat);
  texture.unpackAlignment = 1;
  texture.needsUpdate = true;
  return texture;
}
