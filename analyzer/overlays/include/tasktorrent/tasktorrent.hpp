// SPDX-License-Identifier: MIT
// Stands before TaskTorrent's own header, which it reads. Every rank makes its active messages in
// the same order, since their numbers are how ranks name them, and every rank joins. Names came and
// went with its versions. What a task sends to which rank is not followed.
#if __has_include_next(<tasktorrent/tasktorrent.hpp>)
#include_next <tasktorrent/tasktorrent.hpp>
#else
#error "'tasktorrent/tasktorrent.hpp' file not found"
#endif

#if !defined(DEED_OVERLAY_TASKTORRENT) && defined(__clang__) && !defined(TTOR_SHARED)
#define DEED_OVERLAY
#define DEED_OVERLAY_TASKTORRENT
#define DEED_IS(...) __attribute__((using_if_exists, annotate("deed", __VA_ARGS__)))

namespace deed_overlay {

using ttor::comm_rank DEED_IS("rank_source");
using ttor::comms_world_rank DEED_IS("rank_source");
using ttor::comm_size DEED_IS("uniform", "size");
using ttor::comms_world_size DEED_IS("uniform", "size");

struct communicator : ttor::Communicator {
  using ttor::Communicator::comm_rank DEED_IS("rank_source");
  using ttor::Communicator::make_active_msg DEED_IS("step", "active message");
  using ttor::Communicator::make_large_active_msg DEED_IS("step", "active message");
};

struct threadpool : ttor::Threadpool {
  using ttor::Threadpool::join DEED_IS("step", "join");
};

}  // namespace deed_overlay
#undef DEED_IS
#endif
