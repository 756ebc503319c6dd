// SPDX-License-Identifier: MIT
#include "collective.hpp"

#include <deed/base/error.hpp>

#include "control.hpp"
#include "core.hpp"
#include "report.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace deed::runtime {

std::uint64_t collective_channel::word() const noexcept {
  return (std::uint64_t{1} << 63) | (std::uint64_t{group} << 36) |
         (static_cast<std::uint64_t>(kind) << 32) | static_cast<std::uint32_t>(root);
}

collective_channel collective_channel::of(std::uint64_t word) noexcept {
  return {static_cast<collective_kind>((word >> 32) & 0xf), static_cast<int>(word & 0xffffffffu),
          static_cast<std::uint32_t>((word >> 36) & 0x7ffffff)};
}

std::uint64_t collective_channel::recorded() const noexcept {
  static_assert(static_cast<int>(collective_kind::gather) ==
                static_cast<int>(trace::collective_kind::gather));
  static_assert(static_cast<int>(collective_kind::barrier) ==
                static_cast<int>(trace::collective_kind::barrier));
  return trace::collective_call{static_cast<trace::collective_kind>(kind),
                                static_cast<std::uint32_t>(root), group}
      .word();
}

std::string_view collective_channel::name() const noexcept {
  switch (kind) {
    case collective_kind::gather:
      return "gather";
    case collective_kind::scatter:
      return "scatter";
    case collective_kind::broadcast:
      return "broadcast";
    case collective_kind::reduce:
      return "reduce";
    case collective_kind::all_gather:
      return "all_gather";
    case collective_kind::all_reduce:
      return "all_reduce";
    case collective_kind::all_to_all:
      return "all_to_all";
    case collective_kind::barrier:
      return "barrier";
  }
  return "collective";
}

std::string collective_channel::text() const {
  const std::string call = "`" + std::string(name()) + "`", at = std::to_string(root);
  switch (kind) {
    case collective_kind::gather:
    case collective_kind::reduce:
      return call + " to rank " + at;
    case collective_kind::scatter:
    case collective_kind::broadcast:
      return call + " from rank " + at;
    default:
      return call;
  }
}

/// One message of a run; stays where it is until the run ends.
struct collective_run::message {
  collective_run* run = nullptr;
  data::packed_buffer bytes;  // Arrived.
  transport::send_operation sending;
  transport::receive_operation receiving;

  static memory_block make_room(transport::receive_operation& operation, std::uint64_t bytes) {
    auto& self = *static_cast<message*>(operation.context);
    if (bytes == 0) return {};
    std::byte* const room = self.bytes.extend(bytes);
    return {.address = room, .row_bytes = bytes, .rows = 1, .pitch = bytes};
  }
  static void sent(transport::send_operation& operation,
                   const transport::outcome& result) noexcept {
    static_cast<message*>(operation.context)->run->done(result.error);
  }
  static void received(transport::receive_operation& operation,
                       const transport::outcome& result) noexcept {
    static_cast<message*>(operation.context)->run->done(result.error);
  }
};

collective_run::collective_run(core& home, collective_node& node, transport::engine& engine,
                               std::uint64_t number, collective_description&& what, replica* given,
                               replica* taken, const group_state* group)
    : home_(home),
      node_(node),
      engine_(engine),
      group_(group),
      rank_(group == nullptr ? home.rank() : group->self),
      size_(group == nullptr ? home.size() : static_cast<int>(group->ranks.size())),
      number_(number),
      what_(std::move(what)),
      given_(given),
      taken_(taken) {}

collective_run::~collective_run() = default;

message_status collective_run::status() const noexcept {
  return {deed::rank{what_.root}, message_tag{0}, moved_};
}

