// SPDX-License-Identifier: MIT
#include "facts/standard.hpp"
#include "facts/unit.hpp"
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include <cstdlib>
#include <vector>

namespace deed::check {

namespace {

/// A pointer that owns: it points to the same object until it is assigned.
bool owns_one(clang::QualType type) {
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->isInStdNamespace() || !record->getIdentifier()) return false;
  const auto name = record->getName();
  return name == "unique_ptr" || name == "optional" || name == "shared_ptr";
}

}  // namespace

bool is_standard_move(const clang::Expr* expression) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(expression->IgnoreParenImpCasts());
  if (!call || !call->getDirectCallee() || call->getNumArgs() != 1) return false;
  const auto* callee = call->getDirectCallee();
  return callee->isInStdNamespace() && callee->getIdentifier() && callee->getName() == "move";
}

const clang::Expr* made_of(const clang::Expr* value) {
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(value);
  return made && made->getNumArgs() > 0 ? made->getArg(0) : value;
}

const clang::Expr* object_of(const clang::CallExpr& call) {
  if (const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    return member->getImplicitObjectArgument();
  }
  const auto* callee = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  const bool is_operator = llvm::isa<clang::CXXOperatorCallExpr>(call);
  if (is_operator && callee && !callee->isStatic() && call.getNumArgs() > 0) return call.getArg(0);
  return nullptr;
}

const clang::Expr* unit::plain(const clang::Expr* e) const {
  while (e) {
    const clang::Expr* next = e->IgnoreParenImpCasts();
    if (const auto* full = llvm::dyn_cast<clang::FullExpr>(next)) next = full->getSubExpr();
    if (const auto* made = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(next)) {
      next = made->getSubExpr();
    }
    if (const auto* bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(next)) {
      next = bound->getSubExpr();
    }
    if (const auto* given = llvm::dyn_cast<clang::CXXDefaultArgExpr>(next)) next = given->getExpr();
    if (const auto* given = llvm::dyn_cast<clang::CXXDefaultInitExpr>(next))
      next = given->getExpr();
    if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(next)) next = cast->getSubExpr();
    if (next == e) return e;
    e = next;
  }
  return e;
}

const clang::ReturnStmt* only_return(const clang::Stmt* inside) {
  const clang::ReturnStmt* found = nullptr;
  std::vector<const clang::Stmt*> work{inside};
  while (!work.empty()) {
    const clang::Stmt* const s = work.back();
    work.pop_back();
    if (!s || llvm::isa<clang::LambdaExpr>(s)) continue;
    if (const auto* leave = llvm::dyn_cast<clang::ReturnStmt>(s)) {
      if (found) return nullptr;
      found = leave;
    }
    for (const clang::Stmt* child : s->children()) work.push_back(child);
  }
  return found;
}

path unit::path_of(const clang::Expr* expression) {
  if (!expression) return {};
  const clang::Expr* e = plain(expression);
  if (const auto it = results.find(e); it != results.end()) return it->second;

  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) {
    const auto* declared = name->getDecl();
    if (!llvm::isa<clang::VarDecl, clang::BindingDecl>(declared)) return {};
    const auto* canonical = llvm::cast<clang::ValueDecl>(declared->getCanonicalDecl());
    if (const auto it = aliases_.find(canonical); it != aliases_.end()) return it->second;
    return {variable_of(*declared), {}};
  }
  if (const auto* it = llvm::dyn_cast<clang::CXXThisExpr>(e)) {
    const auto* record = it->getType()->getPointeeCXXRecordDecl()->getCanonicalDecl();
    if (const auto made = made_here_.find(record); made != made_here_.end()) return made->second;
    return {self(*it->getType()->getPointeeCXXRecordDecl()), {}};
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(e)) {
    const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    if (!field) {
      const auto* global = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl());
      return global ? path{variable_of(*global), {}} : path{};
    }
    path base = path_of(member->getBase());
    if (base.known()) base.parts.push_back({part::kind::field, field->getNameAsString(), {}});
    return base;
  }
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(e)) {
    path base = reached_by(element->getBase());
    if (base.known()) {
      const bool array = element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType();
      base.parts.push_back(
          {part::kind::index, "operator[]", {value_of(element->getIdx())}, !array});
    }
    return base;
  }
  if (const path at = walked(e); at.known()) return at;
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e)) {
    path base = path_of(unary->getSubExpr());
    if (unary->getOpcode() == clang::UO_AddrOf) return base;
    if (unary->getOpcode() != clang::UO_Deref) return {};
    if (base.known() && !llvm::isa<clang::CXXThisExpr>(plain(unary->getSubExpr()))) {
      base.parts.push_back({part::kind::field, "*", {}});
    }
    return base;
  }
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    const bool same = made->getNumArgs() >= 1 && made->getConstructor()->isCopyOrMoveConstructor();
    return same ? path_of(made->getArg(0)) : path{};
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(e);
  if (!call || !call->getDirectCallee()) return {};
  const auto* callee = call->getDirectCallee();
  if (callee->isInStdNamespace() && call->getNumArgs() == 1 && callee->getIdentifier() &&
      (callee->getName() == "move" || callee->getName() == "forward" ||
       callee->getName() == "as_const" || callee->getName() == "ref" ||
       callee->getName() == "addressof")) {
    return path_of(call->getArg(0));
  }
  if (path piece = piece_in(*call, *callee); piece.known()) return piece;
  if (path given = returned_by(*call, *callee); given.known()) return given;
  const clang::Expr* object = object_of(*call);
  // `v.data()` points into `v`.
  if (object && in_standard_library(*callee) && callee->getIdentifier() &&
      callee->getName() == "data") {
    return path_of(object);
  }
  if (!object || !callee->getReturnType()->isReferenceType()) {
    const bool arrow = callee->getOverloadedOperator() == clang::OO_Arrow;
    if (!object || !(arrow || noun_of(callee->getReturnType()) == noun::pattern)) return {};
  }
  path base = path_of(object);
  if (!base.known()) return {};
  const bool is_operator = llvm::isa<clang::CXXOperatorCallExpr>(call);
  const unsigned first = is_operator ? 1 : 0;
  const auto op = callee->getOverloadedOperator();
  if ((op == clang::OO_Star || op == clang::OO_Arrow) && call->getNumArgs() == 1) {
    const bool fixed = noun_of(object->getType()) == noun::borrow || owns_one(object->getType());
    base.parts.push_back({fixed ? part::kind::field : part::kind::element, "*", {}});
    return base;
  }
  if (op == clang::OO_Equal) return base;
  part step{part::kind::index, callee->getNameAsString(), {}};
  for (unsigned i = first; i < call->getNumArgs(); ++i) {
    if (llvm::isa<clang::CXXDefaultArgExpr>(call->getArg(i))) continue;
    step.indices.push_back(index_value(call->getArg(i)));
  }
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  const bool another = method && method->isVirtual();  // Perhaps.
  if (!another && !in_standard_library(*callee) && callee->hasBody()) step.function = usr(*callee);
  base.parts.push_back(std::move(step));
  return base;
}

