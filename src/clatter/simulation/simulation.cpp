#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <clatter/analysis/statics.hpp>
#include <clatter/model/checks.hpp>
#include <clatter/schemes/make_integrator.hpp>
#include <clatter/simulation/books.hpp>
#include <clatter/simulation/channels.hpp>
#include <clatter/simulation/simulation.hpp>
#include <clatter/simulation/start_checks.hpp>

namespace clatter {
namespace {

/// Whole steps that reach the end; a duration that is a multiple but for round-off counts as one.
long steps_to_cover(double duration, double step) {
  return std::lround(std::ceil(duration / step - 1e-6));
}

}  // namespace

std::string to_string(const Settling& s) {
  return fmt::format(
      "static equilibrium found in {} load {} and {} iterations; largest displacement {:.6g} m "
      "('{}'), largest rotation {:.6g} rad ('{}')",
      s.load_steps, s.load_steps == 1 ? "step" : "steps", s.iterations, s.displacement,
      s.displaced_node, s.rotation, s.rotated_node);
}

struct Simulation::Impl : Books {
  explicit Impl(Model given)
      : model(std::move(given)),
        system(model),
        integrator(make_integrator(system, model.integrator)),
        channels(model, system, *integrator, *this),
        h(model.integrator.step),
        total_steps(steps_to_cover(model.integrator.duration, h)) {
    if (std::abs(h * static_cast<double>(total_steps) - model.integrator.duration) > 1e-6 * h) {
      notices.push_back(
          fmt::format("the duration is not a multiple of the step: the run ends at {:g} s",
                      h * static_cast<double>(total_steps)));
    }
    prepare_start();
    begin_ledger();
    interval_impulses.resize(static_cast<std::size_t>(system.own_contacts()));
    interval_group_impulses.assign(system.contact_groups().size(), 0.0);
    for (std::size_t c = 0; c < interval_impulses.size(); ++c) {
      interval_impulses[c] = RowVector::Zero(system.contacts()[c].rows());
    }
    interval_percussions = interval_impulses;
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
      if (!integrator->assemble(q, v)) {
        throw Error(fmt::format("{}the joints cannot be assembled: {}", file_prefix(),
                                integrator->failure()));
      }
      for (std::string& line : moves_of_assembly(system, q, v, model.integrator.duration)) {
        notices.push_back(std::move(line));
      }
    } else {
      check_joints(system, q, v, model.integrator.duration);
    }
    check_axes(system, q);
    if (const auto line = redundancy_of_joints(system, q)) notices.push_back(*line);
    if (model.equilibrium) settle(q);
    integrator->place(q, v);
    check_penetration(system, q, model.equilibrium);
    if (!integrator->start(q, v, 0.0)) throw Error(file_prefix() + integrator->failure());
    system.remember(q);
  }

  /// Moves q to the static equilibrium.
  void settle(Configuration& q) {
    Equilibrium found;
    try {
      found = find_equilibrium(system, q);
    } catch (const Error& error) {
      throw Error(file_prefix() + error.what() +
                  (system.contacts().empty() ? "" : ", and contacts hold nothing in statics"));
    }
    Settling s{found.load_steps, found.iterations};
    for (std::size_t n = 1; n < q.size(); ++n) {
      const double way = (found.q[n].x - q[n].x).norm();
      const double turn = log_so3(q[n].p.conjugate() * found.q[n].p).norm();
      if (way >= s.displacement) s.displacement = way, s.displaced_node = system.nodes()[n].name;
      if (turn >= s.rotation) s.rotation = turn, s.rotated_node = system.nodes()[n].name;
    }
    notices.push_back(to_string(s));
    statistics.settling = std::move(s);
    q = found.q;
    system.check_bends(q);
  }

  std::string file_prefix() const { return model.file.empty() ? "" : model.file + ": "; }

  // ---- Step ----

