// SPDX-License-Identifier: MIT
#include "gui/panels.hpp"

#include <QKeyEvent>
#include <QResizeEvent>
#include <QScrollBar>
#include <QStringList>

#include <algorithm>
#include <utility>

using namespace deed::viewer;

namespace {

constexpr std::size_t firstRows = 40, mostRows = 400;
constexpr std::size_t shortText = 24; // Letters that need no second line.
constexpr int between = 28;           // Pixels from one table to the next.

/// Columns that say nothing in any row are left out: `circle`, where nobody waits in one.
std::vector<std::size_t> columnsOf(const table &wanted)
{
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < wanted.columns.size(); ++c)
        if (wanted.rows.empty() || std::ranges::any_of(wanted.rows, [c](const auto &row) {
                return c < row.size() && !row[c].empty();
            }))
            columns.push_back(c);
    return columns;
}

/// Pixels that a table would like to have. Long texts do with less: they wrap.
int wishOf(const table &wanted, const QFont &font)
{
    constexpr int longest = 240, gap = 13; // With the edges of cells.
    QFont bold = font;
    bold.setBold(true);
    const QFontMetrics metrics(font);
    int sum = 0;
    for (const std::size_t c : columnsOf(wanted)) {
        int widest = 0;
        const auto look = [&](const auto &row) {
            if (c < row.size())
                widest =
                    std::max(widest, metrics.horizontalAdvance(QString::fromStdString(row[c])));
        };
        look(wanted.columns);
        for (std::size_t r = 0; r < wanted.rows.size() && r < mostRows; ++r)
            look(wanted.rows[r]);
        sum += std::min(longest, widest) + gap;
    }
    return std::max(sum,
                    QFontMetrics(bold).horizontalAdvance(QString::fromStdString(wanted.title)));
}

/// What nobody reads in two lines: numbers, and where there is room names of things.
bool isWhole(const cell &of, bool hasRoom)
{
    return of.in() != unit::text ||
           (hasRoom && of.size() <= shortText && of.find('\n') == std::string::npos);
}

/// A row of `#`, as of a histogram.
bool isBar(const cell &of)
{
    return !of.empty() && of.find_first_not_of('#') == std::string::npos;
}

/// A function without what its templates are of: of a backtrace the names are what is read, and of
/// "runner<closure<std::tuple<...>>, ...>::run(frame const&)" a window has ten lines.
QString shortFunction(const QString &name)
{
    constexpr qsizetype readable = 72;
    if (name.size() <= readable)
        return name;
    const QLatin1String dots("...");
    QString made;
    int depth = 0;
    for (qsizetype i = 0; i < name.size(); ++i) {
        const bool word = i >= 8 && QStringView(name).mid(i - 8, 8) == QLatin1String("operator");
        const bool arrow = name[i] == QLatin1Char('>') && i > 0 && name[i - 1] == QLatin1Char('-');
        if (name[i] == QLatin1Char('<') && !word && depth++ == 0)
            made += QLatin1Char('<') + dots;
        if (name[i] == QLatin1Char('>') && !word && !arrow && depth > 0)
            --depth;
        if (depth == 0)
            made += name[i];
    }
    return depth == 0 ? made : name; // Else it is none that it was taken for.
}

} // namespace

AnswerView::AnswerView(QWidget *parent)
    : QTextBrowser(parent)
{
    setFrameShape(QFrame::NoFrame);
    setOpenLinks(false);
    document()->setDocumentMargin(8);
    setOpenExternalLinks(false);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &AnswerView::addRows);
}

void AnswerView::setTheme(const Theme &theme)
{
    m_theme = theme;
    render();
}

void AnswerView::setAnswer(answer said, const QString &links)
{
    m_answer = std::move(said);
    m_links = links;
    m_wishes.clear();
    m_rows = firstRows;
    render();
}

void AnswerView::setWhole(answer said)
{
    setAnswer(std::move(said));
    if (!m_isCut)
        return;
    m_rows = mostRows;
    render();
}

/// To lay out a text takes longer than to find out what it says.
void AnswerView::addRows()
{
    const QScrollBar *const bar = verticalScrollBar();
    if (!m_isCut || bar->value() == 0 || bar->value() < bar->maximum() - bar->pageStep())
        return;
    m_rows = mostRows;
    m_isCut = false; // It is called again from below.
    const int at = bar->value();
    render();
    verticalScrollBar()->setValue(at);
}

void AnswerView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::FontChange)
        m_wishes.clear();
    QTextBrowser::changeEvent(event);
}

/// Where nothing is selected the window copies all of it.
bool AnswerView::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride && !textCursor().hasSelection() &&
        static_cast<QKeyEvent *>(event)->matches(QKeySequence::Copy))
        return false;
    return QTextBrowser::event(event);
}

void AnswerView::resizeEvent(QResizeEvent *event)
{
    QTextBrowser::resizeEvent(event);
    if (!m_isBeingSet && isOtherwise())
        render();
}

/// Than it was drawn.
bool AnswerView::isOtherwise()
{
    return besideEachOther() != m_beside || fitting() != m_fitting;
}

/// A scroll bar may come of that, and change the size: a text that is set within another one that
/// is being set would stand before the rest of that. Once, as it may go again.
void AnswerView::layOut(const QString &html)
{
    m_isBeingSet = true;
    setHtml(html);
    m_isBeingSet = false;
}

bool AnswerView::leftOut(const table &which) const
{
    return which.rows.empty() && m_answer.tables.size() > 1;
}

int AnswerView::room() const
{
    return viewport()->width() - 2 * static_cast<int>(document()->documentMargin());
}

