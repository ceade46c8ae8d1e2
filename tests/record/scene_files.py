"""grouser export gltf and usd: both files are read here by readers of their own, from the specifications and with the
standard library alone, and must show the same scene, which is that of run.csv.

    scene_files.py GROUSER FOLDER
"""
import csv
import json
import math
import pathlib
import re
import struct
import subprocess
import sys

grouser, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
SECONDS = 20


def fail(text):
    sys.exit(f"scene_files.py: {text}")


def check(truth, text):
    if not truth:
        fail(text)


# ---- glTF 2.0

SIZES = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
FORMATS = {5121: ("B", 1), 5125: ("I", 4), 5126: ("f", 4)}


class Gltf:
    def __init__(self, path):
        data = path.read_bytes()
        magic, version, size = struct.unpack_from("<4sII", data)
        check((magic, version, size) == (b"glTF", 2, len(data)), "the header of the .glb is wrong")
        length, kind = struct.unpack_from("<I4s", data, 12)
        check(kind == b"JSON" and length % 4 == 0, "the first chunk is not JSON")
        self.json = json.loads(data[20 : 20 + length])
        at = 20 + length
        length, kind = struct.unpack_from("<I4s", data, at)
        check(kind == b"BIN\0" and at + 8 + length == size, "the second chunk is not the buffer")
        self.bin = data[at + 8 :]
        check(self.json["buffers"] == [{"byteLength": length}], "the buffer has another length")

    def view(self, index, offset, code, count):
        view = self.json["bufferViews"][index]
        check(offset + struct.calcsize(f"<{count}{code}") <= view["byteLength"], "an accessor leaves its view")
        return struct.unpack_from(f"<{count}{code}", self.bin, view["byteOffset"] + offset)

    def accessor(self, index):
        a = self.json["accessors"][index]
        width, (code, _) = SIZES[a["type"]], FORMATS[a["componentType"]]
        flat = list(self.view(a["bufferView"], 0, code, width * a["count"])) if "bufferView" in a else [0] * (width * a["count"])
        if "sparse" in a:
            s = a["sparse"]
            where = self.view(s["indices"]["bufferView"], 0, FORMATS[s["indices"]["componentType"]][0], s["count"])
            values = self.view(s["values"]["bufferView"], 0, code, width * s["count"])
            for k, place in enumerate(where):
                flat[width * place : width * place + width] = values[width * k : width * k + width]
        items = [tuple(flat[i : i + width]) for i in range(0, len(flat), width)] if width > 1 else flat
        if "min" in a and width == 3:
            for k in range(3):
                check(min(i[k] for i in items) == a["min"][k] and max(i[k] for i in items) == a["max"][k], f"min or max of accessor {index}")
        return items

    def node(self, name):
        found = [i for i, n in enumerate(self.json["nodes"]) if n.get("name") == name]
        check(len(found) == 1, f"{len(found)} nodes are called {name}")
        return found[0]

    def mesh(self, name):
        """Triangles of a node as positions of their corners."""
        out = []
        for p in self.json["meshes"][self.json["nodes"][self.node(name)]["mesh"]]["primitives"]:
            points = self.accessor(p["attributes"]["POSITION"])
            for n in self.accessor(p["attributes"]["NORMAL"]):
                check(abs(math.hypot(*n) - 1) < 1e-3, "a normal is not of length 1")
            order = self.accessor(p["indices"]) if "indices" in p else range(len(points))
            out += [points[i] for i in order]
        return out

    def curve(self, name, path):
        """(times, values), None where the node stays."""
        animation = self.json["animations"][0]
        node = self.node(name)
        for c in animation["channels"]:
            if c["target"] == {"node": node, "path": path}:
                s = animation["samplers"][c["sampler"]]
                return self.accessor(s["input"]), self.accessor(s["output"])
        return None


# ---- USD as text

TOKEN = re.compile(r'\s+|#[^\n]*|"(?:[^"\\\n]|\\.)*"|<[^>\s]*>|-?\d+(?:\.\d+)?(?:e-?\d+)?|[A-Za-z_][\w:.]*(?:\[\])?|[()\[\]{}=:,]')


