// Time for one pair of convex solids that move a little from query to query, as in a simulation:
// where they touch, or how far they are apart. Beside FCL and Bullet where these are installed
// (Debian: libfcl-dev, libbullet-dev); both are asked for their contact points likewise. Bullet
// remembers the pair from query to query, clatter remembers nothing. `points` is how many each one
// finds, on average: clatter all that carry the contact, also those that are just apart.

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <clatter/contact/shapes/polytope_pair.hpp>

#ifdef CLATTER_HAS_FCL
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#endif
#ifdef CLATTER_HAS_BULLET
#include <btBulletCollisionCommon.h>
#endif

namespace clatter {
namespace {

struct Scene {
  std::string name;
  bool are_boxes;
  bool touch;
  Mat3 turn;   // of the second solid
  Vec3 place;  // of the second solid

  /// Where the second solid is at a query.
  Vec3 place_at(long query) const {
    const double t = 0.1 * static_cast<double>(query);
    return place + 1e-3 * Vec3(std::sin(t), std::cos(t), touch ? 0.0 : std::sin(2.0 * t));
  }
};

const Vec3 box_size(1.0, 1.2, 0.8);

Mat3 turned(double about_x, double about_y, double about_z) {
  return (Eigen::AngleAxisd(about_x, Vec3::UnitX()) * Eigen::AngleAxisd(about_y, Vec3::UnitY()) *
          Eigen::AngleAxisd(about_z, Vec3::UnitZ()))
      .toRotationMatrix();
}

std::vector<Vec3> points_on_sphere() {
  std::mt19937 dice(1);
  std::normal_distribution<double> normal;
  std::vector<Vec3> points(20);
  for (Vec3& point : points) point = Vec3(normal(dice), normal(dice), normal(dice)).normalized();
  return points;
}

Polytope solid_of(const Scene& scene) {
  return scene.are_boxes ? make_box(box_size) : make_hull(points_on_sphere());
}

/// The first solid is where it is; the second one hangs 1e-4 in it, or half of its size away.
std::vector<Scene> make_scenes() {
  std::vector<Scene> scenes{{"boxes, face on face", true, true, turned(0.0, 0.0, 0.5), {}},
                            {"boxes, corner on face", true, true, turned(0.5, 0.3, 0.5), {}},
                            {"boxes, edge across edge", true, true, turned(0.785, 0.0, 0.3), {}},
                            {"hulls of 20 points", false, true, turned(0.5, 0.3, 0.5), {}},
                            {"boxes apart", true, false, turned(0.5, 0.3, 0.5), {}},
                            {"hulls apart", false, false, turned(0.5, 0.3, 0.5), {}}};
  for (Scene& scene : scenes) {
    const Polytope solid = solid_of(scene);
    NodeState first, second;
    second.R = scene.turn;
    PolytopePair pair;
    double above = 0.0, within = 4.0;  // the first is above the second along z
    for (int halving = 0; halving < 60; ++halving) {
      second.x = Vec3(0.1, 0.05, 0.5 * (above + within));
      pair.place(solid, first, solid, second);
      (pair.gap() > (scene.touch ? -1e-4 : 0.5) ? within : above) = second.x.z();
    }
    scene.place = second.x;
  }
  return scenes;
}

const std::vector<Scene>& scenes() {
  static const std::vector<Scene> all = make_scenes();
  return all;
}

void time_clatter(benchmark::State& state, const Scene& scene) {
  const Polytope solid = solid_of(scene);
  NodeState first, second;
  second.R = scene.turn;
  PolytopePair pair;
  std::vector<Touch> touches;
  double points = 0.0;
  for (long query = 0; auto _ : state) {
    second.x = scene.place_at(query++);
    pair.place(solid, first, solid, second);
    if (scene.touch) {
      pair.find_touches(1e-3, true, touches);
      points += static_cast<double>(touches.size());
    } else {
      benchmark::DoNotOptimize(pair.gap());
    }
  }
  state.counters["points"] = benchmark::Counter(points, benchmark::Counter::kAvgIterations);
}

#ifdef CLATTER_HAS_FCL
std::shared_ptr<fcl::CollisionGeometryd> fcl_solid_of(const Scene& scene) {
  if (scene.are_boxes) return std::make_shared<fcl::Boxd>(box_size.x(), box_size.y(), box_size.z());
  const Polytope hull = solid_of(scene);
  auto corners = std::make_shared<std::vector<fcl::Vector3d>>(hull.corners);
  auto faces = std::make_shared<std::vector<int>>();
  for (const Polytope::Face& face : hull.faces) {
    faces->push_back(static_cast<int>(face.corners.size()));
    faces->insert(faces->end(), face.corners.begin(), face.corners.end());
  }
  return std::make_shared<fcl::Convexd>(corners, static_cast<int>(hull.faces.size()), faces);
}

void time_fcl(benchmark::State& state, const Scene& scene) {
  fcl::CollisionObjectd first(fcl_solid_of(scene)), second(fcl_solid_of(scene));
  double points = 0.0;
  fcl::CollisionRequestd touch(8, true);
  fcl::DistanceRequestd distance(true, true);
  for (long query = 0; auto _ : state) {
    second.setTransform(scene.turn, scene.place_at(query++));
    if (scene.touch) {
      fcl::CollisionResultd result;
      fcl::collide(&first, &second, touch, result);
      points += static_cast<double>(result.numContacts());
    } else {
      fcl::DistanceResultd result;
      benchmark::DoNotOptimize(fcl::distance(&first, &second, distance, result));
    }
  }
  state.counters["points"] = benchmark::Counter(points, benchmark::Counter::kAvgIterations);
}
#endif

#ifdef CLATTER_HAS_BULLET
std::unique_ptr<btConvexShape> bullet_solid_of(const Scene& scene) {
  const auto vector = [](const Vec3& v) { return btVector3(v.x(), v.y(), v.z()); };
  if (scene.are_boxes) return std::make_unique<btBoxShape>(vector(0.5 * box_size));
  auto hull = std::make_unique<btConvexHullShape>();
  for (const Vec3& corner : solid_of(scene).corners) hull->addPoint(vector(corner));
  hull->initializePolyhedralFeatures();
  return hull;
}

/// Contact points, or with the solids apart the nearest ones: Bullet looks for both alike, up to
/// the distance at which it drops contacts.
void time_bullet(benchmark::State& state, const Scene& scene) {
  const std::unique_ptr<btConvexShape> solid = bullet_solid_of(scene);
  solid->setMargin(1e-3);
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btCollisionObject first, second;
  first.setCollisionShape(solid.get());
  second.setCollisionShape(solid.get());
  btTransform at;
  at.setIdentity();
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) at.getBasis()[i][k] = scene.turn(i, k);
  }
  const btCollisionObjectWrapper of_first(nullptr, solid.get(), &first, first.getWorldTransform(),
                                          -1, -1);
  const btCollisionObjectWrapper of_second(nullptr, solid.get(), &second,
                                           second.getWorldTransform(), -1, -1);
  const btDispatcherInfo info;
  btCollisionAlgorithm* algorithm =
      dispatcher.findAlgorithm(&of_first, &of_second, nullptr, BT_CLOSEST_POINT_ALGORITHMS);
  btManifoldResult result(&of_first, &of_second);
  result.m_closestPointDistanceThreshold = scene.touch ? 0.0 : 1.0;
  double points = 0.0;
  for (long query = 0; auto _ : state) {
    const Vec3 place = scene.place_at(query++);
    at.setOrigin(btVector3(place.x(), place.y(), place.z()));
    second.setWorldTransform(at);
    algorithm->processCollision(&of_first, &of_second, info, &result);
    points += result.getPersistentManifold()->getNumContacts();
  }
  state.counters["points"] = benchmark::Counter(points, benchmark::Counter::kAvgIterations);
  algorithm->~btCollisionAlgorithm();
  dispatcher.freeCollisionAlgorithm(algorithm);
}
#endif

const bool are_registered = [] {
  for (const Scene& scene : scenes()) {
    const auto add = [&](const std::string& whose, void (*time)(benchmark::State&, const Scene&)) {
      benchmark::RegisterBenchmark((scene.name + "/" + whose).c_str(), time, scene);
    };
    add("clatter", time_clatter);
#ifdef CLATTER_HAS_FCL
    add("FCL", time_fcl);
#endif
#ifdef CLATTER_HAS_BULLET
    add("Bullet", time_bullet);
#endif
  }
  return true;
}();

}  // namespace
}  // namespace clatter
