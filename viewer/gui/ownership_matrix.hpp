// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/state_at.hpp"
#include "gui/ownership_looks.hpp"
#include "gui/theme.hpp"
#include "models/shown_heat.hpp"
#include "models/view_state.hpp"

#include <QAbstractScrollArea>
#include <QHash>
#include <QPixmap>
#include <QPoint>
#include <QString>

#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

/// Rows are handles, columns are ranks: who owns and holds what at the playhead, or how much of it
/// moved.
class OwnershipMatrix : public QAbstractScrollArea
{
    Q_OBJECT
public:
    enum class Order { MostFirst, AsRegistered };

    explicit OwnershipMatrix(ViewState *state, QWidget *parent = nullptr);
    void setTheme(const Theme &theme);
    /// None: the copies at the playhead.
    void setHeat(std::shared_ptr<ShownHeat> heat);
    void setOrder(Order order);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    bool viewportEvent(QEvent *event) override;

private:
    static constexpr int nameWidth = 96, rowHeight = 19, headHeight = 22, legendHeight = 24;
    struct Painted {
        // To lay a text out takes longer than all the rest of a cell, and many cells say the same.
        QHash<quint64, QPixmap> pictures;
        std::set<Lack> lacking; // Of what is seen.
    };
    QString whyNot() const;
    std::vector<int> rowsInView() const;
    void sortRows();
    void orderRows();
    int namesLeft(int block) const;
    // The handles stand in as many columns of rows as the width has place for.
    int blocks() const;
    int rowsPerBlock() const;
    int blockWidth() const;
    int columns() const; // Of cells.
    int handleAt(const QPoint &at) const;
    QPoint cornerOf(int index) const;
    int cellWidth() const;
    void chooseWidth();
    int scaled(int usual) const { return static_cast<int>(usual * m_scale); }
    QPixmap picture(const deed::viewer::copy_at &copy, bool owner, Lack lack,
                    const QSize &size) const;
    void paintCopies(QPainter &painter, int index, Painted &painted);
    void paintHeat(QPainter &painter, int index);
    void paintName(QPainter &painter, int index) const;
    void paintHead(QPainter &painter) const;
    void paintLegend(QPainter &painter, const std::set<Lack> &lacking) const;
    void paintHeatLegend(QPainter &painter) const;
    void sayAtRight(QPainter &painter, int x, const QString &what) const;
    QString sayHeat(std::uint32_t handle, int column) const;
    void updateScrollBars();
    void scrollToSelection();

    ViewState *m_state;
    Theme m_theme;
    std::shared_ptr<ShownHeat> m_heat;
    Order m_order = Order::MostFirst;
    std::vector<std::uint32_t> m_handles;
    std::vector<bool> m_used;        // By handle: whether a task uses it.
    std::uint32_t m_lastVersion = 0; // Of all.
    int m_widestCell = 44;
    double m_scale = 1; // Of all sizes, with the letters.
    std::unordered_map<std::uint32_t, deed::viewer::datum_seeker> m_seekers; // Of those seen.
};
