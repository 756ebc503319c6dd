// SPDX-License-Identifier: MIT
#include "facts/lower.hpp"

#include "facts/lowering.hpp"
#include "facts/standard.hpp"
#include <clang/Basic/SourceManager.h>

namespace deed::check {

namespace {

/// Where a switch goes: what it asks for, and behind that the number of each way out. One that has
/// none, the default, is unknown.
value_ref cases_of(unit& facts, const clang::CFGBlock& from, value_ref asked) {
  value where;
  where.what = value::kind::operation;
  where.text = "switch";
  where.at = asked->at;
  where.arguments = {asked};
  for (const auto& next : from.succs()) {
    const auto* to = next.getReachableBlock();
    const auto* one = to ? llvm::dyn_cast_or_null<clang::CaseStmt>(to->getLabel()) : nullptr;
    if (one && one->caseStmtIsGNURange()) return asked;
    where.arguments.push_back(one ? facts.value_of(one->getLHS())
                                  : std::make_shared<const value>());
  }
  return std::make_shared<const value>(std::move(where));
}

}  // namespace

bool lowering::run() {
  facts_.enter(body_);
  prepared_ = prepare(facts_, body_);
  clang::CFG::BuildOptions options;
  options.AddImplicitDtors = options.AddTemporaryDtors = options.AddLifetime = true;
  options.AddInitializers = true;
  options.AddCXXDefaultInitExprInAggregates = true;
  options.setAllAlwaysAdd();
  const auto graph = clang::CFG::buildCFG(&body_, body_.getBody(), &facts_.ast(), options);
  if (!graph) return false;
  for (const auto* parameter : body_.parameters()) {
    out_.parameters.push_back(facts_.variable_of(*parameter));
  }
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&body_)) {
    if (!method->isStatic() && !method->getParent()->isLambda()) {
      out_.self = facts_.self(*method->getParent());
    }
  }
  out_.result = facts_.result_of_function();
  out_.entry = static_cast<int>(graph->getEntry().getBlockID());
  out_.exit = static_cast<int>(graph->getExit().getBlockID());
  out_.blocks.resize(graph->getNumBlockIDs());
  for (const clang::CFGBlock* one : *graph) lower_block(*one);
  return true;
}

void lowering::lower_block(const clang::CFGBlock& from) {
  block& to = out_.blocks[from.getBlockID()];
  events_ = &to.events;
  for (const clang::CFGElement& element : from) lower_element(element);
  for (const auto& next : from.succs()) {
    const auto* reachable = next.getReachableBlock();
    to.successors.push_back(reachable ? static_cast<int>(reachable->getBlockID()) : -1);
  }
  lower_split(from, to);
}

void lowering::lower_split(const clang::CFGBlock& from, block& to) {
  // Whether a temporary was made that ends here: the end of one that was not changes nothing.
  if (from.getTerminator().isTemporaryDtorsBranch() && to.successors.size() == 2) {
    to.successors.pop_back();
    return;
  }
  const clang::Stmt* split_at = from.getTerminatorStmt();
  if (split_at && llvm::isa<clang::CXXTryStmt>(split_at)) to.how = split::other;
  if (!split_at || from.succ_size() < 2) return;
  const bool loop =
      llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(split_at);
  const bool binary =
      loop || llvm::isa<clang::IfStmt, clang::ConditionalOperator, clang::BinaryOperator>(split_at);
  to.how = loop ? split::loop : binary ? split::branch : split::other;
  if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(split_at)) {
    const auto type = range->getRangeInit()->getType();
    if (is_unordered(type)) {
      to.unordered = type.getNonReferenceType().getUnqualifiedType().getAsString(
          facts_.ast().getPrintingPolicy());
    }
    to.condition_at = facts_.place(range->getRangeInit()->getSourceRange());
  }
  if (const auto* condition = llvm::dyn_cast_or_null<clang::Expr>(from.getTerminatorCondition())) {
    to.condition = facts_.value_of(condition);
    if (llvm::isa<clang::SwitchStmt>(split_at) && to.condition)
      to.condition = cases_of(facts_, from, to.condition);
    if (!to.condition_at.known()) to.condition_at = facts_.place(condition->getSourceRange());
  }
}

void lowering::lower_element(const clang::CFGElement& element) {
  if (const auto statement = element.getAs<clang::CFGStmt>()) {
    lower_statement(*statement->getStmt());
  } else if (const auto ended = element.getAs<clang::CFGAutomaticObjDtor>()) {
    const path object{facts_.variable_of(*ended->getVarDecl()), {}};
    lower_destructor(object, *ended->getVarDecl(), ended->getTriggerStmt());
    end(object, ended->getTriggerStmt());
  } else if (const auto gone = element.getAs<clang::CFGLifetimeEnds>()) {
    const auto* v = gone->getVarDecl();
    if (v->needsDestruction(facts_.ast()) == clang::QualType::DK_none) {
      end({facts_.variable_of(*v), {}}, gone->getTriggerStmt());
    }
  } else if (const auto dropped = element.getAs<clang::CFGTemporaryDtor>()) {
    const auto* made = facts_.plain(dropped->getBindTemporaryExpr()->getSubExpr());
    const auto it = facts_.results.find(made);
    if (it != facts_.results.end() && facts_.out().var(it->second.root).name.empty()) {
      end(it->second, made);
    }
  } else if (const auto init = element.getAs<clang::CFGInitializer>()) {
    lower_initialiser(*init->getInitializer());
  }
}

