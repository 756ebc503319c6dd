// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

/// The raw events, as many as the filter lets through.
class EventsModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    explicit EventsModel(const deed::viewer::model &model, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Shows these events only; in time order.
    void setEvents(std::vector<std::uint32_t> events);
    void showAll();
    std::uint32_t eventAt(int row) const
    {
        return m_events ? (*m_events)[static_cast<std::size_t>(row)]
                        : static_cast<std::uint32_t>(row);
    }
    /// The last row that is not later than `time`; -1 if all are later.
    int rowAt(qint64 time) const;
    /// -1 if it is not shown.
    int rowOf(std::uint32_t event) const;

private:
    const deed::viewer::model &m_model;
    std::optional<std::vector<std::uint32_t>> m_events; // None: all.
};

/// A table of an answer.
class AnswerModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    explicit AnswerModel(deed::viewer::table table, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    deed::viewer::table m_table;
};
