#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <clatter/elements/bushing.hpp>
#include <clatter/elements/site.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/fields.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

/// psi x (psi x m) by psi
Mat3 double_cross_derivative(const Vec3& psi, const Vec3& m) {
  return psi * m.transpose() + psi.dot(m) * Mat3::Identity() - 2.0 * m * psi.transpose();
}

/// One bushing while it is read.
struct BushingReading {
  const KeyTable& table;
  BodyChoice a, b;
  Dimension pair;
  BushingSpec& bushing;
};

void read_bushing_points(const BushingReading& r) {
  r.table.refuse_together("point_a", "point");
  r.table.refuse_together("point_b", "point");
  if (const std::optional<Vec3> point = r.table.vector("point", r.pair)) {
    for (const auto& [body, end] : {std::pair(r.a, &r.bushing.a), std::pair(r.b, &r.bushing.b)}) {
      end->point = point_in_body(r.table, "point", *point, body, false);
    }
  }
  if (r.table.has("point")) return;
  if (!r.table.has("point_a") || !r.table.has("point_b")) {
    r.table.refuse_table(
        "missing key 'point' in [[bushing]]: give 'point' in space, or 'point_a' and 'point_b' in "
        "the body frames");
    return;
  }
  r.bushing.a.point = read_point(r.table, "point_a", r.a, r.pair);
  r.bushing.b.point = read_point(r.table, "point_b", r.b, r.pair);
}

void read_bushing_axes(const BushingReading& r) {
  constexpr double slack = 1e-6;  // six digits, as people write them
  const bool planar = r.pair == Dimension::two;
  const std::optional<Vec3> x = r.table.direction("axis", r.pair);
  const std::optional<Vec3> given = r.table.direction("axis2", r.pair);
  Mat3 frame = Mat3::Identity();
  if (r.table.has("axis2") && (planar || !r.table.has("axis"))) {
    r.table.refuse_key("axis2", planar ? "'axis2' follows from 'axis' in the plane; leave it out"
                                       : "'axis2' goes together with 'axis'");
    return;
  }
  if (r.table.has("axis") && !r.table.has("axis2") && r.pair == Dimension::three) {
    r.table.refuse_table("missing key 'axis2' in [[bushing]]: 'axis' and 'axis2' go together");
    return;
  }
  if (x && (planar || given)) {
    const Vec3 second = planar ? Vec3::UnitZ().cross(*x) : *given;
    if (std::abs(x->dot(second)) > slack) {
      r.table.refuse("axis2", "'axis2' must be perpendicular to 'axis'");
      return;
    }
    const Vec3 y = (second - second.dot(*x) * *x).normalized();
    frame << *x, y, x->cross(y);
  }
  r.bushing.axes_a = r.a.rotation().transpose() * frame;
  r.bushing.axes_b = r.b.rotation().transpose() * frame;
}

void check_rotational(const ObjectCheck& object, const char* key, const Vec3& values,
                      const BodyChoice& a, const BodyChoice& b) {
  const bool is_sound = values.allFinite() && values.minCoeff() >= 0.0;
  if (!object.knows(key) || !is_sound) return;
  if (is_planar_pair(a, b) && !values.head<2>().isZero(0.0)) {
    object.refuse(key, fmt::format("'{}': planar bodies turn about z only, so write [0, 0, {}]",
                                   key, values[2]));
  }
  for (const BodyChoice* body : {&a, &b}) {
    if (!body->is(BodyKind::point) || values.isZero(0.0)) continue;
    object.refuse_key(key, fmt::format("point body '{}' does not turn, so '{}' has no meaning; "
                                       "leave it out",
                                       body->name(), key));
  }
}

}  // namespace

template <class SomeSpec, class Fields>
void Bushing::describe(SomeSpec& bushing, const Fields& fields) {
  fields.vector("stiffness", bushing.stiffness, ranges::not_negative);
  fields.vector("damping", bushing.damping, ranges::not_negative);
  fields.vector("preload", bushing.preload, ranges::any);
  fields.triple("rotational_stiffness", bushing.rotational_stiffness, ranges::not_negative);
  fields.triple("rotational_damping", bushing.rotational_damping, ranges::not_negative);
}

void Bushing::read(const KeyTable& table, const NamedBodies& bodies, BushingSpec& bushing) {
  const BodyChoice a = table.has("a") ? bodies.find(table, "a") : BodyChoice::unknown();
  const BodyChoice b = table.has("b") ? bodies.find(table, "b") : BodyChoice::unknown();
  bushing.a.body = a.name();
  bushing.b.body = b.name();
  const BushingReading r{table, a, b, dimension_of_pair(a, b), bushing};
  read_bushing_points(r);
  read_bushing_axes(r);
  describe(bushing, FieldReader(table, r.pair));
}

