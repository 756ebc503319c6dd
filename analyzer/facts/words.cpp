// SPDX-License-Identifier: MIT
#include "facts/overlay.hpp"
#include "facts/unit.hpp"
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>

namespace deed::check {
namespace {

std::string text_of(const clang::Expr* operand, const clang::ASTContext& ast) {
  operand = operand->IgnoreParenImpCasts();
  if (const auto* whole = llvm::dyn_cast<clang::ConstantExpr>(operand)) {
    operand = whole->getSubExpr()->IgnoreParenImpCasts();
  }
  if (const auto* literal = llvm::dyn_cast<clang::StringLiteral>(operand)) {
    return literal->getString().str();
  }
  clang::Expr::EvalResult number;
  if (!operand->isValueDependent() && operand->EvaluateAsInt(number, ast) &&
      number.Val.getInt().isRepresentableByInt64()) {
    return std::to_string(number.Val.getInt().getExtValue());
  }
  return {};
}

/// The declarations that may carry the words of one: its other declarations, and its pattern.
std::vector<const clang::Decl*> carriers(const clang::Decl* declaration) {
  std::vector<const clang::Decl*> found;
  const auto add = [&](const clang::Decl* d) {
    for (const auto* one : d->redecls()) found.push_back(one);
  };
  add(declaration);
  if (const auto* f = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
    if (const auto* pattern = f->getTemplateInstantiationPattern(false)) add(pattern);
    if (const auto* made = f->getPrimaryTemplate()) add(made->getTemplatedDecl());
  }
  if (const auto* r = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(declaration)) {
    add(r->getSpecializedTemplate()->getTemplatedDecl());
  }
  return found;
}

/// The declaration that all instances of a template share, or itself.
const clang::Decl* shared_pattern(const clang::Decl* declaration) {
  if (const auto* made = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration))
    declaration = made->getTemplatedDecl();
  if (const auto* f = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
    if (const auto* pattern = f->getTemplateInstantiationPattern(false)) declaration = pattern;
  }
  return declaration->getCanonicalDecl();
}

/// The `T` of a `handle<T>`; null if it is no template of a type.
clang::QualType first_argument(clang::QualType type) {
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  const auto* made = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (!made || made->getTemplateArgs().size() == 0) return {};
  const auto& first = made->getTemplateArgs()[0];
  return first.getKind() == clang::TemplateArgument::Type ? first.getAsType() : clang::QualType();
}

}  // namespace

/// `using library::function WORDS;`, in the namespace of overlays or in a class in it.
void unit::note_usings(const clang::DeclContext* within) {
  for (const auto* one : within->decls()) {
    if (const auto* inner = llvm::dyn_cast<clang::CXXRecordDecl>(one)) note_usings(inner);
    const auto* named = llvm::dyn_cast<clang::UsingDecl>(one);
    if (!named || !named->hasAttrs()) continue;
    for (const auto* shadow : named->shadows())
      usings_[shared_pattern(shadow->getTargetDecl())].push_back(named);
  }
}

void unit::read_words(const clang::Decl* declaration, model& into) {
  for (const auto* attribute : declaration->specific_attrs<clang::AnnotateAttr>()) {
    if (attribute->getAnnotation() != "deed" || attribute->args_size() == 0) continue;
    const auto arguments = attribute->args();
    const std::string name = text_of(*arguments.begin(), ast_);
    const auto what = verb_named(name);
    if (!what) {
      faults_.push_back({place(attribute->getRange()),
                         "the word \"" + name + "\" is not in this version of the model"});
      continue;
    }
    std::string operand;
    if (attribute->args_size() > 1) operand = text_of(arguments.begin()[1], ast_);
    if (!into.has(*what, operand)) into.words.push_back({*what, operand});
  }
}

unit::unit(clang::ASTContext& ast, program& out) : ast_(ast), out_(out) {
  const auto found = ast.getTranslationUnitDecl()->lookup(&ast.Idents.get(overlay_namespace));
  for (const auto* one : found) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(one);
    for (; space; space = space->getPreviousDecl()) note_usings(space);
  }
}

const model& unit::words_of(const clang::Decl* declaration) {
  static const model none;
  if (!declaration) return none;
  const auto* canonical = declaration->getCanonicalDecl();
  const auto [it, is_new] = words_.try_emplace(canonical);
  if (is_new) {
    for (const auto* carrier : carriers(declaration)) read_words(carrier, it->second);
    if (const auto known = usings_.find(shared_pattern(declaration)); known != usings_.end()) {
      for (const auto* carrier : known->second) read_words(carrier, it->second);
    }
  }
  return it->second;
}

noun unit::noun_of(clang::QualType type) {
  if (type.isNull()) return noun::none;
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record) return noun::none;
  const word* w = words_of(record).find(verb::type);
  return w ? noun_named(w->operand).value_or(noun::none) : noun::none;
}

noun unit::noun_of_name(clang::QualType type) {
  const auto next = [](clang::QualType named) { return named->getAs<clang::TypedefType>(); };
  for (const auto* name = next(type.getNonReferenceType()); name; name = next(name->desugar())) {
    if (const word* w = words_of(name->getDecl()).find(verb::type))
      return noun_named(w->operand).value_or(noun::none);
  }
  return noun::none;
}

noun unit::noun_in_optional(clang::QualType type) {
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  const bool optional = record && record->isInStdNamespace() && record->getIdentifier() &&
                        record->getName() == "optional";
  return optional ? noun_of(first_argument(type)) : noun::none;
}

std::string unit::held_type(clang::QualType type) {
  const clang::QualType held = first_argument(type);
  return held.isNull() ? "" : held.getUnqualifiedType().getAsString(ast_.getPrintingPolicy());
}

}  // namespace deed::check
