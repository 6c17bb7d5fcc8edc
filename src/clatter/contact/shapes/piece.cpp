#include <algorithm>
#include <cmath>
#include <numbers>

#include <clatter/contact/shapes/piece.hpp>

namespace clatter {
namespace {

using CoreKind = Patch::Kind;
constexpr int marks_per_rim = 8, arcs_per_rim = 8;
/// It has a hole, and may meet others in more places than the rim of a convex solid.
constexpr int arcs_per_ring = 16;

Piece point_piece(const Vec3& at) {
  Piece piece;
  piece.patch.origin = piece.centre = at;
  piece.extent = 0.0;
  return piece;
}

/// The edge between a plane end and what is round, its marks and its arcs. `outward` is radial and
/// along z.
void add_rim(Pieces& pieces, double radius, double z, const Vec3& outward,
             int arcs = arcs_per_rim) {
  Piece rim = point_piece(z * Vec3::UnitZ());
  rim.patch.kind = CoreKind::circle;
  rim.patch.size.x() = rim.extent = radius;
  rim.patch.outward = outward.stableNormalized();
  pieces.push_back(rim);
  for (int i = 0; i < arcs; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / arcs;
    Piece mark = point_piece({radius * std::cos(angle), radius * std::sin(angle), z});
    mark.is_mark = true;
    if (i % (arcs / marks_per_rim) == 0) pieces.push_back(mark);
    Piece arc = rim;
    arc.patch.axes = Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
    arc.patch.half_arc = std::numbers::pi / arcs;
    arc.centre = mark.centre;
    arc.extent = 2.0 * radius * std::sin(0.5 * arc.patch.half_arc);
    pieces.push_back(arc);
  }
}

/// Across z, within a circle; `out` is 1 or -1.
Piece round_plane(double radius, double z, double out) {
  Piece piece = point_piece(z * Vec3::UnitZ());
  piece.patch.kind = CoreKind::plane;
  piece.patch.axes = Vec3(1.0, out, out).asDiagonal();
  piece.end = piece.extent = radius;
  return piece;
}

Piece plane_piece(const Polytope& polytope, const Polytope::Face& face) {
  Piece piece;
  Patch& patch = piece.patch;
  patch.kind = CoreKind::plane;
  const Vec3 x = face.normal.unitOrthogonal();
  patch.axes << x, face.normal.cross(x), face.normal;
  patch.origin = face.offset * face.normal;
  if (face.corners.empty()) return piece;
  for (const int corner : face.corners) {
    const Vec3& at = polytope.corners[static_cast<std::size_t>(corner)];
    piece.outline.push_back(patch.axes.transpose() * (at - patch.origin));
    piece.centre += at / static_cast<double>(face.corners.size());
  }
  piece.extent = 0.0;
  for (const int corner : face.corners) {
    const Vec3& at = polytope.corners[static_cast<std::size_t>(corner)];
    piece.extent = std::max(piece.extent, (at - piece.centre).norm());
  }
  return piece;
}

Piece edge_piece(const Polytope& polytope, const Polytope::Edge& edge) {
  Piece piece;
  const Vec3 &begin = polytope.corners[static_cast<std::size_t>(edge.begin)],
             &end = polytope.corners[static_cast<std::size_t>(edge.end)];
  piece.patch = line_patch(edge, 0.5 * (begin + end));
  piece.centre = piece.patch.origin;
  piece.extent = 0.5 * (end - begin).norm();
  piece.begin = -piece.extent;
  piece.end = piece.extent;
  return piece;
}

/// Planes along a hollow cone, which all that is inside is over: they carry what touches the cone
/// all around near its tip, where no one place is nearest.
void add_marks(const Piece& cone, Pieces& walls) {
  const double sine = std::sin(cone.patch.size.x()), cosine = std::cos(cone.patch.size.x());
  for (int i = 0; i < marks_per_rim; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / marks_per_rim;
    const Vec3 out(std::cos(angle), std::sin(angle), 0.0);
    const Vec3 along = sine * out + cosine * Vec3::UnitZ();
    const Vec3 normal = sine * Vec3::UnitZ() - cosine * out;
    Piece mark = cone;
    mark.patch.kind = CoreKind::plane;
    mark.patch.hollow = false;
    mark.patch.axes.col(0) = cone.patch.axes * along;
    mark.patch.axes.col(1) = cone.patch.axes * normal.cross(along);
    mark.patch.axes.col(2) = cone.patch.axes * normal;
    mark.begin = -std::numeric_limits<double>::infinity();
    mark.end = std::numeric_limits<double>::infinity();
    mark.is_mark = true;
    walls.push_back(mark);
  }
}

/// Edges around the face of a part that touch as those of the part beside it, or not at all. Who
/// lies on one of them overlaps both parts by as little.
void add_ends_of_part(const Polytope& part, Pieces& pieces) {
  for (const Polytope::Edge& edge : part.edges) {
    if (edge.beside[0] != 0 && edge.beside[1] != 0) continue;
    const auto is_edge = [&](const Polytope::Edge& ridge) {
      return std::minmax(ridge.begin, ridge.end) == std::minmax(edge.begin, edge.end);
    };
    if (std::any_of(part.ridges.begin(), part.ridges.end(), is_edge)) continue;
    pieces.push_back(edge_piece(part, edge));
    pieces.back().can_touch = false;
  }
}

}  // namespace

Patch line_patch(const Polytope::Edge& edge, const Vec3& origin) {
  Patch patch;
  patch.kind = CoreKind::line;
  patch.origin = origin;
  const Vec3 x = edge.direction.unitOrthogonal();
  patch.axes << x, edge.direction.cross(x), edge.direction;
  if (edge.faces > 0) {
    Vec3 out = Vec3::Zero();
    for (int k = 0; k < edge.faces; ++k) out -= edge.into[static_cast<std::size_t>(k)];
    patch.outward = patch.axes.transpose() * out.normalized();
  }
  return patch;
}

bool Piece::holds(const Foot& foot, double margin) const {
  if (is_arc()) {
    return std::abs(std::atan2(foot.y(), foot.x())) <= patch.half_arc + margin / patch.size.x();
  }
  if (patch.kind == CoreKind::line || patch.kind == CoreKind::cone) {
    return foot.z() >= begin - margin && foot.z() <= end + margin;
  }
  if (patch.kind != CoreKind::plane) return true;
  if (std::hypot(foot.x(), foot.y()) > end + margin) return false;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec3 &from = outline[i], along = outline[(i + 1) % outline.size()] - from;
    const double inside = along.x() * (foot.y() - from.y()) - along.y() * (foot.x() - from.x());
    if (inside < -margin * std::hypot(along.x(), along.y())) return false;
  }
  return true;
}

