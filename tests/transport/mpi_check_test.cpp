// SPDX-License-Identifier: MIT
#include "checking_table.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace transport_test {
namespace {

using strings = std::vector<std::string>;

/// What the watched table says to a piece of code that uses it wrongly, on messages to itself.
template <class Use>
strings said(Use&& use) {
  auto table = std::make_unique<checking_table>(std::make_unique<deed::transport::mpi_table>());
  const auto wrong = table->wrong();
  use(*table);
  table.reset();
  return *wrong;
}

int test_one(checking_table& mpi, MPI_Request& request) {
  int done = 0, index = 0;
  MPI_Status status;
  while (done == 0) mpi.testsome(1, &request, &done, &index, &status);
  return done;
}

TEST(checking_table, is_silent_about_right_use) {
  EXPECT_EQ(said([](checking_table& mpi) {
              std::array<std::byte, 64> from{}, to{};
              MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
              mpi.irecv(to.data(), 64, MPI_BYTE, 0, 5, MPI_COMM_SELF, &receive);
              mpi.isend(from.data(), 64, MPI_BYTE, 0, 5, MPI_COMM_SELF, &send);
              test_one(mpi, receive);
              test_one(mpi, send);
            }),
            strings{});
}

TEST(checking_table, sees_a_buffer_that_changes_under_way) {
  const strings found = said([](checking_table& mpi) {
    std::vector<std::byte> from(1 << 20), to(1 << 20);
    MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
    mpi.isend(from.data(), 1 << 20, MPI_BYTE, 0, 5, MPI_COMM_SELF, &send);
    from[7] = std::byte{1};
    mpi.irecv(to.data(), 1 << 20, MPI_BYTE, 0, 5, MPI_COMM_SELF, &receive);
    test_one(mpi, receive);
    test_one(mpi, send);
  });
  EXPECT_EQ(found, strings{"memory changed while it was sent"});
}

TEST(checking_table, sees_two_receives_into_the_same_memory) {
  const strings found = said([](checking_table& mpi) {
    std::array<std::byte, 64> room{};
    std::array<MPI_Request, 2> both{};
    mpi.irecv(room.data(), 64, MPI_BYTE, 0, 5, MPI_COMM_SELF, &both[0]);
    mpi.irecv(room.data() + 63, 1, MPI_BYTE, 0, 6, MPI_COMM_SELF, &both[1]);
    for (MPI_Request& each : both) {
      MPI_Status status;
      mpi.cancel(&each);
      mpi.wait(&each, &status);
    }
  });
  EXPECT_EQ(found, strings{"two operations on the same memory"});
}

TEST(checking_table, sees_a_request_cancelled_twice_and_one_that_is_left) {
  const strings found = said([](checking_table& mpi) {
    static std::array<std::byte, 64> room{};
    static MPI_Request slot = MPI_REQUEST_NULL;
    mpi.recv_init(room.data(), 64, MPI_BYTE, 0, 5, MPI_COMM_SELF, &slot);
    MPI_Status status;
    mpi.start(&slot);
    mpi.cancel(&slot);
    mpi.cancel(&slot);
    mpi.wait(&slot, &status);
  });
  EXPECT_EQ(found, (strings{"MPI_Cancel of a request twice", "requests are left"}));
}

TEST(checking_table, sees_what_is_freed_under_way_or_not_at_all) {
  const strings found = said([](checking_table& mpi) {
    static std::array<std::byte, 64> room{};
    MPI_Request receive = MPI_REQUEST_NULL;
    mpi.irecv(room.data(), 64, MPI_BYTE, 0, 77, MPI_COMM_SELF, &receive);
    mpi.request_free(&receive);
    MPI_Datatype rows = MPI_DATATYPE_NULL;
    mpi.type_create_hvector(2, 3, 8, MPI_BYTE, &rows);
    MPI_Type_free(&rows);
  });
  EXPECT_EQ(found,
            (strings{"MPI_Request_free of a receive that may still write", "types are left"}));
}

}  // namespace
}  // namespace transport_test
