#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include <clatter/io/csv_file.hpp>

#include "unit/io/temporary_directory.hpp"

namespace clatter {
namespace csv_file_test {

const std::vector<Channel> channels = {{"bodies/block/position", {"x", "y"}, "m", 0},
                                       {"solver/iterations", {""}, "", 2}};

TEST(csv_file, header_names_components_and_units) {
  const TemporaryDirectory directory;
  CsvFile file(directory / "table.csv", channels);
  file.close();
  EXPECT_EQ(read_text(directory / "table.csv"),
            "time [s],bodies/block/position/x [m],bodies/block/position/y [m],solver/iterations\n");
}

TEST(csv_file, numbers_read_back_without_loss) {
  const TemporaryDirectory directory;
  const double row[] = {1.0 / 3.0, -6.02214076e23, 7.0};
  CsvFile file(directory / "table.csv", channels);
  file.append(std::nextafter(0.1, 1.0), row);
  file.close();

  std::istringstream text(read_text(directory / "table.csv"));
  std::string line, cell;
  std::getline(text, line);
  std::getline(text, line);
  std::istringstream cells(line);
  std::vector<double> numbers;
  while (std::getline(cells, cell, ',')) numbers.push_back(std::stod(cell));
  EXPECT_EQ(numbers, (std::vector<double>{std::nextafter(0.1, 1.0), row[0], row[1], row[2]}));
}

TEST(csv_file, rows_are_on_disk_after_a_flush) {
  const TemporaryDirectory directory;
  const double row[] = {1, 2, 3};
  CsvFile file(directory / "table.csv", channels);
  file.append(0.5, row);
  file.flush();
  EXPECT_TRUE(read_text(directory / "table.csv").ends_with("\n0.5,1,2,3\n"));
}

TEST(csv_file, quotes_names_that_hold_commas) {
  const TemporaryDirectory directory;
  CsvFile file(directory / "table.csv", {{"bodies/a,\"b\"/angle", {""}, "rad", 0}});
  file.close();
  EXPECT_EQ(read_text(directory / "table.csv"), "time [s],\"bodies/a,\"\"b\"\"/angle [rad]\"\n");
}

}  // namespace csv_file_test
}  // namespace clatter
