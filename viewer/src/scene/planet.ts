// Look of the place, from the gravity of the run: Moon and small bodies, Mars, or Earth.

import { hex, toLinear, type Rgb } from "../colours.ts";

export interface Planet {
  name: string;
  albedo: Rgb;   // linear
  rock: string;
  sun: Rgb;      // linear, intensity included
  ambient: Rgb;
  zenith: Rgb;
  horizon: Rgb;
  haze: number;  // per metre
}

const scaled = (c: Rgb, s: number): Rgb => [c[0] * s, c[1] * s, c[2] * s];
const linear = (text: string, s = 1): Rgb => scaled(toLinear(hex(text)), s);

export function planetOf(gravity: readonly number[]): Planet {
  const g = Math.hypot(...gravity);
  if (g > 6) {
    return { name: "Earth", albedo: linear("#b09a72"), rock: "#8c8578", sun: linear("#fff4e0", 2.3), ambient: linear("#9db4cc", 0.55), zenith: linear("#5f8fc4"), horizon: linear("#c5d6e6"), haze: 0.0006 };
  }
  if (g > 2.6) {
    return { name: "Mars", albedo: linear("#8f694f"), rock: "#977560", sun: linear("#fff0e0", 2.1), ambient: linear("#d0b8a4", 0.34), zenith: linear("#8a6a55"), horizon: linear("#d3ad8a"), haze: 0.0012 };
  }
  return { name: g > 1 ? "Moon" : "small body", albedo: linear("#7d7a76"), rock: "#85817b", sun: linear("#fffaf2", 2.0), ambient: linear("#9aa6b8", 0.17), zenith: linear("#04060b"), horizon: linear("#0d1119"), haze: 0 };
}
