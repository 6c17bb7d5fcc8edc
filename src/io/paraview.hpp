#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "dynamics/channel.hpp"
#include "io/recorder.hpp"
#include "io/tessellation.hpp"
#include "model/model.hpp"

namespace clatter {

/// A run as pictures: `frames.pvd` lists the times, `frames/NNNNNN.vtp` hold the surfaces of the
/// bodies, the faces of contacts and the contact points as they stand then. ParaView opens the
/// .pvd.
///
/// Every point carries `body` (index in the model, -1 the ground), `kind` (0 body, 1 face, 2
/// contact point) and `velocity`; contact points also `gap` and `normal_force`, zero elsewhere.
class ParaviewSeries : public Recorder {
 public:
  ParaviewSeries(std::filesystem::path directory, const Model& model,
                 const std::vector<Channel>& channels);

  /// Writes a frame, complete and listed when this returns.
  void append(double time, std::span<const double> row) override;
  void flush() override {}
  void close() override {}

 private:
  /// Where a body's motion stands in the row; -1 where there is no such entry.
  struct Motion {
    int position = -1, dimensions = 3, orientation = -1, angle = -1, velocity = -1;
    int angular_velocity = -1;
    bool planar = false;
  };
  enum Kind { body_surface, contact_face, contact_point };
  /// Points `begin` to `end` of the mesh move with a body (-1: the ground).
  struct Part {
    int begin, end, body;
    Kind kind;
    int gap = -1, normal_force = -1;  ///< entries of the row
  };

  void add_part(const Mesh& mesh, int body, Kind kind);
  void place(std::span<const double> row);
  std::string frame_text() const;
  void list_frame(double time, const std::string& file);

  std::filesystem::path directory_;
  std::vector<Motion> motions_;
  std::vector<Part> parts_;
  Mesh mesh_;             ///< points in the frames of their bodies
  std::string topology_;  ///< the cells as XML: the same in all frames
  std::vector<float> points_, velocities_, gaps_, normal_forces_;
  int frames_ = 0;
  long list_end_ = 0;  ///< where the next entry of the list goes: before its closing tags
};

}  // namespace clatter
