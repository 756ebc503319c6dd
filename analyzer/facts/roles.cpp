// SPDX-License-Identifier: MIT
#include "facts/unit.hpp"
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <llvm/ADT/FoldingSet.h>

#include <algorithm>
#include <memory>

/// @file
/// Arguments of libraries whose peers, tags and communicators are plain numbers and pointers.

namespace deed::check {
namespace {

/// A number that names a rank or a tag, unless it is below zero: a wildcard, or nobody.
value_ref natural(value_ref number) {
  value v;
  v.what = value::kind::operation;
  v.text = "natural";
  v.at = number ? number->at : span{};
  v.arguments = {std::move(number)};
  return std::make_shared<const value>(std::move(v));
}

bool same_text(const clang::Expr* one, const clang::Expr* other, const clang::ASTContext& ast) {
  llvm::FoldingSetNodeID a, b;
  one->IgnoreParenImpCasts()->Profile(a, ast, true);
  other->IgnoreParenImpCasts()->Profile(b, ast, true);
  return a == b;
}

}  // namespace

noun unit::role_of(const clang::ParmVarDecl* parameter) {
  const word* type = parameter ? words_of(parameter).find(verb::type) : nullptr;
  return type ? noun_named(type->operand).value_or(noun::none) : noun::none;
}

void unit::take_role(operand& of, const clang::Expr* argument) {
  if (of.kind == noun::session)
    of.name = is_whole(argument) ? "whole" : "other";
  else
    of.value = natural(number_inside(argument));
}

const std::vector<const clang::VarDecl*>& unit::wholes() {
  if (wholes_) return *wholes_;
  wholes_.emplace();
  for (const auto* top : ast_.getTranslationUnitDecl()->decls()) {
    const auto* v = llvm::dyn_cast<clang::VarDecl>(top);
    if (v && v->hasAttrs() && v->getInit() && words_of(v).has(verb::type, "session"))
      wholes_->push_back(v);
  }
  return *wholes_;
}

bool unit::is_whole(const clang::Expr* communicator) {
  return std::ranges::any_of(wholes(), [&](const clang::VarDecl* one) {
    return same_text(one->getInit(), communicator, ast_);
  });
}

bool unit::takes_ranks(const clang::FunctionDecl& callee) {
  const auto named = [](clang::QualType type) {
    const auto* name = type->getAs<clang::TypedefType>();
    return name ? name->getDecl()->getCanonicalDecl() : nullptr;
  };
  return std::ranges::any_of(wholes(), [&](const clang::VarDecl* one) {
    return std::ranges::any_of(callee.parameters(), [&](const clang::ParmVarDecl* p) {
      return named(p->getType()) && named(p->getType()) == named(one->getType());
    });
  });
}

}  // namespace deed::check
