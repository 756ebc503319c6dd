// SPDX-License-Identifier: MIT
#include "facts/lower.hpp"

#include "facts/prepare.hpp"
#include "facts/standard.hpp"
#include <clang/Analysis/CFG.h>

namespace deed::check {
namespace {

class lowering {
 public:
  lowering(unit& facts, const clang::FunctionDecl& body, function& out)
      : facts_(facts), body_(body), out_(out) {}

  bool run() {
    facts_.enter(body_);
    prepared_ = prepare(facts_, body_);
    clang::CFG::BuildOptions options;
    options.AddImplicitDtors = options.AddTemporaryDtors = options.AddLifetime = true;
    options.AddInitializers = true;
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

 private:
  void lower_block(const clang::CFGBlock& from) {
    block& to = out_.blocks[from.getBlockID()];
    events_ = &to.events;
    for (const clang::CFGElement& element : from) lower_element(element);
    for (const auto& next : from.succs()) {
      const auto* reachable = next.getReachableBlock();
      to.successors.push_back(reachable ? static_cast<int>(reachable->getBlockID()) : -1);
    }
    lower_split(from, to);
  }

  void lower_split(const clang::CFGBlock& from, block& to) {
    const clang::Stmt* split_at = from.getTerminatorStmt();
    if (!split_at || from.succ_size() < 2) return;
    const bool loop =
        llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(
            split_at);
    const bool binary =
        loop ||
        llvm::isa<clang::IfStmt, clang::ConditionalOperator, clang::BinaryOperator>(split_at);
    to.how = loop ? split::loop : binary ? split::branch : split::other;
    if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(split_at)) {
      const auto type = range->getRangeInit()->getType();
      if (is_unordered(type)) {
        to.unordered = type.getNonReferenceType().getUnqualifiedType().getAsString(
            facts_.ast().getPrintingPolicy());
      }
      to.condition_at = facts_.place(range->getRangeInit()->getSourceRange());
    }
    if (const auto* condition =
            llvm::dyn_cast_or_null<clang::Expr>(from.getTerminatorCondition())) {
      to.condition = facts_.value_of(condition);
      if (!to.condition_at.known()) to.condition_at = facts_.place(condition->getSourceRange());
    }
  }

