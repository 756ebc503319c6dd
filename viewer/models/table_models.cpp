// SPDX-License-Identifier: MIT
#include "models/table_models.hpp"

#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

using namespace deed::viewer;

EventsModel::EventsModel(const deed::viewer::model &model, QObject *parent)
    : QAbstractTableModel(parent)
    , m_model(model)
{
}

int EventsModel::rowCount(const QModelIndex &parent) const
{
    if (parent.isValid())
        return 0;
    return static_cast<int>(m_events ? m_events->size() : m_model.events().events().size());
}

int EventsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : 4;
}

QVariant EventsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount() ||
        (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    const auto &e = m_model.events().events()[eventAt(index.row())];
    if (role == Qt::ToolTipRole)
        return QString::fromStdString(say_raw(m_model, e));
    switch (index.column()) {
    case 0:
        return QString::fromStdString(say_time(e.time));
    case 1:
        return QString::fromStdString(say_lane(m_model.events(), e.lane));
    case 2:
        return QString::fromUtf8(record_names[static_cast<std::size_t>(e.what)].data());
    default:
        return QString::fromStdString(say_event(m_model, e));
    }
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section > 3)
        return {};
    return QStringList{tr("Time"), tr("Lane"), tr("Record"), tr("What happened")}[section];
}

void EventsModel::setEvents(std::vector<std::uint32_t> events)
{
    beginResetModel();
    m_events = std::move(events);
    endResetModel();
}

void EventsModel::showAll()
{
    beginResetModel();
    m_events.reset();
    endResetModel();
}

int EventsModel::rowAt(qint64 time) const
{
    const auto rows = std::views::iota(0, rowCount());
    const auto after = std::ranges::upper_bound(
        rows, time, {}, [this](int row) { return m_model.events().events()[eventAt(row)].time; });
    return static_cast<int>(after - rows.begin()) - 1;
}

int EventsModel::rowOf(std::uint32_t event) const
{
    const auto rows = std::views::iota(0, rowCount());
    const auto at =
        std::ranges::lower_bound(rows, event, {}, [this](int row) { return eventAt(row); });
    return at != rows.end() && eventAt(*at) == event ? *at : -1;
}

AnswerModel::AnswerModel(deed::viewer::table table, QObject *parent)
    : QAbstractTableModel(parent)
    , m_table(std::move(table))
{
}

int AnswerModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int AnswerModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

QVariant AnswerModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || role != Qt::DisplayRole || index.row() >= rowCount())
        return {};
    const auto &row = m_table.rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    return column < row.size() ? QString::fromStdString(row[column]) : QVariant();
}

QVariant AnswerModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 ||
        section >= columnCount())
        return {};
    return QString::fromStdString(m_table.columns[static_cast<std::size_t>(section)]);
}
