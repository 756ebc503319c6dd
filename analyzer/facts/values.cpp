// SPDX-License-Identifier: MIT
#include "facts/standard.hpp"
#include "facts/unit.hpp"
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace deed::check {
namespace {

value_ref make(value v) { return std::make_shared<const value>(std::move(v)); }

value_ref of_kind(value::kind what, span at, std::string text = {}) {
  value v;
  v.what = what;
  v.at = at;
  v.text = std::move(text);
  return make(std::move(v));
}

value_ref number(std::int64_t known, span at) {
  value v = *constant(known);
  v.at = at;
  return make(std::move(v));
}

bool is_number(clang::QualType type) {
  type = type.getNonReferenceType();
  return type->isIntegralOrEnumerationType() || type->isFloatingType();
}

/// Whether a value is made of nothing that could differ between ranks.
bool is_equal(const value_ref& v) {
  if (!v) return false;
  if (v->what == value::kind::operation) return std::ranges::all_of(v->arguments, is_equal);
  return v->what == value::kind::constant || v->what == value::kind::uniform;
}

/// The pointer with which a range-based loop goes over an array.
bool is_loop_iterator(const clang::Expr& e) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e.IgnoreParenImpCasts());
  return name && name->getDecl()->isImplicit() &&
         name->getDecl()->getDeclName().getAsString().starts_with("__begin");
}

/// Whether it is an array in a record of its own, whose one member has no name of the user's.
bool in_std_array(const clang::CXXRecordDecl* record) {
  return record && record->isInStdNamespace() && record->getName() == "array";
}

/// A container whose elements stand in the order of the list that it is made of.
bool keeps_order(const clang::CXXRecordDecl& record) {
  return record.isInStdNamespace() && (record.getName() == "vector" || record.getName() == "deque");
}

/// Whether it is a name of what has a value of its own: not of an enumerator.
bool names_variable(const clang::Expr& e) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  return name && !llvm::isa<clang::EnumConstantDecl>(name->getDecl());
}

std::string operator_text(const clang::BinaryOperator& op) { return op.getOpcodeStr().str(); }

/// What a constant is, or a member of one; null of what is no constant.
const clang::APValue* constant_at(const clang::Expr* e) {
  e = e->IgnoreParenImpCasts();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(e)) {
    if (const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl())) {
      const clang::APValue* object = constant_at(member->getBase());
      return object && object->isStruct() ? &object->getStructField(field->getFieldIndex())
                                          : nullptr;
    }
  }
  const clang::ValueDecl* named = nullptr;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) named = name->getDecl();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(e)) named = member->getMemberDecl();
  const auto* v = llvm::dyn_cast_or_null<clang::VarDecl>(named);
  const clang::Expr* init = v ? v->getAnyInitializer() : nullptr;
  if (!init || !v->getType().isConstQualified() || init->isValueDependent()) return nullptr;
  return v->evaluateValue();
}

/// The number in it, where it is an object with one: a `constexpr deed::message_tag`.
std::optional<std::int64_t> number_in(const clang::APValue* v) {
  while (v && v->isStruct() && v->getStructNumFields() == 1 && v->getStructNumBases() == 0)
    v = &v->getStructField(0);
  if (!v || !v->isInt() || !v->getInt().isRepresentableByInt64()) return std::nullopt;
  return v->getInt().getExtValue();
}

}  // namespace

/// Whether all ranks have the same in every part of an object that is made without arguments: no
/// code of the program fills it.
bool unit::starts_equal(const clang::CXXRecordDecl& record) {
  if (in_standard_library(record)) return true;
  if (!record.hasDefinition() || record.hasUserProvidedDefaultConstructor()) return false;
  const auto equal = [this](clang::QualType type) {
    const auto* part = ast_.getBaseElementType(type)->getAsCXXRecordDecl();
    return !part || starts_equal(*part);
  };
  for (const auto& base : record.bases()) {
    if (!equal(base.getType())) return false;
  }
  for (const auto* field : record.fields()) {
    const clang::Expr* init = field->getInClassInitializer();
    if (init ? !is_equal(value_of(init)) : !equal(field->getType())) return false;
  }
  return true;
}

