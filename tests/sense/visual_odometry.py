"""Cameras that a vision engineer can use: OpenCV tracks features of the ground over a drive, and where they went gives
back where the rover drove; in the dark and with everything white it gets lost, as it should.

    visual_odometry.py GROUSER FOLDER

Skipped (77) where OpenCV's Python module is not installed. Features are tracked by Lucas and Kanade's method, their places
in space are those of the depth image, and the motion from frame to frame is that of the perspective-n-point problem.
"""
import csv
import math
import pathlib
import subprocess
import sys

try:
    import cv2
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing.name} is not installed: no features are tracked in images (python3-opencv)")
    sys.exit(77)

grouser, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
TILT, AT, VIEW = 25, (0.12, 0, 0.47), 65
CAMERA = f"""kind: camera
    at_m: [{AT[0]}, {AT[1]}, {AT[2]}]
    rotation_deg: [0, {TILT}, 0]
    width: 320
    height: 240
    view_deg: {VIEW}
    rate_Hz: 1
    hapke: 1
    texture: 0.2
    by_soil: 1"""
NOISE = {"photons": 12000, "read_noise": 0.003}
SCENARIO = """title: A short drive on the Moon with cameras
rover: eye.yaml
soil: lunar_mare
gravity: moon
terrain:
  size_m: 20
  cell_m: 0.1
  seed: 4
  add:
    - fractal: {{hurst: 0.8, rms_m: 0.02, lag_m: 1, smallest_m: 0.3}}
  rocks: {{law: golombek, k: 0.01, smallest_m: 0.05, largest_m: 0.15, clear_m: 1}}
start: {{x_m: -5, y_m: 0, heading_deg: 0}}
drive: {{speed_mps: 0.1, path: [[-3, 0], [-1, 1]]}}
stop: {{time_s: {seconds}}}
record: {{csv: true}}
"""


def check(truth, text):
    if not truth:
        sys.exit(f"visual_odometry.py: {text}")


def drive(name, seconds, cameras):
    """Runs the scenario with cameras: name -> more keys."""
    rover = "include: rashid_like\ntitle: rashid_like with cameras\nsensors:\n"
    for camera, keys in cameras.items():
        rover += f"  {camera}:\n    {CAMERA}\n" + "".join(f"    {k}: {v}\n" for k, v in keys.items())
    (folder / "eye.yaml").write_text(rover)
    (folder / f"{name}.yaml").write_text(SCENARIO.format(seconds=seconds))
    done = subprocess.run([grouser, "run", f"{name}.yaml", "-o", f"{name}.run"], cwd=folder, capture_output=True, text=True)
    check(done.returncode == 0, done.stderr)
    return folder / f"{name}.run"


