// SPDX-License-Identifier: MIT
#include "gui/ownership_panel.hpp"

#include <utility>

using namespace deed::viewer;

QStringList OwnershipPanel::layoutNames()
{
    return {tr("most first"), tr("as registered"), tr("tiles")};
}

QStringList OwnershipPanel::measureNames()
{
    return QStringList{tr("copies")} + ShownHeat::names();
}

OwnershipPanel::OwnershipPanel(ViewState *state, QWidget *parent)
    : QStackedWidget(parent)
    , m_state(state)
    , m_matrix(new OwnershipMatrix(state))
    , m_tiles(new TileGrid(state))
{
    for (QWidget *each : canvases()) {
        addWidget(each);
        each->setFocusPolicy(Qt::StrongFocus);
    }
    setAccessibleName(tr("Ownership"));
    setFocusProxy(m_matrix);
}

void OwnershipPanel::setTheme(const Theme &theme)
{
    m_matrix->setTheme(theme);
    m_tiles->setTheme(theme);
}

void OwnershipPanel::setLayoutOf(Layout layout)
{
    const bool hadFocus = hasFocus() || m_matrix->hasFocus() || m_tiles->hasFocus();
    if (layout == Layout::Tiles)
        setCurrentWidget(m_tiles);
    else {
        m_matrix->setOrder(layout == Layout::MostFirst ? OwnershipMatrix::Order::MostFirst
                                                       : OwnershipMatrix::Order::AsRegistered);
        setCurrentWidget(m_matrix);
    }
    setFocusProxy(currentWidget());
    if (hadFocus)
        currentWidget()->setFocus();
}

void OwnershipPanel::setMeasure(int measure)
{
    m_measure = measure;
    showHeat();
}

void OwnershipPanel::setRange(const std::optional<time_range> &range)
{
    m_range = range;
    if (showsHeat())
        showHeat();
}

/// A measure is of all data: behind another panel it waits until somebody looks.
void OwnershipPanel::showHeat()
{
    m_isMeasured = false;
    if (isSeen())
        look();
}

bool OwnershipPanel::isSeen() const
{
    const QWidget *const canvas = static_cast<QAbstractScrollArea *>(currentWidget())->viewport();
    return canvas->isVisible() && !canvas->visibleRegion().isEmpty();
}

/// What one of them has looked up the other has, too.
void OwnershipPanel::look()
{
    if (std::exchange(m_isMeasured, true))
        return;
    const auto heat =
        showsHeat() ? std::make_shared<ShownHeat>(
                          m_state->model(), static_cast<deed::viewer::heat>(m_measure - 1), m_range)
                    : nullptr;
    m_matrix->setHeat(heat);
    m_tiles->setHeat(heat);
    m_state->restSoon();
}
