// SPDX-License-Identifier: MIT
#include "facts/prepare.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

namespace deed::check {
namespace {

class preparer : public clang::RecursiveASTVisitor<preparer> {
 public:
  preparer(unit& facts, preparation& out) : facts_(facts), out_(out) {}

  bool shouldVisitImplicitCode() const { return true; }  // The range of a range-based loop.
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
    for (clang::Expr* init : lambda->capture_inits()) {
      if (init) TraverseStmt(init);
    }
    return true;
  }

  bool VisitVarDecl(clang::VarDecl* v) {
    if (llvm::isa<clang::ParmVarDecl>(v) || !v->hasInit()) return true;
    const clang::Expr* init = facts_.plain(v->getInit());
    if (const auto* pieces = llvm::dyn_cast<clang::DecompositionDecl>(v)) {
      bind(*pieces, init);
      return true;
    }
    if (v->getType()->isReferenceType()) {
      pending_.push_back({v, init});
      return true;
    }
    if (facts_.noun_of(v->getType()) == noun::token) facts_.tokens[v] = init;
    if (makes_object(init)) facts_.results[init] = {facts_.variable_of(*v), {}};
    if (const auto* fields = llvm::dyn_cast<clang::InitListExpr>(init)) members(*v, *fields);
    return true;
  }
  /// A loop over the numbers of a parameter: what it does to one, it does to the parameter.
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt* loop) {
    const auto* each = loop->getLoopVariable();
    if (!each || !each->getType().getNonReferenceType()->isArithmeticType()) return true;
    path element = facts_.path_of(loop->getRangeInit());
    if (!element.known() || !facts_.out().var(element.root).parameter) return true;
    element.parts.push_back({part::kind::element, "*", {}});
    const auto iterator = [](const clang::DeclStmt* of) {
      return of && of->isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(of->getSingleDecl())
                                      : nullptr;
    };
    const auto* const begin = iterator(loop->getBeginStmt());
    const auto* const end = iterator(loop->getEndStmt());
    if (!begin || !end || !begin->getInit() || !end->getInit()) return true;
    facts_.walks[begin] = std::move(element);
    facts_.walk_bounds.insert(facts_.plain(begin->getInit()));
    facts_.walk_bounds.insert(facts_.plain(end->getInit()));
    return true;
  }
  bool VisitReturnStmt(clang::ReturnStmt* leave) {
    if (!leave->getRetValue()) return true;
    const clang::Expr* given = facts_.plain(leave->getRetValue());
    if (makes_object(given)) facts_.results[given] = {facts_.result_of_function(), {}};
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    note_object(call);
    const auto* callee = call->getDirectCallee();
    if (callee && facts_.words_of(callee).has(verb::keeps)) keeping_.push_back(call);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
    if (!made->getConstructor()->isCopyOrMoveConstructor()) note_object(made);
    return true;
  }

  /// References, once it is known where the calls that they are bound to leave their results.
  void finish() {
    for (const auto& [name, init] : pending_) {
      if (const path target = facts_.path_of(init); target.known()) facts_.alias(*name, target);
    }
    for (const auto* call : keeping_) {
      const path kept = facts_.operand_of(call, nullptr).storage;
      if (kept.known()) out_.storage.insert(kept.root);
    }
  }

 private:
  /// `stage one{session};`: what each member is made of, also where its own initialiser says it.
  void members(const clang::VarDecl& v, const clang::InitListExpr& list) {
    const auto* record = v.getType()->getAsCXXRecordDecl();
    if (!record || record->isInStdNamespace() || facts_.noun_of(v.getType()) != noun::none) return;
    facts_.initialises(*record, {facts_.variable_of(v), {}});
    auto field = record->field_begin();
    for (const clang::Expr* init : list.inits()) {
      if (field == record->field_end()) return;
      path member{facts_.variable_of(v), {}};
      member.parts.push_back({part::kind::field, (field++)->getNameAsString(), {}});
      if (init && makes_object(facts_.plain(init))) facts_.results[facts_.plain(init)] = member;
    }
  }
  static bool makes_object(const clang::Expr* e) {
    if (!e->isPRValue() || !e->getType()->isRecordType()) return false;
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
      return !made->getConstructor()->isCopyOrMoveConstructor();
    }
    return llvm::isa<clang::CallExpr>(e);
  }
  void note_object(const clang::Expr* e) {
    if (!makes_object(e) || facts_.results.contains(e)) return;
    switch (const noun kind = facts_.noun_of(e->getType())) {
      case noun::handle:
      case noun::borrow:
      case noun::request:
      case noun::gate:
        facts_.results[e] = facts_.temporary(kind, facts_.place(e->getSourceRange()));
        break;
      default:
        break;
    }
  }
  void bind(const clang::DecompositionDecl& pieces, const clang::Expr* init) {
    path whole = facts_.path_of(init);
    for (const auto* piece : pieces.bindings()) {
      const bool reference = pieces.getType()->isReferenceType();
      if (!reference || !whole.known()) continue;
      path one = whole;
      one.parts.push_back({part::kind::element, piece->getNameAsString(), {}});
      facts_.alias(*piece, one);
    }
  }

  unit& facts_;
  preparation& out_;
  std::vector<std::pair<const clang::VarDecl*, const clang::Expr*>> pending_;
  std::vector<const clang::CallExpr*> keeping_;
};

}  // namespace

preparation prepare(unit& facts, const clang::FunctionDecl& body) {
  preparation out;
  preparer visitor(facts, out);
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructorDecl>(&body)) {
    for (const auto* init : made->inits()) {
      if (!init->isAnyMemberInitializer() || !init->getInit()) continue;
      path field{facts.self(*made->getParent()), {}};
      field.parts.push_back({part::kind::field, init->getAnyMember()->getNameAsString(), {}});
      facts.results[facts.plain(init->getInit())] = field;
      visitor.TraverseStmt(init->getInit());
    }
  }
  visitor.TraverseStmt(body.getBody());
  visitor.finish();
  return out;
}

}  // namespace deed::check
