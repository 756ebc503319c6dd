// SPDX-License-Identifier: MIT
#include "facts/lowering.hpp"
#include "facts/standard.hpp"
#include "facts/unit.hpp"
#include <clang/AST/DeclTemplate.h>

#include <iterator>
#include <string>

/// @file
/// Objects that are made of others in the order of their list: pairs, tuples, structured bindings.

namespace deed::check {
namespace {

const clang::ClassTemplateSpecializationDecl* standard_template(clang::QualType type) {
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  const auto* made = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  return made && made->isInStdNamespace() && made->getIdentifier() ? made : nullptr;
}

bool is_pair(const clang::ClassTemplateSpecializationDecl& made) {
  return made.getName() == "pair";
}

/// How many parts a pair or a tuple has; none of another type.
unsigned parts_in(clang::QualType type) {
  const auto* made = standard_template(type);
  if (!made || (!is_pair(*made) && made->getName() != "tuple")) return 0;
  unsigned count = 0;
  for (const auto& argument : made->getTemplateArgs().asArray())
    count += argument.getKind() == clang::TemplateArgument::Pack ? argument.pack_size() : 1;
  return count;
}

/// The number of the part that `std::get<1>(x)` gives, which is that of its first argument.
std::optional<unsigned> number_of_part(const clang::FunctionDecl& callee) {
  const bool get = callee.isInStdNamespace() && callee.getIdentifier() && callee.getName() == "get";
  const auto* arguments = get ? callee.getTemplateSpecializationArgs() : nullptr;
  if (!arguments || arguments->size() == 0) return std::nullopt;
  const auto& first = arguments->get(0);
  if (first.getKind() != clang::TemplateArgument::Integral) return std::nullopt;
  return static_cast<unsigned>(first.getAsIntegral().getZExtValue());
}

}  // namespace

bool unit::holds_handle(clang::QualType type) {
  type = type.getNonReferenceType().getCanonicalType();
  if (noun_of(type) == noun::handle) return true;
  if (const auto* elements = ast_.getAsArrayType(type))
    return holds_handle(elements->getElementType());
  const auto* record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || noun_of(type) != noun::none) return false;
  record = record->getDefinition();
  const auto [known, first] = handle_holders_.try_emplace(record, false);
  if (!first) return known->second;
  const auto in = [&](const auto& part) { return holds_handle(part.getType()); };
  bool found = !record->isInStdNamespace() &&
               (llvm::any_of(record->bases(), in) ||
                llvm::any_of(record->fields(), [&](const auto* field) { return in(*field); }));
  if (const auto* made = standard_template(type)) {
    const auto held = [&](const clang::TemplateArgument& argument) {
      return argument.getKind() == clang::TemplateArgument::Type &&
             holds_handle(argument.getAsType());
    };
    for (const auto& argument : made->getTemplateArgs().asArray())
      found = found || (argument.getKind() == clang::TemplateArgument::Pack
                            ? llvm::any_of(argument.pack_elements(), held)
                            : held(argument));
  }
  return handle_holders_[record] = found;
}

path unit::piece_of(path whole, clang::QualType type, unsigned number) {
  if (const auto* made = standard_template(type)) {
    if (made->getName() == "array") {
      whole.parts.push_back({part::kind::index, "operator[]", {constant(number)}});
      return whole;
    }
    const std::string name = is_pair(*made) ? (number == 0 ? "first" : "second")
                                            : "std::get<" + std::to_string(number) + ">";
    whole.parts.push_back({part::kind::field, name, {}});
    return parts_in(type) > number ? whole : path{};
  }
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition()) return {};
  const auto fields = record->getDefinition()->fields();
  if (number >= static_cast<unsigned>(std::distance(fields.begin(), fields.end()))) return {};
  const auto* field = *std::next(fields.begin(), number);
  whole.parts.push_back({part::kind::field, field->getNameAsString(), {}});
  return whole;
}

/// `std::get<1>(x)`.
path unit::piece_in(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  const std::optional<unsigned> number = number_of_part(callee);
  if (!number || call.getNumArgs() != 1) return {};
  path whole = path_of(call.getArg(0));
  return whole.known() ? piece_of(std::move(whole), call.getArg(0)->getType(), *number) : path{};
}

/// `std::pair{std::move(a), b}`: each of the arguments becomes a part. False of another object.
bool lowering::lower_pieces(const clang::Expr& made, llvm::ArrayRef<const clang::Expr*> arguments) {
  const auto it = facts_.results.find(&made);
  if (it == facts_.results.end() || arguments.empty() ||
      parts_in(made.getType()) != arguments.size() || !facts_.holds_handle(made.getType()))
    return false;
  const path whole = it->second;
  for (unsigned n = 0; n < arguments.size(); ++n)
    initialise(facts_.piece_of(whole, made.getType(), n),
               arguments[n]->getType().getNonReferenceType(), *arguments[n]);
  return true;
}

/// `auto [a, b] = …;`: the names stand for the parts of an object that has none.
void lowering::lower_bindings(const clang::DecompositionDecl& names) {
  const bool other_names =
      names.getType()->isReferenceType() && !facts_.plain(names.getInit())->isPRValue();
  if (other_names) return;  // Of the parts of an object that has a name.
  const path whole{facts_.variable_of(names), {}};
  unsigned n = 0;
  for (const auto* name : names.bindings()) {
    const path one = facts_.piece_of(whole, names.getType(), n++);
    const path named{facts_.variable_of(*name), {}};
    if (!one.known()) continue;
    if (facts_.noun_of(name->getType()) != noun::none || facts_.holds_handle(name->getType())) {
      move(one, named, names.getInit());
      continue;
    }
    event e = make(event_kind::assign, names.getInit());
    e.object = named;
    e.other = one;
    value part;
    part.what = value::kind::variable;
    part.where = one;
    part.at = e.at;
    e.result_value = std::make_shared<const value>(std::move(part));
    events_->push_back(std::move(e));
  }
}

}  // namespace deed::check
