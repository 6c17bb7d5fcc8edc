#pragma once

#include <filesystem>
#include <string>

namespace clatter {

/// Shows the results of a run to browsers of this machine: the page, the data of the run, and
/// whether there are more of them by now. Nothing else is served, and to nobody else.
class PageServer {
 public:
  /// Throws Error when there is no free port, or the given one is taken; 0 is any.
  PageServer(std::filesystem::path directory, std::string page, int port);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  PageServer(PageServer&&) = delete;
  PageServer& operator=(PageServer&&) = delete;

  std::string address() const;
  /// Answers one request if one comes within a while [ms].
  void serve(int patience);

 private:
  std::string answer(const std::string& request) const;

  std::filesystem::path directory_;
  std::string page_;
  int socket_ = -1, port_ = 0;
};

}  // namespace clatter
