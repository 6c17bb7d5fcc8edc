#include "dynamics/nsga.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace clatter {
namespace {

// Redundant rows are told apart from dependent ones by this much of their own size. Newton's method
// on the original residual converges by this factor more slowly, which is not seen.
constexpr double regularisation = 1e-9;
constexpr int max_line_search = 8;
constexpr int max_recoveries = 4;
// Part of a residual that round-off alone leaves, relative to the numbers it is made from.
constexpr double round_off = 2e-15;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Residual of a subproblem, each part divided by what it may be: converged at one.
struct Residual {
  double momentum = 0.0;
  double rows = 0.0;
  double merit = 0.0;  // undivided, for the line search

  bool converged() const { return momentum <= 1.0 && rows <= 1.0; }
};

double ratio(double value, double allowed) {
  if (value == 0.0) return 0.0;
  return allowed > 0.0 ? value / allowed : INFINITY;
}

}  // namespace

GeneralizedAlpha::GeneralizedAlpha(double rho_inf) {
  am = (2.0 * rho_inf - 1.0) / (rho_inf + 1.0);
  af = rho_inf / (rho_inf + 1.0);
  gamma = 0.5 + af - am;
  beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
}

Nsga::Nsga(System& system, const IntegratorSpec& spec)
    : system_(system),
      spec_(spec),
      c_(spec.rho_inf),
      smooth_K_(system, false),
      contact_K_(system, true),
      mbar_(spec.characteristic_mass.value_or(system.total_mass() /
                                              std::max(1, system.body_count()))) {
  const Eigen::Index size = system.nodal_size();
  for (NodalVector* v : {&v_n_, &a_n_, &vd_n_, &delta_, &vs_, &vd_, &U_, &W_, &v_, &f_, &f_smooth_,
                         &reaction_smooth_, &residual_, &momentum_, &total_, &a_, &reaction_}) {
    *v = NodalVector::Zero(size);
  }
  for (VecX* x : {&la_, &nu_, &joint_impulse_hat_, &joint_impulse_, &joint_scale_, &joint_total_,
                  &joint_residual_, &allowed_joint_}) {
    *x = VecX::Zero(system.joint_rows());
  }
  nu_contact_ = la_contact_ = contact_residual_ = allowed_contact_ =
      VecX::Zero(system.contact_rows());
  q_n_ = q_ = system.initial_configuration();
  T_.assign(system.nodes().size(), Mat3::Identity());
  for (const Joint& joint : system.joints()) {
    joint_G_.emplace_back(static_cast<Eigen::Index>(joint.rows().size()), 12);
  }
  for (const FaceContact& contact : system.contacts()) {
    ContactState state;
    state.impulse = state.rate = state.rate_before = state.anchor = RowVector::Zero(contact.rows());
    contact_states_.push_back(state);
    ContactWork work;
    work.scale = work.ghat = RowVector::Zero(contact.rows());
    work.G.setZero(contact.rows(), 12);
    contact_work_.push_back(work);
  }
  armed_.assign(contact_states_.size(), 1);
  rhs_smooth_ = VecX::Zero(smooth_K_.size());
  rhs_contact_ = VecX::Zero(contact_K_.size());
}

double Nsga::linear_algebra_time() const {
  return smooth_K_.matrix().time + contact_K_.matrix().time;
}
long Nsga::factorisations() const {
  return smooth_K_.matrix().factorisations + contact_K_.matrix().factorisations;
}
long Nsga::solves() const { return smooth_K_.matrix().solves + contact_K_.matrix().solves; }

// ---- Pieces shared by the subproblems
// --------------------------------------------------------------

void Nsga::evaluate_joint_rows(const Configuration& q) {
  Vec12 g;
  for (std::size_t j = 0; j < joint_G_.size(); ++j) {
    const Joint& joint = system_.joints()[j];
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      joint.rows()[i].coordinate.gradient(q, g);
      joint_G_[j].row(static_cast<Eigen::Index>(i)) = g.transpose();
    }
  }
}

void Nsga::evaluate_contact_rows(const Configuration& q) {
  Vec12 g;
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const FaceContact& contact = system_.contacts()[c];
    for (int i = 0; i < contact.rows(); ++i) {
      contact.coordinate(i).gradient(q, g);
      contact_work_[c].G.row(i) = g.transpose();
    }
  }
}

void Nsga::evaluate_tangents(const NodalVector& increment) {
  for (std::size_t n = 1; n < T_.size(); ++n) {
    if (system_.nodes()[n].rotates_in_space) {
      T_[n] = tangent_so3(of_node(increment, static_cast<int>(n)).tail<3>());
    }
  }
}

template <class Matrix>
void Nsga::to_increments(Matrix& columns, int a, int b) const {
  if (system_.nodes()[a].rotates_in_space) {
    columns.template middleCols<3>(3) = (columns.template middleCols<3>(3) * T_[a]).eval();
  }
  if (system_.nodes()[b].rotates_in_space) {
    columns.template middleCols<3>(9) = (columns.template middleCols<3>(9) * T_[b]).eval();
  }
}

