// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/outline.hpp"
#include "gui/main_window.hpp"
#include "gui/theme.hpp"

#include <QWidget>

#include <chrono>
#include <optional>

/// A first picture of a run, from the headers of its packets alone: how much each thread recorded
/// over time, and where it lost events.
class OutlineWindow : public QWidget
{
    Q_OBJECT
public:
    /// `hint` says what is missing in the picture, and why.
    OutlineWindow(deed::viewer::run_outline outline, const QString &hint,
                  QWidget *parent = nullptr);
    void setTheme(const Theme &theme);

signals:
    void closed();

protected:
    void paintEvent(QPaintEvent *event) override;
    void closeEvent(QCloseEvent *event) override;

private:
    /// Bytes of each lane that fall on each pixel.
    std::vector<std::vector<double>> densities(int width) const;
    void paintHead(QPainter &painter, const QRectF &plot) const;
    void paintLane(QPainter &painter, const QRectF &row, std::size_t lane,
                   const std::vector<double> &density, double most) const;
    void paintNames(QPainter &painter, double rowHeight) const;
    double xOf(qint64 time, const QRectF &plot) const;

    deed::viewer::run_outline m_outline;
    QString m_hint;
    Theme m_theme;
};

/// Opens a run; if that takes longer than `patience`, the outline is there meanwhile. Nothing if
/// its window was closed; the run is then still being read. Not for a run without a window.
/// @throws deed::viewer::unreadable
[[nodiscard]] std::optional<OpenedRun>
openWithOutline(const QString &path, deed::viewer::clock_correction clocks, const Theme &theme,
                std::chrono::milliseconds patience = std::chrono::milliseconds(100));
