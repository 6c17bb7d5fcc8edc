#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace clatter {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;
using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;
/// Rows of a joint or contact over the twelve velocities of two nodes.
using PairRows = Eigen::Matrix<double, Eigen::Dynamic, 12, 0, 8, 12>;
/// The same over four nodes: two pairs, one after the other.
using Vec24 = Eigen::Matrix<double, 24, 1>;
using Mat24 = Eigen::Matrix<double, 24, 24>;
using TwoPairRows = Eigen::Matrix<double, Eigen::Dynamic, 24, 0, 8, 24>;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;
using Quaternion = Eigen::Quaterniond;

}  // namespace clatter
