#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <clatter/io/contact_problem_file.hpp>
#include <clatter/io/hdf5_reader.hpp>

namespace clatter {
namespace {

/// The number of rows of all contacts if each has sliding friction and nothing else; else 0.
int common_dimension(const ContactProblem& problem) {
  if (problem.contacts.empty()) return 3;
  const int rows = problem.contacts.front().rows;
  const bool plain =
      rows > 1 && std::all_of(problem.contacts.begin(), problem.contacts.end(),
                              [&](const CondensedContact& contact) {
                                return contact.rows == rows && contact.law.ball_count == 1;
                              });
  return plain ? rows : 0;
}

std::vector<CondensedContact> read_plain_contacts(const Hdf5Reader& file, long dimension,
                                                  const std::vector<double>& mu) {
  if (dimension < 1 || dimension > max_contact_rows) {
    file.fail(fmt::format("'dimension' is {}, not 1 to {}", dimension, max_contact_rows));
  }
  std::vector<CondensedContact> contacts;
  const auto rows = static_cast<int>(dimension);
  for (std::size_t k = 0; k < mu.size(); ++k) {
    contacts.push_back(coulomb_contact(static_cast<int>(k) * rows, rows, mu[k]));
  }
  return contacts;
}

std::vector<CondensedContact> read_general_contacts(const Hdf5Reader& file) {
  const std::vector<int> rows = file.integers("contacts/rows");
  const std::vector<int> balls = file.integers("contacts/balls");
  const std::vector<int> ball_rows = file.integers("balls/rows");
  const std::vector<double> coefficients = file.numbers("balls/coefficient");
  if (balls.size() != rows.size()) file.fail("'contacts/rows' and 'contacts/balls' differ in size");
  if (coefficients.size() != ball_rows.size()) {
    file.fail("'balls/rows' and 'balls/coefficient' differ in size");
  }
  std::vector<CondensedContact> contacts;
  std::size_t next = 0;
  int row = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    CondensedContact& contact = contacts.emplace_back();
    contact.first_row = row;
    contact.rows = rows[k];
    if (rows[k] < 1 || rows[k] > max_contact_rows) {
      file.fail(fmt::format("contact {} has {} rows, not 1 to {}", k, rows[k], max_contact_rows));
    }
    if (balls[k] < 0 || balls[k] > max_friction_blocks ||
        next + static_cast<std::size_t>(balls[k]) > ball_rows.size()) {
      file.fail(fmt::format("contact {} has {} friction balls, which cannot be", k, balls[k]));
    }
    contact.law.ball_count = balls[k];
    int first = 1;
    for (int b = 0; b < balls[k]; ++b, ++next) {
      contact.law.balls[static_cast<std::size_t>(b)] = {first, ball_rows[next], coefficients[next]};
      if (ball_rows[next] < 1 || ball_rows[next] > max_contact_rows) {
        file.fail(fmt::format("a friction ball of contact {} has {} rows", k, ball_rows[next]));
      }
      first += ball_rows[next];
    }
    row += rows[k];
  }
  if (next != ball_rows.size()) file.fail("there are more friction balls than the contacts have");
  return contacts;
}

DelassusMatrix read_matrix(const Hdf5Reader& file, int rows) {
  const std::vector<int> starts = file.integers("W/indptr");
  const std::vector<int> columns = file.integers("W/indices");
  const std::vector<double> values = file.numbers("W/data");
  if (starts.size() != static_cast<std::size_t>(rows) + 1) {
    file.fail(fmt::format("'W/indptr' has {} entries, but {} rows need {}", starts.size(), rows,
                          rows + 1));
  }
  if (columns.size() != values.size()) file.fail("'W/indices' and 'W/data' differ in size");
  if (starts.front() != 0 || starts.back() != static_cast<int>(values.size()) ||
      !std::is_sorted(starts.begin(), starts.end())) {
    file.fail("'W/indptr' does not rise from 0 to the number of entries");
  }
  for (const int column : columns) {
    if (column < 0 || column >= rows) {
      file.fail(fmt::format("'W/indices' has {}, but W has {} columns", column, rows));
    }
  }
  // Columns may come in any order, and more than once.
  DelassusMatrix W(rows, rows);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(values.size());
  for (int i = 0; i < rows; ++i) {
    for (int k = starts[static_cast<std::size_t>(i)]; k < starts[static_cast<std::size_t>(i) + 1];
         ++k) {
      entries.emplace_back(i, columns[static_cast<std::size_t>(k)],
                           values[static_cast<std::size_t>(k)]);
    }
  }
  W.setFromTriplets(entries.begin(), entries.end());
  return W;
}

}  // namespace

void save_contact_problem(const std::filesystem::path& path, const ContactProblem& problem) {
  Hdf5File file(path);
  const int dimension = common_dimension(problem);
  file.set_attribute("/", "dimension", static_cast<long>(dimension));
  const auto rows = static_cast<std::size_t>(problem.W.rows());
  const auto entries = static_cast<std::size_t>(problem.W.nonZeros());
  file.write("W/indptr", std::span<const int>(problem.W.outerIndexPtr(), rows + 1));
  file.write("W/indices", std::span<const int>(problem.W.innerIndexPtr(), entries));
  file.write("W/data", std::span<const double>(problem.W.valuePtr(), entries));
  file.write("q", std::span<const double>(problem.b.data(), rows));
  std::vector<double> mu, coefficients;
  std::vector<int> contact_rows, balls, ball_rows;
  for (const CondensedContact& contact : problem.contacts) {
    mu.push_back(contact.law.ball_count > 0 ? contact.law.balls[0].coefficient : 0.0);
    contact_rows.push_back(contact.rows);
    balls.push_back(contact.law.ball_count);
    for (const FrictionBall& ball : contact.law.all_balls()) {
      ball_rows.push_back(ball.rows);
      coefficients.push_back(ball.coefficient);
    }
  }
  file.write("mu", std::span<const double>(mu));
  if (dimension == 0) {
    file.write("contacts/rows", std::span<const int>(contact_rows));
    file.write("contacts/balls", std::span<const int>(balls));
    file.write("balls/rows", std::span<const int>(ball_rows));
    file.write("balls/coefficient", std::span<const double>(coefficients));
  }
  file.close();
}

ContactProblem load_contact_problem(const std::filesystem::path& path) {
  const Hdf5Reader file(path);
  const long dimension = file.attribute("dimension");
  const std::vector<double> q = file.numbers("q");
  const std::vector<double> mu = file.numbers("mu");
  ContactProblem problem;
  problem.contacts = dimension == 0 || file.has("contacts/rows")
                         ? read_general_contacts(file)
                         : read_plain_contacts(file, dimension, mu);
  if (mu.size() != problem.contacts.size()) {
    file.fail(
        fmt::format("'mu' has {} entries for {} contacts", mu.size(), problem.contacts.size()));
  }
  const auto rows = static_cast<int>(q.size());
  const int contact_rows = problem.contacts.empty()
                               ? 0
                               : problem.contacts.back().first_row + problem.contacts.back().rows;
  if (contact_rows != rows) {
    file.fail(fmt::format("'q' has {} entries, but the contacts have {} rows", rows, contact_rows));
  }
  problem.b = Eigen::Map<const VecX>(q.data(), rows);
  problem.W = read_matrix(file, rows);
  if (const std::string fault = find_fault(problem); !fault.empty()) file.fail(fault);
  return problem;
}

}  // namespace clatter