void Nsga::add_node_tangents(KktMatrix& K, const Configuration& q, const NodalVector& v,
                             double mass, double damping, double stiffness) const {
  for (std::size_t n = 1; n < system_.nodes().size(); ++n) {
    const Node& node = system_.nodes()[n];
    const auto i = static_cast<int>(n);
    Mat6 block = Mat6::Zero();
    block.topLeftCorner<3, 3>().diagonal().setConstant(mass * node.mass);
    block.bottomRightCorner<3, 3>() = mass * node.inertia;
    if (node.rotates_in_space && damping != 0.0) {
      const Vec3 spin = of_node(v, i).tail<3>();
      block.bottomRightCorner<3, 3>() +=
          damping * (skew(spin) * node.inertia - skew(node.inertia * spin));
    }
    K.add_node(i, block);
  }
  Mat12 spring_K, spring_C;
  for (std::size_t s = 0; s < system_.springs().size(); ++s) {
    const Spring& spring = system_.springs()[s];
    spring.tangent(q, v, spring_K, spring_C);
    to_increments(spring_K, spring.a(), spring.b());
    K.add_spring(static_cast<int>(s), stiffness * spring_K + damping * spring_C);
  }
  if (stiffness == 0.0) return;
  for (std::size_t l = 0; l < system_.loads().size(); ++l) {
    const Load& load = system_.loads()[l];
    Mat6 block = load.tangent(q[load.node()]);
    block.rightCols<3>() = (block.rightCols<3>() * T_[load.node()]).eval();
    K.add_load(static_cast<int>(l), stiffness * block);
  }
}

/// Newton's method from where the problem stands; where it fails, Gauss-Seidel on the condensed
/// contact problem finds the active sets and Newton finishes.
template <class Problem>
bool Nsga::solve_contacts(Problem& problem, double& eps, int& iterations, const char* what) {
  if (solve(problem, contact_K_, eps, iterations, what)) return true;
  // The solution does not depend on the scaling; the way to it does.
  problem.reset();
  scale_contacts(Scaling::delassus, 1.0);
  for (int attempt = 1; attempt <= max_recoveries; ++attempt) {
    if (!find_active_sets(problem, eps)) return false;
    ++counts_.recovered;
    int more = 0;
    const bool done = solve(problem, contact_K_, eps, more, what);
    iterations += more;
    if (done) return true;
  }
  return false;
}

/// One linearisation of the problem, condensed on its contact rows and solved there.
template <class Problem>
bool Nsga::find_active_sets(Problem& problem, double& eps) {
  KktMatrix& K = contact_K_;
  const Residual r = problem.evaluate();
  if (!std::isfinite(r.merit)) return false;

  std::vector<CondensedContact> condensed;
  std::vector<std::size_t> which;
  int rows = 0;
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    if (!problem.may_close(contact_work_[c])) continue;
    const int count = system_.contacts()[c].rows();
    condensed.push_back({rows, count, problem.law(contact_work_[c]).mu});
    which.push_back(c);
    rows += count;
  }

  K.set_zero();
  problem.assemble_free(K);
  if (eps > 0.0) K.regularise(eps);
  if (!K.factorise(eps > 0.0)) return false;

  // Motion without reactions, and with a unit reaction in each row.
  VecX free = VecX::Zero(K.size());
  NodalVector reaction = NodalVector::Zero(system_.nodal_size());
  add_contact_reactions(reaction);
  residual_ += reaction;
  K.gather(residual_, free);
  free.head(system_.dofs()) *= -1.0;
  free.segment(K.joint_multiplier(0), joint_residual_.size()) = -joint_residual_;
  K.solve(free);
  MatX motion(K.size(), rows), D(rows, rows);
  VecX b(rows), p(rows), column(K.size());
  NodalVector nodal = NodalVector::Zero(system_.nodal_size());
  std::vector<KktMatrix::Rows> changes;
  for (std::size_t k = 0; k < which.size(); ++k) {
    const ContactWork& work = contact_work_[which[k]];
    const FaceContact& contact = system_.contacts()[which[k]];
    const KktMatrix::Rows scaled = work.scale.asDiagonal() * work.G;
    KktMatrix::Rows change = scaled;
    if (Problem::position_level) to_increments(change, contact.a(), contact.b());
    changes.push_back(change);
    for (int i = 0; i < contact.rows(); ++i) {
      nodal.setZero();
      of_node(nodal, contact.a()) += scaled.row(i).head<6>().transpose();
      of_node(nodal, contact.b()) += scaled.row(i).tail<6>().transpose();
      column.setZero();
      K.gather(nodal, column);
      K.solve(column);
      motion.col(condensed[k].first_row + i) = column;
    }
    p.segment(condensed[k].first_row, contact.rows()) = work.equations.phi;
  }
  const auto row_rates = [&](const VecX& x, auto&& out) {
    nodal.setZero();
    K.scatter(x, 1.0, nodal);
    for (std::size_t k = 0; k < which.size(); ++k) {
      const FaceContact& contact = system_.contacts()[which[k]];
      out.segment(condensed[k].first_row, contact.rows()) =
          changes[k] * of_pair(nodal, contact.a(), contact.b());
    }
  };
  row_rates(free, b);
  for (std::size_t k = 0; k < which.size(); ++k) {
    b.segment(condensed[k].first_row, condensed[k].rows) += contact_work_[which[k]].ghat;
  }
  for (int i = 0; i < rows; ++i) row_rates(motion.col(i), D.col(i));
  solve_gauss_seidel(D, b, condensed, 1e-9, 2000, p);

  free.noalias() += motion * p;
  free.tail(system_.contact_rows()).setZero();
  problem.move(K, free, 1.0);
  VecX& multipliers = problem.contact_multipliers();
  multipliers.setZero();
  for (std::size_t k = 0; k < which.size(); ++k) {
    multipliers.segment(system_.contacts()[which[k]].first_row, condensed[k].rows) =
        p.segment(condensed[k].first_row, condensed[k].rows);
  }
  return true;
}

