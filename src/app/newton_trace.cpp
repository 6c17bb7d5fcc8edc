#include "app/newton_trace.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include <clatter/model/error.hpp>
#include <clatter/schemes/newton_update.hpp>

namespace clatter {

NewtonTrace::NewtonTrace(const std::string& window) {
  const std::size_t colon = window.find(':');
  const auto read = [](std::string_view text, double& number) {
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    return wrong == std::errc() && end == text.data() + text.size() && std::isfinite(number);
  };
  const std::string_view text = window;
  if (colon != std::string::npos && read(text.substr(0, colon), from_) &&
      read(text.substr(colon + 1), to_) && from_ <= to_) {
    return;
  }
  throw Error(
      fmt::format("--trace {}: give the times from and to in seconds, such as 0.27:0.28", window));
}

void NewtonTrace::follow(Simulation& simulation, const std::filesystem::path& file) {
  file_.reset(std::fopen(file.c_str(), "w"));
  if (!file_) {
    throw Error(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno)));
  }
  fmt::print(file_.get(), "time,problem,islands,update,halvings,momentum,rows,merit\n");
  simulation.on_newton_update([this, file](const NewtonUpdate& update) {
    // Times are sums of steps.
    const double slack = 1e-9 * std::abs(update.time);
    if (update.time < from_ - slack || update.time > to_ + slack) return;
    ++updates_;
    const Residual& r = update.residual;
    fmt::print(file_.get(), "{:.10g},{},{:d},{},{},{:.6g},{:.6g},{:.6g}\n", update.time,
               update.problem, update.in_islands, update.number, update.halvings, r.momentum,
               r.rows, r.merit);
    if (std::fflush(file_.get()) != 0) {
      throw Error(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno)));
    }
  });
}

}  // namespace clatter
