#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/machine/model.hpp>
#include <clatter/machine/solid_search.hpp>

#include "support/dice.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace {

using std::numbers::pi;
using testing::Dice;

enum class Around { sphere, box, capsule, cylinder, bore, cone, ellipsoid, hull, groove };
constexpr std::array walls{Around::sphere,    Around::box,  Around::capsule,
                           Around::cylinder,  Around::bore, Around::cone,
                           Around::ellipsoid, Around::hull, Around::groove};
constexpr std::array wall_names{"sphere", "box",       "capsule", "cylinder", "bore",
                                "cone",   "ellipsoid", "hull",    "groove"};
enum class Inside { sphere, capsule, box, hull, cylinder, cone, ellipsoid, ring };
constexpr std::array solids{Inside::sphere,   Inside::capsule, Inside::box,       Inside::hull,
                            Inside::cylinder, Inside::cone,    Inside::ellipsoid, Inside::ring};
constexpr std::array solid_names{"sphere",   "capsule", "box",       "hull",
                                 "cylinder", "cone",    "ellipsoid", "ring"};

/// A hollow shape in its own axes, told apart from the library: its text in a model file, and how
/// far a point inside is from the wall.
struct Hollow {
  std::string text;
  std::function<double(const Vec3&)> depth;
};

/// Half the angle between sides and axis is that of the tip. From inside all walls go on for ever.
Hollow make_hollow(Around kind, Dice& dice) {
  const double r = 2.0 + 0.3 * dice.number(), l = 3.0 + dice.number();
  const Vec3 s = Vec3::Constant(2.0) + 0.5 * dice.vector();
  const auto text = [&](const char* name, const std::string& sizes) {
    return fmt::format("{{ kind = '{}', {}, hollow = true, material = 'stone' }}", name, sizes);
  };
  const auto across = [](const Vec3& x) { return std::hypot(x.x(), x.y()); };
  switch (kind) {
    case Around::sphere:
      break;
    case Around::box:
      return {text("box", fmt::format("size = [{}, {}, {}]", 2 * s.x(), 2 * s.y(), 2 * s.z())),
              [=](const Vec3& x) { return (s - x.cwiseAbs()).minCoeff(); }};
    case Around::capsule:
      return {text("capsule", fmt::format("radius = {}, length = {}", r, l)), [=](const Vec3& x) {
                const double beyond = std::max(0.0, std::abs(x.z()) - 0.5 * l);
                return r - std::hypot(across(x), beyond);
              }};
    case Around::cylinder:
      return {text("cylinder", fmt::format("radius = {}, length = {}", r, 2.0 * s.z())),
              [=](const Vec3& x) { return std::min(r - across(x), s.z() - std::abs(x.z())); }};
    case Around::bore:
      return {text("cylinder", fmt::format("radius = {}, length = {}, open = true", r, l)),
              [=](const Vec3& x) { return r - across(x); }};
    case Around::cone:
      return {text("cone", fmt::format("radius = {}, length = {}", 2.0 * r, 2.0 * l)),
              [=](const Vec3& x) {
                const double side = (r * (1.5 * l - x.z()) - l * across(x)) / std::hypot(r, l);
                return std::min(side, x.z() + 0.5 * l);
              }};
    case Around::ellipsoid:
      // x = p - d n at the nearest point p of the wall: of the roots d of |p(d)| = 1 in stretched
      // axes the least, below the smallest radius of curvature, hence before the first pole.
      return {text("ellipsoid", fmt::format("semi_axes = [{}, {}, {}]", s.x(), s.y(), s.z())),
              [=](const Vec3& x) {
                const auto excess = [&](double t) {
                  double sum = -1.0;
                  for (int i = 0; i < 3; ++i) sum += std::pow(s[i] * x[i] / (s[i] * s[i] - t), 2);
                  return sum;
                };
                double low = -x.squaredNorm() * s.maxCoeff(), high = s.minCoeff() * s.minCoeff();
                for (int i = 0; i < 100; ++i) {
                  const double middle = 0.5 * (low + high);
                  (excess(middle) < 0.0 ? low : high) = middle;
                }
                Vec3 nearest;
                for (int i = 0; i < 3; ++i) nearest[i] = s[i] * s[i] * x[i] / (s[i] * s[i] - low);
                return std::copysign((x - nearest).norm(), low);
              }};
    case Around::hull: {  // what is between planes along the normals of a tetrahedron
      const std::array<Vec3, 4> corners{Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1),
                                        Vec3(-1, -1, 1)};
      std::string list;
      for (const Vec3& c : corners) {
        list += fmt::format("[{}, {}, {}], ", 2 * r * c.x(), 2 * r * c.y(), 2 * r * c.z());
      }
      return {text("hull", fmt::format("points = [{}]", list)), [=](const Vec3& x) {
                double least = INFINITY;
                // The face across from a corner is a third as far from the middle.
                for (const Vec3& c : corners) {
                  least = std::min(least, (2.0 * r + c.dot(x)) / std::sqrt(3.0));
                }
                return least;
              }};
    }
    case Around::groove:
      return {text("ring", fmt::format("radius = {}, tube_radius = {}", 2.0 * r, 0.6 * r)),
              [=](const Vec3& x) { return 0.6 * r - std::hypot(across(x) - 2.0 * r, x.z()); }};
  }
  return {text("sphere", fmt::format("radius = {}", r)),
          [=](const Vec3& x) { return r - x.norm(); }};
}

