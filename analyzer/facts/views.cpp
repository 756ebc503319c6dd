// SPDX-License-Identifier: MIT
#include "facts/standard.hpp"
#include "facts/unit.hpp"
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/StringSet.h>

#include <cstdlib>
#include <vector>

/// @file
/// Views of other memory, and the objects that hold them: on the heap, in containers, in lambdas.

namespace deed::check {
namespace {

/// A function whose result holds its arguments.
bool wraps(const clang::FunctionDecl& callee) {
  static const llvm::StringSet<> names{"make_unique", "make_shared", "make_optional", "make_pair",
                                       "make_tuple",  "bind",        "bind_front"};
  return callee.isInStdNamespace() && callee.getIdentifier() && names.contains(callee.getName());
}

/// The record that `make_unique<T>(…)` makes, and none of other functions.
const clang::CXXRecordDecl* made_by(const clang::FunctionDecl& callee) {
  if (!callee.getName().starts_with("make_")) return nullptr;
  const auto* arguments = callee.getTemplateSpecializationArgs();
  if (!arguments || arguments->size() == 0) return nullptr;
  const auto& first = arguments->get(0);
  if (first.getKind() != clang::TemplateArgument::Type) return nullptr;
  const auto* record = first.getAsType().getNonReferenceType()->getAsCXXRecordDecl();
  return record && !record->isInStdNamespace() ? record->getDefinition() : nullptr;
}

/// The parameter that initialises a member: `x`, `&x`, or a copy.
const clang::ParmVarDecl* parameter_in(const unit& facts, const clang::Expr* e) {
  e = facts.plain(e);
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
      made && made->getNumArgs() == 1 && made->getConstructor()->isCopyOrMoveConstructor())
    e = facts.plain(made->getArg(0));
  if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(e);
      op && op->getOpcode() == clang::UO_AddrOf)
    e = facts.plain(op->getSubExpr());
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  return name ? llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
}

/// What a constructor's body assigns to members of views: `part = of;`.
std::vector<const clang::Expr*> assigned_in(const clang::CXXConstructorDecl& constructor) {
  std::vector<const clang::Expr*> found;
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(constructor.getBody());
  if (!body) return found;
  for (const clang::Stmt* each : body->body()) {
    if (const auto* full = llvm::dyn_cast<clang::FullExpr>(each)) each = full->getSubExpr();
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(each);
        op && op->getOpcode() == clang::BO_Assign && llvm::isa<clang::MemberExpr>(op->getLHS()))
      found.push_back(op->getRHS());
    if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(each);
        call && call->getOperator() == clang::OO_Equal && call->getNumArgs() == 2 &&
        llvm::isa<clang::MemberExpr>(call->getArg(0)))
      found.push_back(call->getArg(1));
  }
  return found;
}

/// What a body returns, lambdas within it left out.
std::vector<const clang::Expr*> returned_in(const clang::Stmt* body) {
  std::vector<const clang::Expr*> found;
  std::vector<const clang::Stmt*> work{body};
  while (!work.empty()) {
    const clang::Stmt* const s = work.back();
    work.pop_back();
    if (!s || llvm::isa<clang::LambdaExpr>(s)) continue;
    if (const auto* leave = llvm::dyn_cast<clang::ReturnStmt>(s); leave && leave->getRetValue())
      found.push_back(leave->getRetValue());
    for (const clang::Stmt* child : s->children()) work.push_back(child);
  }
  return found;
}

}  // namespace

bool unit::holds_view(clang::QualType type) {
  type = type.getCanonicalType();
  if (is_view(type) || noun_of(type) == noun::view) return true;
  if (const auto* elements = ast_.getAsArrayType(type))
    return holds_view(elements->getElementType());
  const auto* record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || noun_of(type) != noun::none) return false;
  record = record->getDefinition();
  const auto [known, first] = holders_.try_emplace(record, false);  // Until more is known of it.
  if (!first) return known->second;
  return holders_[record] =
             record->isInStdNamespace() ? holds_elements(*record) : has_member_view(*record);
}

bool unit::has_member_view(const clang::CXXRecordDecl& record) {
  const auto in = [&](const auto& part) { return holds_view(part.getType()); };
  return llvm::any_of(record.bases(), in) ||
         llvm::any_of(record.fields(), [&](const auto* field) { return in(*field); });
}

/// Of the standard library: by what the type is made of.
bool unit::holds_elements(const clang::CXXRecordDecl& record) {
  static const llvm::StringSet<> anything{"function", "move_only_function", "any", "thread",
                                          "jthread"};
  if (record.getIdentifier() && anything.contains(record.getName())) return true;
  const auto* made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  const auto held = [&](const clang::TemplateArgument& argument) {
    return argument.getKind() == clang::TemplateArgument::Type && holds_view(argument.getAsType());
  };
  return made && llvm::any_of(made->getTemplateArgs().asArray(), [&](const auto& argument) {
           return argument.getKind() == clang::TemplateArgument::Pack
                      ? llvm::any_of(argument.pack_elements(), held)
                      : held(argument);
         });
}

