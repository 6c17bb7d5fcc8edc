#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/schemes/energy_consistent/midpoint_contacts.hpp>

namespace clatter {
namespace {

constexpr int most_sweeps = 10000;
/// Sweeps that end so far from where they settle are counted as unfinished, others fail. Times the
/// tolerance, as `settled` and `nearly_settled` are.
constexpr double still_fair = 10.0;
constexpr int most_rounds = 400;
/// Of sweeps before psi is known.
constexpr double roughly_settled = 1e-5;
/// Without progress, before something else is tried.
constexpr int idle_rounds = 6, idle_sweeps = 40;
/// Sweeps before conjugate gradients are tried.
constexpr int first_leap = 15;
constexpr int most_root_steps = 60;
/// Of lags, relative to the speeds that contacts change.
constexpr double diverging = 30.0;
/// Of the largest impulse of an island, all in roots of energies: below it nothing changes any
/// more.
constexpr double settled = 1e-5;
/// Sweeps that have come so far and then stand still have solved what round-off lets them.
constexpr double nearly_settled = 1e-2;

}  // namespace

MidpointContacts::Quotient MidpointContacts::quotient(const Row& row, double g1) {
  const double K = row.stiffness, g0 = row.gap, way = g1 - g0;
  if (row.is_tangential || (g0 < 0.0 && g1 < 0.0)) return {0.5 * K * (g0 + g1), 0.5 * K};
  if (g0 >= 0.0 && g1 >= 0.0) return {};
  if (g1 < 0.0) {
    const double part = g1 / way;
    return {0.5 * K * g1 * part, K * part * (1.0 - 0.5 * part)};
  }
  const double part = g0 / way;
  return {-0.5 * K * g0 * part, 0.5 * K * part * part};
}

template <class Visit>
void MidpointContacts::visit_rows(std::span<const int> island, const Visit& visit) {
  for (const int c : island) {
    const Contact& contact = contacts[static_cast<std::size_t>(c)];
    for (int r = contact.first_row; r < contact.first_row + contact.rows; ++r) {
      visit(contact, r, rows[static_cast<std::size_t>(r)]);
    }
  }
}

double MidpointContacts::speed(const Row& row) const {
  return row.Ga.dot(body(row.a).mid) + row.Gb.dot(body(row.b).mid);
}

double MidpointContacts::displacement(const Row& row) const {
  return h * (row.Ga.dot(body(row.a).way()) + row.Gb.dot(body(row.b).way()));
}

double MidpointContacts::projected_square(const Row& row) const {
  const double ya = row.Ga.dot(body(row.a).change());
  const double yb = row.Gb.dot(body(row.b).change());
  return (row.wa > 0.0 ? ya * ya / row.wa : 0.0) + (row.wb > 0.0 ? yb * yb / row.wb : 0.0);
}

Exchange MidpointContacts::energy(const Row& row) const {
  const double s = displacement(row), work = row.impulse / h * s;
  const double spring = -quotient(row, row.gap + s + row.remainder).value * s;
  return {spring, work - spring, 0.5 * row.psi * projected_square(row)};
}

void MidpointContacts::let_fly(Body& body) {
  body.mid = body.kept.cwiseProduct(body.v) + 0.5 * body.compliance.cwiseProduct(body.load);
}

void MidpointContacts::begin(std::span<const int> nodes) {
  for (const int n : nodes) {
    let_fly(body(n));
    body(n).extra.setZero();
  }
}

void MidpointContacts::apply(std::span<const int> island) {
  visit_rows(island, [&](const Contact&, int, Row& row) {
    row.wa = row.Ga.dot(body(row.a).compliance.cwiseProduct(row.Ga));
    row.wb = row.Gb.dot(body(row.b).compliance.cwiseProduct(row.Gb));
  });
  push_anew(island);
}

/// Without the round-off that larger impulses have left.
void MidpointContacts::push_anew(std::span<const int> island) {
  visit_rows(island, [&](const Contact&, int, Row& row) {
    let_fly(body(row.a));
    let_fly(body(row.b));
  });
  visit_rows(island, [&](const Contact&, int, Row& row) {
    const double impulse = row.impulse;
    row.impulse = 0.0;
    push(row, impulse);
  });
}

void MidpointContacts::push(Row& row, double impulse) {
  Body &a = body(row.a), &b = body(row.b);
  const double half = 0.5 * (impulse - row.impulse);
  a.mid += half * a.compliance.cwiseProduct(row.Ga);
  b.mid += half * b.compliance.cwiseProduct(row.Gb);
  row.impulse = impulse;
}

/// The impulse of a normal row, `rest` being the speed that it would have without.
double MidpointContacts::solve_normal(Row& row, double rest) const {
  const double half = 0.5 * (row.wa + row.wb);
  switch (kind_) {
    case ConservingKind::acem:
    case ConservingKind::laursen_love:
      return std::max(0.0, (row.target - rest) / (half + row.ease));
    case ConservingKind::laursen_chawla: {
      if (row.gap > 0.0) return 0.0;
      const double rate = h * h * row.stiffness;  // F = -K (g_n+1 - g_n)
      return std::max(0.0, -rate * rest / (1.0 + rate * half));
    }
    case ConservingKind::simo_tarnow:
      break;
  }
  // lambda + h Dv(g_n, g_n + h (rest + half lambda)) = 0 grows with lambda: safeguarded secants.
  const auto excess = [&](double impulse) {
    return impulse + h * quotient(row, row.gap + h * (rest + half * impulse) + row.remainder).value;
  };
  double low = 0.0, at_low = excess(0.0);
  if (at_low >= 0.0) return 0.0;
  double high = -at_low, at_high = excess(high);
  for (int i = 0; i < 200 && high - low > 1e-16 * high; ++i) {
    double next = low - at_low * (high - low) / (at_high - at_low);
    if (i % 3 == 2 || !(next > low && next < high)) next = 0.5 * (low + high);
    const double at = excess(next);
    if (at == 0.0) return next;
    (at < 0.0 ? low : high) = next;
    (at < 0.0 ? at_low : at_high) = at;
  }
  return 0.5 * (low + high);
}

double MidpointContacts::solve_sticking(const Row& row, double rest) const {
  const double half = 0.5 * (row.wa + row.wb);
  if (kind_ == ConservingKind::acem || kind_ == ConservingKind::laursen_love) {
    return (row.target - rest) / (half + row.ease);
  }
  const double rate = 0.5 * h * h * row.stiffness;  // F = -K (g + h u/2)
  return -(h * row.stiffness * row.gap + rate * rest) / (1.0 + rate * half);
}

/// Solves one contact with the impulses of all others as they are. Returns how much it changed, as
/// a root of an energy.
double MidpointContacts::sweep_contact(Contact& contact) {
  Row& normal = rows[static_cast<std::size_t>(contact.first_row)];
  const double w = normal.wa + normal.wb;
  const double before = normal.impulse;
  push(normal, solve_normal(normal, speed(normal) - 0.5 * w * normal.impulse));
  double change = std::abs(normal.impulse - before) * std::sqrt(w);
  contact.status = normal.impulse > 0.0 ? ContactStatus::slip : ContactStatus::open;
  if (contact.rows == 1) return change;
  const double radius = radius_of(contact, normal);
  std::array<double, 2> wanted{};
  double square = 0.0;
  for (int i = 0; i + 1 < contact.rows; ++i) {
    const Row& row = rows[static_cast<std::size_t>(contact.first_row + 1 + i)];
    const double own = row.wa + row.wb;
    if (own > 0.0) {
      wanted[static_cast<std::size_t>(i)] =
          solve_sticking(row, speed(row) - 0.5 * own * row.impulse);
    }
    square += wanted[static_cast<std::size_t>(i)] * wanted[static_cast<std::size_t>(i)];
  }
  const double size = std::sqrt(square);
  if (normal.impulse > 0.0 && size <= radius) contact.status = ContactStatus::stick;
  const double factor = size > radius ? radius / size : 1.0;
  for (int i = 0; i + 1 < contact.rows; ++i) {
    Row& row = rows[static_cast<std::size_t>(contact.first_row + 1 + i)];
    const double next = factor * wanted[static_cast<std::size_t>(i)];
    change = std::max(change, std::abs(next - row.impulse) * std::sqrt(row.wa + row.wb));
    push(row, next);
  }
  return change;
}

/// speeds := what u and ease of the free rows do by their x alone.
void MidpointContacts::find_speeds(const std::vector<double>& x, std::vector<double>& speeds) {
  for (const int r : free_) {
    const Row& row = rows[static_cast<std::size_t>(r)];
    body(row.a).scratch.setZero();
    body(row.b).scratch.setZero();
  }
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const Row& row = rows[static_cast<std::size_t>(free_[i])];
    body(row.a).scratch += 0.5 * x[i] * body(row.a).compliance.cwiseProduct(row.Ga);
    body(row.b).scratch += 0.5 * x[i] * body(row.b).compliance.cwiseProduct(row.Gb);
  }
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const Row& row = rows[static_cast<std::size_t>(free_[i])];
    speeds[i] = row.Ga.dot(body(row.a).scratch) + row.Gb.dot(body(row.b).scratch) + row.ease * x[i];
  }
}

