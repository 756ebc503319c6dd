// SPDX-License-Identifier: MIT
#include "facts/parse.hpp"

#include "facts/commands.hpp"
#include "facts/database.hpp"
#include "facts/lower.hpp"
#include "facts/overlay.hpp"
#include "facts/root.hpp"
#include "flow/store.hpp"
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <set>

namespace deed::check {
namespace {

/// What is found in one unit.
struct collection {
  program into;
  unit_facts report;
  std::string root;
};

/// Where a header of an overlay is read that reads this place; invalid if none does.
clang::SourceLocation overlay_above(const clang::SourceManager& sources,
                                    clang::SourceLocation where) {
  clang::SourceLocation found;
  for (; where.isValid(); where = sources.getIncludeLoc(sources.getFileID(where))) {
    if (sources.getFilename(where).starts_with(overlay_folder))
      found = sources.getIncludeLoc(sources.getFileID(where));
  }
  return found;
}

bool is_outside_error(const clang::SourceManager& sources, clang::SourceLocation where) {
  return where.isInvalid() || sources.isInSystemHeader(where);
}

class collector : public clang::RecursiveASTVisitor<collector> {
 public:
  collector(unit& facts, collection& all) : facts_(facts), all_(all) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return false; }
  bool shouldVisitLambdaBody() const { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl* f) {
    if (f->doesThisDeclarationHaveABody()) take(*f);
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    if (auto* f = lambda->getCallOperator()) take(*f);
    return true;
  }
  bool VisitCXXRecordDecl(clang::CXXRecordDecl* record) {
    if (record->isThisDeclarationADefinition()) facts_.note_archives(*record);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* v) {
    if (!v->getDeclContext()->isDependentContext() &&
        facts_.noun_of(v->getType()) == noun::codelet) {
      facts_.codelet_in(*v);
    }
    const bool lives_long = v->hasGlobalStorage() && v->isThisDeclarationADefinition();
    const auto kind = lives_long ? facts_.noun_of(v->getType()) : noun::none;
    if (kind == noun::session || kind == noun::handle) static_cast<void>(facts_.variable_of(*v));
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    if (auto* f = llvm::dyn_cast<clang::FunctionDecl>(name->getDecl())) mentions_[facts_.usr(*f)]++;
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    if (const auto* f = call->getDirectCallee()) {
      if (llvm::isa<clang::DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts())) {
        mentions_[facts_.usr(*f)]--;
      }
    }
    return true;
  }

  void finish() {
    for (const auto& [usr, count] : mentions_) {
      const auto it = all_.into.functions.find(usr);
      if (count > 0 && it != all_.into.functions.end()) it->second->address_taken = true;
    }
  }

 private:
  void take(const clang::FunctionDecl& f) {
    const auto& sources = facts_.ast().getSourceManager();
    if (f.isDependentContext() || f.isInvalidDecl() || f.isDefaulted() || !f.getBody()) return;
    const auto where = sources.getExpansionLoc(f.getLocation());
    if (where.isInvalid() || sources.isInSystemHeader(where)) return;
    const std::string file = sources.getFilename(where).str();
    if (file.find("include/deed/") != std::string::npos && !sources.isInMainFile(where)) return;
    if (models_.contains(sources.getFileID(where)) && !sources.isInMainFile(where)) return;
    if (under_overlay(where)) return;
    const std::string usr = facts_.usr(f);
    if (all_.into.functions.contains(usr)) return;
    if (!facts_.words_of(&f).empty() && !sources.isInMainFile(where)) return;
    auto lowered = lower(facts_, f);
    if (!lowered) {
      ++all_.report.without_graph;
      return;
    }
    lowered->in_root = is_in_root(file);
    all_.into.functions[usr] = std::move(lowered);
  }
  /// Whether a header of an overlay reads it: it is of the library that the overlay describes.
  bool under_overlay(clang::SourceLocation where) {
    const auto& sources = facts_.ast().getSourceManager();
    const clang::FileID file = sources.getFileID(where);
    const auto [it, is_new] = under_overlay_.try_emplace(file, false);
    if (is_new) it->second = overlay_above(sources, where).isValid();
    return it->second;
  }
  bool is_in_root(const std::string& file) const {
    if (all_.root.empty()) return true;
    llvm::SmallString<128> real;
    if (llvm::sys::fs::real_path(file, real)) return true;
    return lies_in(real.str().str(), all_.root);
  }

