# SPDX-License-Identifier: MIT
# Untested. A recipe for Spack: put it into packages/deed/ of a repository of your own, and name the place of your copy.
from spack.package import *


class Deed(CMakePackage):
    """Distributed task programs on data whose ownership is proved before anything runs."""

    # git = where your copy lives
    version("main", branch="main")

    variant("mpi", default=True, description="Ranks as processes of MPI")
    variant("cuda", default=False, description="Devices of CUDA")
    variant("rocm", default=False, description="Devices of HIP")
    variant("viewer", default=False, description="The window deed-view")
    variant("checker", default=False, description="The static checker deed-check")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost@1.81: +serialization +context")
    depends_on("boost@1.81: +mpi", when="+mpi")
    depends_on("mpi@3:", when="+mpi")
    depends_on("hwloc@2.9:")
    depends_on("fmt")
    depends_on("cli11")
    depends_on("nlohmann-json")
    depends_on("xxhash")
    depends_on("zstd")
    depends_on("cuda", when="+cuda")
    depends_on("hip", when="+rocm")
    depends_on("qt-base@6.4: +widgets", when="+viewer")
    depends_on("llvm@19 +clang", when="+checker")
    conflicts("%gcc@:11", msg="deed needs C++20 as g++ 12 has it")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("DEED_TESTS", False),
            self.define_from_variant("DEED_TRANSPORT_MPI", "mpi"),
            self.define_from_variant("DEED_CUDA", "cuda"),
            self.define_from_variant("DEED_HIP", "rocm"),
            self.define_from_variant("DEED_VIEWER", "viewer"),
            self.define_from_variant("DEED_CHECKER", "checker"),
        ]
