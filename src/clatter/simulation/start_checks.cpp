#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/QR>
#include <fmt/format.h>

#include <clatter/machine/solid_search.hpp>
#include <clatter/simulation/start_checks.hpp>

namespace clatter {
namespace {

// A start that is off by less than this, relative to the size of the model or its speeds, is
// corrected without a word; more is a mistake in the model.
constexpr double start_tolerance = 1e-8;
constexpr int largest_rank_check = 600;

/// The solid angle of a triangle seen from the origin, positive when its corners go round
/// counter-clockwise seen from beyond it (van Oosterom and Strackee 1983).
double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double p = a.norm(), q = b.norm(), r = c.norm();
  return 2.0 *
         std::atan2(a.dot(b.cross(c)), p * q * r + a.dot(b) * r + b.dot(c) * p + c.dot(a) * q);
}

/// A mesh is a pyramid behind each of its faces.
bool are_of_one_mesh(const Solid& a, const Solid& b) {
  return a.shape.is_part && b.shape.is_part && a.node == b.node && a.name == b.name;
}

/// Whether the faces of a mesh, whose parts follow each other, go around a point of its node.
bool is_around(std::span<const Solid> parts, const Vec3& point) {
  double angle = 0.0;
  for (const Solid& part : parts) {
    for (const Polytope::Face& face : part.shape.faces) {
      if (!face.is_surface) continue;
      const auto corner = [&](std::size_t i) -> Vec3 {
        return part.shape.corners[static_cast<std::size_t>(face.corners[i])] - point;
      };
      for (std::size_t i = 2; i < face.corners.size(); ++i) {
        angle += solid_angle(corner(0), corner(i - 1), corner(i));
      }
    }
  }
  return angle > 2.0 * std::numbers::pi;  // 4 pi inside, 0 outside
}

/// A point of a solid that has an end, in the frame of its node.
std::optional<Vec3> point_of(const Solid& solid) {
  if (!solid.shape.corners.empty()) return solid.shape.corners.front();
  if (solid.pieces.empty() || is_container(solid.pieces)) return std::nullopt;
  return furthest_point(solid.pieces, Vec3::UnitZ());
}

/// Nobody is in the middle of a mesh, where nothing of its surface is.
void check_enclosed(const Machine& machine, const Configuration& q) {
  const std::vector<Solid>& solids = machine.solids();
  for (std::size_t first = 0, end = 0; first < solids.size(); first = end) {
    end = first + 1;
    while (end < solids.size() && are_of_one_mesh(solids[first], solids[end])) ++end;
    if (!solids[first].shape.is_part) continue;
    const NodeState& at = q[static_cast<std::size_t>(solids[first].node)];
    for (std::size_t k = 0; k < solids.size(); ++k) {
      const std::optional<Vec3> point = point_of(solids[k]);
      if ((k >= first && k < end) || !point ||
          !machine.may_touch(static_cast<int>(std::min(first, k)),
                             static_cast<int>(std::max(first, k)))) {
        continue;
      }
      const NodeState& at_k = q[static_cast<std::size_t>(solids[k].node)];
      const Vec3 in_mesh = at.R.transpose() * (at_k.x + at_k.R * *point - at.x);
      if (!is_around({&solids[first], end - first}, in_mesh)) continue;
      throw Error(fmt::format(
          "'{}' starts wholly inside '{}'; move one of them, or let them pass through each other "
          "with [[exclude]] bodies = [\"{}\", \"{}\"]",
          solids[k].name, solids[first].name,
          machine.nodes()[static_cast<std::size_t>(solids[k].node)].name,
          machine.nodes()[static_cast<std::size_t>(solids[first].node)].name));
    }
  }
}

}  // namespace

