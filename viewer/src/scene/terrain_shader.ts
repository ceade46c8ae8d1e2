// Shaders of the ground. Vertices take their height from the layers (layers.ts), fragments their normal, light and cover.
//
// The height is a function of the position alone, never of the ring that asks for it, so neighbouring rings agree
// at their border by construction.

import { SIZE } from "../layers.ts";

const layerLookup = /* glsl */ `
#define SIZE ${SIZE}
uniform vec3 uLayer[LAYERS];   // local x, y of node 0; cell
uniform vec2 uFocus;
uniform float uBaseCell;

float focusDistance(vec2 xy) {
  vec2 d = abs(xy - uFocus);
  return max(d.x, d.y);
}
`;

export const terrainVertex = /* glsl */ `
precision highp float;
precision highp sampler2DArray;
${layerLookup}
uniform sampler2DArray uHeight;  // height, ceiling of shadow
uniform vec2 uRingOrigin;
uniform float uRingCell;
varying vec3 vWorld;
#include <common>
#include <shadowmap_pars_vertex>

float layerHeight(int k, vec2 xy) {
  vec2 p = clamp((xy - uLayer[k].xy) / uLayer[k].z, vec2(0.0), vec2(float(SIZE) - 1.001));
  ivec2 i = ivec2(p);
  vec2 f = p - vec2(i);
  float a = texelFetch(uHeight, ivec3(i, k), 0).r;
  float b = texelFetch(uHeight, ivec3(i + ivec2(1, 0), k), 0).r;
  float c = texelFetch(uHeight, ivec3(i + ivec2(0, 1), k), 0).r;
  float d = texelFetch(uHeight, ivec3(i + ivec2(1, 1), k), 0).r;
  return mix(mix(a, b, f.x), mix(c, d, f.x), f.y);
}

float groundHeight(vec2 xy) {
  // Layer k until REACH of its cells from the focus, blended into the next one.
  float lod = clamp(1.0 + log2(max(focusDistance(xy), 1e-3) / (REACH * uBaseCell)), 0.0, float(LAYERS) - 1.0);
  int k = int(lod);
  float h = layerHeight(k, xy);
  float t = lod - float(k);
  if (t > 0.0 && k + 1 < LAYERS) h = mix(h, layerHeight(k + 1, xy), t);
  return h;
}

void main() {
  // Odd vertices slide onto even ones toward the outer edge, where the next ring has only those.
  vec2 g = position.xy;
  vec2 fromCentre = abs(g - 0.5 * RING) / (0.5 * RING);
  float t = clamp((max(fromCentre.x, fromCentre.y) - 0.7) / 0.25, 0.0, 1.0);
  g -= mod(g, 2.0) * t;
  vec2 xy = uRingOrigin + g * uRingCell;
  vec4 worldPosition = vec4(xy, groundHeight(xy), 1.0);
  vec3 transformedNormal = vec3(0.0, 0.0, 1.0);
  vWorld = worldPosition.xyz;
  vec4 mvPosition = viewMatrix * worldPosition;
  gl_Position = projectionMatrix * mvPosition;
  #include <shadowmap_vertex>
}
`;