void Bushing::check(const BushingSpec& bushing, const ObjectCheck& object, BodyLookup& bodies) {
  const BodyChoice a = find_body(object, "a", bushing.a.body, bodies);
  const BodyChoice b = find_body(object, "b", bushing.b.body, bodies);
  if (a.same_as(b)) {
    object.refuse("b", a.is_ground() ? "a bushing needs a body: 'a' and 'b' are both the ground"
                                     : fmt::format("'a' and 'b' are the same body '{}'", a.name()));
  }
  const auto in_plane = [&](const BodyChoice& body) {
    return body.is(BodyKind::planar) || (body.is_ground() && is_planar_pair(a, b));
  };
  check_point(object, "point_a", bushing.a.point, a, in_plane(a));
  check_point(object, "point_b", bushing.b.point, b, in_plane(b));
  describe(bushing, FieldCheck(object));
  check_rotational(object, "rotational_stiffness", bushing.rotational_stiffness, a, b);
  check_rotational(object, "rotational_damping", bushing.rotational_damping, a, b);
  bool is_nothing = true;
  for (const auto& [key, values] :
       {std::pair("stiffness", &bushing.stiffness), std::pair("damping", &bushing.damping),
        std::pair("rotational_stiffness", &bushing.rotational_stiffness),
        std::pair("rotational_damping", &bushing.rotational_damping)}) {
    is_nothing = is_nothing && object.knows(key) && values->isZero(0.0);
  }
  if (!is_nothing) return;
  object.refuse_object(
      "a bushing needs a stiffness or a damping that is not zero: give 'stiffness', 'damping', "
      "'rotational_stiffness' or 'rotational_damping'");
}

Bushing Bushing::build(const BushingSpec& spec, const Site& site) {
  BushingSpec local = spec;
  local.a.point = site.point_of(spec.a);
  local.b.point = site.point_of(spec.b);
  return {local, site.node_of(spec.a), site.node_of(spec.b)};
}

std::vector<ElementChannel> Bushing::channels() const {
  const auto of = [this](const char* name, const char* unit, Vec3 Reading::*values) {
    return ElementChannel{
        name,
        {"x", "y", "z"},
        unit,
        [this, values](const Configuration& q, const NodalVector& v, double, double* out) {
          const Reading reading = read(q, v);
          std::copy_n((reading.*values).data(), 3, out);
        }};
  };
  return {of("displacement", "m", &Reading::displacement),
          of("rotation", "rad", &Reading::rotation), of("force", "N", &Reading::force),
          of("torque", "N m", &Reading::torque)};
}

Bushing::Bushing(const BushingSpec& spec, int a, int b)
    : name_(spec.name),
      a_(a),
      b_(b),
      along_{PairCoordinate::along(a, spec.a.point, spec.axes_a.col(0), b, spec.b.point),
             PairCoordinate::along(a, spec.a.point, spec.axes_a.col(1), b, spec.b.point),
             PairCoordinate::along(a, spec.a.point, spec.axes_a.col(2), b, spec.b.point)},
      frame_a_(spec.axes_a),
      frame_b_(spec.axes_b),
      axes_a_(spec.axes_a),
      axes_b_(spec.axes_b),
      stiffness_(spec.stiffness),
      rotational_stiffness_(spec.rotational_stiffness),
      damping_(spec.damping),
      rotational_damping_(spec.rotational_damping),
      preload_(spec.preload),
      place_(spec.place) {}

Quaternion Bushing::turn(const Configuration& q) const {
  return (q[a_].p * frame_a_).conjugate() * (q[b_].p * frame_b_);
}

Vec3 Bushing::spin(const Mat3& turn, const NodalVector& v) const {
  return turn * (axes_b_.transpose() * of_node(v, b_).tail<3>()) -
         axes_a_.transpose() * of_node(v, a_).tail<3>();
}

Bushing::Reading Bushing::read(const Configuration& q, const NodalVector& v) const {
  Reading reading;
  const Vec12 pair = of_pair(v, a_, b_);
  Vec12 g;
  for (int i = 0; i < 3; ++i) {
    along_[static_cast<std::size_t>(i)].gradient(q, g);
    reading.displacement[i] = along_[static_cast<std::size_t>(i)].value(q);
    reading.force[i] =
        -(preload_[i] + stiffness_[i] * reading.displacement[i] + damping_[i] * g.dot(pair));
  }
  const Quaternion turned = turn(q);
  reading.rotation = log_so3(turned);
  const Vec3 moment = rotational_stiffness_.cwiseProduct(reading.rotation);
  // In the axes of a the torque of b's frame, -T^-T m, is -T^-1 m.
  reading.torque = -(inverse_tangent_so3(reading.rotation) * moment) -
                   rotational_damping_.cwiseProduct(spin(turned.toRotationMatrix(), v));
  return reading;
}

void Bushing::generalised_force(const Configuration& q, const NodalVector& v, double /*reached*/,
                                Vec12& f) const {
  const Reading reading = read(q, v);
  f.setZero();
  Vec12 g;
  for (int i = 0; i < 3; ++i) {
    along_[static_cast<std::size_t>(i)].gradient(q, g);
    f += reading.force[i] * g;
  }
  f.segment<3>(TA) -= axes_a_ * reading.torque;
  f.segment<3>(TB) += axes_b_ * (turn(q).conjugate() * reading.torque);
}