/// Conjugate gradients for the rows that press or stick, where sweeps are slow; what slides keeps
/// its friction. False: nothing was won, and the impulses are as they were.
bool MidpointContacts::leap(std::span<const int> island) {
  free_.clear();
  visit_rows(island, [&](const Contact& contact, int r, Row& row) {
    if (row.impulse != 0.0 && row.wa + row.wb > 0.0 && conserves(contact, r)) free_.push_back(r);
  });
  const std::size_t n = free_.size();
  if (n < 2) return false;
  for (std::vector<double>* x : {&residual_, &along_, &speeds_, &found_}) x->assign(n, 0.0);
  const auto at = [&](std::size_t i) -> const Row& {
    return rows[static_cast<std::size_t>(free_[i])];
  };
  const auto scaled = [&](std::size_t i) {
    return residual_[i] / (0.5 * (at(i).wa + at(i).wb) + at(i).ease);
  };
  double energy = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    residual_[i] = at(i).target - at(i).ease * at(i).impulse - speed(at(i));
    along_[i] = scaled(i);
    energy += residual_[i] * along_[i];
  }
  const double first = energy;
  if (!(first > 0.0)) return false;
  for (std::size_t k = 0; k < 3 * n + 10 && energy > 1e-30 * first; ++k) {
    find_speeds(along_, speeds_);
    double curvature = 0.0;
    for (std::size_t i = 0; i < n; ++i) curvature += along_[i] * speeds_[i];
    if (!(curvature > 0.0)) break;
    const double wanted = energy / curvature;
    double factor = wanted;  // until the first contact opens
    for (std::size_t i = 0; i < n; ++i) {
      if (at(i).is_tangential || !(along_[i] < 0.0)) continue;
      factor = std::min(factor, std::max(0.0, -(at(i).impulse + found_[i]) / along_[i]));
    }
    double next = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      found_[i] += factor * along_[i];
      residual_[i] -= factor * speeds_[i];
      next += residual_[i] * scaled(i);
    }
    if (factor < wanted) break;
    for (std::size_t i = 0; i < n; ++i) along_[i] = scaled(i) + next / energy * along_[i];
    energy = next;
  }
  before_.clear();
  visit_rows(island, [&](const Contact&, int, Row& row) { before_.push_back(row.impulse); });
  const bool has_friction = std::any_of(island.begin(), island.end(), [&](int c) {
    return contacts[static_cast<std::size_t>(c)].rows > 1;
  });
  const double error_before = has_friction ? sweep_once(island).change : 0.0;
  if (has_friction) restore(island);
  for (std::size_t i = 0; i < n; ++i) {
    rows[static_cast<std::size_t>(free_[i])].impulse += found_[i];
  }
  for (const int c : island) project(contacts[static_cast<std::size_t>(c)]);
  push_anew(island);
  // Without friction it is: what conjugate gradients make smaller is what the impulses make
  // smallest.
  const bool is_better = !has_friction || sweep_once(island).change < error_before;
  if (!is_better) restore(island);
  return is_better;
}

