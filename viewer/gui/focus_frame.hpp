// SPDX-License-Identifier: MIT
#pragma once

#include "gui/theme.hpp"

#include <QObject>
#include <QPointer>
#include <QWidget>

/// A frame around what has the keyboard in a window, once somebody has moved it: a window that was
/// just opened is as it always was.
class FocusFrame : public QObject
{
    Q_OBJECT
public:
    explicit FocusFrame(QWidget *window);
    void setTheme(const Theme &theme);
    bool isOn() const { return m_on; }
    void setOn(bool on);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void follow(QWidget *before, QWidget *now);
    void show();

    QWidget *m_window;
    Theme m_theme;
    bool m_on = false;
    QPointer<QWidget> m_around;
    QPointer<QWidget> m_frame; // A part of `m_around`, moved and hidden with it.
};
