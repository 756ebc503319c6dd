// SPDX-License-Identifier: MIT
#include "device_failures.hpp"

#include <deed/gpu/fault.hpp>

#include "core.hpp"
#include "devices.hpp"
#include "report.hpp"

namespace deed::runtime {
namespace {

/// Of a task's own, not of a device that went with all it had.
bool of_a_task(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const gpu::gpu_error& known) {
    return !known.site().task.empty() || !known.site().one_of.empty();
  } catch (...) {
    return true;
  }
}

std::exception_ptr cause_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const gpu::data_lost& lost) {
    return lost.cause();
  } catch (...) {
    return nullptr;
  }
}

failure described(const error& known) {
  failure why;
  why.code = static_cast<std::uint16_t>(known.code());
  why.thrown = why.happened = known.happened();
  why.facts = known.facts();
  why.help = known.help();
  return why;
}

}  // namespace

std::exception_ptr root_of(std::exception_ptr error) {
  for (;;) {
    std::exception_ptr cause = cause_of(error);
    if (cause == nullptr || !of_a_task(cause)) return error;
    error = std::move(cause);
  }
}

shared_failure failure_of_device(const std::exception_ptr& error, int rank) {
  failure why;
  try {
    std::rethrow_exception(root_of(error));
  } catch (const body_failed& thrown) {
    return thrown.why();
  } catch (const gpu::data_lost& lost) {  // Of the datum: the same for all who read it.
    why = described(lost);
    std::erase_if(why.facts, [](const auto& each) {
      return each.label == "task" || each.label == "inserted";
    });
  } catch (const gpu::gpu_error& known) {
    why = described(known);
    why.inserted = known.site().where;
    if (!known.site().task.empty()) why.number = known.site().number;
  } catch (const class error& known) {
    why = described(known);
  } catch (...) {
    why.code = static_cast<std::uint16_t>(error_code::launch_failed);
    why.thrown = why.happened = text_of(std::current_exception());
  }
  why.rank = rank;
  why.facts.push_back({"rank", std::to_string(rank)});
  return std::make_shared<const failure>(std::move(why));
}

std::exception_ptr devices::reason_of(const std::exception_ptr& error) {
  const std::exception_ptr root = root_of(error);
  try {
    std::rethrow_exception(root);
  } catch (const body_failed& thrown) {
    account alone;  // Other tasks may have started on what it writes: the run ends.
    alone.add(*thrown.why());
    return exception_of(alone, true);
  } catch (...) {
    return root;
  }
}

/// Under `abort`, errors of devices keep their types; they name task and handle themselves. The
/// recording has them as those of a host's tasks, with the task and a datum of it, if one is known.
void devices::end_run(context& self, const std::exception_ptr& error, std::uint32_t datum) {
  const std::exception_ptr reason = reason_of(error);
  const shared_failure why = failure_of_device(error, home_.rank());
  home_.record_failure(self, reason, datum, why->number, why->made_at);
  home_.fail(reason);
}

void devices::tell(context& self, const std::exception_ptr& error, std::uint32_t datum) {
  if (home_.options_.exceptions == on_exception::abort) return end_run(self, error, datum);
  home_.failures_.add(*failure_of_device(error, home_.rank()));
}

/// A device task is through, with an error: the driver has poisoned what it writes.
void devices::tell_of(context& self, task_node& task, const std::exception_ptr& error) {
  if (cause_of(error) == nullptr) {
    const auto accesses = task.accesses();
    return tell(self, error, accesses.empty() ? trace::nothing : accesses[0].datum().number);
  }
  count(self.tasks_cancelled, std::uint64_t{1});  // For want of what another should have made.
  if (home_.options_.exceptions == on_exception::abort) return end_run(self, error, trace::nothing);
  home_.failures_.add_cancelled(*failure_of_device(error, home_.rank()));
}

/// The values are lost that a node wants on the host. What it makes of them has none either; nobody
/// waits for it in vain.
void devices::go_without(context& self, node& back, const std::exception_ptr& error) {
  if (back.kind == node_kind::receive) {  // What it would have kept is gone: it keeps nothing.
    release(back);
    if (!lease(back, true)) come_back(self, back);
    return;
  }
  const bool aborts = home_.options_.exceptions == on_exception::abort;
  if (back.kind != node_kind::task) {
    if (aborts || back.kind != node_kind::borrow)  // A borrow throws it.
      tell(self, error, trace::nothing);
    return come_back(self, back);
  }
  if (aborts) end_run(self, error, trace::nothing);
  auto& task = static_cast<task_node&>(back);
  home_.cancel(self, task, failure_of_device(error, home_.rank()));
  home_.retire(self, task);
}

shared_failure devices::lacking(const node& leased) {
  std::exception_ptr error;
  {
    const std::lock_guard lock(leases_mutex_);
    const auto known = leases_.find(&leased);
    if (known != leases_.end()) error = known->second.error();
  }
  return error == nullptr ? nullptr : failure_of_device(error, home_.rank());
}

}  // namespace deed::runtime
