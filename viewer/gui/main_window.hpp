// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "analysis/clock/clock_fit.hpp"
#include "analysis/query/moments.hpp"
#include "analysis/query/query.hpp"
#include "analysis/read/notes.hpp"
#include "gui/cache_curves.hpp"
#include "gui/focus_frame.hpp"
#include "gui/long_table.hpp"
#include "gui/ownership_panel.hpp"
#include "gui/panels.hpp"
#include "gui/theme.hpp"
#include "gui/timeline.hpp"
#include "gui/wait_graph.hpp"
#include "gui/what_if_bar.hpp"
#include "models/table_models.hpp"
#include "models/view_state.hpp"

#include <QComboBox>
#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QSlider>
#include <QTableWidget>
#include <QTimer>

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

/// A run and what its events are about.
struct OpenedRun {
    std::unique_ptr<deed::viewer::run> events;
    std::unique_ptr<deed::viewer::model> things;
    int milliseconds = 0;                    ///< That opening took.
    deed::viewer::clock_correction clocks{}; ///< What was taken from the times.
    /// What `clocks` says is taken from the times of ranks; read twice then.
    /// Threads: any. @throws deed::viewer::unreadable
    static OpenedRun open(const QString &path, deed::viewer::clock_correction clocks = {});
};

/// One run in one window: panels around one view state.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    explicit MainWindow(const QString &path, QWidget *parent = nullptr);
    explicit MainWindow(OpenedRun opened, QWidget *parent = nullptr);
    ~MainWindow() override;

    ViewState *state() const { return m_state; }
    Timeline *timeline() const { return m_timeline; }

    void setTheme(const Theme &theme);
    /// With the looks of the codelets of this run.
    const Theme &theme() const { return m_theme; }
    /// Brings the tab with this name to the front; false if there is none.
    bool showPanel(const QString &name);
    /// The panel in front that says most of "ownership", "communication" or "performance".
    bool showLayout(const QString &name);
    QStringList panelNames() const;
    /// Shows every panel once, also those that nobody has looked at: their questions are asked side
    /// by side, and meanwhile what is there is laid out.
    void answerAll();
    /// How much later tasks could have ended: as tables of the critical path, and in tooltips.
    void showSlack();
    /// "handle:A[3,2]", "task:gemm#12", "transfer:A[3,2] v4 to rank 3", "transfer:3", "event:17",
    /// "phase:step 3", "value:residual", "lane:rank 0 w00", "error".
    bool selectByName(const QString &text);
    /// One line of a script, also what the palette runs. An empty text when it worked.
    QString runCommand(const QString &line);
    /// A panel, or the one in front, as FILE.svg, .png or .csv. An empty text when it worked.
    QString exportPanel(const QString &name, const QString &file);
    /// Whether the last command failed because a file could not be written.
    bool cannotWrite() const { return m_cannotWrite; }
    static QStringList commandHelp();
    /// Shows of a run that has grown what `before` showed of it: selection, playhead, search, marks
    /// and keyboard. Visible, as only then it takes that.
    void continueFrom(const MainWindow &before);
    /// An action that whoever shows this window adds to its menus and keys.
    QWidget *panelInUse() const;
    void copyPanel();
    QAction *addToView(const QString &name, const QKeySequence &keys,
                       const std::function<void(bool)> &does);

signals:
    /// In a window that stands in another one, which has to be made anew with these.
    void clocksAsked(deed::viewer::clock_correction clocks);

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *of, QEvent *event) override;
    bool focusNextPrevChild(bool next) override;