void Bushing::tangent(const Configuration& q, const NodalVector& v, double /*reached*/, Mat12& K,
                      Mat12& C) const {
  K.setZero();
  C.setZero();
  const Vec12 pair = of_pair(v, a_, b_);
  Vec12 g;
  Mat12 H;
  for (int i = 0; i < 3; ++i) {
    const PairCoordinate& u = along_[static_cast<std::size_t>(i)];
    u.gradient(q, g);
    u.hessian(q, H);
    const double tension = preload_[i] + stiffness_[i] * u.value(q) + damping_[i] * g.dot(pair);
    const Vec12 rate_gradient = H.transpose() * pair;
    K += g * (stiffness_[i] * g + damping_[i] * rate_gradient).transpose() + tension * H;
    C += damping_[i] * g * g.transpose();
  }

  // Torques -S m on b, in the axes of a, or -S^T m in those of b; dpsi = S dPhi, with S = T^-1 =
  // 1 + psi x/2 + c psi x psi x, and dPhi the relative turn in the axes of b.
  const Quaternion turned = turn(q);
  const Mat3 R = turned.toRotationMatrix();
  const Vec3 psi = log_so3(turned), m = rotational_stiffness_.cwiseProduct(psi);
  const HalfCotangent c = half_cotangent(psi.squaredNorm());
  const Mat3 S = inverse_tangent_so3(psi);
  const Mat3 even = c.value * double_cross_derivative(psi, m) +
                    c.slope * psi.cross(psi.cross(m)) * psi.transpose();
  const Mat3 stiffness = rotational_stiffness_.asDiagonal();
  const Mat3 of_a = S * stiffness + even - 0.5 * skew(m);              // d(S m)/dpsi
  const Mat3 of_b = S.transpose() * stiffness + even + 0.5 * skew(m);  // d(S^T m)/dpsi
  // Dampers: D w on b, in the axes of a, with w = R w_b - w_a.
  const Vec3 w_b = axes_b_.transpose() * of_node(v, b_).tail<3>();
  const Mat3 damping = rotational_damping_.asDiagonal();
  const Mat3 rate = -R * skew(w_b);  // dw/dPhi
  const Vec3 damped = R.transpose() * (damping * spin(R, v));
  const Mat3 at_a = of_a * S + damping * rate;
  const Mat3 at_b = of_b * S + skew(damped) + R.transpose() * damping * rate;
  // dPhi = phi_a dTheta_a + phi_b dTheta_b
  const Mat3 phi_a = -R.transpose() * axes_a_.transpose(), phi_b = axes_b_.transpose();
  K.block<3, 3>(TA, TA) -= axes_a_ * at_a * phi_a;
  K.block<3, 3>(TA, TB) -= axes_a_ * at_a * phi_b;
  K.block<3, 3>(TB, TA) += axes_b_ * at_b * phi_a;
  K.block<3, 3>(TB, TB) += axes_b_ * at_b * phi_b;
  const Mat3 spin_b = R * axes_b_.transpose();  // dw/dw_b; that of a is -axes_a^T
  C.block<3, 3>(TA, TA) += axes_a_ * damping * axes_a_.transpose();
  C.block<3, 3>(TA, TB) -= axes_a_ * damping * spin_b;
  C.block<3, 3>(TB, TA) -= spin_b.transpose() * damping * axes_a_.transpose();
  C.block<3, 3>(TB, TB) += spin_b.transpose() * damping * spin_b;
}

double Bushing::energy(const Configuration& q, double /*reached*/) const {
  double energy = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double u = along_[static_cast<std::size_t>(i)].value(q);
    energy += (preload_[i] + 0.5 * stiffness_[i] * u) * u;
  }
  const Vec3 psi = log_so3(turn(q));
  return energy + 0.5 * psi.dot(rotational_stiffness_.cwiseProduct(psi));
}

double Bushing::dissipated_power(const Configuration& q, const NodalVector& v,
                                 double /*reached*/) const {
  const Vec12 pair = of_pair(v, a_, b_);
  Vec12 g;
  double power = 0.0;
  for (int i = 0; i < 3; ++i) {
    along_[static_cast<std::size_t>(i)].gradient(q, g);
    const double rate = g.dot(pair);
    power += damping_[i] * rate * rate;
  }
  const Vec3 w = spin(turn(q).toRotationMatrix(), v);
  return power + w.dot(rotational_damping_.cwiseProduct(w));
}

void Bushing::check(const Configuration& q, double /*reached*/) const {
  constexpr double most = 170.0 * std::numbers::pi / 180.0;
  if (rotational_stiffness_.isZero(0.0)) return;  // a damper has no rotation vector
  const double angle = log_so3(turn(q)).norm();
  if (angle <= most) return;
  throw Error(place_,
              fmt::format("bushing '{}' is turned by {:.0f} degrees; its rotation vector has "
                          "a meaning up to 180 only, so use a joint and a torsional spring "
                          "for more",
                          name_, 180.0 * angle / std::numbers::pi));
}

}  // namespace clatter
