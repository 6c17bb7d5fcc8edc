#include <algorithm>
#include <cmath>

#include <clatter/schemes/energy_consistent/midpoint_contacts.hpp>

namespace clatter {
namespace {

constexpr int most_sweeps = 20000;
constexpr int most_rounds = 60;
/// Of the largest impulse of an island, all in roots of energies: below it nothing changes any more.
constexpr double settled = 1e-15;
/// Sweeps that have come so far and then stand still have solved what round-off lets them.
constexpr double nearly_settled = 1e-12;

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
  return row.Ga.dot(bodies[static_cast<std::size_t>(row.a)].mid) +
         row.Gb.dot(bodies[static_cast<std::size_t>(row.b)].mid);
}

double MidpointContacts::displacement(const Row& row) const {
  return h * (row.Ga.dot(bodies[static_cast<std::size_t>(row.a)].way()) +
              row.Gb.dot(bodies[static_cast<std::size_t>(row.b)].way()));
}

double MidpointContacts::projected_square(const Row& row) const {
  const double ya = row.Ga.dot(bodies[static_cast<std::size_t>(row.a)].change());
  const double yb = row.Gb.dot(bodies[static_cast<std::size_t>(row.b)].change());
  return (row.wa > 0.0 ? ya * ya / row.wa : 0.0) + (row.wb > 0.0 ? yb * yb / row.wb : 0.0);
}

MidpointContacts::RowEnergy MidpointContacts::energy(const Row& row) const {
  const double s = displacement(row), work = row.impulse / h * s;
  const double spring = -quotient(row, row.gap + s + row.remainder).value * s;
  return {spring, work - spring, 0.5 * row.psi * projected_square(row)};
}

void MidpointContacts::begin(std::span<const int> nodes) {
  for (const int n : nodes) {
    Body& body = bodies[static_cast<std::size_t>(n)];
    body.mid = body.v + 0.5 * body.inverse_mass.cwiseProduct(body.load);
    body.extra.setZero();
  }
}

void MidpointContacts::apply(std::span<const int> island) {
  visit_rows(island, [&](const Contact&, int, Row& row) {
    const Body &a = bodies[static_cast<std::size_t>(row.a)], &b = bodies[static_cast<std::size_t>(row.b)];
    row.wa = row.Ga.dot(a.inverse_mass.cwiseProduct(row.Ga));
    row.wb = row.Gb.dot(b.inverse_mass.cwiseProduct(row.Gb));
    const double impulse = row.impulse;
    row.impulse = 0.0;
    push(row, impulse);
  });
}

void MidpointContacts::push(Row& row, double impulse) {
  Body &a = bodies[static_cast<std::size_t>(row.a)], &b = bodies[static_cast<std::size_t>(row.b)];
  const double half = 0.5 * (impulse - row.impulse);
  a.mid += half * a.inverse_mass.cwiseProduct(row.Ga);
  b.mid += half * b.inverse_mass.cwiseProduct(row.Gb);
  row.impulse = impulse;
}

/// The impulse of a normal row, `rest` being the speed that it would have without.
double MidpointContacts::solve_normal(Row& row, double rest) const {
  const double half = 0.5 * (row.wa + row.wb);
  switch (kind_) {
    case ConservingKind::acem:
    case ConservingKind::laursen_love:
      return std::max(0.0, (row.lag - rest) / half);
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
    return (row.lag - rest) / half;
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
  const double radius =
      normal.impulse > 0.0 ? contact.friction * normal.impulse + contact.cohesion : 0.0;
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

bool MidpointContacts::sweep(std::span<const int> island) {
  double least = std::numeric_limits<double>::infinity();
  int since = 0;
  for (int i = 0; i < most_sweeps; ++i, ++sweeps_) {
    double change = 0.0, largest = 0.0;
    for (const int c : island) {
      Contact& contact = contacts[static_cast<std::size_t>(c)];
      change = std::max(change, sweep_contact(contact));
      const Row& normal = rows[static_cast<std::size_t>(contact.first_row)];
      largest = std::max(largest, normal.impulse * std::sqrt(normal.wa + normal.wb));
    }
    if (change <= settled * largest) return true;
    since = change < 0.5 * least ? 0 : since + 1;
    least = std::min(least, change);
    if (since > 40 && least <= nearly_settled * largest) return true;
  }
  return false;
}

void MidpointContacts::find_extra(std::span<const int> island) {
  const auto set_zero = [&](const Contact&, int, Row& row) {
    bodies[static_cast<std::size_t>(row.a)].extra.setZero();
    bodies[static_cast<std::size_t>(row.b)].extra.setZero();
  };
  visit_rows(island, set_zero);
  visit_rows(island, [&](const Contact&, int, Row& row) {
    if (row.psi == 0.0) return;
    const auto add = [&](Body& body, const Vec6& G, double w) {
      if (w > 0.0) {
        body.extra += 0.5 * row.psi * G.dot(body.change()) / w * body.inverse_mass.cwiseProduct(G);
      }
    };
    add(bodies[static_cast<std::size_t>(row.a)], row.Ga, row.wa);
    add(bodies[static_cast<std::size_t>(row.b)], row.Gb, row.wb);
  });
}

/// psi of (4.17) and (4.26), given the impulse and d.
bool MidpointContacts::psi_of(Row& row) const {
  const double force = row.impulse / h;
  const double d = projected_square(row);
  if (force == 0.0 || d == 0.0) {
    row.psi = 0.0;
    return true;
  }
  const double way = d / (2.0 * force);  // s/psi
  if (kind_ == ConservingKind::laursen_love) {
    row.psi = -(row.gap + row.remainder) / way;
    return true;
  }
  double psi = row.psi;
  for (int i = 0; i < 50; ++i) {
    const double change = psi * way + row.remainder;
    const Quotient spring = quotient(row, row.gap + change);
    const double rest = 0.5 * (row.closing - psi) * row.stiffness;
    const double slope = (spring.slope + rest) * way - 0.5 * row.stiffness * change;
    const double step = -(force + spring.value + rest * change) / slope;
    psi += step;
    if (!std::isfinite(psi)) return false;
    if (std::abs(step) <= 1e-15 * std::abs(psi)) break;
  }
  row.psi = psi;
  return std::abs(psi) < 1.0;
}

bool MidpointContacts::find_psi(std::span<const int> island) {
  bool all = true;
  visit_rows(island, [&](const Contact& contact, int r, Row& row) {
    if (!conserves(contact, r) || row.is_held || row.impulse == 0.0) {
      row.psi = 0.0;
    } else {
      all = psi_of(row) && all;
    }
  });
  return all;
}

/// Returns the largest change of a lag, relative to the largest speed that contacts change.
double MidpointContacts::find_lags(std::span<const int> island) {
  double change = 0.0, largest = 0.0;
  visit_rows(island, [&](const Contact& contact, int r, Row& row) {
    double lag = 0.0;
    if (conserves(contact, r) && row.impulse != 0.0) {
      lag = 0.5 * row.psi * projected_square(row) / row.impulse -
            row.Ga.dot(bodies[static_cast<std::size_t>(row.a)].extra) -
            row.Gb.dot(bodies[static_cast<std::size_t>(row.b)].extra);
    }
    change = std::max(change, std::abs(lag - row.lag));
    largest = std::max(largest, std::abs(row.impulse) * (row.wa + row.wb));
    row.lag = lag;
  });
  return largest > 0.0 ? change / largest : 0.0;
}

void MidpointContacts::take_limit(std::span<const int> island) {
  took_limit_ = true;
  visit_rows(island, [](const Contact&, int, Row& row) { row.psi = row.lag = 0.0; });
  find_extra(island);
}

bool MidpointContacts::solve(std::span<const int> island) {
  sweeps_ = rounds_ = 0;
  took_limit_ = false;
  const bool corrects = kind_ == ConservingKind::acem || kind_ == ConservingKind::laursen_love;
  if (!sweep(island)) return false;
  if (!corrects) return true;
  for (rounds_ = 1; rounds_ <= most_rounds; ++rounds_) {
    if (!find_psi(island)) break;
    find_extra(island);
    const double change = find_lags(island);
    if (change <= 1e-15) return true;
    if (!sweep(island)) break;
  }
  take_limit(island);
  return sweep(island);
}

}  // namespace clatter