  void step() {
    const double t = time(), end = h * static_cast<double>(steps + 1);
    integrator->save(before);
    books_before = static_cast<const Books&>(*this);
    if (!(model.integrator.locate_impacts ? advance_by_impacts(t, end - t)
                                          : advance(t, end - t, 0))) {
      const std::string reason = integrator->failure();
      integrator->restore(before);
      static_cast<Books&>(*this) = books_before;
      throw Error(fmt::format("{}the step from t = {:.9g} s failed even when halved {} times: {}",
                              file_prefix(), t, model.integrator.max_halvings, reason));
    }
    ++steps;
    system.check_bends(integrator->q());
    ++statistics.steps;
    statistics.smooth_time = integrator->smooth_time;
    statistics.position_time = integrator->position_time;
    statistics.velocity_time = integrator->velocity_time;
    statistics.linear_algebra_time = integrator->linear_algebra_time();
    statistics.factorisations = integrator->factorisations();
    statistics.solves = integrator->solves();
  }

  bool advance(double t, double step_size, int level) {
    if (integrator->advance(t, step_size)) {
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
      integrator->save(before_impact);
      if (!integrator->advance(t, part)) {
        integrator->restore(before_impact);
        break;
      }
      const double meeting = part * integrator->first_impact(part, margin / part);
      if (meeting > 2.0 * margin && meeting < part) {
        integrator->restore(before_impact);
        part = meeting - margin;  // come close first
        continue;
      }
      if (meeting < part && part > 4.0 * margin) {
        integrator->restore(before_impact);
        part = meeting + margin;
        if (!integrator->advance(t, part)) {
          integrator->restore(before_impact);
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
    p.load = system.load_power(integrator->q(), integrator->v());
    p.damper = system.damper_power(integrator->q(), integrator->v());
    for (const Joint& joint : system.joints()) {
      for (std::size_t i = 0; i < joint.rows().size(); ++i) {
        p.motor += integrator->joint_forces()[joint.first_row + static_cast<Eigen::Index>(i)] *
                   joint.target_rate(joint.rows()[i]);
      }
    }
    return p;
  }

  /// What the ledger says of the present state; a step does not need it.
  void measure_energy() {
    ledger.kinetic = system.kinetic_energy(integrator->v());
    ledger.gravity = system.gravity_energy(integrator->q());
    ledger.elastic = system.elastic_energy(integrator->q());
  }

  void begin_ledger() {
    measure_energy();
    ledger.initial = ledger.total();
    last_powers = powers();
    if (!integrator->has_joint_forces()) last_powers.motor = 0.0;  // those of the start are no work
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
        ledger.motor_work += integrator->joint_impulses()[static_cast<Eigen::Index>(row)] * 0.5 *
                             (last_rates[row] + rate);
        last_rates[row] = rate;
      }
    }
    for (std::size_t c = 0; c < integrator->contacts().size(); ++c) {
      const ContactState& state = integrator->contacts()[c];
      if (c < interval_impulses.size()) {
        interval_impulses[c] += state.impulse;
        interval_percussions[c] += state.percussion;
      } else {
        const auto group = static_cast<std::size_t>(system.contacts()[c].group);
        interval_group_impulses[group] += state.impulse[0];
      }
      if (state.status == ContactStatus::open) continue;
      ledger.impact_loss -= state.work[0];
      ledger.friction_loss -= state.work.tail(state.work.size() - 1).sum();
    }
    for (std::size_t j = 0; j < system.joints().size(); ++j) {
      if (!integrator->is_struck(static_cast<int>(j))) continue;
      const auto rows = integrator->joint_rows(static_cast<int>(j)).rows();
      const int first = system.joints()[j].first_row;
      interval_joint_impulse.segment(first, rows) +=
          integrator->joint_impulses().segment(first, rows);
    }
    last_step_size = step_size;

    const StepCounts& counts = integrator->counts();
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
    sum(statistics.unfinished, interval_counts.unfinished, counts.unfinished);
    statistics.max_sweep_residual = std::max(statistics.max_sweep_residual, counts.sweep_residual);
    interval_counts.sweep_residual =
        std::max(interval_counts.sweep_residual, counts.sweep_residual);
    statistics.max_sweeps = std::max(statistics.max_sweeps, counts.sweeps);
    interval_counts.sweeps = std::max(interval_counts.sweeps, counts.sweeps);
    statistics.max_impacts = std::max(statistics.max_impacts, counts.impacts);
    interval_counts.impacts += counts.impacts;
    statistics.max_joint_error = std::max(statistics.max_joint_error, integrator->joint_error());
    statistics.max_joint_velocity_error =
        std::max(statistics.max_joint_velocity_error, integrator->joint_velocity_error());
    book_gaps();
  }

  void book_gaps() {
    for (std::size_t c = 0; c < integrator->contacts().size(); ++c) {
      const Contact& contact = system.contacts()[c];
      if (!integrator->is_armed(static_cast<int>(c)) || !contact.over_face(integrator->q()))
        continue;
      statistics.min_gap = std::min(statistics.min_gap, integrator->contacts()[c].gap);
    }
  }

  double time() const { return h * static_cast<double>(steps); }

  Model model;
  System system;
  std::unique_ptr<Integrator> integrator;
  ChannelList channels;
  double h;
  long steps = 0, total_steps;
  RunStatistics statistics;
  std::vector<std::string> notices;
  Books books_before;
  Integrator::Snapshot before, before_impact;
};

Simulation::Simulation(const Model& model) {
  std::vector<Mistake> mistakes = check(model);
  if (!mistakes.empty()) throw Error(std::move(mistakes));
  impl_ = std::make_unique<Impl>(model);
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

double Simulation::time() const { return impl_->time(); }
long Simulation::steps_done() const { return impl_->steps; }
long Simulation::steps_total() const { return impl_->total_steps; }
void Simulation::step() { impl_->step(); }
void Simulation::on_contact_problem(std::function<void(const ContactProblem&)> visit) {
  if (impl_->model.integrator.kind == IntegratorKind::nsga_coupled) {
    throw Error(impl_->file_prefix() +
                "the integrator \"nsga_coupled\" has no contact problem of its own: it solves for "
                "contacts and motion together; take \"nsga\" or \"moreau\"");
  }
  impl_->integrator->on_contact_problem = std::move(visit);
}
const std::vector<Channel>& Simulation::channels() const { return impl_->channels.list(); }
int Simulation::row_size() const { return impl_->channels.row_size(); }
void Simulation::sample(std::span<double> row) const {
  impl_->measure_energy();
  impl_->integrator->complete_contacts();
  impl_->channels.sample(row);
}

bool Simulation::is_balanced() const {
  const System& system = impl_->system;
  NodalVector f = NodalVector::Zero(system.nodal_size()), net = f;
  const ForceSizes sizes = system.forces(impl_->integrator->q(), impl_->integrator->v(), f);
  system.apply_mass(impl_->integrator->acceleration(), net);
  return system.weighted_norm(net) <= 1e-6 * sizes.terms + 1e-13 * sizes.numbers;
}

std::vector<std::string> Simulation::node_names() const {
  std::vector<std::string> names;
  for (const Node& node : impl_->system.nodes()) names.push_back(node.name);
  return names;
}

Modes Simulation::modes(int count) const {
  return find_modes(impl_->system, impl_->integrator->q(), impl_->integrator->joint_forces(),
                    count);
}

void Simulation::sample_displaced(const NodalVector& increment, std::span<double> row) {
  Integrator::Snapshot here;
  impl_->integrator->save(here);
  Integrator::Snapshot there = here;
  retract(impl_->system.nodes(), here.q, increment, there.q);
  impl_->integrator->restore(there);
  impl_->channels.sample(row);
  impl_->integrator->restore(here);
}

void Simulation::start_interval() {
  for (RowVector& impulse : impl_->interval_impulses) impulse.setZero();
  for (RowVector& impulse : impl_->interval_percussions) impulse.setZero();
  for (double& impulse : impl_->interval_group_impulses) impulse = 0.0;
  impl_->interval_joint_impulse.setZero();
  impl_->interval_counts = {};
}

const RunStatistics& Simulation::statistics() const { return impl_->statistics; }
const std::vector<std::string>& Simulation::notices() const { return impl_->notices; }

}  // namespace clatter
