# SPDX-License-Identifier: MIT
# What makes an attack through damaged input harder, as Debian's hardening and the OpenSSF's guide for compilers have
# it: for all programs and libraries of this build. docs/performance.md has what it costs. Not beside sanitizers, which
# see more.
include(CheckCXXCompilerFlag)

option(DEED_HARDENING "Checked copies and views, guarded stacks, read-only tables of symbols; packages want it" OFF)
if(NOT DEED_HARDENING)
  return()
endif()

# Indices into tiles and the like, in the programs of this build: deed/base/checked.hpp.
add_compile_definitions(DEED_HARDENED)

# Fortified functions exist for optimised code alone; some compilers have a level of their own.
add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
  string(MAKE_C_IDENTIFIER "DEED_HAS${flag}" has)
  check_cxx_compiler_flag(${flag} ${has})
  if(${has})
    add_compile_options(${flag})
  endif()
endforeach()
set(is_shared $<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>)
add_compile_options($<$<NOT:${is_shared}>:-fPIE>)  # Of libraries, too: programs link them.
add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie> -Wl,-z,relro,-z,now)
