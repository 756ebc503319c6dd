// SPDX-License-Identifier: MIT
#include "facts/standard.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Type.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringSet.h>

namespace deed::check {
namespace {

const clang::CXXRecordDecl* record_of(clang::QualType type) {
  return type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
}

bool is_standard_type(clang::QualType type, const llvm::StringSet<>& names) {
  const auto* record = record_of(type);
  return record && record->isInStdNamespace() && record->getIdentifier() &&
         names.contains(record->getName());
}

}  // namespace

bool in_standard_library(const clang::Decl& declaration) {
  // A member is declared in its class, which is what stands in the namespace.
  for (const auto* in = declaration.getDeclContext(); in; in = in->getParent()) {
    if (in->isStdNamespace()) return true;
  }
  const auto& sources = declaration.getASTContext().getSourceManager();
  return sources.isInSystemHeader(declaration.getLocation());
}

standard_effect standard_effect_of(const clang::FunctionDecl& callee) {
  static const llvm::StringSet<> rank_local{
      "rand",      "random",       "drand48",       "time",          "clock",
      "getenv",    "gethostname",  "getpid",        "fopen",         "access",
      "open",      "stat",         "now",           "exists",        "get_id",
      "getline",   "gettimeofday", "clock_gettime", "secure_getenv", "is_regular_file",
      "file_size", "current_path"};
  static const llvm::StringSet<> blocks{"sleep", "usleep", "nanosleep", "sleep_for", "sleep_until",
                                        "join",  "pause",  "getchar",   "scanf"};
  static const llvm::StringSet<> ends{"exit",    "_Exit", "quick_exit", "abort",
                                      "longjmp", "_exit", "terminate"};
  static const llvm::StringSet<> stateful{"rand",   "strtok",  "srand",     "drand48",
                                          "random", "asctime", "localtime", "gmtime"};
  standard_effect effect;
  if (!callee.getIdentifier() || !in_standard_library(callee)) return effect;
  const llvm::StringRef name = callee.getName();
  const bool member_get = name == "get" && callee.isCXXClassMember();  // future::get
  effect.rank_local = rank_local.contains(name);
  effect.blocks = blocks.contains(name) || (member_get && [&] {
                    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
                    return method && method->getParent()->getName().contains("future");
                  }());
  effect.ends_process = ends.contains(name);
  effect.keeps_state = stateful.contains(name);
  return effect;
}

bool starts_thread(const clang::FunctionDecl& callee) {
  if (!in_standard_library(callee)) return false;
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructorDecl>(&callee)) {
    const auto name = made->getParent()->getName();
    return name == "thread" || name == "jthread";
  }
  return callee.getIdentifier() && callee.getName() == "async";
}

bool may_move_elements(const clang::CXXMethodDecl& callee) {
  static const llvm::StringSet<> growing{
      "push_back", "emplace_back", "resize",        "reserve", "insert",     "assign",   "clear",
      "erase",     "append",       "shrink_to_fit", "emplace", "push_front", "pop_back", "swap"};
  if (callee.isConst() || !in_standard_library(callee)) return false;
  const bool appends = callee.getOverloadedOperator() == clang::OO_PlusEqual &&
                       callee.getParent()->getName() == "basic_string";
  return appends || (callee.getIdentifier() && growing.contains(callee.getName())) ||
         callee.isCopyAssignmentOperator() || callee.isMoveAssignmentOperator();
}

bool keeps_arguments(const clang::CXXMethodDecl& callee) {
  static const llvm::StringSet<> keeping{"reset",         "store",        "exchange",
                                         "push",          "try_emplace",  "insert_or_assign",
                                         "emplace_front", "emplace_hint", "set_value"};
  if (!in_standard_library(callee)) return false;
  return may_move_elements(callee) ||
         (callee.getIdentifier() && keeping.contains(callee.getName()));
}

bool ends_what_it_owns(const clang::CXXMethodDecl& callee, const clang::Expr* given) {
  static const llvm::StringSet<> owners{"unique_ptr", "optional", "_Optional_base",
                                        "_Optional_payload_base"};
  if (!owners.contains(callee.getParent()->getName())) return false;
  if (callee.getIdentifier() && callee.getName() == "reset") return given == nullptr;
  if (callee.getOverloadedOperator() != clang::OO_Equal || !given) return false;
  return given->getType()->isNullPtrType() ||
         is_standard_type(given->getType(), llvm::StringSet<>{"nullopt_t"});
}

bool points_into_its_object(const clang::FunctionDecl& callee) {
  static const llvm::StringSet<> names{"data", "begin", "subspan", "first", "last"};
  return in_standard_library(callee) && callee.getIdentifier() && names.contains(callee.getName());
}

namespace {

/// The name of an algorithm; `std::ranges::fill(x, 1)` calls an object of that name.
llvm::StringRef algorithm_of(const clang::FunctionDecl& callee,
                             llvm::ArrayRef<const clang::Expr*> arguments) {
  if (!in_standard_library(callee)) return {};
  if (callee.getIdentifier()) return callee.isCXXClassMember() ? "" : callee.getName();
  if (callee.getOverloadedOperator() != clang::OO_Call || arguments.empty()) return {};
  const auto* object = llvm::dyn_cast<clang::DeclRefExpr>(arguments[0]->IgnoreParenImpCasts());
  const auto* name = object ? object->getDecl()->getIdentifier() : nullptr;
  return name ? name->getName() : "";
}

/// Whether it is what an algorithm calls for each element.
bool is_callable(const clang::Expr& argument) {
  const auto type = argument.getType().getNonReferenceType();
  const auto* record = type->getAsCXXRecordDecl();
  return type->isFunctionPointerType() || type->isFunctionType() ||
         is_standard_type(type, llvm::StringSet<>{"function"}) ||
         (record && (record->isLambda() || (record->hasDefinition() && record->isEmpty())));
}

/// An iterator, or a range: no value of an element, as `cells[0]` is.
bool points_to_elements(const clang::Expr& argument) {
  const auto type = argument.getType().getNonReferenceType();
  const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(argument.IgnoreParenImpCasts());
  return !is_callable(argument) && !(op && op->getOperator() == clang::OO_Subscript) &&
         (type->isPointerType() || type->isArrayType() || type->isRecordType());
}

}  // namespace