bool Piece::is_extreme() const {
  if (patch.has_other_inside() || is_arc()) return false;
  return patch.kind == CoreKind::point || patch.kind == CoreKind::circle ||
         patch.kind == CoreKind::ellipsoid;
}

Pieces make_cylinder(double radius, double length) {
  Pieces pieces;
  for (const double out : {-1.0, 1.0}) {
    pieces.push_back(round_plane(radius, 0.5 * out * length, out));
    add_rim(pieces, radius, 0.5 * out * length, {1.0, 0.0, out});
  }
  Piece side;
  side.patch.kind = CoreKind::line;
  side.patch.radius = radius;
  side.begin = -0.5 * length;
  side.end = 0.5 * length;
  side.extent = std::hypot(radius, 0.5 * length);
  pieces.push_back(side);
  return pieces;
}

Pieces make_cone(double radius, double length) {
  Pieces pieces;
  const double base = -0.25 * length, slant = std::hypot(radius, length);
  pieces.push_back(round_plane(radius, base, -1.0));
  // Between the normal of the base and that of the side, (length, radius) / slant.
  add_rim(pieces, radius, base, {length / slant, 0.0, radius / slant - 1.0});
  pieces.push_back(point_piece(0.75 * length * Vec3::UnitZ()));
  Piece side;
  side.patch.kind = CoreKind::cone;
  side.patch.size.x() = std::atan2(radius, length);
  side.patch.origin = 0.75 * length * Vec3::UnitZ();
  side.patch.axes = Vec3(1.0, -1.0, -1.0).asDiagonal();  // opens downwards
  side.begin = 0.0;
  side.end = slant;
  side.centre = (base + 0.5 * length) * Vec3::UnitZ();
  side.extent = std::hypot(radius, 0.5 * length);
  pieces.push_back(side);
  return pieces;
}

Pieces make_ellipsoid(const Vec3& semi_axes) {
  Piece piece = point_piece(Vec3::Zero());
  piece.patch.kind = CoreKind::ellipsoid;
  piece.patch.size = semi_axes;
  piece.extent = semi_axes.maxCoeff();
  return {piece};
}