bool collective_run::go_on() {
  // Who brings it to zero goes on: this thread, or the completion of the last message.
  for (;;) {
    pending_.store(1, std::memory_order_relaxed);
    const stage now = std::exchange(next_, nullptr);
    try {
      if (failure_ == nullptr && now != nullptr) {
        hear();
        (this->*now)();
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex_);
      if (failure_ == nullptr) failure_ = std::current_exception();
      next_ = nullptr;
    }
    const bool last = next_ == nullptr;
    // Release: what this stage did is seen by who goes on; acquire: and the other way round.
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    if (last) return true;
  }
}

void collective_run::done(const std::exception_ptr& error) noexcept {
  if (error != nullptr) {
    const std::lock_guard lock(failure_mutex_);
    if (failure_ == nullptr) failure_ = error;
  }
  if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) home_.goes_on(node_);
}

/// Whether one of the parts that came says why there is no value: then there is none here.
void collective_run::hear() {
  for (const message* part : parts_) {
    if (why_ != nullptr) return;
    if (part != nullptr && part->receiving.spoiled)
      why_ = std::make_shared<const runtime::failure>(heard<runtime::failure>(part->bytes.bytes()));
  }
}

bool collective_run::takes() const noexcept {
  switch (what_.kind) {
    case collective_kind::gather:
    case collective_kind::reduce:
      return rank_ == what_.root;
    case collective_kind::broadcast:
      return rank_ != what_.root;
    default:
      return rank_ < parts();
  }
}

bool collective_run::reduces_for_all() const noexcept {
  return what_.kind == collective_kind::all_reduce || what_.kind == collective_kind::barrier;
}

deed::rank collective_run::in_session(int peer) const noexcept {
  return deed::rank{group_ == nullptr ? peer : group_->ranks[static_cast<std::size_t>(peer)]};
}

std::uint64_t collective_run::channel() const noexcept {
  return collective_channel{what_.kind, what_.root, group_ == nullptr ? 0 : group_->number}.word();
}

std::uint64_t collective_run::recorded() const noexcept {
  return collective_channel{what_.kind, what_.root, group_ == nullptr ? 0 : group_->number}
      .recorded();
}

void collective_run::send(int peer, part_bytes bytes) {
  message& fresh = messages_.emplace_back();
  fresh.run = this;
  fresh.sending.what = {.kind = transport::transfer_kind::message,
                        .origin = static_cast<std::uint32_t>(home_.rank()),
                        .tag = number_,
                        .version = channel(),
                        .type_hash = what_.parts->element_hash,
                        .bytes = bytes.size()};
  fresh.sending.peer = in_session(peer);
  if (why_ != nullptr) {  // It travels in the value's place.
    data::pack(*why_, fresh.bytes);
    bytes = fresh.bytes.bytes();
    fresh.sending.spoiled = true;
    fresh.sending.what.bytes = bytes.size();
  }
  fresh.sending.source = {bytes.data(), bytes.size()};
  fresh.sending.completed = &message::sent;
  fresh.sending.context = &fresh;
  moved_ += bytes.size();
  pending_.fetch_add(1, std::memory_order_relaxed);
  engine_.send(fresh.sending);
}

collective_run::message& collective_run::receive(int peer) {
  message& fresh = messages_.emplace_back();
  fresh.run = this;
  fresh.receiving.what = {.kind = transport::transfer_kind::message,
                          .origin = static_cast<std::uint32_t>(in_session(peer).value),
                          .tag = number_,
                          .version = channel(),
                          .type_hash = what_.parts->element_hash,
                          .bytes = transport::any_size};
  fresh.receiving.peer = in_session(peer);
  fresh.receiving.destination = &message::make_room;
  fresh.receiving.completed = &message::received;
  fresh.receiving.context = &fresh;
  pending_.fetch_add(1, std::memory_order_relaxed);
  engine_.receive(fresh.receiving);
  return fresh;
}

/// What this rank gives, as bytes: in place where it lies so, else packed into `room`.
part_bytes collective_run::given(data::packed_buffer& room) const {
  if (why_ != nullptr) return {};
  const data::type_operations& type = *what_.parts->part;
  const const_memory_block lying = type.source(give_storage_);
  if (lying.address != nullptr && lying.contiguous()) return {lying.address, lying.bytes()};
  if (type.form != data::wire_form::packed && type.bytes(give_storage_) == 0) return {};
  type.pack(give_storage_, room);
  return room.bytes();
}

