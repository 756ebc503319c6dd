// SPDX-License-Identifier: MIT
#include "gui/codelet_colours.hpp"
#include "gui/theme.hpp"

#include <algorithm>
#include <numeric>
#include <string>

using namespace deed::viewer;

namespace {

/// FNV-1a: it has to be the same on every machine, which that of the library need not be.
std::size_t hashOf(const std::string &name)
{
    std::uint32_t hash = 2166136261u;
    for (const char each : name)
        hash = (hash ^ static_cast<unsigned char>(each)) * 16777619u;
    return hash;
}

/// Nobody wishes for the last, grey, in which work looks as if there were none.
std::size_t wishOf(const codelet &each)
{
    const auto recorded = Theme::recordedColour(each.colour);
    return recorded ? *recorded : hashOf(each.name) % (Theme::codeletColours - 1);
}

/// The first free one from `wish` on, the last only where nothing else is.
std::size_t nextFree(const std::vector<bool> &taken, std::size_t wish)
{
    const std::size_t last = taken.size() - 1;
    for (std::size_t i = 0; i < last; ++i)
        if (const std::size_t at = (wish + i) % last; !taken[at])
            return at;
    return last;
}

} // namespace

std::vector<std::size_t> codeletLooks(const std::vector<codelet> &codelets)
{
    std::vector<std::size_t> byName(codelets.size()), looks(codelets.size());
    std::iota(byName.begin(), byName.end(), std::size_t{0});
    std::ranges::sort(byName, {}, [&](std::size_t i) { return codelets[i].name; });
    for (std::size_t hatch = 0; !byName.empty(); ++hatch) {
        std::vector<bool> taken(Theme::codeletColours);
        std::size_t free = taken.size();
        std::vector<std::size_t> left;
        const auto take = [&](std::size_t codelet, std::size_t colour) {
            taken[colour] = true;
            --free;
            looks[codelet] = hatch * Theme::codeletColours + colour;
        };
        for (const std::size_t i : byName) // First those that have what they want.
            if (const std::size_t wish = wishOf(codelets[i]); taken[wish])
                left.push_back(i);
            else
                take(i, wish);
        byName.clear();
        for (const std::size_t i : left)
            if (free == 0)
                byName.push_back(i);
            else
                take(i, nextFree(taken, wishOf(codelets[i])));
    }
    return looks;
}