class Truth:
    """Poses of the camera by run.csv: rotation of the optical frame (z ahead, x right), and place."""

    def __init__(self, run):
        with open(run / "run.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.time = np.array([float(r["time_s"]) for r in rows])
        self.place = np.array([[float(r[c]) for c in ("x_m", "y_m", "z_m")] for r in rows])
        self.turn = np.array([[float(r[c]) for c in ("qw", "qx", "qy", "qz")] for r in rows])
        c, s = math.cos(math.radians(TILT)), math.sin(math.radians(TILT))
        self.mount = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ np.array([[0, 0, 1], [-1, 0, 0], [0, -1, 0.0]])

    def at(self, time):
        k = int(np.argmin(abs(self.time - time)))
        w, x, y, z = self.turn[k]
        body = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
        return body @ self.mount, self.place[k] + body @ np.array(AT)


def grey(run, camera, k):
    return cv2.imread(str(run / "sensors" / f"{camera}_{k:06d}.png"), cv2.IMREAD_GRAYSCALE)


def motion(run, camera, k):
    """From frame k to the next: (rotation, translation, features); None where it is lost."""
    a, b = grey(run, camera, k), grey(run, camera, k + 1)
    depth = cv2.imread(str(run / "sensors" / f"{camera}_{k:06d}_depth.png"), cv2.IMREAD_UNCHANGED) / 1000
    height, width = a.shape
    focal = 0.5 * width / math.tan(math.radians(VIEW) / 2)
    matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
    found = cv2.goodFeaturesToTrack(a, 500, 0.01, 5)
    if found is None or len(found) < 30:
        return None
    ahead, seen, _ = cv2.calcOpticalFlowPyrLK(a, b, found, None, winSize=(15, 15))
    back, again, _ = cv2.calcOpticalFlowPyrLK(b, a, ahead, None, winSize=(15, 15))
    same = np.linalg.norm((back - found).reshape(-1, 2), axis=1) < 0.5
    good = (seen.ravel() > 0) & (again.ravel() > 0) & same
    u, v = found.reshape(-1, 2)[good], ahead.reshape(-1, 2)[good]
    z = np.array([depth[int(round(y)), int(round(x))] for x, y in u])
    near = (z > 0.3) & (z < 12)
    u, v, z = u[near], v[near], z[near]
    if len(u) < 30:
        return None
    points = np.stack([(u[:, 0] - matrix[0, 2]) / focal * z, (u[:, 1] - matrix[1, 2]) / focal * z, z], 1)
    cv2.setRNGSeed(1)
    solved, turn, move, kept = cv2.solvePnPRansac(points, v, matrix, None, iterationsCount=200, reprojectionError=1.0)
    if not solved or kept is None or len(kept) < 30:
        return None
    turn, move = cv2.solvePnPRefineLM(points[kept.ravel()], v[kept.ravel()], matrix, None, turn, move)
    return cv2.Rodrigues(turn)[0], move.ravel(), len(kept)


def odometry(run, camera):
    """(distance, error at the end, frames that were lost, frames, features of a frame)."""
    truth = Truth(run)
    with open(run / "sensors" / f"{camera}.csv", newline="") as file:
        times = [float(r["time_s"]) for r in csv.DictReader(file)]
    turn, place = truth.at(times[0])
    last, distance, lost, features = place, 0, 0, []
    for k in range(len(times) - 1):
        now = truth.at(times[k + 1])[1]
        distance += np.linalg.norm(now - last)
        last = now
        step = motion(run, camera, k)
        if step is None:
            lost += 1
            continue
        place = place - turn @ step[0].T @ step[1]
        turn = turn @ step[0].T
        features.append(step[2])
    return distance, np.linalg.norm(place - last), lost, len(times) - 1, np.mean(features) if features else 0


folder.mkdir(parents=True, exist_ok=True)
sunny = drive("sunny", 40, {"eye": {"auto_exposure": 0.4, **NOISE}})
distance, error, lost, frames, features = odometry(sunny, "eye")
print(f"sunlight: {features:.0f} features a frame, {lost} of {frames} lost, {100 * error / distance:.2f} % of {distance:.2f} m")
check(distance > 3 and lost == 0 and error < 0.02 * distance, "visual odometry does not close to 2 %")

hard = drive("hard", 6, {"shadow": {"sun_elevation_deg": -10, "ambient": 0, "exposure": 3, **NOISE},
                         "white": {"exposure": 400, **NOISE},
                         "sharp": {"exposure": 3},
                         "blurred": {"exposure": 3, "exposure_s": 0.6},
                         "rolling": {"exposure": 3, "readout_s": 0.8}})
for camera in ("shadow", "white"):
    _, _, lost, frames, _ = odometry(hard, camera)
    print(f"{camera}: {lost} of {frames} lost")
    check(lost == frames, f"{camera}: motion is found where nothing can be seen")
check(grey(hard, "white", 3)[150:].mean() > 250, "what should be white is not")

# while the rover drives: motion blurs, and a rolling shutter shows the instant of the frame in its middle row alone
sharp, blurred, rolling = (grey(hard, camera, 4).astype(float) for camera in ("sharp", "blurred", "rolling"))
edges = [np.abs(np.diff(image[150:], axis=0)).mean() for image in (sharp, blurred)]
check(edges[1] < 0.7 * edges[0], f"no blur: {edges}")
middle = slice(119, 121)
change = [np.abs(rolling - sharp)[rows].mean() for rows in (middle, slice(210, 240))]
check(change[0] < 2 and change[1] > 4 * change[0], f"no rolling shutter: {change}")
print(f"blur leaves {100 * edges[1] / edges[0]:.0f} % of the edges; a rolling shutter changes middle rows by {change[0]:.2f}, low ones by {change[1]:.2f}")
