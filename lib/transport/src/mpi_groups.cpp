// SPDX-License-Identifier: MIT
#include <deed/transport/mpi.hpp>
#include <deed/transport/mpi_groups.hpp>

#include <numeric>

namespace deed::transport {
namespace {

class group_of {
 public:
  explicit group_of(MPI_Comm ranks, bool remote = false) {
    if (remote)
      check(MPI_Comm_remote_group(ranks, &group_), {"MPI_Comm_remote_group"});
    else
      check(MPI_Comm_group(ranks, &group_), {"MPI_Comm_group"});
  }
  ~group_of() { MPI_Group_free(&group_); }
  group_of(const group_of&) = delete;
  group_of& operator=(const group_of&) = delete;
  [[nodiscard]] MPI_Group get() const noexcept { return group_; }
  [[nodiscard]] int size() const {
    int ranks = 0;
    check(MPI_Group_size(group_, &ranks), {"MPI_Group_size"});
    return ranks;
  }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace

std::vector<int> ranks_within(const boost::mpi::communicator& all,
                              const boost::mpi::communicator& part, bool remote) {
  if (MPI_Comm(part) == MPI_COMM_NULL) return {};
  int between = 0;
  check(MPI_Comm_test_inter(part, &between), {"MPI_Comm_test_inter"});
  if (remote && between == 0) return {};
  const group_of whole(all), members(part, remote);
  std::vector<int> own(static_cast<std::size_t>(members.size()));
  std::iota(own.begin(), own.end(), 0);
  std::vector<int> found(own.size());
  check(MPI_Group_translate_ranks(members.get(), static_cast<int>(own.size()), own.data(),
                                  whole.get(), found.data()),
        {"MPI_Group_translate_ranks"});
  for (int& each : found) each = each == MPI_UNDEFINED ? -1 : each;
  return found;
}

}  // namespace deed::transport
