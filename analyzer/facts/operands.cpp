// SPDX-License-Identifier: MIT
#include "facts/standard.hpp"
#include "facts/unit.hpp"
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

#include <cstdlib>

namespace deed::check {
namespace {

/// The bodies in the initialiser of a codelet, wherever they stand in it, and its name.
void collect_bodies(unit& facts, const clang::Stmt* inside, codelet& into) {
  if (!inside) return;
  if (const auto* body = llvm::dyn_cast<clang::LambdaExpr>(inside)) {
    into.bodies.push_back(facts.usr(*body->getCallOperator()));
    return;
  }
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(inside)) {
    if (const auto* f = llvm::dyn_cast<clang::FunctionDecl>(name->getDecl())) {
      into.bodies.push_back(facts.usr(*f));
    }
  }
  if (const auto* text = llvm::dyn_cast<clang::StringLiteral>(inside); text && into.name.empty()) {
    into.name = text->getString().str();
    into.name_at = facts.place(text->getSourceRange());
  }
  for (const clang::Stmt* child : inside->children()) collect_bodies(facts, child, into);
}

/// The function that is passed on, or the body of the lambda.
std::string callable_in(unit& facts, const clang::Expr* e) {
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) {
    if (const auto* f = llvm::dyn_cast<clang::FunctionDecl>(name->getDecl())) return facts.usr(*f);
    const auto* v = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (!v || !v->getType()->getAsCXXRecordDecl() || !v->getInit()) return {};
    e = facts.plain(v->getInit());
  }
  const auto* body = llvm::dyn_cast<clang::LambdaExpr>(e);
  return body ? facts.usr(*body->getCallOperator()) : std::string();
}

/// `n` of `std::vector<double>(n)`.
const clang::Expr* size_of_new_vector(const clang::Expr* e) {
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
  if (!made || made->getNumArgs() == 0) return nullptr;
  const auto* record = made->getType()->getAsCXXRecordDecl();
  const bool vector = record && record->isInStdNamespace() && record->getName() == "vector";
  return vector && made->getArg(0)->getType()->isIntegerType() ? made->getArg(0) : nullptr;
}

/// A pair, or a struct of the program: not a name or another text, which no count is made of.
bool is_of_parts(clang::QualType type) {
  const auto* record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition()) return false;
  if (!record->isInStdNamespace()) return record->isAggregate();
  return record->getName() == "pair" || record->getName() == "tuple" ||
         record->getName() == "array";
}

}  // namespace

int unit::codelet_of(const clang::Expr* expression) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(plain(expression));
  const auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return v ? codelet_in(*v) : -1;
}

int unit::codelet_in(const clang::VarDecl& declared) {
  const auto* v = declared.getCanonicalDecl();
  if (const auto it = codelets_.find(v); it != codelets_.end()) return it->second;
  const auto* init = v->getAnyInitializer();
  if (!init) return codelets_[v] = -1;
  codelet made;
  made.at = place(clang::SourceRange(v->getLocation()));
  collect_bodies(*this, init, made);
  for (std::size_t i = 0; i < out_.codelets.size(); ++i) {
    if (out_.codelets[i].at == made.at) return codelets_[v] = static_cast<int>(i);
  }
  out_.codelets.push_back(std::move(made));
  return codelets_[v] = static_cast<int>(out_.codelets.size()) - 1;
}

std::vector<token_use> unit::tokens_of(const clang::CallExpr& call) {
  std::vector<token_use> found;
  for (const clang::Expr* argument : call.arguments()) {
    const operand o = operand_of(argument, nullptr);
    if (o.kind == noun::token) found.push_back({o.access, o.where, o.at});
  }
  return found;
}

/// The owner, the tag and the numbers among options, wherever they stand in the braces.
void unit::options_of(const clang::Expr* argument, std::vector<operand>& into) {
  const auto* list = llvm::dyn_cast<clang::InitListExpr>(plain(argument));
  const auto* record = list ? list->getType()->getAsCXXRecordDecl() : nullptr;
  if (!record) return;
  auto field = record->field_begin();
  for (const clang::Expr* init : list->inits()) {
    if (field == record->field_end()) return;
    const clang::FieldDecl& option = **field++;
    if (!init || llvm::isa<clang::CXXDefaultInitExpr>(init)) continue;
    const clang::Expr* inner = plain(init);
    // `std::optional<deed::tag>` holds what it is made of.
    for (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(inner);
         made && made->getNumArgs() >= 1 && noun_of(made->getType()) == noun::none;
         made = llvm::dyn_cast<clang::CXXConstructExpr>(inner)) {
      inner = plain(made->getArg(0));
    }
    const auto kind = noun_of(inner->getType());
    const bool number = words_of(&option).has(verb::extent);
    if (kind != noun::tag && kind != noun::owner && !number) continue;
    operand o = operand_of(inner, nullptr);
    o.of_options = true;
    o.name = option.getNameAsString();
    into.push_back(std::move(o));
  }
}

