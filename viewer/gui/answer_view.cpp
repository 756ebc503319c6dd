// SPDX-License-Identifier: MIT
#include "gui/panels.hpp"

#include <QResizeEvent>

using namespace deed::viewer;

namespace {

constexpr int roomy = 700; // Pixels from which on tables stand beside each other.

}

AnswerView::AnswerView(QWidget *parent)
    : QTextBrowser(parent)
{
    setFrameShape(QFrame::NoFrame);
    setOpenLinks(false);
    document()->setDocumentMargin(8);
    setOpenExternalLinks(false);
}

void AnswerView::setTheme(const Theme &theme)
{
    m_theme = theme;
    render();
}

void AnswerView::setAnswer(const answer &answer, const QString &links)
{
    m_answer = answer;
    m_links = links;
    render();
}

void AnswerView::resizeEvent(QResizeEvent *event)
{
    const bool other = (event->oldSize().width() > roomy) != (event->size().width() > roomy);
    QTextBrowser::resizeEvent(event);
    if (other)
        render();
}

void AnswerView::render()
{
    constexpr std::size_t mostRows = 400;
    const auto escaped = [](const std::string &text) {
        return QString::fromStdString(text).toHtmlEscaped();
    };
    QString html =
        QStringLiteral("<style>td,th{padding:2px 10px 2px 0;} "
                       "th{color:%1;font-weight:normal;text-align:left;} a{color:%2;}</style>")
            .arg(m_theme.dim.name(), m_theme.accent.name());
    bool first = true;
    for (const std::string &each : m_answer.sentences) {
        html += QStringLiteral("<p style='margin:%1px 0 4px 0'>%2</p>")
                    .arg(first ? 2 : 4)
                    .arg(escaped(each));
        first = false;
    }
    if (!m_links.isEmpty())
        html += QStringLiteral("<p>%1</p>").arg(m_links);
    // Small tables stand beside each other where there is room.
    const bool beside = width() > roomy;
    if (beside)
        html += QLatin1String("<table cellspacing=0><tr>");
    for (const table &each : m_answer.tables) {
        if (each.rows.empty() && m_answer.tables.size() > 1)
            continue;
        if (beside)
            html += QLatin1String("<td style='padding-right:28px' valign=top>");
        if (!each.title.empty())
            html += QStringLiteral("<p style='margin:8px 0 2px 0'><b>%1</b></p>")
                        .arg(escaped(each.title));
        html += QLatin1String("<table cellspacing=0>");
        bool named = false;
        for (const std::string &column : each.columns)
            named |= !column.empty();
        if (named) {
            html += QLatin1String("<tr>");
            for (const std::string &column : each.columns)
                html += QStringLiteral("<th>%1</th>").arg(escaped(column));
            html += QLatin1String("</tr>");
        }
        for (std::size_t r = 0; r < each.rows.size() && r < mostRows; ++r) {
            html += QLatin1String("<tr>");
            for (std::size_t c = 0; c < each.rows[r].size(); ++c)
                html += !named && c == 0
                            ? QStringLiteral("<td><font color='%1'>%2</font></td>")
                                  .arg(m_theme.dim.name(), escaped(each.rows[r][c]))
                            : QStringLiteral("<td>%1</td>").arg(escaped(each.rows[r][c]));
            html += QLatin1String("</tr>");
        }
        html += QLatin1String("</table>");
        if (each.rows.size() > mostRows)
            html += tr("<p>and %1 rows more: deed-trace prints them</p>")
                        .arg(each.rows.size() - mostRows);
        if (beside)
            html += QLatin1String("</td>");
    }
    if (beside)
        html += QLatin1String("</tr></table>");
    setHtml(html);
}
