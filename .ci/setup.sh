# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by samples/quickstart, tests/run and .ci/run: the package list, and the steps they share.
# Each step says in one line what it does; its output goes to a log that is shown only on failure.

build_folder=${BUILD_DIR:-build}
export CMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE:-RelWithDebInfo}  # Of the first configuration only.
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}

# The Debian packages that are needed for one purpose. Everything that deed needs stands here.
packages_for() {
  case $1 in
    build)
      echo g++ cmake ninja-build pkg-config libopenmpi-dev openmpi-bin libboost-mpi1.81-dev libboost-serialization1.81-dev \
        libboost1.81-dev libboost-context1.81-dev libhwloc-dev libfmt-dev libcli11-dev nlohmann-json3-dev \
        libxxhash-dev libzstd-dev libopenblas-dev liblapacke-dev libeigen3-dev
      ;;
    ci) echo ccache git clang-16 clang-19 libclang-rt-19-dev clang-format-19 shellcheck debootstrap dpkg-dev file ;;
    tests) echo libgtest-dev libgmock-dev python3 babeltrace2 python3-barectf otf2-tools pajeng vite spin gcc ;;
    site) echo python3-sphinx python3-myst-parser python3-sphinx-rtd-theme python3-breathe doxygen ;;
    mpich) echo mpich libmpich-dev ;;
    gpu) echo libamdhip64-dev hipcc ;;
    bench) echo libstarpu-dev libtbb-dev clang-19 clang-tidy-19 libomp-19-dev ;;
    viewer) echo qt6-base-dev qt6-svg-dev fonts-dejavu-core libopen-trace-format2-dev ;;
    checker) echo clang-19 libclang-19-dev libclang-cpp19-dev llvm-19-dev ;;
    *) say "packages_for: no purpose named $1" && return 1 ;;
  esac
}

say() { printf 'deed: %s\n' "$*"; }

# how_far LOG: of a build that writes there, until it or the script is ended.
how_far() {
  local now
  while kill -0 $$ 2>/dev/null && sleep 1; do
    if now=$(tail -n 1 "$1" | grep -oE '^\[[ 0-9]+[/%][0-9]*\]'); then printf '\r  %s ' "$now"; fi
  done
}

# step TEXT COMMAND…; on a terminal it says how far a build is.
step() {
  local text=$1 log=$build_folder/last_step.log status=0 watcher=
  shift
  say "$text"
  mkdir -p "$build_folder"
  if [[ -t 1 ]]; then
    how_far "$log" &
    watcher=$!
  fi
  "$@" >"$log" 2>&1 || status=$?
  if [[ $watcher ]]; then
    kill "$watcher" 2>/dev/null || :
    wait "$watcher" 2>/dev/null || :
    printf '\r\033[K'
  fi
  ((status == 0)) && return
  tail -n 40 "$log" >&2
  say "failed with status $status: $text; the whole output is in $log" >&2
  exit "$status"
}

# install PURPOSE…: what is missing for these purposes, and nothing if nothing is.
install() {
  local purpose package tool wanted missing=() root=()
  for purpose; do
    wanted=$(packages_for "$purpose")
    for package in $wanted; do
      [[ $(dpkg-query -Wf '${db:Status-Status}' "$package" 2>&1) == installed ]] || missing+=("$package")
    done
  done
  ((${#missing[@]})) || return 0
  ((EUID == 0)) || root=(sudo)
  for tool in apt-get "${root[@]}"; do
    command -v "$tool" >/dev/null && continue
    say "no $tool here; going on without ${missing[*]}"  # A cluster has them under other names.
    return 0
  done
  # An update fails when any archive is out of reach; whether that matters, the install says.
  step "installing ${missing[*]}" "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    bash -c 'apt-get update; apt-get install --yes --no-install-recommends "$@"' - "${missing[@]}"
}

# configure [CMAKE ARGUMENT…]: prints which optional parts are on, and why the others are off.
configure() {
  if command -v ninja >/dev/null; then export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}; fi
  step "configuring $build_folder" cmake -S . -B "$build_folder" "$@"
  sed -n 's/^-- deed: /  /p' "$build_folder/last_step.log"
}

# build TARGET…
build() { step "building $*" cmake --build "$build_folder" --target "$@"; }

# passes FOLDER CTEST ARGUMENT…: runs tests. Those that fail are run once more, alone: what passes only then is listed in
# unsteady.txt of the first build folder, and is to be mended. What a sanitizer or a fuzzer has found is found.
passes() {
  local folder=$1 failed=$1/Testing/Temporary/LastTestsFailed.log
  shift
  [[ " $* " == *" --rerun-failed "* ]] || rm -f "$failed"
  ctest --test-dir "$folder" --no-tests=error --output-on-failure "$@" && return
  [[ -s $failed ]] || return 8
  cp "$failed" "$folder/failed_once.txt"
  cp "$folder/Testing/Temporary/LastTest.log" "$folder/failed_once.log"
  ! grep -qE 'Sanitizer|runtime error:|libFuzzer' "$folder/failed_once.log" || return 8
  say "once more, alone: $(cut -d: -f2 "$folder/failed_once.txt" | paste -sd ' ')"
  ctest --test-dir "$folder" --output-on-failure --rerun-failed -j1 || return
  sed "s|^|$folder: |" "$folder/failed_once.txt" >>"$build_folder/unsteady.txt"
}

# mpi_run RANKS PROGRAM…: also with more ranks than cores, and as root in a container. MPI_BINDING=core: each rank on
# one of its own, as Open MPI does with two ranks unless it is told otherwise.
mpi_run() {
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=${MPI_BINDING:-none} OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n "$@"
}
