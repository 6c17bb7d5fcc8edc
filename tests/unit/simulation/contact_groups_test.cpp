#include <string>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/contact_list.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace contact_groups_test {

const std::string twelve_balls = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "ball"
density = 2500
shape = { kind = "sphere", radius = 0.02 }
position = [0, 0, 0.03]
repeat = { count = [2, 2, 3], spacing = [0.05, 0.05, 0.05], jitter = 0.004, seed = 7 }
[[contact]]
name = "floor"
sphere = { body = "ball" }
face = { normal = [0, 0, 1] }
friction = 0.3
restitution = 0.3
[integrator]
step = 1e-3
duration = 0.3
)";

std::string pairs(const std::string& name, const std::string& sphere, const std::string& other) {
  return "[[contact]]\nname = \"" + name + "\"\nsphere = { " + sphere + " }\nother = { " + other +
         " }\nfriction = 0.2\nrestitution = 0.3\n";
}

Model group() {
  return parse_model(twelve_balls + pairs("pair", "body = \"ball\"", "body = \"ball\""), "group");
}

/// The same contacts in three lists, each too short for a group.
Model listed() {
  const std::string low =
      R"(bodies = ["ball.0", "ball.1", "ball.2", "ball.3", "ball.4", "ball.5"])";
  const std::string high =
      R"(bodies = ["ball.6", "ball.7", "ball.8", "ball.9", "ball.10", "ball.11"])";
  return parse_model(
      twelve_balls + pairs("low", low, low) + pairs("high", high, high) + pairs("both", low, high),
      "listed");
}

TEST(ContactGroups, are_made_of_more_than_sixty_pairs) {
  EXPECT_EQ(group().contact_groups.size(), 1U);
  EXPECT_EQ(listed().contact_groups.size(), 0U);
  EXPECT_EQ(listed().contacts.size(), 12U + 15U + 15U + 36U);
}

TEST(ContactGroups, move_as_the_contacts_of_all_pairs_do) {
  Simulation one(group()), other(listed());
  std::vector<double> row(static_cast<std::size_t>(one.row_size())),
      other_row(static_cast<std::size_t>(other.row_size()));
  while (!one.finished()) {
    one.step();
    other.step();
  }
  one.sample(row);
  other.sample(other_row);
  double moved = 0.0;
  for (const Channel& channel : one.channels()) {
    if (!channel.path.starts_with("bodies/") || !channel.path.ends_with("/position")) continue;
    const auto same = std::find_if(other.channels().begin(), other.channels().end(),
                                   [&](const Channel& c) { return c.path == channel.path; });
    ASSERT_NE(same, other.channels().end());
    for (std::size_t i = 0; i < channel.components.size(); ++i) {
      const double x = row[static_cast<std::size_t>(channel.offset) + i];
      // Collisions of spheres make differences grow; 1e-10 at each of some ten.
      EXPECT_NEAR(x, other_row[static_cast<std::size_t>(same->offset) + i], 1e-6) << channel.path;
      moved = std::max(moved, std::abs(x));
    }
  }
  EXPECT_GT(moved, 0.02);
}

TEST(ContactGroups, hold_the_pairs_that_are_near) {
  const Model model = group();
  Machine machine(model);
  Configuration q = machine.initial_configuration();
  ContactList list(machine);
  ContactSearch search;
  const std::size_t own = list.own();
  EXPECT_EQ(own, 12U);                      // with the floor
  q[2].x = q[1].x + Vec3(0.041, 0.0, 0.0);  // a gap of 1 mm
  const std::vector<double> reach(q.size(), 1e-3);
  list.update(search, q, q, reach);
  const auto holds = [&](int one, int two) {
    for (const ContactKey& key : search.keys) {
      if (key == ContactKey{0, one, two}) return true;
    }
    return false;
  };
  EXPECT_TRUE(holds(0, 1));
  q[2].x += Vec3(1.0, 0.0, 0.0);
  EXPECT_TRUE(list.update(search, q, q, reach));
  EXPECT_FALSE(holds(0, 1));
  for (std::size_t c = own; c < list.contacts().size(); ++c) {
    EXPECT_EQ(list.contacts()[c].group, 0);
  }
}

TEST(ContactGroups, are_told_by_channels_of_their_own) {
  const Simulation simulation(group());
  std::vector<std::string> paths;
  for (const Channel& channel : simulation.channels()) paths.push_back(channel.path);
  for (const char* name : {"closed", "sticking", "smallest_gap", "normal_impulse"}) {
    EXPECT_NE(std::find(paths.begin(), paths.end(), std::string("contacts/pair/") + name),
              paths.end())
        << name;
  }
}

}  // namespace contact_groups_test
}  // namespace clatter
