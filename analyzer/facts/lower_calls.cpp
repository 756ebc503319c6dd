// SPDX-License-Identifier: MIT
#include "facts/lowering.hpp"
#include "facts/standard.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace deed::check {

namespace {

/// `std::lock_guard lock(guard_)`, `guard_.lock()`: whoever's member the mutex is.
bool locks(const clang::FunctionDecl& callee, llvm::ArrayRef<const clang::Expr*> of) {
  const bool by_object = llvm::isa<clang::CXXConstructorDecl>(callee);
  const bool by_name = callee.getIdentifier() && callee.getName() == "lock";
  return (by_object || by_name) && in_standard_library(callee) &&
         llvm::any_of(of, [](const clang::Expr* e) { return e && is_synchronised(e->getType()); });
}

/// The one that nobody wrote, and in which nothing runs but constructors of the standard library:
/// it has no body to look into, and needs none.
bool runs_no_code(const clang::CXXConstructorDecl& made) {
  if (made.isTrivial()) return true;
  if (made.isUserProvided() || !made.isDefaultConstructor()) return false;
  const auto plain = [](clang::QualType type) {
    const auto* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (!record || record->hasTrivialDefaultConstructor() || in_standard_library(*record))
      return true;
    return llvm::any_of(record->ctors(), [](const clang::CXXConstructorDecl* each) {
      return each->isDefaultConstructor() && runs_no_code(*each);
    });
  };
  const auto& record = *made.getParent();
  return llvm::all_of(record.bases(), [&](const auto& base) { return plain(base.getType()); }) &&
         llvm::all_of(record.fields(), [&](const clang::FieldDecl* field) {
           return !field->hasInClassInitializer() && plain(field->getType());
         });
}

}  // namespace

void lowering::lower_construct(const clang::CXXConstructExpr& made) {
  const auto& constructor = *made.getConstructor();
  const model& words = facts_.words_of(&constructor);
  const bool copy = constructor.isCopyOrMoveConstructor();
  if (copy && made.getNumArgs() > 0) {
    const path from = facts_.path_of(made.getArg(0));
    if (matters(from) && constructor.isCopyConstructor()) {
      const bool view = is_view(made.getType()) || facts_.noun_of(made.getType()) == noun::view;
      access(*made.getArg(0), view ? effect::none : effect::read, &made);
    }
    return;
  }
  if (put_into_optional(made.getType(), made)) return;
  if (lower_pieces(made, {made.getArgs(), made.getNumArgs()})) return;
  const bool standard = in_standard_library(constructor);
  if (words.empty() && !standard && made.getNumArgs() == 0 && runs_no_code(constructor)) return;
  if (words.empty() && facts_.noun_of(made.getType()) != noun::none &&
      facts_.noun_of(made.getType()) != noun::session) {
    return;
  }
  event e = make(event_kind::call, &made);
  e.name = made.getType().getUnqualifiedType().getAsString(facts_.ast().getPrintingPolicy());
  if (const auto* record = made.getType()->getAsCXXRecordDecl()) e.name = record->getNameAsString();
  e.words = words;
  e.standard = standard;
  e.function = facts_.usr(constructor);
  if (const auto it = facts_.results.find(&made); it != facts_.results.end()) e.result = it->second;
  e.receiver.where = e.result;
  e.receiver.kind = facts_.noun_of(made.getType());
  e.result_kind = words.has(verb::registers) ? noun::handle : facts_.noun_of(made.getType());
  e.starts_thread = starts_thread(constructor);
  e.keeps_view = e.starts_thread && facts_.holds_view(made.getType());
  add_arguments(e, {made.getArgs(), made.getNumArgs()}, constructor);
  for (operand& o : e.arguments) {  // What a view is used for is seen where it is used.
    if (standard && is_view(made.getType()) && prepared_.storage.contains(o.where.root))
      o.use = effect::none;
  }
  if (words.has(verb::registers)) e.layout = facts_.layout_of(made.getType());
  const bool lock = locks(constructor, {made.getArgs(), made.getNumArgs()});
  if (words.empty() && !e.starts_thread && !lock && !interesting(e)) return;
  events_->push_back(std::move(e));
}

