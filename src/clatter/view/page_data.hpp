#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace clatter {

/// How much of a run a page gets.
struct PageLimits {
  std::size_t frames = 600;         ///< of the animation
  std::size_t samples = 4000;       ///< of the channels
  std::size_t values = 6'000'000;   ///< of all channels together; those of bodies go first
  std::size_t places = 25'000'000;  ///< movers times frames
  std::size_t points = 300'000;     ///< of contact, in all frames together
};

/// The results of a run as a page decodes them (viewer/src/data.ts): the letters "CLATTER1", the
/// length of a JSON text in four bytes (little endian), the text, and a stream of bytes, all but
/// the letters compressed by gzip. The text describes run, scene and channels; the stream holds
///
/// - times of frames and of samples, as double precision;
/// - frame by frame positions of movers, their quaternions (w, x, y, z), positions, normals and
///   first tangents of the contacts that the model lists, as whole multiples of a quantum. What a
///   line through the last two frames does not tell is stored, in zigzag code, seven bits a byte;
/// - for each frame the points of contact of contacts.h5: position, force, status and gap in single
///   precision;
/// - channel by channel, component by component the samples in single precision, as differences of
///   the bits of neighbours, all lowest bytes first, then the next.
///
/// Positions are off by at most half a quantum, 2^-15 of the extent of the motion for more than
/// 2000 movers, else 2^-21: below a pixel. Values of channels are off by 6e-8 of their size.
/// Throws Error when there is nothing to show.
std::string page_data(const std::filesystem::path& directory, const PageLimits& limits);

}  // namespace clatter
