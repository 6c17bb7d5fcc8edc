#pragma once

#include <filesystem>

#include <clatter/contact/solvers/contact_problem.hpp>

namespace clatter {

// One contact problem in an HDF5 file:
//
//   dimension                     attribute: rows of every contact, or 0 when they differ
//   W/indptr, W/indices, W/data   the Delassus operator, compressed by rows
//   q                             velocities without reactions
//   mu                            friction coefficient of the first ball of each contact
//
// and only if contacts differ, or have several balls or none:
//
//   contacts/rows, contacts/balls how many each contact has
//   balls/rows, balls/coefficient of all balls, in the order of the contacts

/// Replaces a file of that name.
void save_contact_problem(const std::filesystem::path& path, const ContactProblem& problem);
/// Throws an Error with the file and what is wrong with it.
ContactProblem load_contact_problem(const std::filesystem::path& path);

}  // namespace clatter