/// A solid by the points where it goes furthest, in its own axes, as functions of two angles, with
/// a radius all around.
struct Content {
  std::string text;
  double radius;
  std::vector<Vec3> points;
  std::vector<std::function<Vec3(double)>> circles;
  std::function<Vec3(const Vec3&)> surface;  ///< from the unit sphere
};

Content make_content(Inside kind, Dice& dice) {
  const double r = 0.5 * dice.length(), l = dice.length(), rounding = 0.05 * dice.length();
  const Vec3 s = 0.5 * Vec3(dice.length(), dice.length(), dice.length());
  const auto text = [&](const std::string& sizes, bool is_round) {
    return fmt::format("{{ kind = '{}', {}, {} material = 'stone' }}",
                       solid_names[static_cast<std::size_t>(kind)], sizes,
                       is_round ? "" : fmt::format("rounding = {},", rounding));
  };
  const auto circle = [](double radius, double z) {
    return
        [=](double angle) { return Vec3(radius * std::cos(angle), radius * std::sin(angle), z); };
  };
  switch (kind) {
    case Inside::sphere:
      break;
    case Inside::capsule:
      return {text(fmt::format("radius = {}, length = {}", 0.3 * r, l), true),
              0.3 * r,
              {{0, 0, -0.5 * l}, {0, 0, 0.5 * l}},
              {},
              {}};
    case Inside::box: {
      std::vector<Vec3> corners;
      for (int k = 0; k < 8; ++k) {
        corners.push_back(s.cwiseProduct(
            Vec3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1)));
      }
      return {text(fmt::format("size = [{}, {}, {}]", 2 * s.x(), 2 * s.y(), 2 * s.z()), false),
              rounding,
              corners,
              {},
              {}};
    }
    case Inside::hull: {
      Eigen::Matrix<double, 3, 4> corners;
      do {
        for (int k = 0; k < 4; ++k) corners.col(k) = 0.6 * dice.vector();
        corners.colwise() -= corners.rowwise().mean().eval();
      } while (std::abs(corners.leftCols<3>().determinant()) < 0.01);
      std::string list;
      std::vector<Vec3> points;
      for (int k = 0; k < 4; ++k) {
        list += fmt::format("[{}, {}, {}], ", corners(0, k), corners(1, k), corners(2, k));
        points.emplace_back(corners.col(k));
      }
      return {text(fmt::format("points = [{}]", list), false), rounding, points, {}, {}};
    }
    case Inside::cylinder:
      return {text(fmt::format("radius = {}, length = {}", r, l), false),
              rounding,
              {},
              {circle(r, -0.5 * l), circle(r, 0.5 * l)},
              {}};
    case Inside::cone:
      return {text(fmt::format("radius = {}, length = {}", r, l), false),
              rounding,
              {{0, 0, 0.75 * l}},
              {circle(r, -0.25 * l)},
              {}};
    case Inside::ellipsoid:
      return {text(fmt::format("semi_axes = [{}, {}, {}]", s.x(), s.y(), s.z()), false),
              rounding,
              {},
              {},
              [=](const Vec3& u) { return s.cwiseProduct(u); }};
    case Inside::ring:
      return {text(fmt::format("radius = {}, tube_radius = {}", r, 0.2 * r), true),
              0.2 * r,
              {},
              {circle(r, 0.0)},
              {}};
  }
  return {text(fmt::format("radius = {}", r), true), r, {Vec3::Zero()}, {}, {}};
}

