#include "dynamics/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/QR>
#include <functional>
#include <limits>

#include "dynamics/energy_ledger.hpp"
#include "dynamics/nsga.hpp"

namespace clatter {
namespace {

// A start that is off by less than this, relative to the size of the model or its speeds, is
// corrected without a word; more is a mistake in the model.
constexpr double start_tolerance = 1e-8;
constexpr double penetration_tolerance = 1e-10;
constexpr int largest_rank_check = 600;

struct Powers {
  double load = 0.0, damper = 0.0, motor = 0.0;
};

/// What the steps done so far leave for the channels; a failed step must give it back.
struct Books {
  EnergyLedger ledger;
  Powers last_powers;
  std::vector<double> last_rates;
  double last_step_size = 0.0;
  std::vector<RowVector> interval_impulses;
  VecX interval_joint_impulse;
  StepCounts interval_counts;
};

/// Whole steps that reach the end; a duration that is a multiple but for round-off counts as one.
long steps_to_cover(double duration, double step) {
  return std::lround(std::ceil(duration / step - 1e-6));
}

}  // namespace

struct Simulation::Impl : Books {
  explicit Impl(Model given)
      : model(std::move(given)),
        system(model),
        nsga(system, model.integrator),
        h(model.integrator.step),
        total_steps(steps_to_cover(model.integrator.duration, h)) {
    if (std::abs(h * static_cast<double>(total_steps) - model.integrator.duration) > 1e-6 * h) {
      notices.push_back(
          fmt::format("the duration is not a multiple of the step: the run ends at {:g} s",
                      h * static_cast<double>(total_steps)));
    }
    prepare_start();
    list_channels();
    begin_ledger();
    interval_impulses.resize(system.contacts().size());
    for (std::size_t c = 0; c < interval_impulses.size(); ++c) {
      interval_impulses[c] = RowVector::Zero(system.contacts()[c].rows());
    }
    interval_joint_impulse = VecX::Zero(system.joint_rows());
    statistics.min_gap = std::numeric_limits<double>::infinity();
    statistics.length = system.length();
    book_gaps();
  }

  // ---- Start ----

  void prepare_start() {
    system.set_time(0.0, h / 16.0);
    Configuration q = system.initial_configuration();
    NodalVector v = system.initial_velocity();
    if (model.assemble) {
      if (!nsga.assemble(q, v)) {
        throw Error(
            fmt::format("{}the joints cannot be assembled: {}", file_prefix(), nsga.failure()));
      }
      tell_moves(q, v);
    } else {
      check_joints(q, v);
    }
    check_axes(q);
    tell_redundancy(q);
    check_penetration(q);
    if (!nsga.start(q, v, 0.0)) throw Error(file_prefix() + nsga.failure());
    system.remember(q);
  }

  std::string file_prefix() const { return model.file.empty() ? "" : model.file + ": "; }

  void tell_moves(const Configuration& q, const NodalVector& v) {
    const Configuration& q0 = system.initial_configuration();
    const NodalVector& v0 = system.initial_velocity();
    for (std::size_t n = 1; n < q.size(); ++n) {
      const double moved = (q[n].x - q0[n].x).norm();
      const double turned = log_so3(q0[n].p.conjugate() * q[n].p).norm();
      const auto index = static_cast<int>(n);
      const Vec6 change = of_node(v, index) - of_node(v0, index);
      const double faster = change.head<3>().norm(), spun = change.tail<3>().norm();
      const double rate = start_tolerance / model.integrator.duration;
      if (moved > start_tolerance * system.length() || turned > start_tolerance ||
          faster > rate * system.length() || spun > rate) {
        notices.push_back(
            fmt::format("assembly moved body '{}' by {:.6g} m and {:.6g} rad, and changed its "
                        "velocity by {:.6g} "
                        "m/s and {:.6g} rad/s",
                        system.nodes()[n].name, moved, turned, faster, spun));
      }
    }
  }

