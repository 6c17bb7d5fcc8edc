#include "app/result_directory.hpp"

#include <exception>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <clatter/io/csv_file.hpp>
#include <clatter/io/output_stream.hpp>

namespace clatter {

namespace fs = std::filesystem;

bool ResultDirectory::is_ours() const {
  std::ifstream stream(summary());
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  return json.is_object() && json.contains("clatter_version");
}

void ResultDirectory::prepare() const {
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    if (!fs::is_directory(path, ignored))
      throw Error(
          fmt::format("{}: cannot write results here: it is not a directory", path.string()));
    if (!fs::is_empty(path, ignored) && !is_ours())
      throw Error(
          fmt::format("{}: this directory holds other files than clatter's results; choose "
                      "another with --out",
                      path.string()));
  }
  make_directory(path);
  // A program that still reads the old results keeps them; the new ones are another file.
  for (const fs::path& file : {results(), table(), modes(), frame_list()})
    fs::remove(file, ignored);
  fs::remove_all(frames(), ignored);
  fs::remove_all(contact_problems(), ignored);
}

ResultDirectory result_directory(const fs::path& given, const fs::path& model, const char* ending) {
  return {!given.empty() ? given : fs::path(model.stem().string() + ending)};
}

ResultWriter::ResultWriter(const ResultDirectory& directory, const Model& model,
                           const std::vector<Channel>& channels, const RunInfo& info, bool csv) {
  auto results = std::make_unique<ResultFile>(directory.results(), channels, info);
  results_ = results.get();
  files_.push_back(std::move(results));
  if (csv) files_.push_back(std::make_unique<CsvFile>(directory.table(), channels));
  if (model.output.paraview)
    frames_ = std::make_unique<ParaviewSeries>(directory.path, model, channels);
}

void ResultWriter::store(double time, std::span<const double> row) {
  for (const auto& file : files_) file->append(time, row);
}

void ResultWriter::draw(double time, std::span<const double> row) {
  frames_->append(time, row);
  ++frames_drawn_;
}

void ResultWriter::flush_if_due() {
  for (const auto& file : files_) file->flush_if_due();
}

void ResultWriter::close() {
  std::exception_ptr first;
  for (const auto& file : files_) {
    try {
      file->close();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace clatter
