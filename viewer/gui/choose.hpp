// SPDX-License-Identifier: MIT
#pragma once

#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QStringListModel>

/// Asks for one of many names: those with every word that is written, in any order, are shown.
class Choose : public QDialog
{
    Q_OBJECT
public:
    Choose(const QString &title, QStringList names, QWidget *parent = nullptr);
    /// Empty if none was chosen. Runs until it is closed.
    static QString ask(const QString &title, const QStringList &names, QWidget *parent);
    QString chosen() const;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void filter(const QString &words);

    QStringList m_names;
    QStringListModel m_shown;
    QLineEdit *m_words;
    QListView *m_list;
    QLabel *m_nothing;
};