  void check_joints(const Configuration& q, const NodalVector& v) const {
    std::vector<Mistake> mistakes;
    double speed = system.length() / model.integrator.duration;
    for (Eigen::Index n = 0; n < v.size() / 6; ++n) {
      speed = std::max(
          {speed, v.segment<3>(6 * n).norm(), v.segment<3>(6 * n + 3).norm() * system.length()});
    }
    Vec12 g;
    for (const Joint& joint : system.joints()) {
      double gap = 0.0, twist = 0.0, rate = 0.0, wanted = 0.0;
      for (const JointRow& row : joint.rows()) {
        double& worst = row.coordinate.is_length() ? gap : twist;
        worst = std::max(worst, std::abs(joint.misfit(row, q)));
        row.coordinate.gradient(q, g);
        const double unit = row.coordinate.is_length() ? 1.0 : system.length();
        wanted = std::max(wanted, unit * std::abs(joint.target_rate(row)));
        rate = std::max(rate, unit * std::abs(g.dot(of_pair(v, joint.a(), joint.b())) -
                                              joint.target_rate(row)));
      }
      if (gap > start_tolerance * system.length() || twist > start_tolerance) {
        mistakes.push_back(
            {joint.place(),
             fmt::format("joint '{}' does not fit at the start: it is off by {:.3g} m "
                         "and {:.3g} rad; correct the positions, or set assemble = true",
                         joint.name(), gap, twist)});
      } else if (rate > start_tolerance * std::max(speed, wanted)) {
        mistakes.push_back(
            {joint.place(),
             fmt::format(
                 "the initial velocities tear joint '{}' apart at {:.3g} m/s; correct them, "
                 "or set assemble = true",
                 joint.name(), rate)});
      }
    }
    if (!mistakes.empty()) throw Error(std::move(mistakes));
  }

  void check_axes(const Configuration& q) const {
    std::vector<Mistake> mistakes;
    for (const Joint& joint : system.joints()) {
      if (!joint.is_reversed(q)) continue;
      mistakes.push_back(
          {joint.place(), fmt::format("the axes of joint '{}' point in opposite directions; "
                                      "turn one of them or one of the bodies",
                                      joint.name())});
    }
    if (!mistakes.empty()) throw Error(std::move(mistakes));
  }

  void check_penetration(const Configuration& q) const {
    std::vector<Mistake> mistakes;
    for (const FaceContact& contact : system.contacts()) {
      const double gap = contact.gap(q);
      if (gap < -penetration_tolerance * system.length() && contact.over_face(q)) {
        mistakes.push_back(
            {contact.place(),
             fmt::format("contact '{}': the point on '{}' starts {:.6g} m inside the face on '{}'; "
                         "move one of them",
                         contact.name(), system.nodes()[contact.b()].name, -gap,
                         system.nodes()[contact.a()].name)});
      }
    }
    if (!mistakes.empty()) throw Error(std::move(mistakes));
  }

  void tell_redundancy(const Configuration& q) {
    if (system.joint_rows() == 0 || system.joint_rows() > largest_rank_check) return;
    MatX G = MatX::Zero(system.joint_rows(), system.dofs());
    Vec12 g;
    for (const Joint& joint : system.joints()) {
      int row = joint.first_row;
      for (const JointRow& condition : joint.rows()) {
        condition.coordinate.gradient(q, g);
        const double scale = 1.0 / std::sqrt(system.delassus(g, joint.a(), joint.b()));
        for (int i = 0; i < 12; ++i) {
          const int node = i < 6 ? joint.a() : joint.b();
          const int dof = system.nodes()[node].dof[i % 6];
          if (dof >= 0) G(row, dof) += scale * g[i] * of_node(system.weights(), node)[i % 6];
        }
        ++row;
      }
    }
    Eigen::ColPivHouseholderQR<MatX> qr(G.transpose());
    qr.setThreshold(1e-9);
    const auto redundant = system.joint_rows() - qr.rank();
    if (redundant > 0) {
      notices.push_back(
          fmt::format("{} of the {} joint conditions are redundant; the motion is not affected, "
                      "and reactions are "
                      "shared between redundant joints in the least-squares sense",
                      redundant, system.joint_rows()));
    }
  }

  // ---- Step ----

