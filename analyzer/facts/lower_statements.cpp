// SPDX-License-Identifier: MIT
#include "facts/lowering.hpp"
#include "facts/standard.hpp"

namespace deed::check {
namespace {

bool is_standard_object(const clang::Expr& e) {
  const auto* record = e.getType()->getAsCXXRecordDecl();
  return record && in_standard_library(*record);
}

}  // namespace

void lowering::lower_statement(const clang::Stmt& s) {
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&s)) return lower_call(*call);
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&s)) return lower_construct(*made);
  if (const auto* declared = llvm::dyn_cast<clang::DeclStmt>(&s)) {
    for (const auto* one : declared->decls()) {
      const auto* v = llvm::dyn_cast<clang::VarDecl>(one);
      if (v && v->hasInit() && !v->isStaticLocal()) {
        initialise({facts_.variable_of(*v), {}}, v->getType(), *v->getInit());
        if (const auto* names = llvm::dyn_cast<clang::DecompositionDecl>(v)) lower_bindings(*names);
      } else if (v && v->isStaticLocal()) {
        lower_static(*v);
      }
    }
    return;
  }
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&s); op && op->isAssignmentOp()) {
    return lower_assignment(*op);
  }
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&s);
      op && op->getOpcode() == clang::BO_Add && op->getType()->isPointerType()) {
    return lower_arithmetic(*op);
  }
  if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(&s);
      op && op->isIncrementDecrementOp()) {
    return lower_step(*op);
  }
  if (const auto* leave = llvm::dyn_cast<clang::ReturnStmt>(&s)) return lower_return(*leave);
  if (const auto* thrown = llvm::dyn_cast<clang::CXXThrowExpr>(&s)) {
    event e = make(event_kind::leave, thrown);
    e.thrown = true;
    events_->push_back(std::move(e));
    return;
  }
  if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&s);
      cast && cast->getCastKind() == clang::CK_LValueToRValue) {
    return access(*cast->getSubExpr(), effect::read, cast);
  }
  if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(&s);
      op && op->getOpcode() == clang::UO_AddrOf &&
      facts_.holds_handle(op->getType()->getPointeeType())) {
    if (path object = facts_.path_of(op->getSubExpr()); object.known())
      access(std::move(object), *op->getSubExpr(), effect::address, op);
    return;
  }
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&s)) lower_captures(*lambda);
}

void lowering::lower_static(const clang::VarDecl& v) {
  if (v.getType().isConstQualified() || is_synchronised(v.getType())) return;
  event e = make(event_kind::access, nullptr);
  e.at = e.name_at = facts_.place(v.getSourceRange());
  e.object = {facts_.variable_of(v), {}};
  e.name = "static";
  e.use = effect::none;
  events_->push_back(std::move(e));
}

void lowering::lower_captures(const clang::LambdaExpr& lambda) {
  for (const auto& capture : lambda.captures()) {
    if (!capture.capturesVariable() || capture.getCaptureKind() != clang::LCK_ByRef) continue;
    const auto* v = capture.getCapturedVar();
    if (lambda.isGenericLambda() && facts_.noun_of(v->getType()) == noun::gate) {
      event given = make(event_kind::call, &lambda);  // Its body is not looked into.
      operand& gate = given.arguments.emplace_back();
      gate.kind = noun::gate;
      gate.where = {facts_.variable_of(*v), {}};
      gate.at = given.at;
      events_->push_back(std::move(given));
    }
    event e = make(event_kind::access, &lambda);
    e.object = {facts_.variable_of(*v), {}};
    e.object_at = facts_.place(clang::SourceRange(capture.getLocation()));
    e.use = effect::unknown;
    if (matters(e.object)) events_->push_back(std::move(e));
  }
  for (const clang::Expr* init : lambda.capture_inits()) {
    const auto* made = init ? llvm::dyn_cast<clang::CXXConstructExpr>(facts_.plain(init)) : nullptr;
    if (made && made->getNumArgs() == 1 && is_standard_move(made->getArg(0))) {
      move(facts_.path_of(made->getArg(0)), {}, init);
    }
  }
}

void lowering::move(path from, path to, const clang::Stmt* at) {
  if (!from.known()) return;
  event e = make(event_kind::move, at);
  e.object = std::move(from);
  e.other = std::move(to);
  events_->push_back(std::move(e));
}

bool lowering::outlives(const path& object) const {
  if (!object.known()) return false;
  const variable& v = facts_.out().var(object.root);
  return v.global || v.persistent || v.parameter;
}

void lowering::note_view(event& into, clang::QualType type, const clang::Expr& from) {
  path kept = facts_.holds_view(type) ? facts_.kept_by(&from) : path{};
  into.keeps_view = kept.known() || is_view(type) || facts_.noun_of(type) == noun::view;
  if (kept.known()) into.other = std::move(kept);
}

