// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/what_if.hpp"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QList>
#include <QSlider>
#include <QTimer>
#include <QWidget>

#include <optional>
#include <utility>

/// What of a run may be otherwise, and how long it would take then at least.
class WhatIfBar : public QWidget
{
    Q_OBJECT
public:
    explicit WhatIfBar(const deed::viewer::model &model, QWidget *parent = nullptr);
    /// "gemm=0.5 bandwidth=2 latency=0.5 workers=inf"; what is not named is as it was. Empty when
    /// it worked.
    QString take(const QString &words);
    /// What somebody asked of the same run, before it grew.
    void continueFrom(const WhatIfBar &before);
    QString said() const { return m_said->text(); }

private:
    QDoubleSpinBox *addFactor(const QString &name, QBoxLayout *to);
    void showSliders();
    void showCodelet();
    void showChanges();
    void tell();

    const deed::viewer::model &m_model;
    deed::viewer::changes m_changes;
    std::optional<qint64> m_unchanged; // How long it would take at least without them.
    QComboBox *m_codelet;
    QDoubleSpinBox *m_time; // Of that codelet.
    QDoubleSpinBox *m_bandwidth;
    QDoubleSpinBox *m_latency;
    QList<std::pair<QDoubleSpinBox *, QSlider *>> m_sliders; // Each of a number.
    QCheckBox *m_workers;
    QLabel *m_said;
    QTimer m_soon; // Until somebody has written a number.
};