void MidpointContacts::restore(std::span<const int> island) {
  std::size_t next = 0;
  visit_rows(island, [&](const Contact&, int, Row& row) { row.impulse = before_[next++]; });
  push_anew(island);
}

MidpointContacts::Change MidpointContacts::sweep_once(std::span<const int> island) {
  Change of;
  for (const int c : island) {
    Contact& contact = contacts[static_cast<std::size_t>(c)];
    of.change = std::max(of.change, sweep_contact(contact));
    const Row& normal = rows[static_cast<std::size_t>(contact.first_row)];
    of.largest = std::max(of.largest, normal.impulse * std::sqrt(normal.wa + normal.wb));
  }
  ++sweeps_;
  return of;
}

/// Impulses as the laws admit them.
void MidpointContacts::project(const Contact& contact) {
  Row& normal = rows[static_cast<std::size_t>(contact.first_row)];
  normal.impulse = std::max(0.0, normal.impulse);
  double square = 0.0;
  for (int r = contact.first_row + 1; r < contact.first_row + contact.rows; ++r) {
    const double impulse = rows[static_cast<std::size_t>(r)].impulse;
    square += impulse * impulse;
  }
  const double size = std::sqrt(square), radius = radius_of(contact, normal);
  if (size <= radius) return;
  for (int r = contact.first_row + 1; r < contact.first_row + contact.rows; ++r) {
    rows[static_cast<std::size_t>(r)].impulse *= radius / size;
  }
}