void collective_run::unpack_taken(part_bytes bytes) {
  if (why_ != nullptr) return;
  what_.parts->part->unpack(take_storage_, bytes);
}

void collective_run::begin() {
  parts_.assign(static_cast<std::size_t>(size_), nullptr);
  if (given_ != nullptr) why_ = home_.why_missing(node_, *given_);
  give_storage_ = given_ != nullptr ? given_->storage : what_.give.storage;
  take_storage_ = taken_ != nullptr ? taken_->make_storage(&home_.blocks()) : what_.take.storage;
  switch (what_.kind) {
    case collective_kind::gather:
      return gather();
    case collective_kind::scatter:
      return scatter();
    case collective_kind::broadcast:
      return broadcast();
    case collective_kind::reduce:
    case collective_kind::all_reduce:
    case collective_kind::barrier:
      return reduce();
    case collective_kind::all_gather:
      return all_gather();
    case collective_kind::all_to_all:
      return all_to_all();
  }
}

void collective_run::gather() {
  if (rank_ != what_.root) return send(what_.root, given(own_));
  parts_.resize(static_cast<std::size_t>(parts()));
  for (int peer = 0; peer < parts(); ++peer) {
    if (peer != rank_) parts_[static_cast<std::size_t>(peer)] = &receive(peer);
  }
  next_ = &collective_run::assemble;
}

void collective_run::all_gather() {
  const part_bytes mine = given(own_);
  gathered_.append(mine.data(), mine.size());
  lengths_.push_back(mine.size());
  pass_on();
}

/// With the parts of n ranks here, those of the next n come from the rank n further on.
void collective_run::pass_on() {
  const auto all = static_cast<std::size_t>(size_), known = lengths_.size();
  if (known == all) {
    next_ = &collective_run::assemble;
    return;
  }
  const std::size_t wanted = std::min(known, all - known);
  const auto ahead = static_cast<int>(known);
  parts_.front() = &receive((rank_ + ahead) % size_);
  if (why_ != nullptr) {
    send((rank_ + size_ - ahead) % size_, {});
    next_ = &collective_run::take_parts;
    return;
  }
  const std::span<const std::uint64_t> lengths = std::span(lengths_).first(wanted);
  const auto bytes = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  message& piece = messages_.emplace_back();  // Kept until it has left.
  piece.bytes.append(reinterpret_cast<const std::byte*>(lengths.data()), lengths.size_bytes());
  piece.bytes.append(gathered_.data(), bytes);
  send((rank_ + size_ - ahead) % size_, piece.bytes.bytes());
  next_ = &collective_run::take_parts;
}

/// What came: the lengths of so many parts, and these.
void collective_run::take_parts() {
  const part_bytes came = parts_.front()->bytes.bytes();
  const auto all = static_cast<std::size_t>(size_), known = lengths_.size();
  const std::size_t wanted = std::min(known, all - known), head = wanted * sizeof(std::uint64_t);
  if (why_ != nullptr) {
    lengths_.resize(known + wanted);
    return pass_on();
  }
  std::uint64_t left = came.size() < head ? 0 : came.size() - head;
  if (came.size() < head) data::detail::refuse_size(came.size(), head);
  for (std::size_t i = 0; i < wanted; ++i) {
    std::uint64_t length = 0;
    std::memcpy(&length, came.data() + i * sizeof length, sizeof length);
    if (length > left) data::detail::refuse_size(left, length);
    left -= length;
    lengths_.push_back(length);
  }
  if (left != 0) data::detail::refuse_size(came.size(), came.size() - left);
  gathered_.append(came.data() + head, came.size() - head);
  pass_on();
}

