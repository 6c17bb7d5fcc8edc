#include <gtest/gtest.h>

#include <clatter/model/mass_properties.hpp>
#include <clatter/model/similar_shape.hpp>

namespace clatter {
namespace similar_shape_test {

BodySpec body_of(const Shape& shape, BodyKind kind) {
  BodySpec body;
  body.kind = kind;
  PlacedShape placed{shape};
  placed.position = Vec3(0.2, 0.1, kind == BodyKind::planar ? 0.0 : -0.3);
  body.shapes = {placed};
  take_properties(properties_of_density(body.shapes, kind == BodyKind::planar, 700.0), body);
  return body;
}

// Enlarged mass properties are those of the enlarged shape.
TEST(SimilarShape, has_the_mass_and_inertia_of_its_size) {
  const std::vector<Shape> in_space = {SphereShape{0.2},
                                       BoxShape{Vec3(0.1, 0.2, 0.3)},
                                       CylinderShape{0.1, 0.4},
                                       DiscShape{0.3, 0.05},
                                       CapsuleShape{0.1, 0.2},
                                       ConeShape{0.1, 0.3},
                                       EllipsoidShape{Vec3(0.1, 0.2, 0.3)},
                                       RingShape{0.3, 0.05}};
  const std::vector<Shape> in_plane = {
      DiscShape{0.3, 0.05}, EllipseShape{0.2, 0.1},
      PolygonShape{{Vec3(0, 0, 0), Vec3(0.4, 0, 0), Vec3(0.1, 0.3, 0)}, 0.2}};
  for (const BodyKind kind : {BodyKind::rigid, BodyKind::planar}) {
    const bool planar = kind == BodyKind::planar;
    for (const Shape& shape : planar ? in_plane : in_space) {
      BodySpec body = body_of(shape, kind);
      const double before = *radius_around(body.shapes, planar);
      enlarge(body, 2.5);
      EXPECT_NEAR(*radius_around(body.shapes, planar), 2.5 * before, 1e-14);
      const MassProperties found = properties_of_density(body.shapes, planar, 700.0);
      EXPECT_NEAR(body.mass, found.mass, 1e-13 * found.mass) << shape.index();
      EXPECT_NEAR(body.inertia(2, 2), found.inertia(2, 2), 1e-12 * found.inertia(2, 2));
      EXPECT_LT((body.centre_of_mass - found.centre).norm(), 1e-13);
    }
  }
}

TEST(SimilarShape, of_what_has_no_end_is_unknown) {
  EXPECT_FALSE(radius_around({PlacedShape{HalfSpaceShape{}}}, false));
  EXPECT_FALSE(radius_around({}, false));
}

}  // namespace similar_shape_test
}  // namespace clatter