/// The number in `deed::owner{n}`, `deed::to{n}` and their like: the first argument.
value_ref unit::number_inside(const clang::Expr* expression) {
  const clang::Expr* e = plain(expression);
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    if (made->getNumArgs() == 0) return of_kind(value::kind::unknown, place(e->getSourceRange()));
    const auto* only = made->getArg(0);
    if (made->getConstructor()->isCopyOrMoveConstructor()) return number_inside(only);
    return value_of(only);
  }
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(e)) {
    if (list->getNumInits() > 0) return number_inside(list->getInit(0));
  }
  if (const auto known = number_in(constant_at(e)))
    return number(*known, place(e->getSourceRange()));
  return value_of(e);
}

/// What stands in braces: an object by its members, `.n` of 5 and the like, else by its elements.
value_ref unit::braced_value(const clang::InitListExpr& list) {
  constexpr unsigned longest = 64;  // A table of numbers is no size of anything.
  const auto* record = list.getType()->getAsCXXRecordDecl();
  if (list.getType()->isScalarType() && list.getNumInits() == 1) return value_of(list.getInit(0));
  const bool parts = !record || (!record->isUnion() && record->getNumBases() == 0);
  if (list.getNumInits() > longest || !parts) return of_kind(value::kind::unknown, {});
  if (in_std_array(record) && list.getNumInits() == 1) return value_of(list.getInit(0));
  value v;
  v.what = value::kind::operation;
  v.text = record ? "members" : "list";
  v.at = place(list.getSourceRange());
  if (!record) {
    const auto* array = ast_.getAsConstantArrayType(list.getType());
    if (array && array->getSize() != list.getNumInits()) return of_kind(value::kind::uniform, v.at);
    for (const clang::Expr* one : list.inits()) v.arguments.push_back(value_of(one));
    return make(std::move(v));
  }
  auto field = record->field_begin();
  for (const clang::Expr* one : list.inits()) {
    while (field != record->field_end() && field->isUnnamedBitField()) ++field;
    if (field == record->field_end()) break;
    value member;
    member.what = value::kind::operation;
    member.text = "." + (field++)->getNameAsString();
    member.arguments = {value_of(one)};
    v.arguments.push_back(make(std::move(member)));
  }
  return make(std::move(v));
}

value_ref unit::guard_value(const clang::CallExpr& call, const model& words) {
  value v;
  v.what = value::kind::guard;
  v.text = words.find(verb::guards)->operand;
  v.at = place(call.getSourceRange());
  if (v.text == "owner") {
    for (const clang::Expr* argument : call.arguments()) {
      if (noun_of(argument->getType()) != noun::handle) continue;
      v.tokens.push_back({mode::none, path_of(argument), place(argument->getSourceRange())});
    }
  } else {
    v.tokens = tokens_of(call);
    for (const clang::Expr* argument : call.arguments()) {
      const operand o = operand_of(argument, nullptr);
      if (!o.words.has(verb::places) || o.name == "each") continue;
      value of_datum;
      of_datum.what = value::kind::owner_of;
      of_datum.where = o.where;
      v.arguments.push_back(o.value ? o.value : make(std::move(of_datum)));
    }
  }
  return make(std::move(v));
}