void collective_run::assemble() {
  if (why_ != nullptr) return;
  std::vector<part_bytes> all;
  if (what_.kind == collective_kind::all_gather) {
    all.resize(lengths_.size());
    const std::byte* at = gathered_.data();
    for (std::size_t i = 0; i < all.size(); at += lengths_[i++])
      all[(i + static_cast<std::size_t>(rank_)) % all.size()] = {at, lengths_[i]};
    moved_ = gathered_.size() - lengths_.front();
    return what_.parts->assemble(take_storage_, all, -1);
  }
  for (const message* part : parts_) {
    if (part != nullptr) moved_ += part->bytes.size();
    all.push_back(part != nullptr ? part->bytes.bytes() : part_bytes{});
  }
  const auto self = static_cast<std::size_t>(rank_);
  data::packed_buffer room;
  if (what_.kind == collective_kind::all_to_all) {
    all[self] = own_.bytes();
  } else if (!what_.keeps_own && rank_ < parts()) {
    all[self] = given(room);
  }
  const int kept = what_.keeps_own ? rank_ : -1;
  if (what_.places.empty()) return what_.parts->assemble(take_storage_, all, kept);
  place_bytes(*what_.parts->whole, take_storage_, all, what_.places, kept);
}

void collective_run::scatter() {
  if (rank_ != what_.root) {
    parts_.front() = &receive(what_.root);
    next_ = &collective_run::take_part;
    return;
  }
  const data::type_operations& part = *what_.parts->part;
  const bool fixed = part.form == data::wire_form::fixed && take_storage_ != nullptr;
  const std::size_t each = fixed ? part.bytes(take_storage_) : std::size_t{0};
  const auto cut = [&](int peer, data::packed_buffer& to) {
    if (why_ != nullptr) return;
    const auto i = static_cast<std::size_t>(peer);
    if (what_.places.empty())
      what_.parts->divide(give_storage_, i, static_cast<std::size_t>(parts()), each, to);
    else
      take_bytes(*what_.parts->whole, give_storage_, what_.places[i], to);
  };
  for (int peer = 0; peer < parts(); ++peer) {
    if (peer == rank_) continue;
    message& piece = messages_.emplace_back();  // Kept until it has left.
    cut(peer, piece.bytes);
    send(peer, piece.bytes.bytes());
  }
  if (rank_ >= parts()) return;
  cut(rank_, own_);
  unpack_taken(own_.bytes());
}

void collective_run::take_part() {
  moved_ += parts_.front()->bytes.size();
  unpack_taken(parts_.front()->bytes.bytes());
}

void collective_run::all_to_all() {
  for (int i = 1; i < size_; ++i) {
    const int to = (rank_ + i) % size_, from = (rank_ + size_ - i) % size_;
    parts_[static_cast<std::size_t>(from)] = &receive(from);
    message& piece = messages_.emplace_back();
    if (why_ == nullptr) {
      what_.parts->divide(give_storage_, static_cast<std::size_t>(to),
                          static_cast<std::size_t>(size_), 0, piece.bytes);
    }
    send(to, piece.bytes.bytes());
  }
  next_ = &collective_run::assemble;
  if (why_ != nullptr) return;
  what_.parts->divide(give_storage_, static_cast<std::size_t>(rank_),
                      static_cast<std::size_t>(size_), 0, own_);
}

/// In the tree of the broadcast from `root`: ranks count from there.
int collective_run::parent() const noexcept {
  const int place = (rank_ - what_.root + size_) % size_;
  return ((place & (place - 1)) + what_.root) % size_;
}

void collective_run::broadcast() {
  if (rank_ != what_.root) {
    parts_.front() = &receive(parent());
    next_ = &collective_run::spread;
    return;
  }
  spread();
}