path unit::kept_by(const clang::Expr* value) {
  const clang::Expr* e = value ? plain(value) : nullptr;
  if (!e || !holds_view(e->getType())) return {};
  if (const auto* made = llvm::dyn_cast<clang::CXXNewExpr>(e))
    return kept_by(made->getInitializer());
  if (is_view(e->getType()) || noun_of(e->getType()) == noun::view) return reached_by(e);
  // A copy of what a parameter refers to is a value.
  if (path known = path_of(e); known.known())
    return out_.var(known.root).parameter ? path{} : known;
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(e)) return kept_by(*lambda);
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    const auto& constructor = *made->getConstructor();
    if (constructor.isCopyOrMoveConstructor()) return kept_by(made->getArg(0));
    return kept_by(constructor, {made->getArgs(), made->getNumArgs()});
  }
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(e)) return first_kept(list->inits());
  if (const auto* list = llvm::dyn_cast<clang::CXXParenListInitExpr>(e))
    return first_kept(list->getInitExprs());
  if (const auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(e))
    return kept_by(list->getSubExpr());
  const auto* call = llvm::dyn_cast<clang::CallExpr>(e);
  return call && call->getDirectCallee() ? kept_by(*call, *call->getDirectCallee()) : path{};
}

path unit::kept_by(const clang::LambdaExpr& lambda) {
  auto init = lambda.capture_init_begin();
  for (const auto& capture : lambda.captures()) {
    const clang::Expr* from = *init++;
    if (!capture.capturesVariable()) continue;
    path kept = capture.getCaptureKind() == clang::LCK_ByRef ? path_of(from) : kept_by(from);
    if (kept.known()) return kept;
  }
  return {};
}

/// What the members of an object are made of; a reference is bound to what it stands for.
path unit::first_kept(llvm::ArrayRef<clang::Expr*> members) {
  for (const clang::Expr* each : members) {
    path kept = each && each->isGLValue() ? path_of(each) : kept_by(each);
    if (kept.known()) return kept;
  }
  return {};
}

namespace {

constexpr int most_names = 8;  // A name may stand for a part of what another one stands for.

}  // namespace

const clang::ParmVarDecl* unit::given_in(const clang::Expr* e, int names) {
  if (const auto* same = parameter_in(*this, e)) return same;
  const bool view = is_view(e->getType()) || noun_of(e->getType()) == noun::view;
  const path from = view ? reached_by(e) : kept_by(e);
  const clang::ValueDecl* declared = from.known() ? declared_as(from.root) : nullptr;
  if (const auto* same = llvm::dyn_cast_or_null<clang::ParmVarDecl>(declared)) return same;
  // A name of the function's own for a part of it.
  const auto* local = llvm::dyn_cast_or_null<clang::VarDecl>(declared);
  const bool own = local && local->isLocalVarDecl() && local->getInit() && names < most_names;
  return own ? given_in(local->getInit(), names + 1) : nullptr;
}

/// What a constructor gives to the members that hold views, and to its bases.
std::vector<const clang::Expr*> unit::given_to_members(const clang::CXXConstructorDecl& made) {
  std::vector<const clang::Expr*> found;
  for (const auto* init : made.inits()) {
    const bool base = init->isBaseInitializer();
    if (base || (init->isAnyMemberInitializer() && holds_view(init->getAnyMember()->getType())))
      found.push_back(init->getInit());
  }
  for (const clang::Expr* each : assigned_in(made)) {
    if (holds_view(each->getType())) found.push_back(each);
  }
  return found;
}

path unit::kept_by(const clang::CXXConstructorDecl& constructor,
                   llvm::ArrayRef<const clang::Expr*> arguments) {
  if (constructor.getParent()->isInStdNamespace()) return first_kept_of(arguments);
  const clang::FunctionDecl* body = nullptr;
  if (!constructor.isDefined(body)) return {};
  for (const clang::Expr* each : given_to_members(*llvm::cast<clang::CXXConstructorDecl>(body))) {
    const auto* from = given_in(each);
    const unsigned n = from ? from->getFunctionScopeIndex() : 0;
    if (!from || n >= arguments.size() || from->getDeclContext() != body) continue;
    const bool lent = from->getType()->isLValueReferenceType() &&
                      !holds_view(from->getType().getNonReferenceType());
    if (path kept = lent ? path_of(arguments[n]) : kept_by(arguments[n]); kept.known()) return kept;
  }
  return {};
}

