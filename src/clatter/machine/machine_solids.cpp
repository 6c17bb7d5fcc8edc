#include <algorithm>
#include <cmath>
#include <numbers>

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
  Pieces operator()(const RingShape& s) const { return make_ring(s.radius, s.tube_radius); }
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

int index_of_material(const Model& model, const std::string& name) {
  const auto found = std::find_if(model.materials.begin(), model.materials.end(),
                                  [&](const MaterialSpec& each) { return each.name == name; });
  return static_cast<int>(found - model.materials.begin());
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
    const int material = index_of_material(model, shape.material);
    const std::size_t first = solids_.size();
    double extent = 0.0;
    const auto add = [&](Polytope part, Pieces pieces, Outline outline, bool by_pieces,
                         bool by_outline) {
      extent = std::max(extent, by_outline ? outline.extent() : extent_of(pieces));
      solids_.push_back({solid_count > 1 ? fmt::format("{}.{}", body, number) : body, node,
                         std::move(part), std::move(pieces), std::move(outline), by_pieces,
                         by_outline, planar, material, 0.0, 0.0});
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
    for (std::size_t k = first; k < solids_.size(); ++k) {
      solids_[k].extent = solids_[k].size = extent;
      if (is_ring(solids_[k].pieces)) solids_[k].size = solids_[k].pieces.front().patch.radius;
    }
    if (node != ground) extents_[node] = std::max(extents_[node], extent);
  }
}

void Machine::add_solids(const Model& model) {
  materials_ = model.materials.size();
  for (const MaterialSpec& a : model.materials) {
    for (const MaterialSpec& b : model.materials) {
      laws_.push_back(law_between(model, a.name, b.name));
      compliances_.push_back(compliance_between(model, a.name, b.name));
      is_compliant_ = is_compliant_ || compliances_.back();
    }
  }
  add_solids("ground", ground, model.ground, model);
  for (const BodySpec& body : model.bodies) {
    add_solids(body.name, node_of({body.name, {}}), body.shapes, model);
  }
  for (std::size_t b = 0; b < beams_.size(); ++b) {
    if (!model.beams[b].material.empty()) add_solid_beam(model.beams[b], beams_[b], model);
  }
  keep_apart(model);
}

/// Each element is a capsule around its chord. The balls at its ends are those of its nodes, and
/// belong to the neighbours as well.
void Machine::add_solid_beam(const BeamSpec& spec, const Beam& beam, const Model& model) {
  has_solid_beams_ = true;
  const double radius = contact_radius_of(spec).value();
  double begin = 0.0;
  for (int e = 0; e < beam.elements; ++e) {
    const BeamElement& element = beam_elements_[static_cast<std::size_t>(beam.first_element + e)];
    const Vec3 half = 0.5 *
                      (q0_[static_cast<std::size_t>(element.b())].x -
                       q0_[static_cast<std::size_t>(element.a())].x)
                          .norm() *
                      (spec.planar ? Vec3::UnitX() : Vec3::UnitZ());
    Polytope capsule = make_core(std::array{Vec3(-half), half}, radius, spec.planar);
    Pieces pieces = pieces_of(capsule);
    const double end = begin + element.properties().length;
    solids_.push_back({spec.name,
                       element.a(),
                       std::move(capsule),
                       std::move(pieces),
                       {},
                       false,
                       false,
                       spec.planar,
                       index_of_material(model, spec.material),
                       half.norm() + radius,
                       radius,
                       element.b(),
                       begin,
                       end,
                       spec.touch_itself});
    begin = end;
  }
  for (int n = beam.first_node; n < beam.first_node + beam.nodes; ++n) {
    double& extent = extents_[static_cast<std::size_t>(n)];
    extent = std::max(extent, radius);
  }
}

void Machine::keep_apart(const Model& model) {
  const auto part_of = [&](int node) { return watched_pairs_.part_of(node); };
  for (const JointSpec& joint : model.joints) {
    const int a = node_of(joint.a), b = node_of(joint.b);
    if (!joint.touch) {
      apart_.insert(std::minmax(part_of(a), part_of(b)));
    } else if (static_cast<std::size_t>(std::max(part_of(a), part_of(b))) > model.bodies.size()) {
      nodes_apart_.insert(std::minmax(a, b));  // where a beam is held it cannot but overlap
    }
  }
  const std::vector<std::string> names = parts_of(model);
  for (const BodyPairSpec& exclusion : model.exclusions) {
    const auto part_called = [&](const std::string& name) {
      const auto found = std::find(names.begin(), names.end(), name);
      return found != names.end() ? static_cast<int>(found - names.begin())
                                  : part_of(node_of({name, {}}));
    };
    apart_.insert(std::minmax(part_called(exclusion.bodies[0]), part_called(exclusion.bodies[1])));
  }
  check_thin_walls();
  check_beams_and_curves();
  check_grooves();
}