template <class Problem>
bool Nsga::solve(Problem& problem, KktMatrix& K, double& eps, int& iterations, const char* what) {
  VecX& dx = problem.rhs;
  Residual r = problem.evaluate();
  std::array<double, 3> recent;
  recent.fill(r.merit);
  for (iterations = 0;; ++iterations) {
    if (!std::isfinite(r.merit)) {
      failure_ = fmt::format("the {} problem gave a value that is not a number", what);
      return false;
    }
    if (r.converged()) return true;
    if (iterations == spec_.max_iterations) {
      failure_ = fmt::format("the {} problem did not converge in {} iterations{}", what, iterations,
                             problem.culprit());
      return false;
    }
    const auto factorise = [&] {
      K.set_zero();
      problem.assemble(K);
      if (eps > 0.0) K.regularise(eps);
      return K.factorise(eps > 0.0);
    };
    bool factorised = factorise();
    if (!factorised && eps == 0.0) {
      eps = regularisation;
      factorised = factorise();
    }
    if (eps > 0.0) ++counts_.regularised;
    if (!factorised) {
      failure_ = fmt::format("the {} problem is singular{}", what, problem.culprit());
      return false;
    }
    problem.fill_right_side(K, dx);
    K.solve(dx);
    problem.move(K, dx, 1.0);
    Residual next = problem.evaluate();
    // Nonmonotone line search: the kinks of the contact laws may raise the residual for a while.
    const double bound = *std::max_element(recent.begin(), recent.end());
    double length = 1.0;
    for (int k = 0; k < max_line_search && !(next.merit <= bound) && !next.converged(); ++k) {
      length *= 0.5;
      problem.move(K, dx, -length);
      next = problem.evaluate();
    }
    if (!(next.merit <= bound) && !next.converged()) {
      problem.move(K, dx, 1.0 - length);
      next = problem.evaluate();
    }
    r = next;
    recent[static_cast<std::size_t>(iterations) % recent.size()] = r.merit;
  }
}

// ---- Smooth motion, 001 (3)
// -------------------------------------------------------------------------

struct Nsga::SmoothMotion {
  Nsga& s;
  VecX& rhs;

  Residual evaluate() {
    System& system = s.system_;
    retract(system.nodes(), s.q_n_, s.delta_, s.q_);
    const double terms = s.h_ * system.forces(s.q_, s.vs_, s.f_smooth_);
    system.apply_mass(s.vd_, s.momentum_);
    s.evaluate_joint_rows(s.q_);
    s.reaction_smooth_.setZero();
    double row_sum = 0.0;
    for (std::size_t j = 0; j < s.joint_G_.size(); ++j) {
      const Joint& joint = system.joints()[j];
      const auto count = static_cast<Eigen::Index>(joint.rows().size());
      const Vec12 pair = of_pair(s.vs_, joint.a(), joint.b());
      const Vec12 force = s.joint_G_[j].transpose() * s.la_.segment(joint.first_row, count);
      of_node(s.reaction_smooth_, joint.a()) += force.head<6>();
      of_node(s.reaction_smooth_, joint.b()) += force.tail<6>();
      for (Eigen::Index i = 0; i < count; ++i) {
        const double rate = s.joint_G_[j].row(i).dot(pair) -
                            joint.target_rate(joint.rows()[static_cast<std::size_t>(i)]);
        double& row = s.joint_residual_[joint.first_row + i];
        row = -s.joint_scale_[joint.first_row + i] * rate;
        row_sum += row * row;
      }
    }
    s.residual_ = s.momentum_ - s.f_smooth_ - s.reaction_smooth_;
    Residual r;
    const double momentum = s.h_ * system.weighted_norm(s.residual_);
    const double row = std::sqrt(row_sum);
    const double speed = round_off * system.kinetic_norm(s.vs_);
    const double all = terms + s.h_ * (system.weighted_norm(s.reaction_smooth_) +
                                       system.weighted_norm(s.momentum_));
    r.momentum = ratio(momentum, s.spec_.tolerance * all + speed);
    r.rows = ratio(row, s.spec_.tolerance * all + speed + round_off * s.target_speed());
    r.merit = std::hypot(momentum, row);
    return r;
  }

