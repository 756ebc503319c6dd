// SPDX-License-Identifier: MIT
#include "facts/database.hpp"
#include "facts/standard.hpp"
#include "facts/unit.hpp"
#include <clang/Basic/SourceManager.h>
#include <clang/Index/USRGeneration.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/SmallString.h>

namespace deed::check {

span unit::place(clang::SourceRange range) {
  const auto& sources = ast_.getSourceManager();
  if (range.isInvalid()) return {};
  const auto whole = sources.getExpansionRange(range);
  const auto begin = whole.getBegin();
  auto end = whole.getEnd();
  if (whole.isTokenRange()) {
    end = clang::Lexer::getLocForEndOfToken(end, 0, sources, ast_.getLangOpts());
  }
  const auto from = sources.getPresumedLoc(begin, false);
  const auto to = sources.getPresumedLoc(end, false);
  if (from.isInvalid() || to.isInvalid()) return {};
  return {file_of(from.getFilename()), from.getLine(), from.getColumn(), to.getLine(),
          to.getColumn()};
}

std::uint32_t unit::file_of(const char* name) {
  const auto [it, is_new] = files_.try_emplace(name, 0);
  if (is_new) it->second = out_.files.add(full_name(name));
  return it->second;
}

std::string unit::usr(const clang::FunctionDecl& callee) {
  llvm::SmallString<128> text;
  const bool missing = clang::index::generateUSRForDecl(&callee, text);
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const bool local = callee.getParentFunctionOrMethod() != nullptr;
  if (missing || local || (method && method->getParent()->isLambda())) {
    const span at = place(callee.getSourceRange());
    text += "@" + out_.files.name(at.file) + ":" + std::to_string(at.line) + ":" +
            std::to_string(at.column);
  }
  return text.str().str();
}

variable_id unit::variable_of(const clang::ValueDecl& declaration) {
  const auto* canonical = llvm::cast<clang::ValueDecl>(declaration.getCanonicalDecl());
  if (const auto it = variables_.find(canonical); it != variables_.end()) return it->second;

  const auto type = declaration.getType();
  const auto* v = llvm::dyn_cast<clang::VarDecl>(&declaration);
  variable made;
  made.name = declaration.getNameAsString();
  made.at = place(clang::SourceRange(declaration.getLocation()));
  made.kind = noun_of(type);
  if (made.kind == noun::none) made.kind = noun_of_name(type);
  made.optional = noun_in_optional(type);
  made.type =
      made.kind == noun::handle ? held_type(type) : type.getAsString(ast_.getPrintingPolicy());
  made.parameter = llvm::isa<clang::ParmVarDecl>(declaration);
  made.reference = type->isReferenceType();
  made.view = is_view(type) || made.kind == noun::view;
  made.constant = type.getNonReferenceType().isConstQualified() || (v && v->isConstexpr());
  made.guarded = is_synchronised(type.getNonReferenceType());
  made.used = declaration.isUsed() || declaration.isReferenced();
  if (v) {
    made.persistent = v->isStaticLocal() || v->getTLSKind() != clang::VarDecl::TLS_None;
    made.global = v->hasGlobalStorage() && !v->isStaticLocal();
    made.guarded = made.guarded || v->getTLSKind() != clang::VarDecl::TLS_None;
  }
  const variable_id id = variables_[canonical] = out_.meet(std::move(made));
  declared_.try_emplace(id, canonical);
  return id;
}

variable_id unit::self(const clang::CXXRecordDecl& record) {
  const auto* canonical = record.getCanonicalDecl();
  auto& id = selves_[canonical];
  if (id == 0) {
    id = out_.add({.name = "this",
                   .at = {},
                   .kind = noun::none,
                   .type = record.getNameAsString(),
                   .parameter = true,
                   .reference = true,
                   .each = {}});
  }
  return id;
}

path unit::temporary(noun kind, span at) {
  return {out_.add({.name = "", .at = at, .kind = kind, .type = {}, .each = {}}), {}};
}

void unit::enter(const clang::FunctionDecl& body) {
  body_ = &body;
  results.clear();
  walks.clear();
  walk_bounds.clear();
  made_here_.clear();
  result_ = out_.add(
      {.name = "",
       .at = place(clang::SourceRange(body.getLocation())),
       .kind = noun_of(body.getReturnType()),
       .type = body.getReturnType().getUnqualifiedType().getAsString(ast_.getPrintingPolicy()),
       .each = {}});
}

}  // namespace deed::check