void Machine::check_beams_and_curves() const {
  if (!has_solid_beams_) return;
  for (std::size_t a = 0; a < solids_.size(); ++a) {
    for (std::size_t b = 0; b < solids_.size(); ++b) {
      if (!solids_[a].is_element() || !solids_[b].by_outline) continue;
      if (!may_touch(static_cast<int>(a), static_cast<int>(b))) continue;
      throw Error(
          fmt::format("beam '{}' and the curved outline of '{}' cannot touch each other; "
                      "name both in [[exclude]], or make the outline a polygon",
                      solids_[a].name, solids_[b].name));
    }
  }
}

void Machine::check_grooves() const {
  for (std::size_t g = 0; g < solids_.size(); ++g) {
    const Solid& groove = solids_[g];
    if (!is_groove(groove.pieces)) continue;
    for (std::size_t k = 0; k < solids_.size(); ++k) {
      const Solid& other = solids_[k];
      if (is_container(other.pieces) || !may_touch(static_cast<int>(g), static_cast<int>(k))) {
        continue;
      }
      const bool is_sphere =
          other.pieces.size() == 1 && other.pieces.front().patch.kind == Patch::Kind::point;
      if (!is_sphere) {
        throw Error(
            fmt::format("only spheres run in the groove of '{}': name it and '{}' in "
                        "[[exclude]], or make that a sphere",
                        groove.name, other.name));
      }
      const double tube = -groove.pieces.front().patch.radius,
                   ball = other.pieces.front().patch.radius;
      if (!(ball < tube)) {
        throw Error(
            fmt::format("the sphere of '{}' with a radius of {:.6g} m does not fit in the "
                        "groove of '{}' with a 'tube_radius' of {:.6g} m; make it smaller, "
                        "or name both in [[exclude]]",
                        other.name, ball, groove.name, tube));
      }
    }
  }
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
      throw Error(
          fmt::format("'{}' and '{}' have walls without thickness, which cannot touch each "
                      "other; give one of them a 'radius'",
                      one, other));
    }
  }
}

bool Machine::may_touch(int solid, int other) const {
  const Solid &a = solids_[static_cast<std::size_t>(solid)],
              &b = solids_[static_cast<std::size_t>(other)];
  const int part_a = watched_pairs_.part_of(a.node), part_b = watched_pairs_.part_of(b.node);
  if (part_a == part_b) {
    // What is nearer along a beam than the half circle around its own radius cannot meet.
    const double between = std::max(a.begin, b.begin) - std::min(a.end, b.end);
    return a.touches_itself && between > std::numbers::pi * a.size;
  }
  if (apart_.contains(std::minmax(part_a, part_b))) return false;
  if (nodes_apart_.empty()) return true;
  for (const int n : {a.node, a.is_element() ? a.second : a.node}) {
    for (const int m : {b.node, b.is_element() ? b.second : b.node}) {
      if (nodes_apart_.contains(std::minmax(n, m))) return false;
    }
  }
  return true;
}

bool Machine::goes_on(const ContactKey& before, const ContactKey& now) const {
  if (before.group != group_of_solids() || now.group != group_of_solids()) return false;
  const auto is_next = [&](int one, int other) {
    const Solid &a = solids_[static_cast<std::size_t>(one)],
                &b = solids_[static_cast<std::size_t>(other)];
    if (!a.is_element() || !b.is_element()) return false;
    return one == other || a.second == b.node || b.second == a.node;
  };
  const bool same_first = before.sphere == now.sphere && before.feature == now.feature;
  const bool same_second =
      before.partner == now.partner && before.partner_feature == now.partner_feature;
  return (same_first && is_next(before.partner, now.partner)) ||
         (same_second && is_next(before.sphere, now.sphere));
}

namespace {

/// What a solid touches with: a patch, fixed in a node or along a chord.
struct TouchingSide {
  const Solid& solid;
  Feature feature;

