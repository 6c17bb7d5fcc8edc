#pragma once

// The step of NsgaCoupled, as Newton's method sees it. Internal to NsgaCoupled.

#include <clatter/schemes/integrator_newton.hpp>
#include <clatter/schemes/nsga_coupled.hpp>

namespace clatter {

/// All in units of velocity and momentum: equations of accelerations times h, those of positions
/// over h. 002 (127)-(142).
struct NsgaCoupled::Step {
  static constexpr bool is_predicted = true;
  static constexpr std::size_t A = 0, V = 1, P = 2;  // levels
  NsgaCoupled& s;
  VecX& rhs;
  bool given_contacts = false;  ///< forces and impulses of contacts are no unknowns

  Residual evaluate() {
    System& system = s.system_;
    const double h = s.h_, gamma = s.c_.gamma * s.ratio_, beta = s.c_.beta * s.ratio_;
    s.total_ = h * s.y_;
    retract(system.nodes(), s.q_n_, s.total_, s.q_);
    const ForceSizes sizes = system.forces(s.q_, s.v_, s.f_);
    s.smooth_numbers_ = sizes.numbers;
    s.W_ = s.v_ - s.v_before_ - gamma * s.ha_;
    s.Q_ = s.y_ - s.y_before_ - beta * s.ha_;

    s.evaluate_joint_rows(s.q_);
    s.evaluate_contact_rows(s.q_);
    // Squares of residuals of positions, and of velocities and accelerations.
    double of_positions = 0.0, of_motion = 0.0;
    evaluate_joints(of_positions, of_motion);
    for (std::size_t c = 0; c < s.work_.size(); ++c) s.evaluate_contact(c);
    if (!given_contacts) {
      of_motion +=
          s.contact_force_residual_.squaredNorm() + s.contact_impulse_residual_.squaredNorm();
      of_positions += s.contact_push_residual_.squaredNorm();
    }
    s.add_reactions();

    double all = h * sizes.terms, momentum = 0.0;
    const std::array<const NodalVector*, 3> moved{&s.ha_, &s.W_, &s.Q_};
    for (std::size_t level = 0; level < 3; ++level) {
      system.apply_mass(*moved[level], s.momentum_);
      s.momentum_residual_[level] = s.momentum_ - s.reactions_[level];
      all += system.weighted_norm(s.momentum_) + system.weighted_norm(s.reactions_[level]);
    }
    s.momentum_residual_[A] -= h * s.f_;
    for (const NodalVector& residual : s.momentum_residual_) {
      momentum = std::hypot(momentum, system.weighted_norm(residual));
    }
    const double speed = round_off * (system.kinetic_norm(s.v_) + system.kinetic_norm(s.y_) +
                                      s.target_speed() + h * sizes.numbers);
    const double allowed = s.spec_.tolerance * all + speed;
    const double of_numbers = round_off * s.mass_root_ * s.span_ / h;  // that gaps come from
    Residual r;
    r.momentum = ratio(momentum, allowed);
    r.rows = std::max(ratio(std::sqrt(of_motion), allowed),
                      ratio(std::sqrt(of_positions), allowed + of_numbers));
    r.merit = std::sqrt(of_motion + of_positions + momentum * momentum);
    return r;
  }

  void evaluate_joints(double& of_positions, double& of_motion) {
    const double h = s.h_;
    Mat12 H;
    for (std::size_t j = 0; j < s.joint_G_.size(); ++j) {
      const Joint& joint = s.system_.joints()[j];
      const Vec12 a = of_pair(s.ha_, joint.a(), joint.b()), v = of_pair(s.v_, joint.a(), joint.b());
      for (Eigen::Index i = 0; i < s.joint_G_[j].rows(); ++i) {
        const JointRow& condition = joint.rows()[static_cast<std::size_t>(i)];
        const Eigen::Index row = joint.first_row + i;
        const double scale = s.joint_scale_[row];
        condition.row_derivative(s.q_, H);
        const double wanted = s.target_acceleration(joint, condition);
        std::array<double, 3> off{s.joint_G_[j].row(i).dot(a) + h * (v.dot(H * v) - wanted),
                                  s.joint_G_[j].row(i).dot(v) - joint.target_rate(condition),
                                  joint.misfit(condition, s.q_) / h};
        if (!condition.holds_position()) off[P] = s.joint_multipliers_[P][row] / scale;
        for (std::size_t level = 0; level < 3; ++level) {
          s.joint_rows_residual_[level][row] = -scale * off[level];
          (level == P ? of_positions : of_motion) += scale * scale * off[level] * off[level];
        }
      }
    }
  }