value_ref unit::call_value(const clang::CallExpr& call) {
  const span at = place(call.getSourceRange());
  const auto* callee = call.getDirectCallee();
  if (!callee) return of_kind(value::kind::unknown, at);
  const model& words = words_of(callee);
  const clang::Expr* object = object_of(call);
  if (words.has(verb::rank_source))
    return of_kind(value::kind::rank, at, callee->getNameAsString());
  if (words.has(verb::guards)) return guard_value(call, words);
  if (words.has(verb::owner_of)) {
    value v;
    v.what = value::kind::owner_of;
    const auto& which = words.find(verb::owner_of)->operand;
    const bool of_object = which == "this" || which.empty();
    const unsigned n = of_object ? 0 : static_cast<unsigned>(std::atoi(which.c_str()));
    v.where = path_of(of_object ? object : n < call.getNumArgs() ? call.getArg(n) : nullptr);
    v.at = at;
    return make(std::move(v));
  }
  if (const word* extent = words.find(verb::extent); extent && object) {
    value v;
    v.what = value::kind::call;
    v.text = "extent " + extent->operand;
    v.where = path_of(object);
    v.at = at;
    return make(std::move(v));
  }
  if (const word* index = words.find(verb::index); index && object) {
    value v;  // A part: its length does not depend on which.
    v.what = value::kind::call;
    v.text = "index " + index->operand;
    v.where = path_of(object);
    for (const clang::Expr* argument : call.arguments()) {
      if (!llvm::isa<clang::CXXDefaultArgExpr>(argument)) v.arguments.push_back(value_of(argument));
    }
    v.at = at;
    return make(std::move(v));
  }
  if (words.has(verb::uniform)) {
    const bool of_session = object && noun_of(object->getType()) == noun::session;
    const bool number =
        callee->getReturnType()->isIntegerType() && !callee->getReturnType()->isBooleanType();
    if ((of_session && number && words.has(verb::pure)) || words.has(verb::uniform, "size"))
      return of_kind(value::kind::ranks, at);
    return of_kind(value::kind::uniform, at, callee->getNameAsString());
  }
  if (words.has(verb::rank_local) || standard_effect_of(*callee).rank_local) {
    return of_kind(value::kind::rank_local, at, callee->getQualifiedNameAsString());
  }
  if (words.empty() && takes_ranks(*callee)) return of_kind(value::kind::unknown, at);
  const auto op = callee->getOverloadedOperator();
  if (object && (op == clang::OO_Star || op == clang::OO_Arrow)) {
    const path view = path_of(object);
    if (noun_of(object->getType()) == noun::borrow && view.known()) {
      value v;
      v.what = value::kind::content;
      v.where = view;
      v.at = at;
      if (const auto it = results.find(plain(object)); it != results.end()) v.where = it->second;
      return make(std::move(v));
    }
  }
  // A comparison of owners or ranks is one of their numbers.
  if (llvm::isa<clang::CXXOperatorCallExpr>(call) && call.getNumArgs() == 2 &&
      (op == clang::OO_EqualEqual || op == clang::OO_ExclaimEqual)) {
    const auto kind = noun_of(call.getArg(0)->getType());
    if (kind == noun::owner || kind == noun::rank) {
      value v;
      v.what = value::kind::operation;
      v.text = op == clang::OO_EqualEqual ? "==" : "!=";
      v.arguments = {number_inside(call.getArg(0)), number_inside(call.getArg(1))};
      v.at = at;
      return make(std::move(v));
    }
  }
  // `!file`, `file.good()`, `(bool)file`: what is read from a file is known to this rank only.
  if (object && is_rank_local_type(object->getType())) {
    return of_kind(value::kind::rank_local, at,
                   object->getType().getUnqualifiedType().getAsString(ast_.getPrintingPolicy()));
  }
  for (const clang::Expr* argument : call.arguments()) {
    if (is_rank_local_type(argument->getType()))
      return of_kind(value::kind::rank_local, at, "file");
  }
  value v;
  v.at = at;
  v.what = value::kind::call;
  v.text = usr(*callee);
  const unsigned first = object && llvm::isa<clang::CXXOperatorCallExpr>(call) ? 1 : 0;
  if (object) v.where = path_of(object);
  for (unsigned i = first; i < call.getNumArgs(); ++i)
    v.arguments.push_back(value_of(call.getArg(i)));
  if (in_standard_library(*callee) || words.has(verb::pure)) {
    // A size, a maximum, an end of a container: as uniform as what goes in.
    v.what = value::kind::operation;
    v.text = "std " + callee->getNameAsString();
    if (object) v.arguments.insert(v.arguments.begin(), value_of(object));
  }
  return make(std::move(v));
}

value_ref unit::variable_value(const clang::Expr* e) {
  const span at = place(e->getSourceRange());
  const path where = path_of(e);
  if (!where.known()) return of_kind(value::kind::unknown, at);
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) {
    const auto* v = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    clang::Expr::EvalResult known;
    if (v && v->getType().isConstQualified() && v->hasInit() && is_number(v->getType()) &&
        !v->getInit()->isValueDependent() && v->getInit()->EvaluateAsInt(known, ast_) &&
        known.Val.getInt().isRepresentableByInt64()) {
      return number(known.Val.getInt().getExtValue(), at);
    }
  }
  if (is_rank_local_type(e->getType())) return of_kind(value::kind::rank_local, at, "file");
  const bool lent = out_.var(where.root).kind == noun::borrow && !where.parts.empty();
  value v;
  v.what = lent ? value::kind::content : value::kind::variable;
  v.where = lent ? path{where.root, {}} : where;
  if (lent) v.text = lent_member(where);
  v.at = at;
  return make(std::move(v));
}