export const terrainFragment = /* glsl */ `
precision highp float;
precision highp sampler2DArray;
${layerLookup}
uniform sampler2DArray uDetail;  // gradient x, y, light, cover
uniform sampler2D uNoise;        // normal x, y, albedo
uniform sampler2D uSoil;
uniform sampler2D uScale;        // colours of height and slope
uniform vec4 uSoilFrame;         // local x, y of the first cell's centre, 1 / cell, 0
uniform vec2 uSoilSize;
uniform vec3 uSoilColour[8];
uniform vec4 uBounds;            // of the map: x, y, x, y
uniform vec2 uRange;             // of heights, or of slopes [deg]
uniform int uMode;               // 0 regolith, 1 height, 2 slope, 3 soil
uniform vec3 uAlbedo;
uniform vec3 uSunDirection;
uniform vec3 uSunColour;
uniform vec3 uAmbient;
uniform vec3 uSky;
uniform float uHaze;             // per metre
uniform float uPixel;            // angle of a pixel
uniform float uGrid;             // metres between grid lines, 0: none
varying vec3 vWorld;
#include <common>
#include <bsdfs>
#include <lights_pars_begin>
#include <shadowmap_pars_fragment>
#include <shadowmask_pars_fragment>

vec4 layerDetail(int k, vec2 xy) {
  vec2 uv = ((xy - uLayer[k].xy) / uLayer[k].z + 0.5) / float(SIZE);
  return textureLod(uDetail, vec3(uv, float(k)), 0.0);
}

vec4 groundDetail(vec2 xy, float footprint) {
  float limit = 180.0 * uBaseCell;
  float d = focusDistance(xy);
  float region = max(0.0, ceil(log2(max(d, 1e-3) / limit)));
  region += smoothstep(0.8, 1.0, d / (limit * exp2(region)));
  float lod = clamp(max(region, log2(footprint / uBaseCell)), 0.0, float(LAYERS) - 1.0);
  int k = int(lod);
  float t = lod - float(k);
  vec4 v = layerDetail(k, xy);
  if (t > 0.01 && k + 1 < LAYERS) v = mix(v, layerDetail(k + 1, xy), t);
  return v;
}

vec3 soilColour(vec2 xy) {
  vec2 uv = ((xy - uSoilFrame.xy) * uSoilFrame.z + 0.5) / uSoilSize;
  int s = int(texture2D(uSoil, clamp(uv, 0.0, 1.0)).r * 255.0 + 0.5);
  if (s == 255) return vec3(0.05);
  return uSoilColour[s - 8 * (s / 8)];
}

void main() {
  if (vWorld.x < uBounds.x || vWorld.y < uBounds.y || vWorld.x > uBounds.z || vWorld.y > uBounds.w) discard;
  vec3 toEye = cameraPosition - vWorld;
  float distance = length(toEye);
  vec3 v = toEye / distance;
  float grazing = max(0.15, abs(v.z));
  float footprint = distance * uPixel / sqrt(grazing);
  vec4 detail = groundDetail(vWorld.xy, footprint);
  if (detail.w < 0.25) discard;
  float disturbed = clamp(2.0 * (1.0 - detail.w), 0.0, 1.0);

  // Fine grain that no map has: two scales of one tiling texture.
  vec3 grain = texture2D(uNoise, vWorld.xy * 0.9).xyz - 0.5;
  vec3 lumps = texture2D(uNoise, vWorld.xy * vec2(0.071, 0.067)).xyz - 0.5;
  vec2 slope = detail.xy + (grain.xy * 0.34 + lumps.xy * 0.16) * (1.0 - 0.6 * disturbed);
  vec3 n = normalize(vec3(-slope, 1.0));
  float steep = degrees(atan(length(detail.xy)));

  vec3 albedo;
  if (uMode == 1) albedo = texture2D(uScale, vec2((vWorld.z - uRange.x) / max(1e-6, uRange.y - uRange.x), 0.5)).rgb;
  else if (uMode == 2) albedo = texture2D(uScale, vec2(steep / uRange.y, 0.5)).rgb;
  else if (uMode == 3) albedo = soilColour(vWorld.xy);
  else albedo = uAlbedo * (1.0 + 0.5 * lumps.z + 0.35 * grain.z) * (1.0 - 0.004 * steep);
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
  float reflected = mix(mu0, 2.0 * mu0 / (mu0 + mu), 0.4);
  float light = detail.z * getShadowMask();
  vec3 ambient = uAmbient * (0.55 + 0.45 * n.z) * (1.0 + 0.6 * dot(n.xy, uSunDirection.xy));
  vec3 colour = albedo * (uSunColour * reflected * light + ambient);
  colour = mix(uSky, colour, exp(-distance * uHaze));
  gl_FragColor = vec4(colour, 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}
`;