  void assemble(KktMatrix& K) {
    const GeneralizedAlpha& c = s.c_;
    const double h = s.h_, move = h * c.beta / c.gamma;  // d(increment)/d(velocity)
    s.evaluate_tangents(s.delta_);
    s.add_node_tangents(K, s.q_, s.vs_, (1.0 - c.am) / ((1.0 - c.af) * c.gamma), h, h * move);
    Mat12 H;
    for (std::size_t j = 0; j < s.joint_G_.size(); ++j) {
      const Joint& joint = s.system_.joints()[j];
      const Vec12 pair = of_pair(s.vs_, joint.a(), joint.b());
      KktMatrix::Rows rows = s.joint_G_[j], bend = s.joint_G_[j];
      Mat12 geometric = Mat12::Zero();
      for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        const auto row = joint.first_row + i;
        joint.rows()[static_cast<std::size_t>(i)].coordinate.hessian(s.q_, H);
        geometric -= h * move * s.la_[row] * H;
        bend.row(i) = move * pair.transpose() * H;
      }
      s.to_increments(geometric, joint.a(), joint.b());
      s.to_increments(bend, joint.a(), joint.b());
      const auto scale = s.joint_scale_.segment(joint.first_row, rows.rows()).asDiagonal();
      rows = -(scale * (rows + bend));
      const KktMatrix::Columns columns = -(scale * s.joint_G_[j]).transpose();
      K.add_joint(static_cast<int>(j), geometric, rows, columns);
    }
  }

  void fill_right_side(KktMatrix& K, VecX& x) {
    K.gather(s.residual_, x);
    x.head(s.system_.dofs()) *= -s.h_;
    x.segment(K.joint_multiplier(0), s.joint_residual_.size()) = -s.joint_residual_;
  }

  void move(KktMatrix& K, const VecX& x, double factor) {
    const GeneralizedAlpha& c = s.c_;
    K.scatter(x, factor, s.vs_);
    K.scatter(x, factor * (1.0 - c.am) / ((1.0 - c.af) * c.gamma * s.h_), s.vd_);
    K.scatter(x, factor * s.h_ * c.beta / c.gamma, s.delta_);
    s.la_ +=
        factor / s.h_ * s.joint_scale_.cwiseProduct(x.segment(K.joint_multiplier(0), s.la_.size()));
  }

  std::string culprit() const { return s.worst_joint(); }
};

// ---- Contacts at either level: 001 (48), (53), (54), (62)
// -------------------------------------------

template <class Problem>
void Nsga::evaluate_contacts(const Problem& problem, const VecX& multipliers) {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    ContactWork& work = contact_work_[c];
    const FaceContact& contact = system_.contacts()[c];
    const RowVector la = multipliers.segment(contact.first_row, contact.rows());
    evaluate(problem.law(work), problem.may_close(work), work.ghat, la, true, work.equations);
    contact_residual_.segment(contact.first_row, contact.rows()) = work.equations.residual;
  }
}

void Nsga::add_contact_reactions(NodalVector& reaction) const {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const ContactWork& work = contact_work_[c];
    if (work.equations.status == ContactStatus::open) continue;
    const FaceContact& contact = system_.contacts()[c];
    const Vec12 force = work.G.transpose() * work.scale.cwiseProduct(work.equations.phi);
    of_node(reaction, contact.a()) += force.head<6>();
    of_node(reaction, contact.b()) += force.tail<6>();
  }
}

void Nsga::add_contact_tangents(KktMatrix& K, bool position_level) const {
  Mat12 H, momentum;
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const ContactWork& work = contact_work_[c];
    const ContactEquations& e = work.equations;
    const FaceContact& contact = system_.contacts()[c];
    if (e.status == ContactStatus::open) {
      K.add_open_contact(static_cast<int>(c), e.dresidual_dla);
      continue;
    }
    const KktMatrix::Rows scaled = work.scale.asDiagonal() * work.G;
    KktMatrix::Rows change = scaled;  // of the rows with the unknowns
    momentum.setZero();
    if (position_level && (turns(contact.a()) || turns(contact.b()))) {
      for (int i = 0; i < contact.rows(); ++i) {
        contact.coordinate(i).hessian(q_, H);
        momentum -= work.scale[i] * e.phi[i] * H;
      }
      to_increments(momentum, contact.a(), contact.b());
      to_increments(change, contact.a(), contact.b());
    }
    momentum.noalias() -= scaled.transpose() * (e.dphi_dg * change);
    const KktMatrix::Rows rows = e.dresidual_dg * change;
    const KktMatrix::Columns columns = -scaled.transpose() * e.dphi_dla;
    K.add_contact(static_cast<int>(c), momentum, rows, columns, e.dresidual_dla);
  }
}

void Nsga::add_open_contacts(KktMatrix& K) const {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const int rows = system_.contacts()[c].rows();
    K.add_open_contact(static_cast<int>(c), -KktMatrix::Multipliers::Identity(rows, rows));
  }
}

std::string Nsga::worst_contact() const {
  Eigen::Index worst = 0;
  if (contact_residual_.size() == 0 || contact_residual_.cwiseAbs().maxCoeff(&worst) == 0.0) {
    return worst_joint();
  }
  for (const FaceContact& contact : system_.contacts()) {
    if (worst < contact.first_row + contact.rows()) {
      return fmt::format(" (largest residual at contact '{}')", contact.name());
    }
  }
  return {};
}

std::string Nsga::worst_joint() const {
  Eigen::Index worst = 0;
  if (joint_residual_.size() == 0 || joint_residual_.cwiseAbs().maxCoeff(&worst) == 0.0) return {};
  for (const Joint& joint : system_.joints()) {
    if (worst < joint.first_row + static_cast<Eigen::Index>(joint.rows().size())) {
      return fmt::format(" (largest residual at joint '{}')", joint.name());
    }
  }
  return {};
}

