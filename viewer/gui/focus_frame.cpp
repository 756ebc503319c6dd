// SPDX-License-Identifier: MIT
#include "gui/focus_frame.hpp"

#include <QApplication>
#include <QEvent>
#include <QPainter>

namespace {

/// Two lines, so that one of them is seen on any ground.
class Lines : public QWidget
{
public:
    Lines(const Theme &theme, QWidget *around)
        : QWidget(around)
        , m_theme(theme)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setGeometry(around->rect());
        raise();
        show();
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        const auto line = [&](const QColor &colour, int wide, double inside) {
            QPen pen(colour, wide);
            pen.setJoinStyle(Qt::MiterJoin);
            painter.setPen(pen);
            painter.drawRect(QRectF(rect()).adjusted(inside, inside, -inside, -inside));
        };
        line(m_theme.accent, 2, 1);
        line(m_theme.base, 1, 2.5);
    }

private:
    Theme m_theme;
};

} // namespace

FocusFrame::FocusFrame(QWidget *window)
    : QObject(window)
    , m_window(window)
{
    connect(qApp, &QApplication::focusChanged, this, &FocusFrame::follow);
}

void FocusFrame::setTheme(const Theme &theme)
{
    m_theme = theme;
    show();
}

void FocusFrame::setOn(bool on)
{
    m_on = on;
    show();
}

/// A window that comes to the front has the keyboard where it was.
void FocusFrame::follow(QWidget *before, QWidget *now)
{
    if (now == nullptr || !m_window->isAncestorOf(now))
        return;
    m_on = m_on || (before != nullptr && m_window->isAncestorOf(before));
    if (m_around != nullptr)
        m_around->removeEventFilter(this);
    m_around = now;
    m_around->installEventFilter(this);
    show();
}

void FocusFrame::show()
{
    delete m_frame;
    if (m_on && m_around != nullptr)
        m_frame = new Lines(m_theme, m_around);
}

bool FocusFrame::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize && m_frame != nullptr)
        m_frame->setGeometry(m_around->rect());
    return QObject::eventFilter(watched, event);
}