  void assemble(CoupledMatrix& K) {
    const double h = s.h_, gamma = s.c_.gamma * s.ratio_, beta = s.c_.beta * s.ratio_;
    s.evaluate_tangents(s.total_);
    const auto add = [&](Level row, Level column, const TangentFactors& factors) {
      CoupledMatrix::Part part = K.part(row, column);
      clatter::add_tangents(s.system_, s.q_, s.v_, factors, s.T_, part);
    };
    add(Level::acceleration, Level::acceleration, {1.0, 0.0, 0.0});
    add(Level::acceleration, Level::velocity, {0.0, h, 0.0});
    add(Level::acceleration, Level::position, {0.0, 0.0, h * h});
    add(Level::velocity, Level::acceleration, {-gamma, 0.0, 0.0});
    add(Level::velocity, Level::velocity, {1.0, 0.0, 0.0});
    add(Level::position, Level::acceleration, {-beta, 0.0, 0.0});
    add(Level::position, Level::position, {1.0, 0.0, 0.0});
    assemble_joints(K);
    for (std::size_t c = 0; c < s.work_.size(); ++c) {
      if (given_contacts || s.work_[c].position.status == ContactStatus::open) {
        leave_contact(K, c);
      } else {
        add_contact_rows(K, c);
      }
      if (!s.contact_work_[c].near) continue;
      if (!given_contacts) add_contact_columns(K, c);
      add_contact_stiffness(K, c);
    }
  }

  void assemble_joints(CoupledMatrix& K) {
    const double h = s.h_;
    Mat12 H;
    for (std::size_t j = 0; j < s.joint_G_.size(); ++j) {
      const Joint& joint = s.system_.joints()[j];
      const CoupledMatrix::Pair& pair = K.joint(j);
      const Vec12 a = of_pair(s.ha_, joint.a(), joint.b()), v = of_pair(s.v_, joint.a(), joint.b());
      const Eigen::Index rows = s.joint_G_[j].rows();
      std::array<Mat12, 3> geometric;
      for (Mat12& block : geometric) block.setZero();
      PairRows by_velocity(rows, 12), by_position(rows, 12), bend(rows, 12);
      for (Eigen::Index i = 0; i < rows; ++i) {
        const Eigen::Index row = joint.first_row + i;
        joint.rows()[static_cast<std::size_t>(i)].row_derivative(s.q_, H);
        for (std::size_t level = 0; level < 3; ++level) {
          geometric[level] -= h * s.joint_scale_[row] * s.joint_multipliers_[level][row] * H;
        }
        if (!joint.rows()[static_cast<std::size_t>(i)].holds_position()) {
          geometric[P] -= 0.5 * h * s.joint_scale_[row] * s.joint_multipliers_[V][row] * H;
        }
        by_velocity.row(i) = h * (H * v + H.transpose() * v).transpose();
        by_position.row(i) = h * (H.transpose() * a).transpose();
        bend.row(i) = h * (H.transpose() * v).transpose();
      }
      PairRows G_of_increments = s.joint_G_[j];
      for (PairRows* block : {&by_position, &bend, &G_of_increments}) {
        s.to_increments(*block, joint.a(), joint.b());
      }
      const auto scale = s.joint_scale_.segment(joint.first_row, rows).asDiagonal();
      const PairRows G = -(scale * s.joint_G_[j]);
      const KktMatrix::Columns columns = G.transpose();
      for (const Level level : {Level::acceleration, Level::velocity, Level::position}) {
        Mat12& block = geometric[static_cast<std::size_t>(level)];
        s.to_increments(block, joint.a(), joint.b());
        K.add_momentum(pair, level, block);
        K.add_columns(pair, level, level, columns);
      }
      K.add_rows(pair, Level::acceleration, Level::acceleration, G);
      K.add_rows(pair, Level::acceleration, Level::velocity, -(scale * by_velocity));
      K.add_rows(pair, Level::acceleration, Level::position, -(scale * by_position));
      K.add_rows(pair, Level::velocity, Level::velocity, G);
      K.add_rows(pair, Level::velocity, Level::position, -(scale * bend));
      // Rows that hold no position stand alone there, and correct it by half an impulse.
      KktMatrix::Multipliers alone = KktMatrix::Multipliers::Zero(rows, rows);
      KktMatrix::Columns sideways = 0.5 * columns;
      for (Eigen::Index i = 0; i < rows; ++i) {
        if (joint.rows()[static_cast<std::size_t>(i)].holds_position()) {
          sideways.col(i).setZero();
        } else {
          alone(i, i) = -1.0;
          G_of_increments.row(i).setZero();
        }
      }
      K.add_rows(pair, Level::position, Level::position, -(scale * G_of_increments));
      K.add_multipliers(pair, Level::position, Level::position, alone);
      K.add_columns(pair, Level::position, Level::velocity, sideways);
    }
  }

