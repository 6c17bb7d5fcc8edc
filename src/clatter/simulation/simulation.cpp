#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <clatter/analysis/statics.hpp>
#include <clatter/machine/checks.hpp>
#include <clatter/machine/solid_search.hpp>
#include <clatter/schemes/assembly.hpp>
#include <clatter/schemes/make_scheme.hpp>
#include <clatter/simulation/channels.hpp>
#include <clatter/simulation/contact_point.hpp>
#include <clatter/simulation/event_watch.hpp>
#include <clatter/simulation/simulation.hpp>
#include <clatter/simulation/start_checks.hpp>
#include <clatter/simulation/sums.hpp>

namespace clatter {
namespace {

/// Whole steps that reach the end; a duration that is a multiple but for round-off counts as one.
long steps_to_cover(double duration, double step) {
  return std::lround(std::ceil(duration / step - 1e-6));
}

/// Puts a node of the machine where the motion says, if there is one of its name.
void set_motion(const Machine& machine, const NodeMotion& motion, State& state) {
  for (std::size_t n = 1; n < machine.nodes().size(); ++n) {
    const Node& node = machine.nodes()[n];
    if (node.name != motion.name) continue;
    NodeState& at = state.q[n];
    if (node.rotates_in_space) {
      at.p = motion.orientation.normalized();
      at.R = at.p.toRotationMatrix();
    } else if (node.has(5)) {
      at.angle = motion.angle;
      at.p = Quaternion(std::cos(0.5 * motion.angle), 0.0, 0.0, std::sin(0.5 * motion.angle));
      at.R = Eigen::AngleAxisd(motion.angle, Vec3::UnitZ()).toRotationMatrix();
    }
    const Vec3 centre = at.R * machine.centre_of_mass(static_cast<int>(n));
    at.x = motion.position + centre;
    Vec6 v;
    v << motion.velocity, motion.angular_velocity;
    v.head<3>() += (at.R * motion.angular_velocity).cross(centre);
    set_node(state.v, static_cast<Eigen::Index>(n), v);
    machine.keep_unknowns(state.v);
  }
}

}  // namespace

std::string to_string(const Settling& s) {
  return fmt::format(
      "static equilibrium found in {} load {} and {} iterations; largest displacement {:.6g} m "
      "('{}'), largest rotation {:.6g} rad ('{}')",
      s.load_steps, s.load_steps == 1 ? "step" : "steps", s.iterations, s.displacement,
      s.displaced_node, s.rotation, s.rotated_node);
}

struct Simulation::Impl {
  Impl(Model given, const std::vector<NodeMotion>& motions)
      : model(std::move(given)),
        machine(model),
        scheme(make_scheme(machine, model.integrator)),
        stand_in(make_stand_in(machine, model.integrator)),
        solids(machine),
        channels(model, machine, scheme->separates_forces(), statistics.substeps),
        events(model.events, channels),
        h(model.integrator.step),
        total_steps(steps_to_cover(model.integrator.duration, h)),
        state(state_at_start(machine)) {
    for (const NodeMotion& motion : motions) set_motion(machine, motion, state);
    check_held_quantities();
    prepare_start();
    begin_sums(machine, *scheme, state);
    statistics.min_gap = std::numeric_limits<double>::infinity();
    statistics.length = machine.length();
    note_gaps(*scheme);
    heights = events.heights(state);
  }

  // ---- Start ----

  /// What drives depend on besides bodies and joints.
  void check_held_quantities() {
    for (const SignalTable::Held& held : machine.signals().held()) {
      check_quantity(held.path, held.place, channels);
      notices.push_back(
          fmt::format("the quantity '{}' in a formula is taken from the start of each step: what "
                      "follows from it is explicit, of first order, and needs short steps where it "
                      "is stiff",
                      held.path));
    }
  }

  void start_signals() {
    state.signals = machine.signals().at_start();
    update_signals();
  }

  /// What drives know, at the start of a step. Returns whether forces jump by it.
  bool update_signals() {
    const SignalTable& signals = machine.signals();
    if (signals.empty()) return false;
    for (std::size_t i = 0; i < signals.held().size(); ++i) {
      state.signals[signals.index_of(i)] = channels.read_one(state, signals.held()[i].path);
    }
    const DriveInput in = machine.drive_input(state.time, state.turns, state.signals);
    return signals.update(state.q, state.v, in, state.steps, state.signals);
  }

