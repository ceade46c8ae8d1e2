// Parts of the page that share their classes, in one bundle.
export { Run } from "../../viewer/src/run.ts";
export { Rover } from "../../viewer/src/scene/rover.ts";
export { Track } from "../../viewer/src/scene/track.ts";