void lowering::add_arguments(event& e, llvm::ArrayRef<const clang::Expr*> arguments,
                             const clang::FunctionDecl& callee) {
  unsigned n = 0;
  for (const clang::Expr* argument : arguments) {
    const auto* parameter = n < callee.getNumParams() ? callee.getParamDecl(n) : nullptr;
    ++n;
    if (llvm::isa<clang::CXXDefaultArgExpr>(argument)) continue;
    operand o = facts_.operand_of(argument, parameter);
    o.parameter = static_cast<int>(n) - 1;
    o.use = use_of(*argument, parameter);
    // `*std::move(optional)` gives away what it holds.
    if (parameter && parameter->getType()->isRValueReferenceType() && argument->isXValue())
      o.moved = true;
    if (path kept = e.keeps_view ? facts_.kept_by(argument) : path{}; kept.known()) {
      o.view = true;
      o.where = std::move(kept);
    }
    if (path made = e.words.empty() ? made_in_braces(*argument) : path{}; made.known()) {
      o.where = std::move(made);
      o.moved = true;
    }
    if (o.kind == noun::options) facts_.options_of(argument, e.arguments);
    e.arguments.push_back(std::move(o));
  }
}

/// `cells.push_back({x, y})`: an object without a name that has the handles.
path lowering::made_in_braces(const clang::Expr& argument) {
  const auto* const list = llvm::dyn_cast<clang::InitListExpr>(facts_.plain(&argument));
  if (!list || !list->getType()->isRecordType() || !facts_.holds_handle(list->getType())) return {};
  path object = facts_.temporary(noun::none, facts_.place(argument.getSourceRange()));
  bind_members(object, *list);
  return object;
}

void lowering::add_given(event& e, const clang::CallExpr& insertion) {
  for (const clang::Expr* argument : insertion.arguments()) {
    for (const clang::Expr* given : facts_.given_by(argument)) {
      operand o = facts_.operand_of(given, nullptr);
      const auto* token = llvm::dyn_cast<clang::CallExpr>(facts_.plain(given));
      if (o.kind == noun::token && token && token->getDirectCallee())
        lower_special(*token, *token->getDirectCallee(), facts_.words_of(token->getDirectCallee()));
      if (o.kind != noun::none || !o.words.empty()) e.arguments.push_back(std::move(o));
    }
  }
}

effect lowering::use_of(const clang::Expr& argument, const clang::ParmVarDecl* parameter) {
  const path object = facts_.path_of(&argument);
  if (!object.known()) return effect::none;
  // Behind the last parameter, as `printf` takes them, values are copied.
  const auto type = parameter ? parameter->getType() : argument.getType();
  if (type->isLValueReferenceType() && !type->getPointeeType().isConstQualified()) {
    return effect::unknown;
  }
  if (is_view(argument.getType()) || facts_.noun_of(argument.getType()) == noun::view ||
      type->isPointerType()) {
    return effect::unknown;
  }
  return effect::read;
}

/// Whether the standard library may leave another number in what it is given: `in >> n`,
/// `from_chars(…, n)`, `sscanf(…, &n)`.
bool lowering::may_write_number(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  const bool member = llvm::isa<clang::CXXOperatorCallExpr>(call) &&
                      llvm::isa<clang::CXXMethodDecl>(callee);  // Its object comes first.
  for (unsigned i = member ? 1 : 0; i < call.getNumArgs(); ++i) {
    const unsigned number = member ? i - 1 : i;
    const auto* parameter = number < callee.getNumParams() ? callee.getParamDecl(number) : nullptr;
    clang::QualType type = parameter ? parameter->getType() : call.getArg(i)->getType();
    if (type->isLValueReferenceType() || type->isPointerType()) type = type->getPointeeType();
    const bool is_number = type->isArithmeticType() || type->isEnumeralType() || type->isVoidType();
    if (is_number && !type.isConstQualified() &&
        use_of(*call.getArg(i), parameter) == effect::unknown)
      return true;
  }
  return false;
}

bool lowering::interesting(const event& e) {
  const auto is = [&](const operand& o) {
    return (o.kind != noun::none && o.kind != noun::options) || matters(o.where) ||
           o.storage.known() || o.moved || !o.callable.empty();
  };
  if (is(e.receiver)) return true;
  // How many elements a container has, and which, decides about what follows.
  if (e.receiver.use == effect::grow && e.receiver.where.known()) return true;
  // A loop over a container ends when its iterator has come to the end.
  if (e.name == "operator++" && e.receiver.where.known()) return true;
  for (const operand& o : e.arguments) {
    if (is(o)) return true;
  }
  return !e.standard;
}

bool lowering::lower_owner(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const clang::Expr* object = method ? object_of(call) : nullptr;
  const path owner = object ? facts_.path_of(object) : path{};
  if (!owner.known() || !in_standard_library(callee)) return false;
  const unsigned first = llvm::isa<clang::CXXOperatorCallExpr>(call) ? 1 : 0;
  const clang::Expr* given = call.getNumArgs() > first ? call.getArg(first) : nullptr;
  if (given && llvm::isa<clang::CXXDefaultArgExpr>(given)) given = nullptr;
  if (ends_what_it_owns(*method, given)) {
    end(held_by(owner), &call);
    return true;
  }
  const bool put = callee.getIdentifier() && callee.getName() == "emplace" && given;
  if (!put || !put_into_optional(object->getType(), *facts_.plain(given))) return false;
  move(facts_.path_of(given), held_by(owner), &call);
  return true;
}

