"""Shapes of random scenes: as text of a model file, and as sets of points.

Everything is computed from the definition of a shape, by nothing that the program uses: `depth` tells how far
points are inside (less than zero: outside), `samples` gives points of the surface, `support` the one that is
furthest in a direction.
"""

import numpy
from scipy.spatial import ConvexHull


def text_of(value):
    """As TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple, numpy.ndarray)):
        return "[" + ", ".join(text_of(each) for each in value) + "]"
    return repr(float(value))


def directions(count):
    """Spread over a sphere: a spiral of Fibonacci."""
    k = numpy.arange(count) + 0.5
    z = 1 - 2 * k / count
    around = numpy.pi * (1 + 5**0.5) * k
    across = numpy.sqrt(1 - z * z)
    return numpy.stack([across * numpy.cos(around), across * numpy.sin(around), z], axis=1)


def circle(count):
    angle = 2 * numpy.pi * numpy.arange(count) / count
    return numpy.stack([numpy.cos(angle), numpy.sin(angle)], axis=1)


class Shape:
    """A solid about its origin. `keys` are those of the model file."""

    is_convex = True

    def __init__(self, kind, **keys):
        self.keys = {"kind": kind, **keys}

    def text(self, **more):
        return "{ " + ", ".join(f"{key} = {text_of(value)}" for key, value in {**self.keys, **more}.items()) + " }"

    def write(self, folder):
        """Files that the shape is read from."""

    def normals(self):
        """Of its flat faces."""
        return numpy.zeros((0, 3))

    def radius(self):
        return numpy.linalg.norm(self.samples(), axis=1).max()

    def samples(self):
        return numpy.array([self.support(n) for n in directions(200)])


class Ball(Shape):
    """All that is nearer to a segment along an axis than a radius: sphere, disc, capsule."""

    def __init__(self, kind, radius, half=0.0, axis=2, **keys):
        if half > 0:
            keys["length"] = 2 * half
        super().__init__(kind, radius=radius, **keys)
        self.r, self.half, self.axis = radius, half, axis
        self.planar = kind == "disc" or axis == 0

    def depth(self, points):
        rest = points.copy()
        along = rest[:, self.axis]
        rest[:, self.axis] = along - numpy.clip(along, -self.half, self.half)
        return self.r - numpy.linalg.norm(rest, axis=1)

    def support(self, n):
        point = self.r * n / numpy.linalg.norm(n)
        point[self.axis] += self.half if n[self.axis] > 0 else -self.half
        return point

    def samples(self):
        if not self.planar:
            return super().samples()
        return numpy.array([self.support(numpy.append(n, 0.0)) for n in circle(64)])


class Hull(Shape):
    """Box, hull of points, convex mesh."""

    def __init__(self, kind, points, keys):
        super().__init__(kind, **keys)
        self.points = numpy.asarray(points, float)
        hull = ConvexHull(self.points)
        self.faces = hull.equations  # outer normals and minus offsets
        self.triangles = [t if numpy.dot(numpy.cross(*(self.points[t[1:]] - self.points[t[0]])), e[:3]) > 0 else t[::-1]
                          for t, e in zip(hull.simplices, hull.equations)]

    def depth(self, points):
        return (-points @ self.faces[:, :3].T - self.faces[:, 3]).min(axis=1)

    def normals(self):
        return self.faces[:, :3]

    def support(self, n):
        return self.points[numpy.argmax(self.points @ n)]

    def samples(self):
        edges = {tuple(sorted((t[i], t[i - 1]))) for t in self.triangles for i in range(3)}
        parts = numpy.linspace(0.0, 1.0, 7)[:, None]
        return numpy.concatenate([self.points[a] + parts * (self.points[b] - self.points[a]) for a, b in edges])


def box(size):
    corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    return Hull("box", 0.5 * numpy.array(size) * corners, {"size": size})


def hull(points):
    return Hull("hull", points, {"points": points})


class Round(Shape):
    """Cylinder or cone: a disc at the bottom, another or a tip at the top."""

    def __init__(self, kind, radius, length):
        super().__init__(kind, radius=radius, length=length)
        self.r, self.length = radius, length
        self.is_cone = kind == "cone"
        self.bottom = -0.25 * length if self.is_cone else -0.5 * length
        self.top = self.bottom + length

    def depth(self, points):
        out = numpy.hypot(points[:, 0], points[:, 1])
        z = points[:, 2]
        if self.is_cone:
            side = ((self.top - z) * self.r / self.length - out) * self.length / numpy.hypot(self.r, self.length)
            return numpy.minimum(side, z - self.bottom)
        return numpy.minimum(self.r - out, numpy.minimum(z - self.bottom, self.top - z))

    def normals(self):
        return numpy.array([[0.0, 0, -1]] if self.is_cone else [[0.0, 0, -1], [0, 0, 1]])

    def support(self, n):
        across = numpy.hypot(n[0], n[1])
        rim = self.r * n[:2] / across if across > 0 else numpy.zeros(2)
        low, high = numpy.append(rim, self.bottom), numpy.append(0 * rim if self.is_cone else rim, self.top)
        return high if n @ high > n @ low else low

    def samples(self):
        rim = self.r * circle(48)
        parts = numpy.linspace(0.0, 1.0, 5)
        rings = [numpy.column_stack([(1 - part if self.is_cone else 1.0) * rim, numpy.full(48, self.bottom + part * self.length)])
                 for part in parts]
        return numpy.concatenate(rings)


class Ellipsoid(Shape):
    def __init__(self, semi_axes):
        super().__init__("ellipsoid", semi_axes=semi_axes)
        self.axes = numpy.asarray(semi_axes, float)

    def depth(self, points):
        return (1 - numpy.linalg.norm(points / self.axes, axis=1)) * self.axes.min()

    def support(self, n):
        pull = self.axes * n
        return self.axes * pull / numpy.linalg.norm(pull)

    def samples(self):
        return self.axes * directions(200)


class Prism(Shape):
    """A polygon, counter-clockwise and seen whole from its origin, drawn out along z; in the plane: the polygon."""

    is_convex = False

    def __init__(self, outline, half=None, name=None):
        self.outline = numpy.asarray(outline, float)
        self.half, self.name = half, name
        if half is None:
            super().__init__("polygon", points=outline)
        else:
            super().__init__("mesh", file=f"{name}.obj")

    def depth(self, points):
        flat = points[:, :2]
        a, b = self.outline, numpy.roll(self.outline, -1, axis=0)
        way = b - a
        between = flat[:, None, :] - a
        share = numpy.clip((between * way).sum(2) / (way * way).sum(1), 0.0, 1.0)
        distance = numpy.linalg.norm(between - share[:, :, None] * way, axis=2).min(axis=1)
        above_a, above_b = a[:, 1] > flat[:, 1, None], b[:, 1] > flat[:, 1, None]
        with numpy.errstate(divide="ignore", invalid="ignore"):
            crossing = a[:, 0] + (flat[:, 1, None] - a[:, 1]) * way[:, 0] / way[:, 1]
        inside = ((above_a != above_b) & (flat[:, 0, None] < crossing)).sum(axis=1) % 2 == 1
        signed = numpy.where(inside, distance, -distance)
        return signed if self.half is None else numpy.minimum(signed, self.half - numpy.abs(points[:, 2]))

    def samples(self):
        parts = numpy.linspace(0.0, 1.0, 8, endpoint=False)[:, None]
        ends = numpy.roll(self.outline, -1, axis=0)
        flat = numpy.concatenate([a + parts * (b - a) for a, b in zip(self.outline, ends)])
        if self.half is None:
            return numpy.column_stack([flat, numpy.zeros(len(flat))])
        return numpy.concatenate([numpy.column_stack([flat, numpy.full(len(flat), z)])
                                  for z in numpy.linspace(-self.half, self.half, 5)])

    def surface(self):
        """Points and triangles, counter-clockwise seen from outside."""
        n = len(self.outline)
        points = [[*p, z] for z in (-self.half, self.half) for p in self.outline] + [[0, 0, -self.half], [0, 0, self.half]]
        triangles = []
        for i in range(n):
            k = (i + 1) % n
            triangles += [[i, k, n + k], [i, n + k, n + i], [2 * n, k, i], [2 * n + 1, n + i, n + k]]
        return numpy.array(points), triangles

    def write(self, folder):
        if self.half is not None:
            write_mesh(folder / f"{self.name}.obj", *self.surface())


def write_mesh(path, points, triangles):
    lines = ["v " + " ".join(repr(float(x)) for x in point) for point in points]
    lines += ["f " + " ".join(str(i + 1) for i in triangle) for triangle in triangles]
    path.write_text("\n".join(lines) + "\n")
