#include <cmath>

#include <fmt/format.h>

#include <clatter/schemes/integrator_newton.hpp>

// Rows, reactions and tangents of all elements, as the subproblems of a step add them up.

namespace clatter {

void Integrator::evaluate_joint_rows(const Configuration& q) {
  Vec12 g;
  for (std::size_t j = 0; j < joint_G_.size(); ++j) {
    const Joint& joint = system_.joints()[j];
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      joint.rows()[i].row(q, g);
      joint_G_[j].row(static_cast<Eigen::Index>(i)) = g.transpose();
    }
  }
}

void Integrator::evaluate_contact_rows(const Configuration& q) {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    if (!contact_work_[c].near) continue;
    const Contact& contact = system_.contacts()[c];
    const ContactFrame frame = contact.frame(q, contact_states_[c].tangent);
    contact.rates(q, frame, contact_work_[c].G);
  }
}

double Integrator::evaluate_joint_rates(const NodalVector& v) {
  double sum = 0.0;
  for (std::size_t j = 0; j < joint_G_.size(); ++j) {
    const Joint& joint = system_.joints()[j];
    const Vec12 pair = of_pair(v, joint.a(), joint.b());
    for (Eigen::Index i = 0; i < joint_G_[j].rows(); ++i) {
      const double rate = joint_G_[j].row(i).dot(pair) -
                          joint.target_rate(joint.rows()[static_cast<std::size_t>(i)]);
      double& row = joint_residual_[joint.first_row + i];
      row = -joint_scale_[joint.first_row + i] * rate;
      sum += row * row;
    }
  }
  return sum;
}

void Integrator::evaluate_contact_rates(const NodalVector& v) {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    ContactWork& work = contact_work_[c];
    if (!work.near) continue;
    const Contact& contact = system_.contacts()[c];
    const RowVector rate = work.G * of_pair(v, contact.a(), contact.b());
    for (int i = 0; i < contact.rows(); ++i) {
      const double e = work.bounce * contact.restitution_of_row(i);
      work.ghat[i] = work.scale[i] * (rate[i] + e * work.rate_before[i]);
    }
  }
}

void Integrator::evaluate_position_rows(const Configuration& q) {
  evaluate_contact_rows(q);
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const Contact& contact = system_.contacts()[c];
    ContactWork& work = contact_work_[c];
    if (!work.near || contact.slides_by_coordinates()) continue;
    work.G.bottomRows(contact.rows() - 1) = work.start_rows.bottomRows(contact.rows() - 1);
  }
}

void Integrator::evaluate_tangents(const NodalVector& increment) {
  for (std::size_t n = 1; n < T_.size(); ++n) {
    if (system_.nodes()[n].rotates_in_space) {
      T_[n] = tangent_so3(of_node(increment, static_cast<int>(n)).tail<3>());
    }
  }
}

void Integrator::add_tangents(KktMatrix& K, const Configuration& q, const NodalVector& v,
                              const TangentFactors& factors) const {
  clatter::add_tangents(system_, q, v, factors, T_, K);
}

void Integrator::add_joint_reactions(const VecX& force, NodalVector& reaction) const {
  for (std::size_t j = 0; j < joint_G_.size(); ++j) {
    const Joint& joint = system_.joints()[j];
    const Vec12 pair = joint_G_[j].transpose() * force.segment(joint.first_row, joint_G_[j].rows());
    of_node(reaction, joint.a()) += pair.head<6>();
    of_node(reaction, joint.b()) += pair.tail<6>();
  }
}

void Integrator::add_joint_tangents(KktMatrix& K, const VecX* force) const {
  Mat12 H;
  for (std::size_t j = 0; j < joint_G_.size(); ++j) {
    const Joint& joint = system_.joints()[j];
    Mat12 geometric = Mat12::Zero();
    const auto scale = joint_scale_.segment(joint.first_row, joint_G_[j].rows()).asDiagonal();
    KktMatrix::Rows rows = -(scale * joint_G_[j]);
    const KktMatrix::Columns columns = rows.transpose();
    if (force != nullptr) {
      for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        joint.rows()[static_cast<std::size_t>(i)].row_derivative(q_, H);
        geometric -= (*force)[joint.first_row + i] * H;
        if (joint.rows()[static_cast<std::size_t>(i)].holds_position()) continue;
        rows.row(i).setZero();
        K.leave_out(joint.first_row + static_cast<int>(i));
      }
      to_increments(geometric, joint.a(), joint.b());
      to_increments(rows, joint.a(), joint.b());
    }
    K.add_joint(static_cast<int>(j), geometric, rows, columns);
  }
}

