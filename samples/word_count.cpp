// SPDX-License-Identifier: MIT
// Counts words, as map-reduce does: a task per piece of text counts where the piece is, and the
// counts become one. Neither pieces nor counts have a size that anybody knows before.
#include <deed/deed.hpp>

#include <boost/serialization/map.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

namespace {

using counts = std::map<std::string, int>;

constexpr int pieces = 24;

void count_words(counts& found, const std::string& text) {
  std::istringstream words(text);
  for (std::string word; words >> word;) ++found[word];
}

constexpr deed::codelet count{"count", count_words};

constexpr auto merge = [](counts& all, const counts& more) {
  for (const auto& [word, number] : more) all[word] += number;
};

/// A piece of a text that nobody wrote; some words are frequent, as in any language.
std::string piece_of_text(int number) {
  std::string text;
  auto seed = static_cast<unsigned>(number + 1);
  const auto draw = [&seed](unsigned below) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 16) % below;
  };
  for (unsigned words = 200 + draw(800); words > 0; --words) {
    const unsigned which = draw(30) * draw(30) / 30;
    text += static_cast<char>('a' + which % 5);
    text += static_cast<char>('k' + which / 5);
    text += "o ";
  }
  return text;
}

void word_count(deed::session& session) {
  auto total = session.register_data(deed::owner{0}, counts{}, deed::reduction{merge, counts{}},
                                     {.name = "total"});
  for (int i = 0; i < pieces; ++i) {
    auto text = session.register_data(deed::owner{i % session.size()},
                                      [i] { return piece_of_text(i); }, {.name = "text"});
    // It writes nothing that is anybody's: it runs where most of what it reads is.
    session.insert_task(count, deed::reduce(total), deed::read(text));
  }
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.
  if (session.rank() != 0) return;

  counts expected;
  for (int i = 0; i < pieces; ++i) count_words(expected, piece_of_text(i));
  const auto found = session.borrow(deed::read(total));
  if (*found != expected)
    throw deed::stop_run(deed::exit_code::codelet_threw, "the counts differ from sequential ones");
  int words = 0;
  for (const auto& [_, number] : *found) words += number;
  const auto most = std::ranges::max_element(*found, {}, &counts::value_type::second);
  std::cout << words << " words, " << found->size() << " different ones; the most frequent is '"
            << most->first << "', " << most->second << " times\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, word_count); }
