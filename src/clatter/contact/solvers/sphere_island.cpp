#include <algorithm>
#include <cmath>

#include <clatter/contact/law/projection.hpp>
#include <clatter/contact/solvers/sphere_island.hpp>

namespace clatter {

bool SphereIsland::admits(const ContactLaw& law, const PairRows& changes, const PairRows& forces,
                          const Node& a, const Node& b) {
  if (law.ball_count != 1 || law.balls[0].rows != 2 || changes.rows() != 3) return false;
  const double size = forces.block<1, 3>(0, 6).cwiseAbs().maxCoeff();
  const double lever = std::sqrt(forces.bottomRows(2).squaredNorm());
  const double round_off = 1e-12 * size, turn_off = 1e-12 * lever;
  const auto is_same = [](const auto& one, const auto& two, double allowed) {
    return (one - two).cwiseAbs().maxCoeff() <= allowed;
  };
  if (!is_same(changes.leftCols<3>(), -changes.middleCols<3>(6), round_off)) return false;
  for (const int side : {0, 6}) {
    const Node& node = side == 0 ? a : b;
    if (node.translation == 0.0 && node.rotation == 0.0) continue;  // stands still
    if (!is_same(changes.middleCols<6>(side), forces.middleCols<6>(side), turn_off)) return false;
    if (!(forces.block<1, 3>(0, side + 3).cwiseAbs().maxCoeff() <= turn_off)) return false;
  }
  return true;
}

void SphereIsland::reserve(std::size_t nodes, std::size_t contacts) {
  nodes_.reserve(nodes);
  contacts_.reserve(contacts);
  p_.reserve(3 * contacts);
}

void SphereIsland::clear() {
  nodes_.clear();
  contacts_.clear();
  p_.clear();
}

int SphereIsland::add(const Node& node) {
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

void SphereIsland::add(int a, int b, double coefficient, const double* rows, const double* rates,
                       const double* steps, const double* p) {
  Contact c{};
  c.a = a;
  c.b = b;
  for (int i = 0; i < 3; ++i) {
    c.normal[i] = rows[6 + i];
    c.rates[i] = rates[i];
    for (int k = 0; k < 2; ++k) {
      const double* row = rows + 12 * (k + 1);
      c.levers_a[k][i] = row[3 + i];
      c.tangents[k][i] = row[6 + i];
      c.levers_b[k][i] = row[9 + i];
    }
  }
  c.normal_step = steps[0];
  c.tangent_step = steps[1];
  c.coefficient = coefficient;
  contacts_.push_back(c);
  p_.insert(p_.end(), p, p + 3);
}

inline double SphereIsland::normal_rate(const Contact& c, const Node& a, const Node& b) {
  return c.rates[0] + (c.normal[0] * (b.x[0] - a.x[0]) + c.normal[1] * (b.x[1] - a.x[1]) +
                       c.normal[2] * (b.x[2] - a.x[2]));
}

inline double SphereIsland::tangent_rate(const Contact& c, int i, const Node& a, const Node& b) {
  const double *t = c.tangents[i], *r = c.levers_a[i], *s = c.levers_b[i];
  return c.rates[1 + i] +
         ((t[0] * (b.x[0] - a.x[0]) + t[1] * (b.x[1] - a.x[1]) + t[2] * (b.x[2] - a.x[2])) +
          ((r[0] * a.x[3] + r[1] * a.x[4] + r[2] * a.x[5]) +
           (s[0] * b.x[3] + s[1] * b.x[4] + s[2] * b.x[5])));
}

inline void SphereIsland::move(const Contact& c, const double* change, Node& a, Node& b) {
  for (int i = 0; i < 3; ++i) {
    const double force =
        change[0] * c.normal[i] + (change[1] * c.tangents[0][i] + change[2] * c.tangents[1][i]);
    a.x[i] -= a.translation * force;
    b.x[i] += b.translation * force;
    a.x[3 + i] += a.rotation * (change[1] * c.levers_a[0][i] + change[2] * c.levers_a[1][i]);
    b.x[3 + i] += b.rotation * (change[1] * c.levers_b[0][i] + change[2] * c.levers_b[1][i]);
  }
}

void SphereIsland::set_reactions(std::span<const double> p) {
  for (Node& node : nodes_) std::fill_n(node.x, 6, 0.0);
  const double* given = p.data();
  double* own = p_.data();
  for (const Contact& c : contacts_) {
    own[0] = project_normal(given[0]);
    own[1] = given[1];
    own[2] = given[2];
    project_on_ball<2>(c.coefficient * own[0], 2, own + 1);
    if (own[0] > 0.0) {
      move(c, own, nodes_[static_cast<std::size_t>(c.a)], nodes_[static_cast<std::size_t>(c.b)]);
    }
    given += 3;
    own += 3;
  }
}

void SphereIsland::release() {
  for (Node& node : nodes_) std::fill_n(node.x, 6, 0.0);
  std::fill(p_.begin(), p_.end(), 0.0);
}

double SphereIsland::sweep() {
  double square = 0.0;
  double* p = p_.data();
  for (const Contact& c : contacts_) {
    Node &a = nodes_[static_cast<std::size_t>(c.a)], &b = nodes_[static_cast<std::size_t>(c.b)];
    const double rate = normal_rate(c, a, b);
    if (p[0] > 0.0 || rate < 0.0) {  // else it is open, and stays so
      double now[3] = {project_normal(p[0] - c.normal_step * rate),
                       p[1] - c.tangent_step * tangent_rate(c, 0, a, b),
                       p[2] - c.tangent_step * tangent_rate(c, 1, a, b)};
      project_on_ball<2>(c.coefficient * now[0], 2, now + 1);
      const double change[3] = {now[0] - p[0], now[1] - p[1], now[2] - p[2]};
      move(c, change, a, b);
      square += change[0] * change[0] + (change[1] * change[1] + change[2] * change[2]);
      std::copy_n(now, 3, p);
    }
    p += 3;
  }
  return std::sqrt(square);
}

SweepResidual SphereIsland::residual() const {
  double square = 0.0;
  const double* p = p_.data();
  for (const Contact& c : contacts_) {
    const Node &a = nodes_[static_cast<std::size_t>(c.a)],
               &b = nodes_[static_cast<std::size_t>(c.b)];
    double now[3] = {project_normal(p[0] - normal_rate(c, a, b)), p[1] - tangent_rate(c, 0, a, b),
                     p[2] - tangent_rate(c, 1, a, b)};
    project_on_ball<2>(c.coefficient * now[0], 2, now + 1);
    const double off[3] = {now[0] - p[0], now[1] - p[1], now[2] - p[2]};
    square += off[0] * off[0] + (off[1] * off[1] + off[2] * off[2]);
    p += 3;
  }
  double energy = 0.0;
  for (const Node& node : nodes_) {
    const double* x = node.x;
    if (node.translation > 0.0) {
      energy += (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / node.translation;
    }
    if (node.rotation > 0.0) energy += (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]) / node.rotation;
  }
  return {std::sqrt(square), std::sqrt(energy)};
}

}  // namespace clatter