/// Until impulses change by `enough` of the largest.
bool MidpointContacts::sweep(std::span<const int> island, double enough) {
  const bool may_leap = kind_ == ConservingKind::acem || kind_ == ConservingKind::laursen_love;
  double least = std::numeric_limits<double>::infinity();
  int since = 0, next_leap = first_leap;
  push_anew(island);
  Change now;
  for (int i = 0; i < most_sweeps; ++i) {
    now = sweep_once(island);
    if (now.change <= enough * now.largest) return true;
    since = now.change < 0.5 * least ? 0 : since + 1;
    least = std::min(least, now.change);
    if (since > idle_sweeps && least <= nearly_settled * tolerance * now.largest) return true;
    if (may_leap && i >= next_leap) next_leap = i + (leap(island) ? first_leap : i);
  }
  left_ = std::max(left_, now.change / now.largest);
  return left_ <= still_fair * tolerance;
}

void MidpointContacts::find_extra(std::span<const int> island) {
  const auto set_zero = [&](const Contact&, int, Row& row) {
    body(row.a).extra.setZero();
    body(row.b).extra.setZero();
  };
  visit_rows(island, set_zero);
  visit_rows(island, [&](const Contact&, int, Row& row) {
    if (row.psi == 0.0) return;
    const auto add = [&](Body& body, const Vec6& G, double w) {
      if (w > 0.0) {
        body.extra += 0.5 * row.psi * G.dot(body.change()) / w * body.inverse_mass.cwiseProduct(G);
      }
    };
    add(body(row.a), row.Ga, row.wa);
    add(body(row.b), row.Gb, row.wb);
  });
}

/// psi of (4.17) and (4.26), given the impulse and d. Where (4.26) has two roots, that which
/// vanishes with growing S: the other has no force.
bool MidpointContacts::psi_of(Row& row) const {
  const double force = row.impulse / h;
  const double way = projected_square(row) / (2.0 * force);  // s/psi
  if (kind_ == ConservingKind::laursen_love) {
    row.psi = -(row.gap + row.remainder) / way;
    return std::isfinite(row.psi);
  }
  // Concave in psi and growing below the root, so that steps from below come nearer and nearer.
  double psi = -std::sqrt(2.0 * std::abs(force / (row.stiffness * way)));
  for (int i = 0; i < most_root_steps; ++i) {
    const double change = psi * way + row.remainder;
    const Quotient spring = quotient(row, row.gap + change);
    const double rest = 0.5 * (row.closing - psi) * row.stiffness;
    const double slope = (spring.slope + rest) * way - 0.5 * row.stiffness * change;
    const double step = -(force + spring.value + rest * change) / slope;
    psi += step;
    if (!std::isfinite(psi)) return false;
    if (std::abs(step) <= 1e-15 * std::abs(psi)) break;
    if (i + 1 == most_root_steps && std::abs(step) > 1e-12 * std::abs(psi)) return false;
  }
  row.psi = psi;
  return true;
}

void MidpointContacts::find_psi(std::span<const int> island) {
  visit_rows(island, [&](const Contact& contact, int r, Row& row) {
    row.psi = 0.0;
    const bool has_force = row.impulse != 0.0;
    if (has_force != row.had_force) ++row.flips;
    row.had_force = has_force;
    if (!conserves(contact, r) || row.is_held || row.is_limit || row.impulse == 0.0) return;
    if (projected_square(row) == 0.0 || psi_of(row)) return;
    row.is_limit = true;
    row.psi = 0.0;
  });
}

