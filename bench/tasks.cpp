// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "shapes.h"

#include <cstdint>
#include <string>
#include <vector>

/// Empty tasks on one rank, from the first insertion to the end of `wait`: nanoseconds per task of
/// each shape; then tasks of the same shapes whose graph is kept and runs again. TASKS, ROUNDS and
/// SYSTEM (the name in the table) are variables of the environment.
/// Usage: tasks --deed-ranks=inproc:1 --deed-workers=1

namespace {

void pretend(const void* memory) { asm volatile("" ::"r"(memory) : "memory"); }

const auto write_one = deed::codelet("write_one", [](int& x) { pretend(&x); });
const auto read_one = deed::codelet("read_one", [](const int& x) { pretend(&x); });
const auto relax = deed::codelet(
    "relax", [](int& x, const int&, const int&, const int&, const int&) { pretend(&x); });

class job {
 public:
  job(deed::session& session, shape shape, long tasks)
      : session_(session), shape_(shape), tasks_(tasks) {
    for (long i = 0; i < data_of_shape(shape, tasks); ++i)
      data_.push_back(session.register_data(deed::owner{0}, 0));
  }
  void insert_all() { insert_first(tasks_); }
  /// As many in all, and a few more.
  void repeat(long each_time) {
    session_.repeat(static_cast<std::uint64_t>(tasks_ / each_time + 2),
                    [&] { insert_first(each_time); });
  }

 private:
  void insert_first(long tasks) {
    for (long i = 0; i < tasks; ++i) insert(touched_by(shape_, i));
  }
  void insert(const touched& at) {
    using deed::read;
    using deed::read_write;
    const auto datum = [&](int i) -> deed::handle<int>& {
      return data_[static_cast<std::size_t>(at.data[i])];
    };
    if (at.count == 5) {
      session_.insert_task(relax, read_write(datum(0)), read(datum(1)), read(datum(2)),
                           read(datum(3)), read(datum(4)));
    } else if (at.reads_only != 0) {
      session_.insert_task(read_one, read(datum(0)));
    } else {
      session_.insert_task(write_one, read_write(datum(0)));
    }
  }

  deed::session& session_;
  shape shape_;
  long tasks_;
  std::vector<deed::handle<int>> data_;
};

}  // namespace

int main(int argc, char** argv) {
  return deed::run(argc, argv, [](deed::session& session) {
    const long tasks = setting("TASKS", 200'000);
    const char* const name = std::getenv("SYSTEM");
    for (int s = 0; s < shape_count; ++s) {
      if (setting("SHAPE", s) != s) continue;
      const auto shape = static_cast<enum shape>(s);
      job all(session, shape, tasks);
      for (long round = -1; round < setting("ROUNDS", 3); ++round) {
        const double begin = seconds_now();
        all.insert_all();
        const double submitted = seconds_now();
        session.wait();
        const double end = seconds_now();
        if (round < 0) continue;  // The first touches memory.
        const double unit = 1e9 / static_cast<double>(tasks);
        figure("local tasks", name != nullptr ? name : "deed", shape_names[s],
               (end - begin) * unit);
        figure("submission", name != nullptr ? name : "deed", shape_names[s],
               (submitted - begin) * unit);
        constexpr long each_time = 1000;
        const double again = seconds_now();
        all.repeat(each_time);
        figure("tasks that run again", name != nullptr ? name : "deed", shape_names[s],
               (seconds_now() - again) * 1e9 / static_cast<double>(tasks + 2 * each_time));
      }
    }
  });
}