  void lower_element(const clang::CFGElement& element) {
    if (const auto statement = element.getAs<clang::CFGStmt>()) {
      lower_statement(*statement->getStmt());
    } else if (const auto ended = element.getAs<clang::CFGAutomaticObjDtor>()) {
      end({facts_.variable_of(*ended->getVarDecl()), {}}, ended->getTriggerStmt());
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

  void end(path object, const clang::Stmt* trigger) {
    event e = make(event_kind::scope_end, trigger);
    if (trigger && trigger->getEndLoc().isValid() && llvm::isa<clang::CompoundStmt>(trigger)) {
      e.at = facts_.place(clang::SourceRange(trigger->getEndLoc()));
    } else if (trigger && llvm::isa<clang::ReturnStmt>(trigger)) {
      e.at = facts_.place(clang::SourceRange(trigger->getBeginLoc()));
    }
    e.object = std::move(object);
    events_->push_back(std::move(e));
  }

  void lower_initialiser(const clang::CXXCtorInitializer& init) {
    if (!init.isAnyMemberInitializer() || !init.getInit()) return;
    const auto it = facts_.results.find(facts_.plain(init.getInit()));
    if (it == facts_.results.end()) return;
    const path field = it->second;
    facts_.results.erase(it);
    initialise(field, init.getAnyMember()->getType(), *init.getInit());
    facts_.results[facts_.plain(init.getInit())] = field;
  }

  event make(event_kind kind, const clang::Stmt* at) {
    event e;
    e.kind = kind;
    if (at) e.at = facts_.place(at->getSourceRange());
    e.name_at = e.at;
    return e;
  }

  void lower_statement(const clang::Stmt& s) {
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&s)) return lower_call(*call);
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&s))
      return lower_construct(*made);
    if (const auto* declared = llvm::dyn_cast<clang::DeclStmt>(&s)) {
      for (const auto* one : declared->decls()) {
        const auto* v = llvm::dyn_cast<clang::VarDecl>(one);
        if (v && v->hasInit() && !v->isStaticLocal()) {
          initialise({facts_.variable_of(*v), {}}, v->getType(), *v->getInit());
        } else if (v && v->isStaticLocal()) {
          lower_static(*v);
        }
      }
      return;
    }
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&s); op && op->isAssignmentOp()) {
      return lower_assignment(*op);
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
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&s)) lower_captures(*lambda);
  }

  void lower_static(const clang::VarDecl& v) {
    if (v.getType().isConstQualified() || is_synchronised(v.getType())) return;
    event e = make(event_kind::access, nullptr);
    e.at = e.name_at = facts_.place(v.getSourceRange());
    e.object = {facts_.variable_of(v), {}};
    e.name = "static";
    e.use = effect::none;
    events_->push_back(std::move(e));
  }

  void lower_captures(const clang::LambdaExpr& lambda) {
    for (const auto& capture : lambda.captures()) {
      if (!capture.capturesVariable() || capture.getCaptureKind() != clang::LCK_ByRef) continue;
      const auto* v = capture.getCapturedVar();
      event e = make(event_kind::access, &lambda);
      e.object = {facts_.variable_of(*v), {}};
      e.object_at = facts_.place(clang::SourceRange(capture.getLocation()));
      e.use = effect::unknown;
      if (matters(e.object)) events_->push_back(std::move(e));
    }
    for (const clang::Expr* init : lambda.capture_inits()) {
      const auto* made =
          init ? llvm::dyn_cast<clang::CXXConstructExpr>(facts_.plain(init)) : nullptr;
      if (made && made->getNumArgs() == 1 && is_standard_move(made->getArg(0))) {
        move(facts_.path_of(made->getArg(0)), {}, init);
      }
    }
  }

  void move(path from, path to, const clang::Stmt* at) {
    if (!from.known()) return;
    event e = make(event_kind::move, at);
    e.object = std::move(from);
    e.other = std::move(to);
    events_->push_back(std::move(e));
  }

  /// What an initialiser or an assignment gives to `target`.
  void initialise(const path& target, clang::QualType type, const clang::Expr& init) {
    const clang::Expr* e = facts_.plain(&init);
    if (type->isReferenceType()) return;
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
        made && made->getNumArgs() >= 1 && made->getConstructor()->isCopyOrMoveConstructor()) {
      const clang::Expr* from = facts_.plain(made->getArg(0));
      if (is_standard_move(from)) return move(facts_.path_of(from), target, e);
    }
    const auto it = facts_.results.find(e);
    if (it != facts_.results.end() && facts_.noun_of(e->getType()) != noun::none) {
      if (key(it->second) != key(target)) move(it->second, target, e);
      return;
    }
    event assigned = make(event_kind::assign, e);
    assigned.object = target;
    assigned.result_value = facts_.value_of(&init);
    assigned.other = facts_.path_of(e);
    events_->push_back(std::move(assigned));
  }

  void lower_assignment(const clang::BinaryOperator& op) {
    const path target = facts_.path_of(op.getLHS());
    access(*op.getLHS(), op.isCompoundAssignmentOp() ? effect::read_write : effect::write, &op);
    if (!target.known()) return;
    event e = make(event_kind::assign, &op);
    e.object = target;
    e.object_at = facts_.place(op.getLHS()->getSourceRange());
    e.other = facts_.path_of(op.getRHS());
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

  void lower_step(const clang::UnaryOperator& op) {
    const path target = facts_.path_of(op.getSubExpr());
    access(*op.getSubExpr(), effect::read_write, &op);
    if (!target.known()) return;
    event e = make(event_kind::assign, &op);
    e.object = target;
    value whole;
    whole.what = value::kind::operation;
    whole.text = op.isIncrementOp() ? "+" : "-";
    whole.arguments = {facts_.value_of(op.getSubExpr()), constant(1)};
    e.result_value = std::make_shared<const value>(std::move(whole));
    e.name = "compound";
    events_->push_back(std::move(e));
  }

  void lower_return(const clang::ReturnStmt& leave) {
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
    }
    events_->push_back(std::move(e));
  }

  /// Whether reads and writes of it matter: parameters, globals, memory that is registered.
  bool matters(const path& object) const {
    if (!object.known()) return false;
    const variable& v = facts_.out().var(object.root);
    if (v.kind == noun::borrow) return true;
    if (v.kind != noun::none && v.kind != noun::view) return false;
    if (v.name == "this") return false;
    if (v.parameter) return v.reference || v.view;
    if (v.global || v.persistent) return !v.constant;
    return prepared_.storage.contains(object.root) || v.view || v.reference;
  }

  void access(const clang::Expr& to, effect use, const clang::Stmt* whole) {
    const path object = facts_.path_of(&to);
    if (!matters(object)) return;
    // Reading a pointer is no access to what it points to.
    if (use == effect::read && object.parts.empty() && to.getType()->isPointerType() &&
        !facts_.out().var(object.root).global && !facts_.out().var(object.root).persistent) {
      return;
    }
    event e = make(event_kind::access, &to);
    e.object = object;
    e.object_at = e.at;
    if (whole) e.at = facts_.place(whole->getSourceRange());
    e.use = use;
    events_->push_back(std::move(e));
  }

  void lower_construct(const clang::CXXConstructExpr& made) {
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
    const bool standard = in_standard_library(constructor);
    if (words.empty() && facts_.noun_of(made.getType()) != noun::none &&
        facts_.noun_of(made.getType()) != noun::session) {
      return;
    }
    event e = make(event_kind::call, &made);
    e.name = made.getType().getUnqualifiedType().getAsString(facts_.ast().getPrintingPolicy());
    if (const auto* record = made.getType()->getAsCXXRecordDecl())
      e.name = record->getNameAsString();
    e.words = words;
    e.standard = standard;
    e.function = facts_.usr(constructor);
    if (const auto it = facts_.results.find(&made); it != facts_.results.end())
      e.result = it->second;
    e.receiver.where = e.result;
    e.receiver.kind = facts_.noun_of(made.getType());
    e.result_kind = words.has(verb::registers) ? noun::handle : facts_.noun_of(made.getType());
    add_arguments(e, made.arguments(), constructor);
    if (words.empty() && !interesting(e)) return;
    events_->push_back(std::move(e));
  }

  template <class Range>
  void add_arguments(event& e, const Range& arguments, const clang::FunctionDecl& callee) {
    unsigned n = 0;
    for (const clang::Expr* argument : arguments) {
      const auto* parameter = n < callee.getNumParams() ? callee.getParamDecl(n) : nullptr;
      ++n;
      if (llvm::isa<clang::CXXDefaultArgExpr>(argument)) continue;
      operand o = facts_.operand_of(argument, parameter);
      o.parameter = static_cast<int>(n) - 1;
      o.use = use_of(*argument, parameter);
      if (o.kind == noun::options) facts_.options_of(argument, e.arguments);
      e.arguments.push_back(std::move(o));
    }
  }

  effect use_of(const clang::Expr& argument, const clang::ParmVarDecl* parameter) {
    const path object = facts_.path_of(&argument);
    if (!object.known()) return effect::none;
    if (!parameter) return effect::unknown;
    const auto type = parameter->getType();
    if (type->isLValueReferenceType() && !type->getPointeeType().isConstQualified()) {
      return effect::unknown;
    }
    if (is_view(argument.getType()) || facts_.noun_of(argument.getType()) == noun::view ||
        type->isPointerType()) {
      return effect::unknown;
    }
    return effect::read;
  }

  bool interesting(const event& e) {
    const auto is = [&](const operand& o) {
      return (o.kind != noun::none && o.kind != noun::options) || matters(o.where) ||
             o.storage.known() || o.moved;
    };
    if (is(e.receiver)) return true;
    for (const operand& o : e.arguments) {
      if (is(o)) return true;
    }
    return !e.standard;
  }

  void lower_call(const clang::CallExpr& call);
  bool lower_special(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                     const model& words);
  void lower_receiver(event& e, const clang::CallExpr& call, const clang::FunctionDecl& callee);

  unit& facts_;
  const clang::FunctionDecl& body_;
  function& out_;
  preparation prepared_;
  std::vector<event>* events_ = nullptr;
};

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
    if (is_standard_move(given) || (kinded && facts_.path_of(given).known())) {
      move(facts_.path_of(given), target, &call);
      return true;
    }
    if (kinded) {
      move({}, target, &call);
      return true;
    }
    if (target.known()) {
      initialise(target, call.getArg(0)->getType().getNonReferenceType(), *call.getArg(1));
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
  if (may_move_elements(*method)) {
    e.receiver.use = effect::grow;
  } else if (callee.getReturnType()->isReferenceType() ||
             facts_.noun_of(object->getType()) == noun::view) {
    e.receiver.use = effect::none;  // What happens to the element is seen where it happens.
  } else if (method->isConst()) {
    e.receiver.use =
        callee.getReturnType()->isIntegralOrEnumerationType() ? effect::none : effect::unknown;
  } else {
    e.receiver.use = effect::unknown;
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

  e.name = callee->getNameAsString();
  e.words = words;
  e.function = facts_.usr(*callee);
  e.standard = in_standard_library(*callee);
  const auto known = standard_effect_of(*callee);
  if (known.blocks) e.words.words.push_back({verb::blocks, "standard"});
  e.ends_process = known.ends_process;
  e.keeps_state = known.keeps_state;
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
  add_arguments(e, llvm::drop_begin(call.arguments(), skipped), *callee);
  if (words.empty() && !known.blocks && !known.ends_process && !known.keeps_state &&
      !interesting(e)) {
    return;
  }
  events_->push_back(std::move(e));
}

}  // namespace

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