void check_joints(const Machine& machine, const Instant& instant, const Configuration& q,
                  const NodalVector& v, double duration) {
  std::vector<Mistake> mistakes;
  double speed = machine.length() / duration;
  for (Eigen::Index n = 0; n < v.size() / 6; ++n) {
    speed = std::max(
        {speed, v.segment<3>(6 * n).norm(), v.segment<3>(6 * n + 3).norm() * machine.length()});
  }
  Vec12 g;
  double misfit = 0.0, tearing = 0.0;
  for (std::size_t j = 0; j < machine.joints().size(); ++j) {
    const Joint& joint = machine.joints()[j];
    const Joint::Drive& drive = instant.drives[j];
    const double reached = machine.turns_of_joint(j, instant.turns);
    double gap = 0.0, twist = 0.0, rate = 0.0, wanted = 0.0;
    for (const JointRow& row : joint.rows()) {
      double& worst = row.is_length() ? gap : twist;
      if (row.begins) misfit = tearing = 0.0;
      misfit += joint.misfit(row, drive, q, reached);
      row.row(q, g);
      tearing += g.dot(of_pair(v, joint.a(), joint.b())) - Joint::target_rate(row, drive);
      if (!row.ends) continue;
      worst = std::max(worst, std::abs(misfit));
      const double unit = row.is_length() ? 1.0 : machine.length();
      wanted = std::max(wanted, unit * std::abs(Joint::target_rate(row, drive)));
      rate = std::max(rate, unit * std::abs(tearing));
    }
    if (gap > start_tolerance * machine.length() || twist > start_tolerance) {
      mistakes.push_back(
          {joint.place(),
           fmt::format("{} '{}' does not fit at the start: it is off by {:.3g} m "
                       "and {:.3g} rad; correct the positions, or set assemble = true",
                       joint.noun(), joint.name(), gap, twist)});
    } else if (rate > start_tolerance * std::max(speed, wanted)) {
      mistakes.push_back(
          {joint.place(),
           fmt::format("the initial velocities tear {} '{}' apart at {:.3g} m/s; correct them, "
                       "or set assemble = true",
                       joint.noun(), joint.name(), rate)});
    }
  }
  if (!mistakes.empty()) throw Error(std::move(mistakes));
}

void check_axes(const Machine& machine, const Configuration& q) {
  std::vector<Mistake> mistakes;
  for (const Joint& joint : machine.joints()) {
    if (!joint.is_reversed(q)) continue;
    mistakes.push_back(
        {joint.place(), fmt::format("the axes of joint '{}' point in opposite directions; "
                                    "turn one of them or one of the bodies",
                                    joint.name())});
  }
  if (!mistakes.empty()) throw Error(std::move(mistakes));
}

void check_penetration(const Machine& machine, std::span<const Contact> contacts,
                       const State& state, bool settled) {
  std::vector<Mistake> mistakes;
  for (const Contact& contact : contacts) {
    if (contact.compliance() != nullptr && !settled) continue;  // may start pressed
    const double gap = contact.gap(state.q, state.turns);
    if (gap < -penetration_tolerance * machine.length() && contact.is_placeless()) {
      mistakes.push_back({contact.place(),
                          fmt::format("contact '{}': what it limits {} {:.6g} m beyond this stop; "
                                      "move a body, or the stop",
                                      contact.name(), settled ? "comes to rest" : "starts", -gap)});
    } else if (gap < -penetration_tolerance * machine.length() && contact.over_face(state.q)) {
      const std::string& b = machine.nodes()[contact.b()].name;
      const std::string& a = machine.nodes()[contact.a()].name;
      const ContactGeometry& geometry = contact.geometry();
      const char* where = geometry.inside ? "outside" : "inside";
      mistakes.push_back(
          {contact.place(),
           settled
               ? fmt::format("contact '{}': in the static equilibrium the {} on '{}' is "
                             "{:.6g} m {} the {} on '{}'; statics with closed contacts "
                             "is not supported: let a run with damping come to rest",
                             contact.name(), geometry.b.noun, b, -gap, where, geometry.a.noun, a)
               : fmt::format("contact '{}': the {} on '{}' starts {:.6g} m {} the {} "
                             "on '{}'; move one of them, or set assemble = true",
                             contact.name(), geometry.b.noun, b, -gap, where, geometry.a.noun, a)});
    }
  }
  if (!mistakes.empty()) throw Error(std::move(mistakes));
}

double deepest_contact(const Machine& machine, std::span<const Contact> contacts,
                       const State& state) {
  double deepest = 0.0;
  for (const Contact& contact : contacts) {
    const double gap = contact.gap(state.q, state.turns);
    const bool is_inside = gap < -penetration_tolerance * machine.length();
    if (is_inside && (contact.is_placeless() || contact.over_face(state.q))) {
      deepest = std::max(deepest, -gap);
    }
  }
  return deepest;
}