/// The least value of a function of an angle.
double least_around(const std::function<double(double)>& f) {
  constexpr int count = 90;
  constexpr double golden = 0.6180339887498949;
  std::array<double, count> values{};
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = f(2.0 * pi * i / count);
  double least = INFINITY;
  for (int i = 0; i < count; ++i) {
    const auto value = [&](int k) { return values[static_cast<std::size_t>((k + count) % count)]; };
    if (value(i) > value(i - 1) || value(i) > value(i + 1)) continue;
    double low = 2.0 * pi * (i - 1) / count, high = 2.0 * pi * (i + 1) / count;
    for (int k = 0; k < 40; ++k) {
      const double left = high - golden * (high - low), right = low + golden * (high - low);
      (f(left) < f(right) ? high : low) = f(left) < f(right) ? right : left;
    }
    least = std::min(least, f(0.5 * (low + high)));
  }
  return least;
}

/// The least value of a function on the unit sphere: the best few of many, in ever smaller steps.
double least_on_sphere(const std::function<double(const Vec3&)>& f) {
  constexpr int count = 400;
  constexpr std::size_t few = 6;
  std::vector<std::pair<double, Vec3>> all;
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / count, angle = 2.399963229728653 * i;
    const double r = std::sqrt(1.0 - z * z);
    const Vec3 n(r * std::cos(angle), r * std::sin(angle), z);
    all.emplace_back(f(n), n);
  }
  const auto is_better = [](const auto& one, const auto& two) { return one.first < two.first; };
  std::partial_sort(all.begin(), all.begin() + few, all.end(), is_better);
  double least = INFINITY;
  for (std::size_t i = 0; i < few; ++i) {
    auto [best, n] = all[i];
    double turn = 0.0;
    for (double step = 0.1; step > 1e-7; step *= 0.7) {
      turn += 0.7;  // so that no direction is left out
      const Vec3 u = n.unitOrthogonal(), w = n.cross(u);
      for (int k = 0; k < 6; ++k) {
        const double angle = turn + k * pi / 3.0;
        const Vec3 next = (n + step * (std::cos(angle) * u + std::sin(angle) * w)).normalized();
        if (const double there = f(next); there < best) {
          best = there;
          n = next;
          step /= 0.7;
          break;
        }
      }
    }
    least = std::min(least, best);
  }
  return least;
}

/// Something inside something hollow, and what the library says of them.
class ContainerPairOfKinds : public ::testing::TestWithParam<std::pair<Around, Inside>> {
 protected:
  ContainerPairOfKinds()
      : dice_{std::mt19937(10 * static_cast<unsigned>(GetParam().first) +
                           static_cast<unsigned>(GetParam().second))} {}

  void make() {
    hollow_ = make_hollow(GetParam().first, dice_);
    content_ = make_content(GetParam().second, dice_);
    machine_.emplace(parse_model(
        fmt::format("[[material]]\nname = 'stone'\n[[body]]\nname = 'a'\nmass = 1\ninertia = [1, "
                    "1, 1]\nshape = {}\n[[body]]\nname = 'b'\ndensity = 1\nshape = {}\n"
                    "[integrator]\nstep=1\nduration=1\n",
                    hollow_.text, content_.text),
        "pair.toml"));
    search_.emplace(*machine_);
    q_ = machine_->initial_configuration();
  }

  double depth(const Vec3& of_content) const {
    const Vec3 at = q_[2].x + q_[2].R * of_content - q_[1].x;
    return hollow_.depth(q_[1].R.transpose() * at) - content_.radius;
  }

  double right_gap() const {
    double least = INFINITY;
    for (const Vec3& point : content_.points) least = std::min(least, depth(point));
    for (const auto& circle : content_.circles) {
      least = std::min(least, least_around([&](double angle) { return depth(circle(angle)); }));
    }
    if (content_.surface) {
      least = std::min(least,
                       least_on_sphere([&](const Vec3& u) { return depth(content_.surface(u)); }));
    }
    return least;
  }

  /// Inside, nearly touching the wall or overlapping it by less than what counts as a touch.
  void place() {
    q_[1] = dice_.place(1.0);
    q_[2] = dice_.place(0.0);
    const bool is_groove = GetParam().first == Around::groove;
    // The middle of the tube of a groove is somewhere along its circle.
    const double angle = pi * dice_.number();
    const double radius = is_groove ? machine_->solids()[0].pieces.front().patch.size.x() : 0.0;
    const Vec3 middle = radius * Vec3(std::cos(angle), std::sin(angle), 0.0);
    const Vec3 from = q_[1].x + q_[1].R * middle, way = dice_.vector().normalized();
    double near = 0.0, far = 20.0;
    for (int k = 0; k < 60; ++k) {
      const double away = 0.5 * (near + far);
      q_[2].x = from + away * way;
      (search_->gap(0, 1, q_) > 0.0 ? near : far) = away;
    }
    q_[2].x = from + (near + 2e-5 * dice_.number()) * way;
  }

