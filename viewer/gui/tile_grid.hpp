// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/state_at.hpp"
#include "gui/theme.hpp"
#include "models/shown_heat.hpp"
#include "models/tile_blocks.hpp"
#include "models/view_state.hpp"

#include <QAbstractScrollArea>
#include <QPoint>
#include <QRect>
#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

/// Data as the tiles that they are: a grid for each matrix, in the colours of their owners at the
/// playhead, or of how much of them moved.
class TileGrid : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit TileGrid(ViewState *state, QWidget *parent = nullptr);
    void setTheme(const Theme &theme);
    /// None: the owners at the playhead.
    void setHeat(std::shared_ptr<ShownHeat> heat);
    /// Where a datum is drawn; empty if it is none of the run.
    QRect tileRect(std::uint32_t handle) const;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    bool viewportEvent(QEvent *event) override;

private:
    struct Spot {
        std::size_t block = 0, tile = 0;
    };
    QString whyNot() const;
    void layOut();
    int placeAll();
    QSize sizeOf(const TileBlock &block) const;
    QRect rectOf(std::size_t block, const PlacedTile &tile) const;
    int perLine(const TileBlock &block) const;
    int cellWidth(const TileBlock &block) const;
    int cellHeight(const TileBlock &block) const;
    std::optional<Spot> spotOf(std::uint32_t handle) const;
    std::span<const PlacedTile> tilesBetween(std::size_t block, int top, int bottom) const;
    std::uint32_t handleAt(const QPoint &at) const;
    deed::viewer::datum_state stateOf(std::uint32_t handle);
    void paintBlock(QPainter &painter, std::size_t block);
    void paintTile(QPainter &painter, const QRect &where, std::uint32_t handle, bool named);
    void paintOwner(QPainter &painter, const QRect &where, std::uint32_t handle);
    void paintIndices(QPainter &painter, std::size_t block) const;
    void paintLegend(QPainter &painter);
    QString sayTile(std::uint32_t handle);
    void scrollToSelection();
    int scaled(int usual) const { return static_cast<int>(usual * m_scale); }
    int bottom() const; // Of the tiles; the legend is below.

    ViewState *m_state;
    Theme m_theme;
    std::shared_ptr<ShownHeat> m_heat;
    std::vector<TileBlock> m_blocks;
    std::vector<QPoint> m_corners; // Of the blocks, before they are scrolled.
    int m_high = 24;               // A tile.
    double m_scale = 1;            // Of all sizes, with the letters.
    std::unordered_map<std::uint32_t, deed::viewer::datum_seeker> m_seekers; // Of those seen.
};