  void step() {
    const double t = time(), end = h * static_cast<double>(steps + 1);
    nsga.save(before);
    books_before = static_cast<const Books&>(*this);
    if (!(model.integrator.locate_impacts ? advance_by_impacts(t, end - t)
                                          : advance(t, end - t, 0))) {
      const std::string reason = nsga.failure();
      nsga.restore(before);
      static_cast<Books&>(*this) = books_before;
      throw Error(fmt::format("{}the step from t = {:.9g} s failed even when halved {} times: {}",
                              file_prefix(), t, model.integrator.max_halvings, reason));
    }
    ++steps;
    ++statistics.steps;
    statistics.smooth_time = nsga.smooth_time;
    statistics.position_time = nsga.position_time;
    statistics.velocity_time = nsga.velocity_time;
    statistics.linear_algebra_time = nsga.linear_algebra_time();
    statistics.factorisations = nsga.factorisations();
    statistics.solves = nsga.solves();
  }

  bool advance(double t, double step_size, int level) {
    if (nsga.advance(t, step_size)) {
      book(step_size);
      return true;
    }
    if (level == model.integrator.max_halvings) return false;
    const double half = 0.5 * step_size;
    statistics.substeps += level == 0 ? 2 : 1;
    return advance(t, half, level + 1) && advance(t + half, step_size - half, level + 1);
  }

  /// Cuts the step shortly before and after each impact, so that the impact law takes the speed at
  /// the impact and the rebound starts there. The rest of a step with very many is taken as one.
  bool advance_by_impacts(double t, double step_size) {
    constexpr int max_trials = 200;
    const double margin = 1e-5 * step_size;  // to which impacts are dated
    const double end = t + step_size;
    double part = step_size;
    for (int trial = 0; trial < max_trials; ++trial) {
      nsga.save(before_impact);
      if (!nsga.advance(t, part)) {
        nsga.restore(before_impact);
        break;
      }
      const double meeting = part * nsga.first_impact(before_impact.contacts, part, margin / part);
      if (meeting > 2.0 * margin && meeting < part) {
        nsga.restore(before_impact);
        part = meeting - margin;  // come close first
        continue;
      }
      if (meeting < part && part > 4.0 * margin) {
        nsga.restore(before_impact);
        part = meeting + margin;
        if (!nsga.advance(t, part)) {
          nsga.restore(before_impact);
          break;
        }
      }
      book(part);
      t += part;
      if (end - t < 0.5 * margin) return true;
      part = end - t;
      ++statistics.substeps;
    }
    return advance(t, end - t, 0);
  }

  // ---- Book-keeping ----

  Powers powers() const {
    Powers p;
    p.load = system.load_power(nsga.q(), nsga.v());
    p.damper = system.damper_power(nsga.q(), nsga.v());
    for (const Joint& joint : system.joints()) {
      for (std::size_t i = 0; i < joint.rows().size(); ++i) {
        p.motor += nsga.joint_forces()[joint.first_row + static_cast<Eigen::Index>(i)] *
                   joint.target_rate(joint.rows()[i]);
      }
    }
    return p;
  }

  void measure_energy() {
    ledger.kinetic = system.kinetic_energy(nsga.v());
    ledger.gravity = system.gravity_energy(nsga.q());
    ledger.elastic = system.elastic_energy(nsga.q());
  }

  void begin_ledger() {
    measure_energy();
    ledger.initial = ledger.total();
    last_powers = powers();
    for (const Joint& joint : system.joints()) {
      for (const JointRow& row : joint.rows()) last_rates.push_back(joint.target_rate(row));
    }
  }

