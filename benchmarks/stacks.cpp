// Time of a step of stacks at rest, beside Bullet and MuJoCo where these are installed (Debian:
// libbullet-dev, libmujoco-dev): a tower of ten boxes, each turned by 5 degrees against the one
// below, and a wall of 33 bricks in running bond. `nsga` lets what rests sleep, unless it is to
// stay awake; the peers are to stay awake, too. All find the contacts themselves. `drift` is how
// far any box has gone after all steps [m]; the peers let boxes sink and creep, and solve to no
// stated tolerance.

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/simulation.hpp>

#ifdef CLATTER_HAS_BULLET
#include <btBulletDynamicsCommon.h>
#endif
#ifdef CLATTER_HAS_MUJOCO
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <mujoco/mujoco.h>
#endif

namespace clatter {
namespace {

constexpr double friction = 0.4, gravity = 9.81;
constexpr int steps = 1000;

struct Box {
  double mass;
  Vec3 size, place;
  double angle;  // about the vertical [rad]
};
using Boxes = std::vector<Box>;

Boxes tower() {
  Boxes boxes;
  for (int i = 0; i < 10; ++i) {
    constexpr std::array masses{1.0, 1.5, 2.0};
    boxes.push_back({masses[static_cast<std::size_t>(i) % 3], Vec3(0.2, 0.2, 0.1),
                     Vec3(0, 0, 0.05 + 0.1 * i), i * 5.0 * std::numbers::pi / 180.0});
  }
  return boxes;
}

Boxes wall() {
  Boxes boxes;
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 6 - row % 2; ++column) {
      const double x = 0.2 * column + 0.1 * (row % 2);
      boxes.push_back({1.0, Vec3(0.199, 0.1, 0.1), Vec3(x, 0, 0.05 + 0.1 * row), 0.0});
    }
  }
  return boxes;
}

struct Scene {
  std::string name;
  Boxes boxes;
  double step;
};

double drift_of(const Boxes& boxes, const std::function<Vec3(std::size_t)>& place) {
  double drift = 0.0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    drift = std::max(drift, (place(i) - boxes[i].place).norm());
  }
  return drift;
}

// ---- clatter
// ---------------------------------------------------------------------------------------

std::string model_of(const Scene& scene, const std::string& scheme, bool sleep) {
  std::string text = fmt::format(
      "gravity = [0, 0, {}]\n[[material]]\nname = 'stone'\nfriction = {}\n"
      "[ground]\nshape = {{ kind = 'half_space', material = 'stone' }}\n",
      -gravity, friction);
  for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
    const Box& box = scene.boxes[i];
    text += fmt::format(
        "[[body]]\nname = 'box{}'\nmass = {}\nposition = [{}, {}, {}]\n"
        "orientation = {{ axis = [0, 0, 1], angle = {} }}\n"
        "shape = {{ kind = 'box', size = [{}, {}, {}], material = 'stone' }}\n",
        i, box.mass, box.place.x(), box.place.y(), box.place.z(), box.angle, box.size.x(),
        box.size.y(), box.size.z());
  }
  return text + fmt::format("[integrator]\nname = '{}'\nstep = {}\nduration = {}\nsleep = {}\n",
                            scheme, scene.step, 1e4 * scene.step, sleep);
}

void run_clatter(benchmark::State& state, const Scene& scene, const std::string& scheme,
                 bool sleep) {
  Simulation simulation(parse_model(model_of(scene, scheme, sleep), "stack.toml"));
  for (auto _ : state) simulation.step();
  state.counters["drift"] =
      drift_of(scene.boxes, [&](std::size_t i) { return simulation.state().q[i + 1].x; });
}

// ---- Peers
// -----------------------------------------------------------------------------------------