/// The destructor of a class of the program is called like any function of it.
void lowering::lower_destructor(const path& object, const clang::VarDecl& of,
                                const clang::Stmt* trigger) {
  const auto* record = of.getType()->getAsCXXRecordDecl();
  const auto* called = record && record->hasDefinition() ? record->getDestructor() : nullptr;
  if (!called || !called->isUserProvided() || !called->hasBody()) return;
  const auto& sources = facts_.ast().getSourceManager();
  const auto file = sources.getFilename(sources.getExpansionLoc(called->getLocation()));
  const bool own = !in_standard_library(*called) && !file.contains("include/deed/");
  if (!own || facts_.noun_of(of.getType()) != noun::none) return;
  event e = make(event_kind::call, trigger);
  e.at = e.name_at = facts_.place(clang::SourceRange(of.getLocation()));
  e.name = called->getNameAsString();
  e.function = facts_.usr(*called);
  e.receiver.where = e.object = object;
  events_->push_back(std::move(e));
}

void lowering::end(path object, const clang::Stmt* trigger) {
  event e = make(event_kind::scope_end, trigger);
  if (trigger && trigger->getEndLoc().isValid() && llvm::isa<clang::CompoundStmt>(trigger)) {
    e.at = facts_.place(clang::SourceRange(trigger->getEndLoc()));
  } else if (trigger && llvm::isa<clang::ReturnStmt>(trigger)) {
    e.at = facts_.place(clang::SourceRange(trigger->getBeginLoc()));
  }
  e.ends_block = trigger && trigger != body_.getBody() && llvm::isa<clang::CompoundStmt>(trigger);
  e.object = std::move(object);
  events_->push_back(std::move(e));
}

void lowering::lower_initialiser(const clang::CXXCtorInitializer& init) {
  if (!init.isAnyMemberInitializer() || !init.getInit()) return;
  const auto it = facts_.results.find(facts_.plain(init.getInit()));
  if (it == facts_.results.end()) {
    if (out_.self == 0) return;
    path member{out_.self, {}};
    member.parts.push_back({part::kind::field, init.getAnyMember()->getNameAsString(), {}});
    return begin_empty(member, *init.getInit());
  }
  const path field = it->second;
  facts_.results.erase(it);
  initialise(field, init.getAnyMember()->getType(), *init.getInit());
  facts_.results[facts_.plain(init.getInit())] = field;
}

event lowering::make(event_kind kind, const clang::Stmt* at) {
  event e;
  e.kind = kind;
  if (at) e.at = facts_.place(at->getSourceRange());
  e.name_at = e.at;
  return e;
}

/// Whether reads and writes of it matter: parameters, globals, memory that is registered.
bool lowering::matters(const path& object) const {
  if (!object.known()) return false;
  const variable& v = facts_.out().var(object.root);
  if (v.kind == noun::borrow || v.optional == noun::borrow) return true;
  if (v.kind != noun::none && v.kind != noun::view) return false;
  if (v.name == "this") return false;  // But for what is written: the object may be a global.
  if (v.parameter) return v.reference || v.view;
  if (v.global || v.persistent) return !v.constant;
  return prepared_.storage.contains(object.root) || v.view || v.reference;
}

void lowering::access(const clang::Expr& to, effect use, const clang::Stmt* whole) {
  const path object = facts_.path_of(&to);
  const bool member = out_.self != 0 && object.root == out_.self && !object.parts.empty();
  const bool written = use == effect::write || use == effect::read_write;
  const bool memory = !is_synchronised(to.getType()) && facts_.noun_of(to.getType()) == noun::none;
  if (!matters(object) && !(member && written && memory)) return;
  // Reading a pointer is no access to what it points to.
  if (use == effect::read && object.parts.empty() && to.getType()->isPointerType() &&
      !facts_.out().var(object.root).global && !facts_.out().var(object.root).persistent) {
    return;
  }
  access(object, to, use, whole);
}

void lowering::access(path object, const clang::Expr& to, effect use, const clang::Stmt* whole) {
  event e = make(event_kind::access, &to);
  e.object = std::move(object);
  e.object_at = e.at;
  if (whole) e.at = facts_.place(whole->getSourceRange());
  e.use = use;
  events_->push_back(std::move(e));
}

std::unique_ptr<function> lower(unit& facts, const clang::FunctionDecl& body) {
  auto out = std::make_unique<function>();
  out->usr = facts.usr(body);
  out->name = body.getNameAsString();
  out->at = facts.place(clang::SourceRange(body.getLocation()));
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&body)) {
    out->body_of_lambda = method->getParent()->isLambda();
  }
  if (!lowering(facts, body, *out).run()) return nullptr;
  return out;
}

}  // namespace deed::check
