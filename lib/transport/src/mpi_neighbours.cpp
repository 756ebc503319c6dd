// SPDX-License-Identifier: MIT
#include "mpi_neighbours.hpp"

#include <deed/transport/mpi.hpp>

#include "blocks.hpp"
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <limits>
#include <random>
#include <string>
#include <utility>

namespace deed::transport::detail {

using namespace std::chrono_literals;

namespace {

// 32 KiB: what eight peers with 32 credits each have under way of small frames, and no more than a
// nearest cache holds.
constexpr std::size_t ring_lines = 512;
constexpr std::size_t page = 4096;
constexpr std::size_t ring_bytes = frame_ring::bytes_of(ring_lines);
// Behind a ring its reader's waker, on a line of its own.
constexpr std::size_t ring_stride = (ring_bytes + frame_ring::line + page - 1) / page * page;

frame_ring ring_in(const shared_memory& memory, std::size_t number) noexcept {
  return frame_ring(memory.bytes().subspan(number * ring_stride, ring_bytes));
}
shared_waker<shared_futex> waker_in(const shared_memory& memory, std::size_t number) noexcept {
  return shared_waker<shared_futex>(memory.bytes().data() + number * ring_stride + ring_bytes);
}

/// A file in memory, open for this process. Closed at the end of the scope.
class memory_file {
 public:
  memory_file(const std::string& name, int flags) noexcept
      : file_(name.empty() ? -1 : ::shm_open(name.c_str(), flags, S_IRUSR | S_IWUSR)) {}
  ~memory_file() {
    if (file_ >= 0) ::close(file_);
  }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  [[nodiscard]] int number() const noexcept { return file_; }
  [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }

 private:
  int file_;
};

using file_name = std::array<char, 32>;

/// Of a file that nobody else has; empty if the system gives no random numbers. It must not throw:
/// the machine's other ranks wait for the name.
file_name new_name() noexcept {
  file_name name{};
  try {
    std::random_device random;
    const std::uint64_t number = std::uint64_t{random()} << 32 | random();
    std::snprintf(name.data(), name.size(), "/deed-ring-%016llx",
                  static_cast<unsigned long long>(number));
  } catch (const std::exception&) {  // They will send by MPI.
  }
  return name;
}

/// The machine's lowest rank makes the file, each takes the pages of its own ring, near its own
/// core, and the name is gone before anything is written there.
shared_memory share(MPI_Comm machine, int ranks, int self, bool wanted) {
  file_name name{};
  const auto bytes = static_cast<std::size_t>(ranks) * ring_stride;
  if (self == 0 && wanted) {
    name = new_name();
    const memory_file made(name.data(), O_RDWR | O_CREAT | O_EXCL);
    if (!made.is_open()) name = {};
    if (made.is_open() && ::ftruncate(made.number(), static_cast<off_t>(bytes)) != 0) {
      ::shm_unlink(name.data());
      name = {};
    }
  }
  check(MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, machine), {"MPI_Bcast"});
  shared_memory memory;
  if (const memory_file file(wanted ? name.data() : "", O_RDWR); file.is_open()) {
    const auto own = static_cast<off_t>(static_cast<std::size_t>(self) * ring_stride);
    // Memory that is promised and is not there would kill who writes.
    if (::posix_fallocate(file.number(), own, ring_stride) == 0) memory = {file.number(), bytes};
  }
  int here = memory.bytes().empty() ? 0 : 1, everywhere = 0;
  check(MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, machine), {"MPI_Allreduce"});
  if (self == 0 && name[0] != 0) ::shm_unlink(name.data());
  return everywhere != 0 ? std::move(memory) : shared_memory();
}

}  // namespace

void shared_futex::wait(const std::uint32_t& word, std::uint32_t seen,
                        std::chrono::nanoseconds at_most) noexcept {
  const std::chrono::nanoseconds time = std::min<std::chrono::nanoseconds>(at_most, 24h);
  const timespec until{.tv_sec = static_cast<std::time_t>(time / 1s),
                       .tv_nsec = (time % 1s).count()};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &until, nullptr, 0);
}
void shared_futex::wake_all(const std::uint32_t& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

shared_memory::shared_memory(int file, std::size_t bytes) noexcept {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at != MAP_FAILED) bytes_ = {static_cast<std::byte*>(at), bytes};
}

shared_memory::~shared_memory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

shared_memory::shared_memory(shared_memory&& from) noexcept
    : bytes_(std::exchange(from.bytes_, {})) {}

shared_memory& shared_memory::operator=(shared_memory&& from) noexcept {
  std::swap(bytes_, from.bytes_);
  return *this;
}

std::unique_ptr<neighbours> neighbours::meet(MPI_Comm ranks, bool wanted) {
  int number = 0;
  check(MPI_Comm_rank(ranks, &number), {"MPI_Comm_rank"});
  MPI_Comm machine = MPI_COMM_NULL;
  check(MPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, number, MPI_INFO_NULL, &machine),
        {"MPI_Comm_split_type"});
  const boost::mpi::communicator here(machine, boost::mpi::comm_take_ownership);
  if (here.size() == 1) return nullptr;
  std::vector<int> numbers(static_cast<std::size_t>(here.size()));
  check(MPI_Allgather(&number, 1, MPI_INT, numbers.data(), 1, MPI_INT, here), {"MPI_Allgather"});
  shared_memory memory = share(here, here.size(), here.rank(), wanted);
  if (memory.bytes().empty()) return nullptr;
  return std::unique_ptr<neighbours>(
      new neighbours(std::move(memory), numbers, static_cast<std::size_t>(here.rank())));
}

neighbours::neighbours(shared_memory memory, const std::vector<int>& ranks, std::size_t self)
    : memory_(std::move(memory)),
      self_(ranks[self]),
      own_(ring_in(memory_, self)),
      waker_(waker_in(memory_, self)) {
  for (std::size_t i = 0; i < ranks.size(); ++i)
    all_.push_back({ranks[i], ring_in(memory_, i), waker_in(memory_, i), {}});
}

neighbours::neighbour* neighbours::find(int rank) noexcept {
  // Mostly a machine's ranks have numbers that follow one another.
  const auto guess = static_cast<std::size_t>(rank - all_.front().rank);
  if (guess < all_.size() && all_[guess].rank == rank) return &all_[guess];
  const auto found = std::ranges::lower_bound(all_, rank, {}, &neighbour::rank);
  return found != all_.end() && found->rank == rank ? &*found : nullptr;
}

bool neighbours::send(rank peer, std::span<const std::byte> header,
                      const const_memory_block& payload) noexcept {
  neighbour* const there = find(peer.value);
  if (there == nullptr) return false;
  const std::size_t size = header.size() + payload.bytes();
  const bool gone = there->to.write(self_, size, there->own, [&](std::byte* at) {
    // The header last: the reader looks at its line.
    copy(payload, {.address = at + header.size(), .row_bytes = payload.bytes()});
    std::memcpy(at, header.data(), header.size());
  });
  if (gone) there->waker.wake_sleepers();
  return gone;
}

void neighbours::tell(rank peer) noexcept {
  if (neighbour* const there = find(peer.value); there != nullptr) there->waker.wake_sleepers();
}

std::size_t neighbours::take(std::span<event> events) noexcept {
  own_.give_back(reader_);
  std::size_t count = 0;
  while (count < events.size()) {
    const auto came = own_.next(reader_);
    if (!came) break;
    events[count++] = {event_kind::frame, rank{came->from}, came->bytes, 0, nullptr};
  }
  return count;
}

}  // namespace deed::transport::detail