/// `std::make_unique<solver>(session)`: what the constructor does, it does to the object behind the
/// pointer.
bool lowering::lower_making(const clang::CallExpr& call) {
  const auto* constructor = facts_.constructor_in(call);
  if (!constructor || (call.getNumArgs() == 0 && runs_no_code(*constructor))) return false;
  event e = make(event_kind::call, &call);
  e.name = constructor->getParent()->getNameAsString();
  e.function = facts_.usr(*constructor);
  if (const auto it = facts_.results.find(&call); it != facts_.results.end())
    e.receiver.where = e.result = held_by(it->second);
  add_arguments(e, {call.getArgs(), call.getNumArgs()}, *constructor);
  events_->push_back(std::move(e));
  return true;
}

/// Calls that are no events of their own, or another kind of event.
bool lowering::lower_special(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                             const model& words) {
  if (is_standard_move(&call)) return true;
  if (words.has(verb::accesses)) {
    event e = make(event_kind::use, &call);
    operand token = facts_.operand_of(&call, nullptr);
    e.object = token.where;
    e.name = callee.getNameAsString();
    e.result_type = token.type;
    for (const clang::Expr* inner : call.arguments()) {
      e.object_at = facts_.place(inner->getSourceRange());
      break;
    }
    e.arguments.push_back(std::move(token));
    events_->push_back(std::move(e));
    return true;
  }
  if (lower_owner(call, callee) || lower_making(call)) return true;
  const bool makes = callee.isInStdNamespace() && callee.getIdentifier() &&
                     (callee.getName() == "make_pair" || callee.getName() == "make_tuple");
  if (makes && lower_pieces(call, {call.getArgs(), call.getNumArgs()})) return true;
  const bool member = object_of(call) != nullptr;
  if ((words.has(verb::opens) && !member) || words.has(verb::awaits) || words.has(verb::keeps) ||
      words.has(verb::copies) || words.has(verb::places)) {
    return true;
  }
  if (callee.isInStdNamespace() && callee.getIdentifier() && callee.getName() == "swap" &&
      call.getNumArgs() == 2) {
    event e = make(event_kind::swap, &call);
    e.object = facts_.path_of(call.getArg(0));
    e.other = facts_.path_of(call.getArg(1));
    for (const clang::Expr* one : call.arguments()) access(*one, effect::read_write, &call);
    events_->push_back(std::move(e));
    return true;
  }
  if (callee.getOverloadedOperator() == clang::OO_Equal && member && call.getNumArgs() == 2) {
    const path target = facts_.path_of(call.getArg(0));
    const bool kinded = facts_.noun_of(call.getArg(0)->getType()) != noun::none;
    const clang::Expr* given = facts_.plain(call.getArg(1));
    access(*call.getArg(0), effect::write, &call);
    const bool view = facts_.noun_of(call.getArg(0)->getType()) == noun::view && outlives(target);
    if (!view && (is_standard_move(given) || (kinded && facts_.path_of(given).known()))) {
      move(facts_.path_of(given), target, &call);
      return true;
    }
    if (kinded && !view) {
      move({}, target, &call);
      return true;
    }
    if (target.known()) {
      initialise(target, call.getArg(0)->getType().getNonReferenceType(), *call.getArg(1), true);
      if (event& last = events_->back(); last.kind == event_kind::assign && last.keeps_view)
        last.at = facts_.place(call.getSourceRange());
    }
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
    return !(method && may_move_elements(*method));
  }
  return false;
}

void lowering::lower_receiver(event& e, const clang::CallExpr& call,
                              const clang::FunctionDecl& callee) {
  const clang::Expr* object = object_of(call);
  if (!object) return;
  e.receiver = facts_.operand_of(object, nullptr);
  e.receiver.at = facts_.place(object->getSourceRange());
  e.object = e.receiver.where = facts_.path_of(object);
  e.object_at = e.receiver.at;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  if (!method) return;
  e.keeps_view = keeps_arguments(*method) && facts_.holds_view(object->getType());
  if (facts_.walk_bounds.contains(&call)) {
    e.receiver.use = effect::none;
  } else if (may_move_elements(*method)) {
    e.receiver.use = effect::grow;
  } else if (callee.getReturnType()->isReferenceType() ||
             (facts_.noun_of(object->getType()) == noun::view &&
              callee.getReturnType()->isArithmeticType())) {
    e.receiver.use = effect::none;  // What happens to the element is seen where it happens.
  } else if (method->isConst()) {
    e.receiver.use =
        callee.getReturnType()->isIntegralOrEnumerationType() ? effect::none : effect::unknown;
  } else {
    e.receiver.use = effect::unknown;
  }
}