void Nsga::add_joint_tangents(KktMatrix& K, const VecX* force) const {
  Mat12 H;
  for (std::size_t j = 0; j < joint_G_.size(); ++j) {
    const Joint& joint = system_.joints()[j];
    Mat12 geometric = Mat12::Zero();
    const auto scale = joint_scale_.segment(joint.first_row, joint_G_[j].rows()).asDiagonal();
    KktMatrix::Rows rows = -(scale * joint_G_[j]);
    const KktMatrix::Columns columns = rows.transpose();
    if (force != nullptr) {
      for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        joint.rows()[static_cast<std::size_t>(i)].coordinate.hessian(q_, H);
        geometric -= (*force)[joint.first_row + i] * H;
      }
      to_increments(geometric, joint.a(), joint.b());
      to_increments(rows, joint.a(), joint.b());
    }
    K.add_joint(static_cast<int>(j), geometric, rows, columns);
  }
}

void Nsga::add_joint_reactions(const VecX& force, NodalVector& reaction) const {
  for (std::size_t j = 0; j < joint_G_.size(); ++j) {
    const Joint& joint = system_.joints()[j];
    const Vec12 pair = joint_G_[j].transpose() * force.segment(joint.first_row, joint_G_[j].rows());
    of_node(reaction, joint.a()) += pair.head<6>();
    of_node(reaction, joint.b()) += pair.tail<6>();
  }
}

double Nsga::target_speed() const {
  double sum = 0.0;
  for (const Joint& joint : system_.joints()) {
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      sum += joint_scale_[joint.first_row + static_cast<Eigen::Index>(i)] *
             std::abs(joint.target_rate(joint.rows()[i]));
    }
  }
  return sum;
}

// ---- Position correction, 001 (8)
// -------------------------------------------------------------------

struct Nsga::PositionCorrection {
  static constexpr bool position_level = true;
  Nsga& s;
  VecX& rhs;

  bool may_close(const ContactWork& work) const { return work.candidate; }
  ContactLaw law(const ContactWork& work) const {
    return {s.spec_.position_friction ? work.law.mu : 0.0, work.law.penalty};
  }
  VecX& contact_multipliers() { return s.nu_contact_; }
  void reset() {
    s.U_.setZero();
    s.nu_.setZero();
    s.nu_contact_.setZero();
  }

  Residual evaluate() {
    System& system = s.system_;
    const double h2 = s.h_ * s.h_;
    s.total_ = s.delta_ + s.U_;
    retract(system.nodes(), s.q_n_, s.total_, s.q_);
    s.evaluate_joint_rows(s.q_);
    s.evaluate_contact_rows(s.q_);

    const double size = s.span_;  // of the numbers that a gap is the difference of
    double rows = 0.0, merit = 0.0;
    for (const Joint& joint : system.joints()) {
      for (std::size_t i = 0; i < joint.rows().size(); ++i) {
        const auto row = joint.first_row + static_cast<Eigen::Index>(i);
        const JointRow& condition = joint.rows()[i];
        const double misfit = joint.misfit(condition, s.q_);
        s.joint_residual_[row] = -s.joint_scale_[row] * misfit;
        s.allowed_joint_[row] =
            s.joint_scale_[row] * round_off * (condition.coordinate.is_length() ? size : 1.0);
        merit += s.joint_residual_[row] * s.joint_residual_[row];
      }
    }
    for (std::size_t c = 0; c < s.contact_work_.size(); ++c) {
      ContactWork& work = s.contact_work_[c];
      const FaceContact& contact = system.contacts()[c];
      for (int i = 0; i < contact.rows(); ++i) {
        work.ghat[i] =
            work.scale[i] * (contact.coordinate(i).value(s.q_) - s.contact_states_[c].anchor[i]);
        s.allowed_contact_[contact.first_row + i] = work.scale[i] * round_off * size;
      }
    }
    s.evaluate_contacts(*this, s.nu_contact_);
    merit += s.contact_residual_.squaredNorm();

    // M U = h^2 (f - f_s + (G - G_s)^T la) + G^T nu + W^T phi
    s.joint_total_ = h2 * s.la_ + s.joint_scale_.cwiseProduct(s.nu_);
    s.reaction_.setZero();
    s.add_joint_reactions(s.joint_total_, s.reaction_);
    s.reaction_ -= h2 * s.reaction_smooth_;
    s.add_contact_reactions(s.reaction_);
    system.forces(s.q_, s.vs_, s.f_);
    s.f_ -= s.f_smooth_;
    system.apply_mass(s.U_, s.momentum_);
    s.residual_ = s.momentum_ - h2 * s.f_ - s.reaction_;

    const double terms = system.weighted_norm(s.momentum_) + h2 * system.weighted_norm(s.f_) +
                         system.weighted_norm(s.reaction_);
    const double momentum = system.weighted_norm(s.residual_);
    const double relative = s.spec_.tolerance * terms;
    for (Eigen::Index i = 0; i < s.joint_residual_.size(); ++i) {
      rows = std::max(rows, ratio(std::abs(s.joint_residual_[i]), s.allowed_joint_[i] + relative));
    }
    for (Eigen::Index i = 0; i < s.contact_residual_.size(); ++i) {
      rows =
          std::max(rows, ratio(std::abs(s.contact_residual_[i]), s.allowed_contact_[i] + relative));
    }
    Residual r;
    r.momentum =
        ratio(momentum, relative + round_off * (h2 * s.smooth_terms() + s.mass_root_ * size));
    r.rows = rows;
    r.merit = std::sqrt(merit + momentum * momentum);
    return r;
  }

