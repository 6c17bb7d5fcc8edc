#include <clatter/io/orientation_reader.hpp>

namespace clatter {

std::optional<Quaternion> read_orientation(const TomlTable& table) {
  const std::optional<Vec3> axis = table.direction("axis", Dimension::three);
  const std::optional<double> angle = table.angle("angle");
  const std::optional<Quaternion> quaternion = table.quaternion("quaternion");
  const std::optional<Vec3> rotation = table.vector("rotation_vector", Dimension::three);
  const bool has_angle = table.has("angle") || table.has("angle_deg");
  const int forms = int{table.has("axis") || has_angle} + int{table.has("quaternion")} +
                    int{table.has("rotation_vector")};
  if (forms != 1) {
    table.refuse_table(
        "orientation: give either 'axis' and an angle, or 'quaternion', or "
        "'rotation_vector'");
    return std::nullopt;
  }
  if (table.has("axis") != has_angle) {
    table.refuse_table(has_angle ? "orientation: 'axis' is missing"
                                 : "orientation: 'angle' or 'angle_deg' is missing");
    return std::nullopt;
  }
  if (quaternion) return quaternion;
  if (axis && angle) return Quaternion(Eigen::AngleAxisd(*angle, *axis));
  if (!rotation) return std::nullopt;
  if (rotation->isZero(0.0)) return Quaternion::Identity();
  return Quaternion(Eigen::AngleAxisd(rotation->stableNorm(), unit(*rotation)));
}

}  // namespace clatter
