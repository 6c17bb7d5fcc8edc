#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <clatter/io/crowd_frames.hpp>
#include <clatter/io/frame_series.hpp>
#include <clatter/io/recorder.hpp>
#include <clatter/io/tessellation.hpp>
#include <clatter/machine/model.hpp>
#include <clatter/simulation/channel.hpp>

namespace clatter {

struct BeamMesh;

/// A run as pictures. A crowd of bodies is points (CrowdFrames) instead of surfaces; of all else
/// `frames.pvd` lists the times, `frames/NNNNNN.vtp` hold the surfaces of the
/// bodies and beams, the faces of contacts and the contact points as they stand then. ParaView
/// opens the .pvd.
///
/// Every point carries `body` (index in the model, beams counting on after the bodies, -1 the
/// ground), `kind` (0 body, 1 face, 2 contact point, 3 beam) and `velocity`; contact points also
/// `gap` and `normal_force`, zero elsewhere. In models with beams there are `section_force`,
/// `section_moment`, `strain` and `curvature` along and about the axes of the section, zero on
/// other points: constant along each element and so with two values where two meet, their mean on
/// the centre line.
class ParaviewSeries : public Recorder {
 public:
  /// `frames`: goes on after so many of an earlier series, whose later ones are forgotten.
  ParaviewSeries(const std::filesystem::path& directory, const Model& model,
                 const std::vector<Channel>& channels, long frames = 0);

  /// Writes a frame, complete and listed when this returns.
  void append(double time, std::span<const double> row) override;
  void flush() override {}
  void close() override {}

 private:
  using Offsets = std::map<std::string, int>;  ///< channel: where it begins in the row
  /// Where the motion of a body or node stands in the row; -1 where there is no such entry.
  struct Motion {
    int position = -1, dimensions = 3, orientation = -1, angle = -1, velocity = -1;
    int angular_velocity = -1;
    bool planar = false;
  };
  struct Pose {
    Vec3 position = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();  ///< spin: own axes
    Quaternion orientation = Quaternion::Identity();
  };
  /// What points may be attached to: a body, a node of a beam, the ground.
  struct Carrier {
    int body = -1, motion = -1;
  };
  /// Where force, moment, strain and curvature of an element stand in the row, x, y, z of each.
  using Section = std::array<int, 12>;
  enum Kind { body_surface, contact_face, contact_point, beam_section };
  /// Points `begin` to `end` of the mesh, which move with their carrier.
  struct Part {
    int begin, end;
    Carrier carrier;
    Kind kind;
    int gap = -1, normal_force = -1;          ///< entries of the row
    int first_section = 0, last_section = 0;  ///< shows the mean of these, the last not included
  };

  static Motion find_motion(const Offsets& offsets, const std::string& path, bool planar, int node);
  void add_body(const BodySpec& body, const Offsets& offsets);
  void add_beam(const BeamSpec& beam, const Offsets& offsets);
  /// Outlines of the section at both ends of every element, what lies between, and end caps.
  void sweep_section(const BeamSection& section, const BeamMesh& mesh,
                     const std::vector<Carrier>& nodes, int first_section);
  void add_centre_line(const BeamMesh& mesh, const std::vector<Carrier>& nodes, int first_section);
  void add_contacts(const Model& model, const Offsets& offsets);
  void add_ground(const Model& model);
  void add_part(const Mesh& mesh, const Carrier& carrier, Kind kind);
  static Pose pose_of(const Motion& motion, std::span<const double> row);
  void place(std::span<const double> row);
  void place_crowd(std::span<const double> row);
  void show_sections(const Part& part, std::span<const double> row);
  void write_constant_parts();
  void write_frame();

  FrameSeries frames_;
  std::optional<CrowdFrames> crowd_;
  std::vector<int> crowd_motions_;  ///< of its bodies
  std::map<std::string, Carrier> carriers_;
  int bodies_ = 0;  ///< bodies and beams
  std::vector<Motion> motions_;
  std::vector<Section> sections_;
  std::vector<Part> parts_;
  Mesh mesh_;          ///< points in the frames of their bodies
  std::string head_;   ///< with what frames begin: cells, bodies, kinds
  std::string frame_;  ///< the last frame
  std::vector<float> points_, velocities_, gaps_, normal_forces_;
  std::array<std::vector<float>, 4> section_data_;  ///< section force, moment, strain, curvature
};

}  // namespace clatter
