// SPDX-License-Identifier: MIT
#include "facts/prepare.hpp"

#include "facts/standard.hpp"
#include "facts/unsteady.hpp"
#include <clang/AST/DeclTemplate.h>
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
      if (makes_object(init)) facts_.results[init] = {facts_.variable_of(*v), {}};
      return true;
    }
    if (v->getType()->isReferenceType()) {
      pending_.push_back({v, init});
      return true;
    }
    if (is_of_numbers(v->getType()) || pointed_into(init)) pointers_.push_back({v, init});
    if (facts_.noun_of(v->getType()) == noun::token) facts_.tokens[v] = init;
    if (makes_object(init)) facts_.results[init] = {facts_.variable_of(*v), {}};
    if (const auto* fields = llvm::dyn_cast<clang::InitListExpr>(init))
      members({facts_.variable_of(*v), {}}, *fields);
    return true;
  }
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt* loop) {
    const auto* each = loop->getLoopVariable();
    if (const auto* const begin = iterator(loop->getBeginStmt()); begin && each)
      facts_.out().variables[facts_.variable_of(*begin)].each = each->getNameAsString();
    note_name(kept_, loop->getRangeInit());
    if (each && each->getType().getNonReferenceType()->isArithmeticType()) loops_.push_back(loop);
    return true;
  }
  /// What only reads a pointer leaves it where it is.
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
    const bool read = cast->getCastKind() == clang::CK_LValueToRValue ||
                      (cast->getCastKind() == clang::CK_NoOp && cast->getType().isConstQualified());
    if (read) note_name(kept_, cast->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* op) {
    if (op->isCompoundAssignmentOp()) note_step(op->getLHS());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* op) {
    if (op->isIncrementDecrementOp()) note_step(op->getSubExpr());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    names_.push_back(name);
    return true;
  }
  bool VisitReturnStmt(clang::ReturnStmt* leave) {
    if (!leave->getRetValue()) return true;
    const clang::Expr* given = facts_.plain(leave->getRetValue());
    if (makes_object(given)) facts_.results[given] = {facts_.result_of_function(), {}};
    if (const auto* fields = llvm::dyn_cast<clang::InitListExpr>(given))
      members({facts_.result_of_function(), {}}, *fields);
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    note_object(call);
    if (const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call); op && steps(*op))
      note_step(op->getArg(0));
    const auto* callee = call->getDirectCallee();
    if (callee && facts_.words_of(callee).has(verb::keeps)) keeping_.push_back(call);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
    if (!made->getConstructor()->isCopyOrMoveConstructor()) note_object(made);
    return true;
  }

  /// References, once it is known where the calls that they are bound to leave their results, and
  /// once more where they are of what a loop walks over.
  void finish() {
    name(pending_);
    for (const auto* call : keeping_) {
      const path kept = facts_.operand_of(call, nullptr).storage;
      if (kept.known()) out_.storage.insert(kept.root);
    }
    for (const auto* name : names_) {
      if (!kept_.contains(name) && !name->getType().isConstQualified())
        changed_.insert(name->getDecl());
    }
    for (const auto& [pointer, init] : pointers_) follow(*pointer, init);
    for (const auto* loop : loops_) walk(*loop);
    if (!facts_.walks.empty()) name(pending_);
  }

 private:
  using named = std::vector<std::pair<const clang::VarDecl*, const clang::Expr*>>;

  void name(const named& all) {
    for (const auto& [v, init] : all) {
      if (const path target = facts_.path_of(init); target.known()) facts_.alias(*v, target);
    }
  }
  /// Whether reads and writes of its elements are followed: registered memory, what is lent, and
  /// what a parameter refers to.
  bool is_followed(const path& p) const {
    if (!p.known()) return false;
    const variable& v = facts_.out().var(p.root);
    return out_.storage.contains(p.root) || v.parameter || v.kind == noun::borrow;
  }
  /// A pointer to numbers; a container or a view of them.
  static bool is_of_numbers(clang::QualType type) {
    type = type.getNonReferenceType();
    if (type->isPointerType()) return type->getPointeeType()->isArithmeticType();
    const auto* made =
        llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
    if (!made || !made->isInStdNamespace() || made->getTemplateArgs().size() == 0) return false;
    const auto& held = made->getTemplateArgs()[0];
    return held.getKind() == clang::TemplateArgument::Type && held.getAsType()->isArithmeticType();
  }
  /// `x` of `x.begin()`; null of what is no such call.
  static const clang::Expr* pointed_into(const clang::Expr* init) {
    const auto* call = llvm::dyn_cast<clang::CallExpr>(init);
    const auto* callee = call ? call->getDirectCallee() : nullptr;
    const clang::Expr* const object =
        callee && points_into_its_object(*callee) ? object_of(*call) : nullptr;
    return object && is_of_numbers(object->getType()) ? object : nullptr;
  }
  using names = std::set<const clang::DeclRefExpr*>;
  static const clang::DeclRefExpr* note_name(names& into, const clang::Expr* of) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(of->IgnoreParens());
    if (name) into.insert(name);
    return name;
  }
  void note_step(const clang::Expr* of) {
    if (const auto* name = note_name(kept_, of)) stepped_.insert(name->getDecl());
  }
  static bool steps(const clang::CXXOperatorCallExpr& op) {
    switch (op.getOperator()) {
      case clang::OO_PlusPlus:
      case clang::OO_MinusMinus:
      case clang::OO_PlusEqual:
      case clang::OO_MinusEqual:
        return op.getNumArgs() > 0;
      default:
        return false;
    }
  }
  /// A pointer into what is followed is another name of it; one that steps on, and an iterator, is
  /// at one of its elements.
  void follow(const clang::VarDecl& pointer, const clang::Expr* init) {
    const clang::Expr* const into = pointed_into(init);
    const bool span = is_standard_span(pointer.getType());
    path target = facts_.reached_by(span ? init : into ? into : made_of(init));
    if (!is_followed(target) || changed_.contains(&pointer)) return;
    if (is_view(pointer.getType()) && !stepped_.contains(&pointer))
      return facts_.alias(pointer, target);
    target.parts.push_back({part::kind::element, "*", {}});
    facts_.walks[&pointer] = std::move(target);
  }
  static const clang::VarDecl* iterator(const clang::DeclStmt* of) {
    return of && of->isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(of->getSingleDecl()) : nullptr;
  }
  /// What a loop does to one number, it does to the parameter or the memory that it walks over.
  void walk(const clang::CXXForRangeStmt& loop) {
    path element = facts_.path_of(loop.getRangeInit());
    if (!is_followed(element)) return;
    element.parts.push_back({part::kind::element, "*", {}});
    const auto* const begin = iterator(loop.getBeginStmt());
    const auto* const end = iterator(loop.getEndStmt());
    if (!begin || !end || !begin->getInit() || !end->getInit()) return;
    facts_.walks[begin] = std::move(element);
    facts_.walk_bounds.insert(facts_.plain(begin->getInit()));
    facts_.walk_bounds.insert(facts_.plain(end->getInit()));
  }
  /// `stage one{session};`: what each member is made of, also where its own initialiser says it.
  void members(const path& object, const clang::InitListExpr& list) {
    const auto* record = list.getType()->getAsCXXRecordDecl();
    if (!record || record->isInStdNamespace() || facts_.noun_of(list.getType()) != noun::none)
      return;
    facts_.initialises(*record, object);
    auto field = record->field_begin();
    for (const clang::Expr* init : list.inits()) {
      if (field == record->field_end()) return;
      path member = object;
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
        if (facts_.holds_handle(e->getType()))
          facts_.results[e] = facts_.temporary(noun::none, facts_.place(e->getSourceRange()));
        break;
    }
  }
  void bind(const clang::DecompositionDecl& pieces, const clang::Expr* init) {
    const path whole = facts_.path_of(init);
    if (!pieces.getType()->isReferenceType() || !whole.known()) return;
    unsigned n = 0;
    for (const auto* piece : pieces.bindings()) {
      path one = whole.stable() ? facts_.piece_of(whole, pieces.getType(), n++) : path{};
      if (!one.known()) {
        one = whole;
        one.parts.push_back({part::kind::element, piece->getNameAsString(), {}});
      }
      facts_.alias(*piece, one);
    }
  }

  unit& facts_;
  preparation& out_;
  named pending_, pointers_;
  std::vector<const clang::CXXForRangeStmt*> loops_;
  std::vector<const clang::DeclRefExpr*> names_;
  names kept_;  // Those that leave a pointer where it is, or let it step.
  std::set<const clang::ValueDecl*> stepped_, changed_;
  std::vector<const clang::CallExpr*> keeping_;
};

}  // namespace

preparation prepare(unit& facts, const clang::FunctionDecl& body) {
  preparation out;
  note_unsteady(facts, body);
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
