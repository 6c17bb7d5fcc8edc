#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <clatter/machine/machine.hpp>
#include <clatter/machine/model.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/contact_point.hpp>

namespace clatter {

/// How a body sinks in a fluid by Stokes' law: at the speed `pace` times the square of its radius.
struct Sinking {
  double radius = 0.0;  ///< [m]
  double mass = 0.0;    ///< [kg]
  double pace = 0.0;    ///< [1/(m s)] less than zero: it rises
};

/// The copies of a repeated body, NAME.0, NAME.1 ..., as a medium.
struct Crowd {
  std::string name;
  bool is_planar = false;
  std::vector<int> nodes;
  std::vector<double> radii;     ///< of the circles or spheres around them; empty: not known
  double solid = 0.0;            ///< [m³] of all shapes, in the plane [m²]
  std::vector<Sinking> sinking;  ///< in a fluid with viscosity and weight, of all; else none
  bool sinks() const { return !sinking.empty(); }
};
std::vector<Crowd> crowds_of(const Model& model);

/// What the contacts of a crowd are like.
struct CrowdMeasure {
  double coordination = 0.0;          ///< contacts of a body, in the mean
  double bearing_coordination = 0.0;  ///< without bodies that have one or none
  double solid_fraction = 0.0;        ///< of the box around the crowd
  double mean_force = 0.0;            ///< [N] normal, of contacts between two of the crowd
  double strong_share = 0.0;          ///< of the sum of these, carried by those above the mean
  double chains = 0.0;                ///< sets of three or more bodies that such contacts connect
  double longest_chain = 0.0;         ///< bodies of the largest of them
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();  ///< [m] corners of that box
  Vec3 centre = Vec3::Zero();                    ///< [m] of mass
  Vec3 spread = Vec3::Zero();  ///< [m] root of the mean square, by mass, of the way from there
  Mat3 fabric = Mat3::Zero();  ///< mean of n n^T, of contacts between two of the crowd
  Mat3 stress = Mat3::Zero();  ///< [Pa] in that box, pressure positive; in the plane [N/m]
  // In a fluid: the sizes of grains by what part of all mass is in smaller ones.
  std::array<double, 5> radius = {};           ///< [m] below which there are 10, 30, 50, 60, 90 %
  std::array<double, 5> settling_radius = {};  ///< [m] the same by Stokes' law from velocities
  double settling_error = 0.0;                 ///< largest difference of the two curves
  double settled = 0.0;                        ///< part of the grains whose velocity stays
};

/// Measures crowds; scratch of the channels of a run.
class CrowdMeasures {
 public:
  CrowdMeasures(std::vector<Crowd> crowds, const Machine& machine, bool separates_forces);
  const std::vector<Crowd>& crowds() const { return crowds_; }
  /// One for each crowd.
  const std::vector<CrowdMeasure>& read(const State& state);

 private:
  void measure(const State& state, int crowd);
  void find_chains(int crowd, CrowdMeasure& into);
  void find_sizes(const State& state, const Crowd& crowd, CrowdMeasure& into);
  bool is_of(int node, int crowd) const {
    return crowd_of_[static_cast<std::size_t>(node)] == crowd;
  }

  std::vector<Crowd> crowds_;
  const Machine& machine_;
  bool separates_forces_;
  std::vector<int> crowd_of_;  // node; -1: none
  std::vector<CrowdMeasure> measures_;
  std::vector<ContactPoint> points_;
  std::vector<int> contacts_of_, chain_of_, chain_size_;           // node
  std::vector<std::pair<double, double>> sizes_, settling_sizes_;  // of grains: radius and mass
};

}  // namespace clatter