/// Rows at position level, whose slip may already be one of increments.
void Integrator::change_of_increments(const Contact& contact, KktMatrix::Rows& change) const {
  if (contact.slides_by_coordinates()) {
    to_increments(change, contact.a(), contact.b());
  } else {
    PairRows normal = change.topRows(1);
    to_increments(normal, contact.a(), contact.b());
    change.row(0) = normal;
  }
}

void Integrator::add_contact_reactions(NodalVector& reaction) const {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const ContactWork& work = contact_work_[c];
    if (work.equations.status == ContactStatus::open) continue;
    const Contact& contact = system_.contacts()[c];
    const Vec12 force = work.G.transpose() * work.scale.cwiseProduct(work.equations.phi);
    of_node(reaction, contact.a()) += force.head<6>();
    of_node(reaction, contact.b()) += force.tail<6>();
  }
}

void Integrator::add_contact_tangents(KktMatrix& K, bool position_level) const {
  Mat12 H, momentum;
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const ContactWork& work = contact_work_[c];
    const ContactEquations& e = work.equations;
    const Contact& contact = system_.contacts()[c];
    if (e.status == ContactStatus::open) {
      K.add_open_contact(static_cast<int>(c),
                         -KktMatrix::Multipliers::Identity(contact.rows(), contact.rows()));
      continue;
    }
    const KktMatrix::Rows scaled = work.scale.asDiagonal() * work.G;
    KktMatrix::Rows change = scaled;  // of the rows with the unknowns
    momentum.setZero();
    const bool curved = !contact.has_face() || turns(contact.a()) || turns(contact.b());
    if (position_level && curved) {
      contact.gap_hessian(q_, H);
      momentum -= work.scale[0] * e.phi[0] * H;
      if (contact.slides_by_coordinates()) {
        for (int i = 1; i < 1 + contact.slip_rows(); ++i) {
          contact.slip_coordinate(i).hessian(q_, H);
          momentum -= work.scale[i] * e.phi[i] * H;
        }
      }
      to_increments(momentum, contact.a(), contact.b());
      change_of_increments(contact, change);
    }
    momentum.noalias() -= scaled.transpose() * (e.dphi_dg * change);
    const KktMatrix::Rows rows = e.dresidual_dg * change;
    const KktMatrix::Columns columns = -scaled.transpose() * e.dphi_dla;
    K.add_contact(static_cast<int>(c), momentum, rows, columns, e.dresidual_dla);
  }
}

void Integrator::add_open_contacts(KktMatrix& K) const {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const int rows = system_.contacts()[c].rows();
    K.add_open_contact(static_cast<int>(c), -KktMatrix::Multipliers::Identity(rows, rows));
  }
}

void Integrator::fill_right_side(KktMatrix& K, VecX& x) const {
  K.gather(residual_, x);
  x.head(system_.dofs()) *= -1.0;
  x.segment(K.joint_multiplier(0), joint_residual_.size()) = -joint_residual_;
  x.segment(K.contact_multiplier(0), contact_residual_.size()) = -contact_residual_;
}

double Integrator::change_of_forces(bool moved, const NodalVector& v) {
  if (!moved) {
    f_.setZero();
    return smooth_numbers_;
  }
  const ForceSizes sizes = system_.forces(q_, v, f_);
  f_ -= f_smooth_;
  return sizes.numbers;
}

double Integrator::target_speed() const {
  double sum = 0.0;
  for (const Joint& joint : system_.joints()) {
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      sum += joint_scale_[joint.first_row + static_cast<Eigen::Index>(i)] *
             std::abs(joint.target_rate(joint.rows()[i]));
    }
  }
  return sum;
}

std::string Integrator::worst_contact() const {
  Eigen::Index worst = 0;
  if (contact_residual_.size() == 0 || contact_residual_.cwiseAbs().maxCoeff(&worst) == 0.0) {
    return worst_joint();
  }
  for (const Contact& contact : system_.contacts()) {
    if (worst < contact.first_row + contact.rows()) {
      return fmt::format(" (largest residual at contact '{}')", contact.name());
    }
  }
  return {};
}

std::string Integrator::worst_joint() const {
  Eigen::Index worst = 0;
  if (joint_residual_.size() == 0 || joint_residual_.cwiseAbs().maxCoeff(&worst) == 0.0) return {};
  for (const Joint& joint : system_.joints()) {
    if (worst < joint.first_row + static_cast<Eigen::Index>(joint.rows().size())) {
      return fmt::format(" (largest residual at joint '{}')", joint.name());
    }
  }
  return {};
}

}  // namespace clatter
