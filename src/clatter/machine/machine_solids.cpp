#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/contact/shapes/piece_pair.hpp>
#include <clatter/contact/shapes/surface.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/machine/model.hpp>
#include <clatter/math/height_field.hpp>
#include <clatter/model/curves.hpp>

namespace clatter {
namespace {

/// A shape as convex solids, in its own frame.
struct MakePolytopes {
  bool planar;
  const PlacedShape& placed;
  std::string name;  ///< for what is wrong
  using Parts = std::vector<Polytope>;

  Parts operator()(const SphereShape& s) const { return round(s.radius); }
  Parts operator()(const DiscShape& s) const { return round(s.radius); }
  Parts operator()(const BoxShape& s) const {
    if (!planar) return {make_box(s.size)};
    const double x = 0.5 * s.size.x(), y = 0.5 * s.size.y();
    return make_convex_parts({{-x, -y, 0}, {x, -y, 0}, {x, y, 0}, {-x, y, 0}});
  }
  Parts operator()(const HalfSpaceShape&) const { return {make_half_space(planar)}; }
  Parts operator()(const CapsuleShape& s) const {
    const Vec3 half = 0.5 * s.length * (planar ? Vec3::UnitX() : Vec3::UnitZ());
    return {make_core(std::array{Vec3(-half), half}, s.radius, planar)};
  }
  Parts operator()(const PolygonShape& s) const { return make_convex_parts(s.points); }
  Parts operator()(const HullShape& s) const { return {make_hull(s.points)}; }
  Parts operator()(const MeshShape& s) const {
    Surface surface{s.points, {}};
    for (const auto& [a, b, c] : s.triangles) surface.faces.push_back({a, b, c});
    return enclosed_by(std::move(surface));
  }
  Parts operator()(const HeightFieldShape& s) const {
    Mesh mesh = make_height_field(s.heights, s.spacing, s.depth);
    return enclosed_by({std::move(mesh.points), std::move(mesh.polygons)});
  }
  template <class Round>
  Parts operator()(const Round&) const {
    return {};
  }

 private:
  Parts round(double radius) const {
    return {make_core(std::array{Vec3(Vec3::Zero())}, radius, planar)};
  }
  Parts enclosed_by(Surface surface) const {
    auto parts = make_solid_parts(merge_faces(std::move(surface)));
    if (const auto* bad = std::get_if<NoRoomBehind>(&parts)) {
      throw Error(placed.place,
                  fmt::format("{}: its surface cuts through itself near ({:.6g}, {:.6g}, {:.6g}): "
                              "such a mesh encloses nothing, pull its pieces apart or leave out "
                              "'material'",
                              name, bad->point.x(), bad->point.y(), bad->point.z()));
    }
    return std::get<Parts>(std::move(parts));
  }
};

/// A round shape as pieces, in its own frame. Of the others there are none.
struct MakePieces {
  Pieces operator()(const CylinderShape& s) const { return make_cylinder(s.radius, s.length); }
  Pieces operator()(const DiscShape& s) const { return make_cylinder(s.radius, s.thickness); }
  Pieces operator()(const RodShape& s) const {
    const Mat3 z_to_x = Quaternion::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitX()).toRotationMatrix();
    return placed(make_cylinder(s.radius, s.length), z_to_x, Vec3::Zero());
  }
  Pieces operator()(const ConeShape& s) const { return make_cone(s.radius, s.length); }
  Pieces operator()(const EllipsoidShape& s) const { return make_ellipsoid(s.semi_axes); }
  template <class Other>
  Pieces operator()(const Other&) const {
    return {};
  }
};

/// What is curved in the plane, in its own frame; empty: it is not.
Outline curved_outline(const PlacedShape& shape, const Mat3& turn, const Vec3& shift) {
  if (const auto* ellipse = std::get_if<EllipseShape>(&shape.shape)) {
    Patch patch;
    patch.kind = Patch::Kind::ellipse;
    patch.size = {ellipse->x, ellipse->y, 0.0};
    patch.origin = shift;
    patch.axes = turn;
    return make_ellipse(patch, shape.rounding, shape.hollow);
  }
  ArcChain chain = chain_of(shape.shape);
  if (chain.empty()) return {};
  for (Arc& arc : chain) arc = placed(arc, turn, shift);
  if (const auto* wall = std::get_if<WallShape>(&shape.shape)) {
    return make_wall(chain, wall->radius + shape.rounding);
  }
  return make_outline(std::move(chain), shape.rounding, shape.hollow);
}

/// Of what is round or hollow.
Pieces pieces_of(const PlacedShape& shape, bool planar) {
  Pieces pieces = planar ? Pieces{} : std::visit(MakePieces{}, shape.shape);
  if (!shape.hollow) return rounded(std::move(pieces), shape.rounding);
  if (pieces.empty()) {
    pieces = pieces_of(std::visit(MakePolytopes{planar, shape, {}}, shape.shape).front());
  }
  if (shape.open) {
    std::erase_if(pieces,
                  [](const Piece& piece) { return piece.patch.kind == Patch::Kind::plane; });
  }
  return hollowed(pieces);
}

}  // namespace