  void prepare_start() {
    start_signals();
    Instant instant = instant_of(state);
    if (model.assemble) {
      if (const std::string why = assemble(machine, model.integrator, state); !why.empty()) {
        throw Error(fmt::format("{}the joints cannot be assembled: {}", file_prefix(), why));
      }
      for (std::string& line :
           moves_of_assembly(machine, state.q, state.v, model.integrator.duration)) {
        notices.push_back(std::move(line));
      }
    } else {
      check_joints(machine, instant, state.q, state.v, model.integrator.duration);
    }
    check_axes(machine, state.q);
    if (const auto line = redundancy_of_joints(machine, state.q)) notices.push_back(*line);
    if (const auto line = drift_of_what_is_inside(machine, model.integrator)) {
      notices.push_back(*line);
    }
    if (model.equilibrium) settle(instant);
    start_signals();
    scheme->find_contacts(state);
    if (!model.equilibrium) part_bodies();
    check_overlap(machine, state.q);
    check_penetration(machine, scheme->contacts(), state, model.equilibrium);
    machine.check_force_elements(state.q, state.turns);
    if (!scheme->start(state)) throw Error(file_prefix() + scheme->failure());
    machine.count_turns(state.q, state.turns);
  }

  /// Bodies that start a little inside each other are pushed apart, and all if assembly is asked
  /// for. What cannot be parted is refused afterwards.
  void part_bodies() {
    constexpr double little = 1e-5;
    constexpr int most_rounds = 8;  // bodies may be pushed into others
    if (machine.is_compliant()) return;
    const double most = model.assemble ? machine.length() : little * machine.length();
    bool parted = false;
    for (int round = 0; round < most_rounds; ++round) {
      const double depth = std::max(deepest_contact(machine, scheme->contacts(), state),
                                    solids.deepest_overlap(state.q).depth);
      if (!(depth > penetration_tolerance * machine.length()) || depth > most) break;
      State moved = state;
      if (!part(machine, model.integrator, moved).empty()) break;
      state = std::move(moved);
      parted = true;
      scheme->find_contacts(state);
    }
    if (!parted || !model.assemble) return;
    for (std::string& line :
         moves_of_assembly(machine, state.q, state.v, model.integrator.duration)) {
      if (std::find(notices.begin(), notices.end(), line) != notices.end()) continue;
      notices.push_back(std::move(line));
    }
  }

  /// Loads and motors at the time of a state.
  Instant instant_of(const State& of) const {
    Instant instant = machine.instant_at_start();
    instant.turns = of.turns;
    instant.signals = of.signals;
    for (const GivenLoad& given : of.given_loads) {
      instant.is_given[given.load] = 1;
      instant.loads[given.load] = {given.force, given.torque};
    }
    machine.set_time(instant, of.time, h / 16.0);
    return instant;
  }

  /// Moves the state to the static equilibrium.
  void settle(const Instant& instant) {
    Equilibrium found;
    try {
      found = find_equilibrium(machine, instant, state.q);
    } catch (const Error& error) {
      const bool has_contacts = !machine.own_contacts().empty() || machine.finds_contacts();
      throw Error(file_prefix() + error.what() +
                  (has_contacts ? ", and contacts hold nothing in statics" : ""));
    }
    Settling s{found.load_steps, found.iterations};
    for (std::size_t n = 1; n < state.q.size(); ++n) {
      const double way = (found.q[n].x - state.q[n].x).norm();
      const double turn = log_so3(state.q[n].p.conjugate() * found.q[n].p).norm();
      if (way >= s.displacement) s.displacement = way, s.displaced_node = machine.nodes()[n].name;
      if (turn >= s.rotation) s.rotation = turn, s.rotated_node = machine.nodes()[n].name;
    }
    notices.push_back(to_string(s));
    statistics.settling = std::move(s);
    state.q = found.q;
    state.turns = found.turns;
    machine.check_bends(state.q);
    machine.check_force_elements(state.q, state.turns);
  }

  std::string file_prefix() const { return model.file.empty() ? "" : model.file + ": "; }

  // ---- Step ----

