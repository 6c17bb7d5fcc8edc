#include <concepts>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include <clatter/io/state_archive.hpp>

namespace clatter {
namespace {

template <class T>
concept PlainValue = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends values to bytes.
class Packer {
 public:
  std::string bytes;

  void raw(void* data, std::size_t size) {
    if (size > 0) bytes.append(static_cast<const char*>(data), size);
  }
  std::size_t count(std::size_t own) {
    raw(&own, sizeof own);
    return own;
  }
};

/// Takes them back, in the same order.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  void raw(void* data, std::size_t size) {
    if (size > bytes_.size()) throw Error("the stored state ends too early");
    if (size == 0) return;  // an empty list may have no address
    std::memcpy(data, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  /// Of entries of a list, each of which takes a byte at least.
  std::size_t count(std::size_t /*own*/) {
    std::size_t stored = 0;
    raw(&stored, sizeof stored);
    if (stored > bytes_.size()) throw Error("the stored state is damaged");
    return stored;
  }
  bool is_empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

/// Visits values of all types of a state, by naming the members of each once for both directions.
template <class Bytes>
class Visitor {
 public:
  explicit Visitor(Bytes& bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (visit(values), ...);
  }

 private:
  template <PlainValue T>
  void visit(T& value) {
    bytes_.raw(&value, sizeof value);
  }
  template <class T, int Rows, int Columns, int Options, int MaxRows, int MaxColumns>
  void visit(Eigen::Matrix<T, Rows, Columns, Options, MaxRows, MaxColumns>& matrix) {
    const std::size_t rows = bytes_.count(static_cast<std::size_t>(matrix.rows()));
    const std::size_t columns = bytes_.count(static_cast<std::size_t>(matrix.cols()));
    if (std::cmp_not_equal(rows, matrix.rows()) || std::cmp_not_equal(columns, matrix.cols())) {
      constexpr bool grows = Rows == Eigen::Dynamic && MaxRows == Eigen::Dynamic;
      if (Rows != Eigen::Dynamic || columns != 1 || (!grows && std::cmp_greater(rows, MaxRows))) {
        throw Error("the stored state is damaged");
      }
      if constexpr (Rows == Eigen::Dynamic) matrix.resize(static_cast<Eigen::Index>(rows), 1);
    }
    bytes_.raw(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(T));
  }
  void visit(Quaternion& p) { bytes_.raw(p.coeffs().data(), 4 * sizeof(double)); }
  void visit(std::string& text) {
    text.resize(bytes_.count(text.size()));
    bytes_.raw(text.data(), text.size());
  }
  template <class T>
  void visit(std::vector<T>& list) {
    list.resize(bytes_.count(list.size()));
    if constexpr (PlainValue<T>) {
      bytes_.raw(list.data(), list.size() * sizeof(T));
    } else {
      for (T& each : list) visit(each);
    }
  }
  template <class T, std::size_t N>
  void visit(std::array<T, N>& list) {
    for (T& each : list) visit(each);
  }
  template <class T>
  void visit(std::optional<T>& value) {
    const bool has = bytes_.count(value.has_value() ? 1 : 0) != 0;
    if (!has) value.reset();
    if (has && !value) value.emplace();
    if (has) visit(*value);
  }
  void visit(std::shared_ptr<const Pivots>& pivots) {
    std::optional<Pivots> value;
    if (pivots) value = *pivots;
    visit(value);
    if (value && !pivots) pivots = std::make_shared<const Pivots>(std::move(*value));
  }

  void visit(Pivots& p) { (*this)(p.order, p.rows, p.columns, p.rcond); }
  void visit(NodeState& s) { (*this)(s.x, s.p, s.R, s.angle); }
  void visit(ContactKey& k) { (*this)(k.group, k.sphere, k.partner, k.feature, k.partner_feature); }
  void visit(GivenLoad& g) { (*this)(g.load, g.force, g.torque); }
  void visit(ContactSearch& s) { (*this)(s.keys, s.searched, s.margins, s.skin); }
  void visit(ContactState& s) {
    (*this)(s.status, s.persistent, s.armed, s.gap, s.block_status, s.impulse, s.work, s.met_at,
            s.has_rate, s.rate, s.stuck, s.push, s.force, s.mean_force, s.percussion, s.anchor,
            s.tangent, s.damping, s.elastic, s.shear, s.psi, s.normal_exchange,
            s.tangential_exchange);
  }
  void visit(Sleep& s) { (*this)(s.calm, s.with, s.step); }
  void visit(SolverMemory& s) {
    (*this)(s.smooth, s.position, s.velocity, s.coupled, s.smooth_pivots, s.contact_pivots,
            s.held_pivots, s.in_matrix);
  }
  void visit(EnergyLedger& e) {
    (*this)(e.initial, e.kinetic, e.gravity, e.elastic, e.buoyancy, e.load_work, e.motor_work,
            e.friction_loss, e.impact_loss, e.damper_loss, e.drag_loss, e.normal_exchange,
            e.tangential_exchange);
  }
  void visit(Exchange& e) { (*this)(e.spring, e.dashpot, e.momentum); }
  void visit(Powers& p) { (*this)(p.load, p.damper, p.motor, p.drag); }
  void visit(StepCounts& c) {
    (*this)(c.smooth, c.position, c.velocity, c.regularised, c.recovered, c.lessened, c.plastic,
            c.sweeps, c.sweep_residual, c.unfinished, c.impacts);
  }
  void visit(HardestImpact& i) { (*this)(i.impulse, i.of_all, i.speed, i.mass); }
  void visit(PairImpact& i) { (*this)(i.impulse, i.percussion, i.hardest, i.A, i.B); }
  void visit(RunningSums& s) {
    (*this)(s.ledger, s.last_powers, s.last_rates, s.last_step_size, s.interval_start, s.impulses,
            s.percussions, s.hardest, s.group_impulses, s.pair_impulses, s.pair_impacts,
            s.joint_impulses, s.counts);
  }
  void visit(State& s) {
    (*this)(s.time, s.steps, s.q, s.v, s.acceleration, s.algorithmic_acceleration, s.joint_forces,
            s.joint_impulses, s.struck, s.contacts, s.search, s.sleep, s.turns, s.signals,
            s.given_loads, s.solver, s.sums);
  }
  void visit(Happening& h) { (*this)(h.event, h.time, h.values); }
  void visit(IterationStatistics& i) { (*this)(i.total, i.max); }
  void visit(Settling& s) {
    (*this)(s.load_steps, s.iterations, s.displacement, s.rotation, s.displaced_node,
            s.rotated_node);
  }
  void visit(RunStatistics& s) {
    (*this)(s.steps, s.substeps, s.regularised, s.recovered, s.lessened, s.plastic, s.stood_in,
            s.cut, s.asleep, s.unfinished, s.max_sweep_residual, s.max_sweeps, s.max_impacts,
            s.smooth, s.position, s.velocity, s.min_gap, s.max_joint_error,
            s.max_joint_velocity_error, s.length, s.smooth_time, s.position_time, s.velocity_time,
            s.linear_algebra_time, s.factorisations, s.solves, s.happenings, s.is_stopped,
            s.settling);
  }

  Bytes& bytes_;
};

template <class T>
std::string pack_value(T value) {
  Packer packer;
  Visitor visitor(packer);
  visitor(value);
  return std::move(packer.bytes);
}

template <class T>
T unpack_value(std::string_view bytes) {
  T value;
  Unpacker unpacker(bytes);
  Visitor visitor(unpacker);
  visitor(value);
  if (!unpacker.is_empty()) throw Error("the stored state is longer than it should be");
  return value;
}

}  // namespace

std::string pack(const State& state) { return pack_value(state); }
std::string pack(const RunStatistics& statistics) { return pack_value(statistics); }
State unpack_state(std::string_view bytes) { return unpack_value<State>(bytes); }
RunStatistics unpack_statistics(std::string_view bytes) {
  return unpack_value<RunStatistics>(bytes);
}

}  // namespace clatter
