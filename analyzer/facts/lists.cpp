// SPDX-License-Identifier: MIT
#include "facts/standard.hpp"
#include "facts/unit.hpp"
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <vector>

/// @file
/// What stands in braces, or cuts a piece out of a list: extents, operations, lengths.

namespace deed::check {
namespace {

/// What is copied or moved, or what a constant is made of.
const clang::Expr* origin_of(const unit& facts, const clang::Expr* e) {
  for (;;) {
    e = facts.plain(e);
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
        made && made->getNumArgs() >= 1 && made->getConstructor()->isCopyOrMoveConstructor()) {
      e = made->getArg(0);
      continue;
    }
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
    const auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    const auto* init = v && v->getType().isConstQualified() ? v->getAnyInitializer() : nullptr;
    if (!init) return e;
    e = init;
  }
}

/// What runs when a lambda is called; of a generic one, an instance.
const clang::FunctionDecl* body_of(const clang::LambdaExpr& lambda) {
  const clang::FunctionDecl* const written = lambda.getCallOperator();
  const auto* generic = written->getDescribedFunctionTemplate();
  if (!generic) return written;
  const auto made = generic->specializations();
  return made.begin() == made.end() ? nullptr : *made.begin();
}

bool is_span(clang::QualType type) {
  const auto* record = type->getAsCXXRecordDecl();
  return record && record->isInStdNamespace() && record->getName() == "span";
}

}  // namespace

/// `{{0, 40}, {30, 64}}` as a value: lists of lists of numbers.
value_ref unit::list_value(const clang::Expr* expression) {
  const clang::Expr* e = origin_of(*this, expression);
  value list;
  list.what = value::kind::operation;
  list.text = "list";
  list.at = place(e->getSourceRange());
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    return made->getNumArgs() == 0 ? nullptr : list_value(made->getArg(0));
  }
  if (const auto* made = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(e)) {
    return list_value(made->getSubExpr());
  }
  const auto* braces = llvm::dyn_cast<clang::InitListExpr>(e);
  if (!braces) return value_of(e);
  for (const clang::Expr* one : braces->inits()) list.arguments.push_back(list_value(one));
  return std::make_shared<const value>(std::move(list));
}

/// The numbers of an object whose type gives extents, also where it is converted to another.
value_ref unit::extents_in(const clang::Expr* argument) {
  for (const clang::Expr* e = origin_of(*this, argument);;) {
    const auto* record = e->getType()->getAsCXXRecordDecl();
    if (record && words_of(record).has(verb::extent)) return list_value(e);
    const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
    if (!made || made->getNumArgs() != 1) return nullptr;
    e = origin_of(*this, made->getArg(0));
  }
}

/// The member that an aggregate keeps for the library to call.
const clang::Expr* unit::kept_callable(const clang::Expr* argument) {
  const clang::Expr* e = origin_of(*this, argument);
  const auto* record = e->getType()->getAsCXXRecordDecl();
  const word* const calls = record ? words_of(record).find(verb::calls) : nullptr;
  const auto* braces = llvm::dyn_cast<clang::InitListExpr>(e);
  if (!calls || !braces) return nullptr;
  const auto n = static_cast<unsigned>(std::atoi(calls->operand.c_str()));
  return n < braces->getNumInits() ? origin_of(*this, braces->getInit(n)) : nullptr;
}

/// `[&](auto i, auto j) { return std::tuple{deed::write(m(i, j)), …}; }`, also by its name.
llvm::ArrayRef<const clang::Expr*> unit::given_by(const clang::Expr* callable) {
  const clang::Expr* e = plain(callable);
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  const auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (v && v->getInit()) e = plain(v->getInit());
  const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(e);
  const auto* body = lambda ? body_of(*lambda) : nullptr;
  const auto* leave = body ? only_return(body->getBody()) : nullptr;
  if (!leave || !leave->getRetValue()) return {};
  const clang::Expr* given = plain(leave->getRetValue());
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(given))
    return {made->getArgs(), made->getNumArgs()};
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(given);
      call && call->getDirectCallee() && call->getDirectCallee()->isInStdNamespace())
    return {call->getArgs(), call->getNumArgs()};
  return {};
}

/// How long a piece of a list is, where the program says so: `std::span{all}.first(n)`.
value_ref unit::length_of(const clang::Expr* list) {
  const clang::Expr* e = origin_of(*this, list);
  if (const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(e)) {
    const auto* method = call->getMethodDecl();
    if (!method || !in_standard_library(*method) || !is_span(call->getType())) return nullptr;
    for (unsigned i = call->getNumArgs(); i-- > 0;) {
      if (!llvm::isa<clang::CXXDefaultArgExpr>(call->getArg(i)))
        return method->getName() == "subspan" && i == 0 ? nullptr : value_of(call->getArg(i));
    }
    return nullptr;
  }
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
  const bool counted = made && made->getNumArgs() == 2 && is_span(made->getType()) &&
                       made->getArg(1)->getType()->isIntegerType();
  return counted ? value_of(made->getArg(1)) : nullptr;
}

}  // namespace deed::check
