#include <clatter/machine/tangents.hpp>
#include <clatter/schemes/nsga_coupled/coupled_step.hpp>

// The derivative of the coupled step, exact but for d(v . dW/dt)/dq.

namespace clatter {

template <class Block>
void CoupledStep::increments(Block& block, int a, int b) const {
  to_increments(block, w_.machine.nodes(), a, b, w_.T);
}

template <class Block>
void CoupledStep::increments(Block& block, const Contact& contact) const {
  if constexpr (Block::ColsAtCompileTime == 24) {
    to_increments(block, w_.machine.nodes(), contact.nodes(), w_.T);
  } else {
    increments(block, contact.a(), contact.b());
  }
}

template <int Size>
KktMatrix::RowsOver<Size> CoupledStep::rows_of(std::size_t c) const {
  if constexpr (Size == 24) {
    return w_.contacts.all_rows(c);
  } else {
    return w_.contacts.work[c].G;
  }
}

template <int Size>
KktMatrix::RowsOver<Size> CoupledStep::turning_of(std::size_t c) const {
  if constexpr (Size == 24) {
    return chords_[c].turning;
  } else {
    return contacts_[c].turning;
  }
}

template <int Size>
KktMatrix::RowsOver<Size> CoupledStep::bend_of(std::size_t c, const NodalVector& motion) const {
  const Contact& contact = w_.contacts.contact(c);
  const ContactFrame& frame = contacts_[c].frame;
  KktMatrix::RowsOver<Size> bend;
  if constexpr (Size == 24) {
    contact.rates_derivative(w_.q, frame, chords_[c].derivative,
                             of_nodes<Vec24>(motion, contact.nodes()), bend);
  } else {
    contact.rates_derivative(w_.q, frame, contacts_[c].derivative,
                             of_pair(motion, contact.a(), contact.b()), bend);
  }
  return bend;
}

void CoupledStep::assemble(CoupledMatrix& K) {
  const double h = w_.h, gamma = c_.gamma * ratio_, beta = c_.beta * ratio_;
  w_.find_tangents(w_.total);
  const auto add = [&](Level row, Level column, const TangentFactors& factors) {
    CoupledMatrix::Part part = K.part(row, column);
    add_tangents(w_.machine, w_.q, w_.v, w_.instant, factors, w_.T, part);
  };
  add(Level::acceleration, Level::acceleration, {1.0, 0.0, 0.0});
  add(Level::acceleration, Level::velocity, {0.0, h, 0.0});
  add(Level::acceleration, Level::position, {0.0, 0.0, h * h});
  add(Level::velocity, Level::acceleration, {-gamma, 0.0, 0.0});
  add(Level::velocity, Level::velocity, {1.0, 0.0, 0.0});
  add(Level::position, Level::acceleration, {-beta, 0.0, 0.0});
  add(Level::position, Level::position, {1.0, 0.0, 0.0});
  for (std::size_t j = 0; j < w_.joints.count(); ++j) assemble_joint(K, j);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (!K.has_contact(c)) continue;
    if (w_.contacts.contact(c).has_chord()) {
      add_contact<24>(K, c);
    } else {
      add_contact<12>(K, c);
    }
  }
}

template <int Size>
void CoupledStep::add_contact(CoupledMatrix& K, std::size_t c) {
  if (contacts_[c].position.status == ContactStatus::open) {
    leave_contact(K, c);
  } else {
    add_contact_rows<Size>(K, c);
  }
  if (!w_.contacts.work[c].near) return;
  add_contact_columns<Size>(K, c);
  add_contact_stiffness<Size>(K, c);
}

