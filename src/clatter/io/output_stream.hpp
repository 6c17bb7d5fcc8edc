#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace clatter {

/// A file being written. Every failure is an Error that names the file and the system's reason.
class OutputStream {
 public:
  /// Replaces a file of that name.
  explicit OutputStream(std::filesystem::path path);
  /// Goes on after the first `bytes` of a file.
  OutputStream(std::filesystem::path path, long bytes);

  void write(std::string_view text);
  void flush();
  void close();

 private:
  [[noreturn]] void fail(const char* what) const;

  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Closer> file_;
};

/// Writes a whole file such that a reader, or a crash, sees either the old content or the new.
void replace_file(const std::filesystem::path& path, std::string_view text);

/// Creates a directory and those above it; throws Error.
void make_directory(const std::filesystem::path& path);

}  // namespace clatter
