// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/generate/generate.hpp"
#include "gui/main_window.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <QApplication>
#include <QImage>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace deed::viewer {

/// One window on one run with known faults, for all its tests.
class window : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    s_folder = new scratch_folder;
    generator_options options;
    options.path = s_folder->path() + "/run.deed";
    options.tiles = 6;
    options.inject = {{"dup_flush", 2}, {"deadlock", 1}};
    s_truth = new truth(generate(options));
  }
  static void TearDownTestSuite() {
    delete s_folder;
    delete s_truth;
  }
  void SetUp() override {
    for (const char *const kept : {"notes.json", "view.json"})  // By the window before.
      std::filesystem::remove(s_folder->path() + "/run.deed/" + kept);
    m_window = std::make_unique<MainWindow>(QString::fromStdString(s_folder->path() + "/run.deed"));
    m_window->resize(1000, 700);
    m_window->show();
    QApplication::processEvents();
  }
  /// A task whose result travels.
  std::string sender() const {
    const deed::viewer::model &m = m_window->state()->model();
    for (const transfer &x : m.transfers())
      if (const std::uint32_t writer = m.writer(x.handle, x.version);
          writer != none && m.tasks()[writer].rank == x.src && x.begin() >= m.tasks()[writer].end)
        return m.task_name(writer);
    return {};
  }
  QImage picture() { return m_window->grab().toImage().convertToFormat(QImage::Format_RGB32); }

  inline static scratch_folder *s_folder = nullptr;
  inline static truth *s_truth = nullptr;
  std::unique_ptr<MainWindow> m_window;
};

}  // namespace deed::viewer
