// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The look of deed's interface, with its words for the checker and without a body: what the tests
/// of `deed-check` include, as it needs no other package. Never linked.

#include <deed/base/attributes.hpp>
#include <deed/base/identity.hpp>
#include <deed/base/literal.hpp>
#include <deed/base/place.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace boost::mpi {
class communicator;
}

namespace deed {

struct everywhere_t {};
inline constexpr everywhere_t everywhere{};
struct uninitialised_t {};
inline constexpr uninitialised_t uninitialised{};

template <class T>
class DEED_MODEL("type", "view") tile {
 public:
  T& operator()(std::ptrdiff_t row, std::ptrdiff_t column) const DEED_LIFETIMEBOUND;
  DEED_MODEL("extent", 0) [[nodiscard]] std::ptrdiff_t rows() const;
  DEED_MODEL("extent", 1) [[nodiscard]] std::ptrdiff_t cols() const;
};

template <class T>
class [[nodiscard]] DEED_MODEL("type", "handle") handle {
 public:
  handle(handle&&) noexcept;
  handle& operator=(handle&&) noexcept;
  ~handle();
  DEED_MODEL("owner_of", "this") DEED_MODEL("pure") [[nodiscard]] deed::owner owner() const;
  DEED_MODEL("consumes", "this") DEED_MODEL("step", "unregister") void unregister() &&;
};

template <class T>
class [[nodiscard]] DEED_MODEL("type", "token") access {
 public:
  ~access();
};

template <class T>
DEED_MODEL("accesses", "read")
access<const T> read(const handle<T>&, place = place::current());
template <class T>
DEED_MODEL("accesses", "read")
access<const T> read(const std::vector<handle<T>>&, place = place::current());
template <class T>
DEED_MODEL("accesses", "write")
access<T> write(handle<T>&, place = place::current());
template <class T>
DEED_MODEL("accesses", "write")
access<T> write(std::vector<handle<T>>&, place = place::current());
template <class T>
DEED_MODEL("accesses", "read_write")
access<T> read_write(handle<T>&, place = place::current());
template <class T>
DEED_MODEL("accesses", "commute")
access<T> commute(handle<T>&, place = place::current());
template <class T>
DEED_MODEL("accesses", "reduce")
access<T> reduce(handle<T>&, place = place::current());
struct shape {
  std::ptrdiff_t rows, cols;
};
template <class T>
DEED_MODEL("accesses", "scratch")
access<tile<T>> scratch(shape, place = place::current());

template <class T>
class DEED_MODEL("type", "value") value_argument {
 public:
  T content;
};
template <class T>
DEED_MODEL("copies", "0")
value_argument<T> value(T, place = place::current());

template <class R>
class borrowed_storage {
 public:
  ~borrowed_storage();
};
template <class R>
DEED_MODEL("keeps", "0")
borrowed_storage<R> in_place(R& range DEED_LIFETIMEBOUND);

template <class... F>
class DEED_MODEL("type", "codelet") codelet {
 public:
  constexpr codelet(literal, F...) {}
};

class DEED_MODEL("type", "gate") gate {
 public:
  DEED_MODEL("opens", "this") void open();
};
struct behind_argument {};
struct opens_argument {};
DEED_MODEL("awaits") behind_argument behind(gate&);
DEED_MODEL("opens", "0") opens_argument opens(gate&);

struct on_argument {};
DEED_MODEL("places") on_argument on(rank);
struct DEED_MODEL("places", "each") on_each {
  everywhere_t where;
};
template <class T>
DEED_MODEL("places")
on_argument on_owner_of(const handle<T>&);

class [[nodiscard]] DEED_MODEL("type", "request") request {
 public:
  request(request&&) noexcept;
  request& operator=(request&&) noexcept;
  ~request();
  DEED_MODEL("waits", "this") DEED_MODEL("blocks") void wait();
  bool test();
};

template <class T>
class [[nodiscard]] DEED_MODEL("type", "borrow") borrow {
 public:
  borrow(borrow&&) noexcept;
  ~borrow();
  T& operator*() const DEED_LIFETIMEBOUND;
  T* operator->() const DEED_LIFETIMEBOUND;
  DEED_MODEL("releases", "this") void release();
};

struct DEED_MODEL("type", "options") options {
  const char* name = "";
  deed::tag tag = deed::tag{0};
};

class row_blocks {
 public:
  explicit row_blocks(int);
};
template <class Operation, class T>
class reduction {
 public:
  reduction(Operation, T);
};
template <class Operation, class T>
reduction(Operation, T) -> reduction<Operation, T>;

class DEED_MODEL("type", "session") session {
 public:
  explicit session(const boost::mpi::communicator&);
  session(const session&) = delete;
  ~session();

  DEED_MODEL("rank_source") DEED_MODEL("pure") [[nodiscard]] int rank() const;
  DEED_MODEL("uniform") DEED_MODEL("pure") [[nodiscard]] int size() const;