Pieces make_ring(double radius, double tube_radius) {
  Pieces pieces;
  add_rim(pieces, radius, 0.0, Vec3::Zero(), arcs_per_ring);
  // Rings that lie nearly along each other touch at two places, which may be on the same arc: the
  // other one is the first of the same arc walked the other way around.
  for (std::size_t i = 0, count = pieces.size(); i < count; ++i) {
    if (!pieces[i].is_arc()) continue;
    Piece back = pieces[i];
    back.patch.axes.rightCols<2>() *= -1.0;
    pieces.push_back(back);
  }
  return rounded(std::move(pieces), tube_radius);
}

Pieces pieces_of(const Polytope& polytope) {
  Pieces pieces;
  const bool is_capsule = polytope.corners.size() == 2;
  for (std::size_t i = 0; i < polytope.corners.size(); ++i) {
    pieces.push_back(point_piece(polytope.corners[i]));
    pieces.back().can_touch = polytope.is_tip[i] != 0;
    if (is_capsule) {
      pieces.back().patch.outward = (polytope.corners[i] - polytope.corners[1 - i]).normalized();
    }
  }
  for (const Polytope::Edge& edge : polytope.touching_edges())
    pieces.push_back(edge_piece(polytope, edge));
  for (const Polytope::Face& face : polytope.faces) {
    if (face.is_surface) pieces.push_back(plane_piece(polytope, face));
  }
  if (polytope.is_part) add_ends_of_part(polytope, pieces);
  return rounded(std::move(pieces), polytope.radius);
}

Pieces hollowed(const Pieces& pieces) {
  Pieces walls;
  for (Piece wall : pieces) {
    Patch& patch = wall.patch;
    const bool is_sharp = !patch.is_surface() && patch.radius == 0.0;
    if (is_sharp || wall.is_mark || wall.is_arc()) continue;
    if (patch.kind == CoreKind::plane) {
      patch.axes.rightCols<2>() *= -1.0;
    } else if (patch.is_surface()) {
      patch.hollow = true;
    } else {
      patch.radius = -patch.radius;
    }
    walls.push_back(wall);
    if (patch.kind == CoreKind::cone) add_marks(wall, walls);
    const bool is_round = patch.kind == CoreKind::cone || patch.kind == CoreKind::line ||
                          patch.kind == CoreKind::ellipsoid;
    if (!is_round) continue;
    for (const int half : {1, -1}) {
      patch.be_half(half);
      walls.push_back(wall);
    }
  }
  return walls;
}

bool is_container(const Pieces& pieces) {
  return std::none_of(pieces.begin(), pieces.end(),
                      [](const Piece& piece) { return piece.is_extreme(); });
}

bool is_ring(const Pieces& pieces) {
  return !pieces.empty() && std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) {
    const bool is_solid_circle = piece.patch.kind == CoreKind::circle && piece.patch.radius > 0.0;
    return is_solid_circle || piece.is_mark;
  });
}

bool is_groove(const Pieces& pieces) {
  return pieces.size() == 1 && pieces.front().patch.kind == CoreKind::circle &&
         pieces.front().patch.has_other_inside();
}

Pieces rounded(Pieces pieces, double radius) {
  for (Piece& piece : pieces) {
    piece.patch.radius += radius;
    piece.extent += radius;
  }
  return pieces;
}

Pieces placed(Pieces pieces, const Mat3& turn, const Vec3& shift) {
  for (Piece& piece : pieces) {
    piece.patch.origin = shift + turn * piece.patch.origin;
    piece.patch.axes = turn * piece.patch.axes;
    piece.centre = shift + turn * piece.centre;
  }
  return pieces;
}

Vec3 furthest_point(const Pieces& pieces, const Vec3& direction) {
  Vec3 furthest = Vec3::Zero();
  double most = -std::numeric_limits<double>::infinity();
  for (const Piece& piece : pieces) {
    if (!piece.is_extreme()) continue;
    const Patch& patch = piece.patch;
    const Foot foot = foot_of_normal(patch, patch.axes.transpose() * direction);
    const Vec3 at =
        patch.origin + patch.axes * core_position(patch, foot) + patch.radius * direction;
    if (const double along = direction.dot(at); along > most) {
      most = along;
      furthest = at;
    }
  }
  return furthest;
}

double extent_of(const Pieces& pieces) {
  double extent = 0.0;
  for (const Piece& piece : pieces) {
    extent = std::max(extent, piece.centre.norm() + piece.extent);
  }
  return extent;
}

}  // namespace clatter