  void book(double step_size) {
    const Powers now = powers();
    ledger.load_work += 0.5 * step_size * (last_powers.load + now.load);
    ledger.damper_loss += 0.5 * step_size * (last_powers.damper + now.damper);
    ledger.motor_work += 0.5 * step_size * (last_powers.motor + now.motor);
    last_powers = now;
    for (const Joint& joint : system.joints()) {
      for (std::size_t i = 0; i < joint.rows().size(); ++i) {
        const auto row = static_cast<std::size_t>(joint.first_row) + i;
        const double rate = joint.target_rate(joint.rows()[i]);
        ledger.motor_work +=
            nsga.joint_impulses()[static_cast<Eigen::Index>(row)] * 0.5 * (last_rates[row] + rate);
        last_rates[row] = rate;
      }
    }
    for (std::size_t c = 0; c < nsga.contacts().size(); ++c) {
      const ContactState& state = nsga.contacts()[c];
      interval_impulses[c] += state.impulse;
      if (state.status == ContactStatus::open) continue;
      const RowVector work = 0.5 * state.impulse.cwiseProduct(state.rate + state.rate_before);
      ledger.impact_loss -= work[0];
      ledger.friction_loss -= work.tail(work.size() - 1).sum();
    }
    measure_energy();
    for (std::size_t j = 0; j < system.joints().size(); ++j) {
      if (!nsga.is_struck(static_cast<int>(j))) continue;
      const auto rows = nsga.joint_rows(static_cast<int>(j)).rows();
      const int first = system.joints()[j].first_row;
      interval_joint_impulse.segment(first, rows) += nsga.joint_impulses().segment(first, rows);
    }
    last_step_size = step_size;

    const StepCounts& counts = nsga.counts();
    const auto count = [](IterationStatistics& all, int& interval, int now_done) {
      all.total += now_done;
      all.max = std::max(all.max, now_done);
      interval = std::max(interval, now_done);
    };
    count(statistics.smooth, interval_counts.smooth, counts.smooth);
    count(statistics.position, interval_counts.position, counts.position);
    count(statistics.velocity, interval_counts.velocity, counts.velocity);
    const auto sum = [](long& all, int& interval, int now_done) {
      all += now_done;
      interval += now_done;
    };
    sum(statistics.regularised, interval_counts.regularised, counts.regularised);
    sum(statistics.recovered, interval_counts.recovered, counts.recovered);
    sum(statistics.plastic, interval_counts.plastic, counts.plastic);
    statistics.max_joint_error = std::max(statistics.max_joint_error, nsga.joint_error());
    statistics.max_joint_velocity_error =
        std::max(statistics.max_joint_velocity_error, nsga.joint_velocity_error());
    book_gaps();
  }

  void book_gaps() {
    for (std::size_t c = 0; c < nsga.contacts().size(); ++c) {
      const FaceContact& contact = system.contacts()[c];
      if (!nsga.is_armed(static_cast<int>(c)) || !contact.over_face(nsga.q())) continue;
      statistics.min_gap = std::min(statistics.min_gap, nsga.contacts()[c].gap);
    }
  }

  double time() const { return h * static_cast<double>(steps); }

  // ---- Channels ----

  using Fill = std::function<void(double*)>;

  void channel(std::string path, std::vector<std::string> components, std::string unit, Fill fill) {
    channels.push_back({std::move(path), std::move(components), std::move(unit), row_size});
    row_size += static_cast<int>(channels.back().components.size());
    fills.push_back(std::move(fill));
  }

  static void put(double* out, const Vec3& v, std::size_t count = 3) {
    std::copy_n(v.data(), count, out);
  }

  void list_channels() {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) list_body(model.bodies[b], b + 1);
    for (const Spring& spring : system.springs()) {
      const std::string path = "springs/" + spring.name();
      channel(path + "/coordinate", {""}, "m or rad",
              [this, &spring](double* out) { *out = spring.coordinate(nsga.q()); });
      channel(path + "/tension", {""}, "N or N m", [this, &spring](double* out) {
        Spring::Force force;
        spring.force(nsga.q(), nsga.v(), force);
        *out = force.tension;
      });
    }
    for (std::size_t j = 0; j < system.joints().size(); ++j) list_joint(j);
    for (std::size_t c = 0; c < system.contacts().size(); ++c) list_contact(c);
    const std::vector<std::string> axes{"x", "y", "z"};
    channel("system/linear_momentum", axes, "kg m/s",
            [this](double* out) { put(out, system.momentum(nsga.q(), nsga.v()).head<3>()); });
    channel("system/angular_momentum", axes, "kg m2/s",
            [this](double* out) { put(out, system.momentum(nsga.q(), nsga.v()).tail<3>()); });
    const auto energy = [this](const char* name, auto value) {
      channel(std::string("energy/") + name, {""}, "J",
              [this, value](double* out) { *out = value(ledger); });
    };
    energy("kinetic", [](const EnergyLedger& e) { return e.kinetic; });
    energy("gravity", [](const EnergyLedger& e) { return e.gravity; });
    energy("elastic", [](const EnergyLedger& e) { return e.elastic; });
    energy("total", [](const EnergyLedger& e) { return e.total(); });
    energy("load_work", [](const EnergyLedger& e) { return e.load_work; });
    energy("motor_work", [](const EnergyLedger& e) { return e.motor_work; });
    energy("friction_loss", [](const EnergyLedger& e) { return e.friction_loss; });
    energy("impact_loss", [](const EnergyLedger& e) { return e.impact_loss; });
    energy("damper_loss", [](const EnergyLedger& e) { return e.damper_loss; });
    energy("scheme_loss", [](const EnergyLedger& e) { return e.scheme_loss(); });
    const auto counter = [this](const char* name, int StepCounts::*count) {
      channel(std::string("solver/") + name, {""}, "",
              [this, count](double* out) { *out = interval_counts.*count; });
    };
    counter("smooth_iterations", &StepCounts::smooth);
    counter("position_iterations", &StepCounts::position);
    counter("velocity_iterations", &StepCounts::velocity);
    counter("regularised_solves", &StepCounts::regularised);
    counter("recovered_solves", &StepCounts::recovered);
    counter("plastic_steps", &StepCounts::plastic);
  }

