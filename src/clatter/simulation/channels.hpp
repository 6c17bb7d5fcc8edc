#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <clatter/machine/kkt_matrix.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/machine/model.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/channel.hpp>
#include <clatter/simulation/shared_forces.hpp>

namespace clatter {

/// From so many bodies on they are a crowd: a table for each quantity instead of one for each body
/// and quantity, points instead of surfaces for ParaView, and no accelerations.
inline constexpr std::size_t crowd_of_bodies = 100;

/// Everything that can be recorded of a run, and how it is read off the state.
class ChannelList {
 public:
  /// Machine and count must outlive the list. `separates_forces`: contacts have forces apart from
  /// impulses; `substeps`: parts of steps that were cut so far.
  ChannelList(const Model& model, const Machine& machine, bool separates_forces,
              const long& substeps);
  ChannelList(const ChannelList&) = delete;
  ChannelList& operator=(const ChannelList&) = delete;
  ChannelList(ChannelList&&) = delete;
  ChannelList& operator=(ChannelList&&) = delete;
  ~ChannelList() = default;

  /// In the order of the row.
  const std::vector<Channel>& list() const { return channels_; }
  int row_size() const { return row_size_; }
  /// Fills the row with the values of a state.
  void sample(const State& state, std::span<double> row) const;
  /// The values of one channel, or of one component: "bodies/ball/position/z". Throws Error when
  /// there is no such path.
  std::vector<double> read(const State& state, std::string_view path) const;
  double read_one(const State& state, std::string_view path) const;

 private:
  std::optional<std::vector<double>> find(const State& state, std::string_view path) const;
  using Put = std::function<void(const State&, double*)>;
  /// Puts the values of one channel, or of some that follow each other, from `offset` on.
  struct Fill {
    int offset;
    Put put;
  };
  /// One multiplier for each row of a joint.
  using JointMultipliers = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, KktMatrix::max_rows, 1>;

  void add(std::string path, std::vector<std::string> components, std::string unit, Put fill);
  void add_unfilled(std::string path, std::vector<std::string> components, std::string unit);
  void list_body(const BodySpec& body, std::size_t n);
  void list_accelerations(const Model& model);
  void list_nodes(const Beam& beam);
  void list_sections(const Beam& beam);
  template <class Element>
  void list_force_element(const Element& element, std::size_t e);
  void list_joint(std::size_t j);
  void list_coupler(std::size_t j);
  void list_signals();
  void list_contact(std::size_t c);
  void list_recovered_forces(const Model& model);
  void list_bearing(const Model& model, const BearingSpec& bearing);
  void list_contact_angles(const BearingSpec& bearing, int outer);
  void list_roller_angles(const BearingSpec& bearing, int outer, const std::vector<int>& rollers);
  void list_bearing_forces(const Model& model);
  /// Of a ball of a bearing, by the end of its name.
  std::size_t own_contact(const std::string& ball, std::string_view end) const;
  void list_group(std::size_t g, const std::string& name);
  void list_pairs(const std::vector<std::string>& parts, bool planar);
  void list_momentum();
  void list_energy();
  void list_counters(const long& substeps);

  /// Resultants, then strains, each for all elements.
  void put_sections(const Beam& beam, const State& state, double* out) const;
  JointMultipliers of_joint(const VecX& all, std::size_t j) const;
  /// In a step with an impact the jump is an impulse, not a force.
  JointMultipliers mean_force(const State& state, std::size_t j) const;
  /// Force, torque and impulse on b at the joint.
  void put_joint(const State& state, std::size_t j, double* out) const;

  /// By which the forces that the last step left with an own contact are to be multiplied: where
  /// they are not apart from impulses, that of a step without an impact tells the mean force.
  double force_factor(const State& state, std::size_t c) const;
  double normal_force(const State& state, std::size_t c) const;

  const Machine& machine_;
  bool separates_forces_;
  bool conserves_;  ///< contacts exchange energy within steps
  SharedForces shared_;
  std::vector<Channel> channels_;
  std::vector<Fill> fills_;
  int row_size_ = 0;
};

}  // namespace clatter
