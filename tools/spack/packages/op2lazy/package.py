# Spack's recipe, of the checkout that it lies in:
#   spack repo add tools/spack && spack install op2lazy
# What is not asked for is not found by the build, and left out.
import os

from spack.package import *

_top = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))


class Op2lazy(CMakePackage):
    """Lazy evaluation for programs on unstructured meshes: OP2's API, fused at run time."""

    homepage = "https://op-dsl.github.io"
    git = "file://" + _top

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("mpi", default=True, description="Ranks")
    variant("hdf5", default=True, description="HDF5 files and checkpoints")
    variant("gmsh", default=False, description="op2-mesh: meshes from Gmsh")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("llvm@19 +clang +llvm_dylib", type=("build", "link", "run"))
    depends_on("judy")
    depends_on("openmpi", when="+mpi")
    depends_on("hdf5", when="+hdf5")
    depends_on("hdf5 +mpi", when="+hdf5+mpi")
    depends_on("gmsh", when="+gmsh")

    def cmake_args(self):
        llvm = self.spec["llvm"].prefix.bin
        return [
            self.define("OP2_BENCH", False),
            self.define("LLVM_CONFIG", join_path(llvm, "llvm-config")),
            self.define("OP2_CLANG", join_path(llvm, "clang")),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", join_path(self.prefix.lib, "op2lazy", "python"))