  void assemble(KktMatrix& K) {
    assemble_smooth(K);
    s.add_contact_tangents(K, true);
  }
  void assemble_free(KktMatrix& K) {
    assemble_smooth(K);
    s.add_open_contacts(K);
  }
  void assemble_smooth(KktMatrix& K) {
    s.evaluate_tangents(s.total_);
    s.add_node_tangents(K, s.q_, s.vs_, 1.0, 0.0, s.h_ * s.h_);
    s.add_joint_tangents(K, &s.joint_total_);
  }

  void fill_right_side(KktMatrix& K, VecX& x) { s.fill_right_side(K, x); }

  void move(KktMatrix& K, const VecX& x, double factor) {
    K.scatter(x, factor, s.U_);
    s.nu_ += factor * x.segment(K.joint_multiplier(0), s.nu_.size());
    s.nu_contact_ += factor * x.segment(K.contact_multiplier(0), s.nu_contact_.size());
  }

  std::string culprit() const { return s.worst_contact(); }
};

// ---- Velocity jump, 001 (13)
// ------------------------------------------------------------------------

struct Nsga::VelocityJump {
  static constexpr bool position_level = false;
  Nsga& s;
  VecX& rhs;

  bool may_close(const ContactWork& work) const { return work.closed; }
  ContactLaw law(const ContactWork& work) const { return work.law; }
  VecX& contact_multipliers() { return s.la_contact_; }
  void reset() {
    s.W_.setZero();
    s.joint_impulse_hat_.setZero();
    s.la_contact_.setZero();
  }

  Residual evaluate() {
    System& system = s.system_;
    const double h = s.h_;
    s.v_ = s.vs_ + s.W_;
    double merit = 0.0;
    for (std::size_t j = 0; j < s.joint_G_.size(); ++j) {
      const Joint& joint = system.joints()[j];
      const Vec12 pair = of_pair(s.v_, joint.a(), joint.b());
      for (Eigen::Index i = 0; i < s.joint_G_[j].rows(); ++i) {
        const double rate = s.joint_G_[j].row(i).dot(pair) -
                            joint.target_rate(joint.rows()[static_cast<std::size_t>(i)]);
        double& row = s.joint_residual_[joint.first_row + i];
        row = -s.joint_scale_[joint.first_row + i] * rate;
        merit += row * row;
      }
    }
    for (std::size_t c = 0; c < s.contact_work_.size(); ++c) {
      ContactWork& work = s.contact_work_[c];
      const FaceContact& contact = system.contacts()[c];
      const RowVector rate = work.G * of_pair(s.v_, contact.a(), contact.b());
      const RowVector& before = s.contact_states_[c].rate;
      for (int i = 0; i < contact.rows(); ++i) {
        const double e =
            s.bounce_ * (i == 0 ? contact.restitution() : contact.tangential_restitution());
        work.ghat[i] = work.scale[i] * (rate[i] + e * before[i]);
      }
    }
    s.evaluate_contacts(*this, s.la_contact_);
    merit += s.contact_residual_.squaredNorm();

    // M W = h (f - f_s + (G - G_s)^T la) + G^T La + W^T phi
    s.joint_total_ = h * s.la_ + s.joint_scale_.cwiseProduct(s.joint_impulse_hat_);
    s.reaction_.setZero();
    s.add_joint_reactions(s.joint_total_, s.reaction_);
    s.reaction_ -= h * s.reaction_smooth_;
    s.add_contact_reactions(s.reaction_);
    system.forces(s.q_, s.v_, s.f_);
    s.f_ -= s.f_smooth_;
    system.apply_mass(s.W_, s.momentum_);
    s.residual_ = s.momentum_ - h * s.f_ - s.reaction_;

    const double momentum = system.weighted_norm(s.residual_);
    const double relative =
        s.spec_.tolerance * (system.weighted_norm(s.momentum_) + h * system.weighted_norm(s.f_) +
                             system.weighted_norm(s.reaction_));
    const double speed =
        round_off * (system.kinetic_norm(s.vs_) + system.kinetic_norm(s.v_) + s.target_speed());
    Residual r;
    r.momentum = ratio(momentum, relative + speed + round_off * h * s.smooth_terms());
    r.rows = ratio(std::sqrt(merit), relative + speed);
    r.merit = std::sqrt(merit + momentum * momentum);
    return r;
  }

  void assemble(KktMatrix& K) {
    assemble_smooth(K);
    s.add_contact_tangents(K, false);
  }
  void assemble_free(KktMatrix& K) {
    assemble_smooth(K);
    s.add_open_contacts(K);
  }
  void assemble_smooth(KktMatrix& K) {
    s.add_node_tangents(K, s.q_, s.v_, 1.0, s.h_, 0.0);
    s.add_joint_tangents(K, nullptr);
  }

  void fill_right_side(KktMatrix& K, VecX& x) { s.fill_right_side(K, x); }

  void move(KktMatrix& K, const VecX& x, double factor) {
    K.scatter(x, factor, s.W_);
    s.joint_impulse_hat_ += factor * x.segment(K.joint_multiplier(0), s.joint_impulse_hat_.size());
    s.la_contact_ += factor * x.segment(K.contact_multiplier(0), s.la_contact_.size());
  }

  std::string culprit() const { return s.worst_contact(); }
};

void Nsga::fill_right_side(KktMatrix& K, VecX& x) const {
  K.gather(residual_, x);
  x.head(system_.dofs()) *= -1.0;
  x.segment(K.joint_multiplier(0), joint_residual_.size()) = -joint_residual_;
  x.segment(K.contact_multiplier(0), contact_residual_.size()) = -contact_residual_;
}