path unit::first_kept_of(llvm::ArrayRef<const clang::Expr*> arguments) {
  for (const clang::Expr* each : arguments) {
    if (path kept = kept_by(each); kept.known()) return kept;
  }
  return {};
}

/// Which of the arguments a function gives a view of, or what holds one: where it returns it.
std::optional<unsigned> unit::handed_back(const clang::FunctionDecl& callee) {
  const clang::FunctionDecl* body = nullptr;
  if (in_standard_library(callee) || !callee.isDefined(body) || !body->getBody()) return {};
  const auto [known, first] = handed_back_.try_emplace(body);  // None, while it is looked for.
  if (!first) return known->second;
  std::optional<unsigned> found;
  for (const clang::Expr* each : returned_in(body->getBody())) {
    const auto* from = holds_view(each->getType()) ? given_in(each) : nullptr;
    if (from && from->getDeclContext() == body) found = from->getFunctionScopeIndex();
  }
  return handed_back_[body] = found;
}

const clang::Expr* unit::handed_on(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  const std::optional<unsigned> n = handed_back(callee);
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const bool object = llvm::isa<clang::CXXOperatorCallExpr>(call) && method && !method->isStatic();
  const unsigned at = n ? *n + (object ? 1 : 0) : 0;
  return n && at < call.getNumArgs() ? call.getArg(at) : nullptr;
}

path unit::kept_by(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  if (const clang::Expr* const given = handed_on(call, callee)) return kept_by(given);
  if (!wraps(callee)) return {};
  const auto arguments = llvm::ArrayRef<const clang::Expr*>(call.getArgs(), call.getNumArgs());
  const auto* record = made_by(callee);
  if (record && noun_of(ast_.getRecordType(record)) == noun::none && !record->isAggregate()) {
    for (const auto* constructor : record->ctors()) {
      if (constructor->getNumParams() != arguments.size()) continue;
      if (path kept = kept_by(*constructor, arguments); kept.known()) return kept;
    }
    return {};
  }
  return first_kept_of(arguments);
}

const clang::CXXConstructorDecl* unit::constructor_in(const clang::CallExpr& call) {
  const auto* callee = call.getDirectCallee();
  const auto* record = callee && wraps(*callee) ? made_by(*callee) : nullptr;
  if (!record || noun_of(ast_.getRecordType(record)) != noun::none) return nullptr;
  const clang::CXXConstructorDecl* found = nullptr;
  for (const auto* each : record->ctors()) {
    const bool fits = call.getNumArgs() >= each->getMinRequiredArguments() &&
                      call.getNumArgs() <= each->getNumParams();
    if (!fits || each->isCopyOrMoveConstructor()) continue;
    if (found) return nullptr;
    found = each;
  }
  return found;
}

/// Some elements of what a view reaches: each place where one is made, others.
path unit::piece_of(const clang::Expr* view, const clang::Expr& made) {
  path whole = reached_by(view);
  if (!whole.known() || !is_standard_span(made.getType())) return whole;
  const span at = place(made.getSourceRange());
  whole.parts.push_back({part::kind::field,
                         "piece " + std::to_string(at.line) + ":" + std::to_string(at.column),
                         {}});
  return whole;
}

path unit::reached_by(const clang::Expr* view) {
  if (!view) return {};
  const clang::Expr* e = plain(view);
  if (path known = path_of(e); known.known()) return known;
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    if (made->getNumArgs() > 1) return piece_of(made->getArg(0), *e);
    return made->getNumArgs() > 0 ? reached_by(made->getArg(0)) : path{};
  }
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(e)) {
    if (list->getNumInits() > 1) return piece_of(list->getInit(0), *e);
    return list->getNumInits() > 0 ? reached_by(list->getInit(0)) : path{};
  }
  if (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(e); sum && sum->isAdditiveOp()) {
    return reached_by(sum->getLHS());
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(e);
  const auto* callee = call ? call->getDirectCallee() : nullptr;
  if (!callee) return {};
  const clang::Expr* object = object_of(*call);
  if (object && points_into_its_object(*callee)) {
    const bool whole = callee->getName() == "data" || callee->getName() == "begin";
    return whole ? reached_by(object) : piece_of(object, *e);
  }
  const word* reaches = words_of(callee).find(verb::reaches);
  if (!reaches) {
    const clang::Expr* const given = handed_on(*call, *callee);
    return given ? reached_by(given) : path{};
  }
  if (reaches->operand == "this") return reached_by(object);
  const auto n = static_cast<unsigned>(std::atoi(reaches->operand.c_str()));
  return n < call->getNumArgs() ? reached_by(call->getArg(n)) : path{};
}

}  // namespace deed::check