  template <class T>
  DEED_MODEL("registers")
  DEED_MODEL("step", "register") handle<T> register_data(owner, T, options = {}) DEED_LIFETIMEBOUND;
  template <class T>
  DEED_MODEL("registers")
  DEED_MODEL("step", "register") handle<T> register_data(per_rank_t, T,
                                                         options = {}) DEED_LIFETIMEBOUND;
  template <class T>
  DEED_MODEL("registers", "uninitialised")
  DEED_MODEL("step", "register") handle<T> register_data(owner, uninitialised_t,
                                                         options = {}) DEED_LIFETIMEBOUND;
  template <class R>
  DEED_MODEL("registers")
  DEED_MODEL("step", "register") handle<R> register_data(owner, borrowed_storage<R>,
                                                         options = {}) DEED_LIFETIMEBOUND;
  template <class T, class Operation>
  DEED_MODEL("registers")
  DEED_MODEL("step",
             "register") handle<T> register_data(owner, T,
                                                 reduction<Operation, T>) DEED_LIFETIMEBOUND;

  template <class... F, class... A>
  DEED_MODEL("submits")
  DEED_MODEL("owner_context") void insert_task(const codelet<F...>&, A&&...);

  template <class T>
  DEED_MODEL("lends")
  DEED_MODEL("waits", "datum")
      DEED_MODEL("blocks") deed::borrow<T> borrow(access<T>) DEED_LIFETIMEBOUND;

  template <class T>
  DEED_MODEL("posts", "send")
  void send(access<T>, to, message_tag);
  template <class T>
  DEED_MODEL("posts", "receive")
  void receive(access<T>, from, message_tag);
  template <class T>
  DEED_MODEL("posts", "send")
  request isend(access<T>, to, message_tag);
  template <class T>
  DEED_MODEL("posts", "receive")
  request ireceive(access<T>, from, message_tag);

  template <class T>
  DEED_MODEL("moves", "migrate")
  DEED_MODEL("step", "migrate") void migrate(handle<T>&, owner);
  template <class T>
  DEED_MODEL("moves", "flush")
  DEED_MODEL("step", "flush") void flush(handle<T>&);
  template <class T>
  DEED_MODEL("moves", "fetch")
  DEED_MODEL("step", "fetch") void fetch(access<T>, everywhere_t);
  template <class T>
  DEED_MODEL("splits")
  DEED_MODEL("step", "partition") std::vector<handle<T>> partition(handle<T>&&, row_blocks);
  template <class T>
  DEED_MODEL("joins")
  DEED_MODEL("step", "unite") handle<T> unite(std::vector<handle<T>>&&);
  template <class T>
  DEED_MODEL("closes")
  DEED_MODEL("step", "reduce") void reduce(handle<T>&);
  template <class T>
  DEED_MODEL("step", "gather")
  void gather(access<T>, to);
  template <class T>
  DEED_MODEL("step", "scatter")
  void scatter(access<T>, from);

  template <class... A>
  DEED_MODEL("guards", "participant")
  bool relevant(A&&... tokens);
  template <class T>
  DEED_MODEL("guards", "owner")
  DEED_MODEL("pure") [[nodiscard]] bool owns(const handle<T>&) const;

  gate make_gate(literal name);

  DEED_MODEL("waits", "all")
  DEED_MODEL("step", "wait")
  DEED_MODEL("blocks")
  DEED_MODEL("owner_context")
  void wait();
  DEED_MODEL("step", "any") DEED_MODEL("uniform") DEED_MODEL("blocks") bool any(bool);
  DEED_MODEL("consumes", "this") DEED_MODEL("step", "close") DEED_MODEL("blocks") void close();
};

struct block_cyclic {
  int ranks;
};
struct DEED_MODEL("type", "options") extents {
  DEED_MODEL("extent") std::ptrdiff_t rows = 0, cols = 0, tile_rows = 0, tile_cols = 0;
  block_cyclic owners{0};
  double initial = 0;
  const char* name = "";
};
struct tile_index {
  std::ptrdiff_t i, j;
};
template <class T>
class tiled_matrix {
 public:
  DEED_MODEL("registers") DEED_MODEL("step", "register") tiled_matrix(session&, extents);
  tiled_matrix(tiled_matrix&&) noexcept;
  tiled_matrix& operator=(tiled_matrix&&) noexcept;
  ~tiled_matrix();
  DEED_MODEL("registers") DEED_MODEL("step", "register") tiled_matrix like(const char* name);
  handle<tile<T>>& operator()(std::ptrdiff_t row, std::ptrdiff_t column);
  DEED_MODEL("uniform") [[nodiscard]] std::vector<tile_index> interior() const;
};

int run(int argc, char** argv, void (*program)(session&));

}  // namespace deed
