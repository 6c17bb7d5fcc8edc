#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <clatter/math/so3.hpp>
#include <clatter/model/beam_mesh.hpp>

namespace clatter {
namespace {

// Sine of the angle below which two directions count as one: six digits, as people write them.
constexpr double along_slack = 1e-6;
// Legs whose axes differ by no more than round-off make no corner.
constexpr double corner_slack = 1e-14;

struct Leg {
  Vec3 start;
  double length;
  Mat3 axes;  // of the sections at its start
  int elements;
};

// Unit vector along the part of `v` that is perpendicular to x; nothing when v is along x.
std::optional<Vec3> perpendicular_part(const Vec3& v, const Vec3& x) {
  const Vec3 direction = v.stableNormalized();
  const Vec3 across = direction - direction.dot(x) * x;
  if (across.norm() < along_slack) return std::nullopt;
  // Once more, since the first subtraction may have cancelled all but a few digits.
  const Vec3 y = across.normalized();
  return (y - y.dot(x) * x).normalized();
}

Mat3 section_axes(const BeamSpec& beam, const Vec3& x) {
  Mat3 axes;
  if (beam.planar) {
    axes << x, Vec3(-x.y(), x.x(), 0.0), Vec3::UnitZ();
    return axes;
  }
  std::optional<Vec3> y;
  if (beam.y_axis) {
    y = perpendicular_part(*beam.y_axis, x);
    if (!y) {
      throw Error(beam.place, fmt::format("beam '{}': 'y_axis' lies along the beam", beam.name));
    }
  } else {
    const Vec3 horizontal(-x.y(), x.x(), 0.0);  // z x x
    y = perpendicular_part(horizontal.norm() < along_slack ? Vec3::UnitY() : horizontal, x);
  }
  axes << x, *y, x.cross(*y);
  return axes;
}

// By length with largest remainders, at least one each. A leg that is due less than one gets one;
// the others share what is left.
std::vector<int> share_out(int elements, const std::vector<double>& lengths) {
  const std::size_t legs = lengths.size();
  std::vector<std::size_t> order(legs);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return lengths[i] < lengths[j]; });
  std::vector<int> share(legs, 1);
  double length = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  int left = elements;
  std::size_t short_legs = 0;
  while (short_legs < legs && left * (lengths[order[short_legs]] / length) < 1.0) {
    length -= lengths[order[short_legs++]];
    --left;
  }
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(short_legs));

  std::vector<double> remainder(legs, 0.0);
  const int to_share = left;
  for (const std::size_t i : order) {
    const double due = to_share * (lengths[i] / length);
    share[i] = static_cast<int>(due);
    remainder[i] = due - share[i];
    left -= share[i];
  }
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return remainder[i] > remainder[j] || (remainder[i] == remainder[j] && i < j);
  });
  for (std::size_t k = 0; k < order.size() && left > 0; ++k, --left) ++share[order[k]];
  return share;
}

void check_turn(const BeamSpec& beam, const Vec3& curvature, double element_length) {
  const double turn = curvature.norm() * element_length;
  if (turn <= largest_element_turn) return;
  throw Error(beam.place,
              fmt::format("beam '{}': its curvature turns each element by {:.3g} rad, the most "
                          "is {:.3g}; take more elements",
                          beam.name, turn, largest_element_turn));
}

std::vector<Leg> legs_of(const BeamSpec& beam) {
  std::vector<double> lengths;
  for (std::size_t i = 0; i + 1 < beam.points.size(); ++i) {
    lengths.push_back((beam.points[i + 1] - beam.points[i]).stableNorm());
    if (!(lengths.back() > 0.0)) {
      throw Error(beam.place,
                  fmt::format("beam '{}': corners {} and {} coincide", beam.name, i + 1, i + 2));
    }
  }
  const int count = static_cast<int>(lengths.size());
  if (count == 0) {
    throw Error(beam.place, fmt::format("beam '{}' needs at least two points", beam.name));
  }
  if (beam.elements < count) {
    throw Error(beam.place, fmt::format("beam '{}': {} legs need at least {} elements", beam.name,
                                        count, count));
  }
  if (count > 1 && !beam.curvature.isZero(0.0)) {
    throw Error(beam.place,
                fmt::format("beam '{}': a beam with corners cannot have a curvature", beam.name));
  }
  const std::vector<int> share = share_out(beam.elements, lengths);
  std::vector<Leg> legs;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const double element_length = lengths[i] / share[i];
    check_turn(beam, beam.curvature, element_length);
    check_turn(beam, beam.unstressed_curvature.value_or(beam.curvature), element_length);
    const Vec3 x = (beam.points[i + 1] - beam.points[i]).stableNormalized();
    legs.push_back({beam.points[i], lengths[i], section_axes(beam, x), share[i]});
  }
  return legs;
}

// The section of a leg at arc length s. The direction turns by s times the curvature, and
// integrated over s it is the transposed tangent: T(psi)^T e_1 is the mean of exp(skew(psi)) e_1
// over its way from zero.
BeamMesh::Node section_at(const Leg& leg, const Vec3& curvature, double s) {
  if (curvature.isZero(0.0)) return {leg.start + leg.axes * (s * Vec3::UnitX()), leg.axes};
  const Vec3 psi = s * curvature;
  const Vec3 along = s * tangent_so3(psi).transpose() * Vec3::UnitX();
  return {leg.start + leg.axes * along, leg.axes * exp_so3(psi).toRotationMatrix()};
}

}  // namespace

BeamMesh mesh_of(const BeamSpec& beam) {
  const std::vector<Leg> legs = legs_of(beam);
  BeamMesh mesh;
  mesh.nodes.reserve(static_cast<std::size_t>(beam.elements) + 1);
  mesh.elements.reserve(static_cast<std::size_t>(beam.elements));
  mesh.nodes.push_back({legs.front().start, legs.front().axes});
  for (std::size_t i = 0; i < legs.size(); ++i) {
    const Leg& leg = legs[i];
    const bool is_straight = beam.curvature.isZero(0.0);
    for (int e = 0; e < leg.elements; ++e) {
      BeamMesh::Element element{leg.length / leg.elements};
      if (e == 0) {
        const Mat3 corner = mesh.nodes.back().orientation.transpose() * leg.axes;
        if (!corner.isIdentity(corner_slack)) element.frame_a = corner;
      }
      const bool last = e + 1 == leg.elements;
      const double s = last ? leg.length : leg.length * (e + 1) / leg.elements;
      BeamMesh::Node node = section_at(leg, beam.curvature, s);
      if (last && is_straight) node.position = beam.points[i + 1];
      mesh.nodes.push_back(node);
      mesh.elements.push_back(element);
    }
  }
  return mesh;
}

std::string beam_node_name(const BeamSpec& beam, int node) {
  return fmt::format("{}.{}", beam.name, node);
}

double length_of(const BeamSpec& beam) {
  double length = 0.0;
  for (std::size_t i = 0; i + 1 < beam.points.size(); ++i) {
    length += (beam.points[i + 1] - beam.points[i]).stableNorm();
  }
  return length;
}

}  // namespace clatter