class Usd:
    """A strict reader of the part of the grammar that is needed: prims, attributes, relationships, metadata."""

    def __init__(self, path):
        text = path.read_text()
        check(text.startswith("#usda 1.0\n"), "the first line is not that of USD")
        self.tokens, at = [], 0
        while at < len(text):
            m = TOKEN.match(text, at)
            check(m, f"USD: {text[at:at + 40]!r} is not of the grammar")
            at = m.end()
            if not m.group().isspace() and not m.group().startswith("#"):
                self.tokens.append(m.group())
        self.at = 0
        self.meta = self.metadata() if self.peek() == "(" else {}
        self.prims = {}
        while self.peek() is not None:
            self.prim("")

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, wanted=None):
        token = self.peek()
        check(token is not None and (wanted is None or token == wanted), f"USD: found {token}, expected {wanted}, at {' '.join(self.tokens[self.at - 8:self.at])}")
        self.at += 1
        return token

    def value(self):
        token = self.take()
        if token in "([":
            close, items = ")" if token == "(" else "]", []
            while self.peek() != close:
                items.append(self.value())
                if self.peek() != close:
                    self.take(",")
            self.take(close)
            return tuple(items) if token == "(" else items
        if token == "{":
            samples = {}
            while self.peek() != "}":
                time = float(self.take())
                check(not samples or time > max(samples), "USD: time samples do not grow")
                self.take(":")
                samples[time] = self.value()
                self.take(",")
            self.take("}")
            return samples
        if token[0] in '"<' or token[0].isalpha():
            return token
        return float(token)

    def metadata(self):
        self.take("(")
        items = {}
        while self.peek() != ")":
            if self.peek() == "prepend":
                self.take()
            name = self.take()
            self.take("=")
            items[name] = self.value()
        self.take(")")
        return items

    def prim(self, parent):
        self.take("def")
        kind, name = self.take(), self.take().strip('"')
        check(re.fullmatch(r"[A-Za-z_]\w*", name), f"USD: {name} is not a name")
        path = f"{parent}/{name}"
        check(path not in self.prims, f"USD: {path} occurs twice")
        items = self.prims[path] = {"kind": kind, "meta": self.metadata() if self.peek() == "(" else {}}
        self.take("{")
        while self.peek() != "}":
            if self.peek() == "def":
                self.prim(path)
                continue
            while self.peek() in ("uniform", "custom"):
                self.take()
            type_, attribute = self.take(), self.take()
            check(attribute not in items, f"USD: {path}.{attribute} occurs twice")
            items[attribute] = None
            if self.peek() == "=":
                self.take()
                items[attribute] = self.value()
                check(type_.endswith("[]") == isinstance(items[attribute], list) or isinstance(items[attribute], dict) or type_ == "rel", f"USD: {path}.{attribute} is not {type_}")
            if self.peek() == "(":
                self.metadata()
        self.take("}")

    def check_links(self):
        for path, items in self.prims.items():
            for name, value in items.items():
                if isinstance(value, str) and value.startswith("<"):
                    target = value.strip("<>").split(".")[0]
                    check(target in self.prims, f"USD: {path}.{name} leads nowhere")
            if items["kind"] == "Mesh":
                counts, order = items["faceVertexCounts"], items["faceVertexIndices"]
                sets = items["points.timeSamples"].values() if "points.timeSamples" in items else [items["points"]]
                for points in sets:
                    check(sum(counts) == len(order) and max(order) < len(points) and min(order) >= 0, f"USD: {path} has wrong indices")
                    check(len(items["normals"]) == len(points), f"USD: {path} has wrong normals")

    def mesh(self, path):
        items = self.prims[path]
        points = items["points"] if "points" in items else items["points.timeSamples"][max(items["points.timeSamples"])]
        return [points[int(i)] for i in items["faceVertexIndices"]]


def same(a, b, near, what):
    check(len(a) == len(b), f"{what}: {len(a)} and {len(b)} corners")
    worst = max((abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q)), default=0)
    check(worst <= near, f"{what}: they differ by {worst}")


folder.mkdir(parents=True, exist_ok=True)
for command in (["run", "own_track", "--set", f"stop.time_s={SECONDS}", "--set", "ruts.cell_m=0.02", "-o", "own.run"],
                ["export", "gltf", "own.run", "-o", "own.glb", "--ruts", "4"],
                ["export", "usd", "own.run", "-o", "own.usda", "--ruts", "4"]):
    subprocess.run([grouser, *command], cwd=folder, check=True, capture_output=True)
