#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <clatter/machine/system.hpp>
#include <clatter/model/model.hpp>
#include <clatter/schemes/integrator.hpp>
#include <clatter/simulation/books.hpp>
#include <clatter/simulation/channel.hpp>

namespace clatter {

/// Everything that can be recorded of a run, and how it is read off the state.
class ChannelList {
 public:
  /// Reads `system`, `integrator` and `books` at every sample: they must outlive the list.
  ChannelList(const Model& model, const System& system, const Integrator& integrator,
              const Books& books);
  ChannelList(const ChannelList&) = delete;
  ChannelList& operator=(const ChannelList&) = delete;
  ChannelList(ChannelList&&) = delete;
  ChannelList& operator=(ChannelList&&) = delete;
  ~ChannelList() = default;

  /// In the order of the row.
  const std::vector<Channel>& list() const { return channels_; }
  int row_size() const { return row_size_; }
  /// Fills the row with the values now; allocates nothing.
  void sample(std::span<double> row) const;

 private:
  /// Puts the values of one channel, or of some that follow each other, from `offset` on.
  struct Fill {
    int offset;
    std::function<void(double*)> put;
  };
  /// One multiplier for each row of a joint.
  using JointMultipliers = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, KktMatrix::max_rows, 1>;

  void add(std::string path, std::vector<std::string> components, std::string unit,
           std::function<void(double*)> fill);
  void add_unfilled(std::string path, std::vector<std::string> components, std::string unit);
  void list_body(const BodySpec& body, std::size_t n);
  void list_nodes(const Beam& beam);
  void list_sections(const Beam& beam);
  void list_spring(const Spring& spring);
  void list_joint(std::size_t j);
  void list_contact(std::size_t c);
  void list_group(int g);
  void list_momentum();
  void list_energy();
  void list_counters();

  /// Resultants, then strains, each for all elements.
  void put_sections(const Beam& beam, double* out) const;
  JointMultipliers of_joint(const VecX& all, std::size_t j) const;
  /// In a step with an impact the jump is an impulse, not a force.
  JointMultipliers mean_force(std::size_t j) const;
  /// Force and torque on b at the joint.
  void joint_reaction(std::size_t j, const JointMultipliers& multipliers, Vec3& force,
                      Vec3& torque) const;

  const System& system_;
  const Integrator& integrator_;
  const Books& books_;
  std::vector<Channel> channels_;
  std::vector<Fill> fills_;
  int row_size_ = 0;
};

}  // namespace clatter