operand unit::operand_of(const clang::Expr* argument, const clang::ParmVarDecl* parameter) {
  const clang::Expr* e = plain(argument);
  operand o;
  o.at = place(argument->getSourceRange());
  o.kind = noun_of(e->getType());
  o.moved = is_standard_move(e);
  o.callable = callable_in(*this, e);
  if (const noun role = o.kind == noun::none ? role_of(parameter) : noun::none;
      role != noun::none) {
    o.kind = role;
    take_role(o, argument);
    return o;
  }
  if (parameter) o.by_value = !parameter->getType()->isReferenceType();
  // By value: the argument is the copy or move constructor around what is passed.
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
      made && made->getNumArgs() >= 1 && made->getConstructor()->isCopyOrMoveConstructor()) {
    o.moved = o.moved || is_standard_move(made->getArg(0));
    e = plain(made->getArg(0));
  }
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e); name && o.kind == noun::token) {
    const auto* v = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (const auto it = v ? tokens.find(v) : tokens.end(); it != tokens.end()) {
      operand kept = operand_of(it->second, nullptr);
      kept.at = o.at;
      return kept;
    }
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(e); call && call->getDirectCallee()) {
    const auto* callee = call->getDirectCallee();
    o.words = words_of(callee);
    if (const word* accesses = o.words.find(verb::accesses)) {
      o.access = mode_named(accesses->operand).value_or(mode::none);
      for (const clang::Expr* inner : call->arguments()) {
        if (llvm::isa<clang::CXXDefaultArgExpr>(inner)) continue;
        o.where = path_of(inner);
        o.type = held_type(inner->getType());
        o.value = length_of(inner);
        break;
      }
      return o;
    }
    if (const word* keeps = o.words.find(verb::keeps)) {
      const auto n = static_cast<unsigned>(std::atoi(keeps->operand.c_str()));
      if (n < call->getNumArgs()) {
        const clang::Expr* kept = plain(call->getArg(n));
        o.storage = path_of(kept);
        // A span of a container keeps the container's memory.
        while (!o.storage.known() || llvm::isa<clang::CXXConstructExpr, clang::CallExpr>(kept)) {
          if (const auto* inner = llvm::dyn_cast<clang::CallExpr>(kept)) {
            const clang::Expr* object = object_of(*inner);
            if (!object && inner->getNumArgs() > 0) object = inner->getArg(0);
            if (!object) break;
            o.partial = true;
            kept = plain(object);
          } else if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(kept);
                     made && made->getNumArgs() > 0) {
            o.partial |= made->getNumArgs() > 1;
            kept = plain(made->getArg(0));
          } else {
            break;
          }
          o.storage = path_of(kept);
        }
      }
      return o;
    }
    for (const clang::Expr* inner : call->arguments()) {
      const auto kind = noun_of(inner->getType());
      if (o.words.has(verb::places) && kind == noun::rank) o.value = number_inside(inner);
      if (kind == noun::gate || kind == noun::handle) o.where = path_of(inner);
    }
    if (o.words.has(verb::calls) && call->getNumArgs() > 0) {
      o.callable = callable_in(*this, plain(call->getArg(0)));
    }
    if (o.words.has(verb::copies) && call->getNumArgs() > 0) {
      o.value = value_of(call->getArg(0));
      o.address = address_in(call->getArg(0)->getType());
    }
  } else if (const auto* record = e->getType()->getAsCXXRecordDecl()) {
    o.words = words_of(record);
    if (const clang::Expr* kept = kept_callable(e)) {
      o.callable = callable_in(*this, kept);
      if (const auto* functor = kept->getType()->getAsCXXRecordDecl();
          functor && functor->isInStdNamespace()) {
        o.name = functor->getNameAsString();
      }
    }
  }
  switch (o.kind) {
    case noun::owner:
    case noun::tag:
    case noun::message_tag:
    case noun::peer:
    case noun::rank:
      o.value = number_inside(e);
      break;
    case noun::codelet:
      o.codelet = codelet_of(e);
      if (o.codelet >= 0) o.name = out_.codelets[static_cast<std::size_t>(o.codelet)].name;
      break;
    case noun::handle:
      o.type = held_type(e->getType());
      o.where = path_of(e);
      break;
    default:
      if (!o.where.known()) o.where = is_view(e->getType()) ? reached_by(e) : path_of(e);
      if (const clang::Expr* size = size_of_new_vector(e)) {
        o.value = value_of(size);
        o.name = "size";
        o.of_options = o.resizes = true;
      }
      if (!o.value && (e->getType()->isArithmeticType() || e->getType()->isEnumeralType() ||
                       llvm::isa<clang::StringLiteral>(e)))
        o.value = value_of(e);
      if (!o.value) o.value = extents_in(e);
      if (!o.value && !o.where.known() && e->isPRValue() && is_of_parts(e->getType()))
        o.value = value_of(e);  // `{i, j}`, the key of a map
  }
  if (o.words.has(verb::places, "each")) o.name = "each";
  return o;
}

}  // namespace deed::check