void CoupledStep::assemble_joint(CoupledMatrix& K, std::size_t j) {
  const double h = w_.h;
  Mat12 H;
  const Joint& joint = w_.joints.joint(j);
  const CoupledMatrix::Pair& pair = K.joint(j);
  const Vec12 a = of_pair(ha_, joint.a(), joint.b()), v = of_pair(w_.v, joint.a(), joint.b());
  const Eigen::Index rows = w_.joints.rows(j).rows();
  std::array<Mat12, 3> geometric;
  for (Mat12& block : geometric) block.setZero();
  PairRows by_velocity(rows, 12), by_position(rows, 12), bend(rows, 12);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const Eigen::Index row = joint.first_row + i;
    joint.rows()[static_cast<std::size_t>(i)].row_derivative(w_.q, H);
    for (std::size_t level = 0; level < 3; ++level) {
      geometric[level] -= h * w_.joints.scale()[row] * joint_multipliers_[level][row] * H;
    }
    if (!joint.rows()[static_cast<std::size_t>(i)].holds_position()) {
      geometric[P] -= 0.5 * h * w_.joints.scale()[row] * joint_multipliers_[V][row] * H;
    }
    by_velocity.row(i) = h * (H * v + H.transpose() * v).transpose();
    by_position.row(i) = h * (H.transpose() * a).transpose();
    bend.row(i) = h * (H.transpose() * v).transpose();
  }
  PairRows G_of_increments = w_.joints.rows(j);
  for (PairRows* block : {&by_position, &bend, &G_of_increments}) {
    increments(*block, joint.a(), joint.b());
  }
  const auto scale = w_.joints.scale().segment(joint.first_row, rows).asDiagonal();
  const PairRows G = -(scale * w_.joints.rows(j));
  const KktMatrix::Columns columns = G.transpose();
  for (const Level level : {Level::acceleration, Level::velocity, Level::position}) {
    Mat12& block = geometric[static_cast<std::size_t>(level)];
    increments(block, joint.a(), joint.b());
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

/// Multipliers that stand alone.
void CoupledStep::leave_contact(CoupledMatrix& K, std::size_t c) {
  const CoupledMatrix::Pair& pair = K.contact(c);
  const Eigen::Index rows = w_.contacts.contact(c).rows();
  const KktMatrix::Multipliers one = -KktMatrix::Multipliers::Identity(rows, rows);
  K.add_multipliers(pair, Level::acceleration, Level::acceleration, one);
  K.add_multipliers(pair, Level::velocity, Level::velocity, one);
  K.add_multipliers(pair, Level::position, Level::position, one.topLeftCorner(1, 1));
}

/// -d(forces)/d(positions) at the three levels, for increments over h.
template <int Size>
void CoupledStep::add_contact_stiffness(CoupledMatrix& K, std::size_t c) {
  const CoupledContact& work = contacts_[c];
  const ContactWork& base = w_.contacts.work[c];
  const Contact& contact = w_.contacts.contact(c);
  Eigen::Matrix<double, Size, Size> block;
  const auto add = [&](Level level, const RowVector& scaled) {
    if (scaled.isZero(0.0)) return;
    const RowVector reaction = -w_.h * base.scale.cwiseProduct(scaled);
    if constexpr (Size == 24) {
      contact.force_derivative(w_.q, work.frame, chords_[c].derivative, reaction, block);
    } else {
      contact.force_derivative(w_.q, work.frame, work.derivative, reaction, block);
    }
    increments(block, contact);
    K.add_momentum<Size>(K.contact(c), level, block);
  };
  add(Level::acceleration, work.force);
  add(Level::velocity, work.percussion);
  add(Level::position, work.correction);
}

template <int Size>
void CoupledStep::add_contact_rows(CoupledMatrix& K, std::size_t c) {
  const CoupledContact& work = contacts_[c];
  const ContactWork& base = w_.contacts.work[c];
  const Contact& contact = w_.contacts.contact(c);
  const CoupledMatrix::Pair& pair = K.contact(c);
  const double h = w_.h;
  const Eigen::Index rows = contact.rows();
  using Rows = KktMatrix::RowsOver<Size>;
  const auto scale = base.scale.asDiagonal();
  const Rows G = scale * rows_of<Size>(c);
  const Rows bend = bend_of<Size>(c, w_.v), bend_a = bend_of<Size>(c, ha_);
  Rows xi_by_position = bend;
  if (contact.has_restitution()) {
    const Rows of_start = bend_of<Size>(c, w_.state->v);
    for (int i = 0; i < rows; ++i) {
      const Rebound rebound = rebound_of_row(c, i);
      if (rebound.follows) xi_by_position.row(i) += rebound.coefficient * of_start.row(i);
    }
  }
  const Rows acceleration_by_velocity = h * (scale * (turning_of<Size>(c) + bend));
  Rows acceleration_by_position = h * (scale * bend_a);
  xi_by_position = (h * (scale * xi_by_position)).eval();
  Rows normal = G.topRows(1);
  for (Rows* block : {&acceleration_by_position, &xi_by_position, &normal}) {
    increments(*block, contact);
  }

  const ContactEquations &x = work.position, &p = work.velocity, &f = work.forces;
  const RowMatrix by_rate = -base.law.penalty * work.dforces_dxi;
  K.add_rows<Size>(pair, Level::position, Level::position, x.dresidual_dg(0, 0) * normal);
  K.add_multipliers(pair, Level::position, Level::position, x.dresidual_dla);
  K.add_rows<Size>(pair, Level::velocity, Level::velocity, p.dresidual_dg * G);
  K.add_rows<Size>(pair, Level::velocity, Level::position, p.dresidual_dg * xi_by_position);
  K.add_multipliers(pair, Level::velocity, Level::velocity, p.dresidual_dla);
  K.add_rows<Size>(pair, Level::acceleration, Level::acceleration, f.dresidual_dg * G);
  K.add_rows<Size>(pair, Level::acceleration, Level::velocity,
                   f.dresidual_dg * acceleration_by_velocity + by_rate * G);
  K.add_rows<Size>(pair, Level::acceleration, Level::position,
                   f.dresidual_dg * acceleration_by_position + by_rate * xi_by_position);
  K.add_multipliers(pair, Level::acceleration, Level::acceleration, f.dresidual_dla);
  K.add_multipliers(pair, Level::acceleration, Level::velocity, work.dforces_dxi);
}

/// What the multipliers do to the momentum of the three levels.
template <int Size>
void CoupledStep::add_contact_columns(CoupledMatrix& K, std::size_t c) {
  const double gamma = c_.gamma * ratio_, beta = c_.beta * ratio_;
  const ContactWork& base = w_.contacts.work[c];
  const CoupledMatrix::Pair& pair = K.contact(c);
  using Columns = KktMatrix::ColumnsOver<Size>;
  const Columns columns = -(base.scale.asDiagonal() * rows_of<Size>(c)).transpose();
  const bool open = contacts_[c].velocity.status == ContactStatus::open;
  Columns sideways =
      (open ? 0.0 : 0.5) * columns;  // friction corrects positions by half an impulse
  sideways.col(0).setZero();
  K.add_columns<Size>(pair, Level::acceleration, Level::acceleration, columns);
  K.add_columns<Size>(pair, Level::velocity, Level::velocity, columns);
  K.add_columns<Size>(pair, Level::velocity, Level::acceleration, -gamma * columns);
  K.add_columns<Size>(pair, Level::position, Level::position, columns.leftCols(1));
  K.add_columns<Size>(pair, Level::position, Level::velocity, sideways);
  Columns by_force = -beta * columns;
  if (!open)
    by_force.rightCols(columns.cols() - 1) = -gamma * sideways.rightCols(columns.cols() - 1);
  K.add_columns<Size>(pair, Level::position, Level::acceleration, by_force);
}

}  // namespace clatter
