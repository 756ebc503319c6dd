// SPDX-License-Identifier: MIT
#include "gui/layouts.hpp"

#include <QSettings>

namespace {

constexpr int version = 1; // Of the set of panels.

struct Settings : QSettings {
    Settings()
        : QSettings(QStringLiteral("deed"), QStringLiteral("deed-view"))
    {
    }
};

} // namespace

void keepLayout(const QMainWindow &window)
{
    Settings of;
    of.setValue(QStringLiteral("layout"), window.saveState(version));
    of.setValue(QStringLiteral("size"), window.size());
}

bool takeLayout(QMainWindow &window)
{
    const Settings of;
    const QByteArray state = of.value(QStringLiteral("layout")).toByteArray();
    if (state.isEmpty() || !window.restoreState(state, version))
        return false;
    const QSize size = of.value(QStringLiteral("size")).toSize();
    if (size.width() >= 200 && size.height() >= 150)
        window.resize(size);
    return true;
}

void forgetLayout()
{
    Settings().clear();
}
