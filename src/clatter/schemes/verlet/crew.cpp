#include <clatter/schemes/verlet/crew.hpp>

namespace clatter {

Crew::Crew(int count) : count_(count), meeting_(count) {
  for (int thread = 1; thread < count; ++thread) {
    others_.emplace_back([this, thread] {
      while (true) {
        meeting_.arrive_and_wait();
        if (is_over_) return;
        (*job_)(thread);
        meeting_.arrive_and_wait();
      }
    });
  }
}

Crew::~Crew() {
  is_over_ = true;
  meet();
  for (std::thread& other : others_) other.join();
}

void Crew::run(const std::function<void(int)>& job) {
  job_ = &job;
  meet();
  job(0);
  meet();
}

}  // namespace clatter
