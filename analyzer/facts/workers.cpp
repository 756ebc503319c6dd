// SPDX-License-Identifier: MIT
#include "facts/workers.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace deed::check {
namespace {

struct worker {
  pid_t process = -1;
  int pipe = -1;
  std::string received;
};

bool write_all(int to, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::write(to, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

/// In the child: every n-th piece of work, each as its number, its size and its bytes.
[[noreturn]] void serve(int to, std::size_t first, std::size_t step, std::size_t count,
                        const std::function<std::string(std::size_t)>& work) {
  for (std::size_t i = first; i < count; i += step) {
    const std::string done = work(i);
    const std::array<std::uint64_t, 2> head{i, done.size()};
    if (!write_all(to, reinterpret_cast<const char*>(head.data()), sizeof head)) break;
    if (!write_all(to, done.data(), done.size())) break;
  }
  ::_exit(0);  // Nothing of the parent's is flushed or destroyed twice.
}

void sort_in(const std::string& received, std::vector<std::string>& into) {
  std::size_t at = 0;
  std::array<std::uint64_t, 2> head{};
  while (received.size() - at >= sizeof head) {
    std::memcpy(head.data(), received.data() + at, sizeof head);
    at += sizeof head;
    if (head[0] >= into.size() || head[1] > received.size() - at) return;
    into[head[0]] = received.substr(at, head[1]);
    at += head[1];
  }
}

/// Takes what the children write, until the last of them has ended.
void receive(std::vector<worker>& workers) {
  std::array<char, 65536> buffer{};
  for (;;) {
    std::vector<pollfd> open;
    for (const worker& w : workers) {
      if (w.pipe >= 0) open.push_back({w.pipe, POLLIN, 0});
    }
    if (open.empty()) return;
    if (::poll(open.data(), open.size(), -1) < 0 && errno != EINTR) return;
    for (worker& w : workers) {
      const auto ready = std::ranges::find(open, w.pipe, &pollfd::fd);
      if (w.pipe < 0 || ready == open.end() || ready->revents == 0) continue;
      const ssize_t got = ::read(w.pipe, buffer.data(), buffer.size());
      if (got > 0) {
        w.received.append(buffer.data(), static_cast<std::size_t>(got));
      } else if (got == 0 || errno != EINTR) {
        ::close(w.pipe);
        w.pipe = -1;
      }
    }
  }
}

}  // namespace

std::vector<std::string> in_processes(std::size_t count, int processes,
                                      const std::function<std::string(std::size_t)>& work) {
  std::vector<std::string> done(count);
  const auto wanted = std::min(count, static_cast<std::size_t>(std::max(1, processes)));
  if (wanted <= 1) {
    for (std::size_t i = 0; i < count; ++i) done[i] = work(i);
    return done;
  }
  std::vector<worker> workers(wanted);
  for (std::size_t n = 0; n < wanted; ++n) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) continue;
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      serve(ends[1], n, wanted, count, work);
    }
    ::close(ends[1]);
    if (child < 0) {
      ::close(ends[0]);
      continue;
    }
    workers[n].process = child;
    workers[n].pipe = ends[0];
  }
  receive(workers);
  for (const worker& w : workers) {
    sort_in(w.received, done);
    int status = 0;
    while (w.process > 0 && ::waitpid(w.process, &status, 0) < 0 && errno == EINTR) {
    }
  }
  return done;
}

}  // namespace deed::check
