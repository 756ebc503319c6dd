// SPDX-License-Identifier: MIT
#include "facts/standard.hpp"
#include "facts/unit.hpp"
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/StringSet.h>

namespace deed::check {
namespace {

constexpr int deepest = 6;

/// A class that says itself how it travels.
bool serialises(const clang::CXXRecordDecl& record) {
  for (const auto* d : record.decls()) {
    const auto* made = llvm::dyn_cast<clang::FunctionTemplateDecl>(d);
    if (made && made->getDeclName().isIdentifier() &&
        (made->getName() == "serialize" || made->getName() == "save")) {
      return true;
    }
  }
  return false;
}

/// The field that holds an address, and where it stands. `named`: the user's own field on the way.
struct address_search {
  clang::ASTContext& ast;
  const clang::FieldDecl* named = nullptr;

  bool in(clang::QualType type, int depth) {
    type = type.getCanonicalType();
    if (type->isPointerType() || type->isReferenceType() || type->isMemberPointerType())
      return true;
    if (const auto* elements = ast.getAsArrayType(type)) {
      return in(elements->getElementType(), depth);
    }
    const auto* record = type->getAsCXXRecordDecl();
    if (!record || !record->hasDefinition() || depth > deepest) return false;
    return record->isInStdNamespace() ? in_standard(*record, depth) : in_fields(*record, depth);
  }

  bool in_standard(const clang::CXXRecordDecl& record, int depth) {
    static const llvm::StringSet<> views{"span",      "basic_string_view", "reference_wrapper",
                                         "function",  "shared_ptr",        "weak_ptr",
                                         "unique_ptr"};
    if (record.getIdentifier() && views.contains(record.getName())) return true;
    const auto* made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
    if (!made) return false;
    for (const auto& argument : made->getTemplateArgs().asArray()) {
      if (argument.getKind() == clang::TemplateArgument::Pack) {
        for (const auto& one : argument.pack_elements()) {
          if (one.getKind() == clang::TemplateArgument::Type && in(one.getAsType(), depth + 1)) {
            return true;
          }
        }
      }
      if (argument.getKind() == clang::TemplateArgument::Type &&
          in(argument.getAsType(), depth + 1)) {
        return true;
      }
    }
    return false;
  }

  bool in_fields(const clang::CXXRecordDecl& record, int depth) {
    if (serialises(*record.getDefinition())) return false;
    for (const auto& base : record.getDefinition()->bases()) {
      if (in(base.getType(), depth + 1)) return true;
    }
    for (const auto* field : record.getDefinition()->fields()) {
      if (!in(field->getType(), depth + 1)) continue;
      named = field;
      return true;
    }
    return false;
  }
};

/// `ar & x & y`, `ar << x`: the members in their order.
class member_order {
 public:
  member_order(unit& facts, archived::members& into) : facts_(facts), into_(into) {}

  void look(const clang::Stmt* s) {
    if (!s) return;
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(s)) {
      look(op->getLHS());
      return member(op->getRHS());
    }
    if (const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(s);
        op && op->getNumArgs() == 2) {
      look(op->getArg(0));
      return member(op->getArg(1));
    }
    for (const clang::Stmt* child : s->children()) look(child);
  }

 private:
  void member(const clang::Expr* e) {
    const auto* named = llvm::dyn_cast<clang::MemberExpr>(facts_.plain(e));
    if (!named || !llvm::isa<clang::CXXThisExpr>(facts_.plain(named->getBase()))) return look(e);
    into_.emplace_back(named->getMemberDecl()->getNameAsString(),
                       facts_.place(e->getSourceRange()));
  }

  unit& facts_;
  archived::members& into_;
};

}  // namespace

std::string unit::address_in(clang::QualType type, span* where) {
  address_search search{ast_};
  if (type.isNull() || !search.in(type, 0)) return {};
  if (!search.named) return type.getAsString(ast_.getPrintingPolicy());
  if (where) *where = place(clang::SourceRange(search.named->getLocation()));
  return search.named->getNameAsString();
}

held_layout unit::layout_of(clang::QualType handle) {
  held_layout result;
  const auto* record = handle.getNonReferenceType()->getAsCXXRecordDecl();
  const auto* made = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (!made || made->getTemplateArgs().size() == 0) return result;
  const auto& first = made->getTemplateArgs()[0];
  if (first.getKind() != clang::TemplateArgument::Type) return result;
  const clang::QualType held = first.getAsType();
  const auto* type = held->getAsCXXRecordDecl();
  if (!type || !type->hasDefinition() || type->isInStdNamespace() || held->isDependentType()) {
    return result;
  }
  // What deed itself made carries words, or stands in a system header; the rest is the user's.
  if (in_standard_library(*type) || noun_of(held) != noun::none) return result;
  result.address = address_in(held, &result.address_at);
  if (!held.isTriviallyCopyableType(ast_)) return result;
  result.bytes = ast_.getTypeSizeInChars(held).getQuantity();
  std::int64_t used = 0;
  if (type->getDefinition()->field_empty()) return result;
  for (const auto* field : type->getDefinition()->fields()) {
    if (field->isBitField()) return result;
    used += ast_.getTypeSizeInChars(field->getType()).getQuantity();
  }
  if (type->getDefinition()->getNumBases() == 0 && !type->isUnion()) {
    result.padding = std::max<std::int64_t>(0, result.bytes - used);
  }
  return result;
}

void unit::note_archives(const clang::CXXRecordDecl& record) {
  archived found;
  if (in_standard_library(record)) return;
  for (const auto* d : record.decls()) {
    const auto* made = llvm::dyn_cast<clang::FunctionTemplateDecl>(d);
    if (!made || !made->getDeclName().isIdentifier()) continue;
    const clang::Stmt* body = made->getTemplatedDecl()->getBody();
    if (made->getName() == "save") member_order(*this, found.saved).look(body);
    if (made->getName() == "load") member_order(*this, found.loaded).look(body);
  }
  if (found.saved.empty() || found.loaded.empty()) return;
  found.name = record.getNameAsString();
  out_.archives.push_back(std::move(found));
}

}  // namespace deed::check