void check_overlap(const Machine& machine, const Configuration& q) {
  const SolidSearch::Overlap overlap = SolidSearch(machine).deepest_overlap(q);
  if (!(overlap.depth > penetration_tolerance * machine.length())) {
    check_enclosed(machine, q);
    return;
  }
  const Solid &a = machine.solids()[static_cast<std::size_t>(overlap.a)],
              &b = machine.solids()[static_cast<std::size_t>(overlap.b)];
  throw Error(fmt::format(
      "'{}' and '{}' start {:.6g} m inside each other; move one of them, set assemble = true, or "
      "let them pass through "
      "each other with [[exclude]] bodies = [\"{}\", \"{}\"]",
      a.name, b.name, overlap.depth, machine.nodes()[static_cast<std::size_t>(a.node)].name,
      machine.nodes()[static_cast<std::size_t>(b.node)].name));
}

std::vector<std::string> moves_of_assembly(const Machine& machine, const Configuration& q,
                                           const NodalVector& v, double duration) {
  std::vector<std::string> lines;
  const Configuration& q0 = machine.initial_configuration();
  const NodalVector& v0 = machine.initial_velocity();
  for (std::size_t n = 1; n < q.size(); ++n) {
    const double moved = (q[n].x - q0[n].x).norm();
    const double turned = log_so3(q0[n].p.conjugate() * q[n].p).norm();
    const auto index = static_cast<int>(n);
    const Vec6 change = of_node(v, index) - of_node(v0, index);
    const double faster = change.head<3>().norm(), spun = change.tail<3>().norm();
    const double rate = start_tolerance / duration;
    if (moved > start_tolerance * machine.length() || turned > start_tolerance ||
        faster > rate * machine.length() || spun > rate) {
      lines.push_back(
          fmt::format("assembly moved body '{}' by {:.6g} m and {:.6g} rad, and changed its "
                      "velocity by {:.6g} m/s and {:.6g} rad/s",
                      machine.nodes()[n].name, moved, turned, faster, spun));
    }
  }
  return lines;
}

std::optional<std::string> redundancy_of_joints(const Machine& machine, const Configuration& q) {
  if (machine.joint_rows() == 0 || machine.joint_rows() > largest_rank_check) return std::nullopt;
  MatX G = MatX::Zero(machine.joint_rows(), machine.dofs());
  Vec12 g;
  const VecX delassus = machine.joint_delassus(q);
  for (const Joint& joint : machine.joints()) {
    int row = joint.first_row;
    for (const JointRow& condition : joint.rows()) {
      condition.row(q, g);
      const double scale = 1.0 / std::sqrt(delassus[row]);
      for (int i = 0; i < 12; ++i) {
        const int node = i < 6 ? joint.a() : joint.b();
        const int dof = machine.nodes()[node].dof[i % 6];
        if (dof >= 0) G(row, dof) += scale * g[i] * of_node(machine.weights(), node)[i % 6];
      }
      ++row;
    }
  }
  Eigen::ColPivHouseholderQR<MatX> qr(G.transpose());
  qr.setThreshold(1e-9);
  const auto redundant = machine.joint_rows() - qr.rank();
  if (redundant <= 0) return std::nullopt;
  return fmt::format(
      "{} of the {} joint conditions are redundant; the motion is not affected, and reactions are "
      "shared between redundant joints in the least-squares sense",
      redundant, machine.joint_rows());
}

std::optional<std::string> drift_of_what_is_inside(const Machine& machine,
                                                   const IntegratorSpec& spec) {
  if (spec.kind != IntegratorKind::moreau) return std::nullopt;
  const std::vector<Contact>& contacts = machine.own_contacts();
  const auto inside = std::find_if(contacts.begin(), contacts.end(), [](const Contact& contact) {
    return !contact.is_placeless() && !contact.has_chord() && contact.geometry().inside;
  });
  if (inside == contacts.end()) return std::nullopt;
  return fmt::format(
      "moreau holds contacts in their velocities only: what runs around inside something, as in "
      "'{}', drifts into its wall, the less the shorter the step; look at the smallest gap, or "
      "take "
      "nsga",
      inside->name());
}

}  // namespace clatter
