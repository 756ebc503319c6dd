// SPDX-License-Identifier: MIT
#pragma once

#include "gui/ownership_matrix.hpp"
#include "gui/tile_grid.hpp"

#include <QList>
#include <QStackedWidget>
#include <QStringList>

#include <optional>

/// Who has what, or how much of it moved: as rows of handles and ranks, or as tiles.
class OwnershipPanel : public QStackedWidget
{
    Q_OBJECT
public:
    enum class Layout { MostFirst, AsRegistered, Tiles };
    /// In their order: "most first".
    static QStringList layoutNames();
    /// "copies", which are those at the playhead, and the names of heat.
    static QStringList measureNames();

    explicit OwnershipPanel(ViewState *state, QWidget *parent = nullptr);
    void setTheme(const Theme &theme);
    void setLayoutOf(Layout layout);
    /// By its place among the names.
    void setMeasure(int measure);
    bool showsHeat() const { return m_measure > 0; }
    /// Of the measures; none: the whole run.
    void setRange(const std::optional<deed::viewer::time_range> &range);
    /// Somebody sees it: what is to be shown is measured, if that was not done.
    void look();
    /// Which have the same menu.
    QList<QWidget *> canvases() const { return {m_matrix, m_tiles}; }

private:
    void showHeat();
    bool isSeen() const;

    ViewState *m_state;
    OwnershipMatrix *m_matrix;
    TileGrid *m_tiles;
    int m_measure = 0;
    bool m_isMeasured = true; // What is chosen is what is shown.
    std::optional<deed::viewer::time_range> m_range;
};
