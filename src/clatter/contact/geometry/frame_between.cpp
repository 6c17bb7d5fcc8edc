#include <clatter/contact/geometry/frame_between.hpp>

namespace clatter {
namespace {

Vec3 overlap(const Contact& contact, const Configuration& q, const ContactFrame& frame) {
  const Vec3 between =
      q[static_cast<std::size_t>(contact.b())].x - q[static_cast<std::size_t>(contact.a())].x;
  return between + frame.arm_b - frame.arm_a;
}

}  // namespace

ContactFrame frame_between(const Contact& contact, const Configuration& q, const Vec3& tangent) {
  ContactFrame frame = contact.frame(q, tangent);
  const Vec3 half = 0.5 * overlap(contact, q, frame);
  frame.arm_a += half;
  frame.arm_b -= half;
  return frame;
}

FrameDerivative derivative_between(const Contact& contact, const Configuration& q,
                                   const ContactFrame& between) {
  FrameDerivative d = contact.derivative(q, between);
  FrameDerivative::Of half = d.arm_b - d.arm_a;
  add_displacement(half);
  half *= 0.5;
  d.arm_a += half;
  d.arm_b -= half;
  return d;
}

}  // namespace clatter