  void list_body(const BodySpec& body, std::size_t n) {
    const auto node = static_cast<int>(n);
    const std::string path = "bodies/" + body.name;
    const bool planar = body.kind == BodyKind::planar;
    const std::vector<std::string> axes =
        planar ? std::vector<std::string>{"x", "y"} : std::vector<std::string>{"x", "y", "z"};
    const std::size_t count = axes.size();
    channel(path + "/position", axes, "m", [this, n, node, count](double* out) {
      const NodeState& state = nsga.q()[n];
      put(out, state.x - state.R * system.centre_of_mass(node), count);
    });
    if (planar) {
      channel(path + "/angle", {""}, "rad", [this, n](double* out) { *out = nsga.q()[n].angle; });
    } else if (body.kind == BodyKind::rigid) {
      channel(path + "/orientation", {"w", "x", "y", "z"}, "", [this, n](double* out) {
        const Quaternion& p = nsga.q()[n].p;
        out[0] = p.w();
        put(out + 1, p.vec());
      });
    }
    channel(path + "/velocity", axes, "m/s", [this, n, node, count](double* out) {
      const NodeState& state = nsga.q()[n];
      const Vec6 v = of_node(nsga.v(), node);
      const Vec3 spin = state.R * v.tail<3>();
      put(out, v.head<3>() - spin.cross(state.R * system.centre_of_mass(node)), count);
    });
    if (planar) {
      channel(path + "/angular_velocity", {""}, "rad/s",
              [this, node](double* out) { *out = of_node(nsga.v(), node)[5]; });
    } else if (body.kind == BodyKind::rigid) {
      channel(path + "/angular_velocity", axes, "rad/s",
              [this, node](double* out) { put(out, of_node(nsga.v(), node).tail<3>()); });
    }
  }

  /// One multiplier for each row of a joint.
  using JointMultipliers = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, KktMatrix::max_rows, 1>;

  JointMultipliers of_joint(const VecX& all, std::size_t j) const {
    return all.segment(system.joints()[j].first_row, nsga.joint_rows(static_cast<int>(j)).rows());
  }

  /// In a step with an impact the jump is an impulse, not a force.
  JointMultipliers mean_force(std::size_t j) const {
    JointMultipliers force = of_joint(nsga.joint_forces(), j);
    if (!nsga.is_struck(static_cast<int>(j)) && last_step_size > 0.0)
      force += of_joint(nsga.joint_impulses(), j) / last_step_size;
    return force;
  }

  /// Force and torque on b at the joint.
  void joint_reaction(std::size_t j, const JointMultipliers& multipliers, Vec3& force,
                      Vec3& torque) const {
    const KktMatrix::Rows& rows = nsga.joint_rows(static_cast<int>(j));
    const Vec6 on_b = rows.rightCols<6>().transpose() * multipliers;
    system.joints()[j].reaction(on_b, nsga.q(), force, torque);
  }

