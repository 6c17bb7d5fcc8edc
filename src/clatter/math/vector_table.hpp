#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

/// The index of the least of some numbers, the first one of several.
inline std::size_t index_of_least(std::span<const double> numbers) {
  // Four by four, which do not wait for each other.
  double least = std::numeric_limits<double>::infinity();
  double second = least, third = least, fourth = least;
  const auto take = [](double number, double& of) { of = number < of ? number : of; };
  std::size_t i = 0;
  for (; i + 4 <= numbers.size(); i += 4) {
    take(numbers[i], least);
    take(numbers[i + 1], second);
    take(numbers[i + 2], third);
    take(numbers[i + 3], fourth);
  }
  for (; i < numbers.size(); ++i) take(numbers[i], least);
  for (const double other : {second, third, fourth}) take(other, least);
  std::size_t first = 0;
  while (first + 1 < numbers.size() && numbers[first] != least) ++first;
  return first;
}

/// Vectors by coordinate: a loop over all of them works on several at once. Sums are rounded as
/// those of Vec3 are.
class VectorTable {
 public:
  std::size_t size() const { return x_.size(); }
  bool empty() const { return x_.empty(); }
  void clear() { resize(0); }
  void resize(std::size_t count) {
    x_.resize(count);
    y_.resize(count);
    z_.resize(count);
  }
  void set(std::size_t i, const Vec3& vector) {
    x_[i] = vector.x();
    y_[i] = vector.y();
    z_[i] = vector.z();
  }
  Vec3 operator[](std::size_t i) const { return {x_[i], y_[i], z_[i]}; }

  /// Those of another table, turned and then shifted.
  void set_placed(const VectorTable& from, const Mat3& turn, const Vec3& shift) {
    resize(from.size());
    for (std::size_t i = 0; i < size(); ++i) {
      const double x = from.x_[i], y = from.y_[i], z = from.z_[i];
      x_[i] = shift[0] + (turn(0, 0) * x + (turn(0, 1) * y + turn(0, 2) * z));
      y_[i] = shift[1] + (turn(1, 0) * x + (turn(1, 1) * y + turn(1, 2) * z));
      z_[i] = shift[2] + (turn(2, 0) * x + (turn(2, 1) * y + turn(2, 2) * z));
    }
  }
  /// The other way: where those are that `set_placed` brings to the other table.
  void set_before_placed(const VectorTable& from, const Mat3& turn, const Vec3& shift) {
    resize(from.size());
    for (std::size_t i = 0; i < size(); ++i) {
      const double x = from.x_[i] - shift[0], y = from.y_[i] - shift[1], z = from.z_[i] - shift[2];
      x_[i] = turn(0, 0) * x + (turn(1, 0) * y + turn(2, 0) * z);
      y_[i] = turn(0, 1) * x + (turn(1, 1) * y + turn(2, 1) * z);
      z_[i] = turn(0, 2) * x + (turn(1, 2) * y + turn(2, 2) * z);
    }
  }

  /// The product of each with one vector.
  void dot(const Vec3& with, std::vector<double>& products) const {
    products.resize(size());
    dot(with, 0, products);
  }

  /// Numbers less the product of each with one vector.
  void subtract_dot(const Vec3& with, std::span<const double> from,
                    std::vector<double>& differences) const {
    differences.resize(size());
    const double *x = x_.data(), *y = y_.data(), *z = z_.data(), *of = from.data();
    const double with_x = with.x(), with_y = with.y(), with_z = with.z();
    double* const difference = differences.data();
    for (std::size_t i = 0, count = size(); i < count; ++i) {
      difference[i] = of[i] - (x[i] * with_x + (y[i] * with_y + z[i] * with_z));
    }
  }

  struct Lowest {
    double height = std::numeric_limits<double>::infinity();
    int index = 0;
  };
  Lowest lowest_along(const Vec3& direction) const {
    std::array<double, 32> heights;
    Lowest lowest;
    for (std::size_t begin = 0; begin < size(); begin += heights.size()) {
      const std::span<double> some(heights.data(), std::min(heights.size(), size() - begin));
      dot(direction, begin, some);
      const std::size_t i = index_of_least(some);
      if (some[i] < lowest.height) lowest = {some[i], static_cast<int>(begin + i)};
    }
    return lowest;
  }

 private:
  void dot(const Vec3& with, std::size_t begin, std::span<double> products) const {
    const double *x = x_.data() + begin, *y = y_.data() + begin, *z = z_.data() + begin;
    const double with_x = with.x(), with_y = with.y(), with_z = with.z();
    double* const product = products.data();
    for (std::size_t i = 0; i < products.size(); ++i) {
      product[i] = x[i] * with_x + (y[i] * with_y + z[i] * with_z);
    }
  }

  std::vector<double> x_, y_, z_;
};

}  // namespace clatter
