#include <algorithm>
#include <cmath>

#include <clatter/contact/geometry/frame_between.hpp>
#include <clatter/machine/tangents.hpp>
#include <clatter/schemes/compliant_contacts.hpp>

namespace clatter {
void CompliantContacts::resize() {
  pressed_.resize(set_.compliant().size());
  for (std::size_t c = 0; c < pressed_.size(); ++c) {
    Pressed& p = pressed_[c];
    const int rows = set_.contact(c).rows();
    if (p.force.size() == rows) continue;
    for (RowVector* x : {&p.rate, &p.force, &p.over_normal, &p.force_at_start, &p.power_at_start}) {
      x->setZero(rows);
    }
    p.by_rate.setZero(rows, rows);
    p.G.setZero(rows, 12);
  }
}

/// At which the surfaces meet on the way to where they are predicted: of a parabola through the gap
/// now, its rate and the gap then.
double CompliantContacts::meeting_speed(std::size_t c, const State& state,
                                        const Configuration& next, double h) const {
  const double rate = set_.normal_rate(c, state.v), gap = std::max(0.0, state.contacts[c].gap);
  if (h == 0.0) return std::max(0.0, -rate);
  const double way = h * rate, bend = set_.contact(c).gap(next) - gap - way;
  return std::sqrt(std::max(0.0, way * way - 4.0 * bend * gap)) / h;
}

void CompliantContacts::begin(const State& state, double h) {
  if (!machine_.is_compliant()) return;
  resize();
  if (set_.near_compliant().empty()) return;
  const Configuration& next = set_.predict(state, h);
  for (const std::size_t c : set_.near_compliant()) {
    Pressed& p = pressed_[c];
    const Contact& contact = set_.contact(c);
    const ContactState& of = state.contacts[c];
    if (of.damping >= 0.0) {
      p.damping = of.damping;
    } else {
      const double inverse_mass =
          machine_.delassus(set_.work[c].G.row(0).transpose(), contact.a(), contact.b());
      p.damping =
          contact.compliance()->damping(meeting_speed(c, state, next, h), 1.0 / inverse_mass);
    }
    evaluate(c, state, state.q, state.v);
    p.force_at_start = p.force;
    p.power_at_start = lost_power(p);
  }
}

void CompliantContacts::evaluate(std::size_t c, const State& state, const Configuration& q,
                                 const NodalVector& v) {
  Pressed& p = pressed_[c];
  const Contact& contact = set_.contact(c);
  const CompliantLaw& law = *contact.compliance();
  const double gap = contact.gap(q);
  p.is_closed = gap < 0.0 && contact.over_face(q);
  p.force.setZero();
  if (!p.is_closed) {
    p.normal = {};
    return;
  }
  p.frame = frame_between(contact, q, state.contacts[c].tangent);
  contact.rates(q, p.frame, p.G);
  p.rate = p.G * of_pair(v, contact.a(), contact.b());
  p.normal = law.normal(-gap, -p.rate[0], p.damping);
  p.by_rate.setZero();
  const RowVector eased = p.rate / ease_;
  for (const FrictionBlock& block : contact.blocks()) {
    law.friction({block.first_row, block.rows, block.coefficient}, eased, p.over_normal, p.by_rate);
  }
  p.by_rate /= ease_;
  p.over_normal[0] = 1.0;
  p.force = p.normal.force * p.over_normal;
  p.by_rate *= p.normal.force;
  p.by_rate.col(0) -= p.normal.by_speed * p.over_normal;
}

RowVector CompliantContacts::lost_power(const Pressed& p) {
  if (!p.is_closed) return RowVector::Zero(p.force.size());
  RowVector lost = -p.force.cwiseProduct(p.rate);
  lost[0] += p.normal.spring * p.rate[0];
  return lost;
}

double CompliantContacts::add_forces(const State& state, const Configuration& q,
                                     const NodalVector& v, double span, NodalVector& f,
                                     VecX& terms) {
  double numbers = 0.0;
  for (const std::size_t c : set_.near_compliant()) {
    evaluate(c, state, q, v);
    const Pressed& p = pressed_[c];
    if (!p.is_closed) continue;
    const Contact& contact = set_.contact(c);
    const Vec12 pair = p.G.transpose() * p.force;
    add_to_pair(f, contact.a(), contact.b(), pair);
    const auto weights = of_pair(machine_.weights(), contact.a(), contact.b());
    terms[std::max(contact.a(), contact.b())] += weights.cwiseProduct(pair).norm();
    const Vec12 along = p.G.row(0).transpose();
    numbers += 0.5 * span * p.normal.by_depth * weights.cwiseProduct(along).norm();
  }
  return numbers;
}

void CompliantContacts::add_tangents(const Configuration& q, const NodalVector& v,
                                     const TangentFactors& factors, std::span<const Mat3> T,
                                     KktMatrix& K) const {
  if (factors.damping == 0.0 && factors.stiffness == 0.0) return;
  for (const std::size_t c : set_.near_compliant()) {
    const Pressed& p = pressed_[c];
    if (!p.is_closed) continue;
    const Contact& contact = set_.contact(c);
    const PairRows& G = p.G;
    Mat12 block = -factors.damping * G.transpose() * p.by_rate * G;
    if (factors.stiffness != 0.0) {
      const FrameDerivative d = derivative_between(contact, q, p.frame);
      PairRows change(contact.rows(), 12);
      contact.rates_derivative(q, p.frame, d, of_pair(v, contact.a(), contact.b()), change);
      change = (p.by_rate * change).eval();
      change.noalias() -= p.normal.by_depth * p.over_normal * G.row(0);
      Mat12 by_place;
      contact.force_derivative(q, p.frame, d, p.force, by_place);
      by_place.noalias() += G.transpose() * change;
      to_increments(by_place, machine_.nodes(), contact.a(), contact.b(), T);
      block.noalias() -= factors.stiffness * by_place;
    }
    K.add_compliant_contact(static_cast<int>(c), block);
  }
}

void CompliantContacts::end(State& state, const Configuration& q, const NodalVector& v, double h) {
  for (std::size_t c = 0; c < pressed_.size(); ++c) {
    ContactWork& work = set_.work[c];
    ContactState& of = state.contacts[c];
    of.force.setZero();
    of.damping = -1.0;
    of.elastic = 0.0;
    if (!work.near) continue;
    evaluate(c, state, q, v);
    const Pressed& p = pressed_[c];
    const Contact& contact = set_.contact(c);
    if (p.is_closed) {
      work.G = p.G;
      of.force = p.force;
      // What met slowly and was then pressed on by others approaches faster than it met.
      of.damping = p.damping;
      const CompliantLaw& law = *contact.compliance();
      if (!is_linear(law.normal_law().kind))
        of.damping = std::min(p.damping, law.damping(-p.rate[0], 0.0));
      of.elastic = contact.compliance()->energy(-contact.gap(q));
      const FrictionBlock* sliding = contact.block(FrictionKind::sliding);
      const bool sticks =
          sliding != nullptr && p.rate.segment(sliding->first_row, sliding->rows).norm() <=
                                    contact.compliance()->slow_speed();
      work.status = sticks ? ContactStatus::stick : ContactStatus::slip;
    } else {
      set_.evaluate_rows_of(c, state, q);
    }
    work.closed = p.is_closed;
    work.block_status.fill(work.status);
    work.impulse = 0.5 * h * (p.force_at_start + p.force);
    work.done = -0.5 * h * (p.power_at_start + lost_power(p));
    work.met_at = -work.rate_at_start[0];
  }
}

}  // namespace clatter
