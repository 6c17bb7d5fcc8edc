#include "app/browser.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/wait.h>

#include <clatter/model/error.hpp>

namespace clatter {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::array programs = {"chromium", "chromium-browser", "google-chrome", "chrome"};
constexpr int patience = 120'000;  // [ms] with an answer
constexpr std::chrono::seconds patience_with_page{180};

/// A pipe whose ends are out of the way of 3 and 4, where Chromium looks.
std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{}, moved{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("there are no pipes left");
  for (std::size_t i = 0; i < 2; ++i) {
    moved[i] = ::fcntl(ends[i], F_DUPFD_CLOEXEC, 10);
    ::close(ends[i]);
  }
  return moved;
}

fs::path make_profile() {
  std::string name = (fs::temp_directory_path() / "clatter-browser-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw Error(name + ": cannot make this directory");
  return name;
}

pid_t start(const fs::path& profile, int width, int height, int reads, int writes) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, reads, 3);
  posix_spawn_file_actions_adddup2(&actions, writes, 4);
  for (const int quiet : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, quiet, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> words = {"--headless=new",
                                    "--remote-debugging-pipe",
                                    "--user-data-dir=" + profile.string(),
                                    fmt::format("--window-size={},{}", width, height),
                                    "--hide-scrollbars",
                                    "--no-first-run",
                                    "--disable-background-networking",
                                    "--disable-component-update",
                                    "--disable-sync",
                                    "--use-gl=angle",
                                    "--use-angle=swiftshader",
                                    "--enable-unsafe-swiftshader"};
  // Chromium's own walls do not stand for root; the page is ours and has no network.
  if (::geteuid() == 0) words.emplace_back("--no-sandbox");
  pid_t child = -1;
  for (const char* program : programs) {
    std::string name = program;
    std::vector<char*> arguments = {name.data()};
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    if (posix_spawnp(&child, program, &actions, nullptr, arguments.data(), environ) == 0) break;
    child = -1;
  }
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

}  // namespace

Browser::Browser(int width, int height) : profile_(make_profile()) {
  const auto [child_reads, to] = make_pipe();
  const auto [from, child_writes] = make_pipe();
  to_ = to;
  from_ = from;
  process_ = start(profile_, width, height, child_reads, child_writes);
  ::close(child_reads);
  ::close(child_writes);
  if (process_ < 0) {
    ::close(to_);
    ::close(from_);
    fs::remove_all(profile_);
    throw Error(
        "pictures need Chromium, which is not installed (Debian package chromium); the page itself "
        "needs no program");
  }
  const Json target = ask("Target.createTarget", {{"url", "about:blank"}});
  session_ = ask("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}})
                 .at("sessionId");
  ask("Emulation.setDeviceMetricsOverride",
      {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

Browser::~Browser() {
  ::close(to_);  // ends it
  ::close(from_);
  for (int i = 0; i < 50 && ::waitpid(process_, nullptr, WNOHANG) == 0; ++i) {
    if (i == 20) ::kill(process_, SIGTERM);
    if (i == 45) ::kill(process_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  std::error_code ignored;
  fs::remove_all(profile_, ignored);
}

std::string Browser::receive() {
  for (;;) {
    if (const auto end = received_.find('\0'); end != std::string::npos) {
      std::string message = received_.substr(0, end);
      received_.erase(0, end + 1);
      return message;
    }
    pollfd waiting{from_, POLLIN, 0};
    std::array<char, 65536> buffer;
    const ssize_t count =
        ::poll(&waiting, 1, patience) > 0 ? ::read(from_, buffer.data(), buffer.size()) : -1;
    if (count <= 0) throw Error("Chromium does not answer: it ended, or is stuck");
    received_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Json Browser::ask(const std::string& method, Json parameters) {
  Json question{{"id", ++last_}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) question["sessionId"] = session_;
  std::string text = question.dump();
  text += '\0';
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::write(to_, text.data() + sent, text.size() - sent);
    if (count <= 0) throw Error("Chromium does not listen: it ended");
    sent += static_cast<std::size_t>(count);
  }
  for (;;) {
    const Json answer = Json::parse(receive(), nullptr, false);
    if (!answer.is_object() || answer.value("id", 0) != last_) continue;  // an event
    if (answer.contains("error")) {
      throw Error(fmt::format("Chromium refuses {}: {}", method,
                              answer["error"].value("message", "without a reason")));
    }
    return answer.at("result");
  }
}

Json Browser::evaluate(const std::string& expression) {
  const Json answer =
      ask("Runtime.evaluate",
          {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails")) {
    const Json& details = answer["exceptionDetails"];
    const Json thrown = details.value("exception", Json::object());
    throw Error("the page cannot draw this: " +
                thrown.value("description", details.value("text", std::string("no reason"))));
  }
  return answer.at("result").value("value", Json());
}

void Browser::open(const fs::path& page, const std::string& link) {
  std::string address = "file://" + fs::absolute(page).string();
  if (!link.empty()) address += "#" + link;
  ask("Page.navigate", {{"url", address}});
  const auto end = std::chrono::steady_clock::now() + patience_with_page;
  while (std::chrono::steady_clock::now() < end) {
    const Json state = evaluate(
        "document.querySelector('.trouble p')?.textContent ?? Boolean(window.clatter?.probe())");
    if (state.is_string())
      throw Error("the page cannot show the results: " + state.get<std::string>());
    if (state == true) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  throw Error("Chromium did not show the page in time");
}

}  // namespace clatter
