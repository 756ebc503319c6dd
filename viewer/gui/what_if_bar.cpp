// SPDX-License-Identifier: MIT
#include "gui/what_if_bar.hpp"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace deed::viewer;

namespace {

constexpr double leastFactor = 0.01, mostFactor = 1'000;
/// Of a slider: a tenth to ten times, 1 in the middle. Numbers go further.
constexpr int sliderReach = 100;

} // namespace

WhatIfBar::WhatIfBar(const model &model, QWidget *parent)
    : QWidget(parent)
    , m_model(model)
    , m_codelet(new QComboBox)
    , m_workers(new QCheckBox(tr("unlimited workers")))
    , m_said(new QLabel)
{
    setAccessibleName(tr("What if"));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // No narrow window gets wider by it.
    auto *rows = new QVBoxLayout(this);
    rows->setContentsMargins(6, 3, 6, 3);
    rows->setSpacing(2);
    auto *row = new QHBoxLayout;
    rows->addLayout(row);
    row->addWidget(new QLabel(tr("What if")));
    for (const codelet &each : model.codelets())
        if (const QString name = QString::fromStdString(each.name); m_codelet->findText(name) < 0)
            m_codelet->addItem(name);
    m_codelet->setAccessibleName(tr("Codelet"));
    m_codelet->setEnabled(m_codelet->count() != 0);
    row->addWidget(m_codelet);
    m_time = addFactor(tr("took"), row);
    m_time->setSuffix(tr(" times as long"));
    m_bandwidth = addFactor(tr("bandwidth"), row);
    m_latency = addFactor(tr("latency"), row);
    row->addWidget(m_workers);
    m_said->setAccessibleName(tr("How long the run would take"));
    m_said->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_said->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // It may be long.
    m_said->setMinimumHeight(m_said->fontMetrics().height()); // Before it says anything, too.
    rows->addWidget(m_said);
    connect(m_codelet, &QComboBox::currentIndexChanged, this, &WhatIfBar::showCodelet);
    connect(m_time, &QDoubleSpinBox::valueChanged, this, [this](double factor) {
        m_changes.codelets[m_codelet->currentText().toStdString()] = factor;
    });
    connect(m_bandwidth, &QDoubleSpinBox::valueChanged, this,
            [this](double factor) { m_changes.bandwidth = factor; });
    connect(m_latency, &QDoubleSpinBox::valueChanged, this,
            [this](double factor) { m_changes.latency = factor; });
    connect(m_workers, &QCheckBox::toggled, this,
            [this](bool on) { m_changes.endless_workers = on; });
    connect(m_workers, &QCheckBox::toggled, &m_soon, qOverload<>(&QTimer::start));
    m_soon.setSingleShot(true);
    m_soon.setInterval(150);
    connect(&m_soon, &QTimer::timeout, this, &WhatIfBar::tell);
}

QDoubleSpinBox *WhatIfBar::addFactor(const QString &name, QBoxLayout *to)
{
    auto *factor = new QDoubleSpinBox;
    factor->setRange(leastFactor, mostFactor);
    factor->setDecimals(2);
    factor->setSingleStep(0.1);
    factor->setValue(1);
    factor->setSuffix(tr(" times"));
    factor->setKeyboardTracking(false);
    factor->setAccessibleName(name);
    auto *slider = new QSlider(Qt::Horizontal);
    slider->setRange(-sliderReach, sliderReach);
    slider->setPageStep(sliderReach / 10);
    slider->setMinimumWidth(60);
    slider->setAccessibleName(tr("%1, a tenth to ten times").arg(name));
    slider->setToolTip(slider->accessibleName());
    m_sliders.append({factor, slider});
    to->addWidget(new QLabel(name));
    to->addWidget(slider, 1);
    to->addWidget(factor);
    connect(slider, &QSlider::valueChanged, factor, [factor](int value) {
        factor->setValue(std::pow(10, static_cast<double>(value) / sliderReach));
    });
    connect(factor, &QDoubleSpinBox::valueChanged, this, &WhatIfBar::showSliders);
    connect(factor, &QDoubleSpinBox::valueChanged, &m_soon, qOverload<>(&QTimer::start));
    return factor;
}

/// As the numbers are; one that somebody drags stays where it is.
void WhatIfBar::showSliders()
{
    for (const auto &[factor, slider] : std::as_const(m_sliders)) {
        const QSignalBlocker block(slider);
        if (!slider->isSliderDown())
            slider->setValue(qRound(sliderReach * std::log10(factor->value())));
    }
}

/// The factor of the codelet that is chosen; that of others goes on to count.
void WhatIfBar::showCodelet()
{
    const auto known = m_changes.codelets.find(m_codelet->currentText().toStdString());
    const QSignalBlocker block(m_time);
    m_time->setValue(known == m_changes.codelets.end() ? 1 : known->second);
    showSliders();
}

void WhatIfBar::showChanges()
{
    if (!m_changes.codelets.empty())
        m_codelet->setCurrentText(QString::fromStdString(m_changes.codelets.begin()->first));
    showCodelet();
    const QSignalBlocker bandwidth(m_bandwidth), latency(m_latency), workers(m_workers);
    m_bandwidth->setValue(m_changes.bandwidth);
    m_latency->setValue(m_changes.latency);
    m_workers->setChecked(m_changes.endless_workers);
    showSliders();
}

QString WhatIfBar::take(const QString &words)
{
    changes wanted;
    for (const QString &each : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const QString name = each.section(QLatin1Char('='), 0, -2),
                      value = each.section(QLatin1Char('='), -1);
        bool number = false;
        const double factor = value.toDouble(&number);
        const bool fits = number && factor >= leastFactor && factor <= mostFactor;
        if (name == QLatin1String("workers") && value == QLatin1String("inf"))
            wanted.endless_workers = true;
        else if (!fits)
            return tr("write gemm=0.5, bandwidth=2, latency=0.5 or workers=inf");
        else if (name == QLatin1String("bandwidth"))
            wanted.bandwidth = factor;
        else if (name == QLatin1String("latency"))
            wanted.latency = factor;
        else if (m_codelet->findText(name) >= 0)
            wanted.codelets[name.toStdString()] = factor;
        else
            return tr("there is no codelet `%1` in this run").arg(name);
    }
    m_changes = std::move(wanted);
    showChanges();
    tell();
    return {};
}

void WhatIfBar::continueFrom(const WhatIfBar &before)
{
    if (before.isHidden())
        return;
    show();
    m_changes = before.m_changes;
    showChanges();
    m_codelet->setCurrentText(before.m_codelet->currentText());
    if (!before.said().isEmpty())
        tell();
}

/// A pass over the tasks: when somebody has changed something.
void WhatIfBar::tell()
{
    m_soon.stop();
    if (!m_unchanged)
        m_unchanged = shortest_time(m_model, {});
    m_said->setText(QString::fromStdString(say_what_if(m_model, m_changes, m_unchanged)));
    QStringList all{m_said->text()};
    for (const std::string &each : caveats_of_what_if(m_model))
        all += QString::fromStdString(each);
    all += QLatin1String(what_if_is_a_bound);
    m_said->setToolTip(all.join(QLatin1Char('\n')));
}