  void step() {
    const double t = state.time, end = time_of(state.steps + 1);
    halvings = 0;
    if (update_signals()) scheme->renew_accelerations(state);
    if (events.any()) before_events = state;
    if (!take_step(end - t)) {
      const std::string reason = (stand_in ? stand_in : scheme)->failure();
      state = before;
      throw Error(fmt::format("{}the step from t = {:.9g} s failed even when halved {} times: {}",
                              file_prefix(), t, halvings, reason));
    }
    ++state.steps;
    state.time = time();
    if (events.any()) look_for_events(end - t);
    machine.check_bends(state.q);
    machine.check_force_elements(state.q, state.turns);
    ++statistics.steps;
    statistics.asleep = bodies_asleep(state.sleep);
    const SchemeTimes times = scheme->times();
    statistics.smooth_time = resumed.smooth_time + times.smooth;
    statistics.position_time = resumed.position_time + times.position;
    statistics.velocity_time = resumed.velocity_time + times.velocity;
    statistics.linear_algebra_time = resumed.linear_algebra_time + times.linear_algebra;
    statistics.factorisations = resumed.factorisations + times.factorisations;
    statistics.solves = resumed.solves + times.solves;
  }

  // ---- Events ----

  void look_for_events(double step_size) {
    const std::vector<double> was = std::move(heights);
    heights = events.heights(state);
    const std::vector<int> crossed = events.crossed(was, heights);
    if (crossed.empty()) return;
    const State end = state;
    const RunStatistics figures = statistics;
    std::vector<std::pair<double, int>> found;  // part of the step, event
    for (const int event : crossed) {
      const auto i = static_cast<std::size_t>(event);
      found.emplace_back(find_crossing(
                             step_size, was[i], heights[i],
                             [&](double part) {
                               go_to(part);
                               return events.height(event, state);
                             },
                             [&](double height) { return events.crosses(event, was[i], height); }),
                         event);
    }
    std::sort(found.begin(), found.end());
    std::vector<Happening> happenings;
    bool is_stopped = false;
    for (const auto& [part, event] : found) {
      if (part < step_size) {
        go_to(part);
      } else {
        state = end;
      }
      happenings.push_back({event, before_events.time + part, events.record(event, state)});
      is_stopped = events.spec(event).ends_run;
      if (is_stopped) break;
    }
    if (is_stopped) {
      state.steps = end.steps;
      state.time = happenings.back().time;
      heights = events.heights(state);
    } else {
      state = end;
    }
    statistics = figures;
    statistics.is_stopped = is_stopped;
    for (Happening& each : happenings) statistics.happenings.push_back(std::move(each));
  }

  /// A part of the present step, from its start. Parts that cannot be taken end where they failed.
  void go_to(double part) {
    state = before_events;
    if (!take_step(part)) state = before;
    state.time = before_events.time + part;
  }

  /// False: the state is to be set to `before`.
  bool take_step(double step_size) {
    if (model.integrator.locate_impacts) {
      before = state;
      return advance_by_impacts(step_size);
    }
    if (advance_whole(step_size, may_be_cut(step_size, 0))) return true;
    before = state;  // a step that fails leaves it where it was, parts of one do not
    return advance_in_halves(step_size, 0);
  }

  /// `may_be_cut`: else energy that it adds is let be.
  bool advance_whole(double step_size, bool may_be_cut) {
    const bool watched = may_be_cut && watches_energy();
    EnergyLedger from;
    if (watched) {
      as_it_was = state;
      from = ledger_at_start();
    }
    const Scheme* by = scheme.get();
    if (scheme->step(state, step_size)) {
      add_step(machine, *by, step_size, state);
    } else if (stand_in && advance_by_stand_in(step_size)) {
      by = stand_in.get();
    } else {
      return false;
    }
    if (watched) {
      const EnergyLedger to = ledger_of(machine, state);
      if (adds_energy(from, to)) {
        state = as_it_was;
        ++statistics.cut;
        return false;
      }
      remember(to);
    }
    if (by != scheme.get()) ++statistics.stood_in;
    note_step(*by);
    return true;
  }

  /// That of the state; its energies are known where the last step ended there.
  EnergyLedger ledger_at_start() const {
    if (!is_where_reached()) return ledger_of(machine, state);
    EnergyLedger ledger = state.sums.ledger;
    ledger.kinetic = reached.kinetic;
    ledger.gravity = reached.gravity;
    ledger.elastic = reached.elastic;
    return ledger;
  }
  void remember(const EnergyLedger& ledger) {
    reached = ledger;
    reached_v = state.v;
    reached_turns = state.turns;
    reached_q = state.q;
  }
  bool is_where_reached() const {
    const auto stays = [](const NodeState& one, const NodeState& other) {
      return one.x == other.x && one.p.coeffs() == other.p.coeffs() && one.angle == other.angle;
    };
    return !machine.is_compliant() && reached_v.size() == state.v.size() && reached_v == state.v &&
           reached_turns == state.turns &&
           std::equal(state.q.begin(), state.q.end(), reached_q.begin(), reached_q.end(), stays);
  }

