// SPDX-License-Identifier: MIT
#pragma once

#include "facts/prepare.hpp"
#include "facts/unit.hpp"
#include <clang/Analysis/CFG.h>
#include <llvm/ADT/ArrayRef.h>

#include <vector>

/// @file
/// The events of one body, taken from Clang's graph of it.

namespace deed::check {

class lowering {
 public:
  lowering(unit& facts, const clang::FunctionDecl& body, function& out)
      : facts_(facts), body_(body), out_(out) {}

  /// Whether Clang could make a graph of the body.
  bool run();

 private:
  // lower.cpp
  void lower_block(const clang::CFGBlock& from);
  void lower_split(const clang::CFGBlock& from, block& to);
  void lower_element(const clang::CFGElement& element);
  void lower_destructor(const path& object, const clang::VarDecl& of, const clang::Stmt* trigger);
  void end(path object, const clang::Stmt* trigger);
  void lower_initialiser(const clang::CXXCtorInitializer& init);
  event make(event_kind kind, const clang::Stmt* at);
  /// Whether reads and writes of it matter: parameters, globals, memory that is registered.
  bool matters(const path& object) const;
  void access(const clang::Expr& to, effect use, const clang::Stmt* whole);
  void access(path object, const clang::Expr& to, effect use, const clang::Stmt* whole);

  // lower_statements.cpp
  void lower_statement(const clang::Stmt& s);
  void lower_static(const clang::VarDecl& v);
  void lower_captures(const clang::LambdaExpr& lambda);
  void move(path from, path to, const clang::Stmt* at);
  /// Whether it is there when the function has returned.
  bool outlives(const path& object) const;
  /// Notes whether an object of the type holds a view from now on, and of what.
  void note_view(event& into, clang::QualType type, const clang::Expr& from);
  /// What an initialiser gives to `target`; or an assignment, to what is there already.
  void initialise(const path& target, clang::QualType type, const clang::Expr& init,
                  bool anew = false);
  path held_by(path owner) const;
  /// The borrow of `std::optional view = session.borrow(…)`, or a handle; null of anything else.
  path made_in_braces(const clang::Expr& argument);
  const clang::Expr* put_into_optional(clang::QualType type, const clang::Expr& init);
  /// `x.reset()`, `x = std::nullopt` and `x.emplace(…)` of what owns an object.
  bool lower_owner(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  bool lower_making(const clang::CallExpr& call);
  void begin_empty(const path& object, const clang::Expr& init);
  /// Notes what a reference member of an object stands for.
  void bind(path member, const clang::Expr& to);
  void bind_elements(const path& object, const clang::InitListExpr& list);
  void bind_members(const path& object, const clang::InitListExpr& list);
  // pieces.cpp
  bool lower_pieces(const clang::Expr& made, llvm::ArrayRef<const clang::Expr*> arguments);
  void lower_bindings(const clang::DecompositionDecl& names);

  // lower_statements.cpp
  void lower_assignment(const clang::BinaryOperator& op);
  void lower_arithmetic(const clang::BinaryOperator& op);
  void lower_step(const clang::UnaryOperator& op);
  void lower_return(const clang::ReturnStmt& leave);

  // lower_calls.cpp
  void lower_construct(const clang::CXXConstructExpr& made);
  void add_arguments(event& e, llvm::ArrayRef<const clang::Expr*> arguments,
                     const clang::FunctionDecl& callee);
  /// The tokens that a callable gives for each task, as if they stood in the insertion.
  void add_given(event& e, const clang::CallExpr& insertion);
  effect use_of(const clang::Expr& argument, const clang::ParmVarDecl* parameter);
  bool interesting(const event& e);
  bool may_write_number(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  void lower_call(const clang::CallExpr& call);
  bool lower_special(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                     const model& words);
  /// Of a call of the standard library that is no event: whose object has a member that it is given
  /// is used.
  void note_member(const event& call);
  /// What a call writes where its arguments point: the rank, and how many there are.
  void lower_written(const event& e, const clang::CallExpr& call,
                     const clang::FunctionDecl& callee);
  /// What an algorithm of the standard library does to registered memory.
  void lower_algorithm(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  void lower_receiver(event& e, const clang::CallExpr& call, const clang::FunctionDecl& callee);

  unit& facts_;
  const clang::FunctionDecl& body_;
  function& out_;
  preparation prepared_;
  std::vector<event>* events_ = nullptr;
};

}  // namespace deed::check
