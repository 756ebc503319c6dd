// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/ArrayRef.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// @file
/// One translation unit while its facts are taken: names, places, words, paths and values.

namespace deed::check {

/// What the attributes could not say.
struct model_fault {
  span at;
  std::string text;
};

class unit {
 public:
  unit(clang::ASTContext& ast, program& out);

  clang::ASTContext& ast() { return ast_; }
  program& out() { return out_; }
  std::vector<model_fault>& faults() { return faults_; }

  // names.cpp
  [[nodiscard]] span place(clang::SourceRange range);
  [[nodiscard]] std::string usr(const clang::FunctionDecl& callee);
  [[nodiscard]] variable_id variable_of(const clang::ValueDecl& declaration);
  [[nodiscard]] variable_id self(const clang::CXXRecordDecl& record);
  [[nodiscard]] variable_id result_of_function() const { return result_; }
  [[nodiscard]] path temporary(noun kind, span at);
  void enter(const clang::FunctionDecl& body);
  void alias(const clang::ValueDecl& name, path target) {
    aliases_[llvm::cast<clang::ValueDecl>(name.getCanonicalDecl())] = std::move(target);
  }

  /// `this`, where the members of an object are initialised in the function that makes it.
  void initialises(const clang::CXXRecordDecl& record, path object) {
    made_here_[record.getCanonicalDecl()] = std::move(object);
  }

  // words.cpp
  [[nodiscard]] const model& words_of(const clang::Decl* declaration);
  [[nodiscard]] noun noun_of(clang::QualType type);
  /// What the name says that a type of another library was given.
  [[nodiscard]] noun noun_of_name(clang::QualType type);
  [[nodiscard]] noun noun_in_optional(clang::QualType type);
  [[nodiscard]] std::string held_type(clang::QualType type);

  // types.cpp
  [[nodiscard]] held_layout layout_of(clang::QualType type);
  [[nodiscard]] std::string address_in(clang::QualType type, span* where = nullptr);
  void note_archives(const clang::CXXRecordDecl& record);

  // paths.cpp
  [[nodiscard]] path path_of(const clang::Expr* expression);
  [[nodiscard]] value_ref value_of(const clang::Expr* expression);
  [[nodiscard]] value_ref index_value(const clang::Expr* index);
  [[nodiscard]] value_ref number_inside(const clang::Expr* expression);
  [[nodiscard]] const clang::Expr* plain(const clang::Expr* expression) const;

  // views.cpp
  /// Whose memory a view is of: `x.data()`, `std::span(x)`.
  [[nodiscard]] path reached_by(const clang::Expr* view);
  [[nodiscard]] path piece_of(const clang::Expr* view, const clang::Expr& made);
  /// Whether an object of the type may hold a view: as itself, a member, an element, a capture.
  [[nodiscard]] bool holds_view(clang::QualType type);
  /// Whose memory an object reaches that is made here, or the object that it is a copy of.
  [[nodiscard]] path kept_by(const clang::Expr* value);
  /// The constructor that `std::make_unique<T>(…)` runs; null of other functions, and where several
  /// take so many arguments.
  [[nodiscard]] const clang::CXXConstructorDecl* constructor_in(const clang::CallExpr& call);

  // pieces.cpp
  /// Whether an object of the type names data: as itself, a member, an element.
  [[nodiscard]] bool holds_handle(clang::QualType type);
  /// The part of an object with this number: of a pair, a tuple, an array or a struct.
  [[nodiscard]] path piece_of(path whole, clang::QualType type, unsigned number);

  // roles.cpp
  /// What an overlay says that a parameter is: a number or a pointer has no noun of its own.
  [[nodiscard]] noun role_of(const clang::ParmVarDecl* parameter);
  void take_role(operand& of, const clang::Expr* argument);
  /// Whether it is the constant that stands for all ranks.
  [[nodiscard]] bool is_whole(const clang::Expr* communicator);
  /// Whether it takes a communicator: then its result may be one that the ranks agree on.
  [[nodiscard]] bool takes_ranks(const clang::FunctionDecl& callee);

  // lists.cpp
  [[nodiscard]] value_ref extents_in(const clang::Expr* argument);
  [[nodiscard]] value_ref length_of(const clang::Expr* list);
  [[nodiscard]] const clang::Expr* kept_callable(const clang::Expr* argument);
  /// The arguments of each task, where a callable gives them: those of the tuple that it returns.
  [[nodiscard]] llvm::ArrayRef<const clang::Expr*> given_by(const clang::Expr* callable);