void Machine::add_solids(const std::string& body, int node, const std::vector<PlacedShape>& shapes,
                         const Model& model) {
  const Node& of = nodes_[static_cast<std::size_t>(node)];
  const bool planar = node == ground ? is_planar(model) : of.has(5) && !of.has(3);
  const auto solid_count = std::count_if(
      shapes.begin(), shapes.end(), [](const PlacedShape& each) { return !each.material.empty(); });
  int number = 0;
  for (const PlacedShape& shape : shapes) {
    if (shape.material.empty()) continue;
    ++number;
    const auto material =
        std::find_if(model.materials.begin(), model.materials.end(),
                     [&](const MaterialSpec& each) { return each.name == shape.material; });
    const std::size_t first = solids_.size();
    double extent = 0.0;
    const auto add = [&](Polytope part, Pieces pieces, Outline outline, bool by_pieces,
                         bool by_outline) {
      extent = std::max(extent, by_outline ? outline.extent() : extent_of(pieces));
      solids_.push_back({solid_count > 1 ? fmt::format("{}.{}", body, number) : body, node,
                         std::move(part), std::move(pieces), std::move(outline), by_pieces,
                         by_outline, planar,
                         static_cast<int>(material - model.materials.begin()), 0.0});
    };
    const Mat3 turn = shape.orientation.toRotationMatrix();
    const Vec3 shift = shape.position - centres_[node];
    const auto polytopes = [&] {
      return std::visit(MakePolytopes{planar, shape, fmt::format("a shape of '{}'", body)},
                        shape.shape);
    };
    if (Outline outline = curved_outline(shape, turn, shift); !outline.is_empty()) {
      add({}, {}, std::move(outline), false, true);
    } else if (const Pieces pieces = pieces_of(shape, planar); !pieces.empty()) {
      Outline around;
      if (planar) around = make_outline(placed(polytopes().front(), turn, shift), shape.hollow);
      add({}, placed(pieces, turn, shift), std::move(around), true, false);
    } else {
      for (const Polytope& part : polytopes()) {
        Polytope polytope = placed(part, turn, shift);
        polytope.radius += shape.rounding;
        Pieces of_part = pieces_of(polytope);
        Outline around = planar ? make_outline(polytope, false) : Outline{};
        add(std::move(polytope), std::move(of_part), std::move(around), false, false);
      }
    }
    for (std::size_t k = first; k < solids_.size(); ++k) solids_[k].extent = extent;
    if (node != ground) extents_[node] = std::max(extents_[node], extent);
  }
}

void Machine::add_solids(const Model& model) {
  materials_ = model.materials.size();
  for (const MaterialSpec& a : model.materials) {
    for (const MaterialSpec& b : model.materials) {
      laws_.push_back(law_between(model, a.name, b.name));
    }
  }
  add_solids("ground", ground, model.ground, model);
  for (const BodySpec& body : model.bodies) {
    add_solids(body.name, node_of({body.name, {}}), body.shapes, model);
  }
  for (const JointSpec& joint : model.joints) {
    if (!joint.touch) apart_.insert(std::minmax(node_of(joint.a), node_of(joint.b)));
  }
  for (const BodyPairSpec& exclusion : model.exclusions) {
    apart_.insert(
        std::minmax(node_of({exclusion.bodies[0], {}}), node_of({exclusion.bodies[1], {}})));
  }
  check_thin_walls();
}

