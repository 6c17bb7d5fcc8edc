#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <clatter/contact/geometry/contact_frame.hpp>
#include <clatter/schemes/verlet/grain_forces.hpp>

namespace clatter {
namespace {

/// Between grains that are listed, over the smallest radius.
constexpr double skin_part = 0.25;

[[gnu::always_inline]] inline double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace

GrainForces::GrainForces(const Machine& machine) : machine_(machine) {
  places.resize(machine.nodes().size());
  loads.resize(machine.nodes().size());
  motions.resize(machine.nodes().size());
  for (std::size_t n = 0; n < motions.size(); ++n) motions[n].own = machine.nodes()[n].mass;
  double smallest = std::numeric_limits<double>::infinity();
  const auto refuse = [](const ContactGroup& group, const char* why) {
    throw Error(group.contact.place,
                fmt::format("contact '{}': {} is not for the integrator \"verlet\"",
                            group.contact.name, why));
  };
  for (std::size_t g = 0; g < machine.contact_groups().size(); ++g) {
    const ContactGroup& group = machine.contact_groups()[g];
    for (const auto* spheres : {&group.spheres, &group.partners}) {
      for (const ContactGroup::Sphere& sphere : *spheres) {
        if (sphere.centre.norm() > 1e-12 * sphere.radius) {
          refuse(group, "a group of spheres away from the centres of their bodies");
        }
        double& radius = places[static_cast<std::size_t>(sphere.node)].r;
        if (radius > 0.0 && radius != sphere.radius) {
          refuse(group, "a group of spheres with other radii than in another group");
        }
        radius = sphere.radius;
        smallest = std::min(smallest, sphere.radius);
      }
    }
    const Contact any =
        machine.contact_of({static_cast<int>(g), 0, group.partners.size() > 1 ? 1 : 0});
    const CompliantLaw& law = *any.compliance();
    const FrictionBlock* sliding = any.block(FrictionKind::sliding);
    // damping() of a unit mass is c over its root.
    laws_.push_back({law.normal_pair().stiffness, law.tangential_pair().stiffness,
                     sliding == nullptr ? 0.0 : sliding->coefficient,
                     law.damping(0.0, 1.0) / std::sqrt(law.normal_pair().stiffness)});
    laws_.back().mu_over_K = laws_.back().mu / laws_.back().K_T;
    wall_of_.push_back(-1);
    if (!group.partners.empty()) continue;
    if (group.face_node != ground || !any.has_face()) {
      refuse(group, "a group of spheres on a surface that is bent or moves");
    }
    const Configuration& q = machine.initial_configuration();
    const Vec3 normal = any.frame(q, Vec3::Zero()).normal;
    const ContactGroup::Sphere& first = group.spheres.front();
    wall_of_.back() = static_cast<int>(walls_.size());
    walls_.push_back({normal, normal.dot(q[static_cast<std::size_t>(first.node)].x) - any.gap(q) -
                                  first.radius});
  }
  skin_ = std::isfinite(smallest) ? skin_part * smallest : 0.0;
}

double GrainForces::moved_square(std::size_t n) const {
  const Place &now = places[n], &then = listed_[n];
  const double x = now.x - then.x, y = now.y - then.y, z = now.z - then.z;
  return x * x + y * y + z * z;
}

bool GrainForces::must_search() const {
  if (listed_.empty()) return true;
  for (std::size_t n = 1; n < places.size(); ++n) {
    if (!(moved_square(n) <= allowed_square())) return true;
  }
  return false;
}

void GrainForces::list_pairs() {
  keys_.clear();
  index_.clear();
  const auto at = [&](const ContactGroup::Sphere& sphere) {
    const Place& place = places[static_cast<std::size_t>(sphere.node)];
    return Ball{Vec3(place.x, place.y, place.z), place.r};
  };
  for (std::size_t g = 0; g < machine_.contact_groups().size(); ++g) {
    const ContactGroup& group = machine_.contact_groups()[g];
    const auto law = static_cast<int>(g);
    if (const int wall = wall_of_[g]; wall >= 0) {
      const Wall& face = walls_[static_cast<std::size_t>(wall)];
      for (std::size_t i = 0; i < group.spheres.size(); ++i) {
        const Ball ball = at(group.spheres[i]);
        if (!(face.n.dot(ball.centre) - face.d - ball.radius < skin_)) continue;
        keys_.push_back({law, static_cast<int>(i), 0});
        index_.push_back({ground, group.spheres[i].node, law, wall});
      }
      continue;
    }
    balls_.clear();
    partners_.clear();
    for (const auto& sphere : group.spheres) balls_.push_back(at(sphere));
    if (!group.among_themselves) {
      for (const auto& sphere : group.partners) partners_.push_back(at(sphere));
    }
    search_.find(balls_, group.among_themselves ? balls_ : partners_, group.among_themselves, skin_,
                 found_);
    for (const auto& [i, k] : found_) {
      keys_.push_back({law, i, k});
      index_.push_back({group.partners[static_cast<std::size_t>(k)].node,
                        group.spheres[static_cast<std::size_t>(i)].node, law, -1});
    }
  }
  // Which pairs a grain is in, in their order.
  first_.assign(places.size() + 1, 0);
  for (const Index& pair : index_) {
    ++first_[static_cast<std::size_t>(pair.a) + 1];
    ++first_[static_cast<std::size_t>(pair.b) + 1];
  }
  for (std::size_t n = 0; n < places.size(); ++n) first_[n + 1] += first_[n];
  entries_.resize(2 * index_.size());
  std::vector<int> next(first_.begin(), first_.end() - 1);
  for (std::size_t p = 0; p < index_.size(); ++p) {
    entries_[static_cast<std::size_t>(next[static_cast<std::size_t>(index_[p].a)]++)] =
        static_cast<int>(2 * p);
    entries_[static_cast<std::size_t>(next[static_cast<std::size_t>(index_[p].b)]++)] =
        static_cast<int>(2 * p + 1);
  }
}

void GrainForces::search(Totals& totals) {
  if (!must_search()) return;
  keys_before_.swap(keys_);
  work_before_.swap(work_);
  touches_before_.swap(touches_);
  was_closed_before_.swap(was_closed_);
  list_pairs();
  listed_ = places;
  work_.assign(index_.size(), {});
  for (std::size_t p = 0; p < index_.size(); ++p) {
    const Law& law = laws_[static_cast<std::size_t>(index_[p].law)];
    const double a = motions[static_cast<std::size_t>(index_[p].a)].own,
                 b = motions[static_cast<std::size_t>(index_[p].b)].own;
    const double mass = index_[p].wall < 0 ? a * b / (a + b) : b;
    work_[p].damping = law.damping * std::sqrt(law.K_N * mass);
    work_[p].inverse_mass = 1.0 / mass;
  }
  touches_.assign(index_.size(), 0);
  slips_.assign(index_.size(), 0);
  was_closed_.assign(index_.size(), 0);
  std::size_t now = 0;
  for (std::size_t old = 0; old < keys_before_.size(); ++old) {  // both are sorted
    while (now < keys_.size() && keys_[now] < keys_before_[old]) ++now;
    if (now < keys_.size() && keys_[now] == keys_before_[old]) {
      work_[now] = work_before_[old];
      touches_[now] = touches_before_[old];
      was_closed_[now] = was_closed_before_[old];
      continue;
    }
    const Work& w = work_before_[old];
    totals.normal_loss += w.normal_loss;
    totals.friction_loss += w.friction_loss;
    totals.impulses[static_cast<std::size_t>(keys_before_[old].group)] += w.impulse;
  }
}

void GrainForces::begin_sums() {
  for (Work& w : work_) {
    w.impulse = w.normal_loss = w.friction_loss = 0.0;
  }
}

void GrainForces::evaluate(std::size_t begin, std::size_t end, double dt) {
  for (std::size_t p = begin; p < end; ++p) evaluate_pair(p, dt);
}

[[gnu::always_inline]] inline bool GrainForces::evaluate_pair(std::size_t p, double dt) {
  const Index& pair = index_[p];
  const Place& at_b = places[static_cast<std::size_t>(pair.b)];
  double n[3], depth = 0.0, arm_a = 0.0;
  if (pair.wall < 0) {
    const Place& at_a = places[static_cast<std::size_t>(pair.a)];
    const double x = at_b.x - at_a.x, y = at_b.y - at_a.y, z = at_b.z - at_a.z;
    const double square = x * x + y * y + z * z, reach = at_a.r + at_b.r;
    if (square < reach * reach) {
      const double distance = std::sqrt(square), inverse = 1.0 / distance;
      depth = reach - distance;
      n[0] = x * inverse;
      n[1] = y * inverse;
      n[2] = z * inverse;
      arm_a = at_a.r - 0.5 * depth;
    }
  } else {
    const Wall& wall = walls_[static_cast<std::size_t>(pair.wall)];
    for (int i = 0; i < 3; ++i) n[i] = wall.n[i];
    depth = wall.d + at_b.r - (n[0] * at_b.x + n[1] * at_b.y + n[2] * at_b.z);
  }
  if (!(depth > 0.0)) {
    if (touches_[p] != 0) {
      Work& w = work_[p];
      touches_[p] = 0;
      w.friction_loss += 0.5 * laws_[static_cast<std::size_t>(pair.law)].K_T * dot(w.xi, w.xi);
      w.xi[0] = w.xi[1] = w.xi[2] = 0.0;
    }
    return false;
  }
  Work& w = work_[p];
  const Law& law = laws_[static_cast<std::size_t>(pair.law)];
  touches_[p] = 1;
  const Motion &a = motions[static_cast<std::size_t>(pair.a)],
               &b = motions[static_cast<std::size_t>(pair.b)];
  const double arm_b = pair.wall < 0 ? at_b.r - 0.5 * depth : at_b.r;
  const double s[3] = {arm_b * b.w[0] + arm_a * a.w[0], arm_b * b.w[1] + arm_a * a.w[1],
                       arm_b * b.w[2] + arm_a * a.w[2]};
  const double v[3] = {b.v[0] - a.v[0] - (s[1] * n[2] - s[2] * n[1]),
                       b.v[1] - a.v[1] - (s[2] * n[0] - s[0] * n[2]),
                       b.v[2] - a.v[2] - (s[0] * n[1] - s[1] * n[0])};
  const double v_N = dot(v, n), spring = law.K_N * depth;
  double F_N = spring;
  if (w.damping > 0.0) {
    F_N = std::max(0.0, spring - w.damping * v_N);
    // Velocities are half a substep old: that of now, as this contact alone makes it.
    w.normal_loss += (spring - F_N) * (v_N + 0.5 * dt * F_N * w.inverse_mass) * dt;
  }
  w.impulse += F_N * dt;
  for (int i = 0; i < 3; ++i) w.F[i] = F_N * n[i];
  w.T[0] = w.T[1] = w.T[2] = 0.0;
  if (law.mu > 0.0) {
    const double along = dot(w.xi, n);
    double xi[3];
    for (int i = 0; i < 3; ++i) xi[i] = w.xi[i] - along * n[i] + dt * (v[i] - v_N * n[i]);
    const double square = dot(xi, xi), most = law.mu_over_K * F_N;
    slips_[p] = 0;
    if (square > most * most) {
      const double size = std::sqrt(square), factor = most / size;
      // What slips, against the mean of the forces before and now.
      w.friction_loss += 0.5 * law.K_T * (std::sqrt(dot(w.xi, w.xi)) + most) * (size - most);
      for (double& x : xi) x *= factor;
      slips_[p] = 1;
    }
    double f[3];
    for (int i = 0; i < 3; ++i) {
      w.xi[i] = xi[i];
      f[i] = -law.K_T * xi[i];
      w.F[i] += f[i];
    }
    w.T[0] = n[1] * f[2] - n[2] * f[1];
    w.T[1] = n[2] * f[0] - n[0] * f[2];
    w.T[2] = n[0] * f[1] - n[1] * f[0];
  }
  w.arm_a = arm_a;
  w.arm_b = arm_b;
  return true;
}

void GrainForces::evaluate_and_add(double dt) {
  for (std::size_t p = 0; p < index_.size(); ++p) {
    if (!evaluate_pair(p, dt)) continue;
    const Work& w = work_[p];
    Load &a = loads[static_cast<std::size_t>(index_[p].a)],
         &b = loads[static_cast<std::size_t>(index_[p].b)];
    for (int i = 0; i < 3; ++i) {
      a.force[i] -= w.F[i];
      a.torque[i] -= w.arm_a * w.T[i];
      b.force[i] += w.F[i];
      b.torque[i] -= w.arm_b * w.T[i];
    }
  }
}

void GrainForces::gather(std::size_t node, Load& load) const {
  const auto end = static_cast<std::size_t>(first_[node + 1]);
  for (auto e = static_cast<std::size_t>(first_[node]); e < end; ++e) {
    const auto p = static_cast<std::size_t>(entries_[e] >> 1);
    if (touches_[p] == 0) continue;
    const Work& w = work_[p];
    const bool is_b = (entries_[e] & 1) != 0;
    const double sign = is_b ? 1.0 : -1.0, arm = is_b ? w.arm_b : w.arm_a;
    for (int i = 0; i < 3; ++i) {
      load.force[i] += sign * w.F[i];
      load.torque[i] -= arm * w.T[i];
    }
  }
}

void GrainForces::read(const State& state) {
  std::size_t p = 0;
  const std::size_t own = machine_.own_contacts().size();
  for (Work& w : work_) w.xi[0] = w.xi[1] = w.xi[2] = 0.0;
  std::fill(was_closed_.begin(), was_closed_.end(), 0);
  std::fill(touches_.begin(), touches_.end(), 0);
  for (std::size_t k = 0; k < state.search.keys.size(); ++k) {
    const ContactState& of = state.contacts[own + k];
    if (of.status == ContactStatus::open) continue;
    while (p < keys_.size() && keys_[p] < state.search.keys[k]) ++p;
    if (p == keys_.size() || keys_[p] != state.search.keys[k]) continue;
    was_closed_[p] = 1;
    touches_[p] = 1;
    for (int i = 0; i < of.shear.size(); ++i) work_[p].xi[i] = of.shear[i];
  }
}

void GrainForces::write(State& state, double h, Totals& totals) {
  const std::size_t own = machine_.own_contacts().size();
  state.search.keys.clear();
  for (std::size_t p = 0; p < keys_.size(); ++p) {
    const Work& w = work_[p];
    totals.normal_loss += w.normal_loss;
    totals.friction_loss += w.friction_loss;
    if (touches_[p] != 0) {
      state.search.keys.push_back(keys_[p]);
    } else {
      totals.impulses[static_cast<std::size_t>(keys_[p].group)] += w.impulse;
    }
  }
  state.contacts.resize(own + state.search.keys.size());
  std::size_t k = own;
  for (std::size_t p = 0; p < keys_.size(); ++p) {
    if (touches_[p] == 0) continue;
    const Index& pair = index_[p];
    const Work& w = work_[p];
    const Law& law = laws_[static_cast<std::size_t>(pair.law)];
    const Place& at_b = places[static_cast<std::size_t>(pair.b)];
    const Place& at_a = places[static_cast<std::size_t>(pair.a)];
    const bool is_planar = Contact::is_planar(machine_.nodes()[static_cast<std::size_t>(pair.a)],
                                              machine_.nodes()[static_cast<std::size_t>(pair.b)]);
    ContactFrame frame;
    double depth = 0.0;
    if (pair.wall < 0) {
      const Vec3 apart(at_b.x - at_a.x, at_b.y - at_a.y, at_b.z - at_a.z);
      frame.normal = apart.normalized();
      depth = at_a.r + at_b.r - apart.norm();
    } else {
      const Wall& wall = walls_[static_cast<std::size_t>(pair.wall)];
      frame.normal = wall.n;
      depth = wall.d + at_b.r - wall.n.dot(Vec3(at_b.x, at_b.y, at_b.z));
    }
    const Eigen::Map<const Vec3> xi(w.xi), force(w.F);
    carry_tangents(xi, is_planar, frame);
    ContactState& of = state.contacts[k++];
    of = {};
    const int rows = law.mu > 0.0 ? (is_planar ? 2 : 3) : 1;
    of.size_rows(rows);
    of.status = law.mu > 0.0 && slips_[p] == 0 ? ContactStatus::stick : ContactStatus::slip;
    of.block_status.fill(of.status);
    of.persistent = was_closed_[p] != 0;
    of.gap = -depth;
    of.tangent = frame.tangents[0];
    const Motion &a = motions[static_cast<std::size_t>(pair.a)],
                 &b = motions[static_cast<std::size_t>(pair.b)];
    const Vec3 spin =
        w.arm_b * Vec3(b.w[0], b.w[1], b.w[2]) + w.arm_a * Vec3(a.w[0], a.w[1], a.w[2]);
    const Vec3 v =
        Vec3(b.v[0] - a.v[0], b.v[1] - a.v[1], b.v[2] - a.v[2]) - spin.cross(frame.normal);
    for (int i = 0; i < rows; ++i) {
      const Vec3& along = i == 0 ? frame.normal : frame.tangents[static_cast<std::size_t>(i - 1)];
      of.force[i] = along.dot(force);
      // That along the surface as the force of the end has it.
      of.impulse[i] = i == 0 ? w.impulse : h * of.force[i];
      of.rate[i] = along.dot(v);
      if (rows > 1) of.shear[i] = xi[i];  // in space
    }
    of.has_rate = true;
    of.elastic = 0.5 * law.K_N * depth * depth + 0.5 * law.K_T * xi.squaredNorm();
  }
}

}  // namespace clatter