// ---- The step
// -----------------------------------------------------------------------------------------

bool Nsga::advance(double t, double h) {
  la_n_ = la_;
  const bool done = try_step(t, h);
  if (!done) la_ = la_n_;
  return done;
}

bool Nsga::try_step(double t, double h) {
  counts_ = {};
  system_.set_time(t + h, h / 16.0);
  begin_step(h);

  auto clock = std::chrono::steady_clock::now();
  predict();
  SmoothMotion smooth{*this, rhs_smooth_};
  if (!solve(smooth, smooth_K_, eps_smooth_, counts_.smooth, "smooth motion")) return false;
  choose_candidates();
  smooth_time += seconds_since(clock);

  clock = std::chrono::steady_clock::now();
  PositionCorrection position{*this, rhs_contact_};
  if (!solve_contacts(position, eps_position_, counts_.position, "position")) return false;
  close_contacts();
  position_time += seconds_since(clock);

  clock = std::chrono::steady_clock::now();
  VelocityJump velocity{*this, rhs_contact_};
  bounce_ = 1.0;
  if (!solve_contacts(velocity, eps_velocity_, counts_.velocity, "velocity")) {
    // Contacts that jam each other can demand rebounds that no motion of the bodies gives: Newton's
    // law has no solution then. Without rebound it always has one.
    bounce_ = 0.0;
    velocity.reset();
    if (!solve_contacts(velocity, eps_velocity_, counts_.velocity, "velocity")) return false;
    ++counts_.plastic;
  }
  velocity_time += seconds_since(clock);

  accept();
  return true;
}

void Nsga::begin_step(double h) {
  h_ = h;
  span_ = system_.length();
  for (const NodeState& state : q_n_) span_ = std::max(span_, state.x.norm());
  mass_root_ = std::sqrt(system_.total_mass());

  // Scaling by the inverse Delassus diagonal (2.3 of 000): rows of one size, whatever masses and
  // units.
  evaluate_joint_rows(q_n_);
  for (std::size_t j = 0; j < joint_G_.size(); ++j) {
    const Joint& joint = system_.joints()[j];
    for (Eigen::Index i = 0; i < joint_G_[j].rows(); ++i) {
      const Vec12 g = joint_G_[j].row(i);
      joint_scale_[joint.first_row + i] =
          1.0 / std::sqrt(system_.delassus(g, joint.a(), joint.b()));
    }
  }
  evaluate_contact_rows(q_n_);
  scale_contacts(spec_.scaling, spec_.penalty);
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    ContactWork& work = contact_work_[c];
    work.candidate = work.closed = work.stuck = false;
    // A contact that stuck is held to where it began to stick, so that round-off does not add up.
    ContactState& state = contact_states_[c];
    if (state.stuck) continue;
    for (int i = 1; i < system_.contacts()[c].rows(); ++i) {
      state.anchor[i] = system_.contacts()[c].coordinate(i).value(q_n_);
    }
  }
  U_.setZero();
  W_.setZero();
  nu_.setZero();
  joint_impulse_hat_.setZero();
  nu_contact_.setZero();
  la_contact_.setZero();
}

void Nsga::scale_contacts(Scaling scaling, double penalty) {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    ContactWork& work = contact_work_[c];
    const FaceContact& contact = system_.contacts()[c];
    const auto inverse_mass = [&](int row) {
      if (scaling == Scaling::characteristic_mass) return 1.0 / mbar_;
      return system_.delassus(work.G.row(row).transpose(), contact.a(), contact.b());
    };
    work.scale[0] = 1.0 / std::sqrt(inverse_mass(0));
    // One scale for all directions of slip keeps the friction disc round.
    double tangential = 0.0;
    for (int i = 1; i < contact.rows(); ++i) tangential += inverse_mass(i);
    for (int i = 1; i < contact.rows(); ++i) {
      work.scale[i] = std::sqrt(contact.tangential_rows() / tangential);
    }
    work.law.penalty = penalty;
    work.law.mu = contact.rows() > 1 ? contact.friction() * work.scale[0] / work.scale[1] : 0.0;
  }
}

/// First guess: the smooth acceleration stays as it was. 001 (4)
void Nsga::predict() {
  vd_ = vd_n_;
  a_ = (c_.af * vd_n_ - c_.am * a_n_ + (1.0 - c_.af) * vd_) / (1.0 - c_.am);
  delta_ = h_ * v_n_ + h_ * h_ * ((0.5 - c_.beta) * a_n_ + c_.beta * a_);
  vs_ = v_n_ + h_ * ((1.0 - c_.gamma) * a_n_ + c_.gamma * a_);
}

void Nsga::choose_candidates() {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    contact_work_[c].candidate = armed_[c] != 0 && system_.contacts()[c].over_face(q_);
  }
}

void Nsga::close_contacts() {
  for (ContactWork& work : contact_work_) {
    work.closed = work.equations.status != ContactStatus::open;
    work.stuck = work.equations.status == ContactStatus::stick;
  }
}