/// The u that (4.17) wants of every row. Returns how far that is from u, or from what it was,
/// relative to the largest speed that contacts change.
double MidpointContacts::find_lags(std::span<const int> island) {
  double change = 0.0, largest = 0.0;
  const bool is_alone = island.size() == 1;
  visit_rows(island, [&](const Contact& contact, int r, Row& row) {
    double lag = -row.Ga.dot(body(row.a).extra) - row.Gb.dot(body(row.b).extra);
    row.ease = 0.0;
    if (row.psi != 0.0) {
      lag += 0.5 * row.psi * projected_square(row) / row.impulse;
      const double end = row.gap + displacement(row) + row.remainder;
      const double stiffness =
          quotient(row, end).slope + 0.5 * (row.closing - row.psi) * row.stiffness;
      if (!is_alone && kind_ == ConservingKind::acem && stiffness > 0.0) {
        row.ease = 1.0 / (h * h * stiffness);
      }
    }
    const bool obeys = row.impulse != 0.0 && conserves(contact, r);
    change = std::max(change, std::abs(lag - (obeys ? speed(row) : row.lag)));
    largest = std::max(largest, std::abs(row.impulse) * (row.wa + row.wb));
    row.lag = lag;
    row.target = lag + row.ease * row.impulse;
  });
  return largest > 0.0 ? change / largest : 0.0;
}

/// Rows that come and go and those whose springs go furthest become rigid, or all. False: all are.
bool MidpointContacts::take_limit(std::span<const int> island, bool all) {
  double furthest = 0.0;
  visit_rows(island, [&](const Contact&, int, Row& row) {
    furthest = std::max(furthest, std::abs(row.psi));
  });
  bool any = false;
  const auto limit = [&](Row& row) {
    any = any || !row.is_limit;
    row.is_limit = true;
  };
  visit_rows(island, [&](const Contact&, int, Row& row) {
    if (all || row.flips > 2 || (row.psi != 0.0 && std::abs(row.psi) >= 0.1 * furthest)) limit(row);
    row.flips = 0;
  });
  if (!any) visit_rows(island, [&](const Contact&, int, Row& row) { limit(row); });
  visit_rows(island, [](const Contact&, int, Row& row) {
    row.impulse = row.lag = row.target = row.ease = 0.0;
  });
  return any;
}

bool MidpointContacts::solve(std::span<const int> island) {
  sweeps_ = rounds_ = limits_ = 0;
  left_ = 0.0;
  const bool corrects = kind_ == ConservingKind::acem || kind_ == ConservingKind::laursen_love;
  visit_rows(island, [](const Contact&, int, Row& row) {
    row.lag = row.psi = row.target = row.ease = 0.0;
    row.is_limit = row.had_force = false;
    row.flips = 0;
  });
  find_extra(island);
  const double settles = settled * tolerance;
  if (!corrects) return sweep(island, settles);
  double least = std::numeric_limits<double>::infinity(),
         enough = std::max(roughly_settled, settles);
  for (int idle = 0; rounds_ < most_rounds; ++rounds_) {
    const bool is_swept = sweep(island, enough);
    if (!is_swept && rounds_ == 0) return false;
    bool should_limit = !is_swept;
    if (is_swept) {
      find_psi(island);
      find_extra(island);
      const double change = find_lags(island);
      idle = change < 0.7 * least ? 0 : idle + 1;
      least = std::min(least, change);
      const bool stands_still = idle > idle_rounds;
      const double fair = nearly_settled * tolerance;
      if (enough == settles && (change <= settles || (stands_still && least <= fair))) {
        visit_rows(island, [&](const Contact&, int, Row& row) { limits_ += row.is_limit ? 1 : 0; });
        return true;
      }
      enough = std::clamp(1e-3 * change, settles, std::max(roughly_settled, settles));
      should_limit = !(change < diverging) || (stands_still && least > fair);
    }
    if (!should_limit) continue;
    if (!take_limit(island, !is_swept)) return false;
    find_extra(island);
    idle = 0;
    least = std::numeric_limits<double>::infinity();
    enough = std::max(roughly_settled, settles);
    left_ = 0.0;
  }
  return false;
}

}  // namespace clatter