value_ref unit::value_of(const clang::Expr* expression) {
  const clang::Expr* e = plain(expression);
  const span at = place(e->getSourceRange());
  clang::Expr::EvalResult known;
  if (!e->isValueDependent() && e->getType()->isIntegralOrEnumerationType() &&
      !names_variable(*e) && e->EvaluateAsInt(known, ast_) &&
      known.Val.getInt().isRepresentableByInt64()) {
    return number(known.Val.getInt().getExtValue(), at);
  }
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(e)) {
    if (op->isAssignmentOp() || op->isCommaOp())
      return value_of(op->isCommaOp() ? op->getRHS() : op->getLHS());
    value v;
    v.what = value::kind::operation;
    v.text = operator_text(*op);
    v.arguments = {value_of(op->getLHS()), value_of(op->getRHS())};
    v.at = at;
    return make(std::move(v));
  }
  if (const auto* rewritten = llvm::dyn_cast<clang::CXXRewrittenBinaryOperator>(e)) {
    return value_of(rewritten->getSemanticForm());
  }
  if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(e)) {
    if (op->isPrefix() || op->getOpcode() == clang::UO_Plus) return value_of(op->getSubExpr());
    if (op->isPostfix()) {
      // The step itself came before: its own event has changed the variable.
      value v;
      v.what = value::kind::operation;
      v.text = op->isIncrementOp() ? "-" : "+";
      v.arguments = {value_of(op->getSubExpr()), constant(1)};
      v.at = at;
      return make(std::move(v));
    }
    if (op->getOpcode() == clang::UO_Deref && is_loop_iterator(*op->getSubExpr())) {
      value v;
      v.what = value::kind::operation;
      v.text = "std operator*";
      v.arguments = {value_of(op->getSubExpr())};
      v.at = at;
      return make(std::move(v));
    }
    if (op->getOpcode() == clang::UO_LNot || op->getOpcode() == clang::UO_Minus) {
      value v;
      v.what = value::kind::operation;
      v.text = op->getOpcode() == clang::UO_LNot ? "!" : "neg";
      v.arguments = {value_of(op->getSubExpr())};
      v.at = at;
      return make(std::move(v));
    }
  }
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(e)) {
    value v;
    v.what = value::kind::operation;
    v.text = "?";
    v.arguments = {value_of(choice->getCond()), value_of(choice->getTrueExpr()),
                   value_of(choice->getFalseExpr())};
    v.at = at;
    return make(std::move(v));
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(e)) return call_value(*call);
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(e)) {
    // `h.owner().value`, `rank.value`: the number of an identity.
    const auto kind = noun_of(member->getBase()->getType());
    if (kind == noun::owner || kind == noun::rank) return number_inside(member->getBase());
  }
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    const auto kind = noun_of(made->getType());
    if (kind != noun::none) return number_inside(e);
    if (is_rank_local_type(made->getType())) {
      return of_kind(value::kind::rank_local, at, "file");
    }
    if (made->isStdInitListInitialization() && keeps_order(*made->getConstructor()->getParent()))
      return value_of(made->getArg(0));
    if (made->getNumArgs() >= 1) {
      value v;
      v.what = value::kind::operation;
      v.text = made->getConstructor()->isCopyOrMoveConstructor() ? "copy" : "make";
      for (const clang::Expr* argument : made->arguments())
        v.arguments.push_back(value_of(argument));
      v.at = at;
      return make(std::move(v));
    }
    if (starts_equal(*made->getConstructor()->getParent()))
      return of_kind(value::kind::uniform, at);
    value v;
    v.what = value::kind::operation;
    v.text = "make";
    v.at = at;
    return make(std::move(v));
  }
  if (llvm::isa<clang::DeclRefExpr, clang::MemberExpr, clang::ArraySubscriptExpr>(e)) {
    return variable_value(e);
  }
  if (const auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(e))
    return value_of(list->getSubExpr());
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(e)) return braced_value(*list);
  if (llvm::isa<clang::StringLiteral, clang::FloatingLiteral, clang::IntegerLiteral,
                clang::ImplicitValueInitExpr, clang::CXXNullPtrLiteralExpr>(e)) {
    return of_kind(value::kind::uniform, at);
  }
  return of_kind(value::kind::unknown, at);
}

}  // namespace deed::check