  void list_joint(std::size_t j) {
    const Joint& joint = system.joints()[j];
    const std::string path = "joints/" + joint.name();
    const std::vector<std::string> axes{"x", "y", "z"};
    channel(path + "/force", axes, "N", [this, j](double* out) {
      Vec3 force, torque;
      joint_reaction(j, mean_force(j), force, torque);
      put(out, force);
    });
    channel(path + "/torque", axes, "N m", [this, j](double* out) {
      Vec3 force, torque;
      joint_reaction(j, mean_force(j), force, torque);
      put(out, torque);
    });
    channel(path + "/impulse", axes, "N s", [this, j](double* out) {
      Vec3 force, torque;
      joint_reaction(j, of_joint(interval_joint_impulse, j), force, torque);
      put(out, force);
    });
    if (joint.has_coordinate()) {
      channel(path + "/coordinate", {""}, joint.coordinate_is_angle() ? "rad" : "m",
              [this, &joint](double* out) { *out = joint.coordinate(nsga.q()); });
    }
  }

  void list_contact(std::size_t c) {
    const FaceContact& contact = system.contacts()[c];
    const std::string path = "contacts/" + contact.name();
    std::vector<std::string> slip{"1", "2"};
    slip.resize(static_cast<std::size_t>(contact.tangential_rows()));
    const auto state = [this, c]() -> const ContactState& { return nsga.contacts()[c]; };
    const auto tail = [](double* out, const RowVector& v, double factor) {
      for (Eigen::Index i = 1; i < v.size(); ++i) out[i - 1] = factor * v[i];
    };
    const auto force_factor = [this, state] {
      return state().persistent && last_step_size > 0.0 ? 1.0 / last_step_size : 0.0;
    };
    channel(path + "/gap", {""}, "m", [state](double* out) { *out = state().gap; });
    channel(path + "/normal_velocity", {""}, "m/s",
            [state](double* out) { *out = state().rate[0]; });
    channel(path + "/status", {""}, "",
            [state](double* out) { *out = static_cast<double>(state().status); });
    channel(path + "/normal_impulse", {""}, "N s",
            [this, c](double* out) { *out = interval_impulses[c][0]; });
    channel(path + "/normal_force", {""}, "N",
            [state, force_factor](double* out) { *out = force_factor() * state().impulse[0]; });
    if (slip.empty()) return;
    channel(path + "/slip_velocity", slip, "m/s",
            [state, tail](double* out) { tail(out, state().rate, 1.0); });
    channel(path + "/tangential_impulse", slip, "N s",
            [this, c, tail](double* out) { tail(out, interval_impulses[c], 1.0); });
    channel(path + "/tangential_force", slip, "N", [state, tail, force_factor](double* out) {
      tail(out, state().impulse, force_factor());
    });
  }

  Model model;
  System system;
  Nsga nsga;
  double h;
  long steps = 0, total_steps;
  RunStatistics statistics;
  std::vector<std::string> notices;
  Books books_before;
  Nsga::Snapshot before, before_impact;
  std::vector<Channel> channels;
  std::vector<Fill> fills;
  int row_size = 0;
};

Simulation::Simulation(const Model& model) : impl_(std::make_unique<Impl>(model)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

double Simulation::time() const { return impl_->time(); }
long Simulation::steps_done() const { return impl_->steps; }
long Simulation::steps_total() const { return impl_->total_steps; }
void Simulation::step() { impl_->step(); }
const std::vector<Channel>& Simulation::channels() const { return impl_->channels; }
int Simulation::row_size() const { return impl_->row_size; }

void Simulation::sample(std::span<double> row) const {
  for (std::size_t i = 0; i < impl_->fills.size(); ++i) {
    impl_->fills[i](row.data() + impl_->channels[i].offset);
  }
}

void Simulation::start_interval() {
  for (RowVector& impulse : impl_->interval_impulses) impulse.setZero();
  impl_->interval_joint_impulse.setZero();
  impl_->interval_counts = {};
}

const RunStatistics& Simulation::statistics() const { return impl_->statistics; }
const std::vector<std::string>& Simulation::notices() const { return impl_->notices; }

}  // namespace clatter