void lowering::lower_algorithm(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  const llvm::ArrayRef<const clang::Expr*> arguments(call.getArgs(), call.getNumArgs());
  std::string last;  // The begin and the end of one range are one access.
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const effect use = effect_on_elements(callee, arguments, i);
    const path object = use == effect::none ? path{} : facts_.reached_by(arguments[i]);
    if (!object.known() || !prepared_.storage.contains(object.root)) continue;
    if (std::exchange(last, key(object)) == key(object)) continue;
    access(object, *arguments[i], use, &call);
  }
}

void lowering::lower_call(const clang::CallExpr& call) {
  event e = make(event_kind::call, &call);
  const auto* callee = call.getDirectCallee();
  if (!callee) {
    for (const clang::Expr* argument : call.arguments()) {
      operand o = facts_.operand_of(argument, nullptr);
      o.use = effect::unknown;
      e.arguments.push_back(std::move(o));
    }
    events_->push_back(std::move(e));
    return;
  }
  const model& words = facts_.words_of(callee);
  if (lower_special(call, *callee, words)) return;
  if (!prepared_.storage.empty()) lower_algorithm(call, *callee);

  e.name = callee->getNameAsString();
  e.words = words;
  e.function = facts_.usr(*callee);
  e.standard = in_standard_library(*callee);
  const auto known = standard_effect_of(*callee);
  if (known.blocks) e.words.words.push_back({verb::blocks, "outside"});
  e.ends_process = known.ends_process;
  e.keeps_state = known.keeps_state;
  e.starts_thread = starts_thread(*callee);
  if (words.has(verb::registers)) e.layout = facts_.layout_of(call.getType());
  const auto* written = call.getCallee()->IgnoreParenImpCasts();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(written)) {
    e.name_at = facts_.place(clang::SourceRange(member->getMemberLoc()));
  } else {
    e.name_at = facts_.place(written->getSourceRange());
  }
  lower_receiver(e, call, *callee);
  if (const auto it = facts_.results.find(&call); it != facts_.results.end()) e.result = it->second;
  e.result_kind = facts_.noun_of(call.getType());
  e.result_type = facts_.held_type(call.getType());
  const bool is_operator = llvm::isa<clang::CXXOperatorCallExpr>(call);
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  const unsigned skipped = is_operator && method && !method->isStatic() ? 1 : 0;
  add_arguments(e, llvm::ArrayRef(call.getArgs(), call.getNumArgs()).drop_front(skipped), *callee);
  if (words.has(verb::submits)) add_given(e, call);
  if (words.empty() && !known.blocks && !known.ends_process && !known.keeps_state &&
      !e.starts_thread && !locks(*callee, object_of(call)) && !interesting(e) &&
      !may_write_number(call, *callee)) {
    return note_member(e);
  }
  const event& made = events_->emplace_back(std::move(e));
  lower_written(event(made), call, *callee);
}

void lowering::note_member(const event& call) {
  const auto is_member = [&](const operand& o) {
    return out_.self != 0 && o.where.root == out_.self && !o.where.parts.empty();
  };
  const auto one = std::ranges::find_if(call.arguments, is_member);
  if (!is_member(call.receiver) && one == call.arguments.end()) return;
  event e;
  e.kind = event_kind::access;
  e.at = e.name_at = e.object_at = call.at;
  e.object = is_member(call.receiver) ? call.receiver.where : one->where;
  events_->push_back(std::move(e));
}

void lowering::lower_written(const event& e, const clang::CallExpr& call,
                             const clang::FunctionDecl& callee) {
  const bool whole = !with_other_communicator(e);
  for (unsigned i = 0; i < std::min(call.getNumArgs(), callee.getNumParams()); ++i) {
    const model& words = facts_.words_of(callee.getParamDecl(i));
    const bool rank = words.has(verb::rank_source);
    if (!rank && !words.has(verb::uniform)) continue;
    event written = make(event_kind::assign, &call);
    written.object = facts_.path_of(call.getArg(i));
    value now;
    now.at = written.at;
    if (whole && rank)
      now.what = value::kind::rank;
    else if (whole && words.has(verb::uniform, "size"))
      now.what = value::kind::ranks;
    else if (!rank)
      now.what = value::kind::uniform, now.text = e.name;
    written.result_value = std::make_shared<const value>(std::move(now));
    if (written.object.known()) events_->push_back(std::move(written));
  }
}

}  // namespace deed::check