/// Hands on what came, or what the root gives, to the children; the farthest first.
void collective_run::spread() {
  const bool first = rank_ == what_.root;
  part_bytes bytes;
  if (reduces_for_all()) {
    bytes = first ? own_.bytes() : parts_.back()->bytes.bytes();
  } else {
    bytes = first ? given(own_) : parts_.front()->bytes.bytes();
  }
  const auto place = static_cast<unsigned>((rank_ - what_.root + size_) % size_);
  const unsigned below = place == 0 ? std::bit_ceil(static_cast<unsigned>(size_))
                                    : place & (~place + 1);  // Lowest bit.
  for (unsigned step = below / 2; step > 0; step /= 2) {
    if (place + step < static_cast<unsigned>(size_))
      send(static_cast<int>((place + step + static_cast<unsigned>(what_.root)) %
                            static_cast<unsigned>(size_)),
           bytes);
  }
  if (!first || reduces_for_all()) unpack_taken(bytes);
  if (!first) moved_ += bytes.size();
}

/// Up a tree from rank 0, whatever the root: neighbours in the tree are neighbours in rank.
void collective_run::reduce() {
  const auto self = static_cast<unsigned>(rank_), count = static_cast<unsigned>(size_);
  const unsigned below = self == 0 ? std::bit_ceil(count) : self & (~self + 1);
  std::size_t found = 0;
  for (unsigned step = 1; step < below && self + step < count; step *= 2)
    parts_[found++] = &receive(static_cast<int>(self + step));
  next_ = &collective_run::fold;
}

namespace {

/// A value of a type that only its operations know.
class untyped_value {
 public:
  untyped_value(const data::type_operations& type, const data::extents& shape) : type_(type) {
    at_ = static_cast<std::byte*>(
        ::operator new(type.storage_bytes, std::align_val_t{type.storage_alignment}));
    try {
      type.construct(at_, shape, nullptr);
    } catch (...) {
      ::operator delete(at_, std::align_val_t{type_.storage_alignment});
      throw;
    }
  }
  untyped_value(const untyped_value&) = delete;
  ~untyped_value() {
    type_.destroy(at_);
    ::operator delete(at_, std::align_val_t{type_.storage_alignment});
  }
  [[nodiscard]] void* get() const noexcept { return at_; }

 private:
  const data::type_operations& type_;
  std::byte* at_;
};

}  // namespace

void collective_run::fold() {
  const data::type_operations& type = *what_.parts->part;
  data::packed_buffer room;
  const part_bytes mine = given(room);
  if (parts_.front() == nullptr) {  // A leaf.
    own_.append(mine.data(), mine.size());
  } else if (why_ == nullptr) {
    const data::extents shape = given_ != nullptr ? given_->shape : data::extents{};
    untyped_value sum(type, shape), next(type, shape);
    type.unpack(sum.get(), mine);
    for (const message* part : parts_) {
      if (part == nullptr) break;
      moved_ += part->bytes.size();
      type.unpack(next.get(), part->bytes.bytes());
      combine(sum.get(), next.get());
      if (why_ != nullptr) return finish_reduction();
    }
    type.pack(sum.get(), own_);
  }
  finish_reduction();
}

/// What the operation throws is why there is no value.
void collective_run::combine(void* into, const void* from) {
  try {
    what_.combine(into, from);
  } catch (...) {
    const collective_channel call{what_.kind, what_.root};
    runtime::failure why;
    why.code = static_cast<std::uint16_t>(error_code::task_threw);
    why.rank = home_.rank();
    why.codelet = call.name();
    why.thrown = text_of(std::current_exception());
    why.happened = "task `" + why.codelet + "` threw: " + why.thrown;
    why.inserted = to_string(what_.where);
    why.facts = {{"called", call.text() + ", at " + why.inserted},
                 {"ran on", "rank " + std::to_string(why.rank)}};
    if (given_ != nullptr)
      why.facts.push_back({"given", given_->label() + ", tag " + std::to_string(given_->tag)});
    why_ = std::make_shared<const runtime::failure>(std::move(why));
  }
}

