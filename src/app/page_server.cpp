#include "app/page_server.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <poll.h>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include <clatter/model/error.hpp>
#include <clatter/view/modes_page.hpp>
#include <clatter/view/page_data.hpp>
#include <clatter/view/result_reader.hpp>

namespace clatter {
namespace {

constexpr std::size_t longest_request = 16384;
constexpr int patience_with_slow = 5;  // [s]

std::string reply(const char* status, const char* type, const std::string& body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n{}",
      status, type, body.size(), body);
}

std::string read_request(int connection) {
  std::string request;
  std::array<char, 4096> buffer;
  while (request.find("\r\n\r\n") == std::string::npos && request.size() < longest_request) {
    const ssize_t count = ::recv(connection, buffer.data(), buffer.size(), 0);
    if (count <= 0) return {};
    request.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return request;
}

void send_all(int connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (count <= 0) return;  // whoever asked went away
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// How far a run is, to be asked often.
nlohmann::json state_of(const std::filesystem::path& directory) {
  std::ifstream stream(directory / "summary.json");
  const nlohmann::json summary = nlohmann::json::parse(stream, nullptr, false);
  const bool is_of_modes = has_modes(directory);
  const Hdf5Reader file(directory / (is_of_modes ? "modes.h5" : "results.h5"));
  return {{"status", summary.is_object() ? summary.value("status", "") : ""},
          {"samples", file.size_of(is_of_modes ? "/mode" : "/time")[0]}};
}

}  // namespace

PageServer::PageServer(std::filesystem::path directory, std::string page, int port)
    : directory_(std::move(directory)), page_(std::move(page)) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (socket_ < 0 || ::bind(socket_, generic, size) != 0 || ::listen(socket_, 16) != 0 ||
      ::getsockname(socket_, generic, &size) != 0) {
    const std::string reason = std::strerror(errno);
    if (socket_ >= 0) ::close(socket_);
    throw Error(fmt::format("port {} of 127.0.0.1 cannot be used: {}", port, reason));
  }
  port_ = ntohs(address.sin_port);
}

PageServer::~PageServer() { ::close(socket_); }

std::string PageServer::address() const { return fmt::format("http://127.0.0.1:{}/", port_); }

void PageServer::serve(int patience) {
  pollfd waiting{socket_, POLLIN, 0};
  if (::poll(&waiting, 1, patience) <= 0) return;
  const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return;
  const timeval limit{patience_with_slow, 0};
  ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  const std::string request = read_request(connection);
  if (!request.empty()) send_all(connection, answer(request));
  ::close(connection);
}

std::string PageServer::answer(const std::string& request) const {
  // A page of another site must not read results under a name that it made point here.
  const std::string here = fmt::format("127.0.0.1:{}", port_);
  const std::string named = fmt::format("localhost:{}", port_);
  const auto has_host = [&](const std::string& host) {
    return request.find("\r\nHost: " + host + "\r\n") != std::string::npos ||
           request.find("\r\nhost: " + host + "\r\n") != std::string::npos;
  };
  if (!has_host(here) && !has_host(named)) {
    return reply("403 Forbidden", "text/plain", "This server speaks to 127.0.0.1 only.\n");
  }
  const auto asks = [&](std::string_view path) {
    return request.starts_with(fmt::format("GET {} HTTP/1.", path));
  };
  try {
    if (asks("/")) return reply("200 OK", "text/html; charset=utf-8", page_);
    if (asks("/state")) return reply("200 OK", "application/json", state_of(directory_).dump());
    if (asks("/run")) {
      return reply("200 OK", "application/octet-stream", page_data(directory_, PageLimits{}));
    }
  } catch (const std::exception& error) {
    return reply("503 Service Unavailable", "text/plain; charset=utf-8", error.what());
  }
  return reply("404 Not Found", "text/plain", "There is no such thing here.\n");
}

}  // namespace clatter