  Contact nearest_contact() {
    std::vector<ContactKey> keys;
    search_->find(q_, q_, keys);
    std::optional<Contact> nearest;
    for (const ContactKey& key : keys) {
      Contact contact = machine_->contact_of(key);
      if (!nearest || contact.gap(q_) < nearest->gap(q_)) nearest.emplace(std::move(contact));
    }
    if (!nearest) throw std::runtime_error("what is near a wall does not touch it");
    return *nearest;
  }

  Dice dice_;
  Hollow hollow_;
  Content content_;
  std::optional<Machine> machine_;
  std::optional<SolidSearch> search_;
  Configuration q_;
};

INSTANTIATE_TEST_SUITE_P(Containers, ContainerPairOfKinds, ::testing::ValuesIn([] {
                           std::vector<std::pair<Around, Inside>> all;
                           for (const Around a : walls) {
                             for (const Inside b : solids) {
                               if (a != Around::groove || b == Inside::sphere)
                                 all.emplace_back(a, b);
                             }
                           }
                           return all;
                         }()),
                         [](const ::testing::TestParamInfo<std::pair<Around, Inside>>& test) {
                           return fmt::format(
                               "{}_around_{}",
                               wall_names[static_cast<std::size_t>(test.param.first)],
                               solid_names[static_cast<std::size_t>(test.param.second)]);
                         });

/// The gap of the solids, and that of the contact that is nearest, is that of the point that goes
/// furthest into the wall. Searches find it to the square of 1e-7.
TEST_P(ContainerPairOfKinds, is_as_far_from_the_wall_as_its_furthest_point) {
  constexpr double exact = 1e-9;  // of their size, which is about one
  const int cases = testing::cases_of(testing::looks_at_numbers ? 20 : 1);
  for (int i = 0; i < cases; ++i) {
    if (i % 100 == 0) make();
    place();
    const double right = right_gap();
    ASSERT_LT(std::abs(right), 1e-4) << "case " << i;
    EXPECT_NEAR(search_->gap(0, 1, q_), right, exact) << "case " << i;
    const Contact contact = nearest_contact();
    EXPECT_NEAR(contact.gap(q_), right, exact) << "case " << i;
    // The points of contact are as far apart as the gap says, and that of the wall is on it.
    const ContactFrame frame = contact.frame(q_, Vec3::UnitX());
    const bool wall_first = contact.a() == 1;
    Vec3 on_wall = q_[1].x + (wall_first ? frame.arm_a : frame.arm_b);
    const Vec3 on_solid = q_[2].x + (wall_first ? frame.arm_b : frame.arm_a);
    if (contact.has_face()) on_wall -= contact.gap(q_) * frame.normal;  // its foot on the face
    const Vec3 n = wall_first ? frame.normal : Vec3(-frame.normal);
    EXPECT_NEAR(n.dot(on_solid - on_wall), right, exact) << "case " << i;
    EXPECT_LT((on_solid - on_wall - n.dot(on_solid - on_wall) * n).norm(), 1e-7) << "case " << i;
    EXPECT_NEAR(hollow_.depth(q_[1].R.transpose() * (on_wall - q_[1].x)), 0.0, exact)
        << "case " << i;
    if (HasFailure()) return;
  }
}

/// Central differences with e = 1e-6 err by e^2 / 6 times third derivatives.
TEST_P(ContainerPairOfKinds, has_the_derivative_of_its_gap) {
  const int cases = testing::cases_of(testing::looks_at_numbers ? 10 : 1);
  constexpr double e = 1e-6;
  for (int i = 0; i < cases; ++i) {
    if (i % 100 == 0) make();
    place();
    const Contact contact = nearest_contact();
    PairRows rows;
    rows.resize(contact.rows(), 12);
    contact.rates(q_, contact.frame(q_, Vec3::UnitX()), rows);
    for (int k = 0; k < 12; ++k) {
      const auto node = static_cast<std::size_t>(k < 6 ? contact.a() : contact.b());
      const auto moved = [&](double by) {
        Configuration q = q_;
        if (k % 6 < 3) {
          q[node].x[k % 6] += by;
        } else {
          q[node].p = q[node].p * exp_so3(by * Vec3::Unit(k % 3));
          q[node].R = q[node].p.toRotationMatrix();
        }
        return contact.gap(q);
      };
      EXPECT_NEAR((moved(e) - moved(-e)) / (2.0 * e), rows(0, k), 1e-6) << "case " << i << " " << k;
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace clatter