 public:
  /// Files that declare what deed's types are hold the library, not the program.
  void note_model(const clang::CXXRecordDecl& record) {
    if (!facts_.words_of(&record).has(verb::type)) return;
    const auto& sources = facts_.ast().getSourceManager();
    models_.insert(sources.getFileID(sources.getExpansionLoc(record.getLocation())));
  }
  [[nodiscard]] bool saw_model() const { return !models_.empty(); }

 private:
  unit& facts_;
  collection& all_;
  std::map<std::string, int> mentions_;
  std::set<clang::FileID> models_;
  std::map<clang::FileID, bool> under_overlay_;
};

class model_finder : public clang::RecursiveASTVisitor<model_finder> {
 public:
  explicit model_finder(collector& into) : into_(into) {}
  bool VisitCXXRecordDecl(clang::CXXRecordDecl* record) {
    if (record->hasAttrs()) into_.note_model(*record);
    return true;
  }

 private:
  collector& into_;
};

class consumer : public clang::ASTConsumer {
 public:
  consumer(collection& all, clang::Preprocessor& macros) : all_(all), macros_(macros) {}

  void HandleTranslationUnit(clang::ASTContext& ast) override {
    if (ast.getDiagnostics().hasErrorOccurred()) return;
    unit facts(ast, all_.into);
    collector visitor(facts, all_);
    std::vector<clang::Decl*> own;
    for (auto* top : ast.getTranslationUnitDecl()->decls()) {
      if (!ast.getSourceManager().isInSystemHeader(top->getLocation())) own.push_back(top);
    }
    model_finder models(visitor);
    for (auto* top : own) models.TraverseDecl(top);
    note_files(ast.getSourceManager());
    // An installed deed lies in system headers, whose declarations are not looked through.
    if (!visitor.saw_model() && !macros_.isMacroDefined("DEED_MODEL") &&
        !macros_.isMacroDefined(overlay_macro)) {
      all_.report.without_deed = true;
      return;
    }
    for (auto* top : own) visitor.TraverseDecl(top);
    visitor.finish();
    for (const auto& fault : facts.faults()) {
      all_.report.faults.push_back(all_.into.files.name(fault.at.file) + ":" +
                                   std::to_string(fault.at.line) + ": " + fault.text);
    }
  }

 private:
  void note_files(const clang::SourceManager& sources) {
    for (auto it = sources.fileinfo_begin(); it != sources.fileinfo_end(); ++it) {
      const llvm::StringRef name = it->first.getName();
      if (name == overlay_name || name.starts_with(overlay_folder)) continue;
      all_.report.files.push_back(full_name(name.str()));
    }
  }

  collection& all_;
  clang::Preprocessor& macros_;
};

class action : public clang::ASTFrontendAction {
 public:
  explicit action(collection& all) : all_(all) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    compiler.getDiagnosticOpts().ShowCarets = false;
    return std::make_unique<consumer>(all_, compiler.getPreprocessor());
  }

 private:
  collection& all_;
};

class factory : public clang::tooling::FrontendActionFactory {
 public:
  explicit factory(collection& all) : all_(all) {}
  std::unique_ptr<clang::FrontendAction> create() override {
    return std::make_unique<action>(all_);
  }

 private:
  collection& all_;
};

