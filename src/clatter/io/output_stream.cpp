#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/output_stream.hpp>
#include <clatter/model/error.hpp>

namespace clatter {

OutputStream::OutputStream(std::filesystem::path path)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
  if (!file_) fail("create");
}

OutputStream::OutputStream(std::filesystem::path path, long bytes)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "ab")) {
  if (!file_) fail("go on with");
  std::error_code reason;
  std::filesystem::resize_file(path_, static_cast<std::uintmax_t>(bytes), reason);
  if (reason) fail("go on with");
}

void OutputStream::fail(const char* what) const {
  throw Error(
      fmt::format("{}: cannot {} this file: {}", path_.string(), what, std::strerror(errno)));
}

void OutputStream::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail("write");
}

void OutputStream::flush() {
  if (std::fflush(file_.get()) != 0) fail("write");
}

void OutputStream::close() {
  if (!file_) return;
  if (std::fclose(file_.release()) != 0) fail("write");
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path next = path;
  next += ".new";
  try {
    OutputStream stream(next);
    stream.write(text);
    stream.close();
    std::filesystem::rename(next, path);
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(
        fmt::format("{}: cannot write this file: {}", path.string(), error.code().message()));
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(next, ignored);
    throw;
  }
}

void make_directory(const std::filesystem::path& path) {
  std::error_code reason;
  std::filesystem::create_directories(path, reason);
  if (reason && !std::filesystem::is_directory(path))
    throw Error(
        fmt::format("{}: cannot create this directory: {}", path.string(), reason.message()));
}

}  // namespace clatter
