#include "app/interruption.hpp"

#include <csignal>
#include <initializer_list>

namespace clatter {

namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void clatter_mark_interruption(int) { interrupted = 1; }

}  // namespace

void catch_interruptions() {
  struct sigaction action = {};
  action.sa_handler = clatter_mark_interruption;
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // What was ignored from the start (nohup) stays ignored.
    struct sigaction before = {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
  // A closed pipe or a full disk is then an error of the write, which we report ourselves.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool is_interrupted() { return interrupted != 0; }

}  // namespace clatter
