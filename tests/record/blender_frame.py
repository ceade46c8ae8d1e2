"""Blender imports an exported scene and renders a frame of its animation; skipped (77) where it is not installed.

    blender_frame.py FILE.glb FOLDER

The picture shows the rover in sunlight: it is neither black nor of one colour, and another one 10 s later is different.
"""
import pathlib
import shutil
import subprocess
import sys

SCRIPT = """
import sys
import numpy
numpy.bool = bool  # the importer of Blender 3.4 asks for it; NumPy 1.24 has it no more
import bpy

scene_file, picture, seconds = sys.argv[sys.argv.index("--") + 1:]
for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
bpy.ops.import_scene.gltf(filepath=scene_file, import_shading="NORMALS")
scene = bpy.context.scene
assert {"chase", "overview"} <= {o.name for o in bpy.data.objects if o.type == "CAMERA"}
assert len(bpy.data.objects["ruts"].data.shape_keys.key_blocks) == 5  # the basis and four stages
scene.camera = bpy.data.objects["chase"]
bpy.data.lights["sun"].energy = 4
scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 4, False
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 320, 180, 100
scene.render.image_settings.file_format = "BMP"
scene.frame_set(round(float(seconds) * scene.render.fps))
scene.render.filepath = picture
bpy.ops.render.render(write_still=True)
"""

blender = shutil.which("blender")
if blender is None:
    print("SKIPPED: Blender is not installed: no exported scene is rendered (tools/setup nightly)")
    sys.exit(77)
folder = pathlib.Path(sys.argv[2])
script = folder / "blender_frame_script.py"
script.write_text(SCRIPT)


def render(seconds):
    """Grey values of the pixels."""
    picture = folder / f"blender_{seconds}.bmp"
    picture.unlink(missing_ok=True)
    run = subprocess.run([blender, "-b", "--factory-startup", "--python-exit-code", "3", "--python", script, "--", sys.argv[1], picture, str(seconds)],
                         capture_output=True, text=True)
    if run.returncode != 0 or not picture.exists():
        sys.exit(f"Blender failed:\n{run.stdout[-3000:]}{run.stderr[-3000:]}")
    data = picture.read_bytes()
    first = int.from_bytes(data[10:14], "little")
    width, bits = int.from_bytes(data[18:22], "little"), int.from_bytes(data[28:30], "little")
    assert width == 320 and bits in (24, 32), (width, bits)
    step = bits // 8
    return [sum(data[i : i + 3]) / 3 for i in range(first, len(data) - step, step)]


early, late = render(5), render(15)
for pixels in (early, late):
    mean = sum(pixels) / len(pixels)
    spread = (sum((p - mean) ** 2 for p in pixels) / len(pixels)) ** 0.5
    assert 10 < mean < 245 and spread > 8, f"the picture is empty: mean {mean:.0f}, spread {spread:.1f}"
moved = sum(abs(a - b) > 16 for a, b in zip(early, late)) / len(early)
assert moved > 0.01, f"nothing moves: {moved:.4f} of the pixels differ"
print(f"two frames by Blender, {100 * moved:.0f} % of the pixels differ")
