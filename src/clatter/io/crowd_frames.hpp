#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <clatter/io/frame_series.hpp>
#include <clatter/math/types.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// A crowd of bodies for ParaView: `crowd.pvd` lists the times, `crowd/NNNNNN.vtp` hold one point
/// for each body with `body` (index in the model), `radius` [m] about it that holds the body,
/// `orientation` (w, x, y, z), `velocity` [m/s] and `shape`: -1 a ball of that radius, else the
/// number of a surface in the frame of the body, `crowd/shapes/N.vtp`, that bodies alike share.
class CrowdFrames {
 public:
  /// `frames`: goes on after so many of an earlier series.
  CrowdFrames(const std::filesystem::path& directory, const std::vector<BodySpec>& bodies,
              long frames);

  /// Where body `b` is in the next frame.
  void place(std::size_t b, const Vec3& position, const Quaternion& orientation,
             const Vec3& velocity);
  void append(double time);
  /// About how long a frame is.
  std::size_t frame_bytes() const;

 private:
  FrameSeries frames_;
  std::string head_;  ///< with what frames begin: cells, bodies, radii, shapes
  std::vector<float> points_, orientations_, velocities_;
};

}  // namespace clatter