  /// Multipliers that stand alone.
  void leave_contact(CoupledMatrix& K, std::size_t c) {
    const CoupledMatrix::Pair& pair = K.contact(c);
    const Eigen::Index rows = s.system_.contacts()[c].rows();
    const KktMatrix::Multipliers one = -KktMatrix::Multipliers::Identity(rows, rows);
    K.add_multipliers(pair, Level::acceleration, Level::acceleration, one);
    K.add_multipliers(pair, Level::velocity, Level::velocity, one);
    K.add_multipliers(pair, Level::position, Level::position, one.topLeftCorner(1, 1));
  }

  /// -d(forces)/d(positions) at the three levels, for increments over h.
  void add_contact_stiffness(CoupledMatrix& K, std::size_t c) {
    const CoupledContact& work = s.work_[c];
    const ContactWork& base = s.contact_work_[c];
    const Contact& contact = s.system_.contacts()[c];
    Mat12 block;
    const auto add = [&](Level level, const RowVector& scaled) {
      if (scaled.isZero(0.0)) return;
      const RowVector reaction = -s.h_ * base.scale.cwiseProduct(scaled);
      contact.force_derivative(s.q_, work.frame, work.derivative, reaction, block);
      s.to_increments(block, contact.a(), contact.b());
      K.add_momentum(K.contact(c), level, block);
    };
    add(Level::acceleration, work.force);
    add(Level::velocity, work.percussion);
    RowVector correction = 0.5 * work.percussion;
    correction[0] = work.correction;
    add(Level::position, correction);
  }

  void add_contact_rows(CoupledMatrix& K, std::size_t c) {
    const CoupledContact& work = s.work_[c];
    const ContactWork& base = s.contact_work_[c];
    const Contact& contact = s.system_.contacts()[c];
    const CoupledMatrix::Pair& pair = K.contact(c);
    const double h = s.h_;
    const Eigen::Index rows = contact.rows();
    const Vec12 a = of_pair(s.ha_, contact.a(), contact.b()),
                v = of_pair(s.v_, contact.a(), contact.b());
    const auto scale = base.scale.asDiagonal();
    const PairRows G = scale * base.G;
    PairRows bend, bend_a;  // d(rows v)/dq, d(rows h a)/dq
    contact.rates_derivative(s.q_, work.frame, work.derivative, v, bend);
    contact.rates_derivative(s.q_, work.frame, work.derivative, a, bend_a);
    PairRows xi_by_position = bend;
    const Vec12 v_start = of_pair(s.v_n_, contact.a(), contact.b());
    if (has_restitution(contact)) {
      PairRows of_start;
      contact.rates_derivative(s.q_, work.frame, work.derivative, v_start, of_start);
      for (int i = 0; i < rows; ++i) {
        xi_by_position.row(i) += base.bounce * contact.restitution_of_row(i) * of_start.row(i);
      }
    }
    const PairRows acceleration_by_velocity = h * (scale * (work.turning + bend));
    PairRows rate_by_position = h * (scale * bend), acceleration_by_position = h * (scale * bend_a);
    xi_by_position = (h * (scale * xi_by_position)).eval();
    PairRows normal = G.topRows(1);
    for (PairRows* block :
         {&rate_by_position, &acceleration_by_position, &xi_by_position, &normal}) {
      s.to_increments(*block, contact.a(), contact.b());
    }

    const ContactEquations &x = work.position, &p = work.velocity, &f = work.forces;
    K.add_rows(pair, Level::position, Level::position, x.dresidual_dg(0, 0) * normal);
    K.add_multipliers(pair, Level::position, Level::position, x.dresidual_dla);
    K.add_rows(pair, Level::velocity, Level::velocity, p.dresidual_dg * G);
    K.add_rows(pair, Level::velocity, Level::position, p.dresidual_dg * xi_by_position);
    K.add_multipliers(pair, Level::velocity, Level::velocity, p.dresidual_dla);
    K.add_rows(pair, Level::acceleration, Level::acceleration, f.dresidual_dg * G);
    K.add_rows(pair, Level::acceleration, Level::velocity,
               f.dresidual_dg * acceleration_by_velocity + work.dforces_drate * G);
    K.add_rows(pair, Level::acceleration, Level::position,
               f.dresidual_dg * acceleration_by_position + work.dforces_drate * rate_by_position);
    K.add_multipliers(pair, Level::acceleration, Level::acceleration, f.dresidual_dla);
  }