/// Lines have no inside in which another could be.
void Machine::check_thin_walls() const {
  std::vector<int> thin;
  for (std::size_t k = 0; k < solids_.size(); ++k) {
    const Outline& outline = solids_[k].outline;
    const bool is_line = outline.inside == Outline::Inside::nothing && outline.radius == 0.0;
    if (is_line && !outline.is_empty()) thin.push_back(static_cast<int>(k));
  }
  for (const int a : thin) {
    for (const int b : thin) {
      if (a >= b || !may_touch(a, b)) continue;
      const std::string &one = solids_[static_cast<std::size_t>(a)].name,
                        &other = solids_[static_cast<std::size_t>(b)].name;
      throw Error(fmt::format("'{}' and '{}' have walls without thickness, which cannot touch each "
                              "other; give one of them a 'radius'",
                              one, other));
    }
  }
}

bool Machine::may_touch(int solid, int other) const {
  const int a = solids_[static_cast<std::size_t>(solid)].node;
  const int b = solids_[static_cast<std::size_t>(other)].node;
  return a != b && !apart_.contains(std::minmax(a, b));
}

namespace {

const Vec3& corner_of(const Solid& solid, const Feature& feature) {
  return solid.shape.corners[static_cast<std::size_t>(feature.index)];
}

/// A corner or an edge; `sharp`: the cores of the two meet when they touch.
Patch patch_of(const Solid& solid, const Feature& feature, bool sharp) {
  Patch patch;
  if (feature.kind == Feature::Kind::corner) {
    patch.origin = corner_of(solid, feature);
  } else {
    const Polytope::Edge& edge =
        solid.shape.touching_edges()[static_cast<std::size_t>(feature.index)];
    patch = line_patch(edge, solid.shape.corners[static_cast<std::size_t>(edge.begin)]);
    if (!sharp) patch.outward = Vec3::Zero();
  }
  patch.radius = solid.shape.radius;
  return patch;
}

}  // namespace

/// The touching features as a contact: that with the face, or the first one, is a of the contact.
Contact Machine::contact_of_solids(const ContactKey& key) const {
  const Solid* a = &solids_[static_cast<std::size_t>(key.sphere)];
  const Solid* b = &solids_[static_cast<std::size_t>(key.partner)];
  Feature of_a = Feature::of(key.feature), of_b = Feature::of(key.partner_feature);
  ContactSpec spec;
  spec.name = a->name + " on " + b->name;
  static_cast<SurfaceLaw&>(spec) = laws_[static_cast<std::size_t>(a->material) * materials_ +
                                         static_cast<std::size_t>(b->material)];
  if (of_b.kind == Feature::Kind::face) {
    std::swap(a, b);
    std::swap(of_a, of_b);
  }
  const bool is_planar = Contact::is_planar(nodes_[static_cast<std::size_t>(a->node)],
                                            nodes_[static_cast<std::size_t>(b->node)]);
  const auto make_pair = [&]() -> ContactPair {
    if (of_a.kind == Feature::Kind::element) {
      return PatchPair(a->outline.elements[static_cast<std::size_t>(of_a.index)].patch,
                       b->outline.elements[static_cast<std::size_t>(of_b.index)].patch, a->node,
                       b->node, is_planar);
    }
    if (of_a.kind == Feature::Kind::piece) {
      return PiecePair::make_pair(a->pieces[static_cast<std::size_t>(of_a.index)],
                                  b->pieces[static_cast<std::size_t>(of_b.index)], a->node, b->node,
                                  is_planar);
    }
    if (of_a.kind == Feature::Kind::face) {
      const Polytope::Face& face = a->shape.faces[static_cast<std::size_t>(of_a.index)];
      spec.geometry = b->shape.radius > 0.0 ? SphereOnFace::geometry : PointOnFace::geometry;
      spec.face.point = (face.offset + a->shape.radius) * face.normal;
      spec.direction = face.normal;
      spec.point.point = corner_of(*b, of_b);
      spec.radius = b->shape.radius;
      return make_contact_pair(spec, a->node, b->node, is_planar);
    }
    if (of_a.kind == Feature::Kind::corner && of_b.kind == Feature::Kind::corner) {
      spec.geometry = SphereOnSphere::geometry;
      spec.face.point = corner_of(*a, of_a);
      spec.face_radius = a->shape.radius;
      spec.point.point = corner_of(*b, of_b);
      spec.radius = b->shape.radius;
      return make_contact_pair(spec, a->node, b->node, is_planar);
    }
    const bool sharp = a->shape.radius + b->shape.radius == 0.0;
    return PatchPair(patch_of(*a, of_a, sharp), patch_of(*b, of_b, sharp), a->node, b->node,
                     is_planar);
  };
  Contact contact(spec, make_pair(), a->node, b->node, nodes_);
  contact.group = key.group;
  return contact;
}

}  // namespace clatter