void collective_run::finish_reduction() {
  if (rank_ != 0) send(rank_ & (rank_ - 1), own_.bytes());
  if (reduces_for_all()) {
    if (rank_ == 0) return spread();
    parts_.back() = &receive(parent());
    next_ = &collective_run::spread;
    return;
  }
  if (what_.root == 0) {
    if (rank_ == 0) unpack_taken(own_.bytes());
  } else if (rank_ == 0) {
    send(what_.root, own_.bytes());
  } else if (rank_ == what_.root) {
    parts_.front() = &receive(0);
    next_ = &collective_run::take_part;
  }
}

// ---- parts.hpp

namespace {

/// Calls `piece(bytes of the room, bytes of the part)` for each run of contiguous bytes of the
/// `length` ones from `offset` on.
template <class Block, class Piece>
void visit_rows(const Block& room, std::size_t offset, std::size_t length, Piece&& piece) {
  const std::size_t width = room.contiguous() ? room.bytes() : room.row_bytes;
  for (std::size_t done = 0; done < length;) {
    const std::size_t row = (offset + done) / width, column = (offset + done) % width;
    const std::size_t now = std::min(length - done, width - column);
    piece(room.address + row * room.pitch + column, done, now);
    done += now;
  }
}

void put(const memory_block& room, std::size_t offset, part_bytes part) {
  visit_rows(room, offset, part.size(), [&](std::byte* to, std::size_t from, std::size_t length) {
    std::memcpy(to, part.data() + from, length);
  });
}

}  // namespace

void assemble_bytes(const data::type_operations& whole, void* storage,
                    std::span<const part_bytes> parts, int kept) {
  std::uint64_t others = 0;
  for (const part_bytes& each : parts) others += each.size();
  const std::uint64_t total = kept < 0 ? others : whole.bytes(storage);
  if (kept >= 0 && others > total) data::detail::refuse_size(others, total);
  const memory_block room = whole.prepare(storage, total);
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    put(room, at, parts[i]);
    at += static_cast<int>(i) == kept ? total - others : parts[i].size();
  }
}

void place_bytes(const data::type_operations& whole, void* storage,
                 std::span<const part_bytes> parts, std::span<const part_place> places, int kept) {
  std::uint64_t total = whole.bytes(storage);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (static_cast<int>(i) != kept && parts[i].size() != places[i].length)
      data::detail::refuse_size(parts[i].size(), places[i].length);
    total = std::max<std::uint64_t>(total, places[i].first + places[i].length);
  }
  const memory_block room = whole.prepare(storage, total);
  for (std::size_t i = 0; i < parts.size(); ++i) put(room, places[i].first, parts[i]);
}

void take_bytes(const data::type_operations& whole, const void* storage, const part_place& from,
                data::packed_buffer& to) {
  const const_memory_block lying = whole.source(storage);
  if (from.first + from.length > lying.bytes())
    data::detail::refuse_size(lying.bytes(), from.first + from.length);
  visit_rows(lying, from.first, from.length,
             [&](const std::byte* at, std::size_t, std::size_t length) { to.append(at, length); });
}

void divide_bytes(const data::type_operations& whole, const void* storage, std::size_t element,
                  std::size_t index, std::size_t count, std::size_t bytes_each,
                  data::packed_buffer& to) {
  data::packed_buffer packed;
  const_memory_block lying = whole.source(storage);
  if (lying.address == nullptr || !lying.contiguous()) {
    if (whole.bytes(storage) > 0) whole.pack(storage, packed);
    lying = {packed.data(), packed.size()};
  }
  const std::size_t total = lying.bytes();
  std::size_t first = index * bytes_each, length = bytes_each;
  if (bytes_each == 0) {
    const std::size_t elements = total / element, each = elements / count, more = elements % count;
    first = (index * each + std::min(index, more)) * element;
    length = (each + (index < more ? 1 : 0)) * element;
  } else if (total != bytes_each * count) {
    data::detail::refuse_size(total, bytes_each * count);
  }
  to.append(lying.address + first, length);
}

}  // namespace deed::runtime