effect effect_on_elements(const clang::FunctionDecl& callee,
                          llvm::ArrayRef<const clang::Expr*> arguments, std::size_t which) {
  static const llvm::StringSet<> reading{"for_each",      "for_each_n",
                                         "accumulate",    "reduce",
                                         "inner_product", "transform_reduce",
                                         "count",         "count_if",
                                         "find",          "find_if",
                                         "all_of",        "any_of",
                                         "none_of",       "min_element",
                                         "max_element",   "minmax_element",
                                         "minmax",        "min",
                                         "max",           "equal",
                                         "is_sorted",     "lexicographical_compare"};
  static const llvm::StringSet<> writing{"fill",       "fill_n",  "iota",   "generate",
                                         "generate_n", "reverse", "rotate", "shuffle"};
  static const llvm::StringSet<> changing{"sort",        "stable_sort", "partial_sort",
                                          "nth_element", "replace",     "replace_if"};
  static const llvm::StringSet<> copying{"copy",           "copy_n",        "copy_if",
                                         "transform",      "partial_sum",   "adjacent_difference",
                                         "inclusive_scan", "exclusive_scan"};
  static const llvm::StringSet<> bytes{"memcpy", "memmove", "memset"};
  const llvm::StringRef name = algorithm_of(callee, arguments);
  if (name.empty() || is_callable(*arguments[which])) return effect::none;
  const bool known = reading.contains(name) || writing.contains(name) || changing.contains(name) ||
                     copying.contains(name) || bytes.contains(name);
  if (!known) return effect::none;
  if (!points_to_elements(*arguments[which])) return effect::read;  // `std::fill(b, e, a[0])`
  if (writing.contains(name)) return effect::write;
  if (changing.contains(name)) return effect::read_write;
  if (bytes.contains(name)) return which == 0 ? effect::write : effect::read;
  if (reading.contains(name)) return effect::read;
  std::size_t last = arguments.size() - 1;  // What it copies to stands behind what it copies.
  while (last > 0 && !points_to_elements(*arguments[last])) --last;
  return which == last ? effect::write : effect::read;
}

bool is_rank_local_type(clang::QualType type) {
  static const llvm::StringSet<> names{"basic_ifstream", "basic_fstream", "random_device"};
  return is_standard_type(type, names);
}

bool is_unordered(clang::QualType type) {
  static const llvm::StringSet<> hashed{"unordered_map", "unordered_set", "unordered_multimap",
                                        "unordered_multiset"};
  static const llvm::StringSet<> keyed{"map", "set", "multimap", "multiset"};
  if (is_standard_type(type, hashed)) return true;
  if (!is_standard_type(type, keyed)) return false;
  const auto* made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record_of(type));
  return made && made->getTemplateArgs().size() > 0 &&
         made->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Type &&
         made->getTemplateArgs()[0].getAsType()->isPointerType();
}

namespace {

/// Whether every part of its objects is constant or synchronised, and there is one: a struct of
/// counters. A constant pointer reaches what is neither.
bool has_only_synchronised(const clang::CXXRecordDecl& type) {
  const clang::CXXRecordDecl* const record = type.getDefinition();
  if (!record || record->isUnion() || record->isDependentContext()) return false;
  const auto harmless = [](const clang::FieldDecl* part) {
    const clang::QualType of = part->getType();
    return is_synchronised(of) || (of.isConstQualified() && !is_view(of));
  };
  return (record->getNumBases() > 0 || !record->field_empty()) &&
         llvm::all_of(record->bases(),
                      [](const auto& base) { return is_synchronised(base.getType()); }) &&
         llvm::all_of(record->fields(), harmless);
}

}  // namespace

bool is_synchronised(clang::QualType type) {
  static const llvm::StringSet<> names{"atomic",
                                       "atomic_flag",
                                       "atomic_ref",
                                       "mutex",
                                       "timed_mutex",
                                       "recursive_mutex",
                                       "recursive_timed_mutex",
                                       "shared_mutex",
                                       "shared_timed_mutex",
                                       "condition_variable",
                                       "condition_variable_any",
                                       "once_flag",
                                       "counting_semaphore",
                                       "latch",
                                       "barrier"};
  if (is_standard_type(type, names) || type->isAtomicType()) return true;
  if (const auto* array = type->getAsArrayTypeUnsafe())
    return is_synchronised(array->getElementType());
  const auto* record = record_of(type);
  return record && has_only_synchronised(*record);
}

bool is_standard_span(clang::QualType type) {
  return is_standard_type(type, llvm::StringSet<>{"span"});
}

bool is_view(clang::QualType type) {
  static const llvm::StringSet<> names{"span", "basic_string_view", "reference_wrapper"};
  return type->isPointerType() || type->isReferenceType() || is_standard_type(type, names);
}

}  // namespace deed::check