  /// Contacts that strike stiff parts can leave a step far too long for them: what one part of it
  /// does is not undone by the next. Bodies that nothing else ties are seen to by the schemes.
  bool watches_energy() const { return !state.contacts.empty() && !is_free(machine); }

  /// Whether a step gave half as much energy as there was, or as was done to the machine in it.
  static bool adds_energy(const EnergyLedger& from, const EnergyLedger& to) {
    constexpr double too_much = 0.5, nothing = 1e-9;
    const double all = std::abs(from.kinetic) + std::abs(from.gravity) + std::abs(from.elastic) +
                       std::abs(from.load_work) + std::abs(from.motor_work);
    const double there =
        from.kinetic + std::abs(from.elastic) + std::abs(to.gravity - from.gravity) +
        std::abs(to.load_work - from.load_work) + std::abs(to.motor_work - from.motor_work);
    return from.scheme_loss() - to.scheme_loss() > too_much * there + nothing * all;
  }

  /// Another scheme takes the step, as if the motion began here.
  bool advance_by_stand_in(double step_size) {
    State from = state;
    state.solver = {};  // that of another matrix
    if (!stand_in->start(state) || !stand_in->step(state, step_size)) {
      state = std::move(from);
      return false;
    }
    for (ContactState& contact : state.contacts) {
      contact.percussion = contact.impulse;  // all that contacts did were impulses
      contact.force.setZero();
      contact.mean_force.setZero();
    }
    state.solver = {};
    add_step(machine, *stand_in, step_size, state);
    scheme->take_over(state);
    return true;
  }

  bool advance(double step_size, int level) {
    return advance_whole(step_size, may_be_cut(step_size, level)) ||
           advance_in_halves(step_size, level);
  }

  bool may_be_cut(double step_size, int level) const {
    constexpr int more_of_solids = 8;
    const int usual = model.integrator.max_halvings;
    return level < usual + (usual > 0 && carries_solids_far(step_size) ? more_of_solids : 0);
  }

  bool advance_in_halves(double step_size, int level) {
    if (!may_be_cut(step_size, level)) return false;
    const double half = 0.5 * step_size;
    halvings = std::max(halvings, level + 1);
    statistics.substeps += level == 0 ? 2 : 1;
    return advance(half, level + 1) && advance(step_size - half, level + 1);
  }

  /// Whether a solid goes so far, for its size, that where it meets others can hardly be seen.
  bool carries_solids_far(double step_size) const {
    constexpr double far = 0.05;
    for (const Solid& solid : machine.solids()) {
      if (solid.node == ground) continue;
      const double extent = machine.extent(static_cast<std::size_t>(solid.node));
      const auto v = of_node(state.v, solid.node);
      const double speed = v.head<3>().norm() + extent * v.tail<3>().norm();
      if (step_size * speed > far * extent) return true;
    }
    return false;
  }

  /// Cuts the step shortly before and after each impact, so that the impact law takes the speed at
  /// the impact and the rebound starts there. The rest of a step with very many is taken as one.
  bool advance_by_impacts(double step_size) {
    constexpr int max_trials = 200;
    const double margin = dating_margin(step_size);
    double t = state.time;
    const double end = t + step_size;
    double part = step_size;
    for (int trial = 0; trial < max_trials; ++trial) {
      before_impact = state;
      if (!scheme->step(state, part)) {
        state = before_impact;
        break;
      }
      const double meeting = part * scheme->first_impact(part, margin / part);
      if (meeting > 2.0 * margin && meeting < part) {
        state = before_impact;
        part = meeting - margin;  // come close first
        continue;
      }
      if (meeting < part && part > 4.0 * margin) {
        state = before_impact;
        part = meeting + margin;
        if (!scheme->step(state, part)) {
          state = before_impact;
          break;
        }
      }
      add_step(machine, *scheme, part, state);
      note_step(*scheme);
      t += part;
      if (end - t < 0.5 * margin) return true;
      part = end - t;
      ++statistics.substeps;
    }
    return advance(end - t, 0);
  }