#ifdef CLATTER_HAS_BULLET
void run_bullet(benchmark::State& state, const Scene& scene) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity({0, 0, -gravity});
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  const auto add = [&](btCollisionShape* shape, double mass, const btTransform& at) {
    shapes.emplace_back(shape);
    btVector3 inertia(0, 0, 0);
    if (mass > 0.0) shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform = at;
    info.m_friction = std::sqrt(friction);
    bodies.push_back(std::make_unique<btRigidBody>(info));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(bodies.back().get());
  };
  add(new btStaticPlaneShape({0, 0, 1}, 0), 0.0, btTransform::getIdentity());
  for (const Box& box : scene.boxes) {
    add(new btBoxShape({box.size.x() / 2, box.size.y() / 2, box.size.z() / 2}), box.mass,
        btTransform(btQuaternion({0, 0, 1}, box.angle),
                    {box.place.x(), box.place.y(), box.place.z()}));
  }
  for (auto _ : state) world.stepSimulation(scene.step, 0);
  state.counters["drift"] = drift_of(scene.boxes, [&](std::size_t i) {
    const btVector3& x = bodies[i + 1]->getWorldTransform().getOrigin();
    return Vec3(x.x(), x.y(), x.z());
  });
  for (const auto& body : bodies) world.removeRigidBody(body.get());
}
#endif

#ifdef CLATTER_HAS_MUJOCO
void run_mujoco(benchmark::State& state, const Scene& scene) {
  std::string text = fmt::format(
      "<mujoco><compiler angle='radian'/><size njmax='4000' nconmax='1000'/>"
      "<option timestep='{}' gravity='0 0 {}' cone='elliptic'/>"
      "<default><geom condim='3' friction='{} 0.005 0.0001'/></default>"
      "<worldbody><geom type='plane' size='0 0 1'/>",
      scene.step, -gravity, friction);
  for (const Box& box : scene.boxes) {
    text += fmt::format(
        "<body pos='{} {} {}' quat='{} 0 0 {}'><freejoint/><geom type='box' size='{} {} {}' "
        "mass='{}'/></body>",
        box.place.x(), box.place.y(), box.place.z(), std::cos(0.5 * box.angle),
        std::sin(0.5 * box.angle), 0.5 * box.size.x(), 0.5 * box.size.y(), 0.5 * box.size.z(),
        box.mass);
  }
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("clatter-stacks-{}.xml", ::getpid());
  std::ofstream(file) << text << "</worldbody></mujoco>";
  std::array<char, 1000> error{};
  mjModel* model = mj_loadXML(file.c_str(), nullptr, error.data(), static_cast<int>(error.size()));
  std::filesystem::remove(file);
  if (model == nullptr) {
    state.SkipWithError(error.data());
    return;
  }
  mjData* data = mj_makeData(model);
  for (auto _ : state) mj_step(model, data);
  state.counters["drift"] =
      drift_of(scene.boxes, [&](std::size_t i) { return Vec3(data->qpos + 7 * i); });
  mj_deleteData(data);
  mj_deleteModel(model);
}
#endif

int register_all() {
  const std::vector<Scene> scenes{
      {"tower", tower(), 1e-3}, {"wall", wall(), 1e-3}, {"wall, h = 4e-3", wall(), 4e-3}};
  for (const Scene& scene : scenes) {
    const auto add = [&](const std::string& who, const auto& run) {
      benchmark::RegisterBenchmark((scene.name + "/" + who).c_str(), run)
          ->Iterations(steps)
          ->Unit(benchmark::kMicrosecond);
    };
    for (const std::string scheme : {"nsga", "nsga_coupled", "moreau"}) {
      add(scheme, [=](benchmark::State& state) { run_clatter(state, scene, scheme, true); });
    }
    add("nsga awake", [=](benchmark::State& state) { run_clatter(state, scene, "nsga", false); });
#ifdef CLATTER_HAS_BULLET
    add("Bullet", [=](benchmark::State& state) { run_bullet(state, scene); });
#endif
#ifdef CLATTER_HAS_MUJOCO
    add("MuJoCo", [=](benchmark::State& state) { run_mujoco(state, scene); });
#endif
  }
  return 0;
}
[[maybe_unused]] const int registered = register_all();

}  // namespace
}  // namespace clatter
