// SPDX-License-Identifier: MIT
#include "models/tile_blocks.hpp"

#include <QObject>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

using namespace deed::viewer;

namespace {

using Place = std::pair<std::int32_t, std::int32_t>;

/// While data are still looked at.
struct OpenBlock {
    TileBlock block;
    std::map<Place, std::uint32_t> tiles;
};

TileBlock::Shape shapeOf(const datum &of)
{
    return of.i < 0 ? TileBlock::Names : of.j < 0 ? TileBlock::Line : TileBlock::Grid;
}

int placeIn(const std::vector<std::int32_t> &indices, std::int32_t index)
{
    return static_cast<int>(std::ranges::lower_bound(indices, index) - indices.begin());
}

/// Indices that no datum has, as between the parts of a sparse matrix, take no place.
TileBlock closed(OpenBlock open)
{
    TileBlock &made = open.block;
    std::set<std::int32_t> rows, columns;
    for (const auto &[place, handle] : open.tiles) {
        rows.insert(place.first);
        columns.insert(place.second);
    }
    made.rows.assign(rows.begin(), rows.end());
    made.columns.assign(columns.begin(), columns.end());
    for (const auto &[place, handle] : open.tiles)
        made.tiles.push_back(
            {handle, placeIn(made.rows, place.first), placeIn(made.columns, place.second)});
    return std::move(made);
}

} // namespace

std::vector<TileBlock> tileBlocks(const model &of)
{
    std::vector<OpenBlock> all;
    std::map<std::pair<std::string, TileBlock::Shape>, std::pair<std::size_t, int>> last;
    OpenBlock names{{.name = QObject::tr("other data"), .shape = TileBlock::Names}, {}};
    for (std::uint32_t h = 0; h < of.data().size(); ++h) {
        const datum &each = of.data()[h];
        const TileBlock::Shape shape = shapeOf(each);
        if (!each.known)
            continue;
        if (shape == TileBlock::Names) {
            names.tiles.emplace(Place(0, static_cast<std::int32_t>(names.tiles.size())), h);
            continue;
        }
        const Place place = shape == TileBlock::Line ? Place(0, each.i) : Place(each.i, each.j);
        auto &[block, count] = last[{each.group, shape}];
        if (count == 0 || all[block].tiles.contains(place)) {
            block = all.size();
            const QString name = QString::fromStdString(each.group);
            all.push_back({{.name = ++count == 1 ? name
                                                 : QStringLiteral("%1 (%2)").arg(
                                                       name, QString::number(count)),
                            .shape = shape},
                           {}});
        }
        all[block].tiles.emplace(place, h);
    }
    if (!names.tiles.empty())
        all.push_back(std::move(names));
    std::vector<TileBlock> made;
    for (OpenBlock &each : all)
        made.push_back(closed(std::move(each)));
    return made;
}