void Nsga::accept() {
  a_ = (c_.af * vd_n_ - c_.am * a_n_ + (1.0 - c_.af) * vd_) / (1.0 - c_.am);
  a_n_ = a_;
  vd_n_ = vd_;
  v_n_ = v_;
  std::swap(q_n_, q_);
  joint_impulse_ = joint_scale_.cwiseProduct(joint_impulse_hat_);
  joint_error_ = joint_velocity_error_ = 0.0;
  for (const Joint& joint : system_.joints()) {
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      const auto row = joint.first_row + static_cast<Eigen::Index>(i);
      const JointRow& condition = joint.rows()[i];
      const double unit = condition.coordinate.is_length() ? system_.length() : 1.0;
      joint_error_ = std::max(joint_error_, std::abs(joint.misfit(condition, q_n_)) / unit);
      joint_velocity_error_ = std::max(joint_velocity_error_,
                                       std::abs(joint_residual_[row]) / joint_scale_[row] / unit);
    }
  }
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const FaceContact& contact = system_.contacts()[c];
    const ContactWork& work = contact_work_[c];
    ContactState& state = contact_states_[c];
    const bool was_closed = state.status != ContactStatus::open;
    state.status = work.equations.status;
    state.persistent = was_closed && state.status != ContactStatus::open;
    state.stuck = work.stuck;
    state.gap = contact.gap(q_n_);
    state.impulse = work.scale.cwiseProduct(work.equations.phi);
    state.rate_before = state.rate;
    state.rate = work.G * of_pair(v_n_, contact.a(), contact.b());
    if (contact.has_outline()) {
      // Behind the face and beside it: it must come out before it can touch again.
      const bool outside = state.gap >= -1e-10 * system_.length();
      if (outside) {
        armed_[c] = 1;
      } else if (!contact.over_face(q_n_)) {
        armed_[c] = 0;
      }
    }
  }
  system_.remember(q_n_);
}

void Nsga::save(Snapshot& s) const {
  s.q = q_n_;
  s.v = v_n_;
  s.a = a_n_;
  s.vd = vd_n_;
  s.la = la_;
  s.joint_impulse = joint_impulse_;
  s.contacts = contact_states_;
  s.armed = armed_;
}

void Nsga::restore(const Snapshot& s) {
  q_n_ = s.q;
  v_n_ = s.v;
  a_n_ = s.a;
  vd_n_ = s.vd;
  la_ = s.la;
  joint_impulse_ = s.joint_impulse;
  contact_states_ = s.contacts;
  armed_ = s.armed;
  evaluate_joint_rows(q_n_);
  system_.remember(q_n_);
}

// ---- The start
// ------------------------------------------------------------------------------------------

bool Nsga::assemble(Configuration& q, NodalVector& v) {
  counts_ = {};
  q_n_ = q;
  v_n_ = vs_ = v;
  delta_.setZero();
  la_.setZero();
  reaction_smooth_.setZero();
  f_smooth_.setZero();
  begin_step(0.0);
  int iterations = 0;
  PositionCorrection position{*this, rhs_contact_};
  if (!solve_contacts(position, eps_position_, iterations, "assembly")) return false;
  VelocityJump velocity{*this, rhs_contact_};
  if (!solve_contacts(velocity, eps_velocity_, iterations, "assembly of velocities")) return false;
  q = q_;
  v = v_;
  return true;
}

bool Nsga::start(const Configuration& q, const NodalVector& v, double t) {
  q_n_ = q_ = q;
  v_n_ = v;
  begin_step(0.0);
  // [M -G^T; -G 0] [vd; la] = [f; v.Hv - target''], scaled as everywhere.
  smooth_K_.set_zero();
  add_node_tangents(smooth_K_, q, v, 1.0, 0.0, 0.0);
  evaluate_joint_rows(q);
  add_joint_tangents(smooth_K_, nullptr);
  if (eps_smooth_ > 0.0) smooth_K_.regularise(eps_smooth_);
  bool factorised = smooth_K_.factorise(eps_smooth_ > 0.0);
  if (!factorised && eps_smooth_ == 0.0) {
    eps_smooth_ = regularisation;
    smooth_K_.regularise(eps_smooth_);
    factorised = smooth_K_.factorise(true);
  }
  if (!factorised) {
    failure_ = "the initial accelerations are not defined";
    return false;
  }
  system_.forces(q, v, f_);
  smooth_K_.gather(f_, rhs_smooth_);
  Mat12 H;
  for (const Joint& joint : system_.joints()) {
    const Vec12 pair = of_pair(v, joint.a(), joint.b());
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      const auto row = joint.first_row + static_cast<Eigen::Index>(i);
      const JointRow& condition = joint.rows()[i];
      condition.coordinate.hessian(q, H);
      const double wanted =
          condition.driven ? joint.target_acceleration(t, spec_.step / 16.0) : 0.0;
      rhs_smooth_[smooth_K_.joint_multiplier(static_cast<int>(row))] =
          joint_scale_[row] * (pair.dot(H * pair) - wanted);
    }
  }
  smooth_K_.solve(rhs_smooth_);
  vd_n_.setZero();
  smooth_K_.scatter(rhs_smooth_, 1.0, vd_n_);
  a_n_ = vd_n_;
  la_ = joint_scale_.cwiseProduct(
      rhs_smooth_.segment(smooth_K_.joint_multiplier(0), system_.joint_rows()));
  evaluate_contact_rows(q);
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const FaceContact& contact = system_.contacts()[c];
    ContactState& state = contact_states_[c];
    state.gap = contact.gap(q);
    state.rate = contact_work_[c].G * of_pair(v, contact.a(), contact.b());
    armed_[c] = static_cast<char>(state.gap >= -1e-10 * system_.length());
  }
  return true;
}

}  // namespace clatter