void lowering::initialise(const path& target, clang::QualType type, const clang::Expr& init,
                          bool anew) {
  const clang::Expr* e = facts_.plain(&init);
  if (type->isReferenceType()) return bind(target, init);
  const auto* const list = llvm::dyn_cast<clang::InitListExpr>(e);
  if (list && !anew) bind_members(target, *list);
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
      made && made->getNumArgs() >= 1 && made->getConstructor()->isCopyOrMoveConstructor()) {
    const clang::Expr* from = facts_.plain(made->getArg(0));
    if (is_standard_move(from)) return move(facts_.path_of(from), target, e);
  }
  if (is_standard_move(e) && facts_.holds_handle(e->getType()))
    return move(facts_.path_of(e), target, e);
  const auto it = facts_.results.find(e);
  const noun kind = facts_.noun_of(e->getType());
  if (is_number(kind)) {
    event named = make(event_kind::assign, e);
    named.object = target;
    named.result_value = facts_.number_inside(&init);
    if (target.known()) events_->push_back(std::move(named));
    return;
  }
  const bool kept_view = kind == noun::view && outlives(target);
  if (it != facts_.results.end() && kind != noun::none && !kept_view) {
    const bool held =
        (kind == noun::request || kind == noun::handle) && facts_.noun_in_optional(type) == kind;
    if (key(it->second) != key(target)) move(it->second, held ? held_by(target) : target, e);
    return;
  }
  const clang::Expr* const lent = put_into_optional(type, *e);
  if (lent && target.known()) move(facts_.path_of(lent), held_by(target), e);
  event assigned = make(event_kind::assign, e);
  assigned.object = target;
  assigned.result_value = facts_.value_of(&init);
  assigned.other = facts_.path_of(e);
  assigned.anew = anew && !lent;  // What was lent has taken its place by now.
  note_view(assigned, type, init);
  events_->push_back(std::move(assigned));
  if (it != facts_.results.end() && target.known() && key(it->second) != key(target) &&
      facts_.holds_handle(e->getType()))
    move(it->second, target, e);
  if (list && anew) bind_members(target, *list);
  if (!is_standard_object(*e)) begin_empty(target, init);
}

/// What an optional holds, or a pointer that owns: another name of it is the object itself.
path lowering::held_by(path owner) const {
  owner.parts.push_back({part::kind::field, "*", {}});
  return owner;
}

const clang::Expr* lowering::put_into_optional(clang::QualType type, const clang::Expr& init) {
  const noun held = facts_.noun_in_optional(type);
  if (held != noun::borrow && held != noun::handle) return nullptr;
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&init);
  const clang::Expr* from = made && made->getNumArgs() == 1 ? made->getArg(0) : &init;
  return facts_.noun_of(from->getType()) == held ? from : nullptr;
}

/// The containers of an object that is made without arguments are empty.
void lowering::begin_empty(const path& object, const clang::Expr& init) {
  const clang::Expr* e = facts_.plain(&init);
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
  if (!object.known() || !made || made->getNumArgs() > 0) return;
  const auto& record = *made->getConstructor()->getParent();
  if (in_standard_library(record)) {
    event empty = make(event_kind::assign, e);
    empty.object = object;
    empty.result_value = facts_.value_of(e);
    events_->push_back(std::move(empty));
    return;
  }
  if (made->getConstructor()->isUserProvided()) return;  // It is looked into.
  for (const auto* each : made->getConstructor()->inits()) {
    if (!each->isMemberInitializer() || !each->getInit()) continue;
    path member = object;
    member.parts.push_back({part::kind::field, each->getMember()->getNameAsString(), {}});
    begin_empty(member, *each->getInit());
  }
}

void lowering::bind(path member, const clang::Expr& to) {
  event e = make(event_kind::bind, &to);
  e.object = std::move(member);
  e.other = facts_.path_of(&to);
  if (!e.object.parts.empty()) {
    if (e.other.known()) events_->push_back(std::move(e));
  } else if (!e.other.known() && facts_.plain(&to)->isPRValue()) {
    // A temporary that lives on: the range of a loop. Other names are followed elsewhere.
    e.kind = event_kind::assign;
    e.result_value = facts_.value_of(&to);
    events_->push_back(std::move(e));
  }
}