  // operands.cpp
  [[nodiscard]] operand operand_of(const clang::Expr* argument,
                                   const clang::ParmVarDecl* parameter);
  void options_of(const clang::Expr* argument, std::vector<operand>& into);
  [[nodiscard]] std::vector<token_use> tokens_of(const clang::CallExpr& call);
  [[nodiscard]] int codelet_of(const clang::Expr* expression);
  int codelet_in(const clang::VarDecl& declared);

  std::map<const clang::Expr*, path> results;                  // where a call's result goes
  std::map<const clang::VarDecl*, const clang::Expr*> tokens;  // tokens kept in a variable
  std::map<const clang::ValueDecl*, path> borrowed;  // what datum a borrow in a variable is of
  std::map<const clang::ValueDecl*, path> walks;  // what the iterator of a loop over numbers is at
  std::set<const clang::Expr*> walk_bounds;       // the begin and the end of such a loop

 private:
  /// The number of a file, by its full name: what the compiler calls it may be relative to a folder
  /// that is another one in the next unit.
  [[nodiscard]] std::uint32_t file_of(const char* name);
  [[nodiscard]] path returned_by(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  [[nodiscard]] path piece_in(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  [[nodiscard]] path walked(const clang::Expr* e) const;
  bool has_member_view(const clang::CXXRecordDecl& record);
  bool holds_elements(const clang::CXXRecordDecl& record);
  path kept_by(const clang::LambdaExpr& lambda);
  path kept_by(const clang::CXXConstructorDecl& constructor,
               llvm::ArrayRef<const clang::Expr*> arguments);
  path kept_by(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  path first_kept_of(llvm::ArrayRef<const clang::Expr*> arguments);
  /// The parameter that an expression is, or is a part of, or holds a view of.
  const clang::ParmVarDecl* given_in(const clang::Expr* e, int names = 0);
  std::vector<const clang::Expr*> given_to_members(const clang::CXXConstructorDecl& made);
  std::optional<unsigned> handed_back(const clang::FunctionDecl& callee);
  const clang::Expr* handed_on(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  const clang::ValueDecl* declared_as(variable_id id) const {
    const auto it = declared_.find(id);
    return it == declared_.end() ? nullptr : it->second;
  }
  path first_kept(llvm::ArrayRef<clang::Expr*> members);
  bool starts_equal(const clang::CXXRecordDecl& record);
  value_ref call_value(const clang::CallExpr& call);
  value_ref guard_value(const clang::CallExpr& call, const model& words);
  value_ref variable_value(const clang::Expr* expression);
  value_ref list_value(const clang::Expr* expression);
  value_ref braced_value(const clang::InitListExpr& list);
  void read_words(const clang::Decl* declaration, model& into);
  const std::vector<const clang::VarDecl*>& wholes();
  void note_usings(const clang::DeclContext* within);

  clang::ASTContext& ast_;
  program& out_;
  std::vector<model_fault> faults_;
  std::map<const char*, std::uint32_t> files_;  // by the name that the compiler keeps
  std::map<const clang::ValueDecl*, variable_id> variables_;
  std::map<variable_id, const clang::ValueDecl*> declared_;
  std::map<const clang::CXXRecordDecl*, variable_id> selves_;
  std::map<const clang::ValueDecl*, path> aliases_;
  std::map<const clang::CXXRecordDecl*, path> made_here_;
  std::map<const clang::Decl*, model> words_;
  std::map<const clang::Decl*, std::vector<const clang::Decl*>> usings_;  // of overlays
  std::map<const clang::VarDecl*, int> codelets_;
  std::map<const clang::CXXRecordDecl*, bool> holders_;  // of views
  std::map<const clang::CXXRecordDecl*, bool> handle_holders_;
  std::map<const clang::FunctionDecl*, std::optional<unsigned>> handed_back_;
  std::optional<std::vector<const clang::VarDecl*>> wholes_;  // constants that stand for all ranks
  std::map<std::string, variable_id> shared_;                 // globals of several units, by USR
  variable_id result_ = 0;
  const clang::FunctionDecl* body_ = nullptr;
};

[[nodiscard]] const clang::Expr* object_of(const clang::CallExpr& call);
/// The first argument of a constructor call: the object itself goes by its own name. Else the same.
[[nodiscard]] const clang::Expr* made_of(const clang::Expr* value);
[[nodiscard]] bool is_standard_move(const clang::Expr* expression);
/// The one `return` of a body, outside of lambdas within it; null if there are several.
[[nodiscard]] const clang::ReturnStmt* only_return(const clang::Stmt* inside);

}  // namespace deed::check