  /// To which impacts are dated: 1e-5 of a step, but not so sharply that the weight of what rests
  /// is lost in the round-off of the fastest body's speed (Nsga::slowest_impact). It would take no
  /// part in impacts: balls would be struck as if there were no table.
  double dating_margin(double step_size) const {
    constexpr double shortest = 1e-5, longest = 1e-3;
    const double weight = model.gravity.norm();
    double speed = 0.0;
    for (Eigen::Index n = 1; n < state.v.size() / 6; ++n) {
      speed = std::max(speed, of_node(state.v, n).head<3>().norm());
    }
    const double felt = weight > 0.0 ? 2e-9 * speed / weight : 0.0;
    return std::clamp(felt, shortest * step_size, longest * step_size);
  }

  // ---- Figures of the run ----

  void note_step(const Scheme& by) {
    const StepCounts& counts = by.counts();
    const auto count = [](IterationStatistics& all, int done) {
      all.total += done;
      all.max = std::max(all.max, done);
    };
    count(statistics.smooth, counts.smooth);
    count(statistics.position, counts.position);
    count(statistics.velocity, counts.velocity);
    statistics.regularised += counts.regularised;
    statistics.recovered += counts.recovered;
    statistics.lessened += counts.lessened;
    statistics.plastic += counts.plastic;
    statistics.unfinished += counts.unfinished;
    statistics.max_sweep_residual = std::max(statistics.max_sweep_residual, counts.sweep_residual);
    statistics.max_sweeps = std::max(statistics.max_sweeps, counts.sweeps);
    statistics.max_impacts = std::max(statistics.max_impacts, counts.impacts);
    statistics.max_joint_error = std::max(statistics.max_joint_error, by.joint_error());
    statistics.max_joint_velocity_error =
        std::max(statistics.max_joint_velocity_error, by.joint_velocity_error());
    note_gaps(by);
  }

  void note_gaps(const Scheme& by) {
    for (std::size_t c = 0; c < state.contacts.size(); ++c) {
      const ContactState& of = state.contacts[c];
      if (!of.armed || of.gap >= statistics.min_gap) continue;
      // Schemes that do not list contacts of groups have no edges among them.
      if (c < by.contacts().size() && !by.contacts()[c].over_face(state.q)) continue;
      statistics.min_gap = std::min(statistics.min_gap, real_gap(c));
    }
  }

  /// Features of solids have no ends for the rest of a step: when they have passed each other, only
  /// the solids themselves tell whether they overlap.
  double real_gap(std::size_t c) {
    const double gap = state.contacts[c].gap;
    const std::size_t own = machine.own_contacts().size();
    if (gap >= 0.0 || c < own) return gap;
    const ContactKey& key = state.search.keys[c - own];
    if (key.group != machine.group_of_solids()) return gap;
    return std::max(gap, solids.gap(key.sphere, key.partner, state.q));
  }

  double time() const { return time_of(state.steps); }
  /// The last step is shorter where the duration is no multiple of it.
  double time_of(long steps) const {
    const double whole = h * static_cast<double>(steps);
    const double past = whole - model.integrator.duration;
    return steps == total_steps && past > 1e-6 * h ? model.integrator.duration : whole;
  }

