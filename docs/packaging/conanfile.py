# SPDX-License-Identifier: MIT
# Untested. A recipe for Conan 2, beside the sources: `conan create docs/packaging`.
from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout


class Deed(ConanFile):
    name = "deed"
    version = "0.1.0"
    license = "MIT"
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "../../*"
    requires = ("boost/[>=1.81]", "hwloc/[>=2.9]", "fmt/[>=9]", "cli11/[>=2.1]", "nlohmann_json/[>=3.11]", "xxhash/[>=0.8]",
                "zstd/[>=1.5]")
    default_options = {"boost/*:without_context": False, "boost/*:without_serialization": False}

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        tools = CMakeToolchain(self)
        for part in ("TESTS", "VIEWER", "CHECKER", "CUDA", "HIP", "CHOLESKY"):
            tools.cache_variables[f"DEED_{part}"] = "OFF"
        tools.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # Its own deedConfig.cmake is the package.
        self.cpp_info.builddirs.append("lib/cmake/deed")
