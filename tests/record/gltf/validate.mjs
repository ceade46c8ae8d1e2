// Checks a binary glTF file with the validator of the Khronos Group: no errors and no warnings.
import { readFileSync } from "node:fs";
import validator from "gltf-validator";

const path = process.argv[2];
const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), { uri: path, maxIssues: 20 });
const { numErrors, numWarnings, messages } = report.issues;
const { animationCount, hasMorphTargets, totalTriangleCount } = report.info;
console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings, ${totalTriangleCount} triangles`);
if (numErrors > 0 || numWarnings > 0 || animationCount !== 1 || !hasMorphTargets || !(totalTriangleCount > 1000)) {
  console.log(JSON.stringify(messages, null, 1));
  process.exit(1);
}
