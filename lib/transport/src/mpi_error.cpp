// SPDX-License-Identifier: MIT
#include <deed/transport/mpi.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace deed::transport {
namespace {

int class_of(int result) {
  int found = MPI_ERR_UNKNOWN;
  MPI_Error_class(result, &found);
  return found;
}

/// The symbol, because its number differs between libraries.
std::string symbol_of(int error_class) {
  static constexpr std::array known{std::pair{MPI_ERR_BUFFER, "MPI_ERR_BUFFER"},
                                    std::pair{MPI_ERR_COUNT, "MPI_ERR_COUNT"},
                                    std::pair{MPI_ERR_TYPE, "MPI_ERR_TYPE"},
                                    std::pair{MPI_ERR_TAG, "MPI_ERR_TAG"},
                                    std::pair{MPI_ERR_COMM, "MPI_ERR_COMM"},
                                    std::pair{MPI_ERR_RANK, "MPI_ERR_RANK"},
                                    std::pair{MPI_ERR_REQUEST, "MPI_ERR_REQUEST"},
                                    std::pair{MPI_ERR_ARG, "MPI_ERR_ARG"},
                                    std::pair{MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE"},
                                    std::pair{MPI_ERR_OTHER, "MPI_ERR_OTHER"},
                                    std::pair{MPI_ERR_INTERN, "MPI_ERR_INTERN"},
                                    std::pair{MPI_ERR_PENDING, "MPI_ERR_PENDING"},
                                    std::pair{MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM"},
                                    std::pair{MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN"},
                                    std::pair{MPI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS"}};
  for (const auto& [number, symbol] : known) {
    if (number == error_class) return symbol;
  }
  return "class " + std::to_string(error_class);
}

std::string text_of(int result) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(result, text.data(), &length) != MPI_SUCCESS) return "no text";
  return {text.data(), static_cast<std::size_t>(length)};
}

/// "to rank 0, tag 7, 800 bytes", as far as it is known.
std::string message_of(const mpi_error::call& what) {
  std::string text;
  const auto add = [&](std::string_view part) {
    if (!text.empty()) text += ", ";
    text += part;
  };
  if (what.peer >= 0) add("rank " + std::to_string(what.peer));
  if (what.tag >= 0) add("MPI tag " + std::to_string(what.tag));
  if (what.bytes >= 0) add(std::to_string(what.bytes) + (what.bytes == 1 ? " byte" : " bytes"));
  return text;
}

std::vector<error::fact> facts_of(int result, const mpi_error::call& what) {
  std::vector<error::fact> facts{
      {"MPI says", symbol_of(class_of(result)) + ": " + text_of(result)}};
  if (std::string message = message_of(what); !message.empty()) {
    facts.push_back({"message", std::move(message)});
  }
  return facts;
}

}  // namespace

mpi_error::mpi_error(int result, const call& what)
    : error(error_code::mpi_failed, "MPI call `" + std::string(what.operation) + "` failed",
            facts_of(result, what),
            "read what MPI says; if it comes back, run with one rank per node to find the node"),
      class_(class_of(result)) {}

void check(int result, const mpi_error::call& what) {
  if (result != MPI_SUCCESS) throw mpi_error(result, what);
}

}  // namespace deed::transport
