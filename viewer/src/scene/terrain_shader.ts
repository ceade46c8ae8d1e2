// Shaders of the ground. Vertices take their height from the layers (layers.ts), fragments their normal, light and cover.
//
// Each ring reads one layer (A) and blends into the next ring's layer (B) toward its outer edge, together with its vertices.
// At the border both rings thus read the same layer at the same vertices: there are no cracks.

import { SIZE } from "../layers.ts";
import { NOISE_METRES, NOISE_RANGE, NOISE_TEXEL } from "./noise.ts";

export const terrainVertex = /* glsl */ `
precision highp float;
precision highp sampler2DArray;
#define SIZE ${SIZE}
uniform sampler2DArray uHeight;  // height, ceiling of shadow
uniform vec4 uHeightA;           // a layer: local x, y of node 0; 1 / cell; index
uniform vec4 uHeightB;
uniform vec2 uRingOrigin;
uniform float uRingCell;
uniform vec4 uBounds;            // of the map: x, y, x, y
uniform float uHaze;             // per metre
uniform float uPixel;            // angle of a pixel
varying vec3 vWorld;
varying float vBlend;
varying float vLevel;            // of the noise's mipmaps
varying float vClear;            // share of light that comes through the haze
#include <common>
#include <shadowmap_pars_vertex>

float layerHeight(vec4 layer, vec2 xy) {
  vec2 p = clamp((xy - layer.xy) * layer.z, vec2(0.0), vec2(float(SIZE) - 1.001));
  ivec2 i = ivec2(p);
  vec2 f = p - vec2(i);
  int k = int(layer.w);
  float a = texelFetch(uHeight, ivec3(i, k), 0).r;
  float b = texelFetch(uHeight, ivec3(i + ivec2(1, 0), k), 0).r;
  float c = texelFetch(uHeight, ivec3(i + ivec2(0, 1), k), 0).r;
  float d = texelFetch(uHeight, ivec3(i + ivec2(1, 1), k), 0).r;
  return mix(mix(a, b, f.x), mix(c, d, f.x), f.y);
}

void main() {
  // Odd vertices slide onto even ones toward the outer edge, where the next ring has only those.
  vec2 g = position.xy;
  vec2 fromCentre = abs(g - 0.5 * RING) / (0.5 * RING);
  float t = clamp((max(fromCentre.x, fromCentre.y) - 0.8) / 0.16, 0.0, 1.0);
  vBlend = t;
  g -= mod(g, 2.0) * t;
  // What lies outside the map collapses onto its edge: discarding pixels instead would cost renderers their early depth test.
  vec2 xy = clamp(uRingOrigin + g * uRingCell, uBounds.xy, uBounds.zw);
  float h = t < 1.0 ? layerHeight(uHeightA, xy) : 0.0;
  if (t > 0.0) h = mix(h, layerHeight(uHeightB, xy), t);
  vec4 worldPosition = vec4(xy, h, 1.0);
  vec3 transformedNormal = vec3(0.0, 0.0, 1.0);
  vWorld = worldPosition.xyz;
  float distance = length(cameraPosition - vWorld);
  vLevel = log2(distance * uPixel * ${(1.4 / NOISE_TEXEL).toFixed(1)});
  vClear = exp(-distance * uHaze);
  vec4 mvPosition = viewMatrix * worldPosition;
  gl_Position = projectionMatrix * mvPosition;
  #include <shadowmap_vertex>
}
`;