  /// What the multipliers do to the momentum of the three levels.
  void add_contact_columns(CoupledMatrix& K, std::size_t c) {
    const double gamma = s.c_.gamma * s.ratio_, beta = s.c_.beta * s.ratio_;
    const ContactWork& base = s.contact_work_[c];
    const CoupledMatrix::Pair& pair = K.contact(c);
    const KktMatrix::Columns columns = -(base.scale.asDiagonal() * base.G).transpose();
    KktMatrix::Columns sideways = 0.5 * columns;  // friction corrects positions by half an impulse
    sideways.col(0).setZero();
    K.add_columns(pair, Level::acceleration, Level::acceleration, columns);
    K.add_columns(pair, Level::velocity, Level::velocity, columns);
    K.add_columns(pair, Level::velocity, Level::acceleration, -gamma * columns);
    K.add_columns(pair, Level::position, Level::position, columns.leftCols(1));
    K.add_columns(pair, Level::position, Level::velocity, sideways);
    KktMatrix::Columns by_force = -gamma * sideways;
    by_force.col(0) = -beta * columns.col(0);
    K.add_columns(pair, Level::position, Level::acceleration, by_force);
  }

  static bool has_restitution(const Contact& contact) {
    for (int i = 0; i < contact.rows(); ++i) {
      if (contact.restitution_of_row(i) != 0.0) return true;
    }
    return false;
  }

  void fill_right_side(CoupledMatrix& K, VecX& x) {
    constexpr std::array levels{Level::acceleration, Level::velocity, Level::position};
    for (const Level level : levels) {
      const auto i = static_cast<std::size_t>(level);
      K.gather(s.momentum_residual_[i], level, x);
      x.segment(K.joint_multiplier(level), s.system_.joint_rows()) = s.joint_rows_residual_[i];
    }
    x.segment(K.contact_multiplier(Level::acceleration), s.contact_force_residual_.size()) =
        s.contact_force_residual_;
    x.segment(K.contact_multiplier(Level::velocity), s.contact_impulse_residual_.size()) =
        s.contact_impulse_residual_;
    x.segment(K.contact_multiplier(Level::position), s.contact_push_residual_.size()) =
        s.contact_push_residual_;
    if (given_contacts) x.tail(x.size() - K.contact_multiplier(Level::acceleration)).setZero();
    x *= -1.0;
  }

  void move(CoupledMatrix& K, const VecX& x, double factor) {
    K.scatter(x, factor, Level::acceleration, s.ha_);
    K.scatter(x, factor, Level::velocity, s.v_);
    K.scatter(x, factor, Level::position, s.y_);
    for (const Level level : {Level::acceleration, Level::velocity, Level::position}) {
      s.joint_multipliers_[static_cast<std::size_t>(level)] +=
          factor * x.segment(K.joint_multiplier(level), s.system_.joint_rows());
    }
    if (given_contacts) return;
    const int force = K.contact_multiplier(Level::acceleration),
              impulse = K.contact_multiplier(Level::velocity),
              push = K.contact_multiplier(Level::position);
    for (std::size_t c = 0; c < s.work_.size(); ++c) {
      const Contact& contact = s.system_.contacts()[c];
      CoupledContact& work = s.work_[c];
      work.force += factor * x.segment(force + contact.first_row, contact.rows());
      work.impulse += factor * x.segment(impulse + contact.first_row, contact.rows());
      work.push += factor * x[push + static_cast<int>(c)];
    }
  }

  std::string culprit() const { return s.worst_contact(); }
};

}  // namespace clatter
