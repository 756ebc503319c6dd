// SPDX-License-Identifier: MIT
// The two vendors' files say the same, call by call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

/// The member functions of the table, without white space, vendors' names replaced by X.
std::map<std::string, std::string> functions_of(const std::string& vendor) {
  std::ifstream file(std::string(BACKEND_SOURCES) + vendor + ".cpp");
  std::stringstream text;
  text << file.rdbuf();
  std::string all = text.str();
  const auto replace = [&all](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = all.find(from, at)) != std::string::npos; at += to.size()) {
      all.replace(at, from.size(), to);
    }
  };
  // Where the vendors chose different words.
  replace("library().", "");
  replace("hipDeviceAttribute_t", "cudaDeviceAttr");
  for (const auto& [hip, cuda] : std::vector<std::pair<std::string, std::string>>{
           {"hipDeviceAttributeComputeCapabilityMajor", "cudaDevAttrComputeCapabilityMajor"},
           {"hipDeviceAttributeComputeCapabilityMinor", "cudaDevAttrComputeCapabilityMinor"},
           {"hipDeviceAttributeMultiprocessorCount", "cudaDevAttrMultiProcessorCount"},
           {"hipDeviceAttributeAsyncEngineCount", "cudaDevAttrAsyncEngineCount"},
           {"hipDeviceAttributeIntegrated", "cudaDevAttrIntegrated"},
           {"hipHostMalloc", "cudaHostAlloc"},
           {"hipHostFree", "cudaFreeHost"}}) {
    replace(hip, cuda);
  }
  replace("cuda", "X");
  replace("hip", "X");
  std::erase_if(all, [](unsigned char c) { return std::isspace(c); });

  std::map<std::string, std::string> found;
  const std::string begin = "status", marker = "noexceptoverride{";
  for (std::size_t at = 0; (at = all.find(marker, at)) != std::string::npos; at += marker.size()) {
    const std::size_t name = all.rfind(begin, at) + begin.size();
    std::size_t end = at + marker.size();
    for (int depth = 1; depth > 0 && end < all.size(); ++end) {
      depth += all[end] == '{' ? 1 : all[end] == '}' ? -1 : 0;
    }
    found[all.substr(name, all.find('(', name) - name)] = all.substr(name, end - name);
  }
  return found;
}

TEST(backends, cuda_and_hip_say_the_same) {
  const auto cuda = functions_of("cuda"), hip = functions_of("hip");
  ASSERT_GT(cuda.size(), 25u);
  for (const auto& [name, text] : cuda) {
    if (name == "count")
      continue;  // HIP has to find its library first; CUDA leaves the count alone.
    ASSERT_TRUE(hip.contains(name)) << name;
    EXPECT_EQ(hip.at(name), text) << name;
  }
  EXPECT_EQ(hip.size(), cuda.size());
}

}  // namespace