/// `std::array cells{…}`, `deed::handle<double> cells[] = {…}`: each element is one of the list.
void lowering::bind_elements(const path& object, const clang::InitListExpr& list) {
  const auto* const inner = list.getNumInits() == 1 && list.getType()->isRecordType()
                                ? llvm::dyn_cast<clang::InitListExpr>(list.getInit(0))
                                : &list;
  if (!inner || !inner->getType()->isArrayType() || !facts_.holds_handle(inner->getType())) return;
  for (unsigned n = 0; n < inner->getNumInits(); ++n) {
    path element = object;
    element.parts.push_back({part::kind::index, "operator[]", {constant(n)}});
    initialise(element, inner->getInit(n)->getType(), *inner->getInit(n));
  }
}

/// `stage one{session};`: in the order of the members, if no base comes before them.
void lowering::bind_members(const path& object, const clang::InitListExpr& list) {
  bind_elements(object, list);
  const auto* record = list.getType()->getAsCXXRecordDecl();
  if (!record || record->isInStdNamespace() || record->getNumBases() > 0) return;
  auto field = record->field_begin();
  for (const clang::Expr* init : list.inits()) {
    if (field == record->field_end()) return;
    path member = object;
    member.parts.push_back({part::kind::field, field->getNameAsString(), {}});
    if (init && field->getType()->isReferenceType()) {
      bind(std::move(member), *init);
    } else if (init && facts_.holds_handle(field->getType())) {
      initialise(member, field->getType(), *init);
    } else if (init) {
      begin_empty(member, *init);
    }
    ++field;
  }
}

void lowering::lower_assignment(const clang::BinaryOperator& op) {
  const path target = facts_.path_of(op.getLHS());
  access(*op.getLHS(), op.isCompoundAssignmentOp() ? effect::read_write : effect::write, &op);
  if (!target.known()) return;
  event e = make(event_kind::assign, &op);
  e.object = target;
  e.object_at = facts_.place(op.getLHS()->getSourceRange());
  e.anew = true;
  e.other = facts_.path_of(op.getRHS());
  note_view(e, op.getLHS()->getType(), *op.getRHS());
  e.result_value = facts_.value_of(op.getRHS());
  if (op.isCompoundAssignmentOp()) {
    value whole;
    whole.what = value::kind::operation;
    whole.text = clang::BinaryOperator::getOpcodeStr(
                     clang::BinaryOperator::getOpForCompoundAssignment(op.getOpcode()))
                     .str();
    whole.arguments = {facts_.value_of(op.getLHS()), e.result_value};
    whole.at = e.at;
    e.result_value = std::make_shared<const value>(std::move(whole));
    e.name = "compound";
  }
  events_->push_back(std::move(e));
}

/// `&view(i, j) + n`, `view.data() + n`: how far from an element the program goes by itself.
void lowering::lower_arithmetic(const clang::BinaryOperator& op) {
  const bool left = op.getLHS()->getType()->isPointerType();
  const path object = facts_.reached_by(left ? op.getLHS() : op.getRHS());
  if (!object.known() || facts_.out().var(object.root).kind != noun::view) return;
  event e = make(event_kind::access, &op);
  e.object = object;
  e.object_at = e.at;
  e.use = effect::none;
  e.name = "arithmetic";
  e.result_value = facts_.value_of(left ? op.getRHS() : op.getLHS());
  events_->push_back(std::move(e));
}

void lowering::lower_step(const clang::UnaryOperator& op) {
  const path target = facts_.path_of(op.getSubExpr());
  access(*op.getSubExpr(), effect::read_write, &op);
  if (!target.known()) return;
  event e = make(event_kind::assign, &op);
  e.object = target;
  e.anew = true;
  value whole;
  whole.what = value::kind::operation;
  whole.text = op.isIncrementOp() ? "+" : "-";
  whole.arguments = {facts_.value_of(op.getSubExpr()), constant(1)};
  e.result_value = std::make_shared<const value>(std::move(whole));
  e.name = "compound";
  events_->push_back(std::move(e));
}

void lowering::lower_return(const clang::ReturnStmt& leave) {
  event e = make(event_kind::leave, &leave);
  if (const clang::Expr* given = leave.getRetValue()) {
    const clang::Expr* inner = facts_.plain(given);
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(inner);
        made && made->getNumArgs() >= 1 && made->getConstructor()->isCopyOrMoveConstructor()) {
      inner = facts_.plain(made->getArg(0));
    }
    e.object = facts_.path_of(inner);
    e.object_at = facts_.place(given->getSourceRange());
    e.result_value = facts_.value_of(given);
    if (is_view(given->getType())) e.result = facts_.reached_by(made_of(facts_.plain(given)));
    if (facts_.holds_handle(given->getType())) e.other = {facts_.result_of_function(), {}};
    if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(inner);
        list && facts_.holds_handle(list->getType()))
      bind_members({facts_.result_of_function(), {}}, *list);
  }
  events_->push_back(std::move(e));
}

}  // namespace deed::check
