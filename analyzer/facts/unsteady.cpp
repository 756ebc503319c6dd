// SPDX-License-Identifier: MIT
#include "facts/unsteady.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace deed::check {
namespace {

/// The lambdas of a body, and whether each is only called where it is seen.
class lambda_finder : public clang::RecursiveASTVisitor<lambda_finder> {
 public:
  explicit lambda_finder(unit& facts) : facts_(facts) {}

  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    all_.push_back(lambda);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* v) {
    if (!v->hasInit() || v->getType()->isDependentType()) return true;
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(facts_.plain(v->getInit())))
      held_by_[lambda] = v;
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    ++uses_[name->getDecl()];
    return true;
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) {
    if (call->getOperator() != clang::OO_Call || call->getNumArgs() == 0) return true;
    const clang::Expr* called = facts_.plain(call->getArg(0));
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(called)) ++calls_[name->getDecl()];
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(called)) at_once_.insert(lambda);
    return true;
  }

  /// Those whose calls are not all seen.
  [[nodiscard]] std::vector<const clang::LambdaExpr*> escaping() const {
    std::vector<const clang::LambdaExpr*> found;
    for (const auto* lambda : all_) {
      const auto holder = held_by_.find(lambda);
      const bool only_called =
          holder != held_by_.end() && count(uses_, holder->second) == count(calls_, holder->second);
      const bool hands_out = lambda->getCallOperator()->getReturnType()->isLValueReferenceType();
      if (lambda->isGenericLambda() || hands_out || !(only_called || at_once_.contains(lambda)))
        found.push_back(lambda);
    }
    return found;
  }

 private:
  using counts = std::map<const clang::ValueDecl*, int>;
  static int count(const counts& of, const clang::ValueDecl* what) {
    const auto it = of.find(what);
    return it == of.end() ? 0 : it->second;
  }

  unit& facts_;
  std::vector<const clang::LambdaExpr*> all_;
  std::map<const clang::LambdaExpr*, const clang::VarDecl*> held_by_;
  std::set<const clang::LambdaExpr*> at_once_;
  counts uses_, calls_;
};

/// The variable that an object is, or is a part of, with no pointer between.
const clang::DeclRefExpr* root_of(const clang::Expr* of) {
  for (;;) {
    of = of->IgnoreParenImpCasts();
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(of);
    const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(of);
    if (member && !member->isArrow())
      of = member->getBase();
    else if (element && element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      of = element->getBase();
    else
      return llvm::dyn_cast<clang::DeclRefExpr>(of);
  }
}

/// Variables whose address goes elsewhere than into a call, which may write once, when it is made.
class address_finder : public clang::RecursiveASTVisitor<address_finder> {
 public:
  explicit address_finder(unit& facts) : facts_(facts) {}

  bool VisitCallExpr(clang::CallExpr* call) {
    for (const clang::Expr* argument : call->arguments()) given_.insert(facts_.plain(argument));
    if (is_wrapper(call->getType()) && call->getNumArgs() == 1) note(call->getArg(0));
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
    if (is_wrapper(made->getType()) && made->getNumArgs() > 0) note(made->getArg(0));
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* op) {
    const auto type = op->getSubExpr()->getType();
    const bool number = type->isArithmeticType() || type->isEnumeralType();
    if (op->getOpcode() == clang::UO_AddrOf && number && !type.isConstQualified())
      taken_.push_back(op);
    return true;
  }
  [[nodiscard]] std::vector<const clang::VarDecl*> kept() const {
    std::vector<const clang::VarDecl*> found = wrapped_;
    for (const auto* op : taken_) {
      const auto* v = given_.contains(op) ? nullptr : variable_in(op->getSubExpr());
      if (v) found.push_back(v);
    }
    return found;
  }

 private:
  static const clang::VarDecl* variable_in(const clang::Expr* of) {
    const auto* name = root_of(of);
    return name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  }
  /// `std::ref(n)`.
  static bool is_wrapper(clang::QualType type) {
    const auto* record = type->getAsCXXRecordDecl();
    return record && record->isInStdNamespace() && record->getName() == "reference_wrapper";
  }
  void note(const clang::Expr* of) {
    if (const auto* v = variable_in(of)) wrapped_.push_back(v);
  }

  unit& facts_;
  std::vector<const clang::VarDecl*> wrapped_;
  std::set<const clang::Expr*> given_;
  std::vector<const clang::UnaryOperator*> taken_;
};

/// The variables that a body names other than to read them.
class write_finder : public clang::RecursiveASTVisitor<write_finder> {
 public:
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
    const bool reads =
        cast->getCastKind() == clang::CK_LValueToRValue ||
        (cast->getCastKind() == clang::CK_NoOp && cast->getType().isConstQualified());
    if (const auto* name = reads ? root_of(cast->getSubExpr()) : nullptr) read_.insert(name);
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    names_.push_back(name);
    return true;
  }
  [[nodiscard]] bool may_write(const clang::ValueDecl* what) const {
    return std::ranges::any_of(names_, [&](const clang::DeclRefExpr* name) {
      return name->getDecl() == what && !read_.contains(name);
    });
  }

 private:
  std::vector<const clang::DeclRefExpr*> names_;
  std::set<const clang::DeclRefExpr*> read_;
};

}  // namespace

void note_unsteady(unit& facts, const clang::FunctionDecl& body) {
  const auto mark = [&](const clang::VarDecl& v) {
    facts.out().variables[facts.variable_of(v)].unsteady = true;
  };
  address_finder addresses(facts);
  addresses.TraverseStmt(body.getBody());
  for (const auto* v : addresses.kept()) mark(*v);
  lambda_finder lambdas(facts);
  lambdas.TraverseStmt(body.getBody());
  for (const auto* lambda : lambdas.escaping()) {
    write_finder writes;
    writes.TraverseStmt(lambda->getBody());
    for (const auto& capture : lambda->captures()) {
      if (!capture.capturesVariable() || capture.getCaptureKind() != clang::LCK_ByRef) continue;
      const auto* captured = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
      if (captured && writes.may_write(captured)) mark(*captured);
    }
  }
}

}  // namespace deed::check