/// How many tables have all the room that they would like to have.
std::ptrdiff_t AnswerView::fitting() const
{
    return std::ranges::count_if(m_wishes, [this](int wish) { return wish <= room(); });
}

/// How many tables stand in each line: small ones beside each other, where there is room.
std::vector<int> AnswerView::besideEachOther()
{
    // Asked at each change of the size, while to measure a text costs as much as to draw it.
    if (m_wishes.empty())
        for (const table &each : m_answer.tables)
            if (!leftOut(each))
                m_wishes.push_back(wishOf(each, font()));
    std::vector<int> lines;
    int left = 0;
    for (const int wish : m_wishes) {
        if (lines.empty() || wish > left) {
            lines.push_back(0);
            left = room();
        }
        ++lines.back();
        left -= wish + between;
    }
    return lines;
}

void AnswerView::render()
{
    layOut(asHtml());
    if (isOtherwise())
        layOut(asHtml());
}

QString AnswerView::asHtml()
{
    const auto escaped = [](const std::string &text) {
        return QString::fromStdString(text).toHtmlEscaped().replace(QLatin1Char('\n'),
                                                                    QLatin1String("<br>"));
    };
    QString html = QStringLiteral("<style>td,th{padding:1px 10px 1px 0;} "
                                  "th{color:%1;font-weight:normal;text-align:left;} a{color:%2;} "
                                  "td.whole,th.whole{white-space:nowrap;}</style>")
                       .arg(m_theme.dim.name(), m_theme.accent.name());
    QStringList paragraphs;
    for (const std::string &each : m_answer.sentences)
        paragraphs += escaped(each);
    if (!m_links.isEmpty() && paragraphs.size() == 1)
        paragraphs.first() += QStringLiteral(" &nbsp; ") + m_links; // Rows need the height.
    else if (!m_links.isEmpty())
        paragraphs += m_links;
    bool first = true;
    for (const QString &each : std::as_const(paragraphs)) {
        html +=
            QStringLiteral("<p style='margin:%1px 0 4px 0'>%2</p>").arg(first ? 2 : 4).arg(each);
        first = false;
    }
    m_beside = besideEachOther();
    m_fitting = fitting();
    m_isCut = false;
    std::size_t line = 0;
    int inLine = 0; // Tables so far.
    std::size_t shown = 0;
    for (const table &each : m_answer.tables) {
        if (leftOut(each))
            continue;
        const bool beside = m_beside[line] > 1;
        const bool hasRoom = m_wishes[shown++] <= room();
        if (beside && inLine == 0)
            html += QLatin1String("<table cellspacing=0><tr>");
        if (beside)
            html += QStringLiteral("<td style='padding:8px %1px 0 0' valign=top>").arg(between);
        if (!each.title.empty())
            html += QStringLiteral("<p style='margin:8px 0 2px 0'><b>%1</b></p>")
                        .arg(escaped(each.title));
        html += QLatin1String("<table cellspacing=0>");
        const std::vector<std::size_t> columns = columnsOf(each);
        bool named = false;
        for (const std::string &column : each.columns)
            named |= !column.empty();
        if (named) {
            html += QLatin1String("<tr>");
            for (const std::size_t c : columns)
                html += QLatin1String(each.columns[c].size() <= shortText ? "<th class=whole>"
                                                                          : "<th>") +
                        escaped(each.columns[c]) + QLatin1String("</th>");
            html += QLatin1String("</tr>");
        }
        for (std::size_t r = 0; r < each.rows.size() && r < m_rows; ++r) {
            html += QLatin1String("<tr>");
            for (const std::size_t c : columns) {
                QString cell = c < each.rows[r].size() ? escaped(each.rows[r][c]) : QString();
                const bool word = !named && c == 0;
                const bool whole =
                    c < each.rows[r].size() && isWhole(each.rows[r][c], word || hasRoom);
                if (const auto &frames = m_answer.backtrace;
                    c < each.rows[r].size() &&
                    std::ranges::find(frames, each.rows[r][c]) != frames.end())
                    cell =
                        QStringLiteral("<span title='%1'>%2</span>")
                            .arg(QString(cell).replace(QLatin1Char('\''), QLatin1String("&#39;")),
                                 shortFunction(QString::fromStdString(each.rows[r][c]))
                                     .toHtmlEscaped());
                if (c == columns.front() && r < each.links.size() && !each.links[r].empty())
                    cell = QStringLiteral("<a href='%1'>%2</a>").arg(escaped(each.links[r]), cell);
                if (c < each.rows[r].size() && isBar(each.rows[r][c]))
                    cell =
                        QStringLiteral("<span style='background-color:%1'>%2</span>")
                            .arg(m_theme.owner.name(),
                                 QString(cell).replace(QLatin1Char('#'), QLatin1String("&nbsp;")));
                if (word)
                    cell =
                        QStringLiteral("<font color='%1'>%2</font>").arg(m_theme.dim.name(), cell);
                html += QLatin1String(whole ? "<td class=whole>" : "<td>") + cell +
                        QLatin1String("</td>");
            }
            html += QLatin1String("</tr>");
        }
        html += QLatin1String("</table>");
        m_isCut |= each.rows.size() > m_rows && m_rows < mostRows;
        const std::size_t rows = std::min(each.rows.size(), m_rows);
        if (const std::size_t more = each.rows.size() - rows + each.left_out; more != 0)
            html += tr("<p>and %1 rows more: deed-trace prints them</p>").arg(more);
        if (beside)
            html += QLatin1String("</td>");
        if (++inLine < m_beside[line])
            continue;
        if (beside)
            html += QLatin1String("</tr></table>");
        ++line;
        inLine = 0;
    }
    return html;
}
