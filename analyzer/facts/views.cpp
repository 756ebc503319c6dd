// SPDX-License-Identifier: MIT
#include "facts/standard.hpp"
#include "facts/unit.hpp"
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/StringSet.h>

#include <cstdlib>

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

/// Where a constructor keeps one of its parameters.
const clang::CXXCtorInitializer* member_of(const unit& facts,
                                           const clang::CXXConstructorDecl& constructor,
                                           unsigned parameter) {
  if (parameter >= constructor.getNumParams()) return nullptr;
  for (const auto* init : constructor.inits()) {
    if (init->isAnyMemberInitializer() &&
        parameter_in(facts, init->getInit()) == constructor.getParamDecl(parameter))
      return init;
  }
  return nullptr;
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
  static const llvm::StringSet<> anything{"function", "move_only_function", "any"};
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

path unit::kept_by(const clang::CXXConstructorDecl& constructor,
                   llvm::ArrayRef<const clang::Expr*> arguments) {
  const clang::FunctionDecl* body = nullptr;
  constructor.isDefined(body);
  for (unsigned n = 0; n < arguments.size(); ++n) {
    if (constructor.getParent()->isInStdNamespace()) {
      if (path kept = kept_by(arguments[n]); kept.known()) return kept;
      continue;
    }
    const auto* init =
        body ? member_of(*this, *llvm::cast<clang::CXXConstructorDecl>(body), n) : nullptr;
    if (!init || !holds_view(init->getAnyMember()->getType())) continue;
    const bool lent = body->getParamDecl(n)->getType()->isLValueReferenceType() &&
                      is_view(init->getAnyMember()->getType());
    if (path kept = lent ? path_of(arguments[n]) : kept_by(arguments[n]); kept.known()) return kept;
  }
  return {};
}

path unit::kept_by(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
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
  for (const clang::Expr* each : arguments) {
    if (path kept = kept_by(each); kept.known()) return kept;
  }
  return {};
}

path unit::reached_by(const clang::Expr* view) {
  if (!view) return {};
  const clang::Expr* e = plain(view);
  if (path known = path_of(e); known.known()) return known;
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    return made->getNumArgs() > 0 ? reached_by(made->getArg(0)) : path{};
  }
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(e)) {
    return list->getNumInits() > 0 ? reached_by(list->getInit(0)) : path{};
  }
  if (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(e); sum && sum->isAdditiveOp()) {
    return reached_by(sum->getLHS());
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(e);
  const auto* callee = call ? call->getDirectCallee() : nullptr;
  if (!callee) return {};
  const clang::Expr* object = object_of(*call);
  if (object && points_into_its_object(*callee)) return reached_by(object);
  const word* reaches = words_of(callee).find(verb::reaches);
  if (!reaches) return {};
  if (reaches->operand == "this") return reached_by(object);
  const auto n = static_cast<unsigned>(std::atoi(reaches->operand.c_str()));
  return n < call->getNumArgs() ? reached_by(call->getArg(n)) : path{};
}

}  // namespace deed::check
