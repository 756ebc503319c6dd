# SPDX-License-Identifier: MIT
# Untested. A port for vcpkg: an overlay folder with this file and vcpkg.json. DEED_SOURCE names a checkout.
set(SOURCE_PATH "$ENV{DEED_SOURCE}")
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DDEED_TESTS=OFF -DDEED_VIEWER=OFF -DDEED_CHECKER=OFF -DDEED_CUDA=OFF -DDEED_HIP=OFF -DDEED_CHOLESKY=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/deed)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