/// Keeps the first error of a unit, and prints nothing.
class first_error : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& what) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, what);
    if (level < clang::DiagnosticsEngine::Error || !text.empty()) return;
    llvm::SmallString<128> message;
    what.FormatDiagnostic(message);
    if (what.hasSourceManager() && what.getLocation().isValid() &&
        !is_outside_error(what.getSourceManager(), what.getLocation())) {
      const auto& sources = what.getSourceManager();
      const auto above = overlay_above(sources, what.getLocation());
      const auto at = sources.getPresumedLoc(above.isValid() ? above : what.getLocation());
      where = full_name(at.getFilename()) + ":" + std::to_string(at.getLine()) + ": ";
    }
    text = message.str().str();
  }
  std::string text, where;
};

/// The flag that a message complains about, if it is one that Clang does not know.
std::string unknown_flag(const std::string& message) {
  for (const char* beginning :
       {"unknown argument: '", "unknown argument '", "unsupported option '"}) {
    if (!message.starts_with(beginning)) continue;
    const auto first = std::string(beginning).size();
    return message.substr(first, message.find('\'', first) - first);
  }
  return {};
}

clang::tooling::ArgumentsAdjuster adjuster(const compilation& what,
                                           const std::vector<std::string>& refused,
                                           const std::string& directory) {
  return [resource = resource_directory(), added = what.added, refused, directory](
             const clang::tooling::CommandLineArguments& command, llvm::StringRef) {
    auto result = understandable(command, directory);
    for (const std::string& flag : refused) std::erase(result, flag);
    result.push_back("-fsyntax-only");
    result.push_back("-w");
    result.insert(result.end(), {"-include", overlay_name});
    result.insert(result.begin() + 1, std::string("-I") + overlay_folder);
    if (!resource.empty()) result.push_back("-resource-dir=" + resource);
    result.insert(result.end(), added.begin(), added.end());
    return result;
  };
}

/// One attempt. Returns the message of the first error, with its place in front of it in `where`.
std::string attempt(const clang::tooling::CompilationDatabase& commands, const std::string& file,
                    const clang::tooling::ArgumentsAdjuster& flags, collection& all,
                    std::string& where) {
  clang::tooling::ClangTool tool(commands, {file});
  tool.setPrintErrorMessage(false);
  tool.mapVirtualFile(overlay_name, overlay_text);
  std::vector<std::string> names;
  for (const auto& one : overlay_headers) {
    names.push_back(std::string(overlay_folder) + "/" + one.name);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    tool.mapVirtualFile(names[i], overlay_headers[i].text);
  }
  first_error errors;
  tool.setDiagnosticConsumer(&errors);
  tool.clearArgumentsAdjusters();
  tool.appendArgumentsAdjuster(clang::tooling::getClangStripOutputAdjuster());
  tool.appendArgumentsAdjuster(clang::tooling::getClangStripDependencyFileAdjuster());
  tool.appendArgumentsAdjuster(flags);
  factory actions(all);
  if (tool.run(&actions) == 0 && errors.text.empty()) return {};
  where = errors.where;
  return errors.text.empty() ? "no such file, or no command" : errors.text;
}

}  // namespace

unit_facts parse(const clang::tooling::CompilationDatabase& commands, const std::string& file,
                 const compilation& what) {
  std::vector<std::string> refused;
  const auto known = commands.getCompileCommands(file);
  const std::string directory = known.empty() ? std::string() : known.front().Directory;
  for (;;) {
    collection all{{}, {}, what.root};
    std::string where;
    const std::string why = attempt(commands, file, adjuster(what, refused, directory), all, where);
    // What another compiler took and Clang does not know is left out.
    const std::string flag = unknown_flag(why);
    if (!flag.empty() && std::ranges::find(refused, flag) == refused.end()) {
      refused.push_back(flag);
      continue;
    }
    if (!why.empty()) {
      all.report.failures.push_back("could not analyse " + file + ": " + where + why);
    }
    all.report.bytes = stored(all.into);
    return std::move(all.report);
  }
}

}  // namespace deed::check