/// The key of an element: a text by its letters.
value_ref unit::index_value(const clang::Expr* index) {
  const clang::Expr* e = plain(index);
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
      made && made->getNumArgs() > 0 && in_standard_library(*made->getConstructor()) &&
      (made->getNumArgs() == 1 || llvm::isa<clang::CXXDefaultArgExpr>(made->getArg(1))))
    e = plain(made->getArg(0));
  const auto* text = llvm::dyn_cast<clang::StringLiteral>(e);
  if (!text || !text->isOrdinary()) return value_of(index);
  value v;
  v.what = value::kind::text;
  v.text = text->getString().str();
  v.at = place(index->getSourceRange());
  return std::make_shared<const value>(std::move(v));
}

/// What a function returns by reference: a variable at namespace scope, an argument, or a member of
/// one of these.
path unit::returned_by(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  if (method && method->isVirtual()) return {};  // Another may be called.
  const clang::FunctionDecl* written = nullptr;
  if (!callee.getReturnType()->isLValueReferenceType() || !callee.hasBody(written)) return {};
  const clang::ReturnStmt* const leave = only_return(written->getBody());
  const clang::Expr* base = leave ? leave->getRetValue() : nullptr;
  if (base) base = base->IgnoreParenImpCasts();
  std::vector<part> fields;
  while (const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(base)) {
    if (member->isArrow() || !llvm::isa<clang::FieldDecl>(member->getMemberDecl())) break;
    fields.push_back({part::kind::field, member->getMemberDecl()->getNameAsString(), {}});
    base = member->getBase()->IgnoreParenImpCasts();
  }
  const auto* name = llvm::dyn_cast_or_null<clang::DeclRefExpr>(base);
  const auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (!v) return {};
  path found;
  if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(v)) {
    const unsigned index = parameter->getFunctionScopeIndex();
    const bool own = parameter->getDeclContext() == written && v->getType()->isReferenceType();
    const bool shifted = llvm::isa<clang::CXXOperatorCallExpr>(&call);
    if (!own || shifted || index >= call.getNumArgs()) return {};
    found = path_of(call.getArg(index));
  } else if (v->hasGlobalStorage() && !v->isStaticLocal()) {
    found = {variable_of(*v), {}};
  }
  if (found.known()) found.parts.insert(found.parts.end(), fields.rbegin(), fields.rend());
  return found;
}

/// The element that `*iterator` is, in a loop over numbers.
path unit::walked(const clang::Expr* e) const {
  const clang::Expr* iterator = nullptr;
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e);
      unary && unary->getOpcode() == clang::UO_Deref)
    iterator = unary->getSubExpr();
  if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(e);
      call && call->getOperator() == clang::OO_Star && call->getNumArgs() == 1)
    iterator = call->getArg(0);
  const auto* name = iterator ? llvm::dyn_cast<clang::DeclRefExpr>(plain(iterator)) : nullptr;
  const auto it = name ? walks.find(name->getDecl()) : walks.end();
  return it == walks.end() ? path{} : it->second;
}

}  // namespace deed::check