  Model model;
  Machine machine;
  std::unique_ptr<Scheme> scheme, stand_in;
  SolidSearch solids;
  ChannelList channels;
  EventWatch events;
  double h;
  long total_steps;
  State state;
  State before, before_impact, as_it_was, before_events;  // to go back to
  EnergyLedger reached;                                   // where the last watched step ended
  Configuration reached_q;
  NodalVector reached_v;
  std::vector<double> reached_turns;
  std::vector<double> heights;  // of the events, at the end of a step
  int halvings = 0;             // of the present step
  RunStatistics statistics;
  RunStatistics resumed;  // those of the run that this one goes on with
  std::vector<std::string> notices;
};

Simulation::Simulation(const Model& model) : Simulation(model, {}) {}
Simulation::Simulation(const Model& model, const std::vector<NodeMotion>& motions) {
  std::vector<Mistake> mistakes = check(model);
  if (!mistakes.empty()) throw Error(std::move(mistakes));
  impl_ = std::make_unique<Impl>(model, motions);
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

double Simulation::time() const { return impl_->state.time; }
long Simulation::steps_done() const { return impl_->state.steps; }
long Simulation::steps_total() const { return impl_->total_steps; }
bool Simulation::finished() const {
  return steps_done() >= steps_total() || impl_->statistics.is_stopped;
}
void Simulation::step() { impl_->step(); }
const Machine& Simulation::machine() const { return impl_->machine; }
const State& Simulation::state() const { return impl_->state; }

void Simulation::set_state(const State& state) {
  const Machine& machine = impl_->machine;
  if (state.q.size() != machine.nodes().size() ||
      state.joint_forces.size() != machine.joint_rows() ||
      state.contacts.size() != machine.own_contacts().size() + state.search.keys.size()) {
    throw Error(impl_->file_prefix() + "the state is not one of this machine");
  }
  impl_->state = state;
  impl_->heights = impl_->events.heights(state);
}

void Simulation::resume(const State& state, const RunStatistics& statistics) {
  set_state(state);
  impl_->statistics = impl_->resumed = statistics;
  // A run that ended within a step goes on with the rest of it.
  const double whole = impl_->time();
  if (state.time < whole - 1e-6 * impl_->h) --impl_->state.steps;
}

void Simulation::set_load(std::string_view name, const Vec3& force, const Vec3& torque) {
  const std::optional<std::size_t> load = impl_->machine.find_load(name);
  if (!load) throw Error(fmt::format("{}there is no load '{}'", impl_->file_prefix(), name));
  std::vector<GivenLoad>& given = impl_->state.given_loads;
  const auto found =
      std::find_if(given.begin(), given.end(), [&](const GivenLoad& g) { return g.load == *load; });
  if (found != given.end()) {
    *found = {*load, force, torque};
  } else {
    given.push_back({*load, force, torque});
  }
}

void Simulation::on_contact_problem(std::function<void(const ContactProblem&)> visit) {
  if (impl_->scheme->visit_contact_problems(std::move(visit))) return;
  throw Error(impl_->file_prefix() +
              "the integrator \"nsga_coupled\" has no contact problem of its own: it solves for "
              "contacts and motion together; take \"nsga\" or \"moreau\"");
}

void Simulation::on_newton_update(std::function<void(const NewtonUpdate&)> visit) {
  const IntegratorKind kind = impl_->model.integrator.kind;
  if (kind == IntegratorKind::verlet || kind == IntegratorKind::energy_consistent) {
    throw Error(fmt::format("{}the integrator \"{}\" has no updates of Newton's method to trace",
                            impl_->file_prefix(), to_string(kind)));
  }
  impl_->scheme->visit_updates(std::move(visit));
}

const std::vector<Channel>& Simulation::channels() const { return impl_->channels.list(); }
int Simulation::row_size() const { return impl_->channels.row_size(); }
void Simulation::sample(std::span<double> row) const { impl_->channels.sample(impl_->state, row); }

std::vector<double> Simulation::values(std::string_view path) const {
  return impl_->channels.read(impl_->state, path);
}

double Simulation::value(std::string_view path) const {
  return impl_->channels.read_one(impl_->state, path);
}

bool Simulation::is_balanced() const {
  const Machine& machine = impl_->machine;
  const State& state = impl_->state;
  Instant instant = impl_->instant_of(state);
  NodalVector f = NodalVector::Zero(machine.nodal_size()), net = f;
  const ForceSizes sizes = machine.forces(state.q, state.v, instant, f);
  machine.apply_mass(state.acceleration, net);
  return machine.weighted_norm(net) <= 1e-6 * sizes.terms + 1e-13 * sizes.numbers;
}

std::vector<std::string> Simulation::node_names() const {
  std::vector<std::string> names;
  for (const Node& node : impl_->machine.nodes()) names.push_back(node.name);
  return names;
}

Modes Simulation::modes(int count) const {
  const State& state = impl_->state;
  return find_modes(impl_->machine, state.q, impl_->instant_of(state), state.joint_forces, count);
}

void Simulation::sample_displaced(const NodalVector& increment, std::span<double> row) const {
  State there = impl_->state;
  retract(impl_->machine.nodes(), impl_->state.q, increment, there.q);
  impl_->machine.count_turns(there.q, there.turns);
  impl_->channels.sample(there, row);
}

std::vector<ContactPoint> Simulation::contact_points() const {
  std::vector<ContactPoint> points;
  find_contact_points(impl_->machine, impl_->state, impl_->scheme->separates_forces(), points);
  for (ContactPoint& point : points) {
    point.a = impl_->machine.watched_pairs().part_of(point.a);
    point.b = impl_->machine.watched_pairs().part_of(point.b);
  }
  return points;
}
std::vector<std::string> Simulation::part_names() const { return parts_of(impl_->model); }
void Simulation::start_interval() { clatter::start_interval(impl_->state.time, impl_->state.sums); }

const RunStatistics& Simulation::statistics() const { return impl_->statistics; }
const std::vector<std::string>& Simulation::notices() const { return impl_->notices; }

}  // namespace clatter