gltf, usd = Gltf(folder / "own.glb"), Usd(folder / "own.usda")
usd.check_links()
check(usd.meta["upAxis"] == '"Z"' and usd.meta["metersPerUnit"] == 1, "USD: axis or unit")

# the chassis goes where the run went
origin = usd.prims["/run"]["originInMetres"]
check(all(abs(a - b) < 1e-5 for a, b in zip(origin, gltf.json["asset"]["extras"]["origin_m"])), "the origins differ")
with open(folder / "own.run" / "run.csv", newline="") as file:
    rows = list(csv.DictReader(file))
chassis = gltf.json["nodes"][0]["name"]
times, places = gltf.curve(chassis, "translation")
_, turns = gltf.curve(chassis, "rotation")
check(abs(times[-1] - (float(rows[-1]["time_s"]) - float(rows[0]["time_s"]))) < 1e-3, "the animation has another length than the run")
travelled = 0
for row in rows[:: max(1, len(rows) // 50)]:
    k = min(range(len(times)), key=lambda i: abs(times[i] - float(row["time_s"])))
    for axis, name in enumerate(("x_m", "y_m", "z_m")):
        check(abs(places[k][axis] + origin[axis] - float(row[name])) < 2e-3, f"chassis at {row['time_s']} s: {name}")
    for axis, name in enumerate(("qx", "qy", "qz", "qw")):
        check(abs(turns[k][axis]) - abs(float(row[name])) < 1e-3, f"chassis at {row['time_s']} s: {name}")
    travelled = max(travelled, math.dist(places[k], places[0]))
check(travelled > 1, "the rover stands still")
usd_places = usd.prims[f"/run/{chassis}"]["xformOp:translate.timeSamples"]
check(all(math.dist(a, b) < 1e-4 for a, b in zip(usd_places.values(), places)), "USD: the chassis goes elsewhere")

# wheels turn about their axles only: a joint needs no places
wheels = [n["name"] for n in gltf.json["nodes"] if "wheel" in n.get("name", "")]
check(len(wheels) == 4, f"there are {len(wheels)} wheels")
for name in wheels:
    check(gltf.curve(name, "rotation") is not None and gltf.curve(name, "translation") is None, f"{name} does not turn as a joint does")

# ground and ruts are the same in both; ruts go down, and each stage takes its part away
for name in ("ground", "ruts"):
    same(gltf.mesh(name), usd.mesh(f"/run/{name}"), 2e-5, name)
primitive = gltf.json["meshes"][gltf.json["nodes"][gltf.node("ruts")]["mesh"]]["primitives"][0]
final = gltf.accessor(primitive["attributes"]["POSITION"])
check(min(p[2] for p in final) < -0.005, "the ruts are not deep")
stages = [gltf.accessor(t["POSITION"]) for t in primitive["targets"]]
check(len(stages) == 4 and all(any(d[2] != 0 for d in s) for s in stages), "a stage has no ruts")
before = [p[2] + sum(s[i][2] for s in stages) for i, p in enumerate(final)]
check(max(before) - min(before) < 1e-4, "without its ruts the plane is not flat")
first = usd.prims["/run/ruts"]["points.timeSamples"][0]
check(max(abs(p[2] - z) for p, z in zip(first, before)) < 1e-4, "USD: ruts before the run")
weights = gltf.curve("ruts", "weights")[1]
check(len(weights) == 20 and weights[:4] == [1] * 4 and weights[-4:] == [0] * 4, "the weights of the ruts")

# the ground has no holes and does not lie twice: areas seen from above add up to the square
def area(corners):
    total = 0
    for a, b, c in zip(corners[0::3], corners[1::3], corners[2::3]):
        cross = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        check(cross >= -1e-9, "a triangle of the ground is seen from below")
        total += cross / 2
    return total


both = gltf.mesh("ground") + gltf.mesh("ruts")
lower, upper = [min(p[k] for p in both) for k in (0, 1)], [max(p[k] for p in both) for k in (0, 1)]
whole = (upper[0] - lower[0]) * (upper[1] - lower[1])
check(abs(area(both) - whole) < 1e-4 * whole, f"{area(both)} of {whole} m2 are covered")
print(f"{len(both) // 3} triangles, {len(times)} samples, {travelled:.2f} m")
