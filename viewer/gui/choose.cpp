// SPDX-License-Identifier: MIT
#include "gui/choose.hpp"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace {

bool hasAll(const QString &name, const QStringList &words)
{
    return std::ranges::all_of(
        words, [&](const QString &word) { return name.contains(word, Qt::CaseInsensitive); });
}

} // namespace

Choose::Choose(const QString &title, QStringList names, QWidget *parent)
    : QDialog(parent)
    , m_names(std::move(names))
    , m_words(new QLineEdit)
    , m_list(new QListView)
    , m_nothing(new QLabel(tr("nothing found")))
{
    setWindowTitle(title);
    resize(560, 420);
    auto *layout = new QVBoxLayout(this);
    m_words->setPlaceholderText(tr("any words of it; Up and Down choose, Return takes it"));
    m_words->setAccessibleName(title);
    m_words->installEventFilter(this);
    layout->addWidget(m_words);
    m_list->setModel(&m_shown);
    m_list->setUniformItemSizes(true); // There may be very many.
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setAccessibleName(title);
    layout->addWidget(m_list);
    layout->addWidget(m_nothing);
    const auto take = [this] {
        if (m_list->currentIndex().isValid())
            accept();
    };
    connect(m_words, &QLineEdit::textChanged, this, &Choose::filter);
    connect(m_words, &QLineEdit::returnPressed, this, take);
    connect(m_list, &QListView::clicked, this, take);
    filter(QString());
}

QString Choose::ask(const QString &title, const QStringList &names, QWidget *parent)
{
    Choose question(title, names, parent);
    return question.exec() == Accepted ? question.chosen() : QString();
}

QString Choose::chosen() const
{
    return m_list->currentIndex().data().toString();
}

void Choose::filter(const QString &words)
{
    const QStringList all = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    QStringList fitting;
    std::ranges::copy_if(std::as_const(m_names), std::back_inserter(fitting),
                         [&](const QString &each) { return hasAll(each, all); });
    // What begins with the words is meant more often than what has them within.
    std::ranges::stable_partition(fitting, [&](const QString &each) {
        return each.startsWith(words.trimmed(), Qt::CaseInsensitive);
    });
    m_shown.setStringList(fitting);
    m_list->setCurrentIndex(m_shown.index(0));
    m_nothing->setVisible(fitting.isEmpty());
}

/// The keys of a list, while the words are being written.
bool Choose::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress)
        switch (static_cast<QKeyEvent *>(event)->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown:
            QCoreApplication::sendEvent(m_list, event);
            return true;
        }
    return QDialog::eventFilter(watched, event);
}