export const terrainFragment = /* glsl */ `
precision highp float;
precision highp sampler2DArray;
#define SIZE ${SIZE}
uniform sampler2DArray uDetail;  // gradient x, y, light, cover
uniform vec4 uDetailA;           // a layer: local x, y of node 0; 1 / cell; index
uniform vec4 uDetailB;
uniform sampler2D uNoise;        // slope x, y, albedo
uniform sampler2D uSoil;
uniform sampler2D uScale;        // colours of height and slope
uniform vec4 uSoilFrame;         // local x, y of the first cell's centre, 1 / cell, 0
uniform vec2 uSoilSize;
uniform vec3 uSoilColour[8];
uniform vec2 uRange;             // of heights, or of slopes [deg]
uniform int uMode;               // 0 regolith, 1 height, 2 slope, 3 soil
uniform vec3 uAlbedo;
uniform vec3 uSunDirection;
uniform vec3 uSunColour;
uniform vec3 uAmbient;
uniform vec3 uSky;
uniform float uGrid;             // metres between grid lines, 0: none
varying vec3 vWorld;
varying float vBlend;
varying float vLevel;
varying float vClear;
#include <common>
#include <bsdfs>
#include <lights_pars_begin>
#include <shadowmap_pars_fragment>
#include <shadowmask_pars_fragment>

// Software rendering: one texel of the shadow map without filters. The light's camera is orthographic, w is 1.
float sunMask() {
  #if defined(USE_SHADOWMAP) && defined(SHADOWMAP_TYPE_BASIC) && NUM_DIR_LIGHT_SHADOWS > 0
  vec3 c = vDirectionalShadowCoord[0].xyz;
  if (min(c.x, c.y) < 0.0 || max(c.x, c.y) >= 1.0 || c.z > 1.0) return 1.0;
  float depth = texelFetch(directionalShadowMap[0], ivec2(c.xy * directionalLightShadows[0].shadowMapSize), 0).r;
  return step(c.z + directionalLightShadows[0].shadowBias, depth);
  #else
  return getShadowMask();
  #endif
}

vec4 layerDetail(vec4 layer, vec2 xy) {
  vec2 uv = ((xy - layer.xy) * layer.z + 0.5) / float(SIZE);
  return textureLod(uDetail, vec3(uv, layer.w), 0.0);
}

vec4 groundDetail(vec2 xy) {
  if (vBlend >= 1.0) return layerDetail(uDetailB, xy);
  vec4 v = layerDetail(uDetailA, xy);
  return vBlend > 0.0 ? mix(v, layerDetail(uDetailB, xy), vBlend) : v;
}

// The sRGB curve to 1 % (a little brighter in the dark): powers are dear in software rendering.
vec3 toScreen(vec3 c) {
  vec3 s = sqrt(clamp(c, 0.0, 1.0));
  return s * (1.14 - 0.14 * s);
}

vec3 soilColour(vec2 xy) {
  vec2 uv = ((xy - uSoilFrame.xy) * uSoilFrame.z + 0.5) / uSoilSize;
  int s = int(texture2D(uSoil, clamp(uv, 0.0, 1.0)).r * 255.0 + 0.5);
  if (s == 255) return vec3(0.05);
  return uSoilColour[s - 8 * (s / 8)];
}

void main() {
  vec3 v = normalize(cameraPosition - vWorld);
  vec4 detail = groundDetail(vWorld.xy);
  #ifdef HOLES
  if (detail.w < 0.25) discard;
  #endif
  float disturbed = clamp(2.0 * (1.0 - detail.w), 0.0, 1.0);

  // Fine grain that no map has.
  vec3 grain = ${NOISE_RANGE.toFixed(3)} * (textureLod(uNoise, vWorld.xy * ${(1 / NOISE_METRES).toFixed(6)}, vLevel).xyz - 0.5);
  vec2 slope = detail.xy + grain.xy * (1.0 - 0.6 * disturbed);
  vec3 n = normalize(vec3(-slope, 1.0));
  float rise = length(detail.xy);

  vec3 albedo;
  if (uMode == 1) albedo = texture2D(uScale, vec2((vWorld.z - uRange.x) / max(1e-6, uRange.y - uRange.x), 0.5)).rgb;
  else if (uMode == 2) albedo = texture2D(uScale, vec2(degrees(atan(rise)) / uRange.y, 0.5)).rgb;
  else if (uMode == 3) albedo = soilColour(vWorld.xy);
  else albedo = uAlbedo * (1.0 + grain.z) * (1.0 - 0.2 * rise);
  albedo *= 1.0 - (uMode == 0 ? 0.30 : 0.18) * disturbed;

  if (uGrid > 0.0) {
    vec2 cellPosition = vWorld.xy / uGrid;
    vec2 width = fwidth(cellPosition) + 1e-6;
    vec2 line = abs(fract(cellPosition - 0.5) - 0.5) / width;
    float strength = clamp(1.0 - min(line.x, line.y), 0.0, 1.0) * clamp(1.0 - 4.0 * max(width.x, width.y), 0.0, 1.0);
    albedo *= 1.0 - 0.35 * strength;
  }

  // Lunar-Lambert: dusty surfaces scatter back toward the light and hardly darken at the limb.
  float mu0 = max(0.0, dot(n, uSunDirection));
  float mu = max(0.05, dot(n, v));
  float reflected = mix(mu0, 2.0 * mu0 / (mu0 + mu), 0.25);
  float light = detail.z * reflected;
  if (light > 0.0) light *= sunMask();
  vec3 ambient = uAmbient * (0.55 + 0.45 * n.z) * (1.0 + 0.6 * dot(n.xy, uSunDirection.xy));
  // Colours that carry data are shaded gently, so that they still match their legend.
  vec3 colour = albedo * (uMode == 0 ? uSunColour * light + ambient : vec3(0.45 + 0.6 * light));
  gl_FragColor = vec4(toScreen(mix(uSky, colour, vClear)), 1.0);
}
`;