private:
    /// Takes the words after its name; an empty text when it worked.
    using Command = std::function<QString(const QString &)>;
    using Commands = QHash<QString, Command>;
    Commands viewCommands();
    Commands goCommands();
    Commands fileCommands();
    Command stepCommand(int direction);
    static Command alone(std::function<void()> does);
    static Command oneOf(QList<QPair<QString, std::function<void()>>> words,
                         const QString &otherwise);
    QString whyNotAt(qint64 from, qint64 to) const;
    QString goToTime(const QString &text);
    QString showRanks(const QString &rest);
    QString chooseAxis(const QString &by);
    void checkAxis();
    /// What a panel shows, of what its menu of a right click has.
    static QString chooseShown(const QWidget &of, const QString &name);
    QString takeRange(const QString &text, const std::function<void(qint64, qint64)> &does);
    void buildDocks();
    void makePanels();
    void buildEventsView();
    void askPanels();
    void hideTitlesBelow();
    void followPanelsInFront();
    void buildReplayBar();
    void buildActions();
    struct Choice {
        QString name;
        std::function<void()> does;
    };
    void addChoices(QMenu *menu, const QString &panel, const QList<QWidget *> &canvases,
                    const QList<Choice> &choices);
    void buildMeasures(QMenu *analyse);
    struct Question;
    void answerWhenSeen(const QString &panel, Question question);
    static deed::viewer::answer ask(const Question &question, const deed::viewer::run_part &part);
    static void keepAnswer(Question &of, deed::viewer::answer said,
                           const deed::viewer::run_part &part);
    void answerQuestion(Question &question);
    void showAnswer(std::size_t number);
    void answerSeen();
    deed::viewer::run_part chosenPart() const;
    QDockWidget *addPanel(const QString &name, QWidget *content, Qt::DockWidgetArea area);
    std::uint32_t eventNumbered(std::uint32_t number) const;
    std::uint32_t transferNumbered(std::uint32_t number) const;
    std::uint32_t transferCalled(const QString &name) const;
    bool selectPhasesOf(const std::string &name);
    bool selectOfProgram(const QString &kind, const QString &name);
    bool openAtFirstError();
    void openAtTheEnd();
    void updateInspector();
    void inspectSelection();
    void updateTimeLabel();
    static bool isSeen(const QWidget *part);
    void updateWaitGraph();
    void collectFindings();
    void countFindings();
    void showTraffic(int src, int dst);
    void updateEventRow();
    void buildNotes();
    bool addMark(const QString &text);
    void showMarks();
    void stepMark(int direction);
    bool keepNotes();
    void startSearch(const std::string &text, int direction);
    void searchMoments(std::vector<deed::viewer::moment> found, int direction);
    void goToMoment(const deed::viewer::moment &which);
    void updateRangeAnswers();
    void followLink(const QUrl &link);
    void followCopies();
    void tick();
    void play(bool on);
    void step(int direction);
    using OwnerChange = std::pair<qint64, std::uint32_t>; // When it is done, and a record of it.
    const std::vector<OwnerChange> &ownerChanges();
    bool isAhead(std::uint32_t event, int direction) const;
    void stepHandle(int direction, bool transfersOnly);
    void stepRecord(int direction, std::initializer_list<deed::viewer::record> of);
    void stepOwner(int direction);
    void stepError(int direction);
    void stepMoment(int direction);
    bool stepRedundant(int direction);
    void backToWriter();
    void followFlow(int direction);
    void followResult(const deed::viewer::task &t);
    void goToTask(std::uint32_t index);
    void setPlayheadAndShow(Selection selection, qint64 time);
    /// 0: nowhere, only what is found.
    QString search(const QString &asked, int direction);
    void searchOn();
    void finishSearch();
    void leaveSearch();
    void showHits(std::vector<std::uint32_t> hits, bool all);
    void sayHits();
    void goToHit(int direction);
    void sayFound(const QString &text);
    void focusWhatHas(const QWidget *focus);
    void compareWithAnother();
    void changeClocks();
    QWidget *panelContent(const QString &name) const;
    QString panelInFront() const;
    deed::viewer::answer panelAnswer(QWidget *content) const;
    void exportPanelAsked(const QString &panel);
    void goToPanel(const QString &name);
    void showPalette();
    void askWhereTo();
    QAction *commandCalled(const QString &name) const;

    void widenInspector();

    int m_answerHeight = 270;   // Of the panels below, in pixels, as long as it is chosen here.
    int m_inspectorWidth = 330; // As somebody chose it; a small window may have less room.
    QSize m_settledSize;        // For which panels are laid out.
    std::unique_ptr<deed::viewer::run> m_run;
    std::unique_ptr<deed::viewer::model> m_model;
    deed::viewer::clock_correction m_clocks;
    ViewState *m_state;
    Theme m_theme;
    FocusFrame *m_focusFrame;
    Overview *m_overview;
    Timeline *m_timeline;
    Legend *m_legend;
    OwnershipPanel *m_ownership;
    CommMatrix *m_comm;
    HandleHistory *m_history;
    AnswerView *m_inspector;
    TimeShares *m_shares;
    AnswerView *m_durations;
    QWidget *m_sharesPanel;
    AnswerView *m_waits;
    WaitGraph *m_waitGraph;
    QTableWidget *m_marksView;
    QLabel *m_marksHint;
    QWidget *m_notesPanel;
    QWidget *m_waitsPanel;
    AnswerView *m_checks;
    AnswerView *m_path;
    WhatIfBar *m_whatIf;
    QWidget *m_pathPanel;
    std::optional<std::vector<deed::viewer::path_step>> m_pathSteps; // Once it was asked for.
    AnswerView *m_redundant;
    AnswerView *m_cache;
    std::unique_ptr<CopiesOverTime> m_copies;
    CacheCurves *m_cacheCurves;
    QWidget *m_cachePanel;
    AnswerView *m_errors;
    EventsModel *m_events;
    LongTable *m_eventsView;
    QLineEdit *m_searchBox;
    QString m_searched;                                 // The box may say something else since.
    std::optional<deed::viewer::event_search> m_search; // Of these events, as far as it is.
    bool m_searchSaid = false;                          // What it found is shown.
    int m_searchDirection = 0;
    std::pair<Selection, qint64> m_searchFrom; // What was selected, and the playhead.
    QTimer m_searchTimer;                      // While it goes on.
    QString m_found;                           // What `m_searchResult` says of that.
    QLabel *m_timeLabel;
    QLabel *m_searchResult;
    QComboBox *m_stepUnit;
    QSlider *m_speed;
    QLabel *m_speedLabel;
    QMenu *m_viewMenu;
    QAction *m_arrowsAction;
    QAction *m_axisAction;
    QAction *m_taskAxisAction;
    QAction *m_playAction;
    QAction *m_stopAtHits;
    std::vector<std::uint32_t> m_hits;           // Events that the search lets through.
    std::vector<deed::viewer::moment> m_moments; // At which a searched state begins.
    deed::viewer::run_notes m_notes;
    bool m_notesFail = false; // They are in no file.
    bool m_inScript = false;  // What it notes is kept where it says so.
    bool m_cannotWrite = false;
    QTimer m_timer;
    QTimer m_rangeTimer; // Until a range that somebody drags stands still.
    bool m_isNewRange = false;
    QHash<QString, QDockWidget *> m_panels;
    struct Question {
        AnswerView *view;
        std::function<deed::viewer::answer(const deed::viewer::run_part &)> ask;
        bool ofRange = false; // Of the selected range, where there is one.
        QString links = {};
        QString panel = {};
        bool asked = false;
        bool askedOfAll = false;
        std::optional<deed::viewer::answer> said = {};  // Until its panel is seen.
        std::optional<deed::viewer::answer> ofAll = {}; // While a range is selected.
    };
    std::vector<Question> m_questions;
    std::optional<std::vector<OwnerChange>> m_ownerChanges; // Once somebody steps through them.
    std::vector<deed::viewer::finding> m_findings; // Of a run that is checked when it is opened.
    QStringList m_panelOrder;
};