  bool is_chord() const { return solid.is_element() && solid.node_of(feature) < 0; }
  int node() const {
    return solid.is_element() && !is_chord() ? solid.node_of(feature) : solid.node;
  }
  Vec3 corner() const {
    if (solid.is_element()) return Vec3::Zero();
    return solid.shape.corners[static_cast<std::size_t>(feature.index)];
  }
  /// `sharp`: the cores of the two meet when they touch.
  Patch patch(bool sharp) const;
  ChordPair::Side of_chord() const {
    return {patch(false), node(), is_chord() ? solid.second : ground};
  }
};

Patch TouchingSide::patch(bool sharp) const {
  Patch patch;
  if (solid.is_element() || feature.kind == Feature::Kind::corner) {
    patch.origin = is_chord() ? Vec3(Vec3::Zero()) : corner();
  } else if (feature.kind == Feature::Kind::piece) {
    return solid.pieces[static_cast<std::size_t>(feature.index)].patch;
  } else {
    const Polytope::Edge& edge =
        solid.shape.touching_edges()[static_cast<std::size_t>(feature.index)];
    patch = line_patch(edge, solid.shape.corners[static_cast<std::size_t>(edge.begin)]);
    if (!sharp) patch.outward = Vec3::Zero();
  }
  patch.radius = solid.shape.radius;
  return patch;
}

ContactPair make_pair(const TouchingSide& a, const TouchingSide& b, bool planar,
                      ContactSpec& spec) {
  const auto corner_on = [&](const ContactGeometry& geometry) {
    spec.geometry = geometry;
    spec.point.point = b.corner();
    spec.radius = b.solid.shape.radius;
    return make_contact_pair(spec, a.node(), b.node(), planar);
  };
  if (a.is_chord() || b.is_chord()) {
    ChordPair::Side of_a = a.of_chord(), of_b = b.of_chord();
    of_a.patch.outward = of_b.patch.outward = Vec3::Zero();
    return ChordPair(of_a, of_b, planar);
  }
  if (a.feature.kind == Feature::Kind::element) {
    return PatchPair(a.solid.outline.elements[static_cast<std::size_t>(a.feature.index)].patch,
                     b.solid.outline.elements[static_cast<std::size_t>(b.feature.index)].patch,
                     a.node(), b.node(), planar);
  }
  if (a.feature.kind == Feature::Kind::piece) {
    return PiecePair::make_pair(a.patch(false), b.patch(false), a.node(), b.node(), planar);
  }
  if (a.feature.kind == Feature::Kind::face) {
    const Polytope& shape = a.solid.shape;
    const Polytope::Face& face = shape.faces[static_cast<std::size_t>(a.feature.index)];
    spec.face.point = (face.offset + shape.radius) * face.normal;
    spec.direction = face.normal;
    return corner_on(b.solid.shape.radius > 0.0 ? SphereOnFace::geometry : PointOnFace::geometry);
  }
  if (a.feature.kind == Feature::Kind::corner && b.feature.kind == Feature::Kind::corner) {
    spec.face.point = a.corner();
    spec.face_radius = a.solid.shape.radius;
    return corner_on(SphereOnSphere::geometry);
  }
  const bool sharp = a.solid.shape.radius + b.solid.shape.radius == 0.0;
  return PatchPair(a.patch(sharp), b.patch(sharp), a.node(), b.node(), planar);
}

}  // namespace

/// The touching features as a contact: that with the face, or the first one, is a of the contact.
Contact Machine::contact_of_solids(const ContactKey& key) const {
  const Solid* a = &solids_[static_cast<std::size_t>(key.sphere)];
  const Solid* b = &solids_[static_cast<std::size_t>(key.partner)];
  Feature of_a = Feature::of(key.feature), of_b = Feature::of(key.partner_feature);
  ContactSpec spec;
  spec.name = a->name + " on " + b->name;
  const std::size_t materials =
      static_cast<std::size_t>(a->material) * materials_ + static_cast<std::size_t>(b->material);
  static_cast<SurfaceLaw&>(spec) = laws_[materials];
  spec.compliance = compliances_[materials];
  if (of_b.kind == Feature::Kind::face) {
    std::swap(a, b);
    std::swap(of_a, of_b);
  }
  const TouchingSide side_a{*a, of_a}, side_b{*b, of_b};
  const int node_a = side_a.node(), node_b = side_b.node();
  const bool is_planar = Contact::is_planar(nodes_[static_cast<std::size_t>(node_a)],
                                            nodes_[static_cast<std::size_t>(node_b)]);
  Contact contact(spec, make_pair(side_a, side_b, is_planar, spec), node_a, node_b, nodes_);
  contact.group = key.group;
  return contact;
}

}  // namespace clatter
